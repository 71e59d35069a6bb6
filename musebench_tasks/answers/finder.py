"""Patterns that are compiled when they are first needed, so that a program that reads no answer pays for none."""

import re
from collections.abc import Iterator
from functools import cached_property


class Finder:
    """A pattern whose matches are looked for in whole responses."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._source, self._flags = pattern, flags

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in order."""
        return self._pattern.finditer(text)

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """The first match in `text[start:end]`; `\\Z` in a pattern is `end`."""
        return self._pattern.search(text, start, len(text) if end is None else end)
