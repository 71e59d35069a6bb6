"""A table of words and counts, beside the tables of scores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlainTable:
    """A caption, the heads of the columns, and rows of text; the first column names the row."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_words: int | None = None
    """How many of the first columns hold words; the others hold numbers, set flush right. None = all hold words."""
