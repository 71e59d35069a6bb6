"""Rules on questions: what they tell of their options and answers (MB-03, MB-21, MB-34, MB-36)."""

import calendar
import re
from collections.abc import Iterator
from functools import lru_cache

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.question import Demands, Question
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import LETTERS

LONGEST_STEM = 80
LONGEST_OPTION_TEXT = 50
"""Words (MB-36)."""
_COUNT = r"(?:two|three|four|five|[2-5])"
COUNT_TOLD = re.compile(
    rf"\b(?:select|choose|pick|mark|tick|name|find|identify|which) (?:the |exactly |any )?{_COUNT}\b"
    rf"|\b{_COUNT} (?:of (?:the following|these|them)|(?:correct |right |true )?(?:answers|options|statements)\b)"
    rf"|\b{_COUNT} (?:are|is) (?:correct|right|true)\b",
    re.IGNORECASE,
)
SEVERAL_ASKED = re.compile(
    r"\ball that apply\b"
    rf"|\b(?:select|choose|pick|mark|tick) (?:the |exactly |any )?(?:{_COUNT}|all|several)\b"
    rf"|\b{_COUNT} (?:correct |right |true )?(?:answers|options)\b"
    rf"|\b{_COUNT} of (?:the following|these) (?:are|apply)\b"
    r"|\bwhich of (?:the following|these) (?:statements |options )?are (?:correct|right|true)\b",
    re.IGNORECASE,
)
_SEVERAL_HINTS = ("apply", "select", "choose", "pick", "mark", "tick", "answers", "options", " of the", " of these")
"""Without one of these the pattern cannot match."""
LABEL_NAMED = re.compile(r"\b(?:[Oo]ptions?|[Cc]hoices?|[Aa]nswers?) \(?([A-Z])\b(?!['’#♯♭])")
LISTED = re.compile(r"(?:^|[\s(])(?:\(?([A-H])[).:]|\(([A-H])\))(?=\s)")
"""A label as it heads an option: `A)`, `(B)`, `C.`."""
FEWEST_LISTED = 2
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?:[ -][A-Z][a-z]+)*")
_NO_NAMES = frozenset(filter(None, (*calendar.day_name, *calendar.month_name)))


def stem_flaws(question: Question, demands: Demands) -> Iterator[Problem]:
    """What is wrong with a question beside its options."""
    stem, column = question.stem, question.columns[0]
    yield from mismatches(question)
    heads = {one or other for one, other in LISTED.findall(stem)} if _may_list(stem) else set()
    if len(heads) >= FEWEST_LISTED and heads >= set(LETTERS[:FEWEST_LISTED]):
        found = f"lists options in the question ({', '.join(sorted(heads))})."
        yield flaw("OPTIONS_IN_STEM", column, found, "Keep them in the column of options.")
    told = COUNT_TOLD.search(stem) if question.kind == "multi" else None
    if told:
        found = f'"{told[0]}" tells how many are right.'
        yield flaw("ANSWER_COUNT_TOLD", column, found, "Ask without a number.")
    if stem.count(" ") >= LONGEST_STEM:
        found = f"{len(stem.split())} words."
        yield flaw("TEXT_LONG", column, found, f"Ask in at most {LONGEST_STEM}, in plain words.")
    longest = max(question.options, key=len, default="")
    if longest.count(" ") >= LONGEST_OPTION_TEXT:
        found = f"an option of {len(longest.split())} words."
        yield flaw("TEXT_LONG", question.columns[1], found, f"Claim it in at most {LONGEST_OPTION_TEXT}.")
    if demands.is_without_names:
        yield from names(question)


def _may_list(stem: str) -> bool:
    return ")" in stem or ":" in stem or ". " in stem


def mismatches(question: Question) -> Iterator[Problem]:
    """A question that asks for what its options cannot be."""
    stem, column = question.stem, question.columns[0]
    folded = stem.casefold() if question.kind == "single" else ""
    asked = SEVERAL_ASKED.search(stem) if any(hint in folded for hint in _SEVERAL_HINTS) else None
    if asked:
        found = f'"{asked[0]}" asks for several answers, but the item is single-select.'
        yield flaw("STEM_OPTIONS_MISMATCH", column, found, "Ask for one, or set its kind to multi.")
    labels = LETTERS[: len(question.options)]
    beyond = [each for each in LABEL_NAMED.findall(stem) if each not in labels] if not stem[1:].islower() else []
    if beyond:
        found = f"speaks of option {beyond[0]}, but there are {len(question.options)}."
        yield flaw("STEM_OPTIONS_MISMATCH", column, found, "Name options by what they say: their order changes.")


def names(question: Question) -> Iterator[Problem]:
    """Capitalised words inside sentences: perhaps names (MB-21, MB-32)."""
    for column, texts in ((question.columns[0], (question.stem,)), (question.columns[1], question.options)):
        found = dict.fromkeys(
            name
            for text in texts
            if not text[1:].islower()
            for name in _NAME.findall(text)
            if name.split()[0] not in _NO_NAMES
        )
        if found:
            named = ", ".join(list(found)[:3])
            yield flaw("PROPER_NOUN", column, f"{named}: perhaps a name.", "Describe what is seen or heard instead.")


@lru_cache(maxsize=4096)
def _title_pattern(title: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(title)}(?!\w)", re.IGNORECASE)


SHORTEST_TITLE = 5
"""Characters; shorter titles are words like others."""


def titles_told(question: Question, titles: dict[str, str]) -> Iterator[Problem]:
    """Texts that hold the title or artist of what is heard; `titles` by column."""
    text = " \n ".join((question.stem, *question.options))
    folded = text.casefold()
    for column, title in titles.items():
        if len(title) >= SHORTEST_TITLE and title.casefold() in folded and _title_pattern(title).search(text):
            found = f'question or options hold "{title}", which is the {column}.'
            yield flaw("TITLE_TOLD", question.columns[0], found, "Ask without it.")
