"""The sound of a recording: where its file lies, and how it is encoded anew without anything that tells what it is."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np

from musebench_tasks.assembly.audio import decode_pcm, encode_audio, encode_opus
from musebench_tasks.assembly.mub.config import AudioEncoding
from musebench_tasks.assembly.mub.file_names import file_inside
from musebench_tasks.assembly.mub.masking import audio_hash
from musebench_tasks.assembly.mub.tracks import MubTrack
from musebench_tasks.base.errors import MediaError
from musebench_tasks.items.annotations.raw_values import AUDIO_SUFFIXES
from musebench_tasks.values import Span, validate_reference

MP3_RATES = frozenset({8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000})
OTHER_RATE = 44_100
OPUS_RATE = 48_000
SUFFIX = {"mp3": ".mp3", "opus": ".ogg"}


class Sound(NamedTuple):
    """An encoded recording, and what the evaluator keeps of its source."""

    file: Path
    """The recording encoded anew: on disk, for a collection may be larger than the memory."""
    duration_s: float
    """Decoded seconds of the source."""
    samples_sha256: str
    """Over the decoded samples: equal for files that differ in tags alone."""
    fingerprint: str
    """`audio_hash` of the source file."""
    source_bytes: int
    source_sha256: str


def audio_files(tracks: Sequence[MubTrack], folders: Sequence[Path]) -> dict[str, Path]:
    """The source file of each track that has one: the path its facts name, else the only file called after it.

    A name without its folder and ending, `01` for `cd1/01.wav`, counts where one file alone is called so.
    """
    by_stem = [_only_files(folder) for folder in folders]
    found = {}
    for track in tracks:
        named = track.facts.get("audio")
        path = file_inside(named, [(each, each) for each in folders]) if named else None
        stems = [Path(named).stem] if named else []
        others = (files[stem] for stem in (*stems, track.id) for files in by_stem if stem in files)
        path = path or next(others, None)
        if path is not None:
            found[track.id] = path
    return found


def _only_files(folder: Path) -> dict[str, Path]:
    """Sound files by their names without endings, but those that several have in common."""
    files: dict[str, list[Path]] = {}
    for file in folder.rglob("*"):
        if file.suffix.lower() in AUDIO_SUFFIXES and file.is_file():
            files.setdefault(file.stem, []).append(file)
    return {stem: its[0] for stem, its in files.items() if len(its) == 1}


def read_sound(path: Path, encoding: AudioEncoding, folder: Path) -> Sound:
    """Decode a source file and encode it anew into `folder`, without tags; MediaError where that is impossible."""
    data = path.read_bytes()
    try:
        samples, rate = decode_pcm(data)
    except (av.FFmpegError, IndexError) as problem:
        told = getattr(problem, "strerror", None) or "it holds no sound"
        raise MediaError("unreadable", f"cannot be decoded ({told}). Replace the file.") from problem
    digest = hashlib.sha256(samples.astype("<i2").tobytes()).hexdigest()
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(encoded(samples, rate, encoding))
    return Sound(
        Path(file.name),
        round(len(samples) / rate, 6),
        digest,
        audio_hash(data),
        len(data),
        hashlib.sha256(data).hexdigest(),
    )


def encoded(samples: Any, rate: int, encoding: AudioEncoding) -> bytes:
    """An audio file of 16-bit samples, shape (n, channels): more than two channels become one, odd rates 44.1 kHz."""
    signal = samples.astype(np.float32) / 32_768
    if signal.shape[1] > 2 or encoding.codec == "opus":
        signal = signal.mean(axis=1, keepdims=True)
    if encoding.codec == "opus":
        return encode_opus(_at_rate(signal, rate, OPUS_RATE), OPUS_RATE, encoding.bit_rate)
    kept = rate if rate in MP3_RATES else OTHER_RATE
    return encode_audio(_at_rate(signal, rate, kept), kept, encoding.bit_rate)


def _at_rate(signal: Any, rate: int, wanted: int) -> Any:
    if rate == wanted:
        return signal
    import soxr

    return np.clip(soxr.resample(signal, rate, wanted), -1.0, 1.0)


def fitting_segments(track: MubTrack, duration_s: float) -> tuple[Span, ...]:
    """The segments of a track within the decoded duration; MediaError where they go further than half a second."""
    checked = validate_reference(track.segments, duration_s, label_aware=True)
    if checked.problems:
        first = checked.problems[0]
        text = f"segment {first.row + 1} ({first.found}) does not fit into the {duration_s:g} s that the file lasts."
        raise MediaError(first.code, f"{text} Give the whole recording, or correct the segments.")
    return checked.intervals


def twin_of(sound: Sound, others: Mapping[str, Sound]) -> str | None:
    """The track in `others` that sounds the very same: one file, or one decoded signal under other tags."""
    return next((name for name, each in others.items() if each.samples_sha256 == sound.samples_sha256), None)
