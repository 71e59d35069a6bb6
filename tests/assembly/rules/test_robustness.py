"""Whatever stands in a sheet: the rules never fail, and a flaw in one row is told of that row alone."""

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from musebench_tasks.assembly.rules import check_items
from musebench_tasks.assembly.schemas import dataset_schema

CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(),
    st.text(max_size=12),
    st.lists(st.one_of(st.text(max_size=4), st.floats(), st.none()), max_size=3),
    st.lists(st.fixed_dictionaries({"id": st.text(max_size=3), "text": st.text(max_size=6)}), max_size=4),
    st.lists(
        st.fixed_dictionaries({"start_s": st.floats(), "end_s": st.floats(), "label": st.text(max_size=3)}), max_size=3
    ),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
)


@pytest.mark.parametrize("dataset", ["musebench", "hummusqa", "mub"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_cell_makes_the_rules_fail(make_rows, dataset, data):
    names = [column.name for column in dataset_schema(dataset).columns]
    sound = make_rows[dataset]("r1")
    changes = data.draw(st.dictionaries(st.sampled_from([*names, "other"]), CELLS, max_size=3))
    rows = [make_rows[dataset]("r0"), sound | changes]
    found = check_items(rows, dataset)
    assert found.rows == 2
    assert all("\n" not in line for line in found.lines)


@pytest.mark.parametrize("dataset", ["musebench", "hummusqa", "mub"])
def test_the_order_of_rows_does_not_matter_to_what_is_found_in_each(make_rows, dataset):
    spoiled = {"musebench": {"end_s": -1.0}, "hummusqa": {"difficulty": "?"}, "mub": {"key": "H"}}[dataset]
    rows = [make_rows[dataset](f"r{n}", **(spoiled if n % 3 == 0 else {})) for n in range(7)]
    forward = check_items(rows, dataset, media=False)
    backward = check_items(rows[::-1], dataset, media=False)
    told = [sorted((each.item or "", each.code, each.found) for each in found) for found in (forward, backward)]
    assert told[0] == told[1]
    assert {name for name, *_ in told[0]} == {"r0", "r3", "r6"}
