"""Looks over media before they are asked about: each is decoded to its end, by the code that decodes for models.

What is found has one of three effects (faults_media.md): `stop`, a data set with it is not built and a run loses the
requests; `run`, the requests that hand out the stream end as `media_error`; `flag`, legal and recorded. Below a folder
nothing is passed over without a word.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.media_findings import Medium, Use, failed_finding, findings_of
from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.problems import Problem, reason
from musebench_tasks.base.records import Item, Modality, TaskConfig
from musebench_tasks.media import MediaCache, shared_cache
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, DecodeProcess
from musebench_tasks.media.sniff import HEAD_BYTES, is_pointer, suffix_of
from musebench_tasks.media.unpack import media_file

_NEEDED = {
    "visual": frozenset({Modality.VIDEO}),
    "audio": frozenset({Modality.AUDIO}),
    "audiovisual": frozenset({Modality.VIDEO, Modality.AUDIO}),
    "text": frozenset[Modality](),
}
"""By an item's alignment."""
Span = tuple[float | None, float | None]
Times = tuple[float | None, float | None, float | None]
"""Start and end of a window, and what the data say of the whole, in seconds."""


@dataclass(frozen=True)
class Checked:
    """A medium and what was found."""

    file: str
    sha256: str | None
    survey: dict[str, Any] | None
    """What `media.survey` tells of it; None where it could not be opened."""
    findings: tuple[Problem, ...]


def task_media(task: TaskConfig, items: Iterable[Item]) -> list[Medium]:
    """The media of a task's items, each once, in the order of the first item that uses it."""
    media: dict[str, Medium] = {}
    for item in items:
        if item.media is None:
            continue
        use = use_of(item.id, (item.start_s, item.end_s, item.duration_s), task.modalities, item.alignment)
        media.setdefault(item.media.content, Medium(item.media)).uses.append(use)
    return list(media.values())


def usable_window(
    start_s: float | None, end_s: float | None, seconds: float | None
) -> tuple[float | None, float | None]:
    """A window as media are looked into; the whole where nothing lies in it, of which the rules on rows tell."""
    start = start_s or 0.0
    is_empty = (end_s is not None and end_s <= start) or (seconds is not None and start >= seconds)
    return (None, None) if is_empty else (start_s, end_s)


def use_of(name: str, times: Times, takes: frozenset[Modality], alignment: str | None) -> Use:
    """How an item uses a medium: its question needs what its alignment says, else the one stream that it takes."""
    needs = _NEEDED.get(alignment or "", takes if len(takes) == 1 else frozenset())
    return Use(name, *times, takes, needs & takes)


def check_media(
    media: Sequence[Medium],
    processes: int = 1,
    seen: Callable[[Checked], None] = lambda _: None,
    cache: MediaCache | None = None,
) -> list[Checked]:
    """Every medium decoded and judged, in the order given; `seen` is told of each as it is done."""
    if not media:
        return []
    idle: queue.SimpleQueue[DecodeProcess] = queue.SimpleQueue()
    children = [DecodeProcess() for _ in range(max(1, min(processes, len(media))))]
    for child in children:
        idle.put(child)

    def check(medium: Medium) -> Checked:
        child = idle.get()
        try:
            return check_medium(medium, child, cache or shared_cache())
        finally:
            idle.put(child)

    try:
        with ThreadPoolExecutor(len(children)) as pool:
            waiting = [pool.submit(check, medium) for medium in media]
            try:
                for done in as_completed(waiting):
                    seen(done.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for child in children:
                    child.close()
                raise
        return [each.result() for each in waiting]
    finally:
        for child in children:
            child.close()


def check_medium(medium: Medium, process: DecodeProcess, cache: MediaCache) -> Checked:
    """One medium decoded to its end and judged for everyone who uses it."""
    digest = None
    try:
        file = media_file(medium.source, cache)
        digest = file.sha256
        spans = [(use.start_s, use.end_s) for use in medium.uses]
        job = {"job": "survey", "path": str(file.path), "name": file.name, "spans": spans}
        survey = process.run(job, DEFAULT_TIMEOUT_S)
    except MediaError as error:
        return Checked(medium.name, digest, None, (failed_finding(medium, error),))
    return Checked(medium.name, digest, survey, tuple(findings_of(medium, survey)))


SOUND_SUFFIXES = frozenset({".aac", ".aif", ".aiff", ".flac", ".m4a", ".mp3", ".oga", ".ogg", ".opus", ".wav", ".wma"})
FILM_SUFFIXES = frozenset({".avi", ".flv", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ts", ".webm", ".wmv"})
PICTURE_SUFFIXES = frozenset({".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
MEDIA_SUFFIXES = SOUND_SUFFIXES | FILM_SUFFIXES | PICTURE_SUFFIXES


def look_through(place: Path) -> tuple[list[Path], list[Problem]]:
    """The media files below a folder, by name or first bytes, and what stops: links to nothing, what may not be read.

    Hidden files and folders are left out; links to folders are followed, each folder once.
    """
    files: list[Path] = []
    findings: list[Problem] = []
    refused: list[OSError] = []
    for path in _below(place, refused):
        try:
            if path.is_symlink() and not path.exists():
                findings.append(_stop(place, path, "media_unavailable", *_broken_link(path)))
            elif path.is_file() and _looks_like_a_medium(path):
                files.append(path)
        except OSError as problem:
            findings.append(_stop(place, path, "unreadable", *_refusal("it", problem)))
    for refusal in refused:
        folder = Path(os.fsdecode(refusal.filename))
        findings.append(_stop(place, folder, "unreadable", *_refusal("the folder", refusal)))
    return sorted(files), sorted(findings, key=lambda each: each.place)


def _below(place: Path, refused: list[OSError]) -> Iterator[Path]:
    """Everything below a folder that is no folder; `refused` gets an error for each that cannot be listed."""
    seen = set()
    for folder, below, names in os.walk(place, onerror=refused.append, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            below.clear()
            continue
        seen.add(real)
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield from (Path(folder, name) for name in names if not name.startswith("."))


def _looks_like_a_medium(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return path.suffix.lower() in MEDIA_SUFFIXES or is_pointer(head) or bool(suffix_of(head))


def _broken_link(path: Path) -> tuple[str, str]:
    target = path.readlink()
    if ".git/annex/objects/" in target.as_posix():
        return "git-annex has not fetched it.", "Run `git annex get` on it, or take its items out."
    return f'a link to "{target}", where nothing lies.', "Put the file there, or remove the link."


def _refusal(what: str, problem: OSError) -> tuple[str, str]:
    found = f"{what} cannot be read ({reason(problem)})."
    return found, "Let yourself read it (`chmod`), or take it out of the folder."


def _stop(place: Path, path: Path, code: str, found: str, advice: str) -> Problem:
    return Problem(found, advice, code, place=str(path.relative_to(place)))
