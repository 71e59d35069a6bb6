"""What decides among declarations is found without reading all weak cues."""

import json
from pathlib import Path

import pytest

from musebench_tasks.answers.characters import canonical
from musebench_tasks.answers.declarations import STRONG, Declaration, find_deciding, find_declarations
from musebench_tasks.answers.finder import Finder
from musebench_tasks.answers.markup import plain
from musebench_tasks.answers.option_texts import option_texts
from musebench_tasks.answers.regions import RegionReader

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
]
LEADS = ("", "So it is A. ", "I think it's B, ", "Therefore, final ", "I would choose C. So ", "It is B\n")


def deciding(declarations: list[Declaration]) -> list[Declaration]:
    return [each for each in declarations if each.strength == STRONG] or declarations


@pytest.mark.parametrize("lead", LEADS)
def test_the_deciding_declarations_are_those_of_all(lead: str) -> None:
    for case in CASES[::3]:
        reader = RegionReader(
            plain(canonical(lead + (case["response"] or "")))[:3000],
            option_texts(tuple(case["options"])),
            case["kind"] == "multi",
        )
        everything, enough = find_declarations(reader), find_deciding(reader)
        assert deciding(enough.declarations) == deciding(everything.declarations), case["id"]
        if not everything.declarations:
            assert enough == everything


def test_a_pattern_of_which_only_a_part_stands_at_the_end_is_found_anywhere() -> None:
    assert Finder(r"\bnot|never\Z").search("not there", 0, 9) is not None
    assert Finder(r"(?:if|when)\Z").search("only IF", 0, 7) is None
    assert Finder(r"(?:if|when)\Z").search("only if", 0, 7) is not None
