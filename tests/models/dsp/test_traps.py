"""dsp where such systems go wrong: metrical levels, swing, players who drift, drums without pitch, noise."""

import json

import numpy as np
import pytest
from fakes.media_group import FakeGroup, make_request, sound
from fakes.synthetic_music import RATE, add, clicks, kick, noise, song, tone

from musebench_tasks.models.dsp import load

NAMES = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
KICK, SNARE, HAT = "kick", "snare", "hat"
ROCK = ((0, KICK), (1, SNARE), (2, KICK), (3, SNARE), *((beat / 2, HAT) for beat in range(8)))
WALTZ = ((0, KICK), (1, SNARE), (2, SNARE), *((beat / 2, HAT) for beat in range(6)))
SWING = (
    (0, KICK),
    (1, SNARE),
    (2, KICK),
    (3, SNARE),
    *((beat + part, HAT) for beat in range(4) for part in (0, 2 / 3)),
)
JIG = ((0, KICK), (1, SNARE), *((beat / 3, HAT) for beat in range(6)))
DRUM_AND_BASS = ((0, KICK), (2.5, KICK), (1, SNARE), (3, SNARE), *((beat / 2, HAT) for beat in range(8)))


def answers(samples, rate=RATE):
    (response,) = load().answer(FakeGroup((make_request(),), sound(np.asarray(samples, np.float32), rate)))
    return json.loads(response.raw)


def drums(bpm, pattern, beats, seconds=20.0, jitter_s=0.0, drift=0.0):
    """A loop of `pattern`, pairs (beat, drum) in a bar of `beats`; drums `jitter_s` apart, tempo swaying by `drift`."""
    random = np.random.default_rng(1)
    samples = np.zeros(int((seconds + 1) * RATE))
    for bar in range(int(seconds * bpm / 60 / beats) + 1):
        for beat, drum in pattern:
            time = (bar * beats + beat) * 60 / bpm
            time += drift * np.sin(time / 3) * 3 + random.normal(0, jitter_s)
            if 0 <= time < seconds:
                add(samples, time, hit(drum, random), RATE)
    return samples[: int(seconds * RATE)]


def hit(drum, random):
    if drum == KICK:
        return kick(RATE)
    return noise(random, 0.12, RATE, 0.25) if drum == SNARE else noise(random, 0.03, RATE, 0.08)


@pytest.mark.parametrize("rate", [8000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000])
def test_120_is_120_at_every_sample_rate(rate):
    assert answers(clicks(120, 20, rate), rate)["tempo"] == pytest.approx(120, rel=0.0002)


@pytest.mark.parametrize(("bpm", "metre"), [(50, "6/8"), (70, "6/8"), (55, "4/4"), (126, "3/4"), (174, "4/4")])
def test_songs_at_the_edges_keep_their_beat(bpm, metre):
    found = answers(song(2, "minor", bpm, metre, 25))
    assert found["tempo"] == pytest.approx(bpm, rel=0.001)
    assert found["time_signature"] == metre


@pytest.mark.parametrize(
    ("bpm", "pattern", "beats", "metre"),
    [
        (100, ROCK, 4, "4/4"),
        (60, ROCK, 4, "4/4"),
        (140, ROCK, 4, "4/4"),
        (120, WALTZ, 3, "3/4"),
        (66, JIG, 2, "6/8"),
        (174, DRUM_AND_BASS, 4, "4/4"),
    ],
)
def test_a_drum_loop_has_tempo_and_metre_but_no_key(bpm, pattern, beats, metre):
    found = answers(drums(bpm, pattern, beats))
    assert found["tempo"] == pytest.approx(bpm, rel=0.001)
    assert (found["key"], found["time_signature"]) == (None, metre)


@pytest.mark.parametrize("bpm", [90, 120, 150])
def test_swing_keeps_the_beat(bpm):
    assert answers(drums(bpm, SWING, 4))["tempo"] == pytest.approx(bpm, rel=0.001)


@pytest.mark.parametrize(("jitter_s", "drift"), [(0.008, 0), (0.015, 0), (0, 0.02), (0.008, 0.02)])
def test_players_are_no_machines(jitter_s, drift):
    found = answers(drums(104, ROCK, 4, 30, jitter_s, drift))
    assert found["tempo"] == pytest.approx(104, rel=0.02)
    assert found["time_signature"] == "4/4"


def test_soft_onsets_have_a_tempo():
    samples = np.zeros(30 * RATE)
    for beat in range(48):
        for note in ((60, 64, 67), (57, 60, 65), (59, 62, 67), (60, 64, 67))[beat // 4 % 4]:
            swell = tone(note, 0.6, RATE, 0.1)
            add(samples, beat * 60 / 96, swell * np.minimum(1, np.arange(len(swell)) / (0.1 * RATE)), RATE)
    assert answers(samples)["tempo"] == pytest.approx(96, rel=0.005)


@pytest.mark.parametrize("colour", ["white", "brown"])
@pytest.mark.parametrize("seconds", [6, 20])
def test_noise_has_neither_tempo_nor_key(colour, seconds):
    samples = np.random.default_rng(2).standard_normal(seconds * RATE) * 0.1
    found = answers(np.cumsum(samples) * 0.01 if colour == "brown" else samples)
    assert (found["tempo"], found["key"], found["time_signature"]) == (None, None, None)


def test_unrelated_onsets_have_no_tempo():
    random = np.random.default_rng(3)
    samples = np.zeros(20 * RATE)
    for time in random.uniform(0, 19, 50):
        add(samples, time, noise(random, 0.1, RATE, 0.3), RATE)
    found = answers(samples)
    assert (found["tempo"], found["time_signature"], found["key"]) == (None, None, None)


def test_a_metronome_has_a_tempo_but_no_metre():
    found = answers(clicks(96, 20))
    assert found["tempo"] == pytest.approx(96, rel=0.0002)
    assert (found["time_signature"], found["key"]) == (None, None)


@pytest.mark.parametrize("mode", ["major", "minor"])
@pytest.mark.parametrize("tonic", range(12))
def test_transposing_moves_the_key(tonic, mode):
    assert answers(song(tonic, mode, 110, "4/4", 9))["key"] == f"{NAMES[tonic]} {mode}"


@pytest.mark.parametrize("cents", [-40, 30])
def test_instruments_out_of_concert_pitch_keep_their_key(cents):
    rate = round(RATE * 2 ** (cents / 1200))
    assert answers(song(2, "major", 110, "4/4", 12), rate)["key"] == "D major"


@pytest.mark.parametrize("gain", [0.01, 0.3])
def test_gain_changes_nothing(gain):
    samples = song(7, "minor", 88, "3/4", 20)
    expected, found = answers(samples), answers(gain * samples)
    assert found["tempo"] == pytest.approx(expected["tempo"], rel=1e-4)
    assert {**found, "tempo": 0} == {**expected, "tempo": 0}


def test_answers_come_again():
    samples = song(5, "major", 77, "6/8", 20)
    assert answers(samples) == answers(samples)
