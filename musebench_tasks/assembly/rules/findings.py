"""What rules say about rows: flaws as a rule yields them, findings as people read them, and all findings together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from musebench_tasks.assembly.rules.tags import TAGS, Severity
from musebench_tasks.base.text import few

MOST_ALIKE = 3
"""Rows of which the same is said in a line each."""


class Flaw(NamedTuple):
    """What a rule says of one row: which tag, in which column, what was found, what to do."""

    tag: str
    field: str
    found: str
    advice: str = ""


class Effect(StrEnum):
    """What a finding leads to."""

    STOP = "stop"
    FLAG = "flag"


@dataclass(frozen=True)
class Finding:
    """One thing found in one row; `row` counts from 1, None for what concerns the rows together."""

    severity: Severity
    tag: str
    file: str
    row: int | None
    item: str | None
    field: str
    found: str
    advice: str = ""

    @property
    def effect(self) -> Effect:
        """Whether a data set with it is not built."""
        return Effect.STOP if TAGS[self.tag].stops else Effect.FLAG

    @property
    def text(self) -> str:
        """What was found and what to do."""
        return f"{self.found} {self.advice}".rstrip()

    @property
    def line(self) -> str:
        """All of it in one line, without the severity."""
        row = f" row {self.row}" if self.row is not None else ""
        return self.line_of(f"{row} ({self.item})" if self.item is not None else row)

    def line_of(self, rows: str) -> str:
        """What is said of `rows`, in one line."""
        column = f', column "{self.field}"' if self.field else ""
        return " ".join(f"{self.file}{rows}{column}: {self.text}".splitlines())

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "severity": self.severity.name,
            "tag": self.tag,
            "effect": self.effect.value,
            "file": self.file,
            "row": self.row,
            "item": self.item,
            "field": self.field,
            "found": self.found,
            "advice": self.advice,
        }


class TagCount(NamedTuple):
    """A line of the table of failures (MB-34): a tag, how many findings bear it, what it is, what avoids it."""

    tag: str
    severity: str
    findings: int
    meaning: str
    mitigation: str


@dataclass(frozen=True)
class Findings:
    """All findings of some rows, the worst first, else in the order of the rows."""

    findings: tuple[Finding, ...]
    rows: int

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __add__(self, other: Findings) -> Findings:
        """Both together."""
        return in_order((*self.findings, *other.findings), self.rows + other.rows)

    @property
    def stopping(self) -> tuple[Finding, ...]:
        """Those that stop a build: CRITICAL, HIGH, and what could not be loaded again."""
        return tuple(each for each in self.findings if each.effect is Effect.STOP)

    @property
    def lines(self) -> list[str]:
        """One line a finding, its severity and tag first."""
        return [f"{each.severity.name}  {each.tag}  {each.line}" for each in self.findings]

    @property
    def flagged_rows(self) -> int:
        """Rows about which anything at all was found."""
        return len({(each.file, each.row) for each in self.findings if each.row is not None})

    def table(self) -> list[TagCount]:
        """The table of failures, sorted by severity, then by count (MB-34)."""
        counts = Counter(each.tag for each in self.findings)
        rows = [TagCount(tag, TAGS[tag].severity.name, count, *TAGS[tag].texts) for tag, count in counts.items()]
        return sorted(rows, key=lambda row: (TAGS[row.tag].severity, -row.findings, row.tag))


def in_order(findings: Iterable[Finding], rows: int) -> Findings:
    """Findings sorted by severity; within one, those of rows by file and row, then those of all rows together."""
    ordered = sorted(findings, key=lambda each: (each.severity, each.file, each.row is None, each.row or 0))
    return Findings(tuple(ordered), rows)


def gathered(findings: Iterable[Finding]) -> list[tuple[Finding, str]]:
    """Findings with their lines; what is said in the same words of many rows is one line, beside the first of them."""
    alike: dict[tuple[str, str, str, str], list[Finding]] = defaultdict(list)
    place: dict[int, int] = {}
    for each in findings:
        alike[each.tag, each.file, each.field, each.text].append(each)
        place[id(each)] = len(place)
    told: list[tuple[Finding, str]] = []
    for same in alike.values():
        numbers = [each.row for each in same if each.row is not None]
        if len(numbers) == len(same) > MOST_ALIKE:
            told.append((same[0], same[0].line_of(f" rows {row_ranges(numbers)}")))
        else:
            told += [(each, each.line) for each in same]
    return sorted(told, key=lambda one: place[id(one[0])])


def row_ranges(numbers: Iterable[int], most: int = 8) -> str:
    """Numbers in order, runs of them as `3-7`; the first few."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return few(["-".join(map(str, run)) for run in runs], most)


def findings_of(flaws: Iterable[Flaw], file: str, row: int | None, item: str | None) -> list[Finding]:
    """The flaws of one row as findings."""
    return [
        Finding(TAGS[each.tag].severity, each.tag, file, row, item, each.field, each.found, each.advice)
        for each in flaws
    ]
