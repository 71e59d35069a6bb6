"""What is wrong with annotation files: one line each, all at once, and everything else still loads."""

import json

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import lines
from musebench_tasks.base.records import Status
from musebench_tasks.items.annotations import read_estimates, read_references


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("r1.lab", "0 5 a\n162.922 162.907 b\n", 'r1.lab row 2, field "segments": end_le_start: 162.922 to 162.907 b.'),
        ("r1.lab", "0 5 a\nnan 7 b\n", 'row 2, field "segments": nan: nan to 7 b.'),
        ("r1.lab", "0 5 a\n5 inf b\n", 'row 2, field "segments": infinite: 5 to inf b.'),
        ("r1.lab", "-1 5 a\n", 'row 1, field "segments": negative_start: -1 to 5 a.'),
        ("r1.lab", "0 5 a\n4 7 b\n", 'row 2, field "segments": overlap: 4 to 7 b after 0 to 5 a.'),
        ("r1.lab", "0 5 a\n0 5 a\n", 'row 2, field "segments": duplicate: 0 to 5 a after 0 to 5 a.'),
        ("r1.lab", "0 5 a\nfive six b\n", 'row 2, field "segments": not_a_number: "five" to "six" b.'),
        ("r1.lab", "0 5 a\n9\n", 'row 2, field "segments": should be "start end label", found "9".'),
        ("r1.txt", "0 verse\n10 chorus\n", 'row 2, field "segments": "chorus" starts in the last row and ends'),
        ("r1.lab", "5\n", 'row 1, field "segments": is one boundary, a segment needs two.'),
        ("r1.lab", "verse\n", 'row 1, field "segments": should begin with a time in seconds, found "verse".'),
        ("r1.lab", "", 'r1.lab: is empty. Fill it, or remove it.'),
        ("r1.lab", "\ufeff \r\n", 'r1.lab: is empty.'),
        ("r1.lab", b"0 5 \xe9\n", "r1.lab: is no UTF-8 text (byte 5). Save it as UTF-8."),
        ("r1.lab", b"0 5 \0\n", "holds null bytes, so it is no text."),
        ("r1.bpm", "0", 'r1.bpm row 1, field "tempo": should be beats per minute above 0 and at most 1000, found "0".'),
        ("r1.bpm", "60\t120\t1.3", 'or "slower faster weight" with a weight from 0 to 1, found "60 120 1.3".'),
        ("tempo/r1.csv", "0,120\n9,121\n", "has 2 lines where one number of beats per minute should be. Keep one."),
        ("t.json", '[{"id": "r1", "key": "C major"}, {"key": "C major"}]',
         't.json row 2: should be an object with an "id", found an object with key. Correct it.'),
        ("t.json", '[{"id": "r1", "key": "C major"}, 5]', 't.json row 2: should be an object with an "id", found a'),
        ("t.json", '{"r1": {"key": "C"}}', 't.json, "r1", field "key": "C" is no key.'),
        ("t.json", '{"r1": {"segments": [[5, 4]]}}', 't.json, "r1" row 1, field "segments": end_le_start: 5 to 4.'),
        ("t.json", '{"r1": {"key": "C major"}, "r2": null}', 't.json, "r2": should be an object with tempo, bpm,'),
        ("r1.bpm", "120,000", 'field "tempo": should be a finite number, found "120,000".'),
        ("r1.bpm", "120\n121\n", "has 2 lines where one number of beats per minute should be. Keep one."),
        ("r1.key", "D dorian", 'r1.key row 1, field "key": "D dorian" is no key.'),
        ("r1.key", "C", 'field "key": "C" is no key. Write a tonic and major or minor'),
        ("r1.metre", "4", 'field "time_signature": "4" is no time signature.'),
        ("r1.txt", "allegro", 'r1.txt: holds "allegro", which is no tempo, key, time signature or segment.'),
        ("r1.json", "{", "r1.json: is no JSON ("),
        ("r1.json", '{"tempo_bmp": 120}', "r1.json: has no known field, found tempo_bmp (nearest: tempo_bpm)."),
        ("r1.json", '{"tempo_bpm": 1, "bpm": 2}', 'field "tempo": has two names with different values.'),
        ("r1.json", '{"key": "C major", "key": "D major"}', 'the key "key" stands twice in one object'),
        ("r1.json", '{"tempo_bpm": true}', 'field "tempo": should be a finite number, found true.'),
        ("r1.json", '{"tempo_bpm": NaN}', 'field "tempo": should be a finite number, found NaN.'),
        ("r1.json", '{"tempo_bpm": 1e99999999999999999999}', "r1.json: "),
        ("r1.json", '{"segments": {"a": 1}}', 'field "segments": should be a list, found an object.'),
        ("r1.json", '{"segments": [{"start_s": 0, "label": "a"}]}', 'row 1, field "segments": shape: {"start_s": 0,'),
        ("r1.json", '[1, {"a": 2}]', "r1.json: should be an object with tempo_bpm, key, time_signature or segments"),
        ("r1.jsonl", '{"tempo_bpm": 120}', 'r1.jsonl row 1: should be an object with an "id"'),
        ("r1.jams", '{"annotations": []}', "r1.jams: is no JAMS file"),
        ("r1.jams", '{"annotations": [], "file_metadata": {}}', "r1.jams: has no data under tempo, key_mode"),
        ("t.csv", "id,tempo_bpm\nr1,120,4\n", "t.csv row 2: has 3 cells, the head line 2. Quote cells"),
        ("t.csv", "id,tempo_bpm\nr1\n", "t.csv row 2: has 1 cell, the head line 2. Quote cells"),
        ("t.csv", "id,tempo_bpm\n,120\n", "t.csv row 2: has no id. Fill it."),
        ("t.csv", "id,artist\nr1,x\n", "t.csv: has ids and no values, found id, artist."),
        ("t.csv", "titel,kee\nr1,x\n", "t.csv: has no known column, found titel, kee (nearest:"),
        ("t.csv", "id,bpm,tempo\nr1,1,2\n", 't.csv: has two columns for "tempo". Remove one.'),
        ("t.csv", "id,key,key\nr1,C major,C major\n", 't.csv: has the column "key" twice. Rename one.'),
        ("t.csv", '"",""\n', "t.csv: holds empty cells only. Fill it, or remove it."),
        ("t.csv", "id,key\n", "t.csv: has a head line and nothing below it."),
        ("t.csv", "tempo_bpm,key\n1,C major\n2,D major\n", "t.csv: has 2 rows and no column of ids. Add"),
        ("t.csv", "start_s,x\n0,a\n", "t.csv: has a column of starts and none of ends. Add the column end_s."),
        ("t.csv", "start_s,label\n0,a\n", 'row 2, field "segments": "a" starts in the last row and ends nowhere.'),
        ("tempo/r1.lab", "0 5 90\n5 9 quick\n", 'r1.lab row 2, field "tempo": should be a finite number, found'),
        ("metre/r1.txt", "0 5 3/4\n5 9 4\n", 'r1.txt row 2, field "time_signature": "4" is no time signature.'),
        ("t.csv", 'id,key\nr1,"C major\n', "t.csv: is no table (row 2:"),
    ],
)  # fmt: skip
def test_a_bad_reference_is_one_line_that_says_where_and_what(tmp_path, name, content, line):
    found = read_references(write(tmp_path / "refs", {name: content, "good.bpm": "100"}))
    (problem,) = lines(found.problems)
    assert line in problem
    assert problem.startswith("refs/")
    assert "\n" not in problem
    assert {each.id: each.tempo_bpm for each in found.annotations}["good"] == 100


def test_a_segment_far_beyond_the_recording_is_a_problem(tmp_path):
    rows = {"duration_s": 30, "segments": [[0, 10, "a"], [10, 31, "b"]]}
    found = read_references(write(tmp_path / "refs", {"r1.json": json.dumps(rows)}))
    (problem,) = lines(found.problems)
    assert problem == (
        'refs/r1.json row 2, field "segments": beyond_duration: 10 to 31 b. Correct the interval; references are never '
        "repaired."
    )


@pytest.mark.parametrize("ends", [(162.922, 162.907), (188.854, 188.827)])  # mirdata#552, jams#6
def test_a_reversed_row_is_reported_and_the_other_tracks_load(tmp_path, ends):
    start, end = ends
    reversed_row = {"time": start, "duration": round(end - start, 3), "value": "verse"}
    bad = {"file_metadata": {"duration": 200.0}, "annotations": [
        {"namespace": "segment_open", "data": [{"time": 0, "duration": 100, "value": "intro"}, reversed_row]},
        {"namespace": "tempo", "data": [{"time": 0, "duration": 200, "value": 100.0}]}]}  # fmt: skip
    files = {"t1.jams": json.dumps(bad), "t2.lab": "0 10 a\n", "t3.lab": f"0 10 a\n{start} {end} b\n"}
    found = read_references(write(tmp_path / "refs", files))
    assert lines(found.problems) == [
        f'refs/t1.jams row 2, field "segments": end_le_start: {start} to {end} verse. Correct the interval; '
        "references are never repaired.",
        f'refs/t3.lab row 2, field "segments": end_le_start: {start} to {end} b. Correct the interval; '
        "references are never repaired.",
    ]
    by_id = {each.id: each for each in found.annotations}
    assert (by_id["t1"].segments, by_id["t1"].tempo_bpm) == (None, 100)
    assert len(by_id["t2"].segments) == 1
    assert by_id["t3"].segments is None


def test_all_faults_of_all_files_are_told_at_once(tmp_path):
    files = {"a.lab": "0 5 x\n6 5 y\n9 8 z\n", "b.bpm": "-3", "c.key": "H#", "d.metre": "4/5"}
    assert len(read_references(write(tmp_path / "refs", files)).problems) == 5


def test_key_names_are_matched_as_a_whole(tmp_path):  # music_metrics.md 1.4: JAMS' schema only searches
    names = ["Nonsense", "xyzC:major", "hello G"]
    files = {
        f"{number}.jams": json.dumps({"file_metadata": {}, "annotations": [
            {"namespace": "key_mode", "data": [{"time": 0, "duration": 1, "value": name}]}]})
        for number, name in enumerate(names)
    }  # fmt: skip
    assert len(read_references(write(tmp_path / "refs", files)).problems) == 3


@pytest.mark.parametrize("read", [read_references, read_estimates])
@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"r1.bpm": "120", "tempo/r1.txt": "120.0"}, "tempo_bpm"),
        ({"r1.key": "C# major", "t.csv": "id,key\nr1,Db:maj\n"}, "key"),
        ({"r1.meter": "4/4", "t.csv": "id,time_signature\nr1,4/4\nr1,4/4\n"}, "time_signature"),
        ({"r1.lab": "0 1.0 a\n", "r1.json": '{"segments": [[0, 1, "a"]]}'}, "segments"),
    ],
)
def test_one_value_found_twice_is_one_value(tmp_path, read, files, found):
    (one,) = read(write(tmp_path / "e", files)).annotations
    assert getattr(one, found) is not None
    assert read(tmp_path / "e").problems == ()


@pytest.mark.parametrize("read", [read_references, read_estimates])
def test_one_field_found_with_two_values_names_both_places(tmp_path, read):
    folder = write(tmp_path / "e", {"r1.bpm": "120", "tempo/r1.txt": "121", "r2.key": "C major"})
    line = 'e/tempo/r1.txt row 1, field "tempo": of "r1" has another value in e/r1.bpm row 1. Keep one of the two.'
    if read is read_estimates:
        with pytest.raises(InputError, match="another value") as refused:
            read(folder)
        assert str(refused.value) == line
    else:
        assert lines(read(folder).problems) == [line]
        assert {each.id: each.tempo_bpm for each in read(folder).annotations} == {"r1": None, "r2": None}


def test_a_row_twice_in_a_table_is_refused_whole(tmp_path):
    folder = write(tmp_path / "e", {"t.csv": "id,tempo_bpm\nr1,120\nr2,100\nr1,121\nr2,9\n"})
    with pytest.raises(InputError) as refused:
        read_estimates(folder)
    assert [line.split(":")[0] for line in str(refused.value).split("\n")] == [
        'e/t.csv row 4, field "tempo"', 'e/t.csv row 5, field "tempo"',
    ]  # fmt: skip


def test_an_estimate_that_cannot_be_read_is_unparsed_and_told(tmp_path):
    files = {"r1.json": "{", "r2.lab": "chorus\n", "r3.lab": ""}
    found = read_estimates(write(tmp_path / "e", files))
    assert [line.split(":")[0] for line in lines(found.problems)] == [
        "e/r1.json",
        'e/r2.lab row 1, field "segments"',
        "e/r3.lab",
    ]
    by_id = {each.id: each.statuses for each in found.annotations}
    assert set(by_id["r1"].values()) == {Status.UNPARSED}
    assert by_id["r2"]["segments"] is by_id["r3"]["segments"] is Status.UNPARSED
    assert by_id["r2"]["tempo"] is Status.MISSING


def test_a_broken_file_does_not_void_what_other_files_of_the_recording_hold(tmp_path):
    folder = write(tmp_path / "e", {"r1.json": "{", "r1.bpm": "120"})
    for read in (read_estimates, read_references):
        found = read(folder)
        assert (len(found.problems), float(found.annotations[0].tempo_bpm)) == (1, 120)
    assert read_estimates(folder).annotations[0].statuses["key"] is Status.UNPARSED


def test_a_cut_line_costs_its_own_recording_alone(tmp_path):
    rows = ['{"id": "r1", "tempo_bpm": 120}', '{"id": "r2.wav", "tempo_bpm": 1', '{"i', '{"tempo_bpm": 3}']
    found = read_estimates(write(tmp_path / "e", {"t.jsonl": "\n".join(rows)}))
    assert [line.split(":")[0] for line in lines(found.problems)] == [f"e/t.jsonl row {row}" for row in (2, 3, 4)]
    assert [(each.id, each.statuses.get("tempo")) for each in found.annotations] == [
        ("r1", None), ("r2", Status.UNPARSED),
    ]  # fmt: skip


def test_a_cut_row_of_segments_costs_all_segments_of_its_recording(tmp_path):
    rows = ["id,start_s,end_s,label", "r1,0,10,a", "r1,10,20", "r1,20,30,c", "r2,0,10,a"]
    folder = write(tmp_path / "r", {"t.csv": "\n".join(rows), "r1.bpm": "120"})
    line = 'r/t.csv row 3, field "segments": has 3 cells, the head line 4. Quote cells that hold the separator.'
    for read in (read_references, read_estimates):
        found = read(folder)
        assert lines(found.problems) == [line]
        assert [bool(each.segments) for each in found.annotations] == [False, True]
        assert float(found.annotations[0].tempo_bpm) == 120
    assert read_estimates(folder).annotations[0].statuses["segments"] is Status.UNPARSED
    (cut,) = read_references(write(tmp_path / "n", {"r1.csv": "start,end,name\n0,10,a\n10,20\n"})).annotations
    assert (cut.id, cut.segments) == ("r1", None)


def test_nothing_there_is_told(tmp_path):
    with pytest.raises(InputError, match="there is no such file or folder"):
        read_estimates(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no annotations"):
        read_estimates(tmp_path / "empty")


@pytest.mark.parametrize("given", [None, 5, 1.5, True, b"references"])
def test_what_is_neither_files_nor_values_is_told(given):
    for read, what in ((read_estimates, "estimates"), (read_references, "references")):
        with pytest.raises(InputError, match=f"The {what} are .*: give a file, a folder, or values"):
            read(given)
