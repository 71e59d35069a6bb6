"""Several right options written as one text are told how to be written."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import make_options
from musebench_tasks.items.choice import resolve

OPTIONS = make_options("q1", ("a flute", "a horn", "a lute, plucked"))
SEVERAL = {
    "A, C": '["A", "C"]',
    "A;C": '["A", "C"]',
    "A|B|C": '["A", "B", "C"]',
    "AC": '["A", "C"]',
    "A and B": '["A", "B"]',
    "a flute; a horn": '["a flute", "a horn"]',
}


@pytest.mark.parametrize(("entry", "listed"), SEVERAL.items())
def test_several_in_one_text_are_shown_as_the_list_to_write(entry, listed):
    with pytest.raises(InputError) as told:
        resolve((entry,), OPTIONS, letters=True)
    assert f"Write several right ones as a list: {listed}." in str(told.value)


@pytest.mark.parametrize("entry", ["A, D", "AX", "a flute, a drum", "a horn, plucked", "ad"])
def test_what_names_no_options_is_not_taken_apart(entry):
    with pytest.raises(InputError, match="is not one of the options") as told:
        resolve((entry,), OPTIONS, letters=True)
    assert "as a list" not in str(told.value)


def test_an_option_with_a_comma_is_itself():
    assert resolve(("a lute, plucked",), OPTIONS, letters=True) == [OPTIONS[2].id]
