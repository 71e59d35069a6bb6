"""MU-01: whatever lies in an archive, it ends in tracks and reasons, never in a traceback."""

import json
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from musebench_tasks.assembly.mub import read_archive, validate_tracks
from musebench_tasks.base.errors import InputError

NAMES = st.sampled_from(
    [
        *("track_id", "title", "bpm", "key", "segments", "submissions", "annotations"),
        *("file_metadata", "namespace", "data", "value", "time", "duration", "start"),
        *("end", "label", "annotator", "submitted_at", "tracks", "audio", "mode"),
        *("attributes", "sandbox", "num_beats", "labels", "annotator1", "mbid", "file"),
    ]
)
ATOMS = st.sampled_from(
    [None, True, 0, -1, 1e308, "", "a", "C major", "4/4", "tempo", "segment_open", "key_mode", "2024-01-01"]
)
VALUES = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=8
)
ANNOTATIONS = st.lists(
    VALUES | st.fixed_dictionaries({"namespace": ATOMS, "data": st.lists(VALUES, max_size=3), "sandbox": VALUES}),
    max_size=3,
)
ENTRIES = st.dictionaries(
    st.sampled_from(["audio", "keys", "jams", "annotation_v1", "annotator_1_functions", "meta"]),
    st.sampled_from([[None, None], ["x.json", None], ["x.csv", "0" * 32], ["no.lab", None]]) | VALUES,
    max_size=3,
)
CONTENTS = {
    "x.json": VALUES.map(json.dumps),
    "x_v2/x.jams": ANNOTATIONS.map(lambda each: json.dumps({"file_metadata": {}, "annotations": each})),
    "x.jsonl": st.lists(VALUES, max_size=2).map(lambda each: "\n".join(map(json.dumps, each))),
    "index.json": ENTRIES.map(lambda each: json.dumps({"version": "1", "tracks": {"a": each}})),
    "x.csv": st.tuples(st.lists(NAMES, min_size=1, max_size=4), st.lists(st.lists(ATOMS, max_size=4), max_size=3)).map(
        lambda each: "\n".join(",".join(map(str, row)) for row in (each[0], *each[1]))
    ),
}


@pytest.mark.parametrize("name", CONTENTS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_archive_ends_in_a_traceback(tmp_path, name, data):
    root = tmp_path / "archive"
    shutil.rmtree(root, ignore_errors=True)
    for each in {name, data.draw(st.sampled_from(sorted(CONTENTS)))}:
        path = root / each
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data.draw(CONTENTS[each]), encoding="utf-8")
    try:
        archive = read_archive(root)
    except InputError:
        return
    tracks, refused = validate_tracks(archive)
    assert not {each.id for each in tracks} & {each.id for each in refused}
    assert all(each.reasons for each in refused)
