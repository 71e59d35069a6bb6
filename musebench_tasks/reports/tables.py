"""The papers' tables as data: which rows and columns, which number in which cell. No formatting of a medium here.

A cell holds value, interval and n; a cell without a value was not asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from musebench_tasks.records import Condition, Counts, Interval, Scorecard, ScoreRow, Status

VIDEO_NAMES = {Condition.NO_AUDIO: "V+T", Condition.NO_VIDEO: "A+T", Condition.TEXT_ONLY: "T"}
"""What a film's conditions are called in MuseBench's paper (submission.md 3.1)."""
DIFFICULTY_ORDER = ("low", "medium", "high")


@dataclass(frozen=True)
class Cell:
    """One number. `spread` is a standard deviation over runs, which is no sampling error."""

    value: float | None = None
    interval: Interval | None = None
    n: int | None = None
    spread: float | None = None
    best: bool = False


@dataclass(frozen=True)
class Column:
    """One column: a group (for example a category), the measure, and over how many items."""

    measure: str
    group: str = ""
    n: int | None = None
    metric: str | None = None
    """`name/version` of the definition; None for coverage and answered."""
    note: str | None = None
    """What the scorer adds to this number."""


@dataclass(frozen=True)
class Row:
    """One system or baseline."""

    name: str
    cells: tuple[Cell, ...]
    is_baseline: bool = False
    kind: str = "model"


@dataclass(frozen=True)
class Table:
    """All systems on one task under one condition."""

    title: str
    task: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())
    endings: tuple[str, ...] = field(default=())
    """One line a system with requests that did not end in a readable answer: how many ended how."""

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Groups of neighbouring columns and how many columns each has; the name is empty for all items."""
        found = groupby(self.columns, key=lambda column: "" if column.group == "all" else column.group)
        return [(name, len(list(members))) for name, members in found]


@dataclass(frozen=True)
class _Wanted:
    """Where a column's numbers come from."""

    measure: str
    metric: str
    dimension: str | None = None
    value: str | None = None
    spread: str | None = None
    available: bool = False
    """Whether the number is over items whose media could be had."""


def make_tables(cards: Iterable[Scorecard]) -> list[Table]:
    """One table a task and condition, tasks in the order of the scorecards.

    Systems that were asked other items, on another track or with less of the sound never share a table (MU-08).
    """
    comparable: dict[tuple[str | None, ...], list[Scorecard]] = {}
    for card in cards:
        comparable.setdefault((card.task, *_terms(card)), []).append(card)
    several = Counter(task for task, *_ in comparable)
    return [
        _table(_title(group[0], condition, told_apart=several[group[0].task] > 1), condition, group)
        for group in comparable.values()
        for condition in Condition
        if any(count.condition is condition for card in group for count in card.counts)
    ]


def _terms(card: Scorecard) -> tuple[str | None, ...]:
    """What two systems must share to be compared, beside the task."""
    return (card.hashes.data_sha256, card.selection, card.track, card.truncation)


def _title(card: Scorecard, condition: Condition, *, told_apart: bool) -> str:
    title = f"{card.task} · {condition_name(condition, card)}"
    if not told_apart:
        return title
    terms = (
        f"data {card.hashes.data_sha256[:8]}",
        card.selection or "all items",
        (card.track or "").replace("_", " "),
        f"no {card.truncation}" if card.truncation else "",
    )
    return f"{title} ({', '.join(term for term in terms if term)})"


def _table(title: str, condition: Condition, cards: Sequence[Scorecard]) -> Table:
    asked = [card for card in cards if any(count.condition is condition for count in card.counts)]
    wanted = _with_available(_with_items(_layout(asked[0]), asked[0], condition), asked, condition)
    systems = [
        Row(
            name=system_name(card),
            cells=(*(_cell(card.scores, each, condition) for each in wanted), *_rates(card, condition)),
            kind=card.system_type,
        )
        for card in asked
    ]
    baselines = _baseline_rows(asked[0], wanted, condition)
    columns = [_column(asked[0], each, condition) for each in wanted]
    planned = whole_counts(asked[0], condition).planned
    columns += [Column("coverage", n=planned), Column("answered", n=planned)]
    return Table(
        title=title,
        task=asked[0].task,
        columns=tuple(columns),
        rows=(*_mark_best(systems), *baselines),
        notes=tuple(dict.fromkeys(note for card in asked for note in card.warnings)),
        endings=tuple(line for card in asked for line in _endings(card, condition)),
    )


def _layout(card: Scorecard) -> list[_Wanted]:
    """The columns that fit the task: MUB's, HumMusQA's, or MuseBench's; the headline is always among them."""
    metrics = {row.metric for row in card.scores}
    if any(metric.startswith("mub.") for metric in metrics):
        wanted = _music_layout(card, metrics)
    elif "choice_consistency" in metrics:
        wanted = _runs_layout(card)
    else:
        wanted = _choice_layout(card, metrics)
    headline = card.headline.rpartition("/")[0]
    if headline not in {each.metric for each in wanted}:
        label = headline.removeprefix("mub.").replace("_", " ").replace(".", " ")
        wanted.insert(0, _Wanted(label, headline))
    return wanted


def _with_items(wanted: list[_Wanted], card: Scorecard, condition: Condition) -> list[_Wanted]:
    """The columns that are over any items at all."""
    rows = [_find(card.scores, each, condition, each.metric) for each in wanted]
    return [each for each, row in zip(wanted, rows, strict=True) if row is None or row.n > 0]


def _with_available(wanted: list[_Wanted], cards: Sequence[Scorecard], condition: Condition) -> list[_Wanted]:
    """A second first column, over what was available, where the media of some items were not (submission.md 6)."""
    rows = [_find(card.scores, wanted[0], condition, wanted[0].metric) for card in cards] if wanted else []
    if not any(row is not None and row.available is not None for row in rows):
        return wanted
    first = wanted[0]
    return [first, replace(first, measure=f"{first.measure}, available", spread=None, available=True), *wanted[1:]]


def _music_layout(card: Scorecard, metrics: set[str]) -> list[_Wanted]:
    named = [
        ("tempo acc1", "mub.tempo.acc1"),
        ("key symmetric/2", "mub.key.symmetric"),
        ("time signature", "mub.time_signature.accuracy"),
        ("balanced", "mub.time_signature.balanced_accuracy"),
        ("segment F1", "mub.segments.iou_f1"),
        ("hit 0.5 s", "mub.segments.hit_rate_0.5"),
        ("hit 3 s", "mub.segments.hit_rate_3"),
    ]
    return [_Wanted(label, metric) for label, metric in named if metric in metrics]


def _runs_layout(card: Scorecard) -> list[_Wanted]:
    wanted = [_Wanted("accuracy", "accuracy", spread="accuracy_sd"), _Wanted("consistency", "choice_consistency")]
    values = _slice_values(card, "difficulty")
    return wanted + [_Wanted("accuracy", "accuracy", "difficulty", each, "accuracy_sd") for each in values]


def _choice_layout(card: Scorecard, metrics: set[str]) -> list[_Wanted]:
    wanted = [_Wanted("accuracy", "accuracy")] if "accuracy" in metrics else []
    dimension = next((row.slice for row in card.scores if row.slice is not None), None)
    values = _slice_values(card, dimension) if dimension else []
    places: list[tuple[str | None, str | None]] = [(dimension, each) for each in values] or [(None, None)]
    named = [("CAA", "caa"), ("EM", "exact_match"), ("set F1", "set_f1")]
    for place in places:
        wanted += [_Wanted(label, metric, *place) for label, metric in named if metric in metrics]
    return wanted


def _slice_values(card: Scorecard, dimension: str | None) -> list[str]:
    found = dict.fromkeys(str(row.slice_value) for row in card.scores if row.slice == dimension)
    known = [each for each in found if each.lower() in DIFFICULTY_ORDER]
    ordered = sorted(known, key=lambda each: DIFFICULTY_ORDER.index(each.lower()))
    return ordered + [each for each in found if each not in known]


def _find(rows: Iterable[ScoreRow], wanted: _Wanted, condition: Condition, metric: str) -> ScoreRow | None:
    place = (metric, condition, wanted.dimension, wanted.value)
    return next((row for row in rows if (row.metric, row.condition, row.slice, row.slice_value) == place), None)


def _cell(rows: Sequence[ScoreRow], wanted: _Wanted, condition: Condition) -> Cell:
    row = _find(rows, wanted, condition, wanted.metric)
    if row is None:
        return Cell()
    if wanted.available:
        only = row.available
        whole = Cell() if row.system is not None else Cell(row.value, row.interval, row.n)
        return Cell(only.value, n=only.n) if only else whole
    spread = _find(rows, wanted, condition, wanted.spread) if wanted.spread else None
    return Cell(row.value, row.interval, row.n, spread.value if spread else None)


def _column(card: Scorecard, wanted: _Wanted, condition: Condition) -> Column:
    row = _find(card.scores, wanted, condition, wanted.metric)
    if row is None:
        return Column(wanted.measure, wanted.value or "all")
    n = None if wanted.available else row.n
    return Column(wanted.measure, wanted.value or "all", n, f"{row.metric}/{row.version}", row.note)


def _rates(card: Scorecard, condition: Condition) -> tuple[Cell, Cell]:
    count = whole_counts(card, condition)
    return Cell(count.coverage, n=count.planned), Cell(count.answered, n=count.planned)


def _endings(card: Scorecard, condition: Condition) -> Iterator[str]:
    """`model: 3 unparsed, 1 timeout of 24`; a music field only where it ended otherwise than the whole requests."""
    whole = whole_counts(card, condition).statuses
    for count in (each for each in card.counts if each.condition is condition):
        others = {status: found for status, found in count.statuses.items() if status != Status.OK.value}
        if others and (count.field is None or count.statuses != whole):
            field_name = f", {count.field.replace('_', ' ')}" if count.field else ""
            ended = ", ".join(f"{found} {status.replace('_', ' ')}" for status, found in others.items())
            yield f"{system_name(card)}{field_name}: {ended} of {count.planned}"


def whole_counts(card: Scorecard, condition: Condition) -> Counts:
    """The counts of whole requests under `condition`."""
    return next(count for count in card.counts if count.condition is condition and count.field is None)


def _baseline_rows(card: Scorecard, wanted: Sequence[_Wanted], condition: Condition) -> list[Row]:
    """The baselines; they look at no media, so they are the same under every condition."""
    shown = card.baselines[0].condition if card.baselines else condition
    names = dict.fromkeys(row.system for row in card.baselines)
    return [
        Row(
            name=str(name),
            cells=(
                *(_cell([row for row in card.baselines if row.system == name], each, shown) for each in wanted),
                Cell(),
                Cell(),
            ),
            is_baseline=True,
            kind="baseline",
        )
        for name in names
    ]


def condition_name(condition: Condition, card: Scorecard) -> str:
    """The condition as tables name it: by the paper's label where there is one."""
    if card.benchmark.startswith("musebench") and condition in VIDEO_NAMES:
        as_transcript = condition is Condition.NO_VIDEO and card.audio_route == "transcript"
        return "T+transcript" if as_transcript else VIDEO_NAMES[condition]
    return condition.value.replace("_", " ")


def system_name(card: Scorecard) -> str:
    """The system as tables name it."""
    return f"{card.system} (audio as transcript)" if card.audio_route == "transcript" else card.system


def _mark_best(rows: Sequence[Row]) -> list[Row]:
    """The best of each column, where its interval lies above every other's."""
    marked = [list(row.cells) for row in rows]
    for column in range(len(rows[0].cells) - 2):
        cells = [row.cells[column] for row in rows]
        for position, cell in enumerate(cells):
            others = [other for index, other in enumerate(cells) if index != position]
            if others and all(_above(cell, other) for other in others):
                marked[position][column] = Cell(cell.value, cell.interval, cell.n, cell.spread, best=True)
    return [Row(row.name, tuple(cells), row.is_baseline, row.kind) for row, cells in zip(rows, marked, strict=True)]


def _above(cell: Cell, other: Cell) -> bool:
    return cell.interval is not None and other.interval is not None and cell.interval.low > other.interval.high
