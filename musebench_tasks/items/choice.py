"""Rows of a multiple-choice dataset: options, and which of them are right."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import LETTERS, Kind, Option, make_options, shuffled_order
from musebench_tasks.base.text import closest, counted, shown
from musebench_tasks.items import cells
from musebench_tasks.values.option_text import comparable

OPTION_COUNTS = {"musebench": (4, 8), "hummusqa": (4, 4)}
"""Fewest and most options of the benchmarks that fix them (MB-02, HQ-02)."""
ALIKE, NO_ANSWER, NO_OPTION = "DUPLICATE_OPTIONS", "EMPTY_ANSWER_SET", "LABEL_OUT_OF_RANGE"
RIGHT_COUNT = "ANSWER_COUNT"
"""Codes of problems."""
NOTHING_RIGHT = Problem("is empty: no option is right.", "Name at least one.", NO_ANSWER)
_BETWEEN = re.compile(r"[,;|/+&\n]| and ")
_LETTERS_ALONE = re.compile(r"[A-Z]{2,}")
ANY_COUNT = (2, len(LETTERS))


def kind_of(cell: Any) -> Kind:
    """`single` or `multi`; an absent cell is single."""
    if cell is None or cell == "":
        return Kind.SINGLE
    if cell not in (Kind.SINGLE, Kind.MULTI):
        raise InputError(f"should be single or multi, found {shown(cell)}.")
    return Kind(cell)


def answer_and_distractors(benchmark: str, item_id: str, answer: Any, wrongs: Sequence[str]) -> tuple[Option, ...]:
    """Options of a source that gives no order: the architecture's order for run 0, so that position says nothing."""
    written = [*cells.texts(answer), *wrongs]
    options = {option.id: option for option in make_options(item_id, written)}
    if len(options) < len(written):
        repeated = [text for text, count in Counter(written).items() if count > 1]
        twice = [f"{shown(text)} stands twice among answer and distractors." for text in repeated]
        faults = (Problem(found, "Reword one.", ALIKE) for found in twice)
        raise InputError(*_count_faults(benchmark, len(written)), *faults)
    return tuple(options[each] for each in shuffled_order(item_id, 0, tuple(options)))


def check_options(benchmark: str, options: tuple[Option, ...]) -> None:
    """InputError if there are too few or too many options, or some that cannot be told apart."""
    # Equal texts have equal ids where those are made of them: one fault, told once.
    ids = Counter(option.id for option in {option.text: option for option in options}.values())
    faults = [
        *_count_faults(benchmark, len(options)),
        *_equal_options([option.text for option in options]),
        *(Problem(f"the option id {shown(name)} stands twice.") for name, count in ids.items() if count > 1),
    ]
    if faults:
        raise InputError(*faults)


def _count_faults(benchmark: str, count: int) -> Iterator[Problem]:
    fewest, most = OPTION_COUNTS.get(benchmark.removesuffix("_demo"), ANY_COUNT)
    if not fewest <= count <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        yield Problem(f"has {counted(count, 'option')}, should have {wanted}.", code="OPTION_COUNT")


def _equal_options(texts: Sequence[str]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for text in texts:
        form = comparable(text)
        if form in seen:
            equal = f"{shown(seen[form])} and {shown(text)} are the same option once case, blanks, articles and"
            yield Problem(f"{equal} punctuation are set aside.", "Reword one.", ALIKE)
        seen[form] = text


def gold_entries(cell: Any) -> tuple[str, ...]:
    """The entries of an answer cell: ids, texts or letters."""
    if cell is None or cell in ("", []):
        raise InputError(NOTHING_RIGHT)
    if isinstance(cell, (int, float)):
        found = f"{cell} is no option label: positions are counted in too many ways."
        raise InputError(Problem(found, "Write the letter or the text.", NO_OPTION))
    return cells.texts(cell)


def resolve(entries: tuple[str, ...], options: tuple[Option, ...], letters: bool) -> list[str]:
    """The ids of the right options, in stored order.

    An entry is an option's id, its exact text, or a letter that counts the options.
    `letters` settles entries that are both a letter and the text of another option (`uses_letters`).
    """
    by_id = {option.id for option in options}
    by_text = {option.text: option.id for option in options}
    by_letter = {letter: option.id for letter, option in zip(LETTERS, options, strict=False)}
    readings = (by_letter, by_text) if letters else (by_text, by_letter)
    named = {each: each if each in by_id else readings[0].get(each) or readings[1].get(each) for each in entries}
    faults = [_not_an_option(entry, options) for entry, option in named.items() if option is None]
    found = [option for entry in entries if (option := named[entry]) is not None]
    if len(set(found)) < len(found):
        faults.append(Problem(f"names an option twice: {shown(list(entries))}.", "Remove one.", RIGHT_COUNT))
    if faults:
        raise InputError(*faults)
    return [option.id for option in options if option.id in found]


def uses_letters(rows: list[tuple[tuple[str, ...], tuple[Option, ...]]]) -> bool:
    """Whether an answer column is written in letters: every entry is a letter in range, and not all are texts.

    Decided over the whole column, because a single `A` beside an option "A" (pitch names, forms) could be either.
    """
    in_range = all(
        entry in LETTERS[: len(options)] and len(entry) == 1 for entries, options in rows for entry in entries
    )
    all_texts = all(entry in {option.text for option in options} for entries, options in rows for entry in entries)
    return in_range and not all_texts


def check_gold(benchmark: str, kind: Kind, right: list[str], options: tuple[Option, ...]) -> None:
    """InputError if the number of right options does not suit the kind."""
    if kind is Kind.SINGLE and len(right) > 1:
        found = f"{len(right)} options are right, but the item is single-select."
        raise InputError(Problem(found, "Keep one, or set its kind to multi.", RIGHT_COUNT))
    if kind is Kind.MULTI and benchmark.removesuffix("_demo") == "musebench":
        count, faults = len(right), []
        if not 2 <= count <= 4:
            found = counted(count, "option is", "options are")
            wanted = "should be 2 to 4 in a multi-select item of musebench (MB-02)."
            faults.append(Problem(f"{found} right, {wanted}", code=RIGHT_COUNT))
        if len(options) - count < 2:
            wanted = "at least 2 should be wrong in musebench (MB-02)."
            faults.append(Problem(f"{count} of {len(options)} options are right; {wanted}", code="FEW_WRONG"))
        if faults:
            raise InputError(*faults)


def _not_an_option(entry: str, options: tuple[Option, ...]) -> Problem:
    texts = [option.text for option in options]
    if entry.strip().isdigit():
        found = f"{shown(entry)} is no option's text, and positions are not counted."
        return Problem(found, "Write the letter or the text.", NO_OPTION)
    if len(entry) == 1 and entry in LETTERS:
        return Problem(f'the letter "{entry}" lies beyond the {len(options)} options.', code=NO_OPTION)
    several = _several(entry, texts)
    if several:
        written = json.dumps(several, ensure_ascii=False)
        found = f"{shown(entry)} is not one of the options."
        return Problem(found, f"Write several right ones as a list: {written}.", NO_OPTION)
    close = _nearest_text(entry, texts)
    advice = "Correct the answer, or the option."
    if close is not None and close == entry.strip():
        advice = "Remove the blank at its end, or correct the option."
    hint = f" (nearest: {shown(close)})" if close is not None else ""
    return Problem(f"{shown(entry)} is not one of the options{hint}.", advice, NO_OPTION)


def _several(entry: str, texts: Sequence[str]) -> list[str]:
    """The letters or texts of options that an entry names without being a list (`A, C`, `AC`); empty if it does not."""
    parts = [each.strip() for each in _BETWEEN.split(entry) if each.strip()]
    if len(parts) == 1 and _LETTERS_ALONE.fullmatch(entry.strip()):
        parts = list(entry.strip())
    known = {*texts, *LETTERS[: len(texts)]}
    return parts if len(parts) > 1 and all(each in known for each in parts) else []


def _nearest_text(entry: str, texts: list[str]) -> str | None:
    alike = {comparable(text): text for text in texts}
    return alike.get(comparable(entry)) or closest(entry, texts)
