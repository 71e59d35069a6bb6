"""What is sent to a repository of the Hub: files with their hashes, in one commit or one pull request."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Literal, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import sha256_of

RepositoryType = Literal["dataset", "model", "space"]
_PAGES = {"dataset": "datasets/", "model": "", "space": "spaces/"}
_BLOCK = 1 << 20
SHOWN_DIGITS = 12
"""Of a hash, so that a line fits on a terminal."""


class Repository(NamedTuple):
    """A repository of the Hub: its type and ORG/NAME."""

    type: RepositoryType
    id: str

    @property
    def page(self) -> str:
        """The path of its page below the Hub's address."""
        return f"{_PAGES[self.type]}{self.id}"

    @property
    def name(self) -> str:
        """The part after the organisation."""
        return self.id.partition("/")[2]


@dataclass(frozen=True)
class Content:
    """One file: where it goes, and its bytes or the file that holds them."""

    path: str
    data: bytes | Path

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.data) if isinstance(self.data, bytes) else self.data.stat().st_size

    @cached_property
    def sha256(self) -> str:
        """Of the bytes: 64 hex digits; a large file is known by it on the Hub."""
        return hashlib.sha256(self.data).hexdigest() if isinstance(self.data, bytes) else sha256_of(self.data)

    @cached_property
    def git_oid(self) -> str:
        """Of the bytes as git counts them: 40 hex digits; a small file is known by it on the Hub."""
        digest = hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)
        for block in self._blocks():
            digest.update(block)
        return digest.hexdigest()

    def read(self) -> bytes:
        """All bytes."""
        return self.data if isinstance(self.data, bytes) else self.data.read_bytes()

    def is_same_as(self, known: RemoteFile) -> bool:
        """Whether the Hub holds just these bytes."""
        if known.size != self.size:
            return False
        return known.sha256 == self.sha256 if known.sha256 else known.git_oid == self.git_oid

    def _blocks(self) -> Iterator[bytes]:
        if isinstance(self.data, bytes):
            yield self.data
            return
        with self.data.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


class RemoteFile(NamedTuple):
    """What the Hub tells of a file."""

    size: int
    git_oid: str
    sha256: str | None
    """Of a large file; None = a small one."""


@dataclass(frozen=True)
class HubState:
    """A repository at one commit."""

    commit: str | None
    """None = there is no such repository yet."""
    files: Mapping[str, RemoteFile]
    is_private: bool = True
    """False where anybody may see it."""


EMPTY = HubState(None, {})


@dataclass(frozen=True)
class Parcel:
    """Files that belong together: all of them arrive, or none."""

    repository: Repository
    message: str
    files: tuple[Content, ...]
    removed: tuple[str, ...] = ()
    """Paths that go."""
    description: str = ""

    def changes(self, state: HubState) -> Parcel:
        """What of it is not yet so at `state`."""
        new = [each for each in self.files if not _holds(state, each)]
        gone = tuple(path for path in self.removed if path in state.files)
        return Parcel(self.repository, self.message, tuple(new), gone, self.description)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.files and not self.removed


def _holds(state: HubState, content: Content) -> bool:
    known = state.files.get(content.path)
    return known is not None and content.is_same_as(known)


def size_text(size: int) -> str:
    """Bytes for people."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} B"


def parcel_lines(parcel: Parcel, state: HubState) -> Iterator[str]:
    """What would be sent: message, then each file with size and hash, and what it is against `state`."""
    yield f"message: {parcel.message}"
    yield from (f"         {line}" for line in parcel.description.splitlines())
    common = _common_folder([each.path for each in parcel.files])
    if common:
        yield f"  in {common}"
    names = [each.path.removeprefix(common) for each in parcel.files]
    width = max(map(len, ["file", *names]))
    yield f"  {'file':<{width}}  {'size':>9}  sha256"
    for name, each in zip(names, parcel.files, strict=True):
        known = state.files.get(each.path)
        what = "new" if known is None else "unchanged" if each.is_same_as(known) else "changed"
        yield f"  {name:<{width}}  {size_text(each.size):>9}  {each.sha256[:SHOWN_DIGITS]}  {what}"
    yield from (f"  {path}  is removed" for path in parcel.removed if path in state.files)


def _common_folder(paths: Sequence[str]) -> str:
    """The folder that all of several paths begin with, with its last `/`; empty for none."""
    folders = [path.rpartition("/")[0].split("/") for path in paths]
    common = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    return "".join(f"{parts[0]}/" for parts in common if parts[0]) if len(paths) > 1 else ""


def repository_id(text: str, what: str) -> str:
    """`text` if it is ORG/NAME; InputError otherwise. `what` is the argument's name."""
    parts = text.split("/")
    if len(parts) != 2 or not all(parts) or any(not _is_name(part) for part in parts):
        raise InputError(f'{what} is "{text}": write ORG/NAME, as on the Hub.')
    return text


def _is_name(part: str) -> bool:
    allowed = all(character.isascii() and (character.isalnum() or character in "._-") for character in part)
    return allowed and part[0].isalnum() and part[-1].isalnum() and ".." not in part and "--" not in part


def sorted_contents(contents: Iterable[Content]) -> tuple[Content, ...]:
    """Contents by path, so that the same files are told in the same order."""
    return tuple(sorted(contents, key=lambda each: each.path))
