"""A film of a window, encoded anew as H.264 and AAC in MP4, without tags. Runs in the decode process.

Packets are never cut out of a stream: an edit list would hide frames that a reader still sees (faults_media.md m28).
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

from musebench_tasks.base.errors import MediaError, MuseError
from musebench_tasks.media.cache import cache_write_error, read_entry
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.film_reader import SeekFailedError
from musebench_tasks.media.probe import FileScan, Progress, require_complete
from musebench_tasks.media.sampling import DISPLAY_TOLERANCE_S, Window, resolve_window
from musebench_tasks.media.video import upright_frames

VIDEO_TIME_BASE = Fraction(1, 90_000)
_X264 = {"crf": "18", "preset": "veryfast", "bf": "0"}
"""Without B-frames the packet written last is the one shown last, and says how long."""
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
    media: OpenMedia, scan: FileScan, settings: ClipSettings, out: Path, progress: Progress
) -> dict[str, float]:
    """Write the film to `out` in one step; the number of its frames."""
    temporary = out.with_name(f"{out.stem}.{uuid.uuid4().hex}.tmp")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        try:
            window = _film_window(media.name, scan, settings)
            try:
                frames = _timed_frames(media, scan, settings, window, progress, seeking=True)
                count = _encode(temporary, frames, window.end_s - window.start_s, settings)
            except SeekFailedError:
                frames = _timed_frames(media, scan, settings, window, progress, seeking=False)
                count = _encode(temporary, frames, window.end_s - window.start_s, settings)
            temporary.replace(out)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise cache_write_error(out, error) from error
    return {"frames": count}


def _film_window(name: str, scan: FileScan, settings: ClipSettings) -> Window:
    if scan.video is None:
        raise MediaError("no_video", f"{name}: frames are wanted, but it holds no video stream.")
    require_complete(scan, scan.video, name)
    return resolve_window(settings.start_s, settings.end_s, scan.video.duration_s, name)


def _timed_frames(
    media: OpenMedia, scan: FileScan, settings: ClipSettings, window: Window, progress: Progress, *, seeking: bool
) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """(seconds from the window's start, pixels); the first is the frame on display when the window begins."""
    if settings.frames_file is not None:
        yield from _sampled_frames(Path(settings.frames_file))
        return
    stream = scan.video
    assert stream is not None
    times_s = stream.times_s
    first = max(0, int(np.searchsorted(times_s, window.start_s + DISPLAY_TOLERANCE_S, side="right")) - 1)
    inside = np.arange(first, np.searchsorted(times_s, window.end_s))
    seeking = seeking and not stream.from_dts
    frames = upright_frames(media, stream, stream.pts[inside], settings.max_pixels, progress, seeking=seeking)
    for at, pixels in zip(inside, frames, strict=True):
        yield max(0.0, float(times_s[at]) - window.start_s), pixels


def _sampled_frames(path: Path) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """Frames from an entry of raw pixels with `times_s` and `size` (height, width)."""
    entry = read_entry(path)
    if entry is None:
        raise MuseError(f"{path}: the sampled frames were just written and are gone. Check MUSEBENCH_CACHE.")
    for time_s, pixels in zip(entry.details["times_s"], entry.parts, strict=True):
        yield time_s, np.frombuffer(pixels, dtype=np.uint8).reshape(*entry.details["size"], 3)


def _encode(
    out: Path, frames: Iterator[tuple[float, NDArray[np.uint8]]], length_s: float, settings: ClipSettings
) -> int:
    """Write the film; its last frame stays until `length_s`. The number of its frames."""
    count, waiting = 0, None
    with av.open(str(out), "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        video: Any = container.add_stream("libx264", rate=25, options=_X264)
        audio = _sound_stream(container, settings)
        for packet in _film_packets(video, frames):
            if waiting is not None:
                container.mux(waiting)
            waiting, count = packet, count + 1
        if waiting is not None:
            waiting.duration = max(1, round(length_s / waiting.time_base) - waiting.pts)
            container.mux(waiting)
        if audio is not None:
            _encode_sound(container, audio, settings)
    return count


def _film_packets(video: Any, frames: Iterator[tuple[float, NDArray[np.uint8]]]) -> Iterator[Any]:
    """One packet a frame, in the order of display."""
    for number, (time_s, pixels) in enumerate(frames):
        even = _even(pixels)
        if not number:
            video.height, video.width = even.shape[:2]
            video.pix_fmt = "yuv420p"
            video.codec_context.time_base = VIDEO_TIME_BASE
        frame = av.VideoFrame.from_ndarray(even, format="rgb24")
        frame.pts, frame.time_base = round(time_s / VIDEO_TIME_BASE), VIDEO_TIME_BASE
        yield from video.encode(frame)
    yield from video.encode(None)


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
