"""What a run has cost so far, and the end of asking once that is what it may cost."""

from __future__ import annotations

from musebench_tasks.errors import BudgetReachedError
from musebench_tasks.inference.file_system import is_shared
from musebench_tasks.inference.journal import JournalReader
from musebench_tasks.inference.plan_of_task import Budget


class Spending:
    """Adds up the costs in all journals of a run, whoever wrote them; each call reads only what is new."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._readers = [JournalReader(folder, is_shared=is_shared(folder)) for folder in budget.folders]
        self._spent_usd = 0.0

    def spent_usd(self) -> float:
        """US dollars so far."""
        new = (entry.response.cost_usd or 0.0 for reader in self._readers for entry in reader.read_new())
        self._spent_usd += sum(new)
        return self._spent_usd

    def require_more(self) -> None:
        """Raises BudgetReachedError once the budget is spent. What is on its way then is still paid for."""
        spent = self.spent_usd()
        if spent >= self._budget.usd:
            raise BudgetReachedError(
                f"The budget of {self._budget.usd:g} USD is spent ({spent:.4g} USD). Everything answered is kept; "
                "give the same command with a larger --budget to go on."
            )
