"""A fingerprint stays nearly the same through other encodings, and differs for other content."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from musebench_tasks.assembly import decode_pcm, encode_audio
from musebench_tasks.assembly.fingerprint import difference, fingerprint, is_fingerprint

RATE = 24_000


def tune(pitches, seconds=6.0):
    time = np.arange(round(seconds / len(pitches) * RATE)) / RATE
    notes = [np.exp(-2 * time) * np.sin(2 * np.pi * hertz * time) for hertz in pitches]
    return (0.6 * np.concatenate(notes)).astype(np.float32)


UP = (220, 262, 330, 440, 523, 659)


def encoded(samples, bit_rate):
    pcm, rate = decode_pcm(encode_audio(samples, RATE, bit_rate))
    return pcm[:, 0] / 32768, rate


@pytest.mark.parametrize("bit_rate", [32_000, 96_000])
def test_sound_is_known_again_through_encodings_and_levels(bit_rate):
    known = fingerprint(None, tune(UP), RATE)
    samples, rate = encoded(0.3 * tune(UP), bit_rate)
    apart = difference(known, fingerprint(None, samples, rate))
    assert apart.is_same
    assert apart.decibels < 1
    assert apart.semitones < 1


@pytest.mark.parametrize("other", [tune(UP[::-1]), tune(UP)[: 3 * RATE], np.roll(tune(UP), RATE // 2)])
def test_other_or_cut_or_shifted_sound_is_not(other):
    apart = difference(fingerprint(None, tune(UP), RATE), fingerprint(None, other, RATE))
    assert not apart.is_same
    assert "semitones" in apart.text


def frames(seed, count=8):
    """Smooth pictures that change from frame to frame."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        small = random.integers(0, 256, (4, 4, 3), dtype=np.uint8)
        yield np.asarray(Image.fromarray(small).resize((160, 120), Image.Resampling.BICUBIC))


def smaller(picture):
    """The same picture, smaller and through a strong JPEG."""
    coded = io.BytesIO()
    Image.fromarray(picture).resize((96, 72)).save(coded, "JPEG", quality=30)
    return np.asarray(Image.open(coded))


def test_frames_are_known_again_when_smaller_and_compressed():
    known = fingerprint(list(frames(1)), None)
    assert difference(known, fingerprint([smaller(each) for each in frames(1)], None)).bits <= 4
    assert not difference(known, fingerprint(list(frames(2)), None)).is_same


def test_flat_pictures_and_silence_are_like_themselves():
    random = np.random.default_rng(0)
    black = np.zeros((48, 64, 3), dtype=np.uint8)
    noisy = random.integers(0, 2, black.shape, dtype=np.uint8)
    assert difference(fingerprint([black], np.zeros(RATE), RATE), fingerprint([noisy], np.zeros(RATE), RATE)).is_same


def test_a_stream_that_one_lacks_is_not_compared():
    film, sound = fingerprint(list(frames(1)), None), fingerprint(None, tune(UP), RATE)
    assert difference(film, sound) == (None, None, None)
    with pytest.raises(ValueError, match="no fingerprint of version 1"):
        difference(film, "2;v=00")


@given(
    st.lists(st.floats(-1, 1, allow_nan=False), max_size=400),
    st.integers(0, 3),
    st.sampled_from([8_000, 44_100]),
)
def test_any_signal_has_a_fingerprint_and_equals_itself(samples, count, rate):
    pictures = [np.full((9, 7, 3), 40 * number, dtype=np.uint8) for number in range(count)]
    text = fingerprint(pictures or None, np.array(samples), rate)
    assert is_fingerprint(text)
    assert difference(text, text).is_same


def test_the_form_is_written_down():
    assert is_fingerprint(fingerprint(None, None))
    assert not is_fingerprint("1;v=xyz")
