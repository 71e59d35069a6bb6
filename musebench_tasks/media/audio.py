"""Sound of a window as mono float32: decoded packet by packet, mixed down, resampled, cut. Runs in the decode process.

Mixing down is fixed: mono stays; stereo is the mean; a surround layout follows ITU-R BS.775 (centre 0.707, surrounds
0.354, low frequencies left out) with left and right at 0.5, so that stereo and 5.1 of the same sound are equally loud;
channels without a place are averaged. Mixing comes before resampling; soxr in high quality resamples. Nothing is
normalised or clipped: samples above 1 are flagged `over_range`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import av
import numpy as np
import soxr
from numpy.typing import NDArray

from musebench_tasks.errors import MediaError
from musebench_tasks.media.probe import (
    COMPLETE_SHARE,
    DURATION_SLACK_S,
    FileScan,
    Progress,
    StreamScan,
    audio_stream,
    decoder_name,
    opened,
    packets_of,
    require_complete,
)
from musebench_tasks.media.sampling import CLAMP_TOLERANCE_S, resolve_window

SHORTEST_AUDIO_S = 0.046
"""One analysis window of the music features; less is `short_audio` (faults_media.md, m10)."""
LARGEST_GAP_S = 0.05
"""Seconds between the end of one frame of sound and the time of the next, above which sound was lost."""
SILENCE_PEAK = 1e-4
"""-80 dBFS: no sample above it is silence."""
ANTIPHASE_RATIO = 0.01
"""Mono mix over channels in RMS, below which the channels cancel."""
SEEK_FROM_S = 30.0
"""Windows that start later are sought in MP4, whose times are exact to the sample; elsewhere decoding is in order."""
_PREROLL_S = 1.0
_CENTRE, _SURROUND = 0.7071067811865476, 0.35355339059327373
_WEIGHTS = {
    "FL": 0.5, "FR": 0.5, "FC": _CENTRE, "LFE": 0.0, "LFE2": 0.0, "BC": _SURROUND,
    "BL": _SURROUND, "BR": _SURROUND, "SL": _SURROUND, "SR": _SURROUND, "FLC": 0.5, "FRC": 0.5,
}  # fmt: skip
_FULL_SCALE = {"u1": 2.0**7, "i2": 2.0**15, "i4": 2.0**31, "i8": 2.0**63}


@dataclass(frozen=True)
class AudioSettings:
    """Which stretch of sound is wanted, and how (see `MediaPart`)."""

    start_s: float | None = None
    end_s: float | None = None
    sample_rate: int | None = None
    max_audio_s: float | None = None


@dataclass(frozen=True)
class DecodedAudio:
    """Mono sound."""

    samples: NDArray[np.float32]
    sample_rate: int
    flags: tuple[str, ...]


def downmix_weights(channel_names: tuple[str, ...]) -> NDArray[np.float32]:
    """One weight a channel (module docstring)."""
    count = len(channel_names)
    if count <= 2 or not set(channel_names) <= set(_WEIGHTS) or not {"FL", "FR"} <= set(channel_names):
        return np.full(count, 1.0 / count, dtype=np.float32)
    return np.array([_WEIGHTS[each] for each in channel_names], dtype=np.float32)


def decode_audio(path: str, name: str, scan: FileScan, settings: AudioSettings, progress: Progress) -> DecodedAudio:
    """The sound of a window of a file, mono, at the rate asked for or the stream's own."""
    stream = scan.audio
    if stream is None:
        raise MediaError("no_audio", f"{name}: sound is wanted, but it holds no audio stream.")
    if not stream.packets:
        raise MediaError("zero_audio", f"{name}, stream {stream.index}: no sample is in it.")
    require_complete(scan, stream, name)
    duration_s = max(stream.duration_s, stream.header_s or 0.0)
    window = resolve_window(settings.start_s, settings.end_s, duration_s, name)
    kept_s = min(window.end_s - window.start_s, settings.max_audio_s or np.inf)
    mixer = _Mixer(name, stream, scan, window.start_s, window.start_s + kept_s, progress)
    mono = mixer.run(path)
    flags = [*scan.flags, *mixer.flags()]
    if window.clamped:
        flags.append("clamped")
    if kept_s < window.end_s - window.start_s - CLAMP_TOLERANCE_S:
        flags.append("audio_truncated")
    rate = settings.sample_rate or mixer.rate
    if rate != mixer.rate:
        mono = resampled(mono, mixer.rate, rate)
        flags.append(f"native_rate: {mixer.rate}")
    return DecodedAudio(mono, rate, tuple(dict.fromkeys(flags)))


def resampled(mono: NDArray[np.float32], from_rate: int, to_rate: int) -> NDArray[np.float32]:
    """`mono` at another rate: exactly round(seconds x rate) samples."""
    wanted = round(len(mono) * to_rate / from_rate)
    made = np.asarray(soxr.resample(mono, from_rate, to_rate, quality="HQ"), dtype=np.float32)
    return np.pad(made, (0, wanted - len(made))) if len(made) < wanted else made[:wanted]


class _Mixer:
    """Decodes one stream from `start_s` to `end_s`, mixes it down and keeps account of what it met."""

    def __init__(
        self, name: str, stream: StreamScan, scan: FileScan, start_s: float, end_s: float, progress: Progress
    ) -> None:
        self.name, self.stream, self.format = name, stream, scan.format
        self.start_s, self.end_s, self.progress = start_s, end_s, progress
        self.rate = 0
        self.channels = 1
        self.heard = 0
        """Samples decoded before any cut."""
        self.bad_packets = 0
        self.bad_packets_seen = 0
        """Those before the frame decoded last."""
        self.next_s: float | None = None
        """Presentation time that the next frame should have."""
        self.ended = True
        self.peak = 0.0
        self.channel_energy = 0.0
        self.mono_energy = 0.0

    def run(self, path: str) -> NDArray[np.float32]:
        """Mono samples of the window at the stream's own rate."""
        mono, filled = np.zeros(0, dtype=np.float32), 0
        position: int | None = None
        with opened(path, self.name) as container:
            for frame in self._frames(container):
                samples = planar_samples(frame)
                if position is None:
                    self.rate, self.channels = frame.sample_rate, samples.shape[0]
                    position = self._first_position(frame)
                    mono = np.empty(round(self.end_s * self.rate) - round(self.start_s * self.rate), dtype=np.float32)
                else:
                    self._require_continuity(frame, samples)
                self._expect_next(frame, samples)
                kept = self._cut_and_mixed(frame, samples, position)
                mono[filled : filled + len(kept)] = kept
                filled += len(kept)
                position += samples.shape[1]
                self.heard += samples.shape[1]
                if position >= round(self.end_s * self.rate):
                    self.ended = False
                    break
        self._judge(filled)
        return mono[:filled]

    def _require_continuity(self, frame: Any, samples: NDArray[np.float32]) -> None:
        """Raise `corrupt` where sound is missing before this frame: all that follows would be heard too early."""
        where = f"{self.name}, stream {self.stream.index}"
        at = f"{where}: after {self.heard / self.rate:.2f} s of sound"
        if frame.sample_rate != self.rate or samples.shape[0] != self.channels:
            raise MediaError("corrupt", f"{at} its rate or channels change.")
        if self.bad_packets > self.bad_packets_seen:
            raise MediaError("corrupt", f"{at} comes damaged data. Fetch the file again.")
        time_s = _time_of(frame)
        if time_s is not None and self.next_s is not None and time_s - self.next_s > LARGEST_GAP_S:
            raise MediaError("corrupt", f"{at} {time_s - self.next_s:.2f} s are missing. Fetch the file again.")

    def _expect_next(self, frame: Any, samples: NDArray[np.float32]) -> None:
        time_s = _time_of(frame)
        begun_s = self.next_s if time_s is None else time_s
        self.next_s = None if begun_s is None else begun_s + samples.shape[1] / self.rate
        self.bad_packets_seen = self.bad_packets

    def _frames(self, container: Any) -> Iterator[Any]:
        stream = audio_stream(container)
        if stream is None or decoder_name(stream) is None:
            raise MediaError("unreadable", f"{self.name}, stream {self.stream.index}: no decoder knows its sound.")
        if self.stream.codec == "flac":
            stream.codec_context.options = {"err_detect": "crccheck+explode"}  # else damage is decoded to noise
        if self._seeks():
            before = int((self.start_s - _PREROLL_S) / float(self.stream.time_base))
            container.seek(self._origin() + before, stream=stream, backward=True)
        for packet in packets_of(container, stream):
            try:
                yield from packet.decode()
            except av.error.EOFError:
                return
            except av.error.FFmpegError:
                self.bad_packets += 1
            self.progress()

    def _seeks(self) -> bool:
        exact = "mp4" in self.format.split(",") and not self.stream.from_dts
        return exact and self.start_s >= SEEK_FROM_S

    def _origin(self) -> int:
        """Time of the first sample heard: what lies before 0 in an MP4 is an encoder's run-up, which decoders drop."""
        return max(0, int(self.stream.pts[0]))

    def _first_position(self, frame: Any) -> int:
        if not self._seeks():
            return 0
        ticks = int(frame.pts) - self._origin()
        return round(float(ticks * self.stream.time_base) * self.rate)

    def _cut_and_mixed(self, frame: Any, samples: NDArray[np.float32], position: int) -> NDArray[np.float32]:
        first = max(0, round(self.start_s * self.rate) - position)
        last = max(first, min(samples.shape[1], round(self.end_s * self.rate) - position))
        kept = samples[:, first:last]
        if not np.isfinite(kept).all():
            raise MediaError("non_finite", f"{self.name}, stream {self.stream.index}: a sample is NaN or infinite.")
        names = tuple(channel.name for channel in frame.layout.channels)
        mono: NDArray[np.float32] = (
            downmix_weights(names if len(names) == len(kept) else ("",) * len(kept)) @ kept
        ).astype(np.float32)
        if kept.size:
            self.peak = max(self.peak, float(np.abs(kept).max()))
            self.channel_energy += float(np.mean(np.sum(kept.astype(np.float64) ** 2, axis=1)))
            self.mono_energy += float(np.sum(mono.astype(np.float64) ** 2))
        return mono

    def _judge(self, kept: int) -> None:
        """Raise where the stream gave nothing, too little, or less than its packets promise."""
        where = f"{self.name}, stream {self.stream.index}"
        if not self.heard:
            code = "corrupt" if self.bad_packets else "zero_audio"
            raise MediaError(code, f"{where}: no sample decodes.")
        heard_s = self.heard / self.rate
        longest_s = heard_s if self.ended and not self._seeks() else max(heard_s, self.stream.duration_s)
        if longest_s < SHORTEST_AUDIO_S:
            raise MediaError("short_audio", f"{where}: {longest_s * 1000:.0f} ms of sound, at least 46 are needed.")
        promised_s = self.stream.duration_s
        cut = heard_s + DURATION_SLACK_S < COMPLETE_SHARE * promised_s
        damaged = self.bad_packets > 0 and heard_s + LARGEST_GAP_S < max(promised_s, self.stream.header_s or 0.0)
        if self.ended and not self._seeks() and (cut or damaged):
            code = "corrupt" if self.bad_packets else "short_decode"
            raise MediaError(code, f"{where}: {heard_s:.2f} of {promised_s:.2f} s decode. Fetch the file again.")
        if not kept:
            raise MediaError("bad_window", f"{where}: the window from {self.start_s:g} s holds no sound.")
        if kept < SHORTEST_AUDIO_S * self.rate:
            kept_ms = kept / self.rate * 1000
            raise MediaError(
                "short_audio", f"{where}: {kept_ms:.0f} ms of sound in the window, at least 46 are needed."
            )

    def flags(self) -> Iterator[str]:
        """What is legal but worth knowing."""
        if self.channels > 1:
            yield f"channels: {self.channels}"
        if self.peak < SILENCE_PEAK:
            yield "silent_audio"
        elif self.mono_energy < ANTIPHASE_RATIO**2 * self.channel_energy:
            yield "antiphase"
        if self.peak > 1.0:
            yield "over_range"
        if self.stream.codec.startswith("mp3"):
            yield "encoder_delay"
        if self.bad_packets:
            yield f"bad_packets: {self.bad_packets}"


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
