"""What a run has cost so far, and the end of asking once that is what it may cost.

Looked at before every request. What has just been answered counts at once; what is on its way counts as much as an
answer has cost on average. Until a first cost is known one request goes at a time.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from musebench_tasks.base.errors import BudgetReachedError
from musebench_tasks.inference.file_system import is_shared
from musebench_tasks.inference.journal import JournalReader
from musebench_tasks.inference.task_plan import RunBudget

_KEPT = "Everything answered is kept"


class Spending:
    """Adds up the costs in all journals of a run, whoever wrote them, and those that are not written yet.

    May be used by several threads at once; each look reads only what is new.
    """

    def __init__(self, budget: RunBudget) -> None:
        self._budget = budget
        self._readers = [JournalReader(folder, is_shared=is_shared(folder)) for folder in budget.folders]
        self._changed = threading.Condition()
        self._written_usd, self._priced = 0.0, 0
        """What stands in journals, and the number of answers of which the cost is known."""
        self._received: dict[str, float] = {}
        """Costs of answers that stand in no journal yet, by key."""
        self._in_flight = 0
        self._tells_no_cost = False
        self.spent_usd()

    def spent_usd(self) -> float:
        """US dollars so far."""
        with self._changed:
            for reader in self._readers:
                for entry in reader.read_new():
                    cost_usd = entry.response.cost_usd
                    if cost_usd is not None:
                        self._written_usd += cost_usd
                        self._priced += self._received.pop(entry.response.key, None) is None
            return self._written_usd + sum(self._received.values())

    def require_more(self) -> None:
        """Raises BudgetReachedError once the budget is spent, or where it cannot be held."""
        spent_usd = self.spent_usd()
        if spent_usd >= self._budget.usd:
            raise BudgetReachedError(budget_spent_text(self._budget, spent_usd))
        if self._tells_no_cost and not self._priced:
            raise BudgetReachedError(
                f"The server tells no token counts, so that the budget of {self._budget.usd:g} USD cannot be held. "
                f"{_KEPT}; give the same command without --budget to go on."
            )

    def payment(self, key: str) -> _Payment:
        """The payment for the request `key`."""
        return _Payment(self, key)

    def begin(self, *, is_on_its_way: bool) -> None:
        """Wait until one more request may be on its way, or go on with one that is."""
        with self._changed:
            self.require_more()
            while not is_on_its_way and self._in_flight and not self._has_room():
                self._changed.wait()
                self.require_more()
            self._in_flight += not is_on_its_way

    def _has_room(self) -> bool:
        """Whether the budget will not be spent by what is on its way."""
        spent_usd, on_its_way = self.spent_usd(), self._in_flight * self._budget.processes
        return bool(self._priced) and spent_usd + on_its_way * spent_usd / self._priced < self._budget.usd

    def receive(self, key: str, cost_usd: float | None) -> None:
        """An answer came."""
        with self._changed:
            if cost_usd is None:
                self._tells_no_cost = True
            else:
                self._priced += key not in self._received
                self._received[key] = self._received.get(key, 0.0) + cost_usd

    def end(self) -> None:
        """A request is no longer on its way."""
        with self._changed:
            self._in_flight -= 1
            self._changed.notify_all()


class _Payment:
    """The payment for one request."""

    def __init__(self, spending: Spending, key: str) -> None:
        self._spending, self._key = spending, key
        self._is_on_its_way = False

    def begin(self) -> None:
        """Wait for the request's turn. Raises BudgetReachedError where nothing more may be asked."""
        self._spending.begin(is_on_its_way=self._is_on_its_way)
        self._is_on_its_way = True

    def received(self, cost_usd: float | None) -> None:
        """An answer came; None = what it cost is not known."""
        self._spending.receive(self._key, cost_usd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_on_its_way:
            self._spending.end()


def budget_spent_text(budget: RunBudget, spent_usd: float) -> str:
    """That the budget is spent, and how to go on."""
    return (
        f"The budget of {budget.usd:g} USD is spent ({spent_usd:.4f} USD). {_KEPT}; "
        "give the same command with a larger --budget to go on."
    )
