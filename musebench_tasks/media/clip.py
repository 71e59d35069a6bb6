"""A film of a window, encoded anew as H.264 and AAC in MP4, without tags. Runs in the decode process.

Packets are never cut out of a stream: an edit list would hide frames that a reader still sees (faults_media.md, m28).
The picture is the stream's own frames, or sampled frames from the cache under a condition that changes them; the sound
is what the other models get, from a file of samples that the caller prepared.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from musebench_tasks.errors import MediaError, MuseError
from musebench_tasks.media.cache import cache_write_error, read_entry
from musebench_tasks.media.probe import FileScan, Progress, require_complete
from musebench_tasks.media.sampling import resolve_window
from musebench_tasks.media.video import upright_frames

VIDEO_TIME_BASE = Fraction(1, 90_000)
_X264 = {"crf": "18", "preset": "veryfast"}
_AUDIO_CHUNK = 1024


@dataclass(frozen=True)
class ClipSettings:
    """What goes into a film: the window, and files that the caller prepared."""

    start_s: float | None = None
    end_s: float | None = None
    max_pixels: int | None = None
    frames_file: str | None = None
    """Sampled frames in the place of the stream's own, as an entry of raw pixels."""
    samples_file: str | None = None
    """float32 mono samples; None = a silent film."""
    sample_rate: int | None = None


def write_film(
    path: str, name: str, scan: FileScan, settings: ClipSettings, out: Path, progress: Progress
) -> dict[str, float]:
    """Write the film to `out` in one step; the number of its frames."""
    temporary = out.with_name(f"{out.stem}.{uuid.uuid4().hex}.tmp")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        try:
            count = _encode(temporary, _timed_frames(path, name, scan, settings, progress), settings)
            temporary.replace(out)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise cache_write_error(out, error) from error
    return {"frames": count}


def _timed_frames(
    path: str, name: str, scan: FileScan, settings: ClipSettings, progress: Progress
) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """(seconds from the window's start, pixels)."""
    if settings.frames_file is not None:
        yield from _sampled_frames(Path(settings.frames_file))
        return
    stream = scan.video
    if stream is None:
        raise MediaError("no_video", f"{name}: frames are wanted, but it holds no video stream.")
    require_complete(scan, stream, name)
    window = resolve_window(settings.start_s, settings.end_s, stream.duration_s, name)
    times_s = stream.times_s
    inside = np.flatnonzero((times_s >= window.start_s) & (times_s < window.end_s))
    if not len(inside):
        raise MediaError("bad_window", f"{name}: no frame starts between {window.start_s:g} and {window.end_s:g} s.")
    frames = upright_frames(path, name, stream, stream.pts[inside], settings.max_pixels, progress)
    for at, pixels in zip(inside, frames, strict=True):
        yield float(times_s[at]) - window.start_s, pixels


def _sampled_frames(path: Path) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """Frames from an entry of raw pixels with `times_s` and `size` (height, width)."""
    entry = read_entry(path)
    if entry is None:
        raise MuseError(f"{path}: the sampled frames were just written and are gone. Check MUSEBENCH_CACHE.")
    for time_s, pixels in zip(entry.details["times_s"], entry.parts, strict=True):
        yield time_s, np.frombuffer(pixels, dtype=np.uint8).reshape(*entry.details["size"], 3)


def _encode(out: Path, frames: Iterator[tuple[float, NDArray[np.uint8]]], settings: ClipSettings) -> int:
    count = 0
    with av.open(str(out), "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        video: Any = container.add_stream("libx264", rate=25, options=_X264)
        audio = _sound_stream(container, settings)
        for time_s, pixels in frames:
            even = _even(pixels)
            if not count:
                video.height, video.width = even.shape[:2]
                video.pix_fmt = "yuv420p"
                video.codec_context.time_base = VIDEO_TIME_BASE
            frame = av.VideoFrame.from_ndarray(even, format="rgb24")
            frame.pts, frame.time_base = round(time_s / VIDEO_TIME_BASE), VIDEO_TIME_BASE
            container.mux(video.encode(frame))
            count += 1
        container.mux(video.encode(None))
        if audio is not None:
            _encode_sound(container, audio, settings)
    return count


def _even(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture without the odd last row and column, which 4:2:0 cannot hold; a single one is doubled."""
    height, width = pixels.shape[:2]
    rows = np.arange(max(2, height - height % 2)) % height
    columns = np.arange(max(2, width - width % 2)) % width
    return np.ascontiguousarray(pixels[rows][:, columns])


def _sound_stream(container: Any, settings: ClipSettings) -> Any | None:
    if settings.samples_file is None:
        return None
    return container.add_stream("aac", rate=settings.sample_rate, layout="mono", options={"b": "192k"})


def _encode_sound(container: Any, stream: Any, settings: ClipSettings) -> None:
    samples = np.fromfile(settings.samples_file or "", dtype="<f4")
    for start in range(0, len(samples), _AUDIO_CHUNK):
        frame = av.AudioFrame.from_ndarray(samples[None, start : start + _AUDIO_CHUNK], format="fltp", layout="mono")
        frame.sample_rate, frame.pts = settings.sample_rate or 0, start
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))
