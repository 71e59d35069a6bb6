"""Whatever lies in a folder, reading it ends in annotations and lines about problems, never in a traceback."""

import contextlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.items.annotations import read_estimates, read_references
from musebench_tasks.items.annotations.file_kinds import KNOWN_SUFFIXES

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
LONG = settings(max_examples=5_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

CELLS = st.sampled_from([
    "0", "10", "10.5", "1,5", "0:10", "-3", "nan", "inf", "1e999", "verse", "end", "", "C:maj", "6/8", "id",
    "tempo_bpm", "key", "start_s", "end_s", "label", '"', "r1", "9" * 400, "[1, 2]", "#",
])  # fmt: skip
TABLES = st.builds(
    lambda rows, separator: "\n".join(separator.join(row) for row in rows).encode(),
    st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=6),
    st.sampled_from([",", ";", "\t", " ", "|"]),
)
NAMES = st.sampled_from([
    "id", "tempo_bpm", "bpm", "key", "time_signature", "segments", "labels", "duration_s", "cluster_id", "start_s",
    "end_s", "annotations", "file_metadata", "namespace", "data", "value", "time", "duration", "tonic", "mode",
])  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6), NAMES, st.just(10**400),
    st.sampled_from(["tempo", "key_mode", "segment_open", "multi_segment", "beat_position"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda each: st.one_of(st.lists(each, max_size=4), st.dictionaries(NAMES, each, max_size=4)), max_leaves=12
)
OBSERVATIONS = st.lists(
    st.fixed_dictionaries({"time": SCALARS, "duration": SCALARS, "value": VALUES}), min_size=1, max_size=3
)
JAMS = st.builds(
    lambda names, data: {"file_metadata": {}, "annotations": [{"namespace": each, "data": data} for each in names]},
    st.lists(st.sampled_from(["tempo", "key_mode", "segment_open", "multi_segment", "beat_position"]), min_size=1),
    st.one_of(OBSERVATIONS, VALUES),
)
CONTENTS = st.one_of(st.binary(max_size=60), TABLES, (VALUES | JAMS).map(lambda each: json.dumps(each).encode()))
FILES = st.builds(
    lambda folder, stem, suffix: f"{folder}{stem}{suffix}",
    st.sampled_from(["", "tempo/", "keys/", "956/parsed/"]),
    st.sampled_from(["r1", "r1.key", "r1.segments", "textfile1_functions"]),
    st.sampled_from(sorted(KNOWN_SUFFIXES)),
)


def read_as_both(path):
    """What the two readers make of it; wrong input is theirs to refuse."""
    for read in (read_references, read_estimates):
        with contextlib.suppress(InputError):
            yield read, read(path)


def check(folder, name, content):
    path = folder / "side" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    for given_path in (folder / "side", path):
        for read, found in read_as_both(given_path):
            assert not [each for each in found.problems if "\n" in each.text]
            tempi = [each.tempo_bpm for each in found.annotations if each.tempo_bpm is not None]
            assert read is read_estimates or all(0 < tempo <= 1000 for tempo in tempi)
    path.unlink()


@QUICK
@given(name=FILES, content=CONTENTS)
def test_no_file_ends_in_a_traceback(tmp_path, name, content):
    check(tmp_path, name, content)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@LONG
@given(name=FILES, content=CONTENTS)
def test_no_file_of_many_ends_in_a_traceback(tmp_path, name, content):
    check(tmp_path, name, content)


@QUICK
@given(values=st.one_of(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), st.lists(VALUES, max_size=3)))
def test_no_value_at_hand_ends_in_a_traceback(values):
    for _, found in read_as_both(values):
        assert not [each for each in found.problems if "\n" in each.text]
