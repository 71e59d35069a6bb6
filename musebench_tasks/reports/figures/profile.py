"""What systems reach in each category, from scorecards: MuseBench's CAA and EM, else accuracy (MB-57, HQ-13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from musebench_tasks.base.records import Scorecard, ScoreRow
from musebench_tasks.evaluation.metrics.registry import label_of, number_of
from musebench_tasks.pages.figures import Figure, Line, Panel, Profile, Role, Words, clean, draw_bars, draw_radar
from musebench_tasks.pages.figures.look import short
from musebench_tasks.pages.figures.profile import lowest
from musebench_tasks.reports.figures.material import LONGEST_NAME, Material, System, number_words, overlap, to_value
from musebench_tasks.reports.tables import main_condition
from musebench_tasks.statistics import FEWEST_ITEMS

SMALLEST_SHARE = 0.05
"""Categories with at most this share of the items are left out (HQ-13)."""
MOST_BARS = 48
_CHANCE = "chance"
_DIMENSIONS = ("category", "subdomain", "difficulty")


def profile_figures(material: Material, smallest_share: float = SMALLEST_SHARE) -> Iterator[Figure]:
    """Radar and bars by category; nothing where the items fall into fewer than two of them."""
    metrics = _metrics(material.systems[0].card)
    split = ((each, *_categories(material, each, metrics, smallest_share)) for each in _DIMENSIONS)
    dimension, categories, dropped = next((each for each in split if len(each[1]) > 1), ("", [], []))
    if not categories:
        return
    rows = max(3, MOST_BARS // len(categories))
    shown = material.shown[:rows]
    profile = Profile(
        tuple(short(clean(each), LONGEST_NAME) for each in categories),
        tuple(_panel(shown, dimension, metric, categories) for metric in metrics),
    )
    caption = _caption(material, metrics, dropped, n_shown=len(shown))
    empty = [panel for panel in profile.panels[1:] if _all_zero(panel)]
    if empty:
        profile = Profile(profile.categories, tuple(panel for panel in profile.panels if panel not in empty))
        caption += f" {empty[0].measure} is 0 in every category for every system shown, so it is not drawn."
    description = _description(profile)
    if len(categories) >= 3:
        centre = " In the centre of the radar is 0." if all(lowest(panel) == 0 for panel in profile.panels) else ""
        words = Words("profile-radar", _shape_title(profile, dimension), description, caption + centre)
        yield draw_radar(profile, words, material.prefix("radar"))
    words = Words(
        "profile", _level_title(profile), description, f"{caption} Whiskers are 95 % intervals, from 10 items on."
    )
    yield draw_bars(profile, words, material.prefix("profile"))


def _all_zero(panel: Panel) -> bool:
    return not any(each and each.value for line in panel.systems for each in line.values)


def _metrics(card: Scorecard) -> list[str]:
    found = {row.metric for row in card.scores if row.value is not None}
    wanted = ("caa", "exact_match") if "caa" in found else ("accuracy",)
    return [metric for metric in wanted if metric in found]


def _categories(
    material: Material, dimension: str, metrics: Sequence[str], smallest_share: float
) -> tuple[list[str], list[str]]:
    """The categories with more than `smallest_share` of the items of the first measure, and the others."""
    card = material.systems[0].card
    rows = [row for row in _rows(card, metrics[0]) if row.slice == dimension] if metrics else []
    total = sum(row.n for row in rows)
    kept = [str(row.slice_value) for row in rows if row.n > smallest_share * total]
    return kept, [str(row.slice_value) for row in rows if row.n <= smallest_share * total]


def _rows(card: Scorecard, metric: str) -> list[ScoreRow]:
    condition = main_condition([card])
    return [row for row in card.scores if row.metric == metric and row.condition is condition]


def _panel(systems: Sequence[System], dimension: str, metric: str, categories: Sequence[str]) -> Panel:
    card = systems[0].card
    own = {row.slice_value: row for row in _rows(card, metric) if row.slice == dimension}
    chance = {row.slice_value: row.value for row in card.baselines if _is(row, metric, dimension, _CHANCE)}
    strongest = _strongest(card, metric)
    baselines = []
    if strongest is not None:
        values = {row.slice_value: to_value(row) for row in card.baselines if _is(row, metric, dimension, strongest)}
        name = strongest.replace("_", " ")
        baselines.append(Line(name, tuple(values.get(each) for each in categories), Role.BASELINE))
    return Panel(
        measure=label_of(metric),
        counts=tuple(own[each].n if each in own else 0 for each in categories),
        systems=tuple(_line(n, system, dimension, metric, categories) for n, system in enumerate(systems)),
        baselines=tuple(baselines),
        chance=tuple(chance.get(each) for each in categories) if chance else (),
    )


def _line(number: int, system: System, dimension: str, metric: str, categories: Sequence[str]) -> Line:
    found = {row.slice_value: row for row in _rows(system.card, metric) if row.slice == dimension}
    return Line(system.name, tuple(to_value(found.get(each)) for each in categories), number=number)


def _is(row: ScoreRow, metric: str, dimension: str | None, system: str) -> bool:
    return (row.metric, row.slice, row.system) == (metric, dimension, system)


def _strongest(card: Scorecard, metric: str) -> str | None:
    """The baseline that answers without looking and scores best by the headline measure of the profile."""
    first = "caa" if any(row.metric == "caa" for row in card.baselines) else metric
    whole = [row for row in card.baselines if row.metric == first and row.slice is None and row.system != _CHANCE]
    scored = [(row.value, str(row.system)) for row in whole if row.value is not None]
    return max(scored, key=lambda each: each[0])[1] if scored else None


def _caption(material: Material, metrics: Sequence[str], dropped: Sequence[str], *, n_shown: int) -> str:
    words = ". ".join(number_of(metric).caption for metric in metrics) + "."
    left = f" Left out with 5 % of the items or fewer: {', '.join(clean(each) for each in dropped)}." if dropped else ""
    fewer = n_shown < len(material.systems)
    return words + left + (f" The best {n_shown} of {len(material.systems)} systems by the headline." if fewer else "")


def _description(profile: Profile) -> str:
    parts = []
    for panel in profile.panels:
        for number, category in enumerate(profile.categories):
            values = [f"{line.name} {number_words(line.values[number])}" for line in (*panel.systems, *panel.baselines)]
            chance = panel.chance[number] if panel.chance else None
            values += [f"chance {chance:.2f}"] if chance is not None else []
            parts.append(f"{panel.measure}, {category}, n {panel.counts[number]}: {', '.join(values)}.")
    return " ".join(parts)


def _shape_title(profile: Profile, dimension: str) -> str:
    """Where the systems score lowest: how many of them in the same category."""
    panel = profile.panels[0]
    few = _few(panel)
    if few:
        return f"{len(profile.categories)} categories of {few} each show no clear profile"
    weakest: dict[str, str] = {}
    for line in panel.systems:
        found = [(each, name) for each, name in zip(line.values, profile.categories, strict=True) if each]
        least, name = min(found, key=lambda each: each[0].value, default=(None, ""))
        if least and len(found) > 1 and not any(overlap(least, each) for each, _ in found if each is not least):
            weakest[line.name] = name
    if not weakest:
        return f"No {dimension} is clearly the hardest"
    if len(panel.systems) == 1:
        return f"{next(iter(weakest))} scores lowest in {next(iter(weakest.values()))}"
    place, n = Counter(weakest.values()).most_common(1)[0]
    some = "All" if n == len(panel.systems) else f"{n} of"
    return f"{some} {len(panel.systems)} systems {'score' if n > 1 else 'scores'} clearly lowest in {place}"


def _level_title(profile: Profile) -> str:
    """In how many categories the best system is told from chance."""
    panel, n = profile.panels[0], len(profile.categories)
    few = _few(panel)
    if few:
        return f"With {few} a category no system can be told from chance"
    above = {line.name: _above_chance(panel, line) for line in panel.systems}
    best = max(above, key=lambda name: above[name])
    if above[best]:
        return f"{best} is above chance in {above[best]} of {n} categories by {panel.measure}"
    subject = f"{best} is not" if len(above) == 1 else "No system is"
    return f"{subject} clearly above chance in any of {n} categories by {panel.measure}"


def _few(panel: Panel) -> str | None:
    """`3 to 6 items` where no category has enough of them for an interval."""
    fewest, most = min(panel.counts), max(panel.counts)
    if most >= FEWEST_ITEMS:
        return None
    return f"{most} items" if fewest == most else f"{fewest} to {most} items"


def _above_chance(panel: Panel, line: Line) -> int:
    chance = panel.chance or (None,) * len(line.values)
    return sum(
        value is not None and value.low is not None and value.low > (expected or 0.0)
        for value, expected in zip(line.values, chance, strict=True)
    )
