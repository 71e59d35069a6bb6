"""Selections: deterministic, whatever the order of the items."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Item, Kind
from musebench_tasks.items import quotas, select


def items(**sizes):
    return [
        Item(id=f"{name}{number:03}", benchmark="b", kind=Kind.SINGLE, cluster_id="c", category=name)
        for name, size in sizes.items()
        for number in range(size)
    ]


@pytest.mark.parametrize(
    ("sizes", "wanted", "expected"),
    [
        ((2, 3, 5, 20), 12, [2, 3, 3, 4]),
        ((1, 1, 1), 5, [1, 1, 1]),
        ((10, 10, 10), 10, [3, 3, 4]),
        ((0, 4), 4, [0, 4]),
        ((5,), 3, [3]),
        ((1, 2, 100), 50, [1, 2, 47]),
        ((3, 3, 3, 3), 7, [1, 2, 2, 2]),
    ],
)  # music_metrics.md 8
def test_smallest_strata_are_served_first(sizes, wanted, expected):
    named = {f"s{number}": size for number, size in enumerate(sizes)}
    assert list(quotas(named, wanted).values()) == expected


@settings(max_examples=30)
@given(
    st.dictionaries(st.tuples(st.integers(0, 6), st.sampled_from("CDEFG")), st.integers(0, 30), min_size=1),
    st.integers(0, 200),
    st.randoms(),
)
def test_quotas_fill_what_is_wanted_and_favour_the_small_in_any_order(sizes, wanted, random):
    taken = quotas(sizes, wanted)
    assert sum(taken.values()) == min(wanted, sum(sizes.values()))
    assert all(0 <= taken[name] <= sizes[name] for name in sizes)
    ordered = sorted(sizes, key=lambda name: (sizes[name], name))
    assert [taken[name] for name in ordered] == sorted(taken.values())
    short = [taken[name] for name in ordered if taken[name] < sizes[name]]
    assert not short or max(short) - min(short) <= 1
    names = list(sizes)
    random.shuffle(names)
    assert quotas({name: sizes[name] for name in names}, wanted) == taken


def test_a_stratified_draw_is_even_and_always_the_same():
    everything = items(a=50, b=3, c=20)
    drawn = select(everything, "stratified:12", ["category"])
    assert [sum(item.category == name for item in drawn) for name in "abc"] == [5, 3, 4]
    assert drawn == select(everything[::-1], "stratified:12", ["category"])
    assert [item.id for item in drawn] == sorted(item.id for item in drawn)


def test_a_limit_takes_the_first_ids():
    assert [item.id for item in select(items(b=2, a=2), "limit:3", [])] == ["a000", "a001", "b000"]


def test_no_selection_is_everything_and_more_than_all_is_all():
    everything = items(a=3)
    assert select(everything, None, []) == tuple(everything)
    assert select(everything, "limit:9", []) == select(everything, "stratified:9", ["category"]) == tuple(everything)


@pytest.mark.parametrize("selection", ["limit:0", "limit", "first:3", "stratified:-1", "limit:3.5"])
def test_another_selection_is_an_error(selection):
    with pytest.raises(InputError, match=r"selects nothing\. Write limit:N or stratified:N"):
        select(items(a=3), selection, [])
