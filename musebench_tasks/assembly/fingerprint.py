"""A perceptual fingerprint of a stretch of film or sound: alike for alike content, whatever the encoding.

`1;v=H0.H1…;a=LL…;b=CC…`, parts missing where there is no such stream.

- v: eight frames, evenly spread from the beginning. Each becomes 8 x 8 grey values; a bit says whether a value lies
  more than 2 of 255 above their mean (row by row, 16 hex digits).
- a: thirty-two blocks of equal length. Each is its level (RMS) in whole decibels below the loudest, at most 63 (two hex
  digits).
- b: of the same blocks, the centre of gravity of the power below 4 kHz in semitones above 20 Hz, 0 where the block is
  60 dB or more below the loudest (two hex digits).

Two are of the same content if the median over frames of the bits that differ is at most 12 of 64, the mean difference
of levels at most 3 dB, and that of the centres at most 2 semitones. It recognises a wrong or cut upload, not a forgery.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

VERSION = "1"
FRAMES, SIDE, BLOCKS = 8, 8, 32
MOST_BITS, MOST_DB, MOST_SEMITONES = 12.0, 3.0, 2.0
_ABOVE_MEAN = 2
_QUIETEST_DB, _NO_CENTRE_DB = 63, 60
_LOWEST_HZ, _HIGHEST_HZ = 20.0, 4_000.0
_FORM = re.compile(r"1(;v=(?P<v>[0-9a-f]{16}(\.[0-9a-f]{16})*))?(;a=(?P<a>[0-9a-f]{64});b=(?P<b>[0-9a-f]{64}))?")


class DecodedDifference(NamedTuple):
    """How two fingerprints differ; None where either lacks the stream."""

    bits: float | None
    decibels: float | None
    semitones: float | None

    @property
    def is_same(self) -> bool:
        """Whether both are of the same content."""
        sound = (self.decibels or 0.0) <= MOST_DB and (self.semitones or 0.0) <= MOST_SEMITONES
        return sound and (self.bits or 0.0) <= MOST_BITS

    @property
    def text(self) -> str:
        """All of it in words."""
        parts = [(self.bits, "of 64 bits"), (self.decibels, "dB"), (self.semitones, "semitones")]
        return ", ".join(f"{value:.1f} {unit}" for value, unit in parts if value is not None)


def fingerprint(frames: Any | None, samples: Any | None, sample_rate: int = 0) -> str:
    """The fingerprint of frames (uint8, T x height x width x RGB) and of mono samples, their rate in Hz; or of one."""
    parts = [VERSION]
    if frames is not None and len(frames):
        parts.append("v=" + ".".join(_frame_hash(frame) for frame in frames))
    if samples is not None and len(samples):
        blocks = np.array_split(np.asarray(samples, dtype=np.float64), BLOCKS)
        below = _below_loudest(blocks)
        parts.append(f"a={bytes(np.clip(np.round(below), 0, _QUIETEST_DB).astype(np.uint8)).hex()}")
        centres = [
            _centre(block, sample_rate) if db < _NO_CENTRE_DB else 0 for block, db in zip(blocks, below, strict=True)
        ]
        parts.append(f"b={bytes(centres).hex()}")
    return ";".join(parts)


def is_fingerprint(text: str) -> bool:
    """Whether a text is a fingerprint of this version."""
    return _FORM.fullmatch(text) is not None


def difference(first: str, second: str) -> DecodedDifference:
    """How two fingerprints of this version differ."""
    one, other = _FORM.fullmatch(first), _FORM.fullmatch(second)
    if one is None or other is None:
        raise ValueError(f"{(first if one is None else second)!r} is no fingerprint of version {VERSION}")
    bits = _bits(one["v"], other["v"]) if one["v"] and other["v"] else None
    levels = _mean_apart(one["a"], other["a"]) if one["a"] and other["a"] else None
    centres = _mean_apart(one["b"], other["b"]) if one["b"] and other["b"] else None
    return DecodedDifference(bits, levels, centres)


def sound_features(text: str) -> Any:
    """Of the sound in a fingerprint of this version: decibels below the loudest and semitones, float, 2 x blocks."""
    found = _FORM.fullmatch(text)
    if found is None or not found["a"]:
        raise ValueError(f"{text!r} is no fingerprint of a sound, of version {VERSION}")
    return np.array([_numbers(found["a"]), _numbers(found["b"])], dtype=np.float64)


def _numbers(text: str) -> Any:
    return np.frombuffer(bytes.fromhex(text), dtype=np.uint8).astype(np.int64)


def _frame_hash(frame: Any) -> str:
    grey = np.asarray(Image.fromarray(frame).convert("L").resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.int64)
    bits = grey.reshape(-1) * grey.size > grey.sum() + _ABOVE_MEAN * grey.size
    return np.packbits(bits).tobytes().hex()


def _below_loudest(blocks: list[Any]) -> Any:
    """How many decibels each block lies below the loudest; 0 in silence."""
    power = np.array([np.mean(block**2) if len(block) else 0.0 for block in blocks])
    if power.max() <= 0:
        return np.zeros(len(blocks))
    with np.errstate(divide="ignore"):
        return -10 * np.log10(power / power.max())


def _centre(block: Any, sample_rate: int) -> int:
    """The centre of gravity of a block's spectrum, in semitones."""
    if len(block) == 0:
        return 0
    power = np.abs(np.fft.rfft(block)) ** 2
    hertz = np.fft.rfftfreq(len(block), 1 / sample_rate)
    heard = (hertz >= _LOWEST_HZ) & (hertz <= _HIGHEST_HZ)
    total = power[heard].sum()
    if total <= 0:
        return 0
    return round(12 * float(np.log2((hertz[heard] * power[heard]).sum() / total / _LOWEST_HZ)))


def _bits(first: str, second: str) -> float:
    pairs = zip(first.split("."), second.split("."), strict=False)
    counts = [(int(a, 16) ^ int(b, 16)).bit_count() for a, b in pairs]
    return float(np.median(counts))


def _mean_apart(first: str, second: str) -> float:
    return float(np.abs(_numbers(first) - _numbers(second)).mean())
