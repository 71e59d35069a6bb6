"""What a model asks before each request that costs money, and what it tells afterwards.

A purse travels with a media group. Where nobody counts money it is `FREE`.
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


class Purse(Protocol):
    """What a run may still spend."""

    def payment(self, key: str) -> AbstractContextManager[Payment]:
        """The payment for the request `key`: on its way from `begin` until the context ends."""


class _Free:
    """Whatever is asked costs nothing."""

    def begin(self) -> None:
        """Nothing to wait for."""

    def received(self, cost_usd: float | None) -> None:
        """Nothing to count."""

    def payment(self, key: str) -> AbstractContextManager[Payment]:
        """A payment of nothing."""
        return nullcontext(self)


FREE = _Free()


def purse_of(group: object) -> Purse:
    """The purse that travels with a media group; `FREE` where nobody gave it one."""
    purse: Purse = getattr(group, "purse", None) or FREE
    return purse
