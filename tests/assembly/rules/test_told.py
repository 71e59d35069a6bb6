"""What reading a cell tells in words has the tag of the rule that it is about."""

import pytest

from musebench_tasks.assembly.rules.told import UNREADABLE, tag_of
from musebench_tasks.items import cells
from musebench_tasks.items.problems import CellError


def said(read, cell):
    with pytest.raises(CellError) as told:
        read(cell)
    return str(told.value)


@pytest.mark.parametrize(
    ("read", "cell", "tag"),
    [
        (cells.text, "a\0", "TEXT_BROKEN"),
        (cells.text, "a\ud800", "TEXT_BROKEN"),
        (cells.identifier, "a\nb", "TEXT_BROKEN"),
        (cells.identifier, "a\x85", "TEXT_BROKEN"),
        (cells.text, 1.5, UNREADABLE),
        (cells.text, " ", UNREADABLE),
        (cells.seconds, "soon", UNREADABLE),
        (cells.named_medium, 5, "MEDIUM_UNUSABLE"),
    ],
)
def test_cells_that_cannot_be_read(read, cell, tag):
    assert tag_of(said(read, cell), "question", ("answer",)) == tag


def test_an_empty_answer_is_an_empty_answer_and_nothing_else_is():
    empty = said(lambda cell: cells.required(cells.text, cell), "")
    assert tag_of(empty, "answer", ("answer",)) == "EMPTY_ANSWER_SET"
    assert tag_of(empty, "question", ("answer",)) == UNREADABLE
