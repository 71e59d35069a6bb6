"""The headline so far, while a run goes on. What reads and scores is imported with the first answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from musebench_tasks.base.records import Condition, Item, Reference, Request, Response, ScoreRow, TaskConfig

if TYPE_CHECKING:
    from musebench_tasks.evaluation.cases import Case


class RunningHeadline:
    """Takes responses as they come and scores what is there by the task's headline metric, `full` only."""

    def __init__(
        self,
        task: TaskConfig,
        items: Sequence[Item],
        references: Mapping[str, Reference],
        requests: Sequence[Request],
    ) -> None:
        self._task = task
        self._items = {item.id: item for item in items}
        self._references = references
        self._requests: dict[str, list[Request]] = {}
        for request in requests:
            if request.condition is Condition.FULL:
                self._requests.setdefault(request.key, []).append(request)
        self._unread: dict[str, Response] = {}
        self._cases: dict[tuple[str, int], Case] = {}

    def add(self, response: Response) -> None:
        """Take one response; a second one to the same request replaces the first. It is read when a row is wanted."""
        self._unread[response.key] = response

    def row(self) -> ScoreRow | None:
        """The headline over the requests answered so far; None before the first."""
        from musebench_tasks.evaluation.measurement import score_row
        from musebench_tasks.evaluation.metrics.registry import headline_metric, measure
        from musebench_tasks.evaluation.scorecard import with_orders

        self._read()
        if not self._cases:
            return None
        measured = measure(headline_metric(self._task), with_orders(self._task, list(self._cases.values())))
        return score_row(measured[0], Condition.FULL) if measured and len(measured[0].columns) else None

    def _read(self) -> None:
        from musebench_tasks.evaluation.cases import make_case
        from musebench_tasks.evaluation.read_answers import read_answer

        for key, response in self._unread.items():
            for request in self._requests.get(key, ()):
                item, reference = self._items[request.item_id], self._references[request.item_id]
                self._cases[request.item_id, request.run] = make_case(
                    item, reference, request.run, read_answer(request, response)
                )
        self._unread.clear()
