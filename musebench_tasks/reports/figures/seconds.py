"""Whether long media are harder: the headline over items in bins of equal number by the seconds of their medium."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from musebench_tasks.base.records import Item, TaskConfig
from musebench_tasks.evaluation.baselines import baseline_cases
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import Measurement
from musebench_tasks.evaluation.metrics.registry import chance, headline_metric, measure
from musebench_tasks.pages.figures import Figure, Line, LinePlot, Role, Value, Words, draw_lines
from musebench_tasks.pages.text import seconds_text
from musebench_tasks.reports.figures.choice import measured_value
from musebench_tasks.reports.figures.material import Material, headline_words, number_words, overlap, sentence

MOST_BINS = 4
FEWEST_IN_A_BIN = 12


def seconds_figure(material: Material) -> Iterator[Figure]:
    """The headline against media seconds; nothing where all media are about as long, or items too few."""
    systems = [(system, material.cases(system)) for system in material.shown]
    systems = [(system, cases) for system, cases in systems if cases]
    if material.answers is None or not systems:
        return
    task = material.answers.task
    items = {case.item.id: case.item for _, cases in systems for case in cases}
    bins = length_bins(list(items.values()))
    if not bins:
        return
    lines = [
        Line(system.name, tuple(_score(task, cases, ids) for _, ids in bins), number=material.number(system))
        for system, cases in systems
    ]
    if not any(any(line.values) for line in lines):
        return
    floor = _floor(task, systems[0][1], [ids for _, ids in bins])
    drawn = (floor, *lines) if floor else tuple(lines)
    groups = tuple(f"{name}\nn {len(ids)}" for name, ids in bins)
    measure_name = headline_words(task)
    numbers = [
        f"{line.name}: " + ", ".join(f"{n} {number_words(v)}" for (n, _), v in zip(bins, line.values, strict=True))
        for line in drawn
    ]
    words = Words(
        "media-seconds",
        _title(lines, [name for name, _ in bins], measure_name),
        sentence("; ".join(numbers)),
        "Items in bins of equal number by the seconds of their medium; vertical lines are 95 % intervals."
        + material.left_out(),
    )
    plot = LinePlot(groups, "length of the medium", measure_name, drawn)
    yield draw_lines(plot, words, material.prefix("seconds"))


def length_bins(items: Sequence[Item]) -> list[tuple[str, frozenset[str]]]:
    """Items by quantiles of their media seconds: name and ids of each bin, none smaller than it should be."""
    known = [(item.window_s, item.id) for item in items if item.window_s]
    n_bins = min(MOST_BINS, len(known) // FEWEST_IN_A_BIN)
    if n_bins < 2:
        return []
    seconds = np.array([each for each, _ in known], dtype=np.float64)
    edges = np.unique(np.quantile(seconds, np.arange(1, n_bins) / n_bins))
    places = np.searchsorted(edges, seconds, side="right")
    bins = []
    for place in np.unique(places):
        inside = seconds[places == place]
        ids = frozenset(item_id for (_, item_id), found in zip(known, places, strict=True) if found == place)
        bins.append((_span(float(inside.min()), float(inside.max())), ids))
    fits = len(bins) > 1 and all(len(ids) >= FEWEST_IN_A_BIN // 2 for _, ids in bins)
    return bins if fits else []


def _span(low: float, high: float) -> str:
    """`8 to 11 s`, `1:04 to 2:10`."""
    first, last = (seconds_text(round(each) if each >= 3 else each) for each in (low, high))
    if first == last:
        return first
    return f"{first.removesuffix(' s') if last.endswith(' s') else first} to {last}"


def _score(task: TaskConfig, cases: Sequence[Case], ids: frozenset[str]) -> Value | None:
    return measured_value(_headline(task, [case for case in cases if case.item.id in ids]))


def _headline(task: TaskConfig, cases: Sequence[Case]) -> Measurement:
    return measure(headline_metric(task), cases)[0]


def _floor(task: TaskConfig, cases: Sequence[Case], bins: Sequence[frozenset[str]]) -> Line | None:
    """Chance on choice items, the constant prior on recordings."""
    metric = _headline(task, cases).metric
    if any(each.metric == metric for each in chance(cases)):
        inside = [chance([case for case in cases if case.item.id in ids]) for ids in bins]
        found = [next((each for each in measured if each.metric == metric), None) for measured in inside]
        values = tuple(
            Value(each.value, len(each.columns)) if each and each.value is not None else None for each in found
        )
        return Line("chance", values, Role.BASELINE)
    for name, answered in baseline_cases(cases):
        scored = [_score(task, answered, ids) for ids in bins]
        return Line(name, tuple(Value(each.value, each.n) if each else None for each in scored), Role.BASELINE)
    return None


def _title(lines: Sequence[Line], bins: Sequence[str], measure_name: str) -> str:
    """The clearest difference between the shortest and the longest media."""
    ends = [(line.name, line.values[0], line.values[-1]) for line in lines]
    clear = [(name, first, last) for name, first, last in ends if first and last and not overlap(first, last)]
    if not clear:
        return f"{sentence(measure_name).removesuffix('.')} does not clearly change with the length of the medium"
    name, first, last = max(clear, key=lambda each: abs(each[1].value - each[2].value))
    return f"{name} scores {last.value:.2f} on the longest media ({bins[-1]}) and {first.value:.2f} on the shortest"
