"""What a condition changes: paired differences of the headline against `full`, on the same items."""

from __future__ import annotations

from collections.abc import Iterator

from musebench_tasks.evaluation import join
from musebench_tasks.evaluation.cases import make_cases
from musebench_tasks.evaluation.measurement import Measurement
from musebench_tasks.evaluation.metrics import headline_metric, measure
from musebench_tasks.evaluation.scorecard import with_orders
from musebench_tasks.pages import PlainTable, interval_text
from musebench_tasks.pages.numbers import signed_text
from musebench_tasks.records import Condition
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.tables import condition_name, system_name
from musebench_tasks.statistics.errors import interval_of_mean
from musebench_tasks.tasks import planned


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
    full = _headline(answers, part, Condition.FULL)
    for condition in conditions:
        other = _headline(answers, part, condition)
        if condition is Condition.FULL or full.statistic is not None or other.columns.shape != full.columns.shape:
            continue
        differences = (other.columns - full.columns)[:, 0]
        name = condition_name(condition, part.part.card)
        interval = interval_of_mean(differences, list(full.clusters), binary=False) if len(differences) else None
        mean = float(differences.mean()) if len(differences) else None
        yield system_name(part.part.card), name, signed_text(mean), interval_text(interval), str(len(differences))


def _headline(answers: TaskAnswers, part: PartAnswers, condition: Condition) -> Measurement:
    """The headline's item scores under a condition, items in the plan's order."""
    items = {item.id: item for item in part.items}
    plan = [key for key in planned(answers.task, items, part.part.config.protocol.conditions) if key[2] is condition]
    here = [part.predictions[key] for key in plan if key in part.predictions]
    joined = join(plan, part.items, here, str(part.part.folder))
    cases = with_orders(answers.task, make_cases(joined, items, answers.references))
    return measure(headline_metric(answers.task), cases)[0]
