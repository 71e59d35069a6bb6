"""What a condition changes: paired differences of the headline against `full`, on the same items."""

from __future__ import annotations

from collections.abc import Iterator

from musebench_tasks.evaluation.metrics import headline_metric
from musebench_tasks.pages import PlainTable, interval_text
from musebench_tasks.pages.numbers import signed_text
from musebench_tasks.records import Condition
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.item_scores import difference, item_scores
from musebench_tasks.reports.tables import condition_name, system_name


def delta_table(answers: TaskAnswers) -> PlainTable | None:
    """Each condition minus `full` for each system asked both; None where nobody was.

    Item by item, errors clustered; the interval is Student's t over clusters, none below 10 items.
    """
    rows = tuple(row for part in answers.parts for row in _rows(answers, part))
    if not rows:
        return None
    metric = headline_metric(answers.task).metric.replace("_", " ")
    head = ("system", "condition", f"{metric} minus full", "95 % interval", "n")
    return PlainTable("What a condition changes, item by item", head, rows, n_words=2)


def _rows(answers: TaskAnswers, part: PartAnswers) -> Iterator[tuple[str, ...]]:
    conditions = part.conditions
    if Condition.FULL not in conditions or len(conditions) < 2:
        return
    full = item_scores(answers, part, Condition.FULL)
    for condition in conditions:
        other = item_scores(answers, part, condition)
        if condition is Condition.FULL or full is None or other is None:
            continue
        mean, interval = difference(other, full)
        name = condition_name(condition, part.part.card)
        yield system_name(part.part.card), name, signed_text(mean), interval_text(interval), str(len(other.item_ids))
