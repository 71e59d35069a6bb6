"""What an archive says, by whom and when, before anything is chosen or judged."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.assembly.mub.duplicates import same_artist, same_title
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import shown
from musebench_tasks.items import cells
from musebench_tasks.items.annotations import RawValue
from musebench_tasks.items.annotations.raw_values import ID_NAMES, NAMES, FilePlace

TRACK_NAMES = ("track_id", "recording_id", "song_id", "item_id", *ID_NAMES)
SUBMISSION_NAMES = ("submission_id", "submission", "annotation_id")
ANNOTATOR_NAMES = ("annotator_id", "annotator", "user_id", "user", "rater_id", "rater")
TIME_NAMES = ("submitted_at", "submitted", "timestamp", "created_at", "updated_at")
FACT_NAMES = {
    "title": ("title", "track_title", "song_title", "track_name", "song_name"),
    "artist": ("artist", "artist_name", "artists", "performer"),
    "license": ("license", "licence", "spdx"),
    "attribution": ("attribution", "credit", "credits"),
    "source": ("source", "source_url", "url", "link"),
    "audio": ("audio", "audio_path", "audio_file"),
    "composition": ("cluster_id", "composition_id", "work_id", "composition", "work"),
    "beat_unit": ("beat_unit",),
}
"""What is told of a track beside its truth, and the columns under which it is read. Other columns are kept as found."""
FACT_OF = {name: fact for fact, names in FACT_NAMES.items() for name in names}
VALUE_OF = NAMES | {
    "tonality": "key",
    "key_key": "key",
    "timesig": "time_signature",
    "time_sig": "time_signature",
}
_EPOCH_SECONDS = re.compile(r"\d{9,10}(?:\.\d+)?")
_EPOCH_MILLISECONDS = re.compile(r"\d{12,13}")


_ALIKE: Mapping[str, Callable[[str], str]] = {"title": same_title, "artist": same_artist}


class AnnotationSubmission(NamedTuple):
    """One annotator's assertion about one track; what stands in no submission has an empty one."""

    track: str
    id: str = ""
    annotator: str = ""
    time: str = ""
    """ISO text in UTC to the microsecond, or empty: such texts sort as their times do."""

    @property
    def cells(self) -> dict[str, str]:
        """Whose it is, as rows and the evaluator's files say it."""
        return {"submission_id": self.id, "annotator_id": self.annotator, "submitted_at": self.time}

    @property
    def rank(self) -> tuple[Any, ...]:
        """The later, the greater: by time (none comes first), then id, then annotator, digits counting as numbers."""
        return (self.time, _natural(self.id), _natural(self.annotator))


class Assertion(NamedTuple):
    """One value, or what is wrong with it, in one submission."""

    submission: AnnotationSubmission
    entry: RawValue | Problem
    stated: Any = None
    """For the history: the values of all segments where the entry holds the modal one."""


class Fact(NamedTuple):
    """What is told of a track (title, licence) and where."""

    value: str
    place: str


def stated_value(entry: RawValue | Problem) -> Any:
    """The value of an entry as the history keeps it."""
    return None if isinstance(entry, Problem) else as_json(entry.value)


def as_json(value: Any) -> Any:
    """A value as JSON holds it: decimals as numbers, others as text."""
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    return float(value) if hasattr(value, "as_tuple") else str(value)


@dataclass
class Archive:
    """Everything that was read."""

    path: Path
    assertions: list[Assertion] = field(default_factory=list)
    facts: dict[str, dict[str, Fact]] = field(default_factory=dict)
    """By track, then by the name of a fact (`FACT_NAMES`, or the column's own)."""
    problems: list[Problem] = field(default_factory=list)
    """Of no submission: files and rows that cannot be read, facts that contradict each other."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """Files that hold nothing of what is read here, by what they are called."""

    def add_fact(self, name: str, value: str, place: FilePlace) -> None:
        """Note a fact of a track; another value for one of `FACT_NAMES` that is known is wrong, and so is no text.

        Titles and artists may be spelled in several ways.
        """
        try:
            cells.text(value)
        except InputError as error:
            self.problems += place.problems(error, name)
            return
        known = self.facts.setdefault(place.recording, {}).setdefault(name, Fact(value, place.shown))
        alike = _ALIKE.get(name, str)
        if name in FACT_NAMES and known.value != value and alike(known.value) != alike(value):
            found = f"{shown(value)} differs from {shown(known.value)} in {known.place}."
            self.problems.append(place.problem(found, "Keep one of the two.", name))


@lru_cache(maxsize=65_536)
def utc_time(text: str) -> str:
    """A time as `Submission.time`: ISO 8601 (UTC where it names no zone) or seconds or milliseconds since 1970.

    InputError for other texts.
    """
    written = text.strip()
    try:
        if _EPOCH_MILLISECONDS.fullmatch(written):
            moment = datetime.fromtimestamp(int(written) / 1000, UTC)
        elif _EPOCH_SECONDS.fullmatch(written):
            moment = datetime.fromtimestamp(float(written), UTC)
        else:
            moment = datetime.fromisoformat(written)
        utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError) as problem:
        raise InputError(f"{shown(written)} is no time. Write it as 2024-05-31T12:00:00Z.") from problem
    return utc.isoformat(timespec="microseconds")


@lru_cache(maxsize=65_536)
def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Text so that its numbers sort as numbers: annotator9 before annotator10."""
    parts = re.split(r"(\d+)", text.casefold())
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts if part)
