"""dsp: the project's recipe for tempo, key and metre, on music made here."""

import json

import numpy as np
import pytest
from fakes.media_group import FakeGroup, make_request, sound
from fakes.synthetic_music import RATE, clicks, song

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, Modality
from musebench_tasks.models.dsp import PARAMETERS, load
from musebench_tasks.models.dsp.key import KEYS, key_of_weights, profiles
from musebench_tasks.models.dsp.spectrum import ANALYSIS_RATE, to_analysis_rate

ALL_NULL = {"tempo": None, "key": None, "time_signature": None, "segments": None}


def answers(samples, rate=RATE, model="", **details):
    (response,) = load(model).answer(FakeGroup((make_request(**details),), sound(samples, rate)))
    return json.loads(response.raw)


@pytest.mark.parametrize("number", range(24))
def test_each_profile_is_its_own_key(number):  # music_metrics.md 10
    assert key_of_weights(profiles()[number]) == KEYS[number]


def test_profiles_are_krumhansl_and_kessler():
    assert profiles()[0][1] == 2.23  # not 2.33, as music21 had it
    assert profiles()[12][9] == 2.69


@pytest.mark.parametrize("bpm", [42, 60, 77.7, 83, 100, 117.3, 120, 133.33, 174])
def test_tempo_has_no_grid(bpm):
    assert answers(clicks(bpm, 30))["tempo"] == pytest.approx(bpm, rel=0.0002)  # music_metrics.md 10, step 3


def test_bare_clicks_beyond_all_music_are_at_most_a_metrical_level_off():
    ratio = answers(clicks(208, 30))["tempo"] / 208
    assert min(abs(ratio / level - 1) for level in (1 / 3, 1 / 2, 1)) < 0.0002


@pytest.mark.parametrize(
    ("tonic", "mode", "bpm", "metre", "name"),
    [
        (0, "major", 118.0, "4/4", "C major"),
        (3, "major", 92.5, "4/4", "Eb major"),
        (9, "minor", 104.0, "4/4", "A minor"),
        (6, "minor", 126.0, "3/4", "F# minor"),
        (10, "major", 95.0, "3/4", "Bb major"),
        (2, "minor", 70.0, "6/8", "D minor"),
        (7, "major", 78.0, "6/8", "G major"),
    ],
)
def test_songs(tonic, mode, bpm, metre, name):
    found = answers(song(tonic, mode, bpm, metre))
    assert found["tempo"] == pytest.approx(bpm, rel=0.001)
    assert (found["key"], found["time_signature"]) == (name, metre)


@pytest.mark.parametrize("model", ["", "paper"])
@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(30 * RATE, np.float32),
        np.full(30 * RATE, 0.3, np.float32),
        np.full(30 * RATE, np.nan, np.float32),
        np.zeros(0, np.float32),
        clicks(120, 0.1),
        song(0, "major", 120, "4/4", seconds=1),
    ],
    ids=["silence", "constant offset", "not a number", "no samples", "a tenth of a second", "a second"],
)
def test_nothing_to_hear_is_null(samples, model):
    assert answers(samples, model=model) == ALL_NULL


def test_five_seconds_are_enough():
    found = answers(song(0, "major", 120, "4/4", seconds=5))
    assert found["tempo"] == pytest.approx(120, rel=0.01)
    assert found["key"] == "C major"


def test_a_steady_tone_has_a_key_perhaps_but_no_tempo():
    tone = np.sin(2 * np.pi * 440 * np.arange(10 * RATE) / RATE).astype(np.float32)
    assert answers(tone)["tempo"] is None


def test_order_of_files_changes_nothing():
    model = load()
    recordings = [song(0, "major", 120, "4/4", 12), np.zeros(RATE, np.float32), song(9, "minor", 80, "3/4", 12)]
    groups = [FakeGroup((make_request(number),), sound(each, RATE)) for number, each in enumerate(recordings)]
    forward = [next(model.answer(group)).raw for group in groups]
    backward = [next(model.answer(group)).raw for group in reversed(groups)]
    assert forward == backward[::-1]


def test_integers_and_stereo_say_the_same():
    samples = 0.5 * song(0, "major", 120, "4/4", 12)
    whole = np.round(samples * 32768).clip(-32768, 32767).astype(np.int16)
    expected = answers(samples)
    assert answers(whole)["key"] == expected["key"]
    assert answers(whole)["tempo"] == pytest.approx(expected["tempo"], rel=1e-4)
    assert answers(np.stack([samples, samples], axis=1)) == expected


@pytest.mark.parametrize("rate", [8000, 11_025, 16_000, 44_100, 48_000, 44_101])
def test_any_sample_rate(rate):
    found = answers(song(0, "major", 120, "4/4", 12, rate=rate), rate=rate)
    assert found["tempo"] == pytest.approx(120, rel=0.001)
    assert found["key"] == "C major"


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32])
def test_integers_are_scaled_by_their_range(dtype):
    limits = np.iinfo(dtype)
    mono = to_analysis_rate(np.array([limits.min, limits.max], dtype), ANALYSIS_RATE)
    assert mono == pytest.approx([-1, 1], abs=0.01)


def test_level_does_not_matter_for_tempo():
    samples = song(7, "major", 110, "4/4", 20)
    assert answers(0.05 * samples)["tempo"] == pytest.approx(answers(samples)["tempo"], rel=1e-3)


def test_only_the_fields_asked_for_are_answered():
    assert set(answers(clicks(100, 8), fields=("tempo", "key"))) == {"tempo", "key"}


def test_without_audio_every_field_is_null():
    (response,) = load().answer(FakeGroup((make_request(condition=CONDITIONS["text_only"]),)))
    assert json.loads(response.raw) == ALL_NULL


def test_one_recording_is_decoded_once_for_all_its_requests():
    group = FakeGroup(tuple(make_request(number) for number in range(3)), sound(clicks(100, 8), RATE))
    responses = list(load().answer(group))
    assert [each.key for each in responses] == [each.key for each in group.requests]
    assert group.decoded == {"audio": 1}
    assert responses[0].received.audio_s == pytest.approx(8)


def test_paper_variant_answers_in_quarters_and_without_segments():
    found = answers(song(0, "major", 120, "4/4", 20), model="paper")
    assert min(abs(found["tempo"] / (120 * factor) - 1) for factor in (0.5, 1)) < 0.02
    assert found["key"] == "C major"
    assert found["time_signature"].endswith("/4")
    assert found["segments"] is None


def test_identity():
    model, paper = load(), load("paper")
    assert (model.name, paper.name) == ("dsp", "dsp:paper")
    assert model.revision == PARAMETERS[""] != paper.revision
    assert model.kinds == {Kind.MUSIC}
    assert model.limits.modalities == {Modality.AUDIO}


def test_an_unknown_variant_is_refused():
    with pytest.raises(InputError, match="Use dsp or dsp:paper"):
        load("papr")
