"""A masked file of what a model may get, for models that take files: no name, no tags, only the window.

Sound alone becomes a 16-bit WAV, a picture a PNG, a film an MP4 (`clip.py`). The file itself is copied where the window
is all of it, it holds no tags, chapters, pictures or further streams, and every reader shows it alike. Its name is a
hash of all that decides it.
"""

from __future__ import annotations

import io
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from musebench_tasks.base.records import Limits, MediaPart, Modality
from musebench_tasks.media.cache import CacheEntry, entry_key, write_entry, write_in_one_step
from musebench_tasks.media.fetch import Fetcher, read_or_make
from musebench_tasks.media.sampling import CLAMP_TOLERANCE_S
from musebench_tasks.media.signals import AudioSignal, FrameBatch, longest_s
from musebench_tasks.media.sniff import HEAD_BYTES, suffix_of
from musebench_tasks.media.unpack import MediaFile, current_sha256
from musebench_tasks.media.wav import encode_wav

_READ_DIFFERENTLY = frozenset(
    {
        "rotation", "hdr", "alpha", "color_range", "sar", "codec", "edit_list", "dts_fallback", "first_pts_s",
        "counted", "bit_depth", "cmyk", "bad_packets",
    }
)  # fmt: skip
"""Flags of files of which readers make different pictures (faults_media.md): these are always encoded anew."""


def masked_clip(
    fetcher: Fetcher,
    parts: Sequence[MediaPart],
    limits: Limits,
    frames: FrameBatch | None,
    sound: AudioSignal | None,
) -> Path:
    """The file for `parts`, of which `frames` and `sound` are the decoded content; made once, verified on each use."""
    file = fetcher.file(parts[0])
    wishes = [part.model_dump(mode="json", exclude={"source"}) for part in parts]
    key = entry_key({"kind": "clip", "sha256": file.sha256, "parts": wishes, "limits": _limits(limits)})
    maker = _Maker(fetcher, file, parts, limits, frames, sound, key)

    def whole() -> CacheEntry | None:
        entry = fetcher.cache.read("clips", key)
        if entry is None:
            return None
        path = maker.path(entry.details["suffix"])
        return entry if path.is_file() and current_sha256(path) == entry.details["sha256"] else None

    entry = read_or_make(whole, maker.make, maker.path(".entry"))
    path = maker.path(entry.details["suffix"])
    fetcher.cache.touch(path)
    return path


def _limits(limits: Limits) -> list[Any]:
    return [limits.max_frames, limits.max_audio_s, limits.sample_rate]


class _Maker:
    """Writes one masked file."""

    def __init__(
        self,
        fetcher: Fetcher,
        file: MediaFile,
        parts: Sequence[MediaPart],
        limits: Limits,
        frames: FrameBatch | None,
        sound: AudioSignal | None,
        key: str,
    ) -> None:
        self.fetcher, self.file, self.parts, self.limits = fetcher, file, parts, limits
        self.frames, self.sound, self.key = frames, sound, key

    def path(self, suffix: str) -> Path:
        return self.fetcher.cache.path("clips", self.key, suffix)

    def make(self) -> None:
        """Write the file, then the entry that says its suffix and hash."""
        path = self._write()
        self.fetcher.cache.added(path)
        self.fetcher.cache.write("clips", self.key, {"suffix": path.suffix, "sha256": current_sha256(path)})

    def _write(self) -> Path:
        probe = self.fetcher.probe(self.file)
        if self._may_be_copied(probe):
            data = self.file.path.read_bytes()
            return self._written(suffix_of(data[:HEAD_BYTES]) or ".media", data)
        if self.frames is None:
            if self.sound is None:
                raise ValueError("a clip needs frames or sound")
            return self._written(".wav", encode_wav(self.sound.samples, self.sound.sample_rate))
        if probe["format"] == "picture":
            return self._written(".png", png_bytes(self.frames.pixels[0]))
        return self._film()

    def _written(self, suffix: str, data: bytes) -> Path:
        path = self.path(suffix)
        write_in_one_step(path, [data])
        return path

    def _may_be_copied(self, probe: dict[str, Any]) -> bool:
        """Whether the file as it lies shows no more than the model may get."""
        longest = max(probe["video_s"] or 0.0, probe["audio_s"] or 0.0)
        bounds = [longest_s(part, self.limits.max_audio_s) for part in self.parts if part.modality is Modality.AUDIO]
        bound = min((each for each in bounds if each is not None), default=None)
        told = [flag for each in (self.frames, self.sound) if each is not None for flag in each.flags]
        return (
            not probe["tagged"]
            and _READ_DIFFERENTLY.isdisjoint(flag.partition(":")[0] for flag in told)
            and (probe["video_s"] is None) == (self.frames is None)
            and (probe["audio_s"] is None) == (self.sound is None)
            and all(
                not part.condition.changes and part.max_pixels is None and part.frame_policy is None
                for part in self.parts
            )
            and all(not part.start_s for part in self.parts)
            and all(part.end_s is None or part.end_s > longest - CLAMP_TOLERANCE_S for part in self.parts)
            and (bound is None or bound >= longest)
        )

    def _film(self) -> Path:
        part = next(each for each in self.parts if each.modality == "video")
        own = uuid.uuid4().hex
        path, samples, frames = self.path(".mp4"), self.path(f".{own}.f32"), self.path(f".{own}.frames")
        settings: dict[str, Any] = {"start_s": part.start_s, "end_s": part.end_s, "max_pixels": part.max_pixels}
        shows_sampled = Modality.VIDEO in part.condition.changes or part.frame_policy is not None
        if shows_sampled and self.frames is not None:
            details = {"times_s": self.frames.times_s.tolist(), "size": list(self.frames.pixels.shape[1:3])}
            write_entry(frames, details, [each.tobytes() for each in self.frames.pixels])
            settings["frames_file"] = str(frames)
        if self.sound is not None:
            write_in_one_step(samples, [self.sound.samples.astype("<f4").tobytes()])
            settings |= {"samples_file": str(samples), "sample_rate": self.sound.sample_rate}
        try:
            self.fetcher.film(self.file, settings, path)
        finally:
            samples.unlink(missing_ok=True)
            frames.unlink(missing_ok=True)
        return path


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG without any text chunk."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()
