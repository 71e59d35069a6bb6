"""Rows of a multiple-choice dataset: options, and which of them are right."""

from __future__ import annotations

from typing import Any

from musebench_tasks.errors import closest
from musebench_tasks.items import cells
from musebench_tasks.items.problems import CellError
from musebench_tasks.records import LETTERS, Kind, Option, make_options, shuffled_order
from musebench_tasks.values.option_text import comparable

OPTION_COUNTS = {"musebench": (4, 8), "hummusqa": (4, 4)}
"""Fewest and most options of the benchmarks that fix them (MB-02, HQ-02)."""
ANY_COUNT = (2, len(LETTERS))


def kind_of(cell: Any) -> Kind:
    """`single` or `multi`; an absent cell is single."""
    if cell is None or cell == "":
        return Kind.SINGLE
    if cell not in (Kind.SINGLE, Kind.MULTI):
        raise CellError(f"should be single or multi, found {cells.shown(cell)}.")
    return Kind(cell)


def answer_and_distractors(item_id: str, answer: Any, distractors: list[Any]) -> tuple[Option, ...]:
    """Options of a source that gives no order: the architecture's order for run 0, so that position says nothing."""
    rights = cells.texts(answer)
    wrongs = [each for cell in distractors if cell not in (None, "") for each in cells.texts(cell)]
    options = {option.id: option for option in make_options(item_id, [*rights, *wrongs])}
    if len(options) < len(rights) + len(wrongs):
        written = [*rights, *wrongs]
        repeated = next(each for each in written if written.count(each) > 1)
        raise CellError(f"{cells.shown(repeated)} stands twice among answer and distractors. Reword one.")
    return tuple(options[each] for each in shuffled_order(item_id, 0, tuple(options)))


def check_options(benchmark: str, options: tuple[Option, ...]) -> None:
    """CellError if there are too few or too many options, or two that cannot be told apart."""
    fewest, most = OPTION_COUNTS.get(benchmark.removesuffix("_demo"), ANY_COUNT)
    if not fewest <= len(options) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        plural = "option" if len(options) == 1 else "options"
        raise CellError(f"has {len(options)} {plural}, should have {wanted}.")
    seen: dict[str, str] = {}
    for option in options:
        form = comparable(option.text)
        if form in seen:
            raise CellError(
                f"{cells.shown(seen[form])} and {cells.shown(option.text)} are the same option once case, blanks, "
                "articles and punctuation are set aside. Reword one."
            )
        seen[form] = option.text
    ids = [option.id for option in options]
    if len(set(ids)) < len(ids):
        raise CellError(f'the option id "{next(each for each in ids if ids.count(each) > 1)}" stands twice.')


def gold_entries(cell: Any) -> tuple[str, ...]:
    """The entries of an answer cell: ids, texts or letters."""
    if cell is None or cell in ("", []):
        raise CellError("is empty: no option is right. Name at least one.")
    if isinstance(cell, (int, float)):
        raise CellError(
            f"{cell} is no option label: positions are counted in too many ways. Write the letter or the text."
        )
    return cells.texts(cell)


def resolve(
    entries: tuple[str, ...], options: tuple[Option, ...], given: tuple[Option, ...], letters: bool
) -> list[str]:
    """The ids of the right options, in stored order.

    An entry is an option's id, its exact text, or a letter that counts the options as the source gives them.
    `letters` settles entries that are both a letter and the text of another option (`uses_letters`).
    """
    by_id = {option.id for option in options}
    by_text = {option.text: option.id for option in options}
    by_letter = {letter: option.id for letter, option in zip(LETTERS, given, strict=False)}
    readings = (by_letter, by_text) if letters else (by_text, by_letter)
    found: list[str] = []
    for entry in entries:
        reading = entry if entry in by_id else readings[0].get(entry) or readings[1].get(entry)
        if reading is None:
            raise CellError(_not_an_option(entry, options))
        found.append(reading)
    if len(set(found)) < len(found):
        raise CellError(f"names an option twice: {cells.shown(list(entries))}. Remove one.")
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
    """CellError if the number of right options does not suit the kind."""
    if kind is Kind.SINGLE and len(right) > 1:
        raise CellError(
            f"{len(right)} options are right, but the item is single-select. Keep one, or set its kind to multi."
        )
    if kind is Kind.MULTI and benchmark.removesuffix("_demo") == "musebench":
        if not 2 <= len(right) <= 4:
            raise CellError(f"{len(right)} options are right, should be 2 to 4 in a multi-select item (MB-02).")
        if len(options) - len(right) < 2:
            raise CellError(f"{len(right)} of {len(options)} options are right; at least 2 should be wrong (MB-02).")


def _not_an_option(entry: str, options: tuple[Option, ...]) -> str:
    texts = [option.text for option in options]
    if entry.strip().isdigit():
        return f"{cells.shown(entry)} is no option's text, and positions are not counted. Write the letter or the text."
    if len(entry) == 1 and entry in LETTERS:
        return f'the letter "{entry}" lies beyond the {len(options)} options.'
    close = _nearest_text(entry, texts)
    advice = "Correct the answer, or the option."
    if close is not None and close == entry.strip():
        advice = "Remove the blank at its end, or correct the option."
    hint = f" (nearest: {cells.shown(close)})" if close is not None else ""
    return f"{cells.shown(entry)} is not one of the options{hint}. {advice}"


def _nearest_text(entry: str, texts: list[str]) -> str | None:
    alike = {comparable(text): text for text in texts}
    return alike.get(comparable(entry)) or closest(entry, texts)
