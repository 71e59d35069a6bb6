"""mub_demo as it is committed: what its recordings are, and whom they are owed to."""

import itertools
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from musebench_tasks.base.resources import demo_directory
from musebench_tasks.values.intervals import validate_reference

LICENCES = Path(__file__).resolve().parents[2] / "DATA_LICENSES.md"
COUNT = 48
TONICS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
METRES = {"2/4": 9, "3/4": 10, "4/4": 11, "6/8": 10, "9/8": 8}
UNITS = {"2/4": "1/4", "3/4": "1/4", "4/4": "1/4", "6/8": "3/8", "9/8": "3/8"}
COLLECTIONS = ("airdsAirs", "oneills1850", "ryansMammoth")


@pytest.fixture(scope="module")
def rows():
    return pq.read_table(demo_directory("mub") / "default").to_pylist()


@pytest.fixture(scope="module")
def items():
    text = (demo_directory("mub").parents[1] / "make" / "manifest.json").read_text(encoding="utf-8")
    return {item["id"]: item for item in json.loads(text)["items"]}


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


def test_segments_are_valid_and_cover_the_recording(rows):
    for row in rows:
        segments = row["segments"]
        checked = validate_reference(segments, row["duration_s"], label_aware=True)
        assert (checked.problems, checked.flags) == ((), ())
        assert (segments[0]["start_s"], segments[-1]["end_s"]) == (0, row["duration_s"])
        assert all(one["end_s"] == two["start_s"] for one, two in itertools.pairwise(segments))
        assert {segment["label"] for segment in segments} <= {"intro", "A", "B", "C", "outro"}
        assert min(segment["end_s"] - segment["start_s"] for segment in segments) >= 1.5


def test_truth_is_that_of_the_manifest(rows, items):
    assert len(rows) == len(items) == COUNT
    for row in rows:
        item = items[row["id"]]
        assert {name: row[name] for name in item["truth"]} == item["truth"]
        assert (row["cluster_id"], row["attribution"]) == (item["tune_id"], item["attribution"])


def test_every_recording_has_its_line_among_the_licences(items):
    """Each comes from one of the three collections in the public domain, with file, tune and transcriber named."""
    music = LICENCES.read_text(encoding="utf-8").split("## Music")[1]
    for item in items.values():
        assert item["corpus_path"].split("/")[0] in COLLECTIONS
        (line,) = [line for line in music.splitlines() if line.startswith(f"| `{item['id']}` |")]
        assert f'"{item["title"]}", {item["collection"]}, public domain' in line
        assert item["transcriber"] in line
        assert f"`{item['corpus_path']}` X:{item['tune_number']}" in line
        assert item["corpus_sha256"] in line
        assert line.endswith(f"| {item['license']} |")
