"""The media below a folder, and what lies there that cannot be looked into: nothing is passed over without a word."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from musebench_tasks.base.problems import Problem, reason
from musebench_tasks.media.sniff import HEAD_BYTES, is_pointer, suffix_of

SOUND_SUFFIXES = frozenset({".aac", ".aif", ".aiff", ".flac", ".m4a", ".mp3", ".oga", ".ogg", ".opus", ".wav", ".wma"})
FILM_SUFFIXES = frozenset({".avi", ".flv", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ts", ".webm", ".wmv"})
PICTURE_SUFFIXES = frozenset({".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
MEDIA_SUFFIXES = SOUND_SUFFIXES | FILM_SUFFIXES | PICTURE_SUFFIXES


def look_through(place: Path) -> tuple[list[Path], list[Problem]]:
    """The media files below a folder, by name or first bytes, and what stops: links to nothing, what may not be read.

    Hidden files and folders are left out; links to folders are followed, each folder once.
    """
    files: list[Path] = []
    findings: list[Problem] = []
    refused: list[OSError] = []
    for path in _below(place, refused):
        try:
            if path.is_symlink() and not path.exists():
                findings.append(_stop(place, path, "media_unavailable", *_broken_link(path)))
            elif path.is_file() and _looks_like_a_medium(path):
                files.append(path)
        except OSError as problem:
            findings.append(_stop(place, path, "unreadable", *_refusal("it", problem)))
    for refusal in refused:
        folder = Path(os.fsdecode(refusal.filename))
        findings.append(_stop(place, folder, "unreadable", *_refusal("the folder", refusal)))
    return sorted(files), sorted(findings, key=lambda each: each.place)


def _below(place: Path, refused: list[OSError]) -> Iterator[Path]:
    """Everything below a folder that is no folder; `refused` gets an error for each that cannot be listed."""
    seen = set()
    for folder, below, names in os.walk(place, onerror=refused.append, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            below.clear()
            continue
        seen.add(real)
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield from (Path(folder, name) for name in names if not name.startswith("."))


def _looks_like_a_medium(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return path.suffix.lower() in MEDIA_SUFFIXES or is_pointer(head) or bool(suffix_of(head))


def _broken_link(path: Path) -> tuple[str, str]:
    target = path.readlink()
    if ".git/annex/objects/" in target.as_posix():
        return "git-annex has not fetched it.", "Run `git annex get` on it, or take its items out."
    return f'a link to "{target}", where nothing lies.', "Put the file there, or remove the link."


def _refusal(what: str, problem: OSError) -> tuple[str, str]:
    found = f"{what} cannot be read ({reason(problem)})."
    return found, "Let yourself read it (`chmod`), or take it out of the folder."


def _stop(place: Path, path: Path, code: str, found: str, advice: str) -> Problem:
    return Problem(found, advice, code, place=str(path.relative_to(place)))
