"""What is said about a medium, and who uses it how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from musebench_tasks.base.problems import Effect, Problem
from musebench_tasks.base.records import MediaSource, Modality
from musebench_tasks.base.text import few
from musebench_tasks.media.unpack import source_name

MEDIA_KEYS = {"file": "place"} | {name: name for name in ("items", "code", "effect", "found", "advice")}
"""What the JSON of `musebench data check` calls the fields of a finding."""


@dataclass(frozen=True)
class Flag(Problem):
    """Something legal and recorded: what it means, and what of it is told of one file."""

    meaning: str = ""
    value: str = ""


def flag(code: str, place: str, meaning: str, value: str = "", items: Sequence[str] = ()) -> Flag:
    """What is legal in the medium `place`: `meaning (value).`"""
    found = f"{meaning} ({value})." if value else f"{meaning}."
    return Flag(found, "", code, place, items=tuple(items), effect=Effect.FLAG, meaning=meaning, value=value)


def line_of(finding: Problem) -> str:
    """What was found in a medium, in one line."""
    items = "" if not finding.items else f", {items_text(finding.items)}"
    return f"{finding.effect}  {finding.place}{items}: {finding.code}: {finding.message}"


def unusable(finding: Problem) -> Problem:
    """What stops a medium, told of a row that uses it."""
    return Problem(f"{finding.code}: {finding.found}", finding.advice, "MEDIUM_UNUSABLE")


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
