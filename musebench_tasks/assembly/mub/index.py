"""Indexes as mirdata writes them: `{"version": …, "tracks": {ID: {"audio": [PATH, MD5], "sections": [PATH, MD5], …}}}`.

The name of an entry says what its file holds: a field (sections, keys, tempo), `jams` or `annotation` for whatever the
file says itself, `audio` for sound; `annotator_1_sections` names the annotator too, `annotation_v2` the version. Beats,
chords, lyrics and the like are passed over. Paths are relative to the archive or to the folder of the index; checksums
are MD5 and must be right.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.assembly.mub.assertions import AnnotationSubmission, Archive
from musebench_tasks.assembly.mub.file_names import file_inside, version_of
from musebench_tasks.assembly.mub.files import read_any, read_plain
from musebench_tasks.assembly.mub.rows import ArchiveRow, add_facts
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import shown as quoted
from musebench_tasks.items.annotations.files import shown_file
from musebench_tasks.items.annotations.folders import FIELD_OF, JSON_SUFFIXES, SALAMI_LEVELS
from musebench_tasks.items.annotations.json_values import parsed
from musebench_tasks.items.annotations.raw_values import FilePlace
from musebench_tasks.items.annotations.text import text_of

WHOLE_FILES = frozenset({"jams", "annotation", "annotations"})
AUDIO_NAMES = frozenset({"audio", "audio_path", "wav", "mp3"})
_FIELD_OF = FIELD_OF | dict.fromkeys(SALAMI_LEVELS, "segments")
_ANNOTATOR = re.compile(r"(?:annotator|submission|rater)_?(?P<id>[a-z]*\d+)_(?P<rest>\w+)")
_MD5 = re.compile(r"[0-9a-fA-F]{32}")


class IndexEntry(NamedTuple):
    """One file of one track."""

    name: str
    path: str
    checksum: str | None


def read_index(
    file: Path, root: Path, archive: Archive, known: Mapping[str, AnnotationSubmission]
) -> dict[Path, str] | None:
    """Everything that an index leads to; None where the file is no index.

    Returns the files that are dealt with, each with what it holds where that is nothing to be read here.
    """
    value = _index(file)
    if value is None:
        return None
    read: dict[Path, str] = {}
    shown = shown_file(file, root)
    for track, entries in value.items():
        spare = _spare_levels(entries)
        for entry in _entries(track, entries, shown, archive):
            place = FilePlace(f"{shown}, {quoted(track)}", track)
            path = file_inside(entry.path, [(root, root), (file.parent, root)])
            if entry.name in AUDIO_NAMES:
                archive.add_fact("audio", entry.path, place)
            is_read = entry.name not in spare and _read_entry(entry, path, root, place, archive, known)
            if path is not None and (is_read or path not in read):
                read[path] = "" if is_read else f"{entry.name} ({path.suffix.lower()})"
    return read


def _index(file: Path) -> dict[str, dict[str, Any]] | None:
    try:
        value = parsed(text_of(file))
    except InputError:
        return None  # Whoever reads the file as something else says what is wrong with it.
    tracks = value.get("tracks") if isinstance(value, dict) else None
    if not isinstance(tracks, dict) or not tracks or not all(isinstance(each, dict) for each in tracks.values()):
        return None
    is_index = any(_is_file_entry(entry) for each in tracks.values() for entry in each.values())
    return tracks if is_index else None


def _is_file_entry(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _entries(track: str, entries: Mapping[str, Any], shown: str, archive: Archive) -> Iterator[IndexEntry]:
    """The files of a track; other values that stand beside them are facts."""
    facts = {}
    for name, value in entries.items():
        if _is_file_entry(value):
            yield IndexEntry(name.casefold(), value[0], value[1] if isinstance(value[1], str) else None)
        elif not isinstance(value, list):
            facts[name.casefold()] = value
    add_facts(ArchiveRow(facts, f"{shown}, {quoted(track)}", 1), track, archive, every=True)


def _spare_levels(entries: Mapping[str, Any]) -> set[str]:
    """Of several levels of segments by one annotator the names of all but the first of `SALAMI_LEVELS`."""
    names = {name.casefold() for name, value in entries.items() if _is_file_entry(value)}
    spare = set()
    for name in names:
        level = next((each for each in SALAMI_LEVELS if name.endswith(each)), None)
        if level is not None:
            better = SALAMI_LEVELS[: SALAMI_LEVELS.index(level)]
            if any(name.removesuffix(level) + each in names for each in better):
                spare.add(name)
    return spare


def _read_entry(
    entry: IndexEntry,
    path: Path | None,
    root: Path,
    place: FilePlace,
    archive: Archive,
    known: Mapping[str, AnnotationSubmission],
) -> bool:
    """Read the file of an entry; whether it holds annotations."""
    annotator = _ANNOTATOR.fullmatch(entry.name)
    rest = annotator["rest"] if annotator else entry.name
    words = rest.split("_")
    is_whole = bool(WHOLE_FILES.intersection(words))
    field = next((_FIELD_OF[word] for word in (rest, *reversed(words)) if word in _FIELD_OF), None)
    if field is None and not is_whole:
        return False
    if path is None:
        found = f"{quoted(entry.path)} is no file of the archive."
        archive.problems.append(place.problem(found, "Add the file, or correct the index.", entry.name))
        return True
    if entry.checksum is not None and _MD5.fullmatch(entry.checksum) and not _has_md5(path, entry.checksum):
        found = f"{entry.path} has another checksum than {entry.checksum}."
        archive.problems.append(place.problem(found, "Restore it, or correct the index.", entry.name))
        return True
    inside = path.relative_to(root).as_posix()
    submission = known.get(inside, AnnotationSubmission(place.recording))._replace(track=place.recording)
    if annotator and not submission.annotator:
        submission = submission._replace(annotator=annotator["id"])
    if not submission.id:
        submission = submission._replace(id=version_of(entry.name))
    if is_whole and field is None:
        read_any(path, root, archive, {inside: submission})
    else:
        read_plain(path, root, archive, submission, None if path.suffix.lower() in JSON_SUFFIXES else field)
    return True


def _has_md5(path: Path, checksum: str) -> bool:
    found = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
    return found == checksum.lower()
