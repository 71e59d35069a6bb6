"""What a player needs to know of a medium: which element, which address, which part of it."""

from __future__ import annotations

from dataclasses import dataclass

from musebench_tasks.base.records import Item
from musebench_tasks.media.sniff import PICTURE_SUFFIXES
from musebench_tasks.pages.numbers import seconds_text, short_number

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
