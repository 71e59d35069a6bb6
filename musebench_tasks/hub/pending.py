"""What could not be sent waits in a folder of the user until `--pending` sends it; nothing local is ever lost."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.files import write_text
from musebench_tasks.hub.connection import ConflictError, NotNowError, without_tokens
from musebench_tasks.inference.locks import locked

ENTRY_FILE = "entry.json"
LOCK_FILE = "sending.lock"
"""Beside the queue: held while what waits is sent."""
T = TypeVar("T")


class Waiting(NamedTuple):
    """One thing to send: its kind (`data`, `metrics`, `submission`), words for people, and all that sending needs."""

    kind: str
    words: str
    details: Mapping[str, Any]
    folder: Path


def queue_folder() -> Path:
    """Where things wait: $XDG_DATA_HOME/musebench/pending, else ~/.local/share/musebench/pending."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "musebench" / "pending"


def keep(kind: str, words: str, details: Mapping[str, Any]) -> Waiting:
    """Put something into the queue; the same twice is there once. No token is ever among the details."""
    text = json.dumps({"kind": kind, "words": words, "details": details}, sort_keys=True, ensure_ascii=False)
    folder = queue_folder() / f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    write_text(folder / ENTRY_FILE, text + "\n")
    return Waiting(kind, words, details, folder)


def waiting(kind: str) -> Iterator[Waiting]:
    """What waits of a kind, the oldest first; MuseError for an entry that cannot be read."""
    for _, _, file in sorted(_entries(kind)):
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
            yield Waiting(kind, str(told["words"]), dict(told["details"]), file.parent)
        except FileNotFoundError:
            continue  # another command has sent it by now
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise MuseError(f"{file}: cannot be read. Remove its folder, and give its command again.") from problem


def _entries(kind: str) -> Iterator[tuple[int, str, Path]]:
    """When each entry of a kind was written, its name, and its file."""
    for file in queue_folder().glob(f"{kind}-*/{ENTRY_FILE}"):
        with suppress(FileNotFoundError):
            yield file.stat().st_mtime_ns, file.parent.name, file


@contextmanager
def understood(entry: Waiting) -> Iterator[None]:
    """Around reading the details of an entry: MuseError where another version, or somebody's hand, wrote them."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as problem:
        told = "is not what this version writes. Remove its folder, and give its command again."
        raise MuseError(f"{entry.folder / ENTRY_FILE}: {told}") from problem


def sent(entry: Waiting) -> None:
    """Take something out of the queue."""
    shutil.rmtree(entry.folder, ignore_errors=True)


def or_keep(send: Callable[[], T], kind: str, words: str, details: Mapping[str, Any], again: str) -> T:
    """What `send` gives; where the Hub cannot be had or the user interrupts, what was to be sent is kept in the queue.

    `again`: the command that sends it later.
    """
    try:
        return send()
    except (NotNowError, ConflictError) as fault:
        raise MuseError(f"{fault.text} {kept(kind, words, details, again)}") from fault
    except KeyboardInterrupt:
        raise MuseError(f"Interrupted. {kept(kind, words, details, again)}") from None


def kept(kind: str, words: str, details: Mapping[str, Any], again: str) -> str:
    """Put something into the queue: a sentence that says so, or why it could not be kept there."""
    try:
        keep(kind, words, details)
    except MuseError as problem:
        return f"{words} could not be kept for later either: {problem.text}"
    return waits(words, again)


def waits(words: str, again: str) -> str:
    """Says that something is in the queue now."""
    return f"{words} waits in the queue; `{again}` sends it."


def send_waiting(kind: str, send: Callable[[Waiting], str]) -> Iterator[str]:
    """Send all that waits of a kind; a line each. MuseError at the end where some still wait.

    One command sends at a time; another waits, and finds what is left then.
    """
    left: list[str] = []
    with locked(queue_folder().with_name(LOCK_FILE)):
        for entry, done in _each(kind, send, left):
            sent(entry)
            yield f"{entry.words}: {done}"
    if left:
        raise MuseError("\n".join([*left, f"{len(left)} still waiting in {queue_folder()}."]))


def show_waiting(kind: str, show: Callable[[Waiting], str]) -> Iterator[str]:
    """What would be sent of all that waits of a kind. MuseError at the end where some could not be sent."""
    left: list[str] = []
    for entry, shown in _each(kind, show, left):
        yield f"waiting: {entry.words}\n{shown}\n"
    if left:
        raise MuseError("\n".join([*left, f"{len(left)} would not be sent, of what waits in {queue_folder()}."]))


def _each(kind: str, do: Callable[[Waiting], str], left: list[str]) -> Iterator[tuple[Waiting, str]]:
    """What `do` says of each that waits; a line in `left` for each with which it fails."""
    for entry in list(waiting(kind)):
        try:
            done = do(entry)
        except MuseError as fault:
            left.append(f"{entry.words}: {without_tokens(fault.text)}")
        else:
            yield entry, done


def as_text(data: bytes) -> str:
    """Bytes for an entry."""
    return base64.b64encode(data).decode()


def from_text(text: str) -> bytes:
    """Bytes of an entry."""
    return base64.b64decode(text)
