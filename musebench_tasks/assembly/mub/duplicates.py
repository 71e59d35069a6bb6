"""Which tracks are the same by title and artist (MU-02). Equal names prove nothing about the sound; nor do others.

Two names are compared after NFKC, case folding, and without what release lists add: featured artists, remastering,
mono or stereo, "album version", "official video", and all punctuation. Live takes, remixes and edits stay apart: they
are other recordings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

_FEATURING = r"(?:feat(?:uring|\.)?|ft\.?)\s+\S"
_ADDED = (
    r"(?:(?:(?:19|20)\d\d\s+)?(?:digital(?:ly)?\s+)?re-?master(?:ed|ing)?(?:\s+(?:version|edition))?(?:\s+in)?"
    r"(?:\s+(?:19|20)\d\d)?|(?:original\s+)?(?:mono|stereo)(?:\s+(?:version|mix))?|(?:album|single|lp)\s+version"
    r"|explicit(?:\s+version)?|bonus\s+track|official\s+(?:music\s+|lyric\s+)?(?:video|audio)|lyric\s+video)"
)
_IN_BRACKETS = re.compile(rf"[(\[{{]\s*(?:{_ADDED}|(?:{_FEATURING}|with\s)[^)\]}}]*)\s*[)\]}}]")
_AT_THE_END = re.compile(rf"\s+[-–—:]\s+{_ADDED}\s*$")
_FEATURED = re.compile(rf"\s+{_FEATURING}.*$")
_LEADING_THE = re.compile(r"^the\s+(?=\S)|,\s*the$")


class Duplicate(NamedTuple):
    """A track that is left out because another has its title and artist."""

    track: str
    kept: str
    title: str
    artist: str


def same_title(title: str) -> str:
    """What two spellings of a title have in common."""
    return _bare(title)


def same_artist(artist: str) -> str:
    """What two spellings of an artist have in common: also without a leading or trailing "The"."""
    return _bare(_LEADING_THE.sub("", _folded(artist)))


def find_duplicates(names: Mapping[str, tuple[str, str]]) -> list[Duplicate]:
    """Tracks to leave out; `names` gives each track's title and artist.

    Of equal tracks the first id in the order of characters stays. A track that lacks title or artist is compared with
    none.
    """
    kept: dict[tuple[str, str], str] = {}
    found = []
    for track in sorted(names):
        title, artist = names[track]
        if not title.strip() or not artist.strip():
            continue
        first = kept.setdefault((same_title(title), same_artist(artist)), track)
        if first != track:
            found.append(Duplicate(track, first, title, artist))
    return found


def _folded(text: str) -> str:
    """NFKC and case folding, until nothing changes (folding may undo the composition)."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def _bare(text: str) -> str:
    """A name without additions and punctuation; a name of punctuation alone stays as it is."""
    bare = _folded(text).replace("&", " and ")
    while (stripped := _stripped(bare)) != bare:
        bare = stripped
    return bare


def _stripped(name: str) -> str:
    """A name without the additions that can be seen; without its marks there may be more to see."""
    bare = _IN_BRACKETS.sub(" ", name)
    bare = _FEATURED.sub("", _AT_THE_END.sub("", " ".join(bare.split())))
    words = "".join(" " if _is_dash_or_blank(each) else "" if _is_mark(each) else each for each in bare)
    return " ".join(words.split()) or name


def _is_dash_or_blank(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) == "Pd" or character in "/_+"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
