"""Rows of a sheet as rows of a dataset, before their media are made.

The sheet has the dataset's own columns (others are mapped by `columns` in about.yaml). For people who fill in
spreadsheets, musebench's lists may be spread over columns: `correct_1` …, `distractor_1` … and `strategy_1` …. Where
they are lists, the answer names options by text, by the sheet's own id, or by letter (counted as listed);
`correct_answer` may say the same in texts, and strategies are in the order of the wrong options, or {id, strategy}.
A row with faults is a draft too, so that all of them are told at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.links import LINK_NAMES
from musebench_tasks.assembly.schemas import Column, ColumnType, Schema, choice_columns
from musebench_tasks.assembly.sheet import Faults, media_sources, note_unused
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import MediaSource, Option, option_id
from musebench_tasks.base.text import counted, nearest, shown
from musebench_tasks.items import cells, choice
from musebench_tasks.items.tables import Table

Given = Mapping[str, tuple[str, Any]]
"""Our column: the sheet's, and its cell."""
Blame = Callable[..., None]
"""Told of our columns that cannot be read, the sheet's column, and the problems."""
CHOICES = ("options", "answer", "correct_answer", "distractor_strategies")
_GOLD = CHOICES[1:]
STAND_IN = "(the right option is not known)"
"""An option in the place of one that is missing, to which no rule objects."""
_MADE_ID = re.compile(r"[0-9a-f]{8}")


def listed_choices(item_id: str, given: Given, blame: Blame) -> dict[str, Any]:
    """The columns of CHOICES; None where a cell cannot be read."""
    unread: dict[str, Any] = dict.fromkeys(CHOICES)
    column, cell = given["options"]
    try:
        options = cells.options(item_id, cell)
    except InputError as error:
        advice = "Write a list of texts, as JSON."
        blame(CHOICES, column, *(replace(each, advice=f"{each.advice} {advice}".lstrip()) for each in error.problems))
        return unread
    repeated = next((each.text for each in options if [one.text for one in options].count(each.text) > 1), None)
    if repeated is not None:
        blame(CHOICES, column, Problem(f"{shown(repeated)} stands twice.", "Reword one.", "DUPLICATE_OPTIONS"))
        return unread
    _refuse_ids(item_id, options, column, blame)
    right = _right(options, given, blame)
    if right is None:
        return unread | {"options": choice_columns(item_id, tuple(each.text for each in options), {})["options"]}
    wrong = [each for each in options if each.text not in right]
    strategies = _strategies(wrong, *given["distractor_strategies"], blame)
    made = choice_columns(item_id, tuple(right), {each.text: (strategies or {}).get(each.text, "") for each in wrong})
    if strategies is None:
        made["distractor_strategies"] = None
    return made | _told_texts(given["correct_answer"], blame)


def _refuse_ids(item_id: str, options: tuple[Option, ...], column: str, blame: Blame) -> None:
    """Ids must be the sheet's own, or those that this package makes of this very item and text."""
    ids = [each.id for each in options]
    twice = next((each for each in ids if ids.count(each) > 1), None)
    if twice is not None:
        advice = "Give each option its own, or none."
        blame((), column, Problem(f"the id {shown(twice)} stands twice.", advice, "CELL_TYPE"))
    foreign = [each for each in options if _MADE_ID.fullmatch(each.id) and each.id != option_id(item_id, each.text)]
    if foreign:
        found = f"{shown(foreign[0].text)} has the id {foreign[0].id} of another item's option, or was reworded."
        advice = "Leave the ids out: they are made of the texts."
        blame((), column, Problem(found, advice, "STEM_OPTIONS_MISMATCH"))


def _right(options: tuple[Option, ...], given: Given, blame: Blame) -> list[str] | None:
    """The texts of the right options; None where the row names none, or others."""
    name = "answer" if given["answer"][1] is not None else "correct_answer"
    column, cell = given[name]
    if cell is None:
        blame(_GOLD, given["answer"][0], choice.NOTHING_RIGHT)
        return None
    try:
        found = choice.resolve(choice.gold_entries(cell), options, letters=False)
    except InputError as error:
        blame(_GOLD, column, *error.problems)
        return None
    texts = {each.id: each.text for each in options}
    return [texts[each] for each in found]


def _told_texts(given: tuple[str, Any], blame: Blame) -> dict[str, Any]:
    """`correct_answer` as the row has it, which the rules hold against the answer; nothing where it has none."""
    column, cell = given
    if cell is None:
        return {}
    try:
        return {"correct_answer": list(cells.texts(cell))}
    except InputError as error:
        blame({"correct_answer"}, column, *error.problems)
        return {"correct_answer": None}


def _strategies(wrong: list[Option], column: str, cell: Any, blame: Blame) -> dict[str, str] | None:
    """The strategy of each wrong option's text; None where they cannot be read."""
    if cell is None:
        return None
    try:
        entries = cells.listed(cell)
        named = [(each.get("id"), cells.text(each.get("strategy"))) for each in entries if isinstance(each, dict)]
        plain = [cells.text(each) for each in entries if not isinstance(each, dict)]
    except InputError as error:
        blame({"distractor_strategies"}, column, *(replace(each, code="STRATEGY") for each in error.problems))
        return None
    if plain and not named and len(plain) == len(wrong):
        return {each.text: strategy for each, strategy in zip(wrong, plain, strict=True)}
    known = {name: each.text for each in wrong for name in (each.id, each.text)}
    found = {known[name]: strategy for name, strategy in named if name in known}
    if plain or len(named) != len(wrong) or len(found) != len(wrong):
        advice = "Write a list of their strategies, in the order of the options."
        blame({"distractor_strategies"}, column, Problem("does not name each wrong option once.", advice, "STRATEGY"))
        return None
    return found


GROUPS = ("correct", "distractor", "strategy")
LEFT_OPEN = ("start_s", "end_s", "duration_s", "cluster_id", "kind")
"""Columns that a sheet may leave out or empty: they follow from the medium, or from the options."""
RIGHTS = ("license", "attribution")
RIGHTS_MISSING = Problem("is empty.", "Fill it (a column, or once for all rows in about.yaml).", "RIGHTS")
_EMPTY = {"answer": "EMPTY_ANSWER_SET"}
"""The tag of an empty cell, by column."""
_SECONDS = frozenset({"start_s", "end_s", "duration_s"})
_NUMBERED = re.compile(r"(correct|distractor|strategy)_\d+")


class Draft(NamedTuple):
    """A row whose medium is still to be made."""

    position: int
    """In the table."""
    cells: dict[str, Any]
    """By column; without the medium's."""
    source: MediaSource | None
    """None: nobody has the medium here."""
    faulty: frozenset[str] = frozenset()
    """Columns that could not be read, of which that is told already."""


def read_drafts(schema: Schema, table: Table, about: About, faults: Faults, *, links: bool = False) -> list[Draft]:
    """The rows of a sheet with the columns of a dataset; what is wrong with them is added to `faults`."""
    names = _names(schema, table, about)
    medium = names[schema.media_column][0]
    if medium not in table.columns and not links:
        raise InputError(
            f'{table.shown(table.origins[0].file)}: no column "{medium}" with the media'
            f"{nearest(medium, table.columns)}. Add it, or map it under `columns` in about.yaml."
        )
    faults.names = _shown_names(names, table)
    note_unused(table, (each for columns in names.values() for each in columns), faults)
    sources = media_sources(table, medium, faults, may_lack=links)
    made_apart = {schema.media_column, *(CHOICES if schema.dataset == "musebench" else ())}
    drafts = []
    for position, source in enumerate(sources):
        reader = _Reader(table, position, names, faults)
        row = {each.name: reader.cell(each) for each in schema.columns if each.name not in made_apart}
        row = _completed(schema, row | _choices(schema, row, reader), reader, about)
        drafts.append(Draft(position, row, source, frozenset(reader.faulty)))
    return drafts


def _names(schema: Schema, table: Table, about: About) -> dict[str, tuple[str, ...]]:
    """Our column -> the sheet's; numbered ones are gathered under their group."""
    known = [*(column.name for column in schema.columns), *LINK_NAMES]
    groups = GROUPS if schema.dataset == "musebench" else ()
    names: dict[str, tuple[str, ...]] = {name: (name,) for name in known}
    for group in groups:
        numbered = [each for each in table.columns if _NUMBERED.fullmatch(each) and each.startswith(f"{group}_")]
        names[group] = tuple(sorted(numbered, key=lambda each: int(each.rpartition("_")[2]))) or (group,)
    for name, mapped in about.columns.items():
        if name not in names:
            raise InputError(f'about.yaml, columns: "{name}" is no column of {schema.dataset}{nearest(name, names)}.')
        named = (mapped,) if isinstance(mapped, str) else mapped
        missing = [each for each in named if each not in table.columns]
        if missing:
            close = nearest(missing[0], table.columns)
            raise InputError(f'about.yaml, columns.{name}: the sheet has no column "{missing[0]}"{close}.')
        names[name] = named
    return names


def _shown_names(names: dict[str, tuple[str, ...]], table: Table) -> dict[str, tuple[str, ...]]:
    """What people are told of columns: the sheet's that are there, for a list the columns it is spread over."""
    correct, wrong, strategies = (names.get(group, ()) for group in GROUPS)
    spread = {"options": (*correct, *wrong), "answer": correct, "correct_answer": correct}
    known = {**names, **{name: spread[name] for name in spread if names.get(name) == (name,) and spread[name]}}
    if strategies and names.get("distractor_strategies") == ("distractor_strategies",):
        known["distractor_strategies"] = strategies
    there = {name: tuple(each for each in columns if each in table.columns) for name, columns in known.items()}
    return {name: columns for name, columns in there.items() if columns}


class _Reader:
    """Reads the cells of one row of a sheet."""

    def __init__(self, table: Table, position: int, names: dict[str, tuple[str, ...]], faults: Faults) -> None:
        self.row, self.position, self.names, self.faults = table.rows[position], position, names, faults
        self.faulty: set[str] = set()

    def blame(self, columns: Collection[str], named: str, *problems: Problem) -> None:
        """Note what is wrong in the sheet's column `named`, so that `columns` of ours cannot be read."""
        self.faulty.update(columns)
        self.faults.add(self.position, named, *problems)

    def cell(self, column: Column) -> Any:
        """The value of a column that is no medium; None where it is empty or wrong."""
        (name,) = self.names[column.name][:1]
        value = self.row.get(name)
        if value is None or (value == "" and not column.nullable):
            return None
        try:
            return _READERS[column.type](value) if column.name not in _SECONDS else cells.seconds(value)
        except InputError as error:
            self.blame({column.name}, name, *error.problems)
            return None

    def group(self, name: str) -> list[tuple[str, Any]]:
        """The cells of a group with the columns they stand in; a list in one cell is taken apart."""
        found: list[tuple[str, Any]] = []
        for column in self.names.get(name, ()):
            value = self.row.get(column)
            if value in (None, "", []):
                continue
            try:
                parts = self._entries(name, value)
            except InputError as error:
                self.blame(CHOICES, column, *error.problems)
                continue
            found += [(column, part) for part in parts]
        return found

    def _entries(self, group: str, value: Any) -> tuple[str, ...]:
        """A cell of a group: a list where the group has one column, else one entry. One right text needs no list."""
        if len(self.names[group]) > 1:
            return (cells.one_text(value),)
        return cells.texts(value) if group == "correct" else cells.text_list(value)

    def given(self, column: str) -> tuple[str, Any]:
        """What the sheet calls a column, and its cell."""
        (name,) = self.names[column][:1]
        value = self.row.get(name)
        return name, None if value in ("", []) else value


def _completed(schema: Schema, row: dict[str, Any], reader: _Reader, about: About) -> dict[str, Any]:
    """A row with what stands in about.yaml; a fault for what is still empty."""
    defaults: dict[str, Any] = {
        "license": about.license,
        "attribution": "; ".join(about.creators) or None,
        "version": about.version or "1.0",
        "multi_valued": [],
    }
    for name, value in defaults.items():
        if name in row and row[name] is None:
            row[name] = value
    for column in schema.columns:
        name = column.name
        open_here = column.nullable or name in LEFT_OPEN or name in reader.faulty
        if name in row and row[name] is None and not open_here:
            if name in RIGHTS:
                reader.blame({name}, reader.names[name][0], RIGHTS_MISSING)
            else:
                reader.blame({name}, reader.names[name][0], cells.EMPTY.at(code=_EMPTY.get(name, "CELL_MISSING")))
    return row


def _choices(schema: Schema, row: Mapping[str, Any], reader: _Reader) -> dict[str, Any]:
    """Options, gold and kind of a musebench row: out of columns that they are spread over, or of lists."""
    if schema.dataset != "musebench":
        return {}
    if reader.given("options")[1] is None:
        made = _spread(row["id"], reader)
    else:
        made = listed_choices(row["id"] or "", {name: reader.given(name) for name in CHOICES}, reader.blame)
    right = made.get("answer") or ()
    return made | {"kind": row["kind"] or ("multi" if len(right) > 1 else "single")}


def _spread(item_id: str | None, reader: _Reader) -> dict[str, Any]:
    """Options and gold of a musebench row that is spread over columns."""
    correct, wrong, strategies = (reader.group(name) for name in GROUPS)
    texts = [text for _, text in (*correct, *wrong)]
    for column, text in (*correct, *wrong):
        if texts.count(text) > 1:
            reader.blame(CHOICES, column, Problem(f"{shown(text)} stands twice.", "Reword one.", "DUPLICATE_OPTIONS"))
            return dict.fromkeys(CHOICES)
    rights = [text for _, text in correct]
    if not rights:
        nothing = Problem("is empty: no option is right.", "Fill it.", "EMPTY_ANSWER_SET")
        reader.blame((), reader.names["correct"][0], nothing)
        rights = [STAND_IN]
    if len(strategies) != len(wrong):
        column = reader.names["strategy"][0]
        told = counted(len(strategies), "strategy", "strategies")
        found = f"{told} for {counted(len(wrong), 'wrong option')}."
        reader.blame({"distractor_strategies"}, column, Problem(found, "Give one for each.", "STRATEGY"))
        strategies = [(column, "")] * len(wrong)
    named = {text: strategy for (_, text), (_, strategy) in zip(wrong, strategies, strict=True)}
    return choice_columns(item_id or "", tuple(rights), named)


def _texts(value: Any) -> list[str]:
    return list(cells.texts(value))


def _numbers(value: Any) -> list[float]:
    return [cells.number(each) for each in cells.listed(value)]


def _objects(value: Any) -> list[dict[str, Any]]:
    return list(_each_object(cells.listed(value)))


def _each_object(values: list[Any]) -> Iterator[dict[str, Any]]:
    for each in values:
        if not isinstance(each, dict):
            raise InputError(f"should be a list of {{start_s, end_s, label}}, found {shown(each)} in it.")
        yield each


_READERS: dict[ColumnType, Callable[[Any], Any]] = {
    ColumnType.STRING: lambda value: value if value == "" else cells.text(value),
    ColumnType.FLOAT: cells.number,
    ColumnType.STRINGS: _texts,
    ColumnType.FLOATS: _numbers,
    ColumnType.SEGMENTS: _objects,
}
