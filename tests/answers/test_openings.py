"""A finder finds what `re.finditer` finds, faster: for any pattern, and for those that answers are read with."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.answers import assertion, corrections, cues, labels, multiple, positions, refusals
from musebench_tasks.answers.openings import Finder

CASES = Path(__file__).parents[1] / "cases"
TEXTS = [
    line["response"] or ""
    for name in ("answers.jsonl", "more_choice.jsonl")
    for line in map(json.loads, (CASES / name).read_text(encoding="utf-8").splitlines())
]
IN_USE = {
    "cue": cues._CUE,
    "called": cues._CALLED,
    "correction": corrections._CORRECTION,
    "refusal": refusals._REFUSAL,
    "ordinal": positions._ORDINAL,
    "marked": multiple._MARKED,
}
ODD = (
    r"\bso\b|(?<=\n)the(?:n|re)?|x{2,4}y",
    r"(?:(?<=[.!?] )|\A)(?:no|wait)\b",
    r"[ab]?c|\Bd|e(?!f)",
    r"(?:a|b|)c",
    r"\w+ly",
    r"(?i:one)|(?-i:Two)",
    r"ma(?:ss|ß)|kin|Grün|и|é",
    r"(a)\1",
)


def spans(found):
    return [match.span() for match in found]


def same(finder, text):
    return spans(finder.finditer(text)) == spans(finder._pattern.finditer(text))


@pytest.mark.parametrize("name", IN_USE)
def test_in_every_case_the_same_is_found(name):
    finder = IN_USE[name]
    assert finder._scans is not None
    assert all(same(finder, text) and same(finder, text.upper()) for text in TEXTS)


@pytest.mark.parametrize("name", IN_USE)
@settings(max_examples=20)
@given(data=st.data())
def test_whatever_a_pattern_can_match_is_found(name, data):
    finder = IN_USE[name]
    match = data.draw(st.from_regex(finder._pattern))
    assert same(finder, match)
    assert same(finder, f"so, a word. {match}! No {match}")


@pytest.mark.parametrize("pattern", ODD)
@settings(max_examples=30)
@given(text=st.text(alphabet="abcdefxyhnostwißıİſKéиI .\nSONE", max_size=24))
def test_any_pattern_finds_the_same(pattern, text):
    assert same(Finder(pattern, re.IGNORECASE), text)
    assert same(Finder(pattern), text)


ENDINGS = {
    "denied": cues._DENIED,
    "supposed": cues._HYPOTHETICAL,
    "condition": cues._CONDITION,
    "merely named": cues._MERELY_NAMED,
    "negated": assertion._NEGATED_BEFORE,
    "other thing": labels._OTHER_THING,
}


@pytest.mark.parametrize("name", ENDINGS)
@settings(max_examples=20)
@given(data=st.data())
def test_what_ends_a_stretch_is_found_as_by_search(name, data):
    ending = ENDINGS[name]
    assert ending.words
    before = data.draw(st.from_regex(ending._pattern))
    for text in (before, f"so {before}", f"{data.draw(st.sampled_from(TEXTS))} {before}"):
        for start in (0, max(0, len(text) - 14), max(0, len(text) - 64)):
            found = ending.search(text, start, len(text))
            wanted = ending._pattern.search(text, start, len(text))
            assert (found and found.span()) == (wanted and wanted.span())
