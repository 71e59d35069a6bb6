"""MUB: the truth about recordings in canonical spelling; faults of references are told, never repaired."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, MusicTruth, Segment
from musebench_tasks.items import load_items, load_references
from musebench_tasks.tasks import load_task

from .conftest import card, clip, write_parquet


def recording(number, **change):
    return {
        "id": f"r{number}",
        "audio": clip(number),
        "duration_s": 30.0,
        "cluster_id": f"tune-{number}",
        "tempo_bpm": 96.0,
        "beat_unit": "3/8",
        "key": "Eb major",
        "time_signature": "6/8",
        "segments": [{"start_s": 0.0, "end_s": 15.0, "label": "A"}, {"start_s": 15.0, "end_s": 30.0, "label": "B"}],
        "beats_s": [0.0],
        "multi_valued": ["tempo"],
        "license": "CC0-1.0",
        "version": "1",
    } | change


@pytest.fixture
def mub(here):
    def write(*rows):
        write_parquet(here / "mub" / "default" / "test-00000-of-00001.parquet", rows, "audio")
        (here / "mub" / "README.md").write_text(card(default="default/test-*"))
        return load_task("mub")

    return write


def test_a_recording_is_an_item_and_a_truth(mub):
    task = mub(recording(1))
    item = load_items(task).items[0]
    assert (item.kind, item.duration_s, item.options, item.license) == (Kind.MUSIC, 30.0, (), "CC0-1.0")
    assert "Eb" not in item.canonical_json()
    assert load_references(task).references["r1"].music == MusicTruth(
        tempo_bpm=96.0,
        beat_unit="3/8",
        key="Eb major",
        time_signature="6/8",
        segments=(Segment(start_s=0, end_s=15, label="A"), Segment(start_s=15, end_s=30, label="B")),
        multi_valued=("tempo",),
    )


def test_keys_and_metres_are_spelled_canonically(mub):  # music_metrics.md 1.2
    task = mub(recording(1, key="D# major", time_signature="3:4"))
    truth = load_references(task).references["r1"].music
    assert (truth.key, truth.time_signature) == ("Eb major", "3/4")


def test_what_is_not_annotated_stays_open(mub):
    task = mub(recording(1, key=None), recording(2))
    assert load_references(task).references["r1"].music.key is None


FILE = "mub/default/test-00000-of-00001.parquet row 2, column "


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"key": "C"}, '"key": "C" is no key. Write a tonic and major or minor, for example "Eb major".'),
        (
            {"time_signature": "5/3"},
            '"time_signature": "5/3" is no time signature. Write numerator/denominator, for example "6/8".',
        ),
        ({"tempo_bpm": 0.0}, '"tempo_bpm": should be beats per minute above 0 and at most 1000, found 0.0.'),
        ({"tempo_bpm": -96.0}, '"tempo_bpm": should be beats per minute above 0 and at most 1000, found -96.0.'),
        ({"tempo_bpm": 1e-9}, '"tempo_bpm": should be beats per minute above 0 and at most 1000, found 1e-09.'),
        ({"tempo_bpm": 1000.5}, '"tempo_bpm": should be beats per minute above 0 and at most 1000, found 1000.5.'),
        ({"tempo_bpm": 1e308}, '"tempo_bpm": should be beats per minute above 0 and at most 1000, found 1e+308.'),
        ({"tempo_bpm": float("inf")}, '"tempo_bpm": should be a finite number, found Infinity.'),
        ({"tempo_bpm": float("nan")}, '"tempo_bpm": should be a finite number, found NaN.'),
        (
            {"multi_valued": ["mood"]},
            '"multi_valued": "mood" is no field. Known: tempo, key, time_signature, segments.',
        ),
    ],
)
def test_a_wrong_truth_is_told_exactly(mub, change, line):
    task = mub(recording(1), recording(2, **change))
    with pytest.raises(InputError) as caught:
        load_references(task)
    assert str(caught.value) == FILE + line


@pytest.mark.parametrize(
    ("segments", "codes"),
    [
        ([(0, 20), (10, 30)], ["segment 2 overlap"]),
        ([(5, 5)], ["segment 1 end_le_start"]),
        ([(-1, 5), (5, 40)], ["segment 1 negative_start", "segment 2 beyond_duration"]),
        ([(0, float("nan"))], ["segment 1 nan"]),
        ([(0, 1e308)], ["segment 1 not_a_number"]),
    ],
)
def test_faulty_segments_are_told_with_their_codes(mub, segments, codes):  # music_metrics.md 5.2
    rows = [{"start_s": float(start), "end_s": float(end), "label": ""} for start, end in segments]
    task = mub(recording(1), recording(2, segments=rows))
    with pytest.raises(InputError) as caught:
        load_references(task)
    assert str(caught.value).startswith(f'{FILE}"segments": ')
    assert all(code in str(caught.value) for code in codes)
