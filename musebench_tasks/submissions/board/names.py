"""Names of systems as a board shows them, and those that could be taken for another's."""

from __future__ import annotations

import re
import unicodedata

from musebench_tasks.base.text import cut

LONGEST = 80
"""Characters of a system's name that a table shows; the CSV has all of them."""
_LOOK_ALIKE = str.maketrans("аеорсухіјѕԁԛԝһӏοανικρτυχ", "aeopcyxijsdqwhloavikptux")
"""Letters of Cyrillic and Greek, and the Latin letters that they look like."""
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")
"""Those whose letters look alike, so that no word mixes them without a reason."""


def shown(name: str) -> str:
    """`name` on one line, cut where no table has room for it."""
    return cut(name, LONGEST)


def looks_like(name: str) -> str:
    """Equal for two names that a reader takes for the same: letters that look alike, case and signs aside."""
    plain = unicodedata.normalize("NFKC", name).casefold().translate(_LOOK_ALIKE)
    return re.sub(r"[\W_]+", " ", plain).strip()


def mixes_alphabets(name: str) -> bool:
    """Whether a word of `name` has letters of several alphabets that look alike, as `rаndom` with a Cyrillic a."""
    words = re.findall(r"[^\W\d_]+", name)
    return any(len({alphabet for sign in word if (alphabet := _alphabet(sign))}) > 1 for word in words)


def _alphabet(sign: str) -> str | None:
    first = unicodedata.name(sign, "").partition(" ")[0]
    return first if first in _ALPHABETS else None
