"""What a worker is told of one MODEL/TASK, and what of it has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from musebench_tasks.base.records import Limits, Response
from musebench_tasks.inference.file_system import is_shared
from musebench_tasks.inference.journal import JournalEntry, JournalReader
from musebench_tasks.inference.work_units import WorkUnit
from musebench_tasks.prompts.leak_guard import LeakGuard

Observer = Callable[[str, Response], None]
"""Called with the task's name and a response, once it is in a journal."""


@dataclass(frozen=True)
class RunBudget:
    """What a run may cost, and where it is written what it has cost."""

    usd: float
    folders: tuple[Path, ...]
    """Every MODEL/TASK folder of the run."""
    processes: int = 1
    """How many processes ask at the same time: each takes the others to have as much on its way as itself."""


@dataclass(frozen=True)
class TaskPlan:
    """What a worker needs to know of one MODEL/TASK: where, what, and what counts as answered."""

    task: str
    folder: Path
    units: tuple[WorkUnit, ...]
    limits: Limits
    retry_before: dict[int, int] = field(default_factory=dict)
    """Worker number -> byte position: failures that stand before it in that journal are asked again."""
    reuse: tuple[Path, ...] = ()
    """MODEL/TASK folders of the same model whose answers to equal requests are taken over, looked up when work begins:
    a task before this one may just have been answered."""
    budget: RunBudget | None = None
    guard: LeakGuard | None = None
    """Looks at what is about to be sent for what only the evaluator may know."""
    unit_timeout_s: float | None = None
    """Seconds without an answer after which a worker hangs at a medium; None = by the work that it holds."""


class Answered:
    """Which keys of a plan are still open, kept up to date from all journals."""

    def __init__(self, plan: TaskPlan, own_journal: Path | None = None) -> None:
        """`own_journal` is written by this process: what is added to it later is told by `add`."""
        self._retry_before = plan.retry_before
        self._reader = JournalReader(plan.folder, own_journal, is_shared(plan.folder))
        self._open = {request.key for unit in plan.units for group in unit.groups for request in group}
        self.refresh()

    def __contains__(self, key: object) -> bool:
        return key not in self._open

    @property
    def all(self) -> bool:
        """Whether every request of the plan has ended."""
        return not self._open

    def add(self, key: str) -> None:
        """Note a key that this worker just answered."""
        self._open.discard(key)

    def lacks(self, unit: WorkUnit) -> bool:
        """Whether a request of `unit` is still open."""
        return any(request.key in self._open for group in unit.groups for request in group)

    def refresh(self) -> list[JournalEntry]:
        """Read what all workers have written since, and return it."""
        new = list(self._reader.read_new())
        for entry in new:
            asked_again = entry.response.failure is not None and entry.offset < self._retry_before.get(entry.worker, 0)
            if not asked_again:
                self._open.discard(entry.response.key)
        return new


def names_medium(unit: WorkUnit) -> str:
    """The unit's media file as people know it; the item where it has none."""
    request = unit.groups[0][0]
    if not request.parts:
        return f"item {request.item_id}"
    source = request.parts[0].source
    return Path(source.path).name if source.row is None else f"{Path(source.path).name} row {source.row}"
