"""Encoded audio keeps its length and rate, carries no tags, and is the same every time."""

import hashlib
import io
import subprocess
import sys

import av
import numpy as np
import pytest

from musebench_tasks.assembly import decode_pcm, encode_audio, encode_opus, pcm_sha256
from musebench_tasks.base.errors import MediaError

RATE = 24_000


def chord(count=2 * RATE + 137):
    time = np.arange(count) / RATE
    return sum(0.2 * np.sin(2 * np.pi * pitch * time) for pitch in (220, 277.2, 329.6))


def test_decoded_length_rate_and_alignment_are_exact():
    samples = chord()
    decoded, rate = decode_pcm(encode_audio(samples, RATE))
    assert (decoded.shape, rate) == ((len(samples), 1), RATE)
    inner = slice(2000, -2000)
    assert np.corrcoef(decoded[inner, 0], samples[inner])[0, 1] > 0.999


def test_opus_comes_back_whole_at_48_khz_in_place_and_small():
    samples = chord()
    encoded = encode_opus(samples, RATE, 20_000)
    decoded, rate = decode_pcm(encoded)
    assert (decoded.shape, rate) == ((2 * len(samples), 1), 48_000)  # no pre-skip, no end padding
    assert len(encoded) < 1.2 * 20_000 / 8 * len(samples) / RATE
    inner = slice(4000, -4000)
    heard = np.correlate(decoded[inner, 0].astype(float), np.repeat(samples, 2)[4400:-4400], "valid")
    assert abs(int(np.argmax(heard)) - 400) <= 2


def test_opus_from_another_process_has_the_same_bytes():
    script = (
        "import hashlib, numpy as np; from musebench_tasks.assembly import encode_opus; t = np.arange(30000) / 24000;"
        "print(hashlib.sha256(encode_opus(0.5 * np.sin(2 * np.pi * 440 * t), 24000)).hexdigest())"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    here = encode_opus(0.5 * np.sin(2 * np.pi * 440 * np.arange(30_000) / RATE), RATE)
    assert told.strip() == hashlib.sha256(here).hexdigest()


def test_opus_is_mono_only():
    with pytest.raises(MediaError, match="no mono signal"):
        encode_opus(np.zeros((100, 2)), RATE)


def test_stereo_keeps_its_sides():
    samples = np.stack([chord(), np.zeros(len(chord()))], axis=1)
    decoded, _ = decode_pcm(encode_audio(samples, RATE))
    level = np.abs(decoded.astype(float)).mean(axis=0)
    assert decoded.shape == samples.shape
    assert level[0] > 50 * level[1]


def test_same_samples_same_bytes_same_hash():
    one, two = encode_audio(chord(), RATE), encode_audio(chord(), RATE)
    assert one == two
    assert pcm_sha256(one) == pcm_sha256(two) != pcm_sha256(encode_audio(chord() * 0.9, RATE))


@pytest.mark.parametrize("encode", [encode_audio, encode_opus])
def test_no_tags(encode):
    with av.open(io.BytesIO(encode(chord(), RATE))) as container:
        assert not container.metadata
        assert not container.streams.audio[0].metadata


@pytest.mark.parametrize("encode", [encode_audio, encode_opus])
@pytest.mark.parametrize(
    ("samples", "code"),
    [
        (np.zeros(0), "zero_audio"),
        (np.zeros((100, 3)), "zero_audio"),
        (np.array([0.0, np.nan]), "non_finite"),
        (np.array([0.0, 1.5]), "over_range"),
    ],
)
def test_what_is_no_signal_is_refused(samples, code, encode):
    with pytest.raises(MediaError, match=code):
        encode(samples, RATE)
