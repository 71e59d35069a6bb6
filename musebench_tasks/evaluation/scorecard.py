"""Everything scored of one system on one task: counts, rows by condition and slice, baselines, hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from musebench_tasks.answers import PARSER_VERSION
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import (
    AvailableOnly,
    Condition,
    Counts,
    Erratum,
    Hashes,
    Item,
    JudgeCounts,
    Kind,
    MetricConfig,
    Prediction,
    Reference,
    RunConfig,
    Scorecard,
    ScoreRow,
    Status,
    TaskConfig,
    slice_value,
)
from musebench_tasks.base.records.requests import NO_ROUTE, TRANSCRIPT
from musebench_tasks.evaluation.baselines import baseline_cases
from musebench_tasks.evaluation.cases import Case, Cases, make_cases
from musebench_tasks.evaluation.collection import paused_collection
from musebench_tasks.evaluation.combinators import macro
from musebench_tasks.evaluation.counts import count_statuses
from musebench_tasks.evaluation.join import PlannedKey, join
from musebench_tasks.evaluation.judged import count_judged, judge_note
from musebench_tasks.evaluation.measurement import Measurement, score_row
from musebench_tasks.evaluation.metrics.registry import MEASURES, chance, headline_metric, measure
from musebench_tasks.evaluation.read_answers import VIOLATION
from musebench_tasks.items.demonstration import DEMO
from musebench_tasks.statistics import FEW_CLUSTERS, uses_students_t
from musebench_tasks.tasks import planned, shown_order
from musebench_tasks.version import __version__

PROBABILITIES = "option_probabilities"


class _Slice(NamedTuple):
    """Cases that share a value of a slice dimension; both None = all cases."""

    dimension: str | None
    value: str | None
    members: Cases
    places: NDArray[np.intp]
    """Where the members stand among all cases."""


@paused_collection()
def make_scorecard(
    task: TaskConfig,
    items: Sequence[Item],
    references: Mapping[str, Reference],
    predictions: Sequence[Prediction],
    run_config: RunConfig,
    hashes: Hashes,
    *,
    source: str = "predictions",
    erratum: Erratum | None = None,
) -> Scorecard:
    """Score `predictions` against the plan that `task`, `items` and `run_config` make.

    `erratum`: what led from the data that were asked to `items`; predictions of retired items are passed over.
    Raises InputError for a prediction nobody planned and for an item without a reference.
    """
    by_id = {item.id: item for item in items}
    _require_references(by_id, references)
    task = as_it_was_asked(task, run_config)
    conditions = run_config.protocol.conditions
    retired = frozenset(erratum.retired if erratum else ())
    joined = join(planned(task, list(by_id), conditions), items, predictions, source, retired)
    predictions = [each for each in predictions if each.item_id not in retired]
    counts: list[Counts] = []
    rows, baselines = list[ScoreRow](), list[ScoreRow]()
    for condition in conditions:
        here = {key: prediction for key, prediction in joined.items() if key[2] is condition}
        counts += _counts(task, condition, here)
        slices = list(_slices(task, with_orders(task, make_cases(here, by_id, references))))
        cases = slices[0].members
        unavailable = {key[0] for key, each in here.items() if each and each.status is Status.MEDIA_UNAVAILABLE}
        asked = with_probabilities(task, cases)
        rows += _rows(asked, condition, slices, unavailable)
        if condition is _main(conditions):
            baselines += _baseline_rows(asked, condition, slices)
    judges = count_judged(predictions)
    return Scorecard(
        scorer_version=f"{__version__}+parser.{PARSER_VERSION}",
        task=task.task,
        benchmark=run_config.benchmark.name,
        benchmark_version=run_config.benchmark.version,
        split=run_config.benchmark.split,
        system=run_config.system.name,
        system_type=run_config.system.type,
        tier=run_config.system.tier,
        audio_route=run_config.media.audio_route or routes_of(predictions),
        selection=run_config.benchmark.selection,
        track=run_config.protocol.track,
        tools=run_config.protocol.tools,
        truncation=run_config.media.truncation,
        frames=run_config.media.frames,
        headline=_headline_id(task, rows),
        warnings=(*_erratum_note(run_config, erratum), *_notes(run_config, items, predictions, rows, judges)),
        counts=tuple(counts),
        judges=judges,
        scores=tuple(rows),
        baselines=tuple(baselines),
        hashes=hashes,
        errata=erratum,
    )


def _main(conditions: Sequence[Condition]) -> Condition:
    """The condition that headlines are from, and beside which baselines stand."""
    return Condition.FULL if Condition.FULL in conditions else conditions[0]


def as_it_was_asked(task: TaskConfig, run_config: RunConfig) -> TaskConfig:
    """`task` with the runs and orders of the run: the plan follows from run.yaml, also where the task changed since."""
    asked = run_config.protocol
    protocol = {"runs": asked.runs, "option_order": asked.option_order, "seed": asked.seed}
    return task.model_copy(update={"protocol": task.protocol.model_copy(update=protocol)})


def with_probabilities(task: TaskConfig, cases: Sequence[Case]) -> TaskConfig:
    """`task` with the metrics of option probabilities where answers came with some, whether it names them or not."""
    named = any(metric.metric == PROBABILITIES for metric in task.metric_list)
    if named or not any(case.probabilities and case.item.kind is Kind.SINGLE for case in cases):
        return task
    return task.model_copy(update={"metric_list": (*task.metric_list, MetricConfig(metric=PROBABILITIES))})


def with_orders(task: TaskConfig, cases: Sequence[Case]) -> list[Case]:
    """Cases that know the order of their options, also where nobody answered."""
    return [
        case if case.shown or not case.item.options else _shown(case, shown_order(task, case.item, case.run))
        for case in cases
    ]


def _shown(case: Case, order: tuple[str, ...]) -> Case:
    return replace(case, shown=order)


def _rows(
    task: TaskConfig, condition: Condition, slices: Sequence[_Slice], unavailable: set[str]
) -> Iterator[ScoreRow]:
    for dimension, value, members, _ in slices:
        available = Cases(case for case in members if case.item.id not in unavailable) if unavailable else members
        for metric in _measured_in(task, dimension):
            some_missing = len(available) < len(members)
            reachable = {each.metric: each for each in measure(metric, available)} if some_missing else {}
            for measurement in measure(metric, members):
                row = score_row(measurement, condition, dimension=dimension, slice_value=value)
                if some_missing:
                    row = row.model_copy(update={"available": _available(reachable.get(measurement.metric))})
                yield row


def _measured_in(task: TaskConfig, dimension: str | None) -> Iterator[MetricConfig]:
    """The metrics that are measured on slices of a dimension; None = on all items. Averages over it have none there."""
    for metric in task.metric_list:
        of_slices = dimension in task.slices and metric.macro != dimension
        if metric.by == dimension if metric.by is not None else dimension is None or of_slices:
            yield metric


def _available(measurement: Measurement | None) -> AvailableOnly:
    """The number on what was available; none where nothing was."""
    if measurement is None:
        return AvailableOnly(value=None, n=0)
    return AvailableOnly(value=measurement.value, n=len(measurement.columns))


def _baseline_rows(task: TaskConfig, condition: Condition, slices: Sequence[_Slice]) -> Iterator[ScoreRow]:
    """The baselines by the metrics of the task; position bias says nothing of an answer that looks at no question."""
    cases = slices[0].members
    answered_by = list(baseline_cases(cases))
    for dimension, value, members, places in slices:
        metrics = [each for each in _measured_in(task, dimension) if MEASURES[each.metric].has_baselines]
        named = [("chance", list(_chance(metrics, members, cases)))]
        for name, answered in answered_by:
            answers = answered if members is cases else answered.part(places, members)
            measured = [each for metric in metrics for each in measure(metric, answers) if not each.without_error]
            named.append((name, measured))
        for name, measurements in named:
            for each in measurements:
                yield score_row(each, condition, dimension=dimension, slice_value=value, system=name)


def _chance(metrics: Sequence[MetricConfig], members: Cases, whole: Cases) -> Iterator[Measurement]:
    """What guessing is expected to score by these metrics."""
    plain = {measured.metric for metric in metrics if metric.macro is None for measured in measure(metric, whole)}
    yield from (each for each in chance(members) if each.metric in plain)
    for metric in metrics:
        if metric.macro is not None:
            yield from macro(_expectation, metric, members)


def _expectation(metric: MetricConfig, cases: Sequence[Case]) -> list[Measurement]:
    measured = {each.metric for each in measure(metric, cases)}
    return [each for each in chance(cases) if each.metric in measured]


def _slices(task: TaskConfig, cases: Sequence[Case]) -> Iterator[_Slice]:
    """All cases, then those of each value of each slice dimension, in alphabetical order."""
    whole = Cases(cases)
    yield _Slice(None, None, whole, np.arange(len(whole)))
    for dimension in task.dimensions:
        values = [slice_value(case.item, dimension) for case in whole]
        places = np.array([value or "" for value in values])
        for value in sorted({value for value in values if value is not None}):
            at = np.flatnonzero(places == value) if value else np.array([i for i, v in enumerate(values) if v == ""])
            yield _Slice(dimension, value, whole.part(at), at)


def _counts(task: TaskConfig, condition: Condition, here: Mapping[PlannedKey, Prediction | None]) -> Iterator[Counts]:
    yield count_statuses(condition, None, [each.status if each else Status.MISSING for each in here.values()])
    for field in task.fields:
        yield count_statuses(condition, field, [field_status(each, field) for each in here.values()])


def field_status(prediction: Prediction | None, field: str) -> Status:
    """How one music field of a planned request ended; None = the request has no prediction."""
    if prediction is None:
        return Status.MISSING
    if isinstance(prediction.parsed, dict) and field in prediction.parsed:
        return prediction.parsed[field].status
    return Status.UNPARSED if prediction.status is Status.OK else prediction.status


def _headline_id(task: TaskConfig, rows: Sequence[ScoreRow]) -> str:
    """The id and version under which the task's headline stands in the rows."""
    first = measure(headline_metric(task), [])[0]
    return f"{first.metric}/{first.version}"


def _warnings(items: Sequence[Item], rows: Sequence[ScoreRow]) -> tuple[str, ...]:
    clusters = len({item.cluster_id for item in items})
    if clusters >= FEW_CLUSTERS or not any(uses_students_t(row.interval) for row in rows):
        return ()
    return (f"{clusters} clusters, fewer than {FEW_CLUSTERS}: intervals use Student's t and are rough.",)


def _notes(
    run_config: RunConfig,
    items: Sequence[Item],
    predictions: Sequence[Prediction],
    rows: Sequence[ScoreRow],
    judges: Sequence[JudgeCounts],
) -> Iterator[str]:
    """What a reader must know beside the numbers."""
    name = run_config.system.name
    yield from _demonstration_note(run_config)
    yield from _warnings(items, rows)
    yield from _without_transcript(run_config, items)
    yield from _violations(name, predictions)
    yield from (judge_note(name, each) for each in judges)


def _demonstration_note(run_config: RunConfig) -> Iterator[str]:
    """That items are of a demonstration, where the task's name does not say so."""
    name = run_config.benchmark.name
    if name.endswith(DEMO) and not run_config.task.endswith(DEMO):
        yield f"The items are of {name}, a demonstration: no number here says anything about a real benchmark."


def _erratum_note(run_config: RunConfig, erratum: Erratum | None) -> Iterator[str]:
    """That a system was asked on older data, and what of them is scored otherwise now."""
    if erratum is not None:
        told = [
            f"{len(ids)} {word}" for ids, word in ((erratum.retired, "retired"), (erratum.rekeyed, "re-keyed")) if ids
        ]
        yield (
            f"{run_config.system.name} was asked on data {erratum.from_data_sha256[:12]}; by errata.yaml of the data "
            f"here since then: {', '.join(told) or 'nothing retired or re-keyed'}."
        )


def _without_transcript(run_config: RunConfig, items: Sequence[Item]) -> Iterator[str]:
    """A line where a system that reads transcripts found none of some items."""
    without = sum(item.transcript is None for item in items)
    if run_config.media.audio_route == TRANSCRIPT and without:
        yield (
            f"{run_config.system.name}: {without} of {len(items)} items have no transcript; they were asked without "
            "any sound."
        )


def _violations(system: str, predictions: Sequence[Prediction]) -> Iterator[str]:
    """A line where answers broke the protocol: they are scored, and not silently."""
    count = sum(VIOLATION in each.flags for each in predictions)
    if count:
        yield (
            f"{system}: {count} of {len(predictions)} answers broke the protocol, for example by calling a tool that "
            "was never offered; responses/ says how."
        )


def _require_references(items: Mapping[str, Item], references: Mapping[str, Reference]) -> None:
    without = [item_id for item_id in items if item_id not in references]
    if without:
        many = "1 item has" if len(without) == 1 else f"{len(without)} items have"
        raise InputError(f"{many} no reference, the first is {without[0]}. Check the dataset.")


def routes_of(lines: Iterable[Prediction]) -> str | None:
    """How sound arrived, by `lines`: `none` only where none did; None where no line tells."""
    routes = {each.audio.route for each in lines if each.audio is not None}
    return "+".join(sorted(routes - {NO_ROUTE} or routes)) or None
