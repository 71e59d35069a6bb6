"""Which files of a folder hold annotations, and what their names say: whose they are, and of which field.

The recording of a file is its name without the suffixes of annotations, fields and audio: `r1.segments.lab`, `r1.key`,
`tempo/r1.txt` and `r1.wav.json` are all of `r1`; folders on the way do not count. Its field is named by a suffix
(`r1.key.lab`), else by a folder (`keys/r1.txt`), the nearest first. Hidden files and other kinds (beats, chords, audio)
are passed over. Links to folders are followed.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from musebench_tasks.items.annotations.raw_values import AUDIO_SUFFIXES

FIELD_WORDS = {
    "tempo": ("tempo", "tempos", "tempi", "bpm", "mirex"),
    "key": ("key", "keys", "keylab"),
    "time_signature": ("time_signature", "time_signatures", "timesig", "metre", "meter"),
    "segments": (
        *("segments", "segment", "segmentation", "segmentations", "seg", "seglab"),
        *("sections", "section", "structure", "boundaries", "chorus"),
    ),
}
"""Suffixes of files and names of folders that say what lies there."""
OTHER_WORDS = frozenset(
    {
        *("beat", "beats", "beatlab", "downbeat", "downbeats", "onset", "onsets", "chord", "chords", "chordlab"),
        *("melody", "f0", "lyrics", "notes", "note", "tags", "tapped", "voca_inst", "salami_chords"),
    }
)
"""The same of annotations that are not scored here: such files are passed over."""
FIELD_OF = {word: field for field, words in FIELD_WORDS.items() for word in words}
TEXT_SUFFIXES = frozenset({".lab", ".txt", *(f".{word}" for word in FIELD_OF)})
TABLE_SUFFIXES = frozenset({".csv", ".tsv"})
JSON_SUFFIXES = frozenset({".jams", ".json", ".jsonl", ".ndjson"})
SHOWN_SUFFIXES = ".jams .json .jsonl .csv .tsv .lab .txt .bpm .key .metre"
"""Of the known suffixes those that say what is read here; the others are their synonyms."""
KNOWN_SUFFIXES = TEXT_SUFFIXES | TABLE_SUFFIXES | JSON_SUFFIXES
ABOUT_A_FOLDER = frozenset({"readme", "license", "licence", "changelog", "notes", "citation", "requirements"})
SALAMI_LEVELS = ("functions", "uppercase", "lowercase")
"""What SALAMI calls one annotator's readings of a recording, of which the first that is there counts."""
_SALAMI = re.compile(rf"textfile(?P<annotator>[12])_(?P<level>{'|'.join(SALAMI_LEVELS)})\.txt", re.IGNORECASE)
_UNPARSED = re.compile(r"(?:textfile[12](?:-\w+)?|salami_chords)\.txt", re.IGNORECASE)
"""SALAMI's and Billboard's files of everything at once: their parsed files say the same field by field."""


def recording_of(file: Path, root: Path) -> str:
    """The recording that a file's name names."""
    if _is_salami(file) and file != root:
        return file.parent.parent.name if file.parent.name == "parsed" else file.parent.name
    return _split(file)[0]


def field_of_file(file: Path, root: Path) -> str | None:
    """The field that a file's suffixes, or else the folders below `root` and `root` itself, name; None for none."""
    word = next((word for word in _marks(file, root) if word not in OTHER_WORDS), None)
    return None if word is None else FIELD_OF[word]


def salami_annotator(file: Path) -> str:
    """Which of SALAMI's annotators a file's name names; empty for other files."""
    match = _SALAMI.fullmatch(file.name)
    return match["annotator"] if match else ""


def _is_of_another_kind(file: Path, root: Path) -> bool:
    """Whether a text file or table holds beats, chords or the like: its name says so, or its nearest mark."""
    if _UNPARSED.fullmatch(file.name):
        return True
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
        words = [bare] if bare in FIELD_OF else [word for word in re.split(r"[^a-z0-9]+", bare) if _is_mark(word)]
        if len({FIELD_OF.get(word, "") for word in words}) == 1:
            yield words[0]


def _is_mark(word: str) -> bool:
    return word in FIELD_OF or word in OTHER_WORDS


def annotation_files(path: Path) -> tuple[list[Path], Counter[str]]:
    """Annotation files by name, and how many others there are by what they are called.

    Of a SALAMI recording's files the best reading of the first annotator is taken.
    """
    files, passed_over = every_annotation_file(path)
    return best_readings(files, passed_over), passed_over


def every_annotation_file(path: Path) -> tuple[list[Path], Counter[str]]:
    """`annotation_files` with all that SALAMI holds of a recording."""
    if path.is_file():
        return [path], Counter()
    files: list[Path] = []
    passed_over: Counter[str] = Counter()
    for file in sorted(_everything(path)):
        if file.stem.casefold() in ABOUT_A_FOLDER:
            continue
        is_there = file.is_file()
        if is_there and file.suffix.lower() in KNOWN_SUFFIXES and not _is_of_another_kind(file, path):
            files.append(file)
        elif not is_there or file.suffix.lower() not in AUDIO_SUFFIXES:
            passed_over[_kind_of(file, path) if is_there else "broken link"] += 1
    return files, passed_over


def best_readings(
    files: Iterable[Path], passed_over: Counter[str], *, each_annotator: bool = False, read: Iterable[Path] = ()
) -> list[Path]:
    """Files without SALAMI's readings of a recording beside which a better one lies, or one that was `read`.

    `each_annotator`: one of each is kept, not one alone. What goes is counted in `passed_over`.
    """

    def group(file: Path) -> tuple[Path, str]:
        return (file.parent, salami_annotator(file) if each_annotator else "")

    best: dict[tuple[Path, str], Path | None] = {group(file): None for file in read if _is_salami(file)}
    kept = []
    for file in sorted(files, key=_reading_rank):
        if not _is_salami(file) or best.setdefault(group(file), file) == file:
            kept.append(file)
        else:
            passed_over[f"{_level_of(file)} (.txt)"] += 1
    return sorted(kept)


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
    kind = file.stem if _UNPARSED.fullmatch(file.name) else next(_marks(file, root))
    return f"{kind} ({suffix})"


def _is_salami(file: Path) -> bool:
    return _SALAMI.fullmatch(file.name) is not None


def _reading_rank(file: Path) -> tuple[int, str]:
    """Functions before letters, and the first annotator before the second."""
    return (SALAMI_LEVELS.index(_level_of(file)), salami_annotator(file)) if _is_salami(file) else (0, "")


def _level_of(file: Path) -> str:
    return file.stem.lower().rpartition("_")[2]
