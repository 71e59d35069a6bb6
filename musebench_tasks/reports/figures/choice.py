"""Figures of choice tasks: precision against recall, shares by position, accuracy by option count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from musebench_tasks.base.records import LETTERS, Kind
from musebench_tasks.base.text import counted
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import Measurement
from musebench_tasks.evaluation.metrics.accuracy import accuracy
from musebench_tasks.pages.figures import Figure, Line, LinePlot, Role, Spot, Value, Words, draw_lines, draw_square
from musebench_tasks.reports.figures.material import (
    MOST_LINES,
    Material,
    System,
    listed,
    number_words,
    overlap,
    percent_words,
    sentence,
    to_value,
    with_interval,
)
from musebench_tasks.statistics import PositionBias, position_bias
from musebench_tasks.statistics.errors import interval_of_mean

FEWEST_OPTIONS = 5
"""Shares by position are over items with this many options or more (MB-58), where there are any."""


def set_figure(material: Material) -> Iterator[Figure]:
    """Precision against recall on items with several right options (MB-57); nothing where no system found any."""
    spots = [spot for system in material.shown if (spot := _spot(material, system)) is not None]
    if not any(spot.upwards.value for spot in spots):
        return
    n = spots[0].upwards.n
    drawn = (*spots, *_set_baselines(material))
    items = f"{counted(n, 'item')} with several right options"
    numbers = [f"{s.name}: precision {number_words(s.upwards)}, recall {number_words(s.across)}" for s in drawn]
    words = Words(
        "precision-recall",
        _set_title(spots),
        sentence(f"{items}. {'; '.join(numbers)}"),
        f"Set precision and recall, averaged over {items}; lines are 95 % intervals." + material.left_out(),
    )
    sides = ("chooses too little", "chooses too much")
    yield draw_square(drawn, "recall", "precision", sides, words, material.prefix("sets"))


def _spot(material: Material, system: System) -> Spot | None:
    recall = to_value(system.card.row("set_recall", condition=material.condition))
    precision = to_value(system.card.row("set_precision", condition=material.condition))
    return (
        None
        if recall is None or precision is None
        else Spot(system.name, recall, precision, number=material.number(system))
    )


def _set_baselines(material: Material) -> Iterator[Spot]:
    rows = [row for row in material.systems[0].card.baselines if row.slice is None]
    for name in ("chance", "select_all"):
        found = {row.metric: to_value(row) for row in rows if row.system == name}
        recall, precision = found.get("set_recall"), found.get("set_precision")
        if recall is not None and precision is not None:
            yield Spot(name.replace("_", " "), recall, precision, Role.BASELINE)


def _set_title(spots: Sequence[Spot]) -> str:
    if len(spots) == 1:
        only = spots[0]
        precision, recall = only.upwards.value, only.across.value
        if overlap(only.upwards, only.across):
            return f"On sets precision and recall of {only.name} do not clearly differ"
        (high, more), (low, less) = sorted([(precision, "precise"), (recall, "complete")], reverse=True)
        return f"{only.name} is more {more} ({high:.2f}) than {less} ({low:.2f}) on sets"
    careful = [
        spot.name for spot in spots if spot.upwards.value > spot.across.value and not overlap(spot.upwards, spot.across)
    ]
    verb = "is" if len(careful) == 1 else "are"
    return f"{len(careful) or 'None'} of {len(spots)} systems {verb} clearly more precise than complete on sets"


def position_figure(material: Material) -> Iterator[Figure]:
    """Predicted, right and expected shares by option letter, single-select (MB-58, statistics.md 2.4)."""
    found = [(name, _position_cases(cases)) for name, cases in _pooled(material)]
    numbers = {name: number for number, (name, _) in enumerate(found)}
    biases = [(name, _bias(cases)) for name, cases in found if cases]
    biases = [(name, bias) for name, bias in biases if bias.predicted_share is not None]
    if not biases or len(biases[0][1].positions) < 2:
        return
    everyone = [case for _, cases in found for case in cases]
    whole = position_bias(
        [_letter(case, case.gold) for case in everyone],
        [_letter(case, case.gold) or "" for case in everyone],
        [len(case.shown) for case in everyone],
    )
    lines = [
        Line("expected", _shares(whole.expected_share, whole.n), Role.BASELINE),
        Line("right", _shares(whole.gold_share, whole.n), Role.REFERENCE),
        *(Line(name, _shares(bias.predicted_share, bias.n), number=numbers[name]) for name, bias in biases),
    ]
    most = max(each.value for line in lines for each in line.values if each is not None)
    fewest = min(len(case.shown) for case in everyone)
    unread = listed([f"{name} {percent_words(bias.unparsed_share)}" for name, bias in biases])
    words = Words(
        "positions",
        _position_title(biases),
        _position_description(lines, biases, whole.positions),
        f"Items with one right option of {fewest} or more. Expected: what a guesser picks. "
        f"Shares are over answers that could be read; not read: {unread}.",
    )
    plot = LinePlot(whole.positions, "option as shown", "share of answers", tuple(lines), _top(most), in_percent=True)
    yield draw_lines(plot, words, material.prefix("positions"))


def _pooled(material: Material) -> Iterator[tuple[str, list[Case]]]:
    """Systems with their cases; pooled by tier where there are more than fit and tiers are known."""
    tiers = dict.fromkeys(system.card.tier for system in material.systems)
    if len(material.systems) <= MOST_LINES or None in tiers or len(tiers) > MOST_LINES:
        for system in material.shown:
            yield system.name, material.cases(system)
        return
    for tier in tiers:
        members = [system for system in material.systems if system.card.tier == tier]
        yield f"{tier} ({len(members)})", [case for system in members for case in material.cases(system)]


def _position_cases(cases: Sequence[Case]) -> list[Case]:
    single = [case for case in cases if case.item.kind is Kind.SINGLE and case.shown and len(case.gold) == 1]
    many = [case for case in single if len(case.shown) >= FEWEST_OPTIONS]
    return many or single


def _bias(cases: Sequence[Case]) -> PositionBias:
    return position_bias(
        [_letter(case, case.chosen) for case in cases],
        [_letter(case, case.gold) or "" for case in cases],
        [len(case.shown) for case in cases],
        clusters=[case.item.cluster_id for case in cases],
    )


def _letter(case: Case, options: frozenset[str] | None) -> str | None:
    only = next(iter(options), None) if options is not None and len(options) == 1 else None
    return LETTERS[case.shown.index(only)] if only in case.shown else None


def _shares(shares: tuple[float, ...] | None, n: int) -> tuple[Value | None, ...]:
    return tuple(Value(share, n) for share in shares or ())


def _top(most: float) -> float:
    """The tenth above `most`."""
    return min(1.0, float(np.ceil(most * 10 - 1e-9)) / 10)


def _position_title(biases: Sequence[tuple[str, PositionBias]]) -> str:
    clear = [
        (abs(bias.excess_first or 0.0), name, bias)
        for name, bias in biases
        if bias.excess_first_interval is not None
        and (bias.excess_first_interval.low > 0 or bias.excess_first_interval.high < 0)
    ]
    if not clear:
        known = any(bias.excess_first_interval is not None for _, bias in biases)
        subject = f"{biases[0][0]} does not clearly prefer" if len(biases) == 1 else "No system clearly prefers"
        return f"{subject} the first option" if known else "Too few answers to see a position bias"
    _, name, bias = max(clear, key=lambda each: each[0])
    predicted, right = (percent_words((shares or (0.0,))[0]) for shares in (bias.predicted_share, bias.gold_share))
    return f"{name} chooses the first option in {predicted} of its answers; it is the right one in {right}"


def _position_description(
    lines: Sequence[Line], biases: Sequence[tuple[str, PositionBias]], positions: Sequence[str]
) -> str:
    parts = []
    for line in lines:
        shares = [
            f"{letter} {percent_words(each.value)}"
            for letter, each in zip(positions, line.values, strict=False)
            if each
        ]
        parts.append(f"{line.name}: {', '.join(shares)}.")
    for name, bias in biases:
        excess = "–" if bias.excess_first is None else f"{100 * bias.excess_first:+.1f} points".replace("-", "−")
        deviation = "–" if bias.rstd is None else f"{bias.rstd:.1f} points"
        distance = "–" if bias.jsd_bits is None else f"{bias.jsd_bits:.3f} bits"
        parts.append(
            f"{name}: first option {excess} against the right share, Jensen-Shannon divergence {distance}, "
            f"standard deviation of recalls {deviation}, "
            f"{percent_words(bias.unparsed_share)} of {bias.n} answers not read."
        )
    return " ".join(parts)


def option_count_figure(material: Material) -> Iterator[Figure]:
    """Accuracy by the number of options, single-select, with chance 1/K."""
    systems = [(system, _single(material.cases(system))) for system in material.shown]
    systems = [(system, cases) for system, cases in systems if cases]
    counts = sorted({len(case.item.options) for _, cases in systems for case in cases})
    if len(counts) < 2:
        return
    lines = [
        Line(
            system.name,
            tuple(_accuracy([c for c in cases if len(c.item.options) == k]) for k in counts),
            number=material.number(system),
        )
        for system, cases in systems
    ]
    chance = Line("chance 1/K", tuple(Value(1 / k, 0) for k in counts), Role.BASELINE)
    sizes = [next((line.values[place] for line in lines if line.values[place]), None) for place in range(len(counts))]
    groups = tuple(f"{k}\nn {size.n if size else 0}" for k, size in zip(counts, sizes, strict=True))
    numbers = [
        f"{line.name}: " + ", ".join(f"{k} options {number_words(v)}" for k, v in zip(counts, line.values, strict=True))
        for line in (*lines, chance)
    ]
    words = Words(
        "option-count",
        _count_title(lines, counts),
        sentence("; ".join(numbers)),
        "Items with one right option; vertical lines are 95 % intervals, from 10 items on." + material.left_out(),
    )
    plot = LinePlot(groups, "number of options", "accuracy", (chance, *lines))
    yield draw_lines(plot, words, material.prefix("options"))


def _single(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.item.kind is Kind.SINGLE]


def _accuracy(cases: Sequence[Case]) -> Value | None:
    return measured_value(accuracy(cases)[0]) if cases else None


def measured_value(found: Measurement) -> Value | None:
    """The mean of item scores with the interval that scorecards give it."""
    if found.value is None or found.statistic is not None:
        return None
    clusters = list(found.clusters)
    interval = interval_of_mean(found.columns[:, 0], clusters, binary=found.binary, bounds=found.bounds)
    return with_interval(found.value, len(found.columns), interval)


def _count_title(lines: Sequence[Line], counts: Sequence[int]) -> str:
    above = {line.name: _n_above(line, counts) for line in lines}
    best = max(above, key=lambda name: above[name])
    if not above[best]:
        known = any(v is not None and v.low is not None for line in lines for v in line.values)
        subject = f"{lines[0].name} is" if len(lines) == 1 else "No system is"
        verb = "not clearly above" if len(lines) == 1 else "clearly above"
        return (
            f"{subject} {verb} chance at any number of options"
            if known
            else "Too few items to tell option counts apart"
        )
    everywhere = [name for name, n in above.items() if n == len(counts)]
    if len(everywhere) == 1 or len(lines) == 1:
        where = "every number of options" if everywhere else f"{above[best]} of {len(counts)} numbers of options"
        return f"{everywhere[0] if everywhere else best} is above chance at {where}"
    if everywhere:
        return f"{len(everywhere)} of {len(lines)} systems are above chance at every number of options"
    return f"{best} is above chance at {above[best]} of {len(counts)} numbers of options"


def _n_above(line: Line, counts: Sequence[int]) -> int:
    return sum(v is not None and v.low is not None and v.low > 1 / k for k, v in zip(counts, line.values, strict=True))
