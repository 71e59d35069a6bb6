"""The sound of a stream, decoded packet by packet and mixed down, piece after piece with its exact place.

Runs in the decode process. Three routes lead to a stretch of sound, and each gives the same samples whoever asks:
`START`: from the beginning of the stream, in order. `STRETCHES`: in MP4 files whose times are exact to the sample, the
stream falls into stretches of two minutes, each decoded from one second before it, so that a late window need not wait
for an hour of sound (a decoder that adds noise of its own would otherwise tell where it was started). `DIRECT`: from
one second before the window wanted, for windows of which another route met damage.

Mixing down is fixed: mono stays; stereo is the mean; a surround layout follows ITU-R BS.775 (centre 0.707, surrounds
0.354, low frequencies left out) with left and right at 0.5, so that stereo and 5.1 of the same sound are equally loud;
channels without a place are averaged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from musebench_tasks.base.errors import MediaError
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.probe import FileScan, Progress, StreamScan, audio_stream, decoder_name, packets_of

STRETCH_S = 120.0
LARGEST_GAP_S = 0.05
"""Seconds between the end of one frame of sound and the time of the next, above which sound was lost."""
SEEK_FROM_S = 30.0
"""Windows that start later are sought in MP4, whose times are exact to the sample; elsewhere decoding is in order."""
_PREROLL_S = 1.0
_SELF_CONTAINED = frozenset({"aac", "alac", "ac3", "eac3", "mp3", "mp3float", "opus", "libopus"})
"""Decoders that know a stream by its extradata, rate and channels."""
_CENTRE, _SURROUND = 0.7071067811865476, 0.35355339059327373
_WEIGHTS = {
    "FL": 0.5, "FR": 0.5, "FC": _CENTRE, "LFE": 0.0, "LFE2": 0.0, "BC": _SURROUND,
    "BL": _SURROUND, "BR": _SURROUND, "SL": _SURROUND, "SR": _SURROUND, "FLC": 0.5, "FRC": 0.5,
}  # fmt: skip
_FULL_SCALE = {"u1": 2.0**7, "i2": 2.0**15, "i4": 2.0**31, "i8": 2.0**63}


class Route(Enum):
    """How a window's sound is reached (module docstring)."""

    START = "start"
    STRETCHES = "stretches"
    DIRECT = "direct"


@dataclass(frozen=True)
class Piece:
    """Samples of one decoded frame, and what they are like."""

    position: int
    """Of the first sample, counted from the stream's first."""
    channels: NDArray[np.float32]
    """Channels x samples."""
    mono: NDArray[np.float32]
    finite: bool
    peak: float
    channel_energy: float
    """Sum of squares, averaged over the channels."""
    mono_energy: float

    @property
    def end(self) -> int:
        """Position after the last sample."""
        return self.position + len(self.mono)

    def within(self, first: int, end: int) -> Piece:
        """The part of it between two positions."""
        if first <= self.position and self.end <= end:
            return self
        kept = slice(max(0, first - self.position), max(0, end - self.position))
        return piece(max(first, self.position), self.channels[:, kept], self.mono[kept])


def piece(position: int, channels: NDArray[np.float32], mono: NDArray[np.float32]) -> Piece:
    """Samples with what they are like."""
    if not len(mono):
        return Piece(position, channels, mono, True, 0.0, 0.0, 0.0)
    return Piece(
        position,
        channels,
        mono,
        finite=bool(np.isfinite(channels).all()),
        peak=float(np.abs(channels).max()),
        channel_energy=float(np.mean(np.sum(channels.astype(np.float64) ** 2, axis=1))),
        mono_energy=float(np.sum(mono.astype(np.float64) ** 2)),
    )


@lru_cache(maxsize=16)
def downmix_weights(channel_names: tuple[str, ...]) -> NDArray[np.float32]:
    """One weight a channel (module docstring)."""
    count = len(channel_names)
    if count <= 2 or not set(channel_names) <= set(_WEIGHTS) or not {"FL", "FR"} <= set(channel_names):
        return np.full(count, 1.0 / count, dtype=np.float32)
    return np.array([_WEIGHTS[each] for each in channel_names], dtype=np.float32)


def seeks_directly(scan: FileScan, stream: StreamScan, start_s: float) -> bool:
    """Whether a window that starts at `start_s` may be sought: late, in a container that times sound exactly."""
    return "mp4" in scan.format.split(",") and not stream.from_dts and start_s >= SEEK_FROM_S


def falls_into_stretches(scan: FileScan, stream: StreamScan) -> bool:
    """Whether the packets of an MP4 follow one another to the tick, so that a place in time is a sample."""
    steps = np.diff(stream.pts)
    exact = len(steps) > 1 and int(steps.min()) == int(steps.max())
    return exact and stream.codec in _SELF_CONTAINED and seeks_directly(scan, stream, SEEK_FROM_S)


def stretch_of(time_s: float) -> int:
    """Number of the stretch that a time lies in."""
    return int(time_s // STRETCH_S)


class SoundReader:
    """Decodes one stream along a route and keeps account of what it met."""

    def __init__(self, media: OpenMedia, stream: StreamScan, route: Route, progress: Progress) -> None:
        self.media, self.name, self.stream, self.route, self.progress = media, media.name, stream, route, progress
        self.codec_options = {"err_detect": "crccheck+explode"} if stream.codec == "flac" else {}
        """Without them, damage in FLAC is decoded to noise."""
        self.rate = 0
        self.channels = 1
        self.heard = 0
        """Samples decoded."""
        self.reached = 0
        """Position after the last sample decoded."""
        self.ended = False
        """Whether the stream came to its end."""
        self.stretch = 0
        self.bad_packets: dict[int, int] = defaultdict(int)
        """By stretch; everything is stretch 0 on the other routes."""
        self._bad_seen = 0
        self._next_s: float | None = None
        self._wanted: list[tuple[float, float]] = []

    def pieces(self, spans: Iterable[tuple[float, float]]) -> Iterator[Piece]:
        """The sound in the spans (start, end in seconds), in order; each place once."""
        spans = sorted(spans)
        self._wanted = list(_merged(spans))
        last_s = max(end for _, end in spans)
        if self.route is Route.START:
            yield from self._run(None, last_s)
        elif self.route is Route.DIRECT:
            yield from self._run(spans[0][0], last_s)
        else:
            for stretch in sorted({each for span in spans for each in _stretches(*span)}):
                yield from self._stretch(stretch, max(end for start, end in spans if stretch_of(start) <= stretch))
                if self.ended:
                    return

    def needs_stretch(self, start_s: float, end_s: float) -> bool:
        """Whether a span needs the stretch that is being read."""
        return self.route is not Route.STRETCHES or self.stretch in _stretches(start_s, end_s)

    def _stretch(self, stretch: int, last_s: float) -> Iterator[Piece]:
        self.stretch = stretch
        begin_s, end_s = stretch * STRETCH_S, min(last_s, (stretch + 1) * STRETCH_S)
        for each in self._run(begin_s or None, end_s):
            begin, end = round(begin_s * self.rate), round((stretch + 1) * STRETCH_S * self.rate)
            kept = each.within(begin, end)
            if len(kept.mono):
                yield kept

    def _run(self, from_s: float | None, to_s: float) -> Iterator[Piece]:
        """Pieces from the start, or from a second before `from_s`, until `to_s` is reached or the stream ends."""
        container = self.media.fresh() if from_s is None else self.media.container()
        position: int | None = None
        self._next_s, self._bad_seen = None, self.bad_packets[self.stretch]
        for frame in self._frames(container, from_s):
            samples = planar_samples(frame)
            if position is None:
                self._begin(frame, samples)
                position = 0 if from_s is None else self._position_of(frame)
                if self.route is Route.STRETCHES and position > round(self.stretch * STRETCH_S * self.rate):
                    raise MediaError("corrupt", f"{self.name}, stream {self.stream.index}: a seek misses its place.")
            else:
                self._require_continuity(frame, samples)
            self._expect_next(frame, samples)
            self.heard += samples.shape[1]
            self.media.counts.audio_s_decoded += samples.shape[1] / self.rate
            self.reached = position + samples.shape[1]
            if self._is_wanted(position, self.reached):
                yield piece(position, samples, self._mixed(frame, samples))
            position = self.reached
            if position >= round(to_s * self.rate):
                return
        self.ended = True

    def _is_wanted(self, begin: int, end: int) -> bool:
        """Whether a span lies there."""
        return any(round(first * self.rate) < end and begin < round(last * self.rate) for first, last in self._wanted)

    def _frames(self, container: Any, from_s: float | None) -> Iterator[Any]:
        stream = audio_stream(container)
        if stream is None or decoder_name(stream) is None:
            raise MediaError("unreadable", f"{self.name}, stream {self.stream.index}: no decoder knows its sound.")
        if self.codec_options and not self.media.read:
            stream.codec_context.options = self.codec_options
        if from_s is not None:
            before = int((from_s - _PREROLL_S) / float(self.stream.time_base))
            container.seek(self._origin() + before, stream=stream, backward=True)
        self.media.read = True
        decode = _new_decoder(stream) if from_s is not None and self.route is Route.STRETCHES else _stream_decoder
        for packet in packets_of(container, stream):
            try:
                yield from decode(packet)
            except av.error.EOFError:
                return
            except av.error.FFmpegError:
                self.bad_packets[self.stretch] += 1
            self.progress()

    def _begin(self, frame: Any, samples: NDArray[np.float32]) -> None:
        if self.rate:
            self._require_same_kind(frame, samples)
        self.rate, self.channels = frame.sample_rate, samples.shape[0]
        if self.route is Route.STRETCHES and self.stretch:
            self.bad_packets[self.stretch] = 0  # what a decoder started in the middle of a stream cannot read yet

    def _origin(self) -> int:
        """Time of the first sample heard: what lies before 0 in an MP4 is an encoder's run-up, which decoders drop."""
        return max(0, int(self.stream.pts[0]))

    def _position_of(self, frame: Any) -> int:
        ticks = int(frame.pts) - self._origin()
        return round(float(ticks * self.stream.time_base) * self.rate)

    def _mixed(self, frame: Any, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        names = tuple(channel.name for channel in frame.layout.channels)
        weights = downmix_weights(names if len(names) == len(samples) else ("",) * len(samples))
        return np.asarray(weights @ samples, dtype=np.float32)

    def _where(self) -> str:
        return f"{self.name}, stream {self.stream.index}: after {self.heard / self.rate:.2f} s of sound"

    def _require_same_kind(self, frame: Any, samples: NDArray[np.float32]) -> None:
        if frame.sample_rate != self.rate or samples.shape[0] != self.channels:
            raise MediaError("corrupt", f"{self._where()} its rate or channels change.")

    def _require_continuity(self, frame: Any, samples: NDArray[np.float32]) -> None:
        self._require_same_kind(frame, samples)
        if self.bad_packets[self.stretch] > self._bad_seen:
            raise MediaError("corrupt", f"{self._where()} comes damaged data. Fetch the file again.")
        time_s = _time_of(frame)
        if time_s is not None and self._next_s is not None and time_s - self._next_s > LARGEST_GAP_S:
            missing_s = time_s - self._next_s
            raise MediaError("corrupt", f"{self._where()} {missing_s:.2f} s are missing. Fetch the file again.")

    def _expect_next(self, frame: Any, samples: NDArray[np.float32]) -> None:
        time_s = _time_of(frame)
        begun_s = self._next_s if time_s is None else time_s
        self._next_s = None if begun_s is None else begun_s + samples.shape[1] / self.rate
        self._bad_seen = self.bad_packets[self.stretch]


def _stream_decoder(packet: Any) -> list[Any]:
    frames: list[Any] = packet.decode()
    return frames


def _new_decoder(stream: Any) -> Callable[[Any], list[Any]]:
    """A decoder that met nothing yet: one that was flushed goes on with the noise that it adds."""
    known = stream.codec_context
    context: Any = av.CodecContext.create(known.name, "r")
    context.extradata, context.sample_rate, context.layout = known.extradata, known.sample_rate, known.layout

    def decode(packet: Any) -> list[Any]:
        frames: list[Any] = context.decode(packet if packet.size else None)
        return frames

    return decode


def _merged(spans: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Sorted spans with those that touch made one."""
    open_span: tuple[float, float] | None = None
    for start, end in spans:
        if open_span is not None and start <= open_span[1]:
            open_span = open_span[0], max(open_span[1], end)
            continue
        if open_span is not None:
            yield open_span
        open_span = start, end
    if open_span is not None:
        yield open_span


def _stretches(start_s: float, end_s: float) -> range:
    """Numbers of the stretches that a span needs."""
    last = stretch_of(end_s)
    return range(stretch_of(start_s), last + (last * STRETCH_S < end_s))


def _time_of(frame: Any) -> float | None:
    """Presentation time of a frame in seconds; None where its file gives none."""
    return None if frame.pts is None else float(frame.pts * frame.time_base)


def planar_samples(frame: Any) -> NDArray[np.float32]:
    """An audio frame as channels x samples in float32, full scale 1."""
    array = frame.to_ndarray()
    if not frame.format.is_planar:
        array = array.reshape(-1, len(frame.layout.channels)).T
    kind = array.dtype.str[1:]
    if kind == "u1":
        return np.asarray((array.astype(np.float32) - 128.0) / 128.0, dtype=np.float32)
    if kind in _FULL_SCALE:
        return np.asarray(array / _FULL_SCALE[kind], dtype=np.float32)
    return np.asarray(array, dtype=np.float32)
