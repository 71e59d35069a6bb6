"""A recording that is there twice is told, whatever it is called and however it is encoded (MU-02)."""

import numpy as np
import pytest
from fakes.sheets import write_wav

from musebench_tasks.assembly import encode_audio
from musebench_tasks.assembly.fingerprint import fingerprint, sound_features
from musebench_tasks.assembly.same_sound import CODE
from musebench_tasks.cli import main

RATE = 8_000
TUNES = {"up": (220, 262, 330, 392, 440, 523), "down": (523, 440, 392, 330, 262, 220)}


def tune(pitches, level=0.6, seconds=6.0, rate=RATE):
    time = np.arange(round(seconds / len(pitches) * rate)) / rate
    notes = [np.exp(-3 * time) * np.sin(2 * np.pi * hertz * time) for hertz in pitches]
    return (level * np.concatenate(notes)).astype(np.float32)


@pytest.fixture
def told(tmp_path, capsys):
    """What `data check` flags of the files that are written, by file."""

    def check(*arguments):
        assert main(["data", "check", str(tmp_path), *arguments]) == 0
        lines = capsys.readouterr().out.splitlines()
        return [line for line in lines if f"{CODE}: " in line]

    return check


def test_the_same_bytes_another_encoding_and_another_level_are_the_same(tmp_path, told):
    write_wav(tmp_path / "a.wav", tune(TUNES["up"]), RATE)
    write_wav(tmp_path / "b.wav", tune(TUNES["down"]), RATE)
    (tmp_path / "c.wav").write_bytes((tmp_path / "b.wav").read_bytes())
    (tmp_path / "d.mp3").write_bytes(encode_audio(tune(TUNES["up"], 0.2, rate=24_000), 24_000, 32_000))
    assert told() == [f"flag  c.wav (b.wav), d.mp3 (a.wav): {CODE}: sounds like another medium."]


def test_what_merely_resembles_it_is_not(tmp_path, told):
    others = {
        "another": tune(TUNES["down"]),
        "faster": tune(TUNES["up"], seconds=5),
        "later": np.roll(tune(TUNES["up"]), RATE // 2),
        "transposed": tune([1.15 * hertz for hertz in TUNES["up"]]),
    }
    for name, samples in {"a": tune(TUNES["up"]), **others}.items():
        write_wav(tmp_path / f"{name}.wav", samples, RATE)
    assert told() == []


def test_where_nothing_is_heard_nothing_is_alike(tmp_path, told):
    """Both are silent where they are listened to."""
    for name, pitches in TUNES.items():
        late = np.zeros(30 * RATE, dtype=np.float32)
        late[-RATE:][: RATE // 2] = tune(pitches)[: RATE // 2]
        write_wav(tmp_path / f"{name}.wav", late, RATE)
    assert told() == []


def test_features_are_those_of_the_fingerprint():
    levels, centres = sound_features(fingerprint(None, tune(TUNES["up"]), RATE))
    assert (len(levels), levels.min(), centres.max()) == (32, 0, 57)
    for text in ("1", "1;v=0000000000000000", "2;a="):
        with pytest.raises(ValueError, match="is no fingerprint of a sound"):
            sound_features(text)
