"""From one file, or a folder of them, to everything that is found in them.

The recording of a file is its name without the suffixes of annotations, fields and audio: `r1.segments.lab`, `r1.key`,
`tempo/r1.txt` and `r1.wav.json` are all of `r1`; folders on the way do not count. What a file holds follows from, in
this order: its suffix (.jams .json .jsonl .bpm .key .tempo .metre), a field in its name (`r1.key.lab`), a field in a
folder's name (`keys/r1.txt`, the nearest first), the head line of a table; else .lab and longer .txt hold segments and
one line of .txt is the key, time signature or number that it reads as, or MIREX' `slower faster weight` of two tempi.
Hidden files and other kinds (beats, chords, audio) are passed over. Links to folders are followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.answers.tempo_text import SLOWEST_BPM
from musebench_tasks.errors import InputError
from musebench_tasks.items.annotations import jams
from musebench_tasks.items.annotations.found import (
    AUDIO_SUFFIXES,
    Fault,
    Found,
    UnreadableError,
    is_time,
    number_in,
    stated,
    stronger_tempo,
    tempo_in,
)
from musebench_tasks.items.annotations.json_values import parsed, read_given, read_json, read_json_lines
from musebench_tasks.items.annotations.segment_rows import read_rows
from musebench_tasks.items.annotations.tables import read_table, segments_of
from musebench_tasks.items.annotations.text import Line, cells_of, text_of, words_of
from musebench_tasks.items.annotations.values import commonest, key_parts
from musebench_tasks.values import parse_key_name, read_fraction

FIELD_WORDS = {
    "tempo": ("tempo", "tempos", "tempi", "bpm"),
    "key": ("key", "keys", "keylab"),
    "time_signature": ("time_signature", "time_signatures", "timesig", "metre", "meter"),
    "segments": (
        *("segments", "segment", "segmentation", "segmentations", "seg", "seglab"),
        *("sections", "section", "structure", "boundaries"),
    ),
}
"""Suffixes of files and names of folders that say what lies there."""
OTHER_WORDS = frozenset(
    {
        *("beat", "beats", "beatlab", "downbeat", "downbeats", "onset", "onsets", "chord", "chords", "chordlab"),
        *("melody", "f0", "lyrics", "notes", "note", "tags", "tapped"),
    }
)
"""The same of annotations that are not scored here: such files are passed over."""
_FIELD_OF = {word: field for field, words in FIELD_WORDS.items() for word in words}
TEXT_SUFFIXES = frozenset({".lab", ".txt", *(f".{word}" for word in _FIELD_OF)})
TABLE_SUFFIXES = frozenset({".csv", ".tsv"})
JSON_SUFFIXES = frozenset({".jams", ".json", ".jsonl", ".ndjson"})
SHOWN_SUFFIXES = ".jams .json .jsonl .csv .tsv .lab .txt .bpm .key .metre"
"""Of the known suffixes those that say what is read here; the others are their synonyms."""
KNOWN_SUFFIXES = TEXT_SUFFIXES | TABLE_SUFFIXES | JSON_SUFFIXES
ABOUT_A_FOLDER = frozenset({"readme", "license", "licence", "changelog", "notes", "citation", "requirements"})
_SALAMI = re.compile(r"textfile(?P<annotator>[12])_(?P<kind>functions|uppercase|lowercase)\.txt", re.IGNORECASE)
_SALAMI_KINDS = ("functions", "uppercase", "lowercase")


class Gathered(NamedTuple):
    """What one side's files hold."""

    found: dict[str, dict[str, Found]]
    """By recording and field, recordings in the order of files."""
    faults: list[Fault]
    passed_over: dict[str, int]
    """Suffixes of files of other kinds, and how many there are."""
    is_one_unnamed: bool = False
    """One file of one recording, named by the file alone."""


def gather(path: Path) -> Gathered:
    """Everything in a file or folder; InputError where there is none of it."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder.")
    files, passed_over = annotation_files(path)
    if not files:
        others = f"; found only {', '.join(sorted(passed_over))}" if passed_over else ""
        raise InputError(f"{path}: holds no annotations{others}. Known: {SHOWN_SUFFIXES}.")
    entries: list[Found | Fault] = []
    for file in files:
        entries += read_file(file, path)
    gathered = _merged(entries, passed_over)
    alone = path.is_file() and set(gathered.found) == {recording_of(path, path)}
    return gathered._replace(is_one_unnamed=alone)


def gather_given(values: Mapping[str, Any] | Sequence[Any], what: str) -> Gathered:
    """Everything in values at hand: mappings with an id, or a map from ids to mappings."""
    return _merged(list(read_given(values, what)), {})


def read_file(file: Path, root: Path, named: str | None = None, field: str | None = None) -> list[Found | Fault]:
    """Everything in one file; what it cannot read is a fault, never an exception.

    `named` and `field`: the recording and the field where something else than the file's name tells them.
    """
    shown = str(file) if file == root else str(Path(root.name) / file.relative_to(root))
    named = recording_of(file, root) if named is None else named
    field = field_of_file(file, root) if field is None else field
    entries: list[Found | Fault] = []
    try:
        for entry in _read(file, shown, named, field):
            entries.append(entry)
    except UnreadableError as problem:
        entries.append(Fault(named, field, shown, str(problem)))
    except ArithmeticError:
        entries.append(Fault(named, field, shown, "holds numbers that are too large. Correct them."))
    return entries


def recording_of(file: Path, root: Path) -> str:
    """The recording that a file's name names."""
    if _is_salami(file) and file != root:
        return file.parent.parent.name if file.parent.name == "parsed" else file.parent.name
    return _split(file)[0]


def field_of_file(file: Path, root: Path) -> str | None:
    """The field that a file's suffixes, or else the folders below `root` and `root` itself, name; None for none."""
    word = next((word for word in _marks(file, root) if word not in OTHER_WORDS), None)
    return None if word is None else _FIELD_OF[word]


def _is_of_another_kind(file: Path, root: Path) -> bool:
    """Whether the nearest mark of a text file or table says that it holds beats, chords or the like."""
    return file.suffix.lower() not in JSON_SUFFIXES and next(_marks(file, root), "") in OTHER_WORDS


def _split(file: Path) -> tuple[str, list[str]]:
    """A file's name without the suffixes that are known, and those, the last first."""
    name = file.name
    suffixes: list[str] = []
    while True:
        suffix = Path(name).suffix.lower()
        is_known = suffix in KNOWN_SUFFIXES | AUDIO_SUFFIXES or suffix.lstrip(".") in OTHER_WORDS
        if not Path(name).stem or not is_known:
            return name, suffixes
        name = Path(name).stem
        suffixes.append(suffix.lstrip("."))


def _marks(file: Path, root: Path) -> Iterator[str]:
    """Words for fields and other kinds in a file's suffixes and its folders' names, the nearest first."""
    yield from filter(_is_mark, _split(file)[1])
    folders = [] if file == root else [*reversed(file.relative_to(root).parent.parts), root.name]
    for folder in folders:
        bare = folder.casefold().replace("-", "_")
        words = [bare] if bare in _FIELD_OF else [word for word in re.split(r"[^a-z0-9]+", bare) if _is_mark(word)]
        if len({_FIELD_OF.get(word, "") for word in words}) == 1:
            yield words[0]


def _is_mark(word: str) -> bool:
    return word in _FIELD_OF or word in OTHER_WORDS


def annotation_files(path: Path) -> tuple[list[Path], dict[str, int]]:
    """Annotation files by name, and the suffixes of the others."""
    if path.is_file():
        return [path], {}
    files: list[Path] = []
    passed_over: dict[str, int] = {}
    for file in sorted(_everything(path)):
        if file.stem.casefold() in ABOUT_A_FOLDER:
            continue
        is_there = file.is_file()
        if is_there and file.suffix.lower() in KNOWN_SUFFIXES and not _is_of_another_kind(file, path):
            files.append(file)
        elif not is_there or file.suffix.lower() not in AUDIO_SUFFIXES:
            name = _kind_of(file, path) if is_there else "broken link"
            passed_over[name] = passed_over.get(name, 0) + 1
    return _one_reading_of_salami(files), passed_over


def _everything(root: Path) -> Iterator[Path]:
    """Files below a folder that are not hidden, also through links, but no folder twice."""
    top = root.resolve()
    walked = {top}
    for folder, inner, names in os.walk(root, followlinks=True):
        kept = []
        for name in sorted(inner):
            inside = Path(folder, name)
            target = inside.resolve()
            # A link to what lies in the folder anyway leads in a circle, or to files that are read where they lie.
            is_read_there = target in walked or top.is_relative_to(target)
            is_read_there = is_read_there or (inside.is_symlink() and target.is_relative_to(top))
            if not _is_hidden(name) and not is_read_there:
                walked.add(target)
                kept.append(name)
        inner[:] = kept
        yield from (Path(folder, name) for name in names if not _is_hidden(name))


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "__MACOSX"))


def _kind_of(file: Path, root: Path) -> str:
    """What a file that is passed over is called: its suffix, and what other than a field it holds."""
    suffix = file.suffix.lower() or file.name
    if file.suffix.lower() not in KNOWN_SUFFIXES:
        return suffix
    return f"{next(_marks(file, root))} ({suffix})"


def _is_salami(file: Path) -> bool:
    return _SALAMI.fullmatch(file.name) is not None


def _one_reading_of_salami(files: list[Path]) -> list[Path]:
    """Of a SALAMI recording's files the functions of the first annotator, or the next best that is there."""
    best: dict[Path, Path] = {}
    for file in filter(_is_salami, files):
        first = best.setdefault(file.parent, file)
        best[file.parent] = min(first, file, key=_salami_rank)
    return [file for file in files if not _is_salami(file) or best[file.parent] == file]


def _salami_rank(file: Path) -> tuple[int, str]:
    match = _SALAMI.fullmatch(file.name)
    return (_SALAMI_KINDS.index(match["kind"].lower()), match["annotator"]) if match else (len(_SALAMI_KINDS), "")


def _read(file: Path, shown: str, named: str, field: str | None) -> Iterator[Found | Fault]:
    suffix, text = file.suffix.lower(), text_of(file)
    if suffix == ".jams":
        yield from jams.read_jams(parsed(text), shown, named)
    elif suffix == ".json":
        yield from read_json(text, shown, named)
    elif suffix in JSON_SUFFIXES:
        yield from read_json_lines(text, shown)
    elif suffix in TABLE_SUFFIXES:
        yield from _table(text, shown, named, field)
    else:
        yield from _text(words_of(text), shown, named, field or ("segments" if suffix == ".lab" else None))


def _table(text: str, shown: str, named: str, field: str | None) -> Iterator[Found | Fault]:
    lines = cells_of(text)
    first = lines[0].cells
    if field in _VALUES and (is_time(first[0]) or (len(lines) == 1 and len(first) == 1)):
        yield from _VALUES[field](lines, shown, named)
    else:
        yield from read_table(text, shown, named)


def _text(lines: list[Line], shown: str, named: str, field: str | None) -> Iterator[Found | Fault]:
    if not lines:
        raise UnreadableError("holds comments only. Fill it, or remove it.")
    field = field or ("segments" if len(lines) > 1 else _field_of_line(lines[0]))
    if field == "segments":
        yield from segments_of(lines, shown, named)
    else:
        yield from _VALUES[field](lines, shown, named)


def _field_of_line(line: Line) -> str:
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
    raise UnreadableError(
        f'holds "{text[:60]}", which is no tempo, key, time signature or segment. Correct it, or name the field in the '
        "file's name (r1.key.txt)."
    )


def _is_pair_of_tempi(line: Line) -> bool:
    """Whether the only line of a file, which may be a segment as well, is MIREX' `slower faster weight`."""
    slower, faster = (number_in(cell) for cell in line.cells[:2])
    is_sensible = not isinstance(slower, str) and not isinstance(faster, str) and SLOWEST_BPM <= slower <= faster
    return is_sensible and stronger_tempo(line.cells) is not None


def _tempo(lines: list[Line], shown: str, named: str) -> Iterator[Found | Fault]:
    """One tempo, or two and the weight of the first, of which the stronger counts."""
    text = _only(lines, "one number of beats per minute")
    number, stronger = lines[0].number, stronger_tempo(lines[0].cells)
    if stronger is not None:
        yield Found(named, "tempo", stronger, shown, number, several=True)
    elif len(lines[0].cells) > 1 and all(map(is_time, lines[0].cells)):
        message = f'should be one tempo, or "slower faster weight" with a weight from 0 to 1, found "{text[:60]}".'
        yield Fault(named, "tempo", f"{shown} row {number}", f"{message} Correct it.")
    else:
        yield Found(named, "tempo", _stated_tempo(text), shown, number)


def _stated_tempo(text: str) -> str | None:
    return None if stated(text) is None else tempo_in(text)


def _key(lines: list[Line], shown: str, named: str) -> Iterator[Found | Fault]:
    """One key, or rows `start end key`, of which the commonest counts."""
    if len(lines) == 1 and not (len(lines[0].cells) > 1 and is_time(lines[0].cells[0])):
        yield Found(named, "key", stated(" ".join(lines[0].cells)), shown, lines[0].number)
        return
    rows = read_rows([line._replace(cells=[*line.cells[:2], " ".join(line.cells[2:])]) for line in lines])
    for number, message in rows.faults:
        yield Fault(named, "key", f"{shown} row {number}", message)
    if not rows.faults:
        value, several = commonest(key_parts(rows.segments))
        yield Found(named, "key", value, shown, several=several)


def _time_signature(lines: list[Line], shown: str, named: str) -> Iterator[Found | Fault]:
    yield Found(named, "time_signature", stated(_only(lines, "one time signature")), shown, lines[0].number)


def _only(lines: list[Line], wanted: str) -> str:
    text = " ".join(lines[0].cells)
    if len(lines) > 1:
        raise UnreadableError(f"has {len(lines)} lines where {wanted} should be. Keep one.")
    return text


_VALUES: Mapping[str | None, Callable[[list[Line], str, str], Iterator[Found | Fault]]] = {
    "tempo": _tempo,
    "key": _key,
    "time_signature": _time_signature,
}


def _merged(entries: list[Found | Fault], passed_over: dict[str, int]) -> Gathered:
    """By recording and field; a field found twice is a fault that names both places."""
    found: dict[str, dict[str, Found]] = {}
    faults: list[Fault] = []
    for entry in entries:
        if entry.id is not None:
            found.setdefault(entry.id, {})
        if isinstance(entry, Fault):
            faults.append(entry)
            continue
        first = found[entry.id].setdefault(entry.field, entry)
        if first is entry or (entry.field in ("duration_s", "cluster_id") and first.value == entry.value):
            continue
        message = f'of "{entry.id}" stands in {first.place} already. Keep one of the two.'
        faults.append(Fault(entry.id, entry.field, entry.place, message, is_double=True))
    return Gathered(found, faults, passed_over)
