"""Which metric of a task's `metric_list` measures what; each gives its headline first.

Every module beside this one that holds `MEASURES` is asked: a further measure is a further file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, MetricConfig, TaskConfig
from musebench_tasks.base.text import nearest
from musebench_tasks.evaluation import metrics
from musebench_tasks.evaluation.cases import Case, Cases, as_cases
from musebench_tasks.evaluation.combinators import macro
from musebench_tasks.evaluation.measurement import Measurement
from musebench_tasks.evaluation.metrics.record import Measure, Number
from musebench_tasks.tasks import METRICS


def _found() -> Iterator[Measure]:
    for module in iter_modules(metrics.__path__, f"{metrics.__name__}."):
        if module.name != __name__:
            yield from getattr(import_module(module.name), "MEASURES", ())


_RECORDS = {each.name: each for each in _found()}
MEASURES: Mapping[str, Measure] = {name: _RECORDS[name] for name in METRICS if name in _RECORDS}
"""The record of every metric that a task may name, in the order of `tasks.METRICS`."""
NUMBERS: Mapping[str, Number] = {number.metric: number for each in MEASURES.values() for number in each.numbers}


def number_of(metric: str) -> Number:
    """What is said of a number, by its id without version; of an unknown one, its id alone."""
    plain, _, dimension = metric.partition(MetricConfig.MACRO)
    number = NUMBERS.get(plain, Number(plain))
    if not dimension:
        return number
    words = dimension.replace("subdomain", "sub-domain")
    meaning = f"{number.meaning} Here the mean over the values of {dimension}, each counting alike.".lstrip()
    return Number(metric, label=f"macro {label_of(plain)} ({words})", meaning=meaning, bounds=number.bounds)


def label_of(metric: str) -> str:
    """The head of a number's column: its label, or its id in words."""
    return number_of(metric).label or metric.removeprefix("mub.").replace("_", " ").replace(".", " ")


def measure(metric: MetricConfig, cases: Sequence[Case]) -> list[Measurement]:
    """What `metric` finds on the cases of the kinds it is for."""
    wanted = _of_kinds(as_cases(cases), metric.kinds)
    record = MEASURES.get(metric.metric)
    if record is None:
        raise InputError(f'metric "{metric.metric}" is not known{nearest(metric.metric, MEASURES)}.')
    if metric.macro is not None:
        return macro(measure, metric, wanted)
    has_versions = len(METRICS[metric.metric].versions) > 1
    return record.function(wanted, metric.version) if has_versions else record.function(wanted)


def _of_kinds(cases: Cases, kinds: Sequence[Kind]) -> Cases:
    if not kinds:
        return cases
    if len(kinds) == 1:
        return cases.of_kind(kinds[0])
    return Cases(case for case in cases if case.item.kind in kinds)


def chance(cases: Sequence[Case]) -> list[Measurement]:
    """What uniform guessing is expected to score on choice items, by the metrics it is defined for."""
    chosen = as_cases(cases)
    if not chosen or (chosen.kinds == Kind.MUSIC.value).any():
        return []
    return [row for each in MEASURES.values() if each.chance is not None for row in each.chance(chosen)]


def headline_metric(task: TaskConfig) -> MetricConfig:
    """The entry of `metric_list` that the task's headline names."""
    whole = (metric for metric in task.metric_list if metric.by is None)
    return next(metric for metric in whole if metric.name == task.metadata.headline)
