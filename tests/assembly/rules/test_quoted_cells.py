"""Cells stand in messages short, and with nothing in them that steers a terminal."""

import unicodedata

import pytest

from musebench_tasks.assembly.rules import check_items

LONG = "word " * 400
STEERING = "\x1b[31mred\u202e"
HOSTILE = {"long": LONG, "steering": STEERING, "number": 10**4000}
LONGEST = 900
"""Characters of a message that quotes two cells beside a closed list."""


def spoilt(cell, bad):
    """Ways to put `bad` into a cell: in place of it, and of each text or element in it."""
    yield bad
    if isinstance(cell, list):
        yield [bad, *cell]
        for position, each in enumerate(cell):
            if isinstance(each, dict):
                yield from ([*cell[:position], each | {name: bad}, *cell[position + 1 :]] for name in each)


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("benchmark", ["musebench", "hummusqa", "mub"])
def test_messages_of_rules_quote_any_cell(make_rows, benchmark, bad):
    row = make_rows[benchmark]()
    for column, cell in row.items():
        for value in spoilt(cell, bad):
            found = check_items([row | {column: value}], benchmark, media=False)
            for each in found:
                assert len(each.message) <= LONGEST, (column, each)
                assert not any(unicodedata.category(sign) in ("Cc", "Cf") for sign in each.message), (
                    column,
                    each.message,
                )
