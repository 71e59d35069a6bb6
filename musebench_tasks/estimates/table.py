"""What `musebench score --estimates` prints: a table by field, and mir_eval's values beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from musebench_tasks.base.records import Counts, ScoreRow, Status
from musebench_tasks.estimates.against_mir_eval import CLEANED, PeerRow
from musebench_tasks.evaluation.recordings import RecordingScores, field_of
from musebench_tasks.pages.text import NOT_ASKED, interval_text, value_text
from musebench_tasks.reports.terminal import GAP, make_console, print_trimmed
from musebench_tasks.statistics import FEW_CLUSTERS, uses_students_t

WIDEST = 110
"""Lines longer than this are hard to follow, however wide the terminal is."""
COLUMNS = ("value", "95 % interval", "s.e.", "n", "coverage", "answered")


def print_scores(
    scores: RecordingScores, title: str, remarks: Iterable[str] = (), console: Console | None = None
) -> None:
    """Print the table of a tracker's scores: the number, its error, over how many recordings, and the two rates."""
    console = console or make_console()
    console.width = min(console.width, WIDEST)
    print_trimmed(console, lambda: _print_scores(scores, title, remarks, console))


def _print_scores(scores: RecordingScores, title: str, remarks: Iterable[str], console: Console) -> None:
    console.print()
    console.print(Text(title, style="bold"))
    console.print(_grid(scores))
    console.print()
    for line in (*_endings(scores), *_warnings(scores), *remarks):
        console.print(Text(line, style="dim"))
    console.print()


def _grid(scores: RecordingScores) -> Grid:
    grid = _empty(COLUMNS)
    for field in dict.fromkeys(field_of(row.metric) for row in scores.rows):
        grid.add_row(Text(f"mub.{field}", style="bold"))
        for position, row in enumerate(row for row in scores.rows if field_of(row.metric) == field):
            grid.add_row(*_cells(row, scores.count(field), repeated="dim" if position else ""))
            for prior in scores.baselines:
                if (prior.metric, prior.version) == (row.metric, row.version):
                    grid.add_row(Text(f"    {prior.system}", style="dim"), Text(value_text(prior.value), style="dim"))
    return grid


def _cells(row: ScoreRow, count: Counts, *, repeated: str) -> list[Text]:
    name = row.metric.split(".", 2)[2]
    return [
        Text(f"  {name}/{row.version}"),
        Text(value_text(row.value)),
        Text(interval_text(row.interval) or NOT_ASKED, style="dim"),
        Text(NOT_ASKED if row.standard_error is None else value_text(row.standard_error), style="dim"),
        Text(str(row.n), style="dim"),
        Text(value_text(count.coverage), style=repeated),
        Text(value_text(count.answered), style=repeated),
    ]


def _endings(scores: RecordingScores) -> Iterable[str]:
    """How recordings without a value ended, field by field; classes behind an average over classes."""
    for count in scores.counts:
        others = {status: found for status, found in count.statuses.items() if status != Status.OK.value}
        if count.field is not None and others:
            ended = ", ".join(f"{found} {status.replace('_', ' ')}" for status, found in others.items())
            yield f"{count.field.replace('_', ' ')}: {ended} of {count.planned}"
    yield from dict.fromkeys(
        f"{field_of(row.metric).replace('_', ' ')} classes: {row.note}" for row in scores.rows if row.note
    )


def _warnings(scores: RecordingScores) -> Iterable[str]:
    clusters = max((row.n_clusters for row in scores.rows), default=0)
    if clusters < FEW_CLUSTERS and any(uses_students_t(row.interval) for row in scores.rows):
        yield f"{clusters} clusters, fewer than {FEW_CLUSTERS}: intervals use Student's t and are rough"
    if not any(row.interval for row in scores.rows):
        yield "no intervals: they need 10 recordings of 2 clusters"


def print_against(
    rows: Sequence[PeerRow], without: Mapping[str, Sequence[str]], console: Console | None = None
) -> None:
    """Print mir_eval's value beside ours, and under each pair why they differ."""
    console = console or make_console()
    console.width = min(console.width, WIDEST)
    print_trimmed(console, lambda: _print_against(rows, without, console))


def _print_against(rows: Sequence[PeerRow], without: Mapping[str, Sequence[str]], console: Console) -> None:
    table = [PEER_COLUMNS, *(_peer_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for position, cells in enumerate(table):
        name, *numbers = cells
        shown = "  ".join(each.rjust(width) for each, width in zip(numbers, widths[1:], strict=True))
        console.print(Text(f"{name.ljust(widths[0])}  {shown}", style="" if position else "bold"))
        if position:
            console.print(Text(f"  {rows[position - 1].function}: {rows[position - 1].why}", style="dim"))
    console.print(Text("taken: what mir_eval accepts; both values are over those, and differ on so many", style="dim"))
    if any(row.function.startswith("segment.") for row in rows):
        console.print(Text(f"segments: {CLEANED}", style="dim"))
    if without:
        named = "; ".join(f"{field.replace('_', ' ')} {', '.join(names)}" for field, names in without.items())
        console.print(Text(f"only here: {named}", style="dim"))
    console.print()


PEER_COLUMNS = ["against mir_eval", "ours", "mir_eval", "taken", "differ"]


def _peer_cells(row: PeerRow) -> list[str]:
    values = [value_text(each) for each in (row.ours_there, row.theirs)]
    return [row.metric, *values, f"{row.n_taken} of {row.n}", str(row.n_different) if row.n_taken else NOT_ASKED]


def _empty(headings: Sequence[str]) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="")
    grid.add_column("", no_wrap=True)
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    return grid
