"""mub_demo as it is committed: what its recordings are, that they sound as they say, and whom they are owed to."""

import itertools
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest

from musebench_tasks.assembly import decode_pcm
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.values.intervals import validate_reference

COUNT = 48
TONICS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
METRES = {"2/4": 9, "3/4": 10, "4/4": 11, "6/8": 10, "9/8": 8}
BEATS = {"2/4": 2, "3/4": 3, "4/4": 4, "6/8": 2, "9/8": 3}
UNITS = {"2/4": "1/4", "3/4": "1/4", "4/4": "1/4", "6/8": "3/8", "9/8": "3/8"}
COLLECTIONS = ("airdsAirs", "oneills1850", "ryansMammoth")
EXAMINED = 8
"""Recordings that are decoded here, spread over the set."""


@pytest.fixture(scope="module")
def rows():
    return pq.read_table(demo_directory("mub") / "default").to_pylist()


@pytest.fixture(scope="module")
def items():
    text = (demo_directory("mub").parents[1] / "make" / "manifest.json").read_text(encoding="utf-8")
    return {item["id"]: item for item in json.loads(text)["items"]}


@pytest.fixture(scope="module")
def sounds(rows):
    return {row["id"]: decode_pcm(row["audio"]["bytes"]) for row in rows[:: COUNT // EXAMINED]}


def test_every_key_stands_twice_and_every_tune_once(rows):
    assert Counter(row["key"] for row in rows) == {
        f"{tonic} {mode}": 2 for tonic in TONICS for mode in ("major", "minor")
    }
    assert len({row["cluster_id"] for row in rows}) == COUNT


def test_no_metre_is_rare_and_none_is_a_good_guess(rows):
    metres = Counter(row["time_signature"] for row in rows)
    assert metres == METRES
    assert max(metres.values()) / COUNT < 1 / 4  # always 4/4 is right in 11 of 48
    assert {row["time_signature"]: row["beat_unit"] for row in rows} == UNITS


def test_tempi_lie_on_a_logarithmic_grid_from_47_to_180(rows):
    tempi = np.sort([row["tempo_bpm"] for row in rows])
    assert 47 <= tempi[0] < 50
    assert 170 < tempi[-1] <= 180
    steps = np.log(tempi / 47) / np.log(180 / 47) * COUNT
    assert np.abs(steps - (np.arange(COUNT) + 0.5)).max() <= 0.52
    for metre in METRES:
        own = [row["tempo_bpm"] for row in rows if row["time_signature"] == metre]
        assert max(own) > 1.8 * min(own)


def test_constant_answers_are_poor(rows):
    assert sum(abs(row["tempo_bpm"] / 101 - 1) <= 0.04 for row in rows) / COUNT < 0.1
    assert sum(row["key"] == "C major" for row in rows) / COUNT < 0.05


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


def test_segments_are_valid_and_cover_the_recording(rows):
    for row in rows:
        segments = row["segments"]
        checked = validate_reference(segments, row["duration_s"], label_aware=True)
        assert (checked.problems, checked.flags) == ((), ())
        assert (segments[0]["start_s"], segments[-1]["end_s"]) == (0, row["duration_s"])
        assert all(one["end_s"] == two["start_s"] for one, two in itertools.pairwise(segments))
        assert {segment["label"] for segment in segments} <= {"intro", "A", "B", "C", "outro"}
        assert min(segment["end_s"] - segment["start_s"] for segment in segments) >= 1.5


def test_downbeats_are_exact(rows, items):
    for row in rows:
        assert {segment["start_s"] for segment in row["segments"][1:]} <= set(row["downbeats_s"]) <= set(row["beats_s"])
        speeds = [Fraction(each["speed"]) for each in items[row["id"]]["arrangement"]]
        first = Fraction(0)
        for segment, speed in zip(row["segments"], speeds, strict=True):
            own = [time for time in row["downbeats_s"] if segment["start_s"] <= time < segment["end_s"] - 1e-6]
            bar = 60 * BEATS[row["time_signature"]] / (Fraction(str(row["tempo_bpm"])) * speed)
            first = Fraction(own[0])
            assert own == pytest.approx([float(first + number * bar) for number in range(len(own))], abs=1e-5)


def test_truth_is_that_of_the_manifest(rows, items):
    assert len(rows) == len(items) == COUNT
    for row in rows:
        item = items[row["id"]]
        assert {name: row[name] for name in item["truth"]} == item["truth"]
        assert (row["cluster_id"], row["attribution"]) == (item["tune_id"], item["attribution"])


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


def test_every_recording_has_its_line_among_the_licences(items, root):
    """Each comes from one of the three collections in the public domain, with file, tune and transcriber named."""
    music = (root / "DATA_LICENSES.md").read_text(encoding="utf-8").split("## Music")[1]
    for item in items.values():
        assert item["corpus_path"].split("/")[0] in COLLECTIONS
        (line,) = [line for line in music.splitlines() if line.startswith(f"| `{item['id']}` |")]
        assert f'"{item["title"]}", {item["collection"]}, public domain' in line
        assert item["transcriber"] in line
        assert f"`{item['corpus_path']}` X:{item['tune_number']}" in line
        assert item["corpus_sha256"] in line
        assert line.endswith(f"| {item['license']} |")
