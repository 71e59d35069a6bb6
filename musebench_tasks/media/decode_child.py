"""The process that opens media: takes jobs as JSON lines on its input, answers with JSON lines on its output.

Messages out: `{"ready": …}` once, `{"progress": …}` while a job goes on, then `{"done": result}` or `{"failed": kind,
"code": …, "explanation": …}`, both with `"counts"` (`counts.DecodeCounts`). Results are written into the cache; only
numbers travel. It imports no framework, and ends when its parent does. Started by `decode.py`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import av
import numpy as np

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.problems import reason
from musebench_tasks.media.audio import AudioSettings, DecodedAudio, decode_audio
from musebench_tasks.media.cache import CacheWriteError, Part, write_entry
from musebench_tasks.media.clip import ClipSettings, write_film
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.counts import DecodeCounts
from musebench_tasks.media.picture import decode_picture
from musebench_tasks.media.probe import FileScan, Progress, scan_file
from musebench_tasks.media.sniff import HEAD_BYTES, PICTURE_SUFFIXES, suffix_of
from musebench_tasks.media.survey import failure, survey_picture, survey_stream
from musebench_tasks.media.video import EncodedFrames, FrameSettings, decode_frames

PROGRESS_EVERY_S = 0.5
SCANS_KEPT = 8
_PARENT_CHECK_S = 1.0


def entries_job(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Frames and sound of windows of one medium into cache entries, all from one opening of it.

    `entries`: [{kind: frames|audio, settings, out}]. The result has one outcome an entry, in the same order: {} where
    it was written, else {code, explanation}.
    """
    path, name, entries = job["path"], job["name"], job["entries"]
    found = _from_picture(path, name, entries) if _is_picture(path) else _from_stream(path, name, entries, progress)
    outcomes: list[dict[str, Any]] = [{} for _ in entries]
    for place, content in found:
        if isinstance(content, MediaError):
            outcomes[place] = failure(content)
        else:
            write_entry(Path(entries[place]["out"]), *_entry_of(content))
    return {"outcomes": outcomes}


Content = EncodedFrames | DecodedAudio | MediaError


def _from_picture(path: str, name: str, entries: list[dict[str, Any]]) -> Iterator[tuple[int, Content]]:
    """(place of an entry, its content) for a picture: one frame, no sound."""
    for place, entry in enumerate(entries):
        try:
            if entry["kind"] == "audio":
                raise MediaError("no_audio", f"{name}: sound is wanted, but it is a picture.")
            yield place, decode_picture(path, name, entry["settings"]["max_pixels"])
        except MediaError as error:
            yield place, error


def _from_stream(
    path: str, name: str, entries: list[dict[str, Any]], progress: Progress
) -> Iterator[tuple[int, Content]]:
    """(place of an entry, its content) for a film or sound, each as soon as it is known; sound comes first."""
    scan = _scan(path, name, progress)
    places = {kind: [at for at, entry in enumerate(entries) if entry["kind"] == kind] for kind in ("audio", "frames")}
    settings = [entry["settings"] for entry in entries]
    with OpenMedia(path, name, _counts) as media:
        sounds = [AudioSettings(**settings[at]) for at in places["audio"]]
        for number, sound in decode_audio(media, scan, sounds, progress):
            yield places["audio"][number], sound
        films = [FrameSettings(**settings[at]) for at in places["frames"]]
        for number, frames in decode_frames(media, scan, films, progress):
            yield places["frames"][number], frames


def _entry_of(content: EncodedFrames | DecodedAudio) -> tuple[dict[str, Any], list[Part]]:
    """Details and parts of a cache entry; sound is float32, little endian."""
    if isinstance(content, DecodedAudio):
        details: dict[str, Any] = {"sample_rate": content.sample_rate, "flags": list(content.flags)}
        _counts.audio_s_used += len(content.samples) / content.sample_rate
        return details, [np.ascontiguousarray(content.samples, "<f4").data.cast("B")]
    details = {
        "times_s": content.times_s,
        "available": content.available,
        "policy": content.policy,
        "flags": list(content.flags),
    }
    return details, [*content.jpegs]


def probe_job(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Streams, durations and tags of a file, by its packets."""
    path, name = job["path"], job["name"]
    if _is_picture(path):
        return {"format": "picture", "video_s": None, "audio_s": None, "tagged": True, "flags": []}
    scan = _scan(path, name, progress)
    return {
        "format": scan.format,
        "video_s": scan.video.duration_s if scan.video else None,
        "audio_s": scan.audio.duration_s if scan.audio else None,
        "tagged": scan.tagged,
        "flags": list(scan.flags),
    }


def film_job(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """A masked film of a window."""
    path, name = job["path"], job["name"]
    scan = _scan(path, name, progress)
    with OpenMedia(path, name, _counts) as media:
        return write_film(media, scan, ClipSettings(**job["settings"]), Path(job["out"]), progress)


def survey_job(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """A medium decoded to its end, and each of the windows `spans` judged; nothing is written."""
    path, name = job["path"], job["name"]
    if _is_picture(path):
        return survey_picture(path, name)
    scan = _scan(path, name, progress)
    with OpenMedia(path, name, _counts) as media:
        return survey_stream(media, scan, [tuple(each) for each in job["spans"]], progress)


JOBS: dict[str, Callable[[dict[str, Any], Progress], dict[str, Any]]] = {
    "entries": entries_job,
    "probe": probe_job,
    "film": film_job,
    "survey": survey_job,
}


def _is_picture(path: str) -> bool:
    with Path(path).open("rb") as file:
        return suffix_of(file.read(HEAD_BYTES)) in PICTURE_SUFFIXES


_counts = DecodeCounts()
"""What the job at hand costs."""
_scans: OrderedDict[tuple[str, int, int], FileScan] = OrderedDict()


def _scan(path: str, name: str, progress: Progress) -> FileScan:
    """The scan of a file; frames, sound and windows of one file share it."""
    status = Path(path).stat()
    key = (path, status.st_size, status.st_mtime_ns)
    if key not in _scans:
        _scans[key] = scan_file(path, name, progress)
        _counts.scans += 1
        while len(_scans) > SCANS_KEPT:
            _scans.popitem(last=False)
    return _scans[key]


def answer_to(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Do one job and count what it costs; failures become messages."""
    _counts.reset()
    begun_s = time.process_time()
    message = _done_or_failed(job, progress)
    _counts.cpu_s = time.process_time() - begun_s
    return {**message, "counts": _counts.as_message()}


def _done_or_failed(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    try:
        return {"done": JOBS[job["job"]](job, progress)}
    except MediaError as error:
        return {"failed": "media", **failure(error)}
    except CacheWriteError as error:
        return {"failed": "cache", "explanation": error.text}
    except (av.error.FFmpegError, MemoryError) as error:
        return {"failed": "media", "code": "unreadable", "explanation": f"{job['name']}: {reason(error)}"}
    except Exception:
        return {"failed": "program", "explanation": traceback.format_exc()}


def serve(parent: int, requests: IO[str], replies: IO[str]) -> None:
    """Answer jobs until the input ends."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _send(replies, {"ready": os.getpid()})
    for line in requests:
        _send(replies, answer_to(json.loads(line), _Ticker(replies)))


class _Ticker:
    """Says now and then that work goes on."""

    def __init__(self, replies: IO[str]) -> None:
        self.replies = replies
        self.last_s = time.monotonic()

    def __call__(self) -> None:
        now = time.monotonic()
        if now - self.last_s > PROGRESS_EVERY_S:
            self.last_s = now
            _send(self.replies, {"progress": True})


def _send(replies: IO[str], message: dict[str, Any]) -> None:
    replies.write(json.dumps(message) + "\n")
    replies.flush()


def _end_with(parent: int) -> None:
    """End this process once its parent is gone, even in the middle of a job."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_S)
    os._exit(1)


def main() -> None:
    """Serve on the standard streams; whatever libraries print goes to the error stream."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(int(sys.argv[1]), sys.stdin, replies)


if __name__ == "__main__":
    main()
