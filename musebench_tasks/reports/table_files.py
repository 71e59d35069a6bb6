"""The tables as files beside the page: CSV with one number a row, and LaTeX.

A spreadsheet runs a cell that begins with =, +, -, @, a tab or a line end as a formula. Such a cell of text, which may
come from a model or a dataset, gets an apostrophe in front (OWASP, CSV injection); numbers stay numbers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import folder_name, write_text
from musebench_tasks.base.records import Condition, Interval, ScoreRow
from musebench_tasks.pages.figures import Figure
from musebench_tasks.pages.text import fit
from musebench_tasks.reports.deltas import Differences, differences_table
from musebench_tasks.reports.latex import plain_latex, score_latex
from musebench_tasks.reports.ranking import Ranked, rank_table
from musebench_tasks.reports.table import Cell, Row, Table

TABLES, FIGURES = "tables", "figures"
SCORE_HEAD = (
    *("task", "system", "type", "condition", "slice", "slice_value", "metric", "version", "value"),
    *("low", "high", "method", "n", "clusters", "coverage", "answered"),
)
DIFFERENCE_HEAD = (
    *("task", "system", "against", "condition", "label", "metric", "version", "difference", "low", "high", "method"),
    *("p", "p_holm", "detectable", "n", "clusters"),
)
RANK_HEAD = (
    *("task", "system", "metric", "version", "score", "rank", "low", "high", "best_in", "detectable"),
    *("n", "clusters"),
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")

Value = str | float | int | None


def file_stem(task: str, name: str) -> str:
    """`TASK-NAME` as a file may be called."""
    return folder_name(f"{task}-{name}")


class Files:
    """Writes files into one folder of a report; what an earlier report left there of the same kinds is removed."""

    def __init__(self, folder: Path, suffixes: Sequence[str]) -> None:
        self.folder = folder
        self._suffixes = suffixes
        self._written: set[str] = set()

    def write(self, stem: str, suffix: str, text: str) -> str:
        """Write one file and return its name; a second file of one name gets a number."""
        name = f"{stem}{suffix}"
        number = 2
        while name in self._written:
            name, number = f"{stem}-{number}{suffix}", number + 1
        self._written.add(name)
        write_text(self.folder / name, fit(text))
        return name

    def remove_others(self) -> None:
        """Remove what this report did not write."""
        try:
            found = list(self.folder.iterdir()) if self.folder.is_dir() else []
            for each in found:
                if each.suffix in self._suffixes and each.name not in self._written:
                    each.unlink()
        except OSError as problem:
            raise InputError(f"{self.folder}: cannot be cleaned up ({problem.strerror}).") from problem


class Written:
    """The tables and figures that lie beside a page, and their addresses where the page links to them."""

    def __init__(self, folder: Path, *, with_links: bool) -> None:
        self._tables = Files(folder / TABLES, (".csv", ".tex"))
        self._figures = Files(folder / FIGURES, (".svg",))
        self._with_links = with_links

    def scores(self, table: Table) -> tuple[str, ...]:
        """Write a table of scores."""
        return self._pair(table.task, table.name, csv_text(SCORE_HEAD, score_records(table)), score_latex(table))

    def differences(self, task: str, family: Differences) -> tuple[str, ...]:
        """Write differences."""
        text = csv_text(DIFFERENCE_HEAD, _difference_records(task, family))
        return self._pair(task, family.name, text, plain_latex(differences_table(family)))

    def ranks(self, task: str, rows: Sequence[Ranked]) -> tuple[str, ...]:
        """Write ranks."""
        text = csv_text(RANK_HEAD, (_rank_record(task, each) for each in rows))
        return self._pair(task, "ranks", text, plain_latex(rank_table(rows)))

    def figure(self, task: str, figure: Figure) -> tuple[str, ...]:
        """Write a figure."""
        return self._links(FIGURES, self._figures.write(file_stem(task, figure.name), ".svg", figure.standalone_svg))

    def remove_others(self) -> None:
        """Remove the tables and figures that an earlier report left."""
        self._tables.remove_others()
        self._figures.remove_others()

    def _pair(self, task: str, name: str, as_csv: str, as_latex: str) -> tuple[str, ...]:
        stem = file_stem(task, name)
        written = (self._tables.write(stem, ".csv", as_csv), self._tables.write(stem, ".tex", as_latex))
        return self._links(TABLES, *written)

    def _links(self, folder: str, *names: str) -> tuple[str, ...]:
        return tuple(f"{folder}/{name}" for name in names) if self._with_links else ()


def csv_text(head: Sequence[str], records: Iterator[Sequence[Value]]) -> str:
    """Rows as CSV with `\\n` at line ends; None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([safe_cell(value) for value in record] for record in records)
    return out.getvalue()


def safe_cell(value: Value) -> Value:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def score_records(table: Table) -> Iterator[tuple[Value, ...]]:
    """One record a number, with all that belongs beside it (the columns are `SCORE_HEAD`)."""
    seen = set()
    for row in table.rows:
        for cell in row.cells:
            for record in _cell_records(table.task, row, cell):
                if record not in seen:
                    seen.add(record)
                    yield record


def _cell_records(task: str, row: Row, cell: Cell) -> Iterator[tuple[Value, ...]]:
    rates = (cell.coverage, cell.answered)
    for score in cell.rows:
        place: tuple[Value, ...] = (task, row.name, row.kind, str(score.condition))
        named = (score.metric, score.version)
        counted = (score.n, score.n_clusters)
        yield (*place, score.slice, score.slice_value, *named, score.value, *_ends(score.interval), *counted, *rates)
        if score.available is not None:
            yield (
                *place,
                *_within(score),
                *named,
                score.available.value,
                *_ends(None),
                score.available.n,
                None,
                *rates,
            )


def _within(score: ScoreRow) -> tuple[str, str]:
    """The slice of a number over what was available."""
    return (score.slice or "media", f"{score.slice_value}, media available" if score.slice else "available")


def _ends(interval: Interval | None) -> tuple[Value, Value, Value]:
    return (None, None, None) if interval is None else (interval.low, interval.high, interval.method)


def _rank_record(task: str, each: Ranked) -> tuple[Value, ...]:
    metric, _, version = each.metric.rpartition("/")
    place = (each.score, each.rank, each.low, each.high, each.best_in, each.detectable)
    return (task, each.system, metric, version, *place, each.n, each.n_clusters)


def _difference_records(task: str, family: Differences) -> Iterator[tuple[Value, ...]]:
    for each in family.rows:
        metric, _, version = each.metric.rpartition("/")
        against = str(Condition.FULL) if family.name == "deltas" else each.against
        place = (task, each.system, against, str(each.asked), each.condition, metric, version)
        tested = (each.p_value, each.p_holm, each.detectable, each.n, each.n_clusters)
        yield (*place, each.value, *_ends(each.interval), *tested)
