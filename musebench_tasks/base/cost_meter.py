"""What a model asks before each request that costs money, and what it tells afterwards.

A cost meter travels with a media group; where nobody counts money it is `UNMETERED`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Payment(Protocol):
    """What is paid for one request."""

    def begin(self) -> None:
        """The request is about to be sent, once more perhaps: waits for its turn.

        Raises BudgetReachedError where nothing more may be asked.
        """

    def received(self, cost_usd: float | None) -> None:
        """An answer came; None = what it cost is not known."""


class CostMeter(Protocol):
    """What a run may still spend."""

    def payment(self, key: str) -> AbstractContextManager[Payment]:
        """The payment for the request `key`: on its way from `begin` until the context ends."""


class _Unmetered:
    """The meter of models that cost nothing."""

    def begin(self) -> None:
        """Nothing to wait for."""

    def received(self, cost_usd: float | None) -> None:
        """Nothing to count."""

    def payment(self, key: str) -> AbstractContextManager[Payment]:
        """A payment of nothing."""
        return nullcontext(self)


UNMETERED = _Unmetered()


def cost_meter_of(group: object) -> CostMeter:
    """The cost meter that travels with a media group; `UNMETERED` where nobody gave it one."""
    cost_meter: CostMeter = getattr(group, "cost_meter", None) or UNMETERED
    return cost_meter
