"""A table of words and counts, beside the tables of scores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlainTable:
    """A caption, the heads of the columns, and rows of text; the first column names the row."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: bool = True
    """Whether all columns but the first hold numbers, which are set flush right."""
