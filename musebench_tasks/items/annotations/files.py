"""From one file, or a folder of them, to everything that is found in them.

What a file holds follows from, in this order: its suffix (.jams .json .jsonl), the field that its name or a folder
names (`folders.py`), the head line of a table; else .lab and longer .txt hold segments and one line of .txt is the key,
time signature or number that it reads as, or MIREX' `slower faster weight` of two tempi.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.answers.tempo_text import SLOWEST_BPM
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.items.annotations import jams
from musebench_tasks.items.annotations.file_kinds import (
    JSON_SUFFIXES,
    SHOWN_SUFFIXES,
    TABLE_SUFFIXES,
    annotation_files,
    field_of_file,
    recording_of,
)
from musebench_tasks.items.annotations.json_values import parsed, read_given, read_json, read_json_lines
from musebench_tasks.items.annotations.raw_values import (
    FilePlace,
    RawValue,
    is_time,
    metre_in,
    number_in,
    stated,
    stronger_tempo,
    tempo_in,
)
from musebench_tasks.items.annotations.segment_rows import hundredths_in_seconds, read_rows
from musebench_tasks.items.annotations.tables import read_table, segments_of
from musebench_tasks.items.annotations.text import CellLine, cells_of, text_of, words_of
from musebench_tasks.items.annotations.values import canonical, commonest, is_same_value, key_parts, part_of
from musebench_tasks.values import parse_key_name, read_fraction

_RWC_CHORUS = re.compile(r"RM-[A-Z]\d+\.CHORUS\.TXT", re.IGNORECASE)
"""Files of the RWC music database, which counts hundredths of a second."""


TOO_LARGE = Problem("holds numbers that are too large.", "Correct them.")
TWO_VALUES = "FIELD_TWICE"
"""Code of the problem that a field of a recording stands in two places with different values."""


class RawAnnotations(NamedTuple):
    """What one side's files hold."""

    found: dict[str, dict[str, RawValue]]
    """By recording and field, recordings in the order of files."""
    problems: list[Problem]
    passed_over: dict[str, int]
    """Suffixes of files of other kinds, and how many there are."""
    is_one_unnamed: bool = False
    """One file of one recording, named by the file alone."""


def read_raw(path: Path) -> RawAnnotations:
    """Everything in a file or folder; InputError where there is none of it."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder.")
    files, passed_over = annotation_files(path)
    if not files:
        others = f"; found only {', '.join(sorted(passed_over))}" if passed_over else ""
        raise InputError(f"{path}: holds no annotations{others}. Known: {SHOWN_SUFFIXES}.")
    entries: list[RawValue | Problem] = []
    for file in files:
        entries += read_file(file, path)
    gathered = _merged(entries, passed_over)
    alone = path.is_file() and set(gathered.found) == {recording_of(path, path)}
    return gathered._replace(is_one_unnamed=alone)


def values_at_hand(values: Mapping[str, Any] | Sequence[Any], what: str) -> RawAnnotations:
    """Everything in values at hand: mappings with an id, or a map from ids to mappings."""
    return _merged(list(read_given(values, what)), {})


def read_file(file: Path, root: Path, named: str | None = None, field: str | None = None) -> list[RawValue | Problem]:
    """Everything in one file; what it cannot read is a problem, never an exception.

    `named` and `field`: the recording and the field where something else than the file's name tells them.
    """
    place = FilePlace(shown_file(file, root), recording_of(file, root) if named is None else named)
    field = field_of_file(file, root) if field is None else field
    entries: list[RawValue | Problem] = []
    try:
        for entry in _read(file, place, field):
            entries.append(entry)
    except InputError as error:
        entries += place.problems(error, field or "")
    except ArithmeticError:
        entries.append(place.put(TOO_LARGE, field or ""))
    return entries


def shown_file(file: Path, root: Path) -> str:
    """A file as messages name it."""
    return str(file) if file == root else str(Path(root.name) / file.relative_to(root))


def _read(file: Path, place: FilePlace, field: str | None) -> Iterator[RawValue | Problem]:
    suffix, text = file.suffix.lower(), text_of(file)
    if suffix == ".jams":
        yield from jams.read_jams(parsed(text), place)
    elif suffix == ".json":
        yield from read_json(text, place)
    elif suffix in JSON_SUFFIXES:
        yield from read_json_lines(text, place.file)
    elif suffix in TABLE_SUFFIXES:
        yield from _table(text, place, field)
    else:
        lines = hundredths_in_seconds(words_of(text)) if _RWC_CHORUS.fullmatch(file.name) else words_of(text)
        yield from _text(lines, place, field or ("segments" if suffix == ".lab" else None))


def _table(text: str, place: FilePlace, field: str | None) -> Iterator[RawValue | Problem]:
    lines = cells_of(text)
    first = lines[0].cells
    if field in _VALUES and (is_time(first[0]) or (len(lines) == 1 and len(first) == 1)):
        yield from _VALUES[field](lines, place)
    else:
        yield from read_table(text, place)


def _text(lines: list[CellLine], place: FilePlace, field: str | None) -> Iterator[RawValue | Problem]:
    if not lines:
        raise InputError("holds comments only. Fill it, or remove it.")
    field = field or ("segments" if len(lines) > 1 else _field_of_line(lines[0]))
    if field == "segments":
        yield from segments_of(lines, place)
    else:
        yield from _VALUES[field](lines, place)


def _field_of_line(line: CellLine) -> str:
    """What the only line of a file says that has no other mark of its field."""
    text = " ".join(line.cells)
    if parse_key_name(text) is not None:
        return "key"
    if read_fraction(text) is not None:
        return "time_signature"
    if is_time(tempo_in(text)):
        return "tempo"
    if len(line.cells) > 1 and is_time(line.cells[0]) and is_time(line.cells[1]):
        return "tempo" if _is_pair_of_tempi(line) else "segments"
    found = f'holds "{text[:60]}", which is no tempo, key, time signature or segment.'
    raise InputError(Problem(found, "Correct it, or name the field in the file's name (r1.key.txt)."))


def _is_pair_of_tempi(line: CellLine) -> bool:
    """Whether the only line of a file, which may be a segment as well, is MIREX' `slower faster weight`."""
    slower, faster = (number_in(cell) for cell in line.cells[:2])
    is_sensible = not isinstance(slower, str) and not isinstance(faster, str) and SLOWEST_BPM <= slower <= faster
    return is_sensible and stronger_tempo(line.cells) is not None


def _tempo(lines: list[CellLine], place: FilePlace) -> Iterator[RawValue | Problem]:
    """One tempo, two and the weight of the first, of which the stronger counts, or rows `start end tempo`."""
    if _are_rows(lines):
        yield from _changing(lines, place, "tempo")
        return
    text = _only(lines, "one number of beats per minute")
    place, stronger = place._replace(row=lines[0].number), stronger_tempo(lines[0].cells)
    if stronger is not None:
        yield place.value("tempo", stronger, several=True)
    elif len(lines[0].cells) > 1 and all(map(is_time, lines[0].cells)):
        found = f'should be one tempo, or "slower faster weight" with a weight from 0 to 1, found "{text[:60]}".'
        yield place.problem(found, "Correct it.", "tempo")
    else:
        yield place.value("tempo", None if stated(text) is None else tempo_in(text))


def _key(lines: list[CellLine], place: FilePlace) -> Iterator[RawValue | Problem]:
    """One key, or rows `start end key`, of which the commonest counts."""
    if len(lines) == 1 and not (len(lines[0].cells) > 1 and is_time(lines[0].cells[0])):
        yield place._replace(row=lines[0].number).value("key", stated(" ".join(lines[0].cells)))
        return
    rows = read_rows([line._replace(cells=[*line.cells[:2], " ".join(line.cells[2:])]) for line in lines])
    yield from (place.put(each, "key") for each in rows.problems)
    if not rows.problems:
        value, several = commonest(key_parts(rows.segments))
        yield place.value("key", value, several=several)


def _time_signature(lines: list[CellLine], place: FilePlace) -> Iterator[RawValue | Problem]:
    """One time signature, or rows `start end time signature`."""
    if _are_rows(lines):
        yield from _changing(lines, place, "time_signature")
        return
    metre = stated(metre_in(_only(lines, "one time signature")))
    yield place._replace(row=lines[0].number).value("time_signature", metre)


def _are_rows(lines: list[CellLine]) -> bool:
    """Whether several lines all begin with two times and say something behind them."""
    return len(lines) > 1 and all(len(line.cells) > 2 and all(map(is_time, line.cells[:2])) for line in lines)


def _changing(lines: list[CellLine], place: FilePlace, field: str) -> Iterator[RawValue | Problem]:
    """Values that hold from one time to another, of which the commonest counts."""
    rows = read_rows(lines)
    parts = []
    for (start, end, text), number in zip(rows.segments, rows.lines, strict=True):
        try:
            parts.append(part_of(canonical(field, text), start, end))
        except InputError as error:
            yield from place._replace(row=number).problems(error, field)
    if len(parts) == len(rows.segments):
        value, several = commonest(parts)
        yield place.value(field, value, several=several)


def _only(lines: list[CellLine], wanted: str) -> str:
    text = " ".join(lines[0].cells)
    if len(lines) > 1:
        raise InputError(f"has {len(lines)} lines where {wanted} should be. Keep one.")
    return text


_VALUES: Mapping[str | None, Callable[[list[CellLine], FilePlace], Iterator[RawValue | Problem]]] = {
    "tempo": _tempo,
    "key": _key,
    "time_signature": _time_signature,
}


def _merged(entries: list[RawValue | Problem], passed_over: dict[str, int]) -> RawAnnotations:
    """By recording and field; a field found twice with two values is a problem that names both places."""
    found: dict[str, dict[str, RawValue]] = {}
    problems: list[Problem] = []
    for entry in entries:
        if isinstance(entry, Problem):
            found |= {name: {} for name in entry.items if name not in found}
            problems.append(entry)
            continue
        found.setdefault(entry.id, {})
        first = found[entry.id].setdefault(entry.field, entry)
        if first is entry or is_same_value(entry.field, first.value, entry.value):
            continue
        place = FilePlace(entry.file, entry.id, entry.row)
        another = Problem(f'of "{entry.id}" has another value in {first.place}.', "Keep one of the two.", TWO_VALUES)
        problems.append(place.put(another, entry.field))
    return RawAnnotations(found, problems, passed_over)
