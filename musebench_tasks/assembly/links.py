"""Links in the place of media that may not be given away: where they are, and how to know them again.

A row then names a file `media/ID.EXT` that is not in the repo, with `platform_id`, `expected_duration_s` (of the whole
medium) and `fingerprint` (of the row's window). Who may fetch it does so with a program of their own
(`musebench data fetch`); until then its requests end as `media_unavailable`.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from musebench_tasks.assembly.fingerprint import FRAMES, difference, fingerprint, is_fingerprint
from musebench_tasks.assembly.schemas import MEDIA_TYPES, Column, ColumnType, Schema
from musebench_tasks.base.errors import InputError, MediaError, MuseError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import MediaPart, MediaSource, Modality
from musebench_tasks.base.text import shown
from musebench_tasks.items import cells
from musebench_tasks.items.card import CARD
from musebench_tasks.items.files import data_files
from musebench_tasks.media.fetch import Fetcher, audio_wish, frames_wish
from musebench_tasks.media.unpack import media_file

MEDIA_FOLDER = "media"
LINK_COLUMNS = (
    Column("platform_id", ColumnType.STRING),
    Column("expected_duration_s", ColumnType.FLOAT, nullable=True),
    Column("fingerprint", ColumnType.STRING, nullable=True),
)
LINK_NAMES = tuple(column.name for column in LINK_COLUMNS)
TOLERANCE_S, TOLERANCE_SHARE = 0.5, 0.01
"""A medium may be this much longer or shorter than expected, whichever is more."""
PLACEHOLDERS = ("platform_id", "out")
FETCH_TIMEOUT_S = 3600
_SMALL_PIXELS = 256 * 256
_SAID = 300


def linked_schema(schema: Schema) -> Schema:
    """The schema of a dataset whose media are links."""
    at = next(number for number, column in enumerate(schema.columns) if column.type in MEDIA_TYPES) + 1
    return schema._replace(columns=(*schema.columns[:at], *LINK_COLUMNS, *schema.columns[at:]))


class Link(NamedTuple):
    """What a row says of a medium that is elsewhere."""

    platform_id: str
    expected_duration_s: float | None = None
    fingerprint: str | None = None


Linked = tuple[Link, float | None, float | None]
"""A link, and the start and end in seconds of its row's window."""


def read_link(row: Mapping[str, Any]) -> Link | None:
    """The link columns of a row; None where it names no platform id. InputError where a cell is wrong."""
    name = cells.optional(cells.identifier, row.get("platform_id"))
    if name is None:
        return None
    seconds = cells.optional(cells.duration, row.get("expected_duration_s"))
    known = cells.optional(cells.text, row.get("fingerprint"))
    if known is not None and not is_fingerprint(known):
        raise InputError(f"{shown(known)} is no fingerprint. Leave it empty: the build computes it.")
    return Link(name, seconds, known)


def link_cell(name: str) -> dict[str, Any]:
    """The media cell of a link: no bytes, and the place that the medium will be looked for in the repo."""
    return {"bytes": None, "path": f"{MEDIA_FOLDER}/{name}"}


def fetch_advice(missing: Path) -> str:
    """What to do about a medium that is not there; empty where it is no link."""
    folder = missing.parent
    if folder.name != MEDIA_FOLDER or not (folder.parent / CARD).is_file():
        return ""
    return f". Data of links: get them with `musebench data fetch {folder.parent} --with PROGRAM`"


def window_fingerprint(
    fetcher: Fetcher, source: MediaSource, start_s: float | None, end_s: float | None, duration_s: float
) -> str:
    """The fingerprint of a window of a medium, decoded by the code that decodes for models."""
    file = media_file(source, fetcher.cache)
    probe = fetcher.probe(file)
    frames, samples, rate = None, None, 0
    window: dict[str, Any] = {"source": source, "start_s": start_s, "end_s": end_s}
    is_picture = probe["format"] == "picture"
    if is_picture or probe["video_s"] is not None:
        length = (end_s if end_s is not None else duration_s) - (start_s or 0.0)
        fps = None if is_picture else FRAMES / max(length, 1e-3)
        part = MediaPart(modality=Modality.VIDEO, fps=fps, max_frames=FRAMES, max_pixels=_SMALL_PIXELS, **window)
        frames = _pixels(fetcher.entry(file, frames_wish(part, None)).parts)
    if probe["audio_s"] is not None:
        entry = fetcher.entry(file, audio_wish(MediaPart(modality=Modality.AUDIO, **window), None, None))
        samples, rate = np.frombuffer(entry.parts[0], dtype="<f4"), int(entry.details["sample_rate"])
    return fingerprint(frames, samples, rate)


def _pixels(jpegs: Iterable[bytes | memoryview]) -> list[Any]:
    import io

    from PIL import Image

    return [np.asarray(Image.open(io.BytesIO(each)).convert("RGB")) for each in jpegs]


def link_faults(fetcher: Fetcher, source: MediaSource, links: Iterable[Linked]) -> list[str]:
    """In what a fetched medium is not the one that links speak of (each with its window); MediaError if it is none."""
    probe = fetcher.probe(media_file(source, fetcher.cache))
    duration = next((each for each in (probe["video_s"], probe["audio_s"]) if each is not None), 0.0)
    faults = []
    for link, start_s, end_s in links:
        expected = link.expected_duration_s
        if expected is not None and abs(duration - expected) > max(TOLERANCE_S, TOLERANCE_SHARE * expected):
            faults.append(f"lasts {duration:.1f} s, {expected:.1f} s are expected")
        elif link.fingerprint is not None:
            found = window_fingerprint(fetcher, source, start_s, end_s, duration)
            apart = difference(link.fingerprint, found)
            if not apart.is_same:
                faults.append(f"is another recording or cut: its fingerprint differs by {apart.text}")
    return list(dict.fromkeys(faults))


def fetch_command(program: str, platform_id: str, out: Path) -> list[str]:
    """The words of a fetching program with its placeholders filled in; InputError if it lacks one."""
    for name in PLACEHOLDERS:
        if f"{{{name}}}" not in program:
            raise InputError(
                f'the program "{program}" holds no {{{name}}}. Write as in: fetch.py {{platform_id}} {{out}}'
            )
    try:
        words = shlex.split(program)
    except ValueError as error:
        raise InputError(f"the program {program} is no command ({reason(error)}). Close its quotes.") from error
    return [word.replace("{platform_id}", platform_id).replace("{out}", str(out)) for word in words]


def run_program(program: str, platform_id: str, out: Path) -> str | None:
    """Have a program fetch one medium to `out`; what went wrong, None if nothing did."""
    words = fetch_command(program, platform_id, out)
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=FETCH_TIMEOUT_S,
            errors="replace",
        )  # fmt: skip
    except FileNotFoundError as error:
        raise InputError(f'the program "{words[0]}" is not there. Correct the command.') from error
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the program failed ({reason(error)})"
    said = (done.stdout or "").strip().splitlines()
    last = f" ({said[-1][:_SAID]})" if said else ""
    if done.returncode != 0:
        return f"the program ended with exit code {done.returncode}{last}"
    if not out.is_file() or out.stat().st_size == 0:
        return f"the program wrote nothing to {out}{last}"
    return None


class Fetched(NamedTuple):
    """What became of the links of a repo."""

    fetched: tuple[str, ...]
    there: tuple[str, ...]
    failed: Mapping[str, str]
    """Path in the repo: why."""


def fetch_links(
    directory: Path, program: str, fetcher: Fetcher, told: Callable[[str], None] = lambda _: None
) -> Fetched:
    """Fetch the media of a repo that are links and are not here yet, and keep those that are what they should be."""
    fetched, there, failed = [], [], {}
    for path, links in repo_links(directory).items():
        place = directory / path
        is_new = not place.is_file()
        partial = place.with_name(f".{place.stem}.partial{place.suffix}") if is_new else place
        fault = run_program(program, links[0][0].platform_id, partial) if is_new else None
        if fault is None:
            fault = _judged(fetcher, partial, links)
        if fault is not None:
            failed[path] = fault
            if is_new:
                partial.unlink(missing_ok=True)
        elif is_new:
            partial.replace(place)
            fetched.append(path)
        else:
            there.append(path)
        told(path)
    return Fetched(tuple(fetched), tuple(there), failed)


def _judged(fetcher: Fetcher, file: Path, links: Sequence[Linked]) -> str | None:
    try:
        faults = link_faults(fetcher, MediaSource(path=str(file.absolute())), links)
    except MediaError as error:
        return error.text
    return "; ".join(faults) or None


def repo_links(directory: Path) -> dict[str, list[Linked]]:
    """The links of a repo by the path of their medium, each with the row's window."""
    if not directory.is_dir():
        raise InputError(f"{directory}: no such folder. Give a repository that `musebench data build --links` made.")
    found: dict[str, list[Linked]] = {}
    for file in data_files(directory, None, "blind", "test")[1]:
        with _opened(file) as parquet:
            names = parquet.schema_arrow.names
            if "platform_id" not in names:
                raise InputError(f"{directory}: its media are no links (no column platform_id): nothing to fetch.")
            media = next(name for name in ("video", "audio") if name in names)
            paths = parquet.read(columns=[f"{media}.path"]).column(0).to_pylist()
            rows = parquet.read(columns=[name for name in names if name != media]).to_pylist()
        for cell, row in zip(paths, rows, strict=True):
            path = str(cell["path"])
            if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
                raise MuseError(f'{file}: "{path}" leaves the folder of the dataset. Tell its owner.')
            link = read_link(row)
            if link is not None and path.startswith(f"{MEDIA_FOLDER}/"):
                found.setdefault(path, []).append((link, *row_window(row)))
    return found


def _opened(file: Path) -> Any:
    """A Parquet file of a repo."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(file)
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{file}: is no whole Parquet file. Give a repository that `musebench data build --links` made."
        ) from error


def row_window(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The window of a row of any dataset inside its medium."""
    names = ("excerpt_start_time", "excerpt_end_time") if "excerpt_start_time" in row else ("start_s", "end_s")
    start, end = (cells.optional(cells.seconds, row.get(name)) for name in names)
    return start, end
