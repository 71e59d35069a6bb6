"""The papers' tables: which columns and groups of rows a task's scores are laid out in.

MuseBench: Tab. 1 (accuracy, CAA and exact match by category), Tab. 7 (all measures by category), Tab. 2 (conditions).
HumMusQA: Tab. 1 (accuracy and consistency by difficulty), Tab. 2 (true, noise, silence). MUB: its four outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import MUSIC_FIELDS, Condition, MetricConfig, Scorecard
from musebench_tasks.evaluation.metrics.registry import MEASURES, NUMBERS, label_of
from musebench_tasks.reports.table import condition_label, condition_name, spokesman
from musebench_tasks.tasks import METRICS

COVERAGE, ANSWERED = "coverage", "answered"
DIFFICULTY_ORDER = ("low", "medium", "high")
DIMENSIONS = {"category": "category", "subdomain": "sub-domain", "difficulty": "difficulty"}
"""Slices that get a table of their own, with their words."""
MOST_ACROSS = 8
"""So many systems and baselines stand beside one another at most, where measures stand down the side."""
EXPECTATIONS = ("chance", "prior:constant", "prior:heldout")
"""The baselines that stand under every group of rows; the others only under the main table."""


@dataclass(frozen=True)
class Wanted:
    """Where a column's numbers come from."""

    measure: str
    metric: str
    """Metric id without version; `coverage` and `answered` are shares of requests."""
    dimension: str | None = None
    value: str | None = None
    spread: str | None = None
    group: str = ""
    field: str | None = None
    """The music field that `answered` is of; None = whole requests."""
    available: bool = False
    """Whether the number is over items whose media could be had."""
    is_detail: bool = False
    """Left out where there is little room."""

    @property
    def is_rate(self) -> bool:
        """Whether it is a share of requests."""
        return self.metric in (COVERAGE, ANSWERED)


RATES = (Wanted("coverage", COVERAGE), Wanted("answered", ANSWERED))


@dataclass(frozen=True)
class Group:
    """A group of rows: a condition, and a slice where the columns do not name theirs."""

    condition: Condition
    label: str = ""
    dimension: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class Layout:
    """One table. `baselines` None = all of them, below all groups."""

    name: str
    title: str
    heading: str
    wanted: tuple[Wanted, ...]
    groups: tuple[Group, ...]
    baselines: tuple[str, ...] | None = None
    measures_down: bool = False
    of_rows: str = "system"
    """What the groups of rows are."""


def main_layout(card: Scorecard, condition: Condition) -> Layout:
    """The table a task is known by; the headline is always in it."""
    metrics = _metrics(card)
    is_music = _is_music(metrics)
    wanted = _music(metrics) if is_music else [*_choice_main(card, metrics), *RATES]
    wanted += [Wanted(label_of(metric), metric) for metric in sorted(metrics) if _is_macro_headline(metric)]
    wanted = _with_headline(card, wanted)
    title = f"{card.task} · {condition_name(condition, card)}"
    group = Group(condition)
    return Layout("scores", title, "", tuple(wanted), (group,), measures_down=is_music)


def further_layouts(cards: Sequence[Scorecard], main: Condition) -> Iterator[Layout]:
    """The tables that a report shows beside the main one: by slice, by condition, and slices of other conditions."""
    first = spokesman(cards)
    metrics = _metrics(first)
    conditions = asked_conditions(cards)
    if len(conditions) > 1:
        groups = tuple(Group(each, condition_label(each, first)) for each in conditions)
        wanted = (*_by_group(metrics, first), *RATES)
        title = f"{first.task} · conditions"
        yield Layout("conditions", title, "By condition", wanted, groups, EXPECTATIONS, of_rows="condition")
    for dimension, words in DIMENSIONS.items():
        values = slice_values(first, dimension)
        if len(values) < 2 or (dimension == "difficulty" and "choice_consistency" in metrics):
            continue
        everything = Group(main, "all")
        groups = (everything, *(Group(main, each, dimension, each) for each in values))
        name = dimension.replace("subdomain", "subdomains").replace("category", "categories")
        title = f"{first.task} · {condition_name(main, first)} · by {words}"
        wanted = (*_by_group(metrics, first), *RATES)
        yield Layout(name, title, f"By {words}", wanted, groups, EXPECTATIONS, of_rows=words)
    if "choice_consistency" in metrics and slice_values(first, "difficulty"):
        yield from _difficulty_under_others(first, [each for each in conditions if each is not main], metrics)


def _difficulty_under_others(card: Scorecard, conditions: Sequence[Condition], metrics: set[str]) -> Iterator[Layout]:
    """HumMusQA's main table under each other condition: what text alone answers by difficulty (HQ-15)."""
    for condition in conditions:
        wanted = (*_choice_main(card, metrics), *RATES)
        name = f"difficulty-{condition.replace('_', '-')}"
        label = condition_name(condition, card)
        title = f"{card.task} · {label} · by difficulty"
        yield Layout(name, title, f"By difficulty, {label}", wanted, (Group(condition),), ("chance",))


def asked_conditions(cards: Sequence[Scorecard]) -> list[Condition]:
    """The conditions that any of the systems was asked under, as the papers order them.

    Streams that are taken away come last; MuseBench's Tab. 2 begins with them, and adds one stream after the other.
    """
    found = {count.condition for card in cards for count in card.counts}
    asked = [each for each in CONDITIONS.values() if each in found]
    changed = [each for each in asked if not each.is_removal]
    removed = [each for each in asked if each.is_removal]
    is_film = any(card.benchmark.startswith("musebench") for card in cards)
    return [*reversed(removed), *changed] if is_film else [*changed, *removed]


def slice_values(card: Scorecard, dimension: str | None) -> list[str]:
    """The values of a slice dimension, difficulties from low to high."""
    found = dict.fromkeys(str(row.slice_value) for row in card.scores if row.slice == dimension and dimension)
    known = [each for each in found if each.lower() in DIFFICULTY_ORDER]
    ordered = sorted(known, key=lambda each: DIFFICULTY_ORDER.index(each.lower()))
    return ordered + [each for each in found if each not in known]


def _is_macro_headline(metric: str) -> bool:
    """Whether it is the mean, over the values of a field, of a number that tables show."""
    plain, macro, _ = metric.partition(MetricConfig.MACRO)
    names = ("accuracy", "choice_consistency", *CHOICE, *SETS, *FURTHER, *SHORT)
    return bool(macro) and plain in names


def _metrics(card: Scorecard) -> set[str]:
    return {row.metric for row in card.scores}


def _is_music(metrics: Iterable[str]) -> bool:
    return any(metric.startswith("mub.") for metric in metrics)


def _with_headline(card: Scorecard, wanted: list[Wanted]) -> list[Wanted]:
    """The headline over all items first, where it is not among them."""
    headline = card.headline.rpartition("/")[0]
    if any(each.metric == headline and each.dimension is None for each in wanted):
        return wanted
    return [Wanted(label_of(headline), headline), *wanted]


MUSIC = tuple(
    (field.replace("_", " "), number.label, number.metric, number.is_detail)
    for field in MUSIC_FIELDS
    for name, metric in METRICS.items()
    if metric.field == field
    for number in MEASURES[name].numbers
    if number.label
)
"""Field, measure, metric, and whether it is left out where there is little room."""
RECALL = "mub.time_signature.recall."
"""Begins the metric that tells how many recordings of one time signature were found."""
SHORT = {number.metric: number.short for number in NUMBERS.values() if number.short}
"""Measures where no field stands above them."""


def _music(metrics: set[str]) -> list[Wanted]:
    """Four outputs, each with its definitions and how often it was answered; coverage is of whole requests."""
    wanted: list[Wanted] = []
    for field in ("tempo", "key", "time signature", "segments"):
        found = [
            Wanted(measure, metric, group=field, field=field.replace(" ", "_"), is_detail=is_detail)
            for group, measure, metric, is_detail in MUSIC
            if group == field and metric in metrics
        ]
        if field == "time signature":
            found += [
                Wanted(
                    f"{metric.removeprefix(RECALL)} found", metric, group=field, field="time_signature", is_detail=True
                )
                for metric in sorted(metrics)
                if metric.startswith(RECALL)
            ]
        if found:
            answered = Wanted("answered", ANSWERED, group=field, field=field.replace(" ", "_"), is_detail=True)
            wanted += [*found, answered]
    return [*wanted, replace(RATES[0], group="requests"), replace(RATES[1], group="requests")]


def without_details(layout: Layout) -> Layout:
    """The same with the columns that a terminal has room for; music measures then name their field."""
    kept = [each for each in layout.wanted if not each.is_detail]
    if any(each.metric in SHORT for each in kept):
        kept = [replace(each, measure=SHORT.get(each.metric, each.measure), group="") for each in kept]
    return replace(layout, wanted=tuple(kept))


def _choice_main(card: Scorecard, metrics: set[str]) -> list[Wanted]:
    if "choice_consistency" in metrics:
        return _runs(card)
    return _choice(card, metrics)


def _runs(card: Scorecard) -> list[Wanted]:
    """HumMusQA's Tab. 1: accuracy over runs and consistency, overall and by difficulty."""
    wanted = [_accuracy(), Wanted("consistency", "choice_consistency")]
    for each in slice_values(card, "difficulty"):
        wanted.append(replace(_accuracy(), dimension="difficulty", value=each, group=each))
        wanted.append(Wanted("consistency", "choice_consistency", "difficulty", each, group=each, is_detail=True))
    return wanted


def _accuracy() -> Wanted:
    return Wanted("accuracy", "accuracy", spread="accuracy_sd")


def _choice(card: Scorecard, metrics: set[str]) -> list[Wanted]:
    """MuseBench's Tab. 1: overall accuracy, then CAA and exact match of each category."""
    wanted = [Wanted("accuracy", "accuracy")] if "accuracy" in metrics else []
    dimension = next((row.slice for row in card.scores if row.slice in DIMENSIONS), None)
    values = slice_values(card, dimension)
    named = [each for each in CHOICE if each in metrics]
    if len(values) > 1 and named:
        for value in values:
            wanted += [Wanted(label_of(metric), metric, dimension, value, group=value) for metric in named]
        return wanted
    if len(values) > 1:
        return wanted + [Wanted("accuracy", "accuracy", dimension, value, group=value) for value in values]
    return wanted + [Wanted(label_of(metric), metric) for metric in (*named, *SETS, *FURTHER) if metric in metrics]


CHOICE = ("caa", "exact_match")
SETS = ("set_precision", "set_recall", "set_f1")
FURTHER = tuple(
    number.metric
    for name, each in MEASURES.items()
    for number in each.numbers
    if number.label and METRICS[name].field is None
    if number.metric not in ("accuracy", "choice_consistency", *CHOICE, *SETS)
)
"""Measures of choice items that no paper's table has: behind the others, in the order of their files."""


def _by_group(metrics: set[str], card: Scorecard) -> list[Wanted]:
    """The measures of a group of rows: MuseBench's Tab. 7, accuracy and consistency, or the headlines of music."""
    if _is_music(metrics):
        kept = [each for each in _music(metrics) if not each.is_detail and not each.is_rate]
        return [replace(each, measure=SHORT.get(each.metric, each.measure), group="") for each in kept]
    if "choice_consistency" in metrics:
        return [_accuracy(), Wanted("consistency", "choice_consistency")]
    named = ("accuracy", *CHOICE, *SETS, *FURTHER)
    return _with_headline(card, [Wanted(label_of(metric), metric) for metric in named if metric in metrics])
