"""MU-01: archives laid out as published ones are. All names, times and values are made up here."""

import hashlib
import json

import pytest

from musebench_tasks.assembly.mub import read_archive, validate_tracks
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import lines
from musebench_tasks.cli import main


@pytest.fixture
def read(tmp_path):
    """Writes an archive (text, bytes or JSON by path) and reads it: the archive, its tracks, and the refused ones."""

    def read_files(files):
        root = tmp_path / "archive"
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encoded(content))
        archive = read_archive(root)
        tracks, refused = validate_tracks(archive)
        return archive, {each.id: each for each in tracks}, {each.id: tuple(lines(each.reasons)) for each in refused}

    return read_files


def encoded(content):
    text = json.dumps(content) if isinstance(content, (dict, list)) else content
    return text if isinstance(text, bytes) else text.encode()


def truth(track):
    return (track.tempo_bpm, track.key, track.time_signature, [(e.start_s, e.end_s, e.label) for e in track.segments])


def jams(*annotations, title="", duration=30):
    about = {
        "title": title,
        "artist": "",
        "release": "",
        "duration": duration,
        "identifiers": {},
        "jams_version": "0.2.0",
    }
    return {"annotations": list(annotations), "file_metadata": about, "sandbox": {}}


def annotation(namespace, *data, annotator=None):
    told = {"annotator": annotator or {}, "curator": {"name": "Cu", "email": "cu@example.org"}, "version": "1.0"}
    observations = [dict(zip(("time", "duration", "value", "confidence"), each, strict=True)) for each in data]
    body = {"namespace": namespace, "annotation_metadata": told, "data": observations, "sandbox": {}}
    return body | {"time": 0, "duration": None}


REST = {
    "rest/a.seglab": "0 12 intro\n12 30 verse\n",
    "rest/a.metre": "4/4",
    "rest/a.key": "Db minor",
    "rest/a.bpm": "9.5e+01\n",
}
TRUE = (95.0, "C# minor", "4/4", [(0, 12, "intro"), (12, 30, "verse")])


def rest(*without):
    """What makes a whole track of what a layout leaves out."""
    return {name: text for name, text in REST.items() if not name.endswith(without)}


def test_giantsteps_says_one_thing_in_three_forms_and_two_versions(read):
    files = {
        "README": "about",
        "annotations/giantsteps/a.LOFI.key": "Bb minor",
        "annotations/key/a.LOFI.key": "Bb minor\n",
        "annotations/jams/a.LOFI.jams": jams(
            annotation("key_mode", (0, 30, "A#:minor", 1)), annotation("tag_open", (0, 30, "x", 1)), title="a.LOFI.key"
        ),
        "annotations/tempo/a.LOFI.bpm": "101.5",
        "annotations_v2/tempo/a.LOFI.bpm": "140.0",
        "annotations_v2/mirex/a.LOFI.mirex": "70.0\t140.0\t0.25",
        "annotations_v2/jams/a.LOFI.jams": jams(
            annotation("tempo", (0, 30, 70, 0.25), (0, 30, 140, 0.75)), title="a.LOFI"
        ),
        "annotations_v2/tempo/b.LOFI.bpm": "0.0",
        "annotations/genre/a.LOFI.genre": "x",
        "md5/a.LOFI.md5": "0",
        "more/a.LOFI.csv": "start_s,end_s,label,time_signature\n0,30,song,4/4\n",
    }
    archive, tracks, refused = read(files)
    assert truth(tracks["a.LOFI"]) == (140.0, "Bb minor", "4/4", [(0, 30, "song")])
    assert [tracks["a.LOFI"].provenance[name].id for name in ("tempo", "key")] == ["v2", ""]
    assert "title" not in tracks["a.LOFI"].facts
    assert list(refused) == ["b.LOFI"]
    assert archive.passed_over == {".genre": 1, ".md5": 1, "tag_open (.jams)": 1}


@pytest.mark.parametrize(
    ("keys", "times", "key", "several"),
    [
        (["D major"], {}, "D major", False),
        (["D major", "E minor"], {"start_times": [0, 10], "end_times": [10, 30]}, "E minor", True),
        (["1d", "8A", "C:maj"], {"start_times": [0, 0, 0], "end_times": [1, 30, 1]}, "C major", True),
        (["D major", "E minor"], {}, "D major", True),
    ],
)
def test_giantsteps_plus_lists_keys_and_their_times(read, keys, times, key, several):
    described = {"id": "a", "confidence": 2, "key": keys, "pc-set": ["[0, 2]"], "comments": "none", **times}
    _, tracks, _ = read({"new_annotations/a.json": described, **rest("key")})
    assert tracks["a"].key == key
    assert ("key" in tracks["a"].multi_valued) == several


def test_harmonix_writes_starts_and_metres_with_bars(read):
    archive, tracks, refused = read(
        {
            "dataset/segments/a.txt": "0.0 intro\n8.5 verse\n30.0 end\n",
            "dataset/beats_and_downbeats/a.txt": "0.0\t1\t1\n0.5\t2\t1\n",
            "dataset/metadata.csv": "File,Title,Artist,Release,Duration,BPM,Ratio Bars in 4,Time Signature,Genre\n"
            "a,Moss,Silver,Hill,30.0,113,0.5,6|8,Rock\n",
            "dataset/youtube_urls.csv": "File,URL\na,https://example.org/a\n",
            "results/beats/Some One.csv": ",F-measure\na,0.5\n",
            "keys/a.txt": "bb minor",
        }
    )
    assert not refused
    assert truth(tracks["a"]) == (113.0, "Bb minor", "6/8", [(0, 8.5, "intro"), (8.5, 30, "verse")])
    assert (tracks["a"].facts["title"], tracks["a"].facts["source"]) == ("Moss", "https://example.org/a")
    assert archive.passed_over == {"beats (.txt)": 1, "beats (.csv)": 1}


@pytest.mark.parametrize(
    ("keylab", "key"),
    [
        ("0.0\t1.5\tSilence\n1.5\t20.0\tKey\tBb\n20.0\t30.0\tKey\tE:minor\n", "Bb major"),
        ("0.0\t30.0\tKey\tE\n", "E major"),
        ("0.0\t10.0\tKey\tA:minor\n10.0\t20.0\tKey\tC\n20.0\t30.0\tKey\tA:minor\n", "A minor"),
    ],
)
def test_isophonics_leaves_cells_empty_and_major_unsaid(read, keylab, key):
    album = "The Larks/01_-_Hill/02_-_Moss"
    archive, tracks, refused = read(
        {
            f"seglab/{album}.lab": "0.000\t0.500\t\tsilence\n0.500\t30.000\t\tverse_(part)\n30.000\t30.000\t\tend\n",
            f"keylab/{album}.lab": keylab,
            f"chordlab/{album}.lab": "0 1 N\n1 2 C:maj\n",
            f"beat/{album}.txt": "0.5  2\n1.0  3\n",
            "tempo.csv": "file;bpm;metre\n02_-_Moss.wav;120,5;3/4\n",
        }
    )
    assert not refused
    segments = [(0, 0.5, "silence"), (0.5, 30, "verse_(part)")]
    assert truth(tracks["02_-_Moss"]) == (120.5, key, "3/4", segments)
    assert archive.passed_over == {"beat (.txt)": 1, "chordlab (.lab)": 1}


def test_the_command_tells_what_is_passed_over(tmp_path, capsys):
    table = "id,title,artist,license,attribution,source,bpm,key,metre\na,Moss,Silver,CC0-1.0,Silver,https://x.org,90,1d,3/4\n"
    files = {"facts.csv": table, "a.lab": "0 30 song\n", "Beats/a.txt": "0.5 1\n1.0 2\n", "a.genre": "x", "a.wav": "-"}
    for name, text in files.items():
        path = tmp_path / "archive" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    words = ["--mub", str(tmp_path / "archive"), "--out", str(tmp_path / "mub"), "--without-audio"]
    assert main(["data", "build", *words]) == 0
    assert "\npassed over 1 .genre, 1 beats (.txt)\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [("For_A_Hill", "For a Hill (Remastered)", True), ("The Larks", "larks", False), ("Hill", "Valley", False)],
)
def test_a_title_may_be_spelled_in_several_ways(read, first, second, is_one):
    tables = {name: f"id,title\na,{title}\n" for name, title in (("one.csv", first), ("two.csv", second))}
    _, tracks, _ = read({**tables, **rest()})
    assert ("a" in tracks) == is_one


def test_a_mode_that_is_neither_major_nor_minor_is_told(read):
    _, _, refused = read({"keylab/a.lab": "0 30 Key D:mixolydian\n", **rest("key")})
    assert refused["a"] == (
        'archive/keylab/a.lab, field "key": "D:mixolydian" is no key. Write a tonic and major or minor, for example '
        '"Eb major".',
    )


SALAMI = {
    "annotations/a/textfile1.txt": "0.0\tSilence\n0.5\tA, a, Intro, (guitar\n9.0\tb\n30.0\tEnd",
    "annotations/a/textfile2-original.txt": "0.0\tSilence\n30.0\tEnd",
    "annotations/a/parsed/textfile1_functions.txt": "0.0\tSilence\n0.5\tIntro\n9.0\tno_function\n30.0\tEnd",
    "annotations/a/parsed/textfile1_uppercase.txt": "0.0\tZ\n0.5\tA\n30.0\tEnd",
    "annotations/a/parsed/textfile2_uppercase.txt": "0.0\tZ\n0.6\tB\n30.0\tEnd",
    "annotations/a/parsed/textfile2_lowercase.txt": "0.0\tZ\n0.6\tb\n30.0\tEnd",
}
HEAD = "SONG_ID,SOURCE,ANNOTATOR1,ANNOTATOR2,SONG_DURATION,SONG_TITLE,ARTIST,SUBMISSION_DATE1,SUBMISSION_DATE2\n"
FIRST, SECOND = [(0, 0.5, "Silence"), (0.5, 9, "Intro"), (9, 30, "no_function")], [(0, 0.6, "Z"), (0.6, 30, "B")]


@pytest.mark.parametrize(
    ("row", "segments", "annotator"),
    [
        (None, SECOND, "2"),  # neither has a time: the greater annotator
        ("a,Corpus,5,8,30,Moss,Silver,2010-06-14,2010-06-04\n", FIRST, "5"),
        ("a,Corpus,5,8,30,Moss,Silver,2010-06-04,2010-06-14\n", SECOND, "8"),
        ("a,Corpus,5,8,30,Moss,Silver,2010-06-04,\n", FIRST, "5"),
    ],
)
def test_salami_has_two_annotators_and_a_table_of_their_days(read, row, segments, annotator):
    table = {"metadata/metadata.csv": HEAD + row} if row else {}
    archive, tracks, refused = read({**SALAMI, **table, **rest("seglab")})
    assert not refused
    assert truth(tracks["a"])[3] == segments
    assert tracks["a"].provenance["segments"].annotator == annotator
    told = {"textfile1 (.txt)": 1, "textfile2-original (.txt)": 1, "uppercase (.txt)": 1, "lowercase (.txt)": 1}
    assert archive.passed_over == told
    assert sum(each.entry.field == "segments" for each in archive.assertions) == 2


def test_what_an_index_reads_of_salami_is_not_read_again(read):
    parsed = "annotations/a/parsed/textfile1"
    entries = {f"annotator_1_{level}": [f"{parsed}_{level}.txt", None] for level in ("uppercase", "lowercase")}
    index = {"version": "2.0", "tracks": {"a": {**entries, "annotator_2_uppercase": [None, None]}}}
    files = {**SALAMI, f"{parsed}_lowercase.txt": "0.0\tZ\n0.5\ta\n30.0\tEnd", "salami_index.json": index}
    del files["annotations/a/parsed/textfile2_uppercase.txt"], files["annotations/a/parsed/textfile2_lowercase.txt"]
    archive, tracks, refused = read({**files, **rest("seglab")})
    assert not refused
    assert truth(tracks["a"])[3] == [(0, 0.5, "Z"), (0.5, 30, "A")]
    told = {"textfile1 (.txt)": 1, "textfile2-original (.txt)": 1, "functions (.txt)": 1}
    assert archive.passed_over == told | {"annotator_1_lowercase (.txt)": 1}


def test_a_day_that_is_none_is_told(read):
    row = "a,Corpus,5,8,30,Moss,Silver,June,2010-06-04\n"
    _, _, refused = read({**SALAMI, "metadata.csv": HEAD + row, **rest("seglab")})
    assert refused["a"] == (
        'archive/metadata.csv row 2, field "submission_date1": "June" is no time. Write it as 2024-05-31T12:00:00Z.',
    )


def test_the_parsed_files_of_salami_and_billboard_are_needed(read):
    with pytest.raises(InputError, match=r"found only salami_chords \(\.txt\), textfile1 \(\.txt\)"):
        read({"a/textfile1.txt": "0.0\tA, a\n30.0\tEnd", "0003/salami_chords.txt": "# metre: 4/4\n0.0\tsilence\n"})


def test_rwc_counts_hundredths_of_a_second(read):
    archive, tracks, refused = read(
        {
            "AIST.RWC-MDB-P-2001.CHORUS/RM-P001.CHORUS.TXT": '4\t1026\t"intro"\r\n1026\t2315\t"chorus A"\r\n',
            "AIST.RWC-MDB-P-2001.BEAT/RM-P001.BEAT.TXT": "4\t4\t384\n",
            "AIST.RWC-MDB-P-2001.VOCA_INST/RM-P001.VOCA_INST.TXT": "4\t500\tm1\n",
            "facts.csv": "id,bpm,key,metre\nRM-P001,135,F#:maj,4/4\n",
        }
    )
    assert not refused
    assert truth(tracks["RM-P001"])[3] == [(0.04, 10.26, "intro"), (10.26, 23.15, "chorus A")]
    assert archive.passed_over == {"beat (.txt)": 1, "voca_inst (.txt)": 1}


def test_jsd_calls_its_columns_segment_start_and_segment_end(read):
    table = "segment_start;segment_end;label;instrument\n0.0;0.4;silence;\n0.4;30.0;theme_01_01;cl,b,dr\n"
    _, tracks, _ = read({"data/annotations_csv/a.csv": table, **rest("seglab")})
    assert truth(tracks["a"])[3] == [(0, 0.4, "silence"), (0.4, 30, "theme_01_01")]


def test_acousticbrainz_names_recordings_by_mbid_and_keys_in_two_columns(read):
    table = "mbid,bpm,key_key,key_scale,length\na,120.25,A#,minor,200.1\n"
    _, tracks, _ = read({"ab.csv": table, **rest("bpm", "key")})
    assert truth(tracks["a"])[:2] == (120.25, "Bb minor")


def test_acousticbrainz_nests_tempo_and_key(read):
    tonal = {"key_key": "A#", "key_scale": "minor", "key_strength": 0.7}
    properties = {"length": 30.25, "md5_encoded": "0"}
    extracted = {"lowlevel": {}, "rhythm": {"bpm": 120.25, "beats_count": 60}, "tonal": tonal}
    extracted["metadata"] = {"audio_properties": properties, "tags": {"title": ["Moss"]}}
    _, tracks, refused = read({"0/0a/a.json": extracted, **rest("bpm", "key")})
    assert not refused
    assert truth(tracks["a"])[:2] == (120.25, "Bb minor")
    assert tracks["a"].duration_s == 30.25


def test_a_jams_file_of_several_annotators_keeps_them_apart(read):
    one, two = {"name": "Ann A", "email": "a@example.org"}, {"name": "Bo B", "email": "b@example.org"}
    archive, tracks, _ = read(
        {
            "references/a.jams": jams(
                annotation("segment_salami_upper", (0, 30, "A", 1), annotator=one),
                annotation("segment_salami_upper", (0, 0.5, "SILENCE", 1), (0.5, 29.5, "B", 1), annotator=two),
                annotation("segment_salami_lower", (0, 30, "b", 1), annotator=two),
                annotation("beat", (0, 0, 1, 1), annotator={"name": "Cy"}),
            ),
            **rest("seglab"),
        }
    )
    assert truth(tracks["a"])[3] == [(0, 0.5, "SILENCE"), (0.5, 30, "B")]
    annotators = {each.submission.annotator for each in archive.assertions if each.entry.field == "segments"}
    assert annotators == {"Ann A", "Bo B"}
    assert archive.passed_over == {"segment_salami_lower (.jams)": 1, "beat (.jams)": 1}


def test_a_jams_file_that_holds_nothing_of_use_is_told(read):
    both = [annotation(name, (0, 0, 1, 1), annotator={"name": name}) for name in ("beat", "chord")]
    _, _, refused = read({"x.jams": jams(*both), **rest()})
    assert "x.jams: has no data under tempo, key_mode" in refused["x"][0]


def test_an_index_of_two_versions_takes_the_later_and_counts_what_it_leaves(read):
    tempi = {
        f"v{number}/28.jams": jams(annotation("tempo", (0, 30, 100 + number, 1)), title="28") for number in (1, 2, 10)
    }
    entries = {
        f"annotation_{name.partition('/')[0]}": [name, hashlib.md5(encoded(text), usedforsecurity=False).hexdigest()]
        for name, text in tempi.items()
    }
    entries |= {"meta": ["meta/28.json", None], "beats": ["b/28.beats", None], "chords": [None, None]}
    entries |= {"annotator_1_uppercase": ["s/u.txt", None], "annotator_1_lowercase": ["s/l.txt", None]}
    files = {"meta/28.json": {"x": 1}, "b/28.beats": "0 1\n", "s/u.txt": "0 A\n30 end\n", "s/l.txt": "0 a\n30 end\n"}
    index = {"version": "2.0", "tracks": {"a": entries}}
    archive, tracks, refused = read({"gs_index_2.0.json": index, **tempi, **files, **rest("bpm", "seglab")})
    assert not refused
    assert truth(tracks["a"]) == (110.0, "C# minor", "4/4", [(0, 30, "A")])
    assert tracks["a"].provenance["tempo"].id == "v10"
    assert not tracks["a"].facts
    assert archive.passed_over == {".beats": 1, "meta (.json)": 1, "annotator_1_lowercase (.txt)": 1}


@pytest.mark.parametrize(
    "written",
    [
        "0.0,12.0,intro\n12.0,30.0,verse\n",
        "0.0; 12.0; intro\n12.0; 30.0; verse\n",
        "start\tend\tlabel\n0\t12\tintro\n12\t30\tverse\n",
        "time label\n0 intro\n12 verse\n30 End\n",
        "\ufeff# by hand\r\n0.0 12.0 intro\r\n12.0 30.0 verse\r\n",
        '0\t12\t"intro"\n12\t30\t"verse"\n30\t30\tEnd\n',
        "0\t12\t\tintro\n12\t30\t\tverse\n",
    ],
)
def test_segments_however_they_are_separated(read, written):
    _, tracks, refused = read({"sections/a.txt": written, **rest("seglab")})
    assert not refused
    assert truth(tracks["a"]) == TRUE


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"seg/a.lab": ""}, 'seg/a.lab, field "segments": is empty. Fill it, or remove it.'),
        ({"seg/a.lab": "0 30 Refrén\n".encode("latin-1")}, "is no UTF-8 text (byte 10). Save it as UTF-8."),
        ({"seg/a.txt": "0.0\n12.0\n30.0\n"}, 'field "segments": no label on segment 1, 2. Name the sections.'),
        ({"seg/a.txt": "0.0 intro\n12.0 verse\n"}, '"verse" starts in the last row and ends nowhere.'),
        ({"seg/a.lab": "0 120000000 intro\n120000000 300000000 verse\n"}, "should be a time of at most 1000000 s"),
        ({"a.lab": "0 12 N\n12 30 A:min\n"}, 'holds chords or keys, such as "A:min", and no sections.'),
        ({"seg/a.lab": "0 12 intro\n12 12 break\n12 30 verse\n"}, "end_le_start: 12 to 12 break."),
    ],
)
def test_what_cannot_be_read_is_told_by_name(read, files, told):
    _, tracks, refused = read({**files, **rest("seglab")})
    assert not tracks
    assert told in "\n".join(refused["a"])


def test_a_list_where_a_value_should_be_is_told(read):
    _, _, refused = read({"a.json": {"title": "Moss", "key": ["D major", "E minor"]}, **rest("key")})
    assert refused["a"] == (
        'archive/a.json row 1, field "key": should be one value, found ["D major", "E minor"]. Write one.',
    )
