"""Frames of a film for all windows that want some of them: decoded in one pass, scaled and turned upright once.

Runs in the decode process. Which frames is decided from packet times before anything is decoded (probe, sampling). The
frames of all windows are met in the order of time; each is converted once for each size wanted, and a window is handed
on when it is complete, so that no more than the windows at hand is held. A window gets the very frames that it would
get alone: where the pass meets damage, the windows not yet complete are decoded one by one, and each ends as it would.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import av
import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.errors import MediaError
from musebench_tasks.media.colour import has_alpha, is_full_range, is_hdr, to_rgb
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.film_reader import FilmReader, SeekFailedError
from musebench_tasks.media.frame_policies import choose_keyframes
from musebench_tasks.media.geometry import display_size, fitted_size, refuse_unfit_size
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.media.probe import FileScan, Progress, StreamScan, require_complete
from musebench_tasks.media.sampling import Choice, Window, choose_frames, resolve_window

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


def decode_frames(
    media: OpenMedia, scan: FileScan, wishes: Sequence[FrameSettings], progress: Progress
) -> Iterator[tuple[int, EncodedFrames | MediaError]]:
    """(position in `wishes`, its frames or why there are none), each as soon as it is known."""
    windows = []
    for place, settings in enumerate(wishes):
        try:
            windows.append(_FrameWindow(place, media.name, scan, settings))
        except MediaError as error:
            yield place, error
    used: set[tuple[int, tuple[int, int]]] = set()
    for window in _decoded(media, windows, progress) if windows else ():
        if isinstance(window.outcome, EncodedFrames):
            used.update(window.frames_used())
        assert window.outcome is not None
        yield window.place, window.outcome
        window.begin()
    media.counts.frames_used += len(used)


class _FrameWindow:
    """The frames of one window, gathered as the pass meets them."""

    def __init__(self, place: int, name: str, scan: FileScan, settings: FrameSettings) -> None:
        stream = scan.video
        if stream is None:
            raise MediaError("no_video", f"{name}: frames are wanted, but it holds no video stream.")
        require_complete(scan, stream, name)
        if not len(stream.pts):
            raise MediaError("no_frames", f"{name}, stream {stream.index}: no frame is in it.")
        where = f"{name}, stream {stream.index}"
        self.window = resolve_window(settings.start_s, settings.end_s, stream.duration_s, where)
        keyframes = _keyframes(stream, self.window, settings) if settings.keyframes else None
        self.missed = ("no_keyframes",) if settings.keyframes and keyframes is None else ()
        self.choice = keyframes or choose_frames(stream.times_s, self.window, settings.fps, settings.max_frames)
        self.wanted: list[int] = stream.pts[self.choice.indices].tolist()
        self.place, self.name, self.scan, self.stream = place, name, scan, stream
        self.max_pixels = settings.max_pixels
        self.ended = False
        self.begin()

    def begin(self) -> None:
        """Forget what was gathered."""
        self.jpegs: list[bytes] = []
        self.pts: list[int] = []
        self.upright: Upright | None = None
        self.outcome: EncodedFrames | MediaError | None = None

    def end(self, outcome: EncodedFrames | MediaError) -> Self:
        """Note how it ended."""
        self.ended, self.outcome = True, outcome
        return self

    @property
    def complete(self) -> bool:
        """Whether all its frames are there."""
        return len(self.jpegs) == len(self.wanted)

    def frames_used(self) -> set[tuple[int, tuple[int, int]]]:
        """(presentation time, size) of its frames."""
        assert self.upright is not None
        return {(pts, self.upright.size) for pts in self.pts}

    def take(self, picture: _Picture, pixel_aspect: Fraction | None) -> None:
        """Add a frame."""
        if self.upright is None:
            self.upright = Upright(self.name, self.max_pixels, pixel_aspect, picture.frame)
        jpeg, brightest = picture.encoded(self.upright.size)
        self.upright.note(picture.frame, brightest)
        self.jpegs.append(jpeg)
        self.pts.append(picture.pts)

    def result(self) -> EncodedFrames:
        """What goes into the cache."""
        assert self.upright is not None
        origin, base = int(self.stream.pts[0]), float(self.stream.time_base)
        black = ("black",) if self.upright.brightest <= BLACK_LEVEL else ()
        return EncodedFrames(
            jpegs=self.jpegs,
            times_s=[max(0.0, (pts - origin) * base - self.window.start_s) for pts in self.pts],
            available=self.choice.available,
            policy=self.choice.policy,
            flags=(
                *self.scan.flags,
                *film_flags(self.scan, self.stream),
                *_window_flags(self.window, self.choice),
                *self.missed,
                *self.upright.flags,
                *black,
            ),
        )


def _keyframes(stream: StreamScan, window: Window, settings: FrameSettings) -> Choice | None:
    keyframes_s = np.asarray((stream.keyframe_pts - int(stream.pts[0])) * float(stream.time_base), dtype=np.float64)
    return choose_keyframes(stream.times_s, keyframes_s, window, settings.fps, settings.max_frames)


def film_flags(scan: FileScan, stream: StreamScan) -> Iterator[str]:
    """What is legal but worth knowing about a film as a whole."""
    steps = np.diff(stream.pts)[:-1]
    if len(steps) and int(steps.max() - steps.min()) > max(_JITTER_TICKS, 0.1 * float(np.median(steps))):
        yield "vfr"
    if not stream.header_packets and stream.header_s is None and scan.header_s is None:
        yield "counted"
    if stream.codec in _AV1_DECODERS:
        yield "codec: av1"


def _window_flags(window: Window, choice: Choice) -> Iterator[str]:
    if window.clamped:
        yield "clamped"
    if len(choice.indices) < choice.available:
        yield f"effective_fps: {len(choice.indices) / (window.end_s - window.start_s):.4g}"


def _decoded(media: OpenMedia, windows: Sequence[_FrameWindow], progress: Progress) -> Iterator[_FrameWindow]:
    """Each window once it ended: with seeks where they pay; where one misleads or finds damage, from the start."""
    stream = windows[0].stream
    attempts = [(False, True)]
    if not stream.from_dts:
        attempts = [(True, False), *([(True, True)] if media.read else []), *attempts]
    failure: Exception | None = None
    for seeking, fresh in attempts:
        try:
            reader = FilmReader(media, stream, progress, seeking=seeking, fresh=fresh)
            for window in _walk(reader, [each for each in windows if not each.ended]):
                yield window.end(window.result())
        except SeekFailedError:
            continue
        except (MediaError, av.error.FFmpegError, MemoryError) as error:
            failure = error
        break
    for window in [each for each in windows if not each.ended]:
        if len(windows) > 1:
            yield from _decoded(media, [window], progress)
        else:
            yield window.end(_media_error(failure, window.name))


def _media_error(failure: Exception | None, name: str) -> MediaError:
    if isinstance(failure, MediaError):
        return failure
    return MediaError("unreadable", f"{name}: {failure or 'no way of decoding leads to its frames.'}")


def _walk(reader: FilmReader, windows: Sequence[_FrameWindow]) -> Iterator[_FrameWindow]:
    """Each window once it has all its frames; one way through the film for all of them."""
    takers: dict[int, list[_FrameWindow]] = defaultdict(list)
    for window in windows:
        window.begin()
        for target in window.wanted:
            takers[target].append(window)
    for target in sorted(takers):
        picture = _Picture(*reader.frame_for(target), reader)
        for window in takers.pop(target):
            window.take(picture, reader.pixel_aspect)
            if window.complete:
                yield window


class _Picture:
    """One decoded frame, converted and encoded once for each size that a window wants."""

    def __init__(self, frame: Any, pts: int, reader: FilmReader) -> None:
        self.frame, self.pts, self.counts = frame, pts, reader.counts
        self._made: dict[tuple[int, int], tuple[bytes, int]] = {}

    def encoded(self, size: tuple[int, int]) -> tuple[bytes, int]:
        """(JPEG file, brightest value) at this width and height before turning upright."""
        if size not in self._made:
            pixels = upright_pixels(self.frame, size)
            self._made[size] = encode_jpeg(pixels), int(pixels.max())
            self.counts.frames_converted += 1
        return self._made[size]


class Upright:
    """The size that the frames of one window get, by the first of them, and what they are like."""

    def __init__(self, name: str, max_pixels: int | None, pixel_aspect: Fraction | None, first: Any) -> None:
        width, height = display_size(first.width, first.height, pixel_aspect)
        refuse_unfit_size(width, height, name)
        self.pixel_aspect = pixel_aspect
        self.size = fitted_size(width, height, max_pixels)
        self.flags: dict[str, None] = {}
        self.brightest = 0

    def note(self, frame: Any, brightest: int) -> None:
        """Remember what is unusual about a frame."""
        self.brightest = max(self.brightest, brightest)
        found = {
            f"rotation: {round(frame.rotation)}": bool(frame.rotation),
            "hdr": is_hdr(frame),
            "alpha": has_alpha(frame),
            "color_range: full": is_full_range(frame),
            f"sar: {self.pixel_aspect}": self.pixel_aspect not in (None, 1),
            f"odd_size: {frame.width}x{frame.height}": bool(frame.width % 2 or frame.height % 2),
        }
        self.flags.update(dict.fromkeys(flag for flag, holds in found.items() if holds))


def upright_pixels(frame: Any, size: tuple[int, int]) -> NDArray[np.uint8]:
    """A frame scaled to (width, height), then turned upright."""
    pixels = to_rgb(frame, *size)
    turns = round(frame.rotation / 90) % 4
    return np.ascontiguousarray(np.rot90(pixels, turns)) if turns else pixels


def upright_frames(
    media: OpenMedia,
    stream: StreamScan,
    wanted: NDArray[np.int64],
    max_pixels: int | None,
    progress: Progress,
    *,
    seeking: bool,
) -> Iterator[NDArray[np.uint8]]:
    """The pixels of the frames at the presentation times `wanted`, one after another.

    SeekFailedError where only decoding without seeks will lead to them.
    """
    reader = FilmReader(media, stream, progress, seeking=seeking)
    size: tuple[int, int] | None = None
    for target in wanted:
        frame, _ = reader.frame_for(int(target))
        if size is None:
            size = Upright(media.name, max_pixels, reader.pixel_aspect, frame).size
        yield upright_pixels(frame, size)
