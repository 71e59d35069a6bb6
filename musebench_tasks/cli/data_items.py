"""The rows' side of `musebench data check`: the rules on items, and what is printed of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from musebench_tasks.cli.plain import one_line

if TYPE_CHECKING:
    from musebench_tasks.assembly.item_checks import CheckedItems
    from musebench_tasks.assembly.rules import Findings
    from musebench_tasks.items.tables import Table
    from musebench_tasks.records import TaskConfig

DATASETS = ("musebench", "hummusqa", "mub")
TABLE_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
MOST_LINES = 50
MOST_FLAGS = 3
"""Lines that are printed of a kind that stops nothing."""
_WIDTH = 200


def add_item_arguments(check: argparse.ArgumentParser) -> None:
    """Declare what `musebench data check` takes for rows."""
    what = check.add_mutually_exclusive_group()
    what.add_argument("--items-only", action="store_true", help="check the rows, decode no medium")
    what.add_argument("--media-only", action="store_true", help="decode the media, ask no rule about the rows")
    kind = check.add_mutually_exclusive_group()
    kind.add_argument("--as", dest="dataset", choices=DATASETS, help="the sheet has the columns of this benchmark")
    kind.add_argument("--task", metavar="TASK", help="a task (name or YAML file) whose `columns` describe the sheet")
    check.add_argument("--about", type=Path, metavar="FILE", help="about.yaml, where it does not lie beside the sheet")
    check.add_argument(
        "--sheet", type=Path, metavar="FILE", help="write the rows again, with what is wrong in a column `problems`"
    )


def target_of(options: argparse.Namespace) -> str | TaskConfig | None:
    """What the sheets hold, as `--as` or `--task` says; None where neither is given."""
    from musebench_tasks.tasks import load_task

    return load_task(options.task) if options.task else options.dataset


def is_placed_data(place: str) -> bool:
    """Whether a folder lies where the task of its name looks for its data: the task is meant then."""
    return place in DATASETS and (Path(place) / "README.md").is_file()


def refuse_untold(path: Path) -> None:
    """InputError for a table of which nobody said what it holds."""
    from musebench_tasks.errors import InputError

    if path.suffix.lower() in TABLE_SUFFIXES:
        raise InputError(
            f"{one_line(path)}: is a table. Say what it holds: --as {', '.join(DATASETS)}, or --task TASK."
        )


def check_place(path: Path, target: str | TaskConfig, options: argparse.Namespace) -> CheckedItems:
    """The rules on a sheet, its folder, or a repository."""
    from musebench_tasks.assembly.source_checks import check_source

    return check_source(path, target, options.about, media=not options.items_only)


def check_named(task: TaskConfig, options: argparse.Namespace) -> CheckedItems:
    """The rules on the data of a task, and its media."""
    from musebench_tasks.assembly.source_checks import check_with_media

    return check_with_media(task, offline=options.offline, media=not options.items_only)


def write_sheet(path: Path | None, checked: Sequence[CheckedItems], places: Sequence[str]) -> str | None:
    """Write the one table again with its problems; what was written, in a line. `places`: what was named to check."""
    from musebench_tasks.assembly.errors_sheet import write_errors_sheet
    from musebench_tasks.errors import InputError

    if path is None:
        return None
    if len(checked) != 1:
        raise InputError(f"--sheet writes one sheet, but {len(checked)} were checked. Check them one by one.")
    table = checked[0].table
    if not any(Path(place).suffix.lower() in TABLE_SUFFIXES for place in places):
        _refuse_second_table(path, table)
    rows = write_errors_sheet(path, table, checked[0].findings)
    return f"{path}: {rows} of {len(table.rows)} rows have something in the column `problems`."


def _refuse_second_table(path: Path, table: Table) -> None:
    """InputError where a sheet would lie beside the table of a folder, which would then hold two."""
    from musebench_tasks.errors import InputError

    if table.directory.resolve() in path.resolve().parents:
        raise InputError(f"--sheet is {path}: would be a second table in {table.directory}. Choose a place outside.")


def together(checked: Sequence[CheckedItems]) -> Findings:
    """The findings of all tables."""
    from musebench_tasks.assembly.rules import Findings

    return sum((each.findings for each in checked), Findings((), 0))


def print_items(findings: Findings) -> None:
    """The lines, the table of failures and a summary."""
    lines = list(item_lines(findings))
    for line in lines:
        print(one_line(line))
    if lines:
        print()
        print_failures(findings)
    print(item_summary(findings))


def item_lines(findings: Findings) -> Iterator[str]:
    """A line for each finding that stops a build; of the others the first few of each tag."""
    stopping = set(map(id, findings.stopping))
    shown = 0
    flags: dict[str, int] = {}
    for each, line in zip(findings, findings.lines, strict=True):
        if id(each) in stopping:
            shown += 1
            if shown <= MOST_LINES:
                yield line
        else:
            flags[each.tag] = flags.get(each.tag, 0) + 1
            if flags[each.tag] <= MOST_FLAGS:
                yield line
    if shown > MOST_LINES:
        yield f"and {shown - MOST_LINES} more that stop a build: --sheet FILE or --json give all."


def print_failures(findings: Findings) -> None:
    """The table of failures, sorted by severity (MB-34)."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head, kind in (("severity", "left"), ("tag", "left"), ("found", "right")):
        table.add_column(head, justify="right" if kind == "right" else "left", no_wrap=True)
    for head in ("what it is", "what avoids it"):
        table.add_column(head, ratio=1)
    for row in findings.table():
        table.add_row(row.severity, row.tag, str(row.findings), row.meaning, row.mitigation)
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)


def item_summary(findings: Findings) -> str:
    """How many rows were checked, and how many are how."""
    stops = len({(each.file, each.row) for each in findings.stopping if each.row is not None})
    flagged = findings.flagged_rows - stops
    counts = [f"{findings.rows - stops - flagged} without a remark"]
    counts += [f"{stops} to be put right"] if stops else []
    counts += [f"{flagged} to look at"] if flagged else []
    plural = "row" if findings.rows == 1 else "rows"
    return f"{findings.rows} {plural}: {', '.join(counts)}."


def items_as_json(findings: Findings) -> dict[str, Any]:
    """Everything that was found, as plain values."""
    return {
        "rows": findings.rows,
        "findings": [each.as_json() for each in findings],
        "failures": [each._asdict() for each in findings.table()],
        "summary": item_summary(findings),
    }
