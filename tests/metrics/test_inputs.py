"""Whatever stands in a row is stored as it is or refused: no value makes a check itself fail, or is changed."""

import decimal
import fractions

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.metric_modules import inputs
from musebench_tasks.metric_modules.inputs import WrongValue
from musebench_tasks.metric_modules.recordings_inputs import estimate_row, recording_row

SEGMENTS = pyarrow.list_(
    pyarrow.struct([("start_s", pyarrow.float64()), ("end_s", pyarrow.float64()), ("label", pyarrow.string())])
)
KINDS = {
    inputs.label: pyarrow.string(),
    inputs.label_or_empty: pyarrow.string(),
    inputs.label_set: pyarrow.list_(pyarrow.string()),
    inputs.label_set_or_empty: pyarrow.list_(pyarrow.string()),
    inputs.runs: pyarrow.list_(pyarrow.string()),
    inputs.key_reference: pyarrow.string(),
    inputs.metre_reference: pyarrow.string(),
    inputs.any_text_or_none: pyarrow.string(),
    inputs.tempo_reference: pyarrow.float64(),
    inputs.tempo_or_none: pyarrow.float64(),
    inputs.reference_duration: pyarrow.float64(),
    inputs.segments: SEGMENTS,
    inputs.segments_or_none: SEGMENTS,
    inputs.ratings: pyarrow.list_(pyarrow.int64()),
    estimate_row: None,
    recording_row: None,
}
ODD = [
    *(None, True, np.bool_(False), 10**400, -(10**400), 2**63, fractions.Fraction(10**400), decimal.Decimal("nan")),
    *(np.float16("inf"), np.float32(41.6), np.timedelta64(5, "s"), np.datetime64("2026-01-01"), np.str_("A")),
    *(np.array(3.0), np.array(["A"]), np.array([[1, 2]]), "\ud800", "A\x00", b"A", object(), {"A"}, range(3), 1j),
]
VALUES = st.recursive(
    st.sampled_from(ODD) | st.text() | st.floats() | st.integers(),
    lambda each: st.lists(each) | st.dictionaries(st.sampled_from(["id", "start_s", "end_s", "label", "key"]), each),
    max_leaves=6,
)


def check(kind, value):
    try:
        stored = kind(value)
    except WrongValue:
        return
    if KINDS[kind] is not None:
        assert pyarrow.array([stored], KINDS[kind]).to_pylist() == [stored]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(value=VALUES)
@settings(max_examples=15, deadline=None)
def test_any_value_is_stored_unchanged_or_refused(kind, value):
    check(kind, value)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(value=VALUES)
@settings(max_examples=1_000, deadline=None)
def test_any_of_many_values_is_stored_unchanged_or_refused(kind, value):
    check(kind, value)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_odd_value_is_stored_unchanged_or_refused(kind):
    for value in ODD:
        check(kind, value)
        check(kind, [value, value])
        check(kind, [{"start_s": value, "end_s": 10, "label": value}])
        check(kind, {"id": value, "tempo_bpm": value, "key": value, "segments": value, "duration_s": value})


@pytest.mark.parametrize("kind", [inputs.runs, inputs.ratings, inputs.segments])
def test_what_has_an_order_is_no_set(kind):
    with pytest.raises(WrongValue):
        kind({"a", "b"})
    assert inputs.label_set({"A"}) == ["A"]


def test_a_setting_is_checked_as_a_row_is():
    with pytest.raises(InputError, match="clusters row 1: found nan"):
        inputs.checked_clusters(["a", float("nan")], 2)
    with pytest.raises(InputError, match="There are 2 rows but 1 clusters"):
        inputs.checked_clusters(np.array([1]), 2)
    assert inputs.checked_clusters(np.array(["a", "b"]), 2) == ["a", "b"]
    assert inputs.checked_option_counts(np.int64(4), 2) == [4, 4]
