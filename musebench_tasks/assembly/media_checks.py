"""Looks over media before they are asked about: each is decoded to its end, by the code that decodes for models.

What is found has one of three effects (faults_media.md): `stop`, a data set with it is not built and a run loses the
requests; `run`, the requests that hand out the stream end as `media_error`; `flag`, legal and recorded.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from musebench_tasks.assembly.media_findings import Medium, Use
from musebench_tasks.assembly.media_judgement import failed_finding, findings_of
from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Item, Modality, TaskConfig
from musebench_tasks.media import MediaCache, shared_cache
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, DecodeProcess
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
