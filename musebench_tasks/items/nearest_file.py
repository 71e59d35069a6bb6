"""A file that is not there, and the one that was meant: slips in case, blanks and accents are the usual ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from musebench_tasks.base.text import closest, shown

MOST_FILES = 10_000
"""In a folder that holds more, only case, blanks and accents are set aside: more takes too long."""
MOST_GUESSES = 50
"""Files for which a resembling name is looked for; after that, as in a large folder."""


class _Folder(NamedTuple):
    names: frozenset[str]
    by_plain: Mapping[str, str]
    """Names without case, blanks and accents; of several the first in order."""
    by_stem: Mapping[str, str]
    """Names without their endings, which make short names alike."""


class NearestFiles:
    """Knows the files below a folder, each listed once, so that many missing files take no longer than their number."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._folders: dict[Path, _Folder] = {}
        self._guesses_left = MOST_GUESSES

    def hint(self, name: str) -> str:
        """` (nearest: "…")` for the path in the folder that is closest to `name`, or the empty string."""
        found = self.directory
        for part in Path(name).parts:
            folder = self._folder(found)
            match = part if part in folder.names else self._closest(part, folder)
            if match is None:
                return ""
            found = found / match
        return f" (nearest: {shown(str(found.relative_to(self.directory)))})" if found.is_file() else ""

    def _folder(self, place: Path) -> _Folder:
        if place not in self._folders:
            names = sorted((each.name for each in place.iterdir()), reverse=True) if place.is_dir() else []
            by_plain, by_stem = ({spell(each): each for each in names} for spell in (_plain, _stem))
            self._folders[place] = _Folder(frozenset(names), by_plain, by_stem)
        return self._folders[place]

    def _closest(self, name: str, folder: _Folder) -> str | None:
        same = folder.by_plain.get(_plain(name))
        if same is not None or len(folder.names) > MOST_FILES or not self._guesses_left:
            return same
        self._guesses_left -= 1
        alike = closest(_stem(name), folder.by_stem)
        return folder.by_stem[alike] if alike is not None else None


def _stem(name: str) -> str:
    return Path(name).stem


def _plain(name: str) -> str:
    """`name` without case, blanks and accents."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(each for each in letters if not unicodedata.combining(each) and not each.isspace())
