"""What is wrong with a cell has the code of the rule that it is about (MB-34); most have none."""

import pytest

from musebench_tasks.assembly.rules import TAGS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, Option
from musebench_tasks.items import cells, choice
from musebench_tasks.items.windows import window_fault

OPTIONS = tuple(Option(id=name, text=name.upper()) for name in ("one", "two", "three"))


def checked(*right):
    choice.check_gold("musebench", Kind.MULTI, list(right), OPTIONS)


@pytest.mark.parametrize(
    ("read", "cell", "codes"),
    [
        (cells.text, "a\0", ["TEXT_BROKEN"]),
        (cells.text, "a\ud800", ["TEXT_BROKEN"]),
        (cells.identifier, "a\nb", ["TEXT_BROKEN"]),
        (cells.identifier, "a\x85", ["TEXT_BROKEN"]),
        (cells.text, 1.5, [""]),
        (cells.text, " ", [""]),
        (cells.seconds, "soon", [""]),
        (cells.named_medium, 5, ["MEDIUM_UNUSABLE"]),
        (lambda cell: cells.required(cells.text, cell), "", [""]),
        (lambda cell: cells.required(cells.text, cell, choice.NO_ANSWER), "", ["EMPTY_ANSWER_SET"]),
        (choice.gold_entries, [], ["EMPTY_ANSWER_SET"]),
        (choice.gold_entries, 1, ["LABEL_OUT_OF_RANGE"]),
        (lambda cell: choice.resolve(cell, OPTIONS, letters=True), ("D", "4", "four"), ["LABEL_OUT_OF_RANGE"] * 3),
        (lambda cell: choice.resolve(cell, OPTIONS, letters=True), ("A", "A"), ["ANSWER_COUNT"]),
        (lambda cell: checked(*cell), ("one",), ["ANSWER_COUNT"]),
        (lambda cell: checked(*cell), ("one", "two"), ["FEW_WRONG"]),
        (lambda cell: choice.check_options("musebench", cell), OPTIONS, ["OPTION_COUNT"]),
        (lambda cell: choice.check_options("", cell), (*OPTIONS, OPTIONS[0]), ["DUPLICATE_OPTIONS"]),
        (lambda cell: choice.answer_and_distractors("", "q", cell, ["a", "a"]), "b", ["DUPLICATE_OPTIONS"]),
    ],
)
def test_cells_that_cannot_be_read(read, cell, codes):
    with pytest.raises(InputError) as caught:
        read(cell)
    assert [each.code for each in caught.value.problems] == codes
    assert {each for each in codes if each} <= set(TAGS)


@pytest.mark.parametrize(
    ("times", "column"), [((5, 3, None), "end_s"), ((9, None, 8), "start_s"), ((0, 9, 8), "end_s")]
)
def test_windows_that_contradict_themselves(times, column):
    problem = window_fault(*times)
    assert (problem.code, problem.column) == ("CLIP_RANGE_INVALID", column)
