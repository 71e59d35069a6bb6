"""Rules on options and on which of them are right (MB-02, MB-34, MB-36, answers.md 3.5)."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.question import Demands, Question
from musebench_tasks.assembly.rules.words import plain_words
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import counted, shown
from musebench_tasks.values.option_text import comparable

LETTER_LIKE = re.compile(r"[A-H]\b|[A-H]{2,8}$")
PREFIX_WORDS = 4
PREFIX_SHARE = 0.6
"""Options begin alike when they share at least 4 words and 60 % of the shorter one."""
ALIKE_SHARE = 0.9
"""Options are alike when they share 90 % of their words."""
FEWEST_WORDS = 5
"""Shorter options are compared as a whole only."""


def option_flaws(question: Question, demands: Demands) -> Iterator[Problem]:
    """Too few, too many, equal and alike options."""
    column = question.columns[1]
    count = len(question.options)
    if count not in demands.option_counts:
        yield flaw("OPTION_COUNT", column, f"{counted(count, 'option')} found.", f"Give {demands.counts_text}.")
    wrong = count - len(question.right)
    if question.right and wrong < demands.fewest_wrong:
        yield flaw("FEW_WRONG", column, f"{counted(wrong, 'wrong option')}.", f"Give at least {demands.fewest_wrong}.")
    words = [plain_words(text) for text in question.options]
    yield from duplicate_options(question.options, words, column)
    yield from alike_options(question.options, words, column)


def duplicate_options(options: Sequence[str], words: Sequence[Sequence[str]], column: str) -> Iterator[Problem]:
    """Options that cannot be told apart."""
    # Texts that compare equal end alike; telling the ends apart is cheaper than comparing.
    ends = {each[-1] if each else "" for each in words}
    if len(ends) == len(options) and all(text.isascii() and "&" not in text for text in options):
        return
    forms = [comparable(text) for text in options]
    counts = Counter(forms)
    for text, form in zip(options, forms, strict=True):
        if counts[form] > 1:
            found = f"{shown(text)} equals another option after normalisation."
            yield flaw("DUPLICATE_OPTIONS", column, found, "Reword one.")


def label_like_options(options: Sequence[str], column: str) -> Iterator[Problem]:
    """Options that read like an answer letter."""
    for text in options:
        if LETTER_LIKE.match(text):
            advice = "Reword it, or list the item in label_like."
            yield flaw("LABEL_LIKE_OPTION", column, f"{shown(text)} begins like an answer letter.", advice)


def alike_options(options: Sequence[str], words: Sequence[Sequence[str]], column: str) -> Iterator[Problem]:
    """Pairs of options that begin alike (MB-34), or hold almost the same words (MB-36); one of each kind an item."""
    long = [(place, told, set(told)) for place, told in enumerate(words) if len(told) >= FEWEST_WORDS]
    found: set[str] = set()
    for (one, first, first_set), (other, second, second_set) in combinations(long, 2):
        tag, what = _alike(first, second, first_set, second_set)
        if tag and tag not in found:
            found.add(tag)
            text = f"{shown(options[one])} and {shown(options[other])} {what}."
            yield flaw(tag, column, text, "Let each claim something of its own.")


def _alike(first: Sequence[str], second: Sequence[str], first_set: set[str], second_set: set[str]) -> tuple[str, str]:
    """The tag of two options that are alike, and how; empty where they are not. Equal ones are duplicates."""
    if first[0] == second[0] and first[:PREFIX_WORDS] == second[:PREFIX_WORDS] and first != second:
        shorter = min(len(first), len(second))
        shared = next((n for n in range(shorter) if first[n] != second[n]), shorter)
        if shared >= PREFIX_SHARE * shorter:
            return "NEAR_IDENTICAL_PREFIX", f"begin with the same {shared} words"
    common, both = len(first_set & second_set), len(first_set) + len(second_set)
    if common >= ALIKE_SHARE * (both - common) and first != second:
        return "OPTIONS_ALIKE", "hold almost the same words"
    return "", ""


def right_flaws(question: Question, demands: Demands) -> Iterator[Problem]:
    """How many options are right, against the kind."""
    column = question.columns[2]
    wanted = demands.right_counts.get(question.kind)
    count = len(question.right)
    if wanted is None or count in wanted or count == 0:
        return
    found = f"{count} correct options in a {question.kind}-select item."
    if question.kind == "multi" and count == 1:
        yield flaw("MULTI_DEGENERATE", column, found, "Give 2 to 4, or make it single-select.")
    else:
        yield flaw("ANSWER_COUNT", column, found, "Give exactly 1." if question.kind == "single" else "Give 2 to 4.")
