"""Raw values: what annotation files hold before it is validated, with the place where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from musebench_tasks.answers.music_json import FIELD_NAMES
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem

ABOUT_NAMES = {"duration_s": ("duration_s", "duration"), "cluster_id": ("cluster_id", "cluster")}
"""What is told about a recording beside its fields, and the names under which it is read."""
NAMES: dict[str, str] = {name: field for field, names in (FIELD_NAMES | ABOUT_NAMES).items() for name in names}
ID_NAMES = (
    *("id", "track_id", "item_id", "recording_id", "song_id", "track", "recording", "song"),
    *("file", "filename", "file_name", "path", "name"),
)
START_NAMES = ("start_s", "start", "start_time", "start_sec", "segment_start", "t_start", "onset", "begin")
END_NAMES = ("end_s", "end", "end_time", "end_sec", "segment_end", "t_end", "offset")
LABEL_NAMES = ("label", "section", "segment", "function", "name")
AUDIO_SUFFIXES = frozenset({".mp3", ".wav", ".flac", ".ogg", ".opus", ".m4a", ".aac", ".aif", ".aiff", ".wma"})

_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d{1,3})?")
_CLOCK = re.compile(r"(?:(\d{1,3}):(?=\d{1,2}:))?(\d{1,4}):([0-5]?\d(?:[.,]\d*)?)")
_NO_NUMBERS = frozenset({"nan", "inf", "infinity"})
_NO_VALUES = frozenset({"", "-", "--", "–", "na", "n/a", "<na>", "none", "null"})
"""What programs write where they have nothing to say. NaN is a number, and an impossible one."""


class RawValue(NamedTuple):
    """A value of one field of one recording; None = the file says that there is none."""

    id: str
    field: str
    """tempo, key, time_signature, segments, duration_s or cluster_id."""
    value: Any
    """Text, a number, or for segments a list of (start, end, label) and of whatever else stood there."""
    file: str
    row: int | None = None
    """Line of the file, from 1."""
    rows: tuple[int, ...] = ()
    """The line of each segment, or its position where lines say nothing."""
    several: bool = False
    """Whether one of several different values was taken: the commonest (MU-07), or the stronger of two tempi."""

    @property
    def place(self) -> str:
        """`FILE row N`."""
        return self.file if self.row is None else f"{self.file} row {self.row}"

    def place_of(self, position: int) -> str:
        """Where the segment at `position` (from 0) stands."""
        row = self.rows[position] if position < len(self.rows) else position + 1
        return f"{self.file} row {row}" if self.row is None else f"{self.place}, segment {row}"


class FilePlace(NamedTuple):
    """A recording in a file, or in a row of it: what is read there is a value, or a problem."""

    file: str
    """As messages name it."""
    recording: str
    """Empty where nothing names it."""
    row: int | None = None
    """Line of the file, from 1."""

    @property
    def shown(self) -> str:
        """`FILE row N`."""
        return self.file if self.row is None else f"{self.file} row {self.row}"

    def value(self, field: str, value: Any, rows: tuple[int, ...] = (), *, several: bool = False) -> RawValue:
        """A value of `field` that stands here."""
        return RawValue(self.recording, field, value, self.file, self.row, rows, several)

    def problem(self, found: str, advice: str, field: str = "", row: int | None = None) -> Problem:
        """What is wrong with what stands here, or in the given row."""
        return self.put(Problem(found, advice, row=row), field)

    def put(self, problem: Problem, field: str = "") -> Problem:
        """A problem here whose finder did not know the place."""
        items = (self.recording,) if self.recording else ()
        return problem.at(place=self.file, row=self.row, column=field, noun="field", items=items)

    def of(self, recording: str, row: int | None = None) -> FilePlace:
        """The same file, and in it the row of another recording."""
        return self._replace(recording=recording, row=row)

    def problems(self, error: InputError, field: str = "") -> Iterator[Problem]:
        """What reading what stands here raised."""
        yield from (self.put(each, field) for each in error.problems)


def number_in(text: str) -> Decimal | float | str:
    """A number, with a decimal point or comma, not yet judged; the text itself where there is none."""
    bare = text.strip()
    if _NUMBER.fullmatch(bare):
        return Decimal(bare.replace(",", "."))
    return float(bare) if bare.lower().lstrip("+-") in _NO_NUMBERS else bare


def time_in(text: str) -> Decimal | float | str:
    """Seconds, also written `m:ss` or `h:mm:ss`; the text itself where there are none."""
    clock = _CLOCK.fullmatch(text.strip())
    if clock is None:
        return number_in(text)
    hours, minutes, seconds = clock.groups()
    return 3600 * int(hours or 0) + 60 * int(minutes) + Decimal(seconds.replace(",", ".").rstrip("."))


def is_time(text: str) -> bool:
    """Whether the text is a time, sensible or not."""
    return not isinstance(time_in(text), str)


def tempo_in(text: str) -> str:
    """The number of a tempo without its unit, with a decimal point.

    A comma before exactly three digits may part thousands as well: it is left, and so refused.
    """
    bare = re.sub(r"\s*bpm\s*$", "", text.strip(), flags=re.IGNORECASE)
    return bare if re.fullmatch(r"[^,]*,\d{3}", bare) else re.sub(r"^([+-]?\d+),(\d+)$", r"\1.\2", bare)


def metre_in(text: str) -> str:
    """A time signature with its stroke: Harmonix writes 4|4 for 4/4."""
    return re.sub(r"^(\s*\d+)\s*\|\s*(\d+\s*)$", r"\1/\2", text)


def stated(text: str) -> str | None:
    """Text that says something; None for an empty cell, NA, None, null and a dash."""
    return None if text.strip().casefold() in _NO_VALUES else text


def stronger_tempo(cells: list[str]) -> str | None:
    """Of MIREX' triple `slower faster weight` the first tempo at a weight of .5 or more, else the second.

    None where the cells are no such triple: three numbers, the third from 0 to 1.
    """
    numbers = [number_in(cell) for cell in cells]
    if len(numbers) != 3 or any(isinstance(each, str) for each in numbers):
        return None
    weight = float(numbers[2])
    return tempo_in(cells[0 if weight >= 0.5 else 1]) if 0 <= weight <= 1 else None


def named_recording(name: str) -> str:
    """The recording that a table or list names: its id, or the file of its audio without folder and suffix."""
    name = name.strip()
    path = PurePosixPath(name.replace("\\", "/"))
    return path.stem if path.suffix.lower() in AUDIO_SUFFIXES else name


def column_named(names: tuple[str, ...], columns: list[str]) -> int | None:
    """Position of the first of `names` that is a column."""
    return next((columns.index(name) for name in names if name in columns), None)
