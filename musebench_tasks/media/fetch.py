"""From a media part to its decoded entry: looked up in the cache, else decoded there by the decode process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from musebench_tasks.errors import MuseError
from musebench_tasks.media.cache import Entry, MediaCache, entry_key
from musebench_tasks.media.chunks import longest_s
from musebench_tasks.media.decode import DecodeProcess
from musebench_tasks.media.frame_policies import budget_of, decoded_frames
from musebench_tasks.media.unpack import MediaFile, media_file
from musebench_tasks.records import MediaPart

DEFAULT_FPS = 1.0
"""Frames a second where a part names none (MB-50)."""


@dataclass(frozen=True)
class Fetcher:
    """Where decoded media come from."""

    cache: MediaCache
    process: DecodeProcess
    timeout_s: float

    def file(self, part: MediaPart) -> MediaFile:
        """The part's medium as a verified file."""
        return media_file(part.source, self.cache)

    def frames(self, part: MediaPart, max_frames: int | None) -> Entry:
        """The frames of a part's window; all at its rate, where the choice among them needs to see them."""
        policy = part.frame_policy
        settings = {
            "start_s": part.start_s,
            "end_s": part.end_s,
            "fps": part.fps or DEFAULT_FPS,
            "max_frames": decoded_frames(policy, budget_of(part, max_frames)),
            "max_pixels": part.max_pixels,
            **({"keyframes": True} if policy is not None and policy.name == "keyframes" else {}),
        }
        return self._entry("frames", self.file(part), settings)

    def audio(self, part: MediaPart, sample_rate: int | None, max_audio_s: float | None) -> Entry:
        """The sound of a part's window."""
        settings = {
            "start_s": part.start_s,
            "end_s": part.end_s,
            "sample_rate": sample_rate,
            "max_audio_s": longest_s(part, max_audio_s),
        }
        return self._entry("audio", self.file(part), settings)

    def probe(self, file: MediaFile) -> dict[str, Any]:
        """Streams, durations, tags and flags of a file (`decode_child.probe_job`)."""
        return self.process.run({"job": "probe", "path": str(file.path), "name": file.name}, self.timeout_s)

    def film(self, file: MediaFile, settings: dict[str, Any], out: Path) -> None:
        """Write a masked film of a window to `out`."""
        job = {"job": "film", "path": str(file.path), "name": file.name, "settings": settings, "out": str(out)}
        self.process.run(job, self.timeout_s)

    def _entry(self, kind: str, file: MediaFile, settings: dict[str, Any]) -> Entry:
        key = entry_key({"kind": kind, "sha256": file.sha256, "settings": settings})
        path = self.cache.path(kind, key)

        def decode() -> None:
            job = {"job": kind, "path": str(file.path), "name": file.name, "settings": settings, "out": str(path)}
            self.process.run(job, self.timeout_s)
            self.cache.added(path)

        return read_or_make(lambda: self.cache.read(kind, key), decode, path)


def read_or_make(read: Callable[[], Entry | None], make: Callable[[], None], path: Path) -> Entry:
    """What `read` finds; where that is nothing, what it finds after `make`."""
    entry = read()
    if entry is None:
        make()
        entry = read()
    if entry is None:
        raise MuseError(f"{path}: what was just written there cannot be read back. Check the disk of MUSEBENCH_CACHE.")
    return entry
