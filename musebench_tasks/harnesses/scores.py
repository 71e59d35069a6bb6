"""Numbers for another harness, each by the code that scores our own runs.

A metric that is a mean over items gives one number a document. One that compares runs or letters gives a row a
document, which its aggregation puts together again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from musebench_tasks.base.records import MetricConfig, Prediction, Status, TaskConfig
from musebench_tasks.harnesses.questions import Document, questions, references, request_of

OF_WHOLE_RUNS = ("choice_consistency", "position_bias")
"""Metrics that no single document has a value of."""
NOT_CARRIED = ("option_probabilities",)
"""Metrics of what harnesses do not hand over."""
CLUSTERED = "_clustered"
"""Ends the name of the headline metric with its clusters, for harnesses that reckon a clustered error."""


def named_metrics(task: TaskConfig) -> dict[str, MetricConfig]:
    """The task's metrics that a harness can show, by the name it shows; a second version has it in its name."""
    named: dict[str, MetricConfig] = {}
    for metric in task.metric_list:
        if metric.metric not in NOT_CARRIED and metric.by is None and metric.macro is None:
            version = f"_{metric.version}".replace("/", "_") if metric.metric in named else ""
            named[metric.metric + version] = metric
    return named


def document_scores(document: Document, raw: str | None) -> dict[str, Any]:
    """The value of every metric that is defined for this document's item."""
    from musebench_tasks.evaluation.metrics.registry import measure

    task = questions(document["musebench_task"]).task
    case = _case(document, _prediction(document, raw))
    scores: dict[str, Any] = {}
    for name, metric in named_metrics(task).items():
        if metric.metric in OF_WHOLE_RUNS:
            if _is_for(metric, document):
                scores[name] = _row(document, case)
            continue
        value = measure(metric, [case])[0].value
        if value is not None:
            scores[name] = value
    return scores


def with_clusters(scores: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """The scores, and the headline once more beside its cluster."""
    headline = questions(document["musebench_task"]).task.metadata.headline
    value = scores.get(headline)
    if not isinstance(value, float):
        return dict(scores)
    return {**scores, headline + CLUSTERED: {"score": value, "cluster_id": document["cluster_id"]}}


def clustered_mean(rows: Sequence[Mapping[str, Any]]) -> float:
    """The mean of headline scores that stand beside their clusters."""
    return float(sum(row["score"] for row in rows)) / len(rows)


def choice_consistency(rows: Sequence[Mapping[str, Any]]) -> float:
    """Share of items answered alike in all runs, by option."""
    return _of_whole_runs("choice_consistency", rows)


def position_bias(rows: Sequence[Mapping[str, Any]]) -> float:
    """How much more often the first letter is answered than it is right."""
    return _of_whole_runs("position_bias", rows)


def _of_whole_runs(name: str, rows: Sequence[Mapping[str, Any]]) -> float:
    """The first number of a metric over all rows; not a number where it is undefined, as with one run."""
    from musebench_tasks.evaluation.metrics.registry import measure

    found = measure(MetricConfig(metric=name), [_case(row, _answered(row)) for row in rows])
    value = found[0].value if found else None
    return float("nan") if value is None else value


def _is_for(metric: MetricConfig, document: Document) -> bool:
    from musebench_tasks.tasks import METRICS

    return document["kind"] in (metric.kinds or METRICS[metric.metric].kinds)


def _prediction(document: Document, raw: str | None) -> Prediction:
    """The text as our own runs read it."""
    from musebench_tasks.evaluation.read_answers import read_answer
    from musebench_tasks.harnesses.questions import failure_in
    from musebench_tasks.models import answered, failed

    request, text = request_of(document), raw or ""
    failure = failure_in(text)
    return read_answer(request, answered(request, text) if failure is None else failed(request, failure, text))


def _case(document: Document, prediction: Prediction) -> Any:
    from musebench_tasks.evaluation.cases import make_case
    from musebench_tasks.evaluation.scorecard import with_orders

    name, item_id = document["musebench_task"], document["item_id"]
    task, items = questions(name)
    case = make_case(items[item_id], references(name)[item_id], document["run"], prediction)
    return with_orders(task, [case])[0]


def _row(document: Document, case: Any) -> dict[str, Any]:
    """What an aggregation needs to make the case again."""
    named = ("musebench_task", "item_id", "run", "condition", "option_order", "kind", "max_frames")
    return {**{name: document[name] for name in named}, "chosen": None if case.chosen is None else sorted(case.chosen)}


def _answered(row: Mapping[str, Any]) -> Prediction:
    chosen = row["chosen"]
    return Prediction(
        item_id=row["item_id"],
        run=row["run"],
        condition=row["condition"],
        option_order=row["option_order"],
        parsed=chosen,
        status=Status.UNPARSED if chosen is None else Status.OK,
    )
