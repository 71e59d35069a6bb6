"""Which metric of a task's `metric_list` measures what; each gives its headline first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, MetricConfig, TaskConfig
from musebench_tasks.base.text import nearest
from musebench_tasks.evaluation import choice_metrics, music_metrics, probability_metrics
from musebench_tasks.evaluation.cases import Case, Cases, as_cases
from musebench_tasks.evaluation.combinators import macro
from musebench_tasks.evaluation.measurement import Measurement
from musebench_tasks.evaluation.structure_metrics import mub_structure

Measure = Callable[[Sequence[Case]], list[Measurement]]

CHOICE: Mapping[str, Measure] = {
    "accuracy": choice_metrics.accuracy,
    "caa": choice_metrics.caa,
    "exact_match": choice_metrics.exact_match,
    "set_f1": choice_metrics.set_f1,
    "choice_consistency": choice_metrics.choice_consistency,
    "position_bias": choice_metrics.bias,
    "option_probabilities": probability_metrics.option_probabilities,
}
MUSIC: Mapping[str, Measure] = {
    "mub_time_signature": music_metrics.mub_time_signature,
    "mub_segments": lambda cases: [*music_metrics.mub_segments(cases), *mub_structure(cases)],
}
VERSIONED: Mapping[str, Callable[[Sequence[Case], str | None], list[Measurement]]] = {
    "mub_tempo": music_metrics.mub_tempo,
    "mub_key": music_metrics.mub_key,
}
"""Metrics of several versions: the one a task names comes first."""


def measure(metric: MetricConfig, cases: Sequence[Case]) -> list[Measurement]:
    """What `metric` finds on the cases of the kinds it is for."""
    wanted = _of_kinds(as_cases(cases), metric.kinds)
    if metric.macro is not None:
        return macro(measure, metric, wanted)
    if metric.metric in VERSIONED:
        return VERSIONED[metric.metric](wanted, metric.version)
    measures = {**CHOICE, **MUSIC}
    if metric.metric in measures:
        return measures[metric.metric](wanted)
    known = [*measures, *VERSIONED]
    raise InputError(f'metric "{metric.metric}" is not known{nearest(metric.metric, known)}.')


def _of_kinds(cases: Cases, kinds: Sequence[Kind]) -> Cases:
    if not kinds:
        return cases
    if len(kinds) == 1:
        return cases.of_kind(kinds[0])
    return Cases(case for case in cases if case.item.kind in kinds)


def headline_metric(task: TaskConfig) -> MetricConfig:
    """The entry of `metric_list` that the task's headline names."""
    whole = (metric for metric in task.metric_list if metric.by is None)
    return next(metric for metric in whole if metric.name == task.metadata.headline)
