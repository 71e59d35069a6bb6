"""Media beside a page: which file goes there under which name, and what a player needs to know of it."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.files import link_or_copy
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import Item, MediaSource
from musebench_tasks.media import MediaCache, shared_cache
from musebench_tasks.media.sniff import HEAD_BYTES, PICTURE_SUFFIXES, suffix_of
from musebench_tasks.media.unpack import media_file
from musebench_tasks.pages.text import seconds_text, short_number

_SOUND_SUFFIXES = frozenset({".mp3", ".flac", ".wav", ".m4a", ".aac"})
MEDIA_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
    ".tif": "image/tiff",
    ".avif": "image/avif",
    ".flac": "audio/flac",
    ".ogg": "audio/ogg",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".m4a": "audio/mp4",
    ".mkv": "video/x-matroska",
    ".webm": "video/webm",
    ".mp4": "video/mp4",
    ".avi": "video/x-msvideo",
    ".ts": "video/mp2t",
}


@dataclass(frozen=True, slots=True)
class Medium:
    """One item's medium on a page. Without `address` and `embedded` it cannot be played, and `missing` says why."""

    element: str = "none"
    """video, audio, picture or none."""
    address: str | None = None
    """Of the file beside the page."""
    embedded: str | None = None
    """SHA-256 of the medium that the page itself holds."""
    window: str = ""
    """Media fragment of the item's window, for example `#t=3,18.125`."""
    label: str = ""
    """What a screen reader says, and the line below the player."""
    missing: str | None = None


def element_for(suffix: str, is_film: bool) -> str:
    """Which element plays a file with this suffix; `is_film`: the task looks at pictures too."""
    if suffix in PICTURE_SUFFIXES:
        return "picture"
    return "video" if is_film and suffix not in _SOUND_SUFFIXES else "audio"


def window_fragment(item: Item) -> str:
    """The media fragment of the item's window; empty where the item is the whole medium."""
    if item.start_s is None and item.end_s is None:
        return ""
    end = f",{short_number(item.end_s)}" if item.end_s is not None else ""
    return f"#t={short_number(item.start_s or 0.0)}{end}"


def window_label(item: Item, element: str) -> str:
    """`film, 3 s to 18.1 s` or `sound, 45 s`."""
    name = {"video": "film", "audio": "sound", "picture": "picture"}.get(element, "medium")
    if item.start_s is not None and item.end_s is not None:
        return f"{name}, {seconds_text(item.start_s)} to {seconds_text(item.end_s)}"
    return f"{name}, {seconds_text(item.duration_s)}" if item.duration_s else name


FOLDER = "media"
EMBED_LIMIT_BYTES = 256 * 2**20
"""More than this in one page is more than browsers open."""
_CHUNK = 3 * 2**18
_SHA256 = re.compile(r"[0-9a-f]{64}")


class MediaFolder:
    """Hands out the Medium of an item; a file that lies there already is not touched again."""

    def __init__(self, page_folder: Path, *, embed: bool = False, cache: MediaCache | None = None) -> None:
        self._folder = page_folder / FOLDER
        self._embed = embed
        self._cache = cache
        self._names = {} if embed else _names_in(self._folder)
        self._embedded: dict[str, tuple[Path, str]] = {}
        self._missing: dict[str, str] = {}
        self._used: set[str] = set()

    def medium(self, item: Item, *, is_film: bool) -> Medium:
        """The medium of `item`; `is_film`: its task looks at pictures too."""
        if item.media is None:
            return Medium(missing="This item has no medium.")
        found = self._place(item.media)
        if found is None:
            return Medium(missing=self._missing[_identity(item.media)])
        digest, suffix = found
        self._used.add(f"{digest}{suffix}")
        element = element_for(suffix, is_film)
        return Medium(
            element=element,
            address=None if self._embed else f"{FOLDER}/{digest}{suffix}",
            embedded=digest if self._embed else None,
            window="" if element == "picture" else window_fragment(item),
            label=window_label(item, element),
        )

    @property
    def n_missing(self) -> int:
        """How many different media could not be placed."""
        return len(self._missing)

    def embedded(self) -> Iterator[tuple[str, Iterator[str]]]:
        """SHA-256 and data URL, in pieces, of every medium that was handed out to be embedded.

        Raises InputError where they are too large together.
        """
        size = sum(path.stat().st_size for path, _ in self._embedded.values())
        if size > EMBED_LIMIT_BYTES:
            raise InputError(
                f"The media are {size / 2**20:.0f} MiB, more than the {EMBED_LIMIT_BYTES // 2**20} MiB that one page "
                "may hold. Leave --embed away; the media then lie beside the page."
            )
        for digest, (path, suffix) in self._embedded.items():
            yield digest, _data_url(path, MEDIA_TYPES.get(suffix, "application/octet-stream"))

    def remove_others(self) -> None:
        """Remove the media of an earlier page that this one does not use; files of other names are never touched.

        What cannot be removed stays: it does no harm.
        """
        kept = set() if self._embed else self._used
        with suppress(OSError):
            for digest, suffix in _names_in(self._folder).items():
                if suffix in MEDIA_TYPES and f"{digest}{suffix}" not in kept:
                    (self._folder / f"{digest}{suffix}").unlink(missing_ok=True)
            self._folder.rmdir()

    def _place(self, source: MediaSource) -> tuple[str, str] | None:
        """SHA-256 and suffix of a source that now lies in place; None, with a reason kept, where it cannot be had."""
        identity = _identity(source)
        if identity in self._missing:
            return None
        if identity in self._names:
            return identity, self._names[identity]
        try:
            file = media_file(source, self._cache or shared_cache())
            with file.path.open("rb") as opened:
                suffix = suffix_of(opened.read(HEAD_BYTES))
        except (MediaError, OSError) as problem:
            self._missing[identity] = f"The medium is not here ({reason(problem)})."
            return None
        if self._embed:
            self._embedded[file.sha256] = (file.path, suffix)
        else:
            link_or_copy(file.path, self._folder / f"{file.sha256}{suffix}")
        self._names[file.sha256] = suffix
        return file.sha256, suffix


def _identity(source: MediaSource) -> str:
    return source.sha256 or f"{source.path}|{source.row}|{source.column}"


def _names_in(folder: Path) -> dict[str, str]:
    """Suffixes of the media that lie there, by SHA-256."""
    files = folder.iterdir() if folder.is_dir() else ()
    return {file.stem: file.suffix for file in files if _SHA256.fullmatch(file.stem)}


def _data_url(path: Path, media_type: str) -> Iterator[str]:
    yield f"data:{media_type};base64,"
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield base64.b64encode(chunk).decode()
