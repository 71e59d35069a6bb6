"""What is said about a medium, and who uses it how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from musebench_tasks.base.records import MediaSource, Modality
from musebench_tasks.base.text import few
from musebench_tasks.media.unpack import source_name


class Effect(StrEnum):
    """What a finding leads to."""

    STOP = "stop"
    RUN = "run"
    FLAG = "flag"


@dataclass(frozen=True)
class Finding:
    """One thing found in one medium."""

    file: str
    code: str
    effect: Effect
    found: str
    advice: str = ""
    items: tuple[str, ...] = ()
    """Ids of the items that it concerns; empty where it concerns the file, whoever uses it."""

    @property
    def line(self) -> str:
        """All of it in one line."""
        items = "" if not self.items else f", {items_text(self.items)}"
        return f"{self.effect}  {self.file}{items}: {self.code}: {self.found} {self.advice}".rstrip()


def items_text(items: Sequence[str], shown: int = 3) -> str:
    """The ids of items, the first few by name."""
    if not items:
        return ""
    return f"item{'s' if len(items) > 1 else ''} {few(items, shown)}"


@dataclass(frozen=True)
class Use:
    """How one item uses a medium."""

    item: str
    start_s: float | None
    end_s: float | None
    duration_s: float | None
    """What the data say of the whole."""
    takes: frozenset[Modality]
    """Streams that the task hands out."""
    needs: frozenset[Modality]
    """Of these, what the question is about."""


@dataclass
class Medium:
    """A medium to be checked, and who uses it."""

    source: MediaSource
    uses: list[Use] = field(default_factory=list)
    needs: frozenset[Modality] = frozenset()
    """What a file must hold that no item speaks of."""
    is_renamed: bool = False
    """Whether a build names it after an id, so that it does not matter what it is called."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return source_name(self.source)
