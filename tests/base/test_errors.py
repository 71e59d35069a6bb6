"""Parts of messages: numbers with what they count."""

import pytest

from musebench_tasks.base.text import counted, cut, few, few_lines, lines_of, one_line


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("item",), "0 items"),
        (1, ("item",), "1 item"),
        (2, ("planned request",), "2 planned requests"),
        (1, ("medium", "media"), "1 medium"),
        (3, ("medium", "media"), "3 media"),
    ],
)
def test_a_noun_agrees_with_its_number(number, words, text):
    assert counted(number, *words) == text


@pytest.mark.parametrize(
    ("names", "text"), [((), ""), (("a",), "a"), (("a", "b", "c"), "a, b, c"), (tuple("abcde"), "a, b, c and 2 more")]
)
def test_many_names_are_the_first_few(names, text):
    assert few(names) == text


@pytest.mark.parametrize(
    ("text", "line"), [("", ""), (" a\n b\t", "a b"), ("abcde", "abcde"), ("abcdef", "abcd…"), ("ab      c", "ab c")]
)
def test_a_long_text_is_cut_and_stands_on_one_line(text, line):
    assert cut(text, 5) == line


@pytest.mark.parametrize("sign", ["\n", "\x1b", "\x7f", "\u061c", "\u202e", "\u2028", "\u00ad", "\udcff"])
def test_text_of_others_steers_no_terminal(sign):
    assert one_line(f"Dvořák{sign}通义") == f"Dvořák{ascii(sign)[1:-1]}通义"
    assert lines_of(f"one\ntwo{sign}") == "one\ntwo" + ("\n" if sign == "\n" else ascii(sign)[1:-1])


def test_many_lines_are_the_first_few():
    assert few_lines(["a", "b"], 2) == ["a", "b"]
    assert few_lines(["a", "b", "c"], 2) == ["a", "b", "and 1 more line like these."]
    rest = "x.csv: and 2 more lines like these. Correct them."
    assert few_lines(list("abcd"), 2, place="x.csv", advice="Correct them.") == ["a", "b", rest]
