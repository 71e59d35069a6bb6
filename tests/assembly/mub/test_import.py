"""MU-01: archives in every form that annotations come in; the last submission wins; faults name file, row and field."""

import hashlib
import json
import zipfile

import pytest
from fakes.annotation_tables import GOOD, HEAD, SECTIONS, rows

from musebench_tasks.assembly.mub import MubTrack, read_archive, validate_tracks
from musebench_tasks.assembly.mub.archive import opened
from musebench_tasks.assembly.mub.file_names import file_submission
from musebench_tasks.assembly.mub.tracks import beat_unit, history
from musebench_tasks.base.errors import InputError


def truth(track):
    return (track.tempo_bpm, track.key, track.time_signature, tuple(each.label for each in track.segments))


def test_segments_with_attributes_in_a_table(read):
    first, second = "0,10,intro,100,C major,4/4", "10,30,verse,50,a minor,4/4"
    tracks, reasons = read(
        {"all.csv": HEAD + rows("r1", "s1", "2024-01-01", first, second, "30,45,chorus,50,A minor,3/4")}
    )
    assert not reasons
    assert truth(tracks["r1"]) == (50.0, "A minor", "4/4", ("intro", "verse", "chorus"))
    assert tracks["r1"].multi_valued == ("tempo", "key", "time_signature")
    assert tracks["r1"].duration_s == 45.0


@pytest.mark.parametrize(
    ("one", "two", "winner"),
    [
        (("s1", "2024-01-01T00:00:00Z", "a"), ("s2", "2024-03-01T00:00:00Z", "a"), 2),
        (("s9", "2024-03-01T00:00:00Z", "a"), ("s2", "2024-01-01T00:00:00Z", "a"), 1),
        (("s1", "2024-01-01T12:00:00+05:00", "a"), ("s2", "2024-01-01T08:00:00Z", "a"), 2),  # 07:00 UTC
        (("s1", "1704067200", "a"), ("s2", "2023-12-31", "a"), 1),  # seconds since 1970
        (("s9", "2024-01-01", "a"), ("s10", "2024-01-01", "a"), 2),  # tie: the greater id, as a number
        (("s1", "2024-01-01", "a10"), ("s1", "2024-01-01", "a9"), 1),  # tie: the greater annotator
        (("s9", "", "a"), ("s1", "2020-01-01", "a"), 2),  # no time comes before any
    ],
)
def test_the_last_submission_wins(read, one, two, winner):
    text = HEAD
    for number, (submission, time, annotator) in enumerate((one, two), start=1):
        text += rows("r1", submission, time, f"0,10,part {number},{number}00,C major,4/4", annotator=annotator)
    tracks, reasons = read({"all.csv": text})
    assert not reasons
    assert truth(tracks["r1"]) == (winner * 100.0, "C major", "4/4", (f"part {winner}",))


def test_the_last_that_states_a_field_counts_and_all_are_remembered(tmp_path, read):
    text = HEAD + rows("r1", "s1", "2024-01-01", "0,10,intro,100,C major,4/4")
    text += rows("r1", "s2", "2024-02-01", "0,12,song,,D major,")
    tracks, _ = read({"all.csv": text})
    assert truth(tracks["r1"]) == (100.0, "D major", "4/4", ("song",))
    assert {name: each.id for name, each in tracks["r1"].provenance.items()} == {
        "tempo": "s1",
        "time_signature": "s1",
        "key": "s2",
        "segments": "s2",
    }
    told = history(read_archive(tmp_path / "archive").assertions)
    assert [(each["submission_id"], sorted(each["values"])) for each in told] == [
        ("s1", ["key", "segments", "tempo", "time_signature"]),
        ("s2", ["key", "segments"]),
    ]
    assert told[0]["values"]["key"]["stated"] == [[0.0, 10.0, "C major"]]


def test_a_newer_fault_is_not_covered_by_an_older_value(read):
    good = rows("r1", "s1", "2024-01-01", "0,10,intro,100,C major,4/4")
    bad = rows("r1", "s2", "2024-02-01", "0,10,intro,fast,C major,4/4")
    older = rows("r2", "s1", "2024-01-01", "0,10,intro,fast,C major,4/4")
    newer = rows("r2", "s2", "2024-02-01", "0,10,intro,90,C major,4/4")
    tracks, reasons = read({"all.csv": HEAD + good + bad + older + newer})
    assert reasons == ['archive/all.csv row 3, field "tempo": should be a finite number, found "fast".']
    assert tracks["r2"].tempo_bpm == 90.0


def test_one_object_a_track_with_its_submissions(read):
    segment = {
        "start_s": 0,
        "end_s": 9.5,
        "label": "all",
        "tempo_bpm": 90,
        "key": "Db",
        "mode": "major",
        "meter": "3/4",
    }
    value = {
        "track_id": "r1",
        "title": "Moss",
        "submissions": [
            {"submission_id": "b", "submitted_at": "2024-05-01T00:00:00Z", "intervals": [segment]},
            {"submission_id": "a", "submitted_at": "2024-01-01T00:00:00Z", "tempo_bpm": 60, "segments": [[0, 9, "x"]]},
        ],
    }
    for name, text in (("one.json", value), ("many.json", {"tracks": [value]}), ("lines.jsonl", json.dumps(value))):
        tracks, reasons = read({name: text})
        assert not reasons
        assert truth(tracks["r1"]) == (90.0, "C# major", "3/4", ("all",))
        assert tracks["r1"].facts["title"] == "Moss"
        (read.__closure__[0].cell_contents / "archive" / name).unlink()


@pytest.mark.parametrize(
    "value",
    [
        {
            "r1": {
                "annotations": [
                    {"id": "s1", "annotator": {"id": 5, "name": "x"}, "timestamp": "2024-01-01", "segments": 0}
                ]
            }
        },
        {"tracks": {"r1": {"submissions": [{"id": "s1", "user": 5, "created_at": 1704067200, "intervals": 0}]}}},
        [{"id": "r1", "submission": "s1", "annotator": 5, "submitted_at": "2024-01-01T00:00:00Z", "sections": 0}],
    ],
)
@pytest.mark.parametrize(
    "segment",
    [
        {"start": 1, "end": 3.5, "name": "verse", "attributes": {"bpm": "90", "tonality": "F# minor", "metre": [6, 8]}},
        {"time": 1, "duration": 2.5, "label": "verse", "tempo": 90, "key": "Gb:min", "timesig": "6/8"},
    ],
)
def test_other_shapes_of_json(read, value, segment):
    text = json.dumps(value).replace(": 0}", f": [{json.dumps(segment)}]}}")
    tracks, reasons = read({"all.json": text})
    assert not reasons
    assert truth(tracks["r1"]) == (90.0, "F# minor", "6/8", ("verse",))
    assert (tracks["r1"].segments[0].start_s, tracks["r1"].segments[0].end_s) == (1.0, 3.5)
    submission = tracks["r1"].provenance["key"]
    assert submission == ("r1", "s1", "5", "2024-01-01T00:00:00.000000+00:00")


def test_a_table_may_hold_segments_in_a_cell(read):
    cell = '"[{""start"": 0, ""end"": 9, ""label"": ""verse"", ""key"": ""A minor""}]"'
    head = "track_id,title,bpm,meter,timestamp,segments\n"
    tracks, reasons = read({"a.csv": f"{head}r1,Moss,100,3/4,2024-01-01,{cell}\nr2,Tide,90,4/4,2024-01-01,[1\n"})
    assert truth(tracks["r1"]) == (100.0, "A minor", "3/4", ("verse",))
    assert tracks["r1"].provenance["key"].time.startswith("2024-01-01")
    assert tracks["r1"].facts["title"] == "Moss"
    assert [each[:43] for each in reasons] == ['archive/a.csv row 3, field "segments": is n']


@pytest.mark.parametrize(
    ("segments", "labels"),
    [([0, 30], ["all"]), ([[0, 30, "all"]], None), ([{"start": 0, "end": 30, "name": "all"}], None)],
)
def test_short_lists_of_segments_are_no_time_signatures(read, segments, labels):
    value = {"artist": ["Silver"], "bpm": [90], "key": {"tonic": "C#", "scale": "major"}, "metre": [3, 4]}
    told = {"segments": segments} if labels is None else {"segments": [[*segments, *labels]]}
    tracks, reasons = read({"r1.json": value | told})
    assert not reasons
    assert truth(tracks["r1"]) == (90.0, "C# major", "3/4", ("all",))
    assert tracks["r1"].facts["artist"] == "Silver"


def test_rows_of_segments_may_tell_how_long_the_recording_is(read):
    head = "track_id,start_s,end_s,label,bpm,key,metre,duration_s\n"
    rest = ["r1,0,10,a,90,1d,3/4,", "r1,10,20,b,90,1d,3/4,"]
    tracks, reasons = read({"a.csv": head + "".join(f"{row}25.5\n" for row in rest)})
    assert (tracks["r1"].duration_s, reasons) == (25.5, [])
    _, reasons = read({"a.csv": head + f"{rest[0]}25.5\n{rest[1]}30\n"})
    assert "one submission says two things" in reasons[0]


@pytest.mark.parametrize("value", [["90", "91"], {"x": 1}, True])
def test_a_segment_that_says_several_things_at_once_is_told(read, value):
    segments = [{"start": 0, "end": 30, "label": "all", "bpm": value}]
    _, reasons = read({"r1.json": {"title": "Moss", "key": "1d", "metre": "3/4", "intervals": segments}})
    assert 'field "tempo": should be one value, found ' in reasons[0]


def test_a_row_of_facts_needs_no_time(read):
    facts = "track_id,title,timestamp\nr1,Moss,long ago\n"
    tracks, reasons = read({"facts.csv": facts, "a.csv": HEAD + rows("r1", "s", "", GOOD)})
    assert not reasons
    assert tracks["r1"].facts["title"] == "Moss"


def test_tables_and_files_of_one_track(read):
    table = "start,end,name,tempo,key,meter\n0,10,intro,100,C major,4/4\n"
    tracks, reasons = read(
        {"r1.csv": table, "r2/annotator1.csv": table, "r2/annotator2.csv": table.replace("100", "90")}
    )
    assert not reasons
    assert {name: truth(track) for name, track in tracks.items()} == {
        "r1": (100.0, "C major", "4/4", ("intro",)),
        "r2": (90.0, "C major", "4/4", ("intro",)),
    }


def jams_annotation(namespace, value, time=None, annotator="x"):
    return {
        "namespace": namespace,
        "data": [{"time": 0.0, "duration": 20.0, "value": value, "confidence": None}],
        "annotation_metadata": {"annotator": {"id": annotator}},
        "sandbox": {"submitted_at": time} if time else {},
    }


def test_jams_without_times_is_one_submission_and_with_times_several(read):
    beats = jams_annotation("beat_position", {"position": 1, "measure": 1, "num_beats": 4, "beat_units": 4})
    rest = [jams_annotation("segment_open", "verse"), jams_annotation("key_mode", "D:minor", annotator="y"), beats]
    about = {"duration": 20.0, "title": "Moss", "artist": "Silver"}
    times = [jams_annotation("tempo", 80, "2024-02-01"), jams_annotation("tempo", 160, "2024-01-01")]
    tracks, reasons = read(
        {
            "r1.jams": {"file_metadata": about, "annotations": [*rest, jams_annotation("tempo", 120)]},
            "r2.jams": {"file_metadata": about, "annotations": [*rest, *times]},
        }
    )
    assert not reasons
    assert truth(tracks["r1"]) == (120.0, "D minor", "4/4", ("verse",))
    assert tracks["r2"].tempo_bpm == 80.0
    assert (tracks["r1"].facts["title"], tracks["r1"].duration_s) == ("Moss", 20.0)


def test_numbers_that_no_float_holds_are_told(read):
    huge = json.dumps({"file_metadata": {}, "annotations": [jams_annotation("segment_open", "verse")]})
    tracks, reasons = read({"r1.jams": huge.replace('"duration": 20.0', '"duration": 1e9999999')})
    assert reasons == ["archive/r1.jams: holds numbers that are too large. Correct them."]
    assert not tracks


def labels(prefix=""):
    return {
        f"{prefix}sections/r1.lab": SECTIONS,
        f"{prefix}keys/r1.lab": "0\t10\tC:maj\n10\t30\tG:maj\n",
        f"{prefix}r1.bpm": "132.5\n",
        f"{prefix}metre/r1.txt": "6/8\n",
    }


def test_label_files(read):
    tracks, reasons = read(labels())
    assert not reasons
    assert truth(tracks["r1"]) == (132.5, "G major", "6/8", ("intro", "verse"))  # one segment each: the longer key
    assert tracks["r1"].multi_valued == ("key",)
    assert tracks["r1"].beat_unit == "3/8"


def test_folders_and_names_tell_annotators_and_a_table_tells_times(read):
    files = labels("annotator1/") | {
        "annotator2/sections/r1.lab": "0\t30\tsong\n",
        "r1.annotator3.lab": "0\t31\tlate\n",
    }
    assert truth(read(files)[0]["r1"])[3] == ("late",)
    listed = "file,submitted_at\nannotator1/sections/r1.lab,2024-05-01\nr1.annotator3.lab,2024-04-01\n"
    assert truth(read({"submissions.csv": listed})[0]["r1"])[3] == ("intro", "verse")


@pytest.mark.parametrize(
    ("path", "annotator"),
    [
        ("annotator2/r1.lab", "2"),
        ("rater-B/r1.lab", "B"),
        ("r1.annotator2.lab", "2"),
        ("annotators/r1.lab", ""),
        ("submissions/r1.lab", ""),
        ("all/r1/annotator 7.lab", "7"),
    ],
)
def test_a_name_tells_an_annotator_where_it_names_one(tmp_path, path, annotator):
    assert file_submission(tmp_path / path, tmp_path) == ("r1", "", annotator, "")
    assert file_submission(tmp_path / "all_submissions.jsonl", tmp_path).annotator == ""


def test_an_index_names_files_and_their_checksums(read):
    texts = {
        "a/01.lab": SECTIONS,
        "b/01.lab": "0\t30\tE:minor\n",
        "c/01.txt": "96\n",
        "d/01.txt": "3/4\n",
        "e/01.txt": "0.5\n",
    }
    md5 = {name: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest() for name, text in texts.items()}
    entries = dict(
        zip(("sections", "keys", "tempo", "meter", "beats"), ([name, md5[name]] for name in texts), strict=True)
    )
    index = {"version": "1.0", "tracks": {"x_01": {"audio": ["audio/01.wav", None], "chords": [None, None], **entries}}}
    tracks, reasons = read({"index.json": index, **texts})
    assert not reasons
    assert truth(tracks["x_01"]) == (96.0, "E minor", "3/4", ("intro", "verse"))
    assert tracks["x_01"].facts["audio"] == "audio/01.wav"
    assert list(tracks) == ["x_01"]
    index["tracks"]["x_01"] |= {
        "keys": ["b/01.lab", "0" * 32],
        "tempo": ["c/02.txt", None],
        "meter": ["../../etc/hostname", None],
    }
    _, reasons = read({"index.json": index})
    assert [each for each in reasons if "x_01" in each] == [
        f'archive/index.json, "x_01", field "keys": b/01.lab has another checksum than {"0" * 32}. Restore it, or '
        "correct the index.",
        'archive/index.json, "x_01", field "tempo": "c/02.txt" is no file of the archive. Add the file, or correct the '
        "index.",
        'archive/index.json, "x_01", field "meter": "../../etc/hostname" is no file of the archive. Add the file, or '
        "correct the index.",
    ]


def test_values_and_facts_of_whole_tracks(read):
    table = "Track ID,Title,Artist,BPM,Key,Time Signature,License,mood\nr1,Moss,Silver,77,F# minor,2/2,CC0-1.0,calm\n"
    tracks, reasons = read({"tracks.csv": table, "r1.lab": SECTIONS})
    assert not reasons
    assert truth(tracks["r1"]) == (77.0, "F# minor", "2/2", ("intro", "verse"))
    assert tracks["r1"].facts == {"title": "Moss", "artist": "Silver", "license": "CC0-1.0", "mood": "calm"}
    assert tracks["r1"].beat_unit == "1/2"


def test_one_faulty_track_leaves_the_others(read):
    tracks, reasons = read(
        {"a.csv": HEAD + rows("r1", "s", "", "162.9,162.8,a,100,C major,4/4") + rows("r2", "s", "", GOOD)}
    )
    assert list(tracks) == ["r2"]
    assert len(reasons) == 1


def test_a_zip_file_is_an_archive(tmp_path):
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("folder/a.csv", HEAD + rows("r1", "s", "", GOOD))
    with opened(path) as root:
        tracks, _ = validate_tracks(read_archive(root))
    assert isinstance(tracks[0], MubTrack)
    assert not root.exists()


def test_what_is_no_archive_is_told(tmp_path):
    (tmp_path / "song.mp3").write_bytes(b"x")
    for path, text in (
        (tmp_path / "none", "there is no such archive"),
        (tmp_path / "song.mp3", "is no folder and no zip"),
    ):
        with pytest.raises(InputError, match=text), opened(path):
            pass
    with pytest.raises(InputError, match="holds no annotations"):
        read_archive(tmp_path)
    (tmp_path / "torn.zip").write_bytes(b"PK\x05\x06" + bytes(17))
    with pytest.raises(InputError, match="torn.zip"), opened(tmp_path / "torn.zip"):
        pass


@pytest.mark.parametrize(
    ("metre", "unit"), [("4/4", "1/4"), ("6/8", "3/8"), ("9/8", "3/8"), ("12/8", "3/8"), ("2/2", "1/2"), ("3/8", "1/8")]
)
def test_the_beat_of_a_metre(metre, unit):  # in 6/8, 9/8 and 12/8 the beat is the dotted quarter
    assert beat_unit(metre) == unit


@pytest.mark.parametrize("name", ["x" * 5000, "x\x1b[31m\u202e"])
def test_names_and_values_of_others_are_quoted_short_and_harmless(read, name):
    index = {"tracks": {name: {"tempo": [f"{name}.txt", None]}}}
    facts = json.dumps([{"track_id": "r1", "license": f"{name}{number}", "submitted_at": name} for number in (1, 2)])
    _, reasons = read({"index.json": index, "facts.json": facts, "r2/_submissions.csv": f"file\n{name}.lab\n"})
    assert sum("x" in each for each in reasons) >= 2
    for reason in reasons:
        assert len(reason) < 400
        assert reason.isprintable()
