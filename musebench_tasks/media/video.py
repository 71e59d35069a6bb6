"""Frames of a film: decoded in order, sought only past the next keyframe, scaled and turned upright once.

Runs in the decode process. Which frames is decided from packet times before anything is decoded (probe, sampling);
what the decoder then gives is compared with that plan, and a difference is an error, never a repeated or black frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from musebench_tasks.errors import MediaError
from musebench_tasks.media.colour import has_alpha, is_full_range, is_hdr, to_rgb
from musebench_tasks.media.frame_policies import choose_keyframes
from musebench_tasks.media.geometry import display_size, fitted_size, refuse_unfit_size
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.media.probe import (
    FileScan,
    Progress,
    StreamScan,
    decoder_name,
    opened,
    packets_of,
    require_complete,
    video_stream,
)
from musebench_tasks.media.sampling import Choice, Window, choose_frames, resolve_window

SEEK_GAIN_FRAMES = 16
"""Frames that a seek must save; a decoder with threads holds about as many back."""
BLACK_LEVEL = 16
_JITTER_TICKS = 2
_AV1_DECODERS = frozenset({"av1", "libdav1d", "libaom-av1"})


@dataclass(frozen=True)
class EncodedFrames:
    """Frames as they go into the cache. Times in seconds from the window's start."""

    jpegs: list[bytes]
    times_s: list[float]
    available: int
    policy: str
    flags: tuple[str, ...]


class _SeekFailedError(Exception):
    """A seek did not lead to the frame wanted; decoding from the start will."""


class _Upright:
    """Turns frames upright and to the size of the first, and notes what they are like."""

    def __init__(self, name: str, max_pixels: int | None, pixel_aspect: Fraction | None) -> None:
        self.name, self.max_pixels, self.pixel_aspect = name, max_pixels, pixel_aspect
        self.size: tuple[int, int] | None = None
        self.flags: dict[str, None] = {}
        self.brightest = 0

    def pixels(self, frame: Any) -> NDArray[np.uint8]:
        if self.size is None:
            self.size = self._target(frame)
        pixels = to_rgb(frame, *self.size)
        turns = round(frame.rotation / 90) % 4
        if turns:
            pixels = np.ascontiguousarray(np.rot90(pixels, turns))
        self.brightest = max(self.brightest, int(pixels.max()))
        self._note(frame)
        return pixels

    def _target(self, frame: Any) -> tuple[int, int]:
        width, height = display_size(frame.width, frame.height, self.pixel_aspect)
        refuse_unfit_size(width, height, self.name)
        return fitted_size(width, height, self.max_pixels)

    def _note(self, frame: Any) -> None:
        found = {
            f"rotation: {round(frame.rotation)}": bool(frame.rotation),
            "hdr": is_hdr(frame),
            "alpha": has_alpha(frame),
            "color_range: full": is_full_range(frame),
            f"sar: {self.pixel_aspect}": self.pixel_aspect not in (None, 1),
            f"odd_size: {frame.width}x{frame.height}": bool(frame.width % 2 or frame.height % 2),
        }
        self.flags.update(dict.fromkeys(flag for flag, holds in found.items() if holds))


@dataclass(frozen=True)
class _Decoded:
    """JPEG files and presentation times of the frames wanted."""

    jpegs: list[bytes]
    pts: list[int]
    flags: tuple[str, ...]


@dataclass(frozen=True)
class FrameSettings:
    """Which frames of a film are wanted, and how large (see `MediaPart`)."""

    start_s: float | None = None
    end_s: float | None = None
    fps: float = 1.0
    max_frames: int | None = None
    max_pixels: int | None = None
    keyframes: bool = False
    """Whether the frames wanted are those that were coded whole."""


def decode_frames(path: str, name: str, scan: FileScan, settings: FrameSettings, progress: Progress) -> EncodedFrames:
    """The frames of a window of a film, with their exact times."""
    stream = scan.video
    if stream is None:
        raise MediaError("no_video", f"{name}: frames are wanted, but it holds no video stream.")
    require_complete(scan, stream, name)
    if not len(stream.pts):
        raise MediaError("no_frames", f"{name}, stream {stream.index}: no frame is in it.")
    window = resolve_window(settings.start_s, settings.end_s, stream.duration_s, name)
    choice = _keyframes(stream, window, settings) if settings.keyframes else None
    missed = ("no_keyframes",) if settings.keyframes and choice is None else ()
    if choice is None:
        choice = choose_frames(stream.times_s, window, settings.fps, settings.max_frames)
    decoded = _decoded(path, name, stream, stream.pts[choice.indices], settings.max_pixels, progress)
    origin, base = int(stream.pts[0]), float(stream.time_base)
    return EncodedFrames(
        jpegs=decoded.jpegs,
        times_s=[max(0.0, (pts - origin) * base - window.start_s) for pts in decoded.pts],
        available=choice.available,
        policy=choice.policy,
        flags=(
            *scan.flags,
            *_film_flags(scan, stream, window, choice),
            *missed,
            *decoded.flags,
        ),
    )


def _keyframes(stream: StreamScan, window: Window, settings: FrameSettings) -> Choice | None:
    keyframes_s = np.asarray((stream.keyframe_pts - int(stream.pts[0])) * float(stream.time_base), dtype=np.float64)
    return choose_keyframes(stream.times_s, keyframes_s, window, settings.fps, settings.max_frames)


def _film_flags(scan: FileScan, stream: StreamScan, window: Window, choice: Choice) -> Iterator[str]:
    steps = np.diff(stream.pts)[:-1]
    if len(steps) and int(steps.max() - steps.min()) > max(_JITTER_TICKS, 0.1 * float(np.median(steps))):
        yield "vfr"
    if not stream.header_packets and stream.header_s is None and scan.header_s is None:
        yield "counted"
    if stream.codec in _AV1_DECODERS:
        yield "codec: av1"
    if window.clamped:
        yield "clamped"
    if len(choice.indices) < choice.available:
        yield f"effective_fps: {len(choice.indices) / (window.end_s - window.start_s):.4g}"


def _decoded(
    path: str, name: str, stream: StreamScan, wanted: NDArray[np.int64], max_pixels: int | None, progress: Progress
) -> _Decoded:
    """Decode with seeks where they pay; where a seek misleads or a stretch looks damaged, from the start."""
    for seeking in (not stream.from_dts, False):
        upright: _Upright | None = None
        jpegs, times = [], []
        try:
            for upright, frame, pts in _walk(path, name, stream, wanted, max_pixels, progress, seeking=seeking):
                jpegs.append(encode_jpeg(upright.pixels(frame)))
                times.append(pts)
        except _SeekFailedError:
            continue
        assert upright is not None
        black = ("black",) if upright.brightest <= BLACK_LEVEL else ()
        return _Decoded(jpegs, times, (*upright.flags, *black))
    raise MediaError("unreadable", f"{name}, stream {stream.index}: no way of decoding leads to its frames.")


def upright_frames(
    path: str, name: str, stream: StreamScan, wanted: NDArray[np.int64], max_pixels: int | None, progress: Progress
) -> Iterator[NDArray[np.uint8]]:
    """The pixels of the frames at the presentation times `wanted`, one after another, decoded from the start."""
    for upright, frame, _ in _walk(path, name, stream, wanted, max_pixels, progress, seeking=False):
        yield upright.pixels(frame)


def _walk(
    path: str,
    name: str,
    scan: StreamScan,
    wanted: NDArray[np.int64],
    max_pixels: int | None,
    progress: Progress,
    *,
    seeking: bool,
) -> Iterator[tuple[_Upright, Any, int]]:
    """(what turns frames upright, frame, its presentation time) for each time wanted."""
    with opened(path, name) as container:
        stream = video_stream(container)
        if stream is None:
            raise MediaError("no_video", f"{name}: the video stream is gone.")
        if decoder_name(stream) is None:
            raise MediaError("no_frames", f"{name}, stream {stream.index}: no decoder knows this kind of film.")
        stream.thread_type = "AUTO"
        reader = _Reader(container, stream, scan, name, progress, seeking=seeking)
        upright = _Upright(name, max_pixels, stream.sample_aspect_ratio)
        for target in wanted:
            reader.approach(int(target))
            frame, pts = reader.frame_at(int(target))
            if frame.is_corrupt:
                reader.damaged("a frame is marked as damaged")
            yield upright, frame, pts


class _Reader:
    """Goes forward through the decoded frames of one stream."""

    def __init__(
        self, container: Any, stream: Any, scan: StreamScan, name: str, progress: Progress, *, seeking: bool
    ) -> None:
        self.container, self.stream, self.scan, self.name = container, stream, scan, name
        self.progress = progress
        self.seeking = seeking
        self.sought = False
        self.decoded = 0
        self.current: tuple[Any, int] | None = None
        self.following: tuple[Any, int] | None = None
        self.frames = self._frames()

    def approach(self, target: int) -> None:
        """Seek to the last keyframe before `target` if that saves decoding."""
        if not self.seeking:
            return
        keys, pts = self.scan.keyframe_pts, self.scan.pts
        at = int(np.searchsorted(keys, target, side="right")) - 1
        reached = -1 if self.following is None else int(np.searchsorted(pts, self.following[1]))
        if at < 0 or int(np.searchsorted(pts, keys[at])) - reached <= SEEK_GAIN_FRAMES:
            return
        self.container.seek(int(keys[at]), stream=self.stream)
        self.sought, self.current, self.following = True, None, None
        self.frames = self._frames()

    def frame_at(self, target: int) -> tuple[Any, int]:
        """The decoded frame on display at `target`, and its presentation time."""
        while self.following is None or self.following[1] < target:
            following = next(self.frames, None)
            if following is None:
                return self._last_frame(target)
            if self.sought and self.current is None and self.following is None and following[1] > target:
                raise _SeekFailedError
            self.current, self.following = self.following, following
        if self.following[1] > target and self.seeking:
            raise _SeekFailedError
        return self.following

    def _last_frame(self, target: int) -> tuple[Any, int]:
        if self.seeking:
            raise _SeekFailedError
        expected = int(np.searchsorted(self.scan.pts, target, side="right"))
        if not self.decoded:
            raise MediaError(
                "no_frames",
                f"{self.name}, stream {self.scan.index} ({self.scan.codec}): 0 of {expected} frames decode.",
            )
        raise MediaError(
            "short_decode",
            f"{self.name}, stream {self.scan.index}: {self.decoded} of {expected} frames decode. Fetch the file again.",
        )

    def damaged(self, what: str) -> None:
        """Raise `corrupt`; while seeking, decode from the start first, which settles it."""
        if self.seeking:
            raise _SeekFailedError
        raise MediaError(
            "corrupt",
            f"{self.name}, stream {self.scan.index}: {what} after {self.decoded} of {len(self.scan.pts)} frames.",
        )

    def _frames(self) -> Iterator[tuple[Any, int]]:
        decode = _alpha_decoder(self.stream) or _plain_decoder
        packets = packets_of(self.container, self.stream)
        while True:
            try:
                packet = next(packets, None)
                frames = [] if packet is None else decode(packet)
            except av.error.EOFError:
                return
            except av.error.FFmpegError as error:
                self.damaged(error.strerror or "damaged data")
            if packet is None:
                return
            for frame in frames:
                yield frame, self._time_of(frame)
                self.decoded += 1
            self.progress()

    def _time_of(self, frame: Any) -> int:
        if not self.scan.from_dts and frame.pts is not None:
            return int(frame.pts)
        return int(self.scan.pts[min(self.decoded, len(self.scan.pts) - 1)])


def _plain_decoder(packet: Any) -> list[Any]:
    frames: list[Any] = packet.decode()
    return frames


def _alpha_decoder(stream: Any) -> Callable[[Any], list[Any]] | None:
    """A decoder that keeps the transparency of VP8 and VP9, which FFmpeg's own drop; None for other streams."""
    library = {"vp8": "libvpx", "vp9": "libvpx-vp9"}.get(stream.codec_context.name)
    if library is None or stream.metadata.get("alpha_mode", stream.metadata.get("ALPHA_MODE")) != "1":
        return None
    context: Any = av.CodecContext.create(library, "r")

    def decode(packet: Any) -> list[Any]:
        frames: list[Any] = context.decode(packet if packet.size else None)
        return frames

    return decode
