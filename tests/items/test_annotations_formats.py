"""Every format in which truths and estimates are read, and which recording and field a file is of."""

import json

import numpy as np
import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Segment, Status
from musebench_tasks.items.annotations import read_estimates, read_references

VERSE_CHORUS = (Segment(start_s=0, end_s=10.5, label="verse"), Segment(start_s=10.5, end_s=30, label="chorus"))
SEGMENTS = [{"start_s": 0, "end_s": 10.5, "label": "verse"}, {"start_s": 10.5, "end_s": 30, "label": "chorus"}]


@pytest.fixture
def references(tmp_path):
    """Writes files (text or bytes, by name) into a folder and reads them as references, which must be legal."""

    def read(files):
        for name, content in files.items():
            path = tmp_path / "refs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        annotations = read_references(tmp_path / "refs")
        assert annotations.problems == ()
        return {each.id: each for each in annotations.annotations}

    return read


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r1.lab", "0 10.5 verse\n10.5 30 chorus\n"),
        ("r1.lab", "0.0\t10.5\tverse\r\n10.5\t30.0\tchorus\r\n"),
        ("r1.lab", "# made by hand\n\n0 10.5 verse\n10.5 30 chorus"),
        ("r1.lab", "﻿0 10.5 verse\n10.5 30 chorus\n"),
        ("r1.lab", "0 10.5 verse\n10.5 30 chorus\n".encode("utf-16")),
        ("r1.lab", "0,0\t10,5\tverse\n10,5\t30,0\tchorus\n"),
        ("r1.lab", "0:00\t0:10.5\tverse\n0:10.5\t0:30\tchorus\n"),
        ("r1.lab", "0\t10.5\t\tverse\n10.5\t30\t\tchorus\n30\t30\t\tend\n"),  # Isophonics
        ("r1.lab", '0\t10.5\t"verse"\n10.5\t30\t"chorus"\n'),
        ("r1.txt", "0.0, 10.5, verse\n10.5, 30.0, chorus\n"),
        ("r1.txt", "0.0; 10.5; verse\n10.5; 30.0; chorus\n"),
        ("r1.txt", "start\tend\tlabel\n0\t10.5\tverse\n10.5\t30\tchorus\n"),
        ("r1.csv", "time,label\n0,verse\n10.5,chorus\n30,end\n"),
        ("all.csv", "id,start,label\nr1,0,verse\nr1,10.5,chorus\nr1,30,end\n"),
        ("r1.csv", "segment_start;segment_end;label\n0;10.5;verse\n10.5;30;chorus\n"),  # JSD
        ("r1.txt", "0.0\tverse\n10.5\tchorus\n30.0\tend\n"),
        ("r1.segments.txt", "0.0 verse\n10.5 chorus\n30.0 End\n"),
        ("r1.csv", "start_s,end_s,label\n0,10.5,verse\n10.5,30,chorus\n"),
        ("r1.csv", "Start;End;Label\n0,0;10,5;verse\n10,5;30;chorus\n"),
        ("r1.csv", '0,10.5,"verse"\n10.5,30,chorus\n'),
        ("r1.tsv", "start\tend\tsection\n0\t10.5\tverse\n10.5\t30\tchorus\n"),
        ("segments/r1.csv", "0,10.5,verse\n10.5,30,chorus\n"),
        ("all.csv", "id,start_s,end_s,label\nr1,0,10.5,verse\nr1,10.5,30,chorus\n"),
        ("r1.json", json.dumps({"segments": SEGMENTS})),
        ("r1.json", json.dumps(SEGMENTS)),
        ("r1.json", json.dumps({"sections": [[0, 10.5, "verse"], [10.5, 30, "chorus"]]})),
        ("r1.json", json.dumps({"segments": [0, 10.5, 30], "labels": ["verse", "chorus"]})),
        ("x.json", json.dumps([{"id": "r1", "segments": SEGMENTS}])),
        ("x.jsonl", json.dumps({"id": "r1", "segments": SEGMENTS}) + "\n\n"),
        ("x.json", json.dumps({"r1": {"segments": SEGMENTS}})),
        ("r1.jams", json.dumps({"file_metadata": {}, "annotations": [{"namespace": "segment_open", "data": [
            {"time": 0.0, "duration": 10.5, "value": "verse", "confidence": None},
            {"time": 10.5, "duration": 19.5, "value": "chorus", "confidence": None}]}]})),
        ("r1.jams", json.dumps({"file_metadata": {}, "annotations": [{"namespace": "segment_open", "data": {
            "time": [0.0, 10.5], "duration": [10.5, 19.5], "value": ["verse", "chorus"]}}]})),
        ("annotations/r1/parsed/textfile1_functions.txt", "0.0\tverse\n10.5\tchorus\n30.0\tEnd\n"),
    ],
)  # fmt: skip
def test_segments_of_one_recording_whatever_the_format(references, name, content):
    assert references({name: content})["r1"].segments == VERSE_CHORUS


@pytest.mark.parametrize(
    ("name", "content", "field", "value"),
    [
        ("r1.bpm", "120\n", "tempo_bpm", 120),
        ("r1.bpm", "60.0\t120.0\t0.4\n", "tempo_bpm", 120),
        ("r1.bpm", "60 120 0.5", "tempo_bpm", 60),
        ("tempo/r1.txt", "0 120 0", "tempo_bpm", 120),
        ("tempo/r1.csv", "60,120,0.7", "tempo_bpm", 60),
        ("r1.txt", "60.0\t120.0\t0.4\n", "tempo_bpm", 120),
        ("keys/r1.csv", "0,10,C:maj\n10,30,A:min\n", "key", "A minor"),
        ("r1.tempo", "98,5", "tempo_bpm", 98.5),
        ("r1.tempo.txt", "120.0 BPM", "tempo_bpm", 120),
        ("tempo/r1.txt", "120", "tempo_bpm", 120),
        ("r1.txt", "120", "tempo_bpm", 120),
        ("r1.key", "Eb minor\n", "key", "Eb minor"),
        ("keys_gs+/r1.txt", "D# minor", "key", "Eb minor"),
        ("r1.txt", "A:min", "key", "A minor"),
        ("r1.key.lab", "0 10 A:min\n10 30 Silence\n", "key", "A minor"),
        (
            "keylab/r1.lab",
            "0\t1\tSilence\n1\t9\tKey\tC:maj\n9\t30\tKey\tA:min\n30\t40\tKey\tA:min",
            "key",
            "A minor",
        ),
        ("r1.metre", "6/8", "time_signature", "6/8"),
        ("r1.txt", "3/4", "time_signature", "3/4"),
        ("meter/r1.lab", "common time", "time_signature", "4/4"),
        ("r1.json", '{"bpm": 120}', "tempo_bpm", 120),
        ("r1.json", '{"tempo": "120 bpm"}', "tempo_bpm", 120),
        ("r1.json", '{"key": {"tonic": "A", "mode": "minor"}}', "key", "A minor"),
        ("r1.json", '{"meter": [6, 8]}', "time_signature", "6/8"),
        ("r1.json", '{"time_signature": {"numerator": 6, "denominator": 8}}', "time_signature", "6/8"),
        ("metadata.csv", "File,Title,BPM,Time Signature\nr1,x,120,6/8\n", "time_signature", "6/8"),
        ("t.csv", "id;tempo_bpm\nr1;98,5\n", "tempo_bpm", 98.5),
        ("t.csv", "filename,key\naudio/r1.wav,A minor\n", "key", "A minor"),
        ("r1.csv", "tempo_bpm,key\n120,A minor\n", "key", "A minor"),
    ],
)
def test_one_value_whatever_the_format(references, name, content, field, value):
    assert getattr(references({name: content})["r1"], field) == value


def test_the_id_is_the_name_without_the_suffixes_that_are_known(references):
    names = ["10089.LOFI.bpm", "deep/er/b.segments.lab", "c.wav.key", "d.v2.json"]
    contents = ["120", "0 1 x", "C major", '{"tempo_bpm": 100}']
    assert set(references(dict(zip(names, contents, strict=True)))) == {"10089.LOFI", "b", "c", "d.v2"}


def test_fields_of_one_recording_come_together_from_several_files(references):
    found = references({
        "tempo/r1.bpm": "120", "key/r1.key": "C major", "r1.lab": "0 30 verse",
        "about.csv": "id,duration_s,cluster_id\nr1,30,tune 1\n",
    })  # fmt: skip
    (only,) = found.values()
    assert (only.tempo_bpm, only.key, only.duration_s, only.cluster_id) == (120, "C major", 30, "tune 1")


def test_hidden_files_audio_and_other_kinds_are_passed_over(references, tmp_path):
    found = references({
        "r1.bpm": "120", ".DS_Store": "x", "._r1.bpm": "9", "__MACOSX/r1.bpm": "9", "r1.wav": "RIFF",
        "README.txt": "read", "notes.md": "x", "plan.pdf": "x",
    })  # fmt: skip
    assert list(found) == ["r1"]
    assert read_references(tmp_path / "refs").passed_over == {".pdf": 1}


def jams(*annotations, duration=30.0):
    return json.dumps({"file_metadata": {"duration": duration}, "annotations": list(annotations), "sandbox": {}})


def annotation(namespace, *rows):
    data = [{"time": time, "duration": duration, "value": value, "confidence": 1.0} for time, duration, value in rows]
    return {"namespace": namespace, "data": data, "annotation_metadata": {}, "sandbox": {}}


def test_a_jams_file_gives_every_field(references):
    beats = [
        (t, 0.0, {"position": t % 3 + 1, "measure": t // 3 + 1, "num_beats": 3, "beat_units": 4}) for t in range(9)
    ]
    found = references({"r1.jams": jams(
        annotation("tempo", (0, 30, 132.5)), annotation("key_mode", (0, 30, "A:minor")),
        annotation("beat_position", *beats), annotation("segment_open", (0, 30, "verse")),
    )})["r1"]  # fmt: skip
    assert (found.tempo_bpm, found.key, found.time_signature) == (132.5, "A minor", "3/4")
    assert found.segments == (Segment(start_s=0, end_s=30, label="verse"),)
    assert found.duration_s == 30


def test_of_several_jams_annotations_the_first_with_data_counts(references):
    found = references({"r1.jams": jams(
        annotation("segment_salami_upper", (0, 30, "A")), annotation("segment_salami_function"),
        annotation("segment_salami_function", (0, 30, "Verse")), annotation("segment_salami_function", (0, 30, "Solo")),
    )})["r1"]  # fmt: skip
    assert found.segments[0].label == "Verse"


def test_of_nested_segments_the_coarsest_level_counts(references):
    rows = [
        (0, 30, {"label": "A", "level": 0}),
        (0, 15, {"label": "a", "level": 1}),
        (15, 15, {"label": "b", "level": 1}),
    ]
    found = references({"r1.jams": jams(annotation("multi_segment", *rows))})["r1"]
    assert [each.label for each in found.segments] == ["A"]


def test_a_value_that_changes_is_the_commonest_then_the_longest(references, tmp_path):  # MU-07
    found = references({
        "r1.jams": jams(annotation("key_mode", (0, 5, "C:major"), (5, 20, "G:major"), (25, 5, "C:major"))),
        "r2.jams": jams(annotation("tempo", (0, 10, 120.0), (10, 20, 90.0))),
    })  # fmt: skip
    assert (found["r1"].key, found["r2"].tempo_bpm) == ("C major", 90)
    assert read_references(tmp_path / "refs").several == {"key": 1, "tempo": 1}


def test_tempi_and_metres_may_change_in_rows(references):
    rows = {
        "tempo/r1.lab": "0 5 90\n5 30 120.0 bpm\n30 31 120\n31 31 end\n",
        "metre/r1.txt": "0\t10\t3/4\n10\t31\t4|4\n",
    }
    found = references(rows)["r1"]
    assert (found.tempo_bpm, found.time_signature) == (120.0, "4/4")
    assert all(found.found[name].several for name in ("tempo", "time_signature"))


@pytest.mark.parametrize("as_columns", [False, True])
def test_of_values_that_hold_equally_long_the_surest_counts(references, as_columns):
    rows = [{"time": 0, "duration": 30, "value": value, "confidence": sure} for value, sure in ((60, 0.2), (120, 0.8))]
    data = {name: [row[name] for row in rows] for name in rows[0]} if as_columns else rows
    keys = [{**row, "value": name} for row, name in zip(rows, ("C:major", "G:major"), strict=True)]
    found = references({
        "r1.jams": jams({"namespace": "tempo", "data": data}, {"namespace": "key_mode", "data": keys})
    })  # fmt: skip
    assert (found["r1"].tempo_bpm, found["r1"].key) == (120, "G major")


@pytest.mark.parametrize("word", ["", "NA", "N/A", "None", "null", "-"])
@pytest.mark.parametrize(
    ("name", "content"),
    [("t.csv", "id,tempo_bpm,key\nr1,WORD,C major\n"), ("r1.json", '{"tempo_bpm": "WORD", "key": "C major"}')],
)
def test_words_for_no_value_are_one_in_every_format(references, tmp_path, name, content, word):
    (only,) = references({name: content.replace("WORD", word)}).values()
    assert (only.tempo_bpm, only.key) == (None, "C major")
    (only,) = read_estimates(tmp_path / "refs").annotations
    assert only.statuses["tempo"] is Status.UNPARSED


def test_links_to_folders_are_followed_and_circles_are_not(references, tmp_path):
    other = tmp_path / "elsewhere" / "tempo"
    other.mkdir(parents=True)
    (other / "r2.txt").write_text("100")
    (tmp_path / "refs" / "keys").mkdir(parents=True)
    for name, target in {
        "more": other.parent,
        "again": tmp_path / "refs" / "keys",
        "keys/up": tmp_path / "refs",
    }.items():
        (tmp_path / "refs" / name).symlink_to(target, target_is_directory=True)
    (other / "back").symlink_to(other.parent, target_is_directory=True)
    (tmp_path / "refs" / "r3.key").symlink_to(tmp_path / "nowhere.key")
    found = references({"keys/r1.txt": "C major"})
    assert {name: (each.tempo_bpm, each.key) for name, each in found.items()} == {
        "r1": (None, "C major"), "r2": (100, None),
    }  # fmt: skip
    assert read_references(tmp_path / "refs").passed_over == {"broken link": 1}


def test_salami_takes_the_functions_of_the_first_annotator(references):
    kinds = [(annotator, kind) for annotator in "12" for kind in ("uppercase", "functions")]
    files = {f"956/parsed/textfile{a}_{kind}.txt": f"0\t{a}{kind}\n9\tend\n" for a, kind in kinds}
    assert references(files)["956"].segments[0].label == "1functions"


@pytest.mark.parametrize(
    ("layout", "fields"),
    [
        ({"seglab/01.lab": "0 9 verse", "keylab/01.lab": "0 9 Key C:maj", "chordlab/01.lab": "0 9 C",
          "beat/01.txt": "0.5 1"},
         {"segments", "key"}),
        ({"dataset/segments/01.txt": "0 intro\n9 end", "dataset/beats_and_downbeats/01.txt": "0.5\t1\t1\n1.0\t2\t1",
          "dataset/metadata.csv": "File,Title,BPM,Time Signature\n01,x,120,4/4"},
         {"segments", "tempo_bpm", "time_signature"}),
        ({"annotations/tempo/01.LOFI.bpm": "138", "annotations/keys/01.LOFI.key": "C minor",
          "audio/01.LOFI.mp3": "ID3"},
         {"tempo_bpm", "key"}),
    ],
    ids=["isophonics", "harmonix", "giantsteps"],
)  # fmt: skip
def test_whole_corpora_are_read_as_they_lie(references, layout, fields):
    (only,) = references(layout).values()
    names = {"tempo_bpm", "key", "time_signature", "segments"}
    assert {name for name in names if getattr(only, name) is not None} == fields


def test_a_word_inside_a_name_is_no_mark(references):
    assert references({"my.key.change.lab": "0 9 verse"})["my.key.change"].segments is not None


def test_arrays_are_read_as_lists():  # librosa#1867: a tempo became an array of one
    (only,) = read_estimates(
        {"r1": {"tempo_bpm": np.array([120.5]), "segments": np.array([[0, 5], [5, 9.5]])}}
    ).annotations
    assert (only.tempo_bpm, only.segments) == (120.5, [(0, 5, ""), (5, 9.5, "")])


def test_estimates_keep_what_was_written_and_tell_nothing_from_none(tmp_path):
    (tmp_path / "e.csv").write_text("id,tempo_bpm,key\nr1,fast,\nr2,,C major\n")
    by_id = {each.id: each for each in read_estimates(tmp_path).annotations}
    assert (by_id["r1"].tempo_bpm, by_id["r1"].key) == ("fast", None)
    assert by_id["r1"].statuses == {
        "key": Status.UNPARSED,
        "time_signature": Status.MISSING,
        "segments": Status.MISSING,
    }


def test_values_at_hand_are_read_like_files():
    found = read_estimates({"r1": {"tempo_bpm": 120.0, "segments": [(0, 10, "a"), (10, 20, "b")]}, "r2": {"key": None}})
    first, second = found.annotations
    assert (first.id, first.tempo_bpm, first.segments) == ("r1", 120.0, [(0, 10, "a"), (10, 20, "b")])
    assert second.statuses["key"] is Status.UNPARSED
    assert read_references([{"id": 7, "key": "C major"}]).annotations[0].id == "7"


def test_a_folder_without_annotations_says_what_is_read(tmp_path):
    (tmp_path / "a.mp4").write_text("x")
    (tmp_path / "a.beats.txt").write_text("0.5")
    (tmp_path / "a.beats").write_text("0.5")
    told = r"holds no annotations; found only \.beats, \.mp4, beats \(\.txt\)\. Known: \.jams \.json( \.\w+){8}\.$"
    with pytest.raises(InputError, match=told):
        read_references(tmp_path)
