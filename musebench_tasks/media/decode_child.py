"""The process that opens media: takes jobs as JSON lines on its input, answers with JSON lines on its output.

Messages out: `{"ready": …}` once, `{"progress": …}` while a job goes on, then `{"done": result}` or `{"failed": kind,
"code": …, "explanation": …}`. Results are written into the cache; only numbers travel. It imports no framework, and
ends when its parent does. Started by `decode.py`.
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
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import av
import numpy as np

from musebench_tasks.errors import MediaError
from musebench_tasks.media.audio import AudioSettings, decode_audio
from musebench_tasks.media.cache import CacheWriteError, write_entry
from musebench_tasks.media.clip import ClipSettings, write_film
from musebench_tasks.media.picture import decode_picture
from musebench_tasks.media.probe import FileScan, Progress, scan_file
from musebench_tasks.media.sniff import HEAD_BYTES, PICTURE_SUFFIXES, suffix_of
from musebench_tasks.media.video import FrameSettings, decode_frames

PROGRESS_EVERY_S = 0.5
SCANS_KEPT = 8
_PARENT_CHECK_S = 1.0


def frames_job(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Frames of a film or picture into a cache entry."""
    path, name, settings = job["path"], job["name"], FrameSettings(**job["settings"])
    if _is_picture(path):
        frames = decode_picture(path, name, settings.max_pixels)
    else:
        frames = decode_frames(path, name, _scan(path, name, progress), settings, progress)
    details = {
        "times_s": frames.times_s,
        "available": frames.available,
        "policy": frames.policy,
        "flags": list(frames.flags),
    }
    write_entry(Path(job["out"]), details, frames.jpegs)
    return {"frames": len(frames.jpegs)}


def audio_job(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Sound into a cache entry: float32, little endian."""
    path, name = job["path"], job["name"]
    if _is_picture(path):
        raise MediaError("no_audio", f"{name}: sound is wanted, but it is a picture.")
    sound = decode_audio(path, name, _scan(path, name, progress), AudioSettings(**job["settings"]), progress)
    details = {"sample_rate": sound.sample_rate, "flags": list(sound.flags)}
    write_entry(Path(job["out"]), details, [np.ascontiguousarray(sound.samples, "<f4").data.cast("B")])
    return {"samples": len(sound.samples)}


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
    return write_film(path, name, scan, ClipSettings(**job["settings"]), Path(job["out"]), progress)


JOBS: dict[str, Callable[[dict[str, Any], Progress], dict[str, Any]]] = {
    "frames": frames_job,
    "audio": audio_job,
    "probe": probe_job,
    "film": film_job,
}


def _is_picture(path: str) -> bool:
    with Path(path).open("rb") as file:
        return suffix_of(file.read(HEAD_BYTES)) in PICTURE_SUFFIXES


_scans: OrderedDict[tuple[str, int, int], FileScan] = OrderedDict()


def _scan(path: str, name: str, progress: Progress) -> FileScan:
    """The scan of a file; frames, sound and windows of one file share it."""
    status = Path(path).stat()
    key = (path, status.st_size, status.st_mtime_ns)
    if key not in _scans:
        _scans[key] = scan_file(path, name, progress)
        while len(_scans) > SCANS_KEPT:
            _scans.popitem(last=False)
    return _scans[key]


def answer_to(job: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Do one job; failures become messages."""
    try:
        return {"done": JOBS[job["job"]](job, progress)}
    except MediaError as error:
        return {"failed": "media", "code": error.code, "explanation": str(error).removeprefix(f"{error.code}: ")}
    except CacheWriteError as error:
        return {"failed": "cache", "explanation": str(error)}
    except (av.error.FFmpegError, MemoryError) as error:
        return {"failed": "media", "code": "unreadable", "explanation": f"{job['name']}: {error}"}
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
