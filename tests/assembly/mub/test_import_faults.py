"""MU-01: faults of an archive name file, row and field."""

import pytest
from fakes.annotation_tables import GOOD, HEAD, SECTIONS, rows

FAULTS = [
    (
        rows("r1", "s", "soon", GOOD),
        'row 2, field "submitted_at": "soon" is no time. Write it as 2024-05-31T12:00:00Z.',
    ),
    (
        rows("r1", "s", "", "0,10,intro,100,H flat,4/4"),
        'row 2, field "key": "H flat" is no key. Write a tonic and major or minor, for example "Eb major".',
    ),
    (
        rows("r1", "s", "", "10,5,intro,100,C major,4/4"),
        'row 2, field "segments": end_le_start: 10 to 5 intro. Correct the interval; references are never repaired.',
    ),
    (
        rows("r1", "s", "", GOOD, "8,12,verse,100,C major,4/4"),
        'row 3, field "segments": overlap: 8 to 12 verse after 0 to 10 intro. Correct the interval; references are '
        "never repaired.",
    ),
    (rows("", "s", "", GOOD), 'row 2, field "track_id": names no track. Fill it.'),
    ("r1,s,ann,,0,10\n", "row 2: has 6 cells, the head line 10. Quote cells that hold the separator."),
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_faults_of_a_table_name_row_and_field(read, text, line):
    tracks, reasons = read({"a.csv": HEAD + text})
    assert reasons == [f"archive/a.csv {line}"]
    assert not tracks


@pytest.mark.parametrize(
    ("files", "line"),
    [
        (
            {"a.csv": HEAD + rows("r1", "s", "", "0,10,,100,C major,4/4")},
            'track "r1", field "segments": no label on segment 1. Name the sections.',
        ),
        (
            {"a.csv": HEAD + rows("r1", "s", "", "0,10,intro,100,C major,")},
            'track "r1", field "time_signature": not stated.',
        ),
        ({"a.csv": "track_id,start_s,start_s\nr1,0,1\n"}, 'archive/a.csv: has the column "start_s" twice. Rename one.'),
        (
            {"r1.json": "{"},
            "archive/r1.json: is no JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1))"
            ". Correct it.",
        ),
        ({"l.jsonl": '{"track": "r1"}\n5\n'}, "archive/l.jsonl row 2: should be an object. Correct it."),
        ({"a.csv": "track_id,title\n"}, "archive/a.csv: has a head line and nothing below it. Fill it, or remove it."),
        (
            {"a.csv": HEAD + rows("r1", "s", "", "0,10,intro,100,C major,4/4") + "r1,s,ann,,10,20\n"},
            "archive/a.csv row 3: has 6 cells, the head line 10. Quote cells that hold the separator.",
        ),
        (
            {"r1.json": {"title": "Moss", "segments": [[0, 9, "a"]], "intervals": [[0, 8, "b"]]}},
            'archive/r1.json row 1, field "segments": has intervals and segments, two lists of segments. Keep one.',
        ),
        (
            {"r1.jams": {"file_metadata": {}, "annotations": [5]}},
            "archive/r1.jams, annotation 1: should be an object. Correct it.",
        ),
        (
            {"r1.jams": {"file_metadata": {}, "annotations": []}},
            "archive/r1.jams: holds no annotation that can be read. Add one, or remove the file.",
        ),
        (
            {"r1.lab": SECTIONS, "submissions.csv": "file,annotator\nr1.lab,a\nr1.lab,b\n"},
            'archive/submissions.csv row 3, field "file": "r1.lab" is listed twice. Remove one of the rows.',
        ),
        (
            {"l.jsonl": '{"trackid": "r1", "tempo": 5}\n'},
            'archive/l.jsonl row 1: should have a "track_id" (nearest: trackid). Add it.',
        ),
        (
            {"one.csv": "track_id,title\nr1,Moss\n", "two.csv": "track_id,title\nr1,Silver\n"},
            'archive/two.csv row 2, field "title": "Silver" differs from "Moss" in archive/one.csv row 2. Keep one of '
            "the two.",
        ),
        (
            {"l.jsonl": '{"track_id": "r1", "title": "\\ud800"}\n'},
            'archive/l.jsonl row 1, field "title": holds half a character (U+D800) at position 1. Remove it.',
        ),
        (
            {"r1.lab": SECTIONS, "sections/r1.lab": "0\t10\tintro\n10\t30\tchorus\n"},
            'archive/r1.lab and archive/sections/r1.lab, field "segments": one submission says two things. Keep one of '
            "the two.",
        ),
        (
            {"r1.lab": SECTIONS, "submissions.csv": "file,submitted_at\nr2.lab,2024-01-01\n"},
            'archive/submissions.csv row 2, field "file": "r2.lab" is no file of the archive. Correct the path.',
        ),
    ],
)
def test_faults_name_file_row_and_field(read, files, line):
    tracks, reasons = read(files)
    assert line in reasons
    assert not tracks
