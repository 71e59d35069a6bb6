"""What rules say about rows: flaws as a rule yields them, findings with their place, and all findings together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from musebench_tasks.assembly.rules.tags import TAGS
from musebench_tasks.base.problems import Effect, Problem
from musebench_tasks.base.text import few

UNREADABLE = "ROW_UNREADABLE"
MOST_ALIKE = 3
"""Rows of which the same is said in a line each."""


ROW_KEYS = {
    "severity": "severity",
    "tag": "code",
    "effect": "effect",
    "file": "place",
    "row": "row",
    "item": "item",
    "field": "column",
    "found": "found",
    "advice": "advice",
}
"""What the JSON of `musebench data check` calls the fields of a finding."""


def flaw(tag: str, column: str, found: str, advice: str = "") -> Problem:
    """What a rule says of one row: which tag, in which column, what was found, what to do."""
    return Problem(found, advice, tag, column=column, severity=TAGS[tag].severity, effect=TAGS[tag].effect)


def judged(problem: Problem) -> Problem:
    """What reading a row told, with the severity and effect of its code; without one, the row cannot be read."""
    tag = problem.code or UNREADABLE
    return replace(problem, code=tag, severity=TAGS[tag].severity, effect=TAGS[tag].effect)


def line_of(finding: Problem, rows: str | None = None) -> str:
    """A finding in one line, without severity; `rows` instead of its row where it is said of several."""
    if rows is None:
        row = "" if finding.row is None else f" row {finding.row}"
        rows = row if finding.item is None else f"{row} ({finding.item})"
    column = f', column "{finding.column}"' if finding.column else ""
    return " ".join(f"{finding.place}{rows}{column}: {finding.message}".splitlines())


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

    findings: tuple[Problem, ...]
    rows: int

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.findings)

    def __add__(self, other: Findings) -> Findings:
        """Both together."""
        return in_order((*self.findings, *other.findings), self.rows + other.rows)

    @property
    def stopping(self) -> tuple[Problem, ...]:
        """Those that stop a build: CRITICAL, HIGH, and what could not be loaded again."""
        return tuple(each for each in self.findings if each.effect is Effect.STOP)

    @property
    def lines(self) -> list[str]:
        """One line a finding, its severity and tag first."""
        return [f"{each.severity.name}  {each.code}  {line_of(each)}" for each in self.findings]

    @property
    def flagged_rows(self) -> int:
        """Rows about which anything at all was found."""
        return len({(each.place, each.row) for each in self.findings if each.row is not None})

    def table(self) -> list[TagCount]:
        """The table of failures, sorted by severity, then by count (MB-34)."""
        counts = Counter(each.code for each in self.findings)
        rows = [TagCount(tag, TAGS[tag].severity.name, count, *TAGS[tag].texts) for tag, count in counts.items()]
        return sorted(rows, key=lambda row: (TAGS[row.tag].severity, -row.findings, row.tag))


def in_order(findings: Iterable[Problem], rows: int) -> Findings:
    """Findings sorted by severity; within one, those of rows by file and row, then those of all rows together."""
    ordered = sorted(findings, key=lambda each: (each.severity, each.place, each.row is None, each.row or 0))
    return Findings(tuple(ordered), rows)


def gathered(findings: Iterable[Problem]) -> list[tuple[Problem, str]]:
    """Findings with their lines; what is said in the same words of many rows is one line, beside the first of them."""
    alike: dict[tuple[str, str, str, str], list[Problem]] = defaultdict(list)
    place: dict[int, int] = {}
    for each in findings:
        alike[each.code, each.place, each.column, each.message].append(each)
        place[id(each)] = len(place)
    told: list[tuple[Problem, str]] = []
    for same in alike.values():
        numbers = [each.row for each in same if each.row is not None]
        if len(numbers) == len(same) > MOST_ALIKE:
            told.append((same[0], line_of(same[0], f" rows {row_ranges(numbers)}")))
        else:
            told += [(each, line_of(each)) for each in same]
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


def findings_of(flaws: Iterable[Problem], file: str, row: int | None, item: str | None) -> list[Problem]:
    """The flaws of one row with its place."""
    items = () if item is None else (item,)
    return [each.at(place=file, row=row, items=items) for each in flaws]
