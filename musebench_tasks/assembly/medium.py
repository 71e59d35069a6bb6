"""One medium of a dataset: its window cut out where asked, encoded anew without tags, or kept where it tells nothing.

Sound becomes MP3, mixed to mono as every model hears it, and WAV where it lasts only seconds; a film becomes H.264 and
AAC in MP4. Films that readers show differently (turned, with odd pixels, HDR) are set upright by the code that decodes
for models.
"""

from __future__ import annotations

import hashlib
import shutil
import uuid
from pathlib import Path
from typing import Any, Literal, NamedTuple

import av
import numpy as np
import soxr

from musebench_tasks.assembly.audio import encode_audio
from musebench_tasks.assembly.video import SUFFIX as FILM_SUFFIX
from musebench_tasks.assembly.video import ClipEncoding, cut_clip
from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.records import MediaPart, MediaSource, Modality, Record
from musebench_tasks.media import MediaCache
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, DecodeProcess
from musebench_tasks.media.fetch import Fetcher, audio_wish
from musebench_tasks.media.masked import png_bytes
from musebench_tasks.media.sniff import HEAD_BYTES, suffix_of
from musebench_tasks.media.unpack import MediaFile, media_file
from musebench_tasks.media.wav import encode_wav

MP3_RATES = (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)
SOUND_SUFFIX, SHORT_SOUND_SUFFIX = ".mp3", ".wav"
_BLOCK = 16
SHOWN_DIFFERENTLY = frozenset(
    {
        "rotation", "sar", "hdr", "alpha", "color_range", "bit_depth", "edit_list", "dts_fallback", "first_pts_s",
        "counted",
    }
)  # fmt: skip


class MediaSettings(Record):
    """How media of a dataset are made."""

    mode: Literal["encode", "keep"] = "encode"
    """`keep` leaves a file as it lies where it is whole and holds no tags; anything else is encoded."""
    cut: bool = False
    """Whether a row's medium is its window alone."""
    audio_kbps: int = 96
    max_pixels: int = 1280 * 720
    crf: float = 23.0


class SurveyedWindow(NamedTuple):
    """What of a medium is taken, in seconds; None = to its beginning or end."""

    start_s: float | None = None
    end_s: float | None = None


class MediumMaker:
    """Makes media in a work folder; each source and window once."""

    def __init__(self, work: Path, settings: MediaSettings, cache: MediaCache, process: DecodeProcess) -> None:
        self.work, self.settings = work, settings
        self.fetcher = Fetcher(cache, process, DEFAULT_TIMEOUT_S)
        self._made: dict[tuple[str, SurveyedWindow], Path] = {}

    def make(self, source: MediaSource, window: SurveyedWindow, is_film: bool, *, is_plain: bool = True) -> Path:
        """The medium of a row; `is_plain`: all readers show its pictures alike. MediaError where it does not decode."""
        file = media_file(source, self.fetcher.cache)
        key = (file.sha256, window)
        if key not in self._made:
            target = self.work / hashlib.sha256(f"{file.sha256}|{window}".encode()).hexdigest()[:32]
            self._made[key] = self._make(file, source, window, target, is_film, is_plain)
        return self._made[key]

    def _make(
        self, file: MediaFile, source: MediaSource, window: SurveyedWindow, target: Path, is_film: bool, is_plain: bool
    ) -> Path:
        probe = self.fetcher.probe(file)
        whole = window == SurveyedWindow()
        if self.settings.mode == "keep" and whole and is_plain and not probe["tagged"]:
            kept = target.with_suffix(suffix_of(_head(file.path)) or file.path.suffix.lower())
            shutil.copyfile(file.path, kept)
            return kept
        if probe["format"] == "picture":
            return self._picture(file, target)
        if is_film and probe["video_s"] is not None:
            end = window.end_s if window.end_s is not None else float(probe["video_s"])
            span = SurveyedWindow(window.start_s or 0.0, min(end, float(probe["video_s"])))
            film = target.with_suffix(FILM_SUFFIX)
            if is_plain:
                film.write_bytes(cut_clip(file.path, span.start_s or 0.0, span.end_s or 0.0, self._encoding(file.path)))
            else:
                self._upright(file, source, probe, span, film)
            return film
        return self._sound(file, source, window, target.with_suffix(SOUND_SUFFIX))

    def _picture(self, file: MediaFile, target: Path) -> Path:
        from PIL import Image, ImageOps

        with Image.open(file.path) as picture:
            pixels = np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
        made = target.with_suffix(".png")
        made.write_bytes(png_bytes(pixels))
        return made

    def _sound(self, file: MediaFile, source: MediaSource, window: SurveyedWindow, target: Path) -> Path:
        samples, rate = self._samples(file, source, window)
        if _is_padding_much(len(samples), rate):
            target = target.with_suffix(SHORT_SOUND_SUFFIX)
            target.write_bytes(encode_wav(samples, rate))
        else:
            target.write_bytes(encode_audio(samples, rate, self.settings.audio_kbps * 1000))
        return target

    def _samples(self, file: MediaFile, source: MediaSource, window: SurveyedWindow) -> tuple[Any, int]:
        """The window's sound within full scale, at a rate that MP3 knows."""
        part = MediaPart(modality=Modality.AUDIO, source=source, start_s=window.start_s, end_s=window.end_s)
        entry = self.fetcher.entry(file, audio_wish(part, None, None))
        samples = np.frombuffer(entry.parts[0], dtype="<f4")
        rate = int(entry.details["sample_rate"])
        if rate not in MP3_RATES:
            known = next((each for each in MP3_RATES if each > rate), MP3_RATES[-1])
            samples, rate = soxr.resample(samples, rate, known, quality="HQ"), known
        peak = float(np.abs(samples).max(initial=0.0))
        return (samples / np.float32(peak * (1 + 1e-6)) if peak > 1 else samples), rate

    def _upright(
        self, file: MediaFile, source: MediaSource, probe: dict[str, Any], span: SurveyedWindow, target: Path
    ) -> None:
        settings: dict[str, Any] = {
            "start_s": span.start_s, "end_s": span.end_s, "max_pixels": self.settings.max_pixels,
        }  # fmt: skip
        samples_file = target.with_name(f"{uuid.uuid4().hex}.f32")
        if probe["audio_s"] is not None:
            samples, rate = self._samples(file, source, span)
            samples_file.write_bytes(np.asarray(samples, dtype="<f4").tobytes())
            settings |= {"samples_file": str(samples_file), "sample_rate": rate}
        try:
            self.fetcher.film(file, settings, target)
        finally:
            samples_file.unlink(missing_ok=True)

    def _encoding(self, path: Path) -> ClipEncoding:
        """The source's size, scaled down where it is larger than asked, in whole blocks."""
        with av.open(str(path)) as container:
            context = container.streams.video[0].codec_context
            width, height = context.width, context.height
        scale = min(1.0, (self.settings.max_pixels / (width * height)) ** 0.5)
        blocks = [max(1, round(side * scale / _BLOCK)) * _BLOCK for side in (width, height)]
        return ClipEncoding(width=blocks[0], height=blocks[1], crf=self.settings.crf, preset="veryfast")


def is_plain_film(survey: dict[str, Any]) -> bool:
    """Whether all readers show a film alike, by what decoding it to its end told (`media.survey`)."""
    told = [*survey["flags"], *(survey["video"] or {}).get("flags", ())]
    return SHOWN_DIFFERENTLY.isdisjoint(flag.partition(":")[0] for flag in told)


def _is_padding_much(count: int, rate: int) -> bool:
    """Whether the silence that MP3 adds, up to three frames, is a sixtieth of a sound: not all readers cut it."""
    frame = 1152 if rate >= MP3_RATES[6] else 576
    return count < 60 * 3 * frame


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def require_streams(probe: dict[str, Any], is_film: bool, name: str) -> None:
    """MediaError where a medium lacks the stream that its column promises."""
    wanted = "video_s" if is_film else "audio_s"
    if probe[wanted] is None and probe["format"] != "picture":
        code, stream = ("no_video", "film") if is_film else ("no_audio", "sound")
        raise MediaError(code, f"{name}: it holds no {stream}.")
