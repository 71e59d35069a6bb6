import pytest

from musebench_tasks.base.records import Interval
from musebench_tasks.reports.table import Cell, Column, Row, Table, above_all_systems, marked


def cells(*values, reach=0.05):
    return [
        Cell(value, None if value is None else Interval(low=value - reach, high=value + reach, method="m"))
        for value in values
    ]


def marks(found):
    return "".join("b" if cell.best else "s" if cell.second else "-" for cell in found)


@pytest.mark.parametrize(
    ("values", "apart", "expected"),
    [
        ((0.4, 0.9, 0.6), {(1, 2), (2, 0)}, "-bs"),
        ((0.4, 0.9, 0.6), {(1, 2)}, "-b-"),
        ((0.4, 0.9, 0.6), {(2, 0)}, "---"),
        ((0.4, 0.9), {(1, 0)}, "-b"),
        ((0.4, None, 0.6), {(2, 0)}, "--b"),
        ((None, 0.6), set(), "--"),
    ],
    ids=["both", "only the best", "no best, no second", "of two", "not asked", "alone"],
)
def test_each_is_marked_only_where_it_differs_from_the_next(values, apart, expected):
    assert marks(marked(cells(*values), lambda first, second: (first, second) in apart)) == expected


@pytest.mark.parametrize(
    ("values", "expected"), [((0.9, 0.6, 0.4), "bs-"), ((0.9, 0.85, 0.4), "---"), ((0.9, 0.6, 0.55), "b--")]
)
def test_without_items_intervals_must_lie_apart(values, expected):
    assert marks(marked(cells(*values), lambda first, second: None)) == expected


def test_a_baseline_above_every_system_is_told_with_its_measures():
    columns = (Column("F1", "segments"), Column("acc1", "tempo"), Column("answered", is_rate=True))
    rows = (
        Row("a", (Cell(0.5), Cell(0.8), Cell(0.9))),
        Row("b", (Cell(0.4), Cell(None), Cell(0.2))),
        Row("prior", (Cell(0.7), Cell(0.8), Cell(1.0)), is_baseline=True),
        Row("none", (Cell(None), Cell(0.1), Cell(None)), is_baseline=True),
    )
    assert list(above_all_systems(Table("t", "t", columns, rows))) == [
        "prior scores higher than every system: segments F1."
    ]
    assert list(above_all_systems(Table("t", "t", columns, rows[2:]))) == []
