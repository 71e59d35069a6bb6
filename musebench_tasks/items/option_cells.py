"""Options as datasets write them: in one text, in several columns, with their letters before them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import LETTERS, Cells, Option, option_id
from musebench_tasks.base.text import shown
from musebench_tasks.items import cells

_LABEL = re.compile(r"\s*(?:\((?P<bracketed>[A-Z])\)|(?P<plain>[A-Z])[.):])\s*(?P<text>.*?)\s*", re.DOTALL)


def read_options(item_id: str, written: Cells, found: Sequence[Any]) -> tuple[Option, ...]:
    """The options of one row in the order given; `found` = the cells of the columns that hold them."""
    options = cells.options(item_id, _one_list(written, found))
    return unlabelled(item_id, options) if written.option_labels else options


def _one_list(written: Cells, found: Sequence[Any]) -> Any:
    if len(found) > 1:
        # Datasets with a column for each option leave the last ones empty where an item has fewer.
        return list(_without_empty_end(found))
    cell = cells.required(lambda each: each, found[0])
    if written.option_separator is not None and isinstance(cell, str):
        return [part.strip() for part in cells.one_text(cell).split(written.option_separator) if part.strip()]
    return cell


def _without_empty_end(found: Sequence[Any]) -> Iterable[Any]:
    filled = [number for number, cell in enumerate(found) if cell not in (None, "")]
    for number, cell in enumerate(found[: filled[-1] + 1 if filled else 0]):
        if cell in (None, ""):
            raise InputError(f"option {LETTERS[number]} is empty, and a later one is not. Fill it.")
        if isinstance(cell, (str, list)):
            try:
                cells.one_text(cell)
            except InputError as error:
                option = f"option {LETTERS[number]}"
                raise InputError(*(replace(each, found=f"{option} {each.found}") for each in error.problems)) from error
        yield cell


def wrong_texts(cell: Any, columns: int) -> tuple[str, ...]:
    """The wrong options in one of `columns` cells: a list in the only one, else one text each; none in an empty one."""
    if cell in (None, ""):
        return ()
    return cells.text_list(cell) if columns == 1 else (cells.one_text(cell),)


def unlabelled(item_id: str, options: Sequence[Option]) -> tuple[Option, ...]:
    """`options` without the letters before them; InputError unless each begins with its own."""
    return tuple(_unlabelled(item_id, number, option) for number, option in enumerate(options))


def _unlabelled(item_id: str, number: int, option: Option) -> Option:
    letter, text = split_label(option.text)
    wanted = LETTERS[number] if number < len(LETTERS) else None
    if letter is None or letter != wanted:
        raise InputError(
            f'option {number + 1}, {shown(option.text)}, does not begin with its letter ("{wanted}." or '
            f'"({wanted})"). Correct it, or write the task without cells.option_labels.'
        )
    if not text:
        raise InputError(f"option {letter} is empty behind its letter. Fill it.")
    own = option_id(item_id, option.text)
    return Option(id=option_id(item_id, text) if option.id == own else option.id, text=text)


def split_label(text: str) -> tuple[str | None, str]:
    """The letter before `text`, and the rest; None and the whole where there is no letter."""
    match = _LABEL.fullmatch(text)
    return (match["bracketed"] or match["plain"], match["text"]) if match else (None, text)


def unlabelled_answer(entry: str, options: Sequence[Option]) -> str:
    """An answer without its label: the letter alone where it stands alone, or before the text of that very option.

    Text that differs from the option's stays whole, so that it is told as wrong.
    """
    letter, text = split_label(entry)
    if letter is None:
        return entry
    position = LETTERS.index(letter)
    named = options[position].text if position < len(options) else None
    return letter if text in ("", named) else entry
