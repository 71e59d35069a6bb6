"""mub_demo as it sounds: forms and bands are many, and beats are heard where the truth states them."""

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest

from dataset_scripts.mub.make.build import MANIFEST, REPOSITORY
from dataset_scripts.mub.make.styles import beats_per_bar
from musebench_tasks.assembly import decode_pcm

EXAMINED = 8
"""Recordings that are decoded here, spread over the set."""


@pytest.fixture(scope="module")
def rows():
    return pq.read_table(REPOSITORY / "default").to_pylist()


@pytest.fixture(scope="module")
def items():
    return {item["id"]: item for item in json.loads(MANIFEST.read_text(encoding="utf-8"))["items"]}


@pytest.fixture(scope="module")
def sounds(rows):
    return {row["id"]: decode_pcm(row["audio"]["bytes"]) for row in rows[:: len(rows) // EXAMINED]}


def test_forms_and_bands_are_many(items):
    forms = Counter(
        "".join(each["label"] for each in item["arrangement"] if each["label"] in "ABC") for item in items.values()
    )
    assert len(forms) >= 12
    assert max(forms.values()) <= 5
    assert {"AABB", "ABA", "ABC"} <= set(forms)
    melodies = Counter(each["instrument"] for item in items.values() for each in item["melody"])
    assert len(melodies) >= 25
    assert len({(item["bass"]["instrument"], item["chords"]["instrument"]) for item in items.values()}) >= 8
    assert len({item["percussion"]["instrument"] for item in items.values()}) >= 6
    assert 8 <= sum(not item["percussion"]["instrument"] for item in items.values()) <= 24
    assert sum(item["swing"] != "1/2" for item in items.values()) >= 5
    styles = {each["accompaniment"] for item in items.values() for each in item["arrangement"]}
    assert styles >= {"bass and chords", "march", "broken chords", "syncopated", "walking", "held", "drone"}


def test_what_changes_is_named_and_the_value_given_lasts_longest(rows, items):
    assert Counter(field for row in rows for field in row["multi_valued"]) == {"key": 4, "tempo": 4}
    for row in rows:
        arrangement = items[row["id"]]["arrangement"]
        lengths = [segment["end_s"] - segment["start_s"] for segment in row["segments"]]
        changed = [bool(each["shift"]) or Fraction(each["speed"]) != 1 for each in arrangement]
        away = sum(length for length, is_changed in zip(lengths, changed, strict=True) if is_changed)
        assert (away > 0) == bool(row["multi_valued"])
        assert away < 0.45 * row["duration_s"]


def test_downbeats_are_exact(rows, items):
    for row in rows:
        assert {segment["start_s"] for segment in row["segments"][1:]} <= set(row["downbeats_s"]) <= set(row["beats_s"])
        speeds = [Fraction(each["speed"]) for each in items[row["id"]]["arrangement"]]
        first = Fraction(0)
        for segment, speed in zip(row["segments"], speeds, strict=True):
            own = [time for time in row["downbeats_s"] if segment["start_s"] <= time < segment["end_s"] - 1e-6]
            bar = 60 * beats_per_bar(row["time_signature"]) / (Fraction(str(row["tempo_bpm"])) * speed)
            first = Fraction(own[0])
            assert own == pytest.approx([float(first + number * bar) for number in range(len(own))], abs=1e-5)


def test_recordings_are_as_long_as_they_say_and_neither_clipped_nor_faint(rows, sounds):
    assert all(40 <= row["duration_s"] <= 47 for row in rows)
    for row in rows:
        if row["id"] not in sounds:
            continue
        samples, rate = sounds[row["id"]]
        signal = samples[:, 0] / 32768
        assert (rate, len(signal) / rate) == (48_000, pytest.approx(row["duration_s"], abs=1e-6))
        assert 0.3 < np.abs(signal).max() < 0.95
        assert -30 < 10 * np.log10((signal**2).mean()) < -12


def test_beats_are_heard_where_they_are_said_to_be(rows, sounds):
    """Onset strength on the beats against the same grid stretched by 4 %: the sound has the tempo stated."""
    for row in rows:
        if row["id"] not in sounds:
            continue
        strength, rate = onset_strength(*sounds[row["id"]])
        beats = row["beats_s"]
        on_beat = mean_strength(strength, rate, beats)
        assert on_beat > 0.4, row["id"]
        for factor in (0.96, 1.04):
            stretched = [beats[0] + (time - beats[0]) * factor for time in beats]
            assert on_beat > 3 * abs(mean_strength(strength, rate, stretched)), row["id"]


def onset_strength(samples, rate, size=2048, hop=240):
    frames = np.lib.stride_tricks.sliding_window_view(samples[:, 0] / 32768, size)[::hop] * np.hanning(size)
    rise = np.maximum(np.diff(np.log1p(100 * np.abs(np.fft.rfft(frames, axis=1))), axis=0), 0).sum(axis=1)
    local = rise - np.convolve(rise, np.ones(401) / 401, "same")
    return local / local.std(), rate / hop


def mean_strength(strength, frame_rate, times, centre=2048 / 480):
    places = [round(time * frame_rate - centre) for time in times]
    return sum(strength[max(place - 2, 0) : place + 3].mean() for place in places if place < len(strength) - 3) / len(
        places
    )
