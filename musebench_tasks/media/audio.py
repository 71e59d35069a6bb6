"""Sound of windows as mono float32: decoded once for all of them, cut, resampled. Runs in the decode process.

Mixing down comes before resampling (`sound_reader`); soxr in high quality resamples. Nothing is normalised or clipped:
samples above 1 are flagged `over_range`. A window gets the very samples that it would get alone; what ends one window
leaves the others alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import av
import numpy as np
import soxr
from numpy.typing import NDArray

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.problems import reason
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.probe import (
    COMPLETE_SHARE,
    DURATION_SLACK_S,
    FileScan,
    Progress,
    StreamScan,
    require_complete,
)
from musebench_tasks.media.sampling import CLAMP_TOLERANCE_S, Window, resolve_window
from musebench_tasks.media.sound_reader import (
    LARGEST_GAP_S,
    Piece,
    Route,
    SoundReader,
    falls_into_stretches,
    seeks_directly,
    stretch_of,
)

SHORTEST_AUDIO_S = 0.046
"""One analysis window of the music features; less is `short_audio` (faults_media.md m10)."""
SILENCE_PEAK = 1e-4
"""-80 dBFS: no sample above it is silence."""
ANTIPHASE_RATIO = 0.01
"""Mono mix over channels in RMS, below which the channels cancel."""
HELD_AT_ONCE_S = 10_800.0
"""Seconds of sound in windows that overlap, above which further ones wait for another pass."""


@dataclass(frozen=True)
class AudioSettings:
    """Which stretch of sound is wanted, and how (see `MediaPart`)."""

    start_s: float | None = None
    end_s: float | None = None
    sample_rate: int | None = None
    max_audio_s: float | None = None
    keeps: bool = True
    """Whether its samples are wanted; else it is only judged, and holds none."""


@dataclass(frozen=True)
class DecodedAudio:
    """Mono sound."""

    samples: NDArray[np.float32]
    """Empty where they were only judged."""
    sample_rate: int
    flags: tuple[str, ...]
    duration_s: float


def decode_audio(
    media: OpenMedia, scan: FileScan, wishes: Sequence[AudioSettings], progress: Progress
) -> Iterator[tuple[int, DecodedAudio | MediaError]]:
    """(position in `wishes`, its sound or why there is none), each as soon as it is known."""
    windows: dict[tuple[float, float, bool], _SoundWindow] = {}
    for place, settings in enumerate(wishes):
        try:
            window, kept_s = _wanted(media.name, scan, settings)
        except MediaError as error:
            yield place, error
            continue
        span = window.start_s, window.start_s + kept_s, settings.keeps
        windows.setdefault(span, _SoundWindow(media.name, scan, *span)).asked.append((place, settings, window))
    for batch in _batches(windows.values()):
        for each in _decoded(media, scan, batch, progress):
            yield from each.results()
            each.begin()


def _wanted(name: str, scan: FileScan, settings: AudioSettings) -> tuple[Window, float]:
    """The window that settings mean, and how many seconds of it are kept."""
    stream = scan.audio
    if stream is None:
        raise MediaError("no_audio", f"{name}: sound is wanted, but it holds no audio stream.")
    if not stream.packets:
        raise MediaError("zero_audio", f"{name}, stream {stream.index}: no sample is in it.")
    require_complete(scan, stream, name)
    duration_s = max(stream.duration_s, stream.header_s or 0.0)
    window = resolve_window(settings.start_s, settings.end_s, duration_s, f"{name}, stream {stream.index}")
    return window, min(window.end_s - window.start_s, settings.max_audio_s or np.inf)


class _SoundWindow:
    """The sound between two times, gathered as the pass meets it."""

    def __init__(self, name: str, scan: FileScan, start_s: float, end_s: float, keeps: bool) -> None:
        assert scan.audio is not None
        self.name, self.scan, self.stream = name, scan, scan.audio
        self.start_s, self.end_s, self.keeps = start_s, end_s, keeps
        self.asked: list[tuple[int, AudioSettings, Window]] = []
        """Who wants it: place among the wishes, settings, resolved window."""
        self.begin()

    def begin(self) -> None:
        """Forget what was gathered."""
        self.mono = np.zeros(0, dtype=np.float32)
        self.filled = 0
        self.peak = self.channel_energy = self.mono_energy = 0.0
        self.rate = 0
        self.failure: MediaError | None = None
        self.flags: tuple[str, ...] = ()

    def take(self, piece: Piece, reader: SoundReader) -> None:
        """Add what of a piece lies in the window."""
        rate = reader.rate
        first, end = round(self.start_s * rate), round(self.end_s * rate)
        if piece.end <= first or piece.position >= end:
            return
        if not self.rate:
            self.rate, self.mono = rate, np.empty(end - first if self.keeps else 0, dtype=np.float32)
        kept = piece.within(first, end)
        where = f"{self.name}, stream {self.stream.index}"
        if not kept.finite:
            raise MediaError("non_finite", f"{where}: a sample is NaN or infinite.")
        if reader.route is Route.STRETCHES and kept.position != first + self.filled:
            raise MediaError("corrupt", f"{where}: its times and samples differ.")
        if self.keeps:
            self.mono[self.filled : self.filled + len(kept.mono)] = kept.mono
        self.filled += len(kept.mono)
        self.peak = max(self.peak, kept.peak)
        self.channel_energy += kept.channel_energy
        self.mono_energy += kept.mono_energy

    def end(self, reader: SoundReader, failure: MediaError | None = None) -> None:
        """Note that it fails, or judge what was gathered and note what is legal but worth knowing."""
        try:
            if failure is not None:
                raise failure
            self._finish(reader)
        except MediaError as error:
            self.failure = error

    def _finish(self, reader: SoundReader) -> None:
        bad_packets = sum(reader.bad_packets[each] for each in range(stretch_of(self.start_s), reader.stretch + 1))
        if reader.route is not Route.STRETCHES:
            bad_packets = reader.bad_packets[0]
        self._judge(reader, bad_packets)
        self.mono = self.mono[: self.filled]
        self.flags = (*self.scan.flags, *self._sound_flags(reader.channels, bad_packets))

    def _judge(self, reader: SoundReader, bad_packets: int) -> None:
        """Raise where the stream gave nothing, too little, or less than its packets promise."""
        where = f"{self.name}, stream {self.stream.index}"
        if not reader.heard:
            code = "corrupt" if bad_packets else "zero_audio"
            raise MediaError(code, f"{where}: no sample decodes.")
        counted = reader.ended and reader.route is not Route.DIRECT
        heard_s = (reader.heard if reader.route is Route.DIRECT else reader.reached) / reader.rate
        promised_s = self.stream.promised_s
        longest_s = heard_s if counted else max(heard_s, promised_s)
        if longest_s < SHORTEST_AUDIO_S:
            raise MediaError("short_audio", f"{where}: {longest_s * 1000:.0f} ms of sound, at least 46 are needed.")
        cut = heard_s + DURATION_SLACK_S < COMPLETE_SHARE * promised_s
        damaged = bad_packets > 0 and heard_s + LARGEST_GAP_S < max(promised_s, self.stream.header_s or 0.0)
        if counted and (cut or damaged):
            code = "corrupt" if bad_packets else "short_decode"
            raise MediaError(code, f"{where}: {heard_s:.2f} of {promised_s:.2f} s decode. Fetch the file again.")
        if not self.filled:
            raise MediaError("bad_window", f"{where}: the window from {self.start_s:g} s holds no sound.")
        if self.filled < SHORTEST_AUDIO_S * reader.rate:
            kept_ms = self.filled / reader.rate * 1000
            raise MediaError(
                "short_audio", f"{where}: {kept_ms:.0f} ms of sound in the window, at least 46 are needed."
            )

    def _sound_flags(self, channels: int, bad_packets: int) -> Iterator[str]:
        if channels > 1:
            yield f"channels: {channels}"
        if self.peak < SILENCE_PEAK:
            yield "silent_audio"
        elif self.mono_energy < ANTIPHASE_RATIO**2 * self.channel_energy:
            yield "antiphase"
        if self.peak > 1.0:
            yield "over_range"
        if self.stream.codec.startswith("mp3"):
            yield "encoder_delay"
        if bad_packets:
            yield f"bad_packets: {bad_packets}"

    def results(self) -> Iterator[tuple[int, DecodedAudio | MediaError]]:
        """What each of those who want it gets."""
        for place, settings, window in self.asked:
            yield place, self.failure or self._made(settings, window)

    def _made(self, settings: AudioSettings, window: Window) -> DecodedAudio:
        flags = [*self.flags]
        if window.clamped:
            flags.append("clamped")
        if self.end_s < window.end_s - CLAMP_TOLERANCE_S:
            flags.append("audio_truncated")
        rate = settings.sample_rate or self.rate
        mono = self.mono
        if rate != self.rate:
            mono = resampled(mono, self.rate, rate)
            flags.append(f"native_rate: {self.rate}")
        return DecodedAudio(mono, rate, tuple(dict.fromkeys(flags)), self.filled / self.rate)


def _batches(windows: Iterable[_SoundWindow]) -> list[list[_SoundWindow]]:
    """Windows by start, in passes that hold no more than `HELD_AT_ONCE_S` at once, one longer than that apart."""
    batches: list[list[_SoundWindow]] = []
    for window in sorted(windows, key=lambda each: (each.start_s, each.end_s)):
        for batch in batches:
            held_s = sum(each.end_s - each.start_s for each in batch if each.keeps and each.end_s > window.start_s)
            if not window.keeps or held_s + window.end_s - window.start_s <= HELD_AT_ONCE_S:
                batch.append(window)
                break
        else:
            batches.append([window])
    return batches


def _decoded(
    media: OpenMedia, scan: FileScan, windows: Sequence[_SoundWindow], progress: Progress
) -> Iterator[_SoundWindow]:
    """Each window once it ended; what ended badly on the way of all is tried on a way of its own, if it has one."""
    assert scan.audio is not None
    route = Route.STRETCHES if falls_into_stretches(scan, scan.audio) else Route.START
    again = []
    for window in _along(route, media, scan.audio, windows, progress):
        other = _other_route(window, route)
        if window.failure is None or other is None:
            yield window
        else:
            again.append((window, other))
    for window, other in again:
        window.begin()
        yield from _along(other, media, scan.audio, [window], progress)


def _other_route(window: _SoundWindow, route: Route) -> Route | None:
    if seeks_directly(window.scan, window.stream, window.start_s):
        return Route.DIRECT
    return Route.START if route is Route.STRETCHES else None


def _along(
    route: Route, media: OpenMedia, stream: StreamScan, windows: Sequence[_SoundWindow], progress: Progress
) -> Iterator[_SoundWindow]:
    """Windows, complete or failed, in the order in which that shows; damage ends those that need what is damaged."""
    waiting = list(windows)
    while waiting:
        reader = SoundReader(media, stream, route, progress)
        failure: MediaError | None = None
        try:
            for piece in reader.pieces([(each.start_s, each.end_s) for each in waiting]):
                for window in [each for each in waiting if _ends_with(piece, each, reader)]:
                    waiting.remove(window)
                    yield window
            hit = waiting
        except (MediaError, av.error.FFmpegError, MemoryError) as error:
            hit = [each for each in waiting if reader.needs_stretch(each.start_s, each.end_s)] or waiting
            failure = (
                error if isinstance(error, MediaError) else MediaError("unreadable", f"{media.name}: {reason(error)}")
            )
        for window in hit:
            window.end(reader, failure)
            yield window
        waiting = [each for each in waiting if each not in hit]


def _ends_with(piece: Piece, window: _SoundWindow, reader: SoundReader) -> bool:
    """Whether a window is complete, or fails, with a piece."""
    try:
        window.take(piece, reader)
    except MediaError as failure:
        window.end(reader, failure)
        return True
    if piece.end < round(window.end_s * reader.rate):
        return False
    window.end(reader)
    return True


def resampled(mono: NDArray[np.float32], from_rate: int, to_rate: int) -> NDArray[np.float32]:
    """`mono` at another rate: exactly round(seconds x rate) samples."""
    wanted = round(len(mono) * to_rate / from_rate)
    made = np.asarray(soxr.resample(mono, from_rate, to_rate, quality="HQ"), dtype=np.float32)
    return np.pad(made, (0, wanted - len(made))) if len(made) < wanted else made[:wanted]
