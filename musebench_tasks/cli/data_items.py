"""The rows' side of `musebench data check`: the rules on items, and what is printed of them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from musebench_tasks.base.problems import Effect
from musebench_tasks.base.text import counted, one_line

if TYPE_CHECKING:
    from musebench_tasks.assembly.item_checks import CheckedItems
    from musebench_tasks.assembly.rules import Findings
    from musebench_tasks.base.records import TaskConfig
    from musebench_tasks.items.tables import Table

DATASETS = ("musebench", "hummusqa", "mub")
TABLE_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx", ".xls", ".ods")
MOST_LINES = 50
MOST_FLAGS = 3
"""Lines that are printed of a tag that stops nothing, unless all are asked for."""
_WIDTH = 200


def add_item_arguments(check: argparse.ArgumentParser) -> None:
    """Declare what `musebench data check` takes for rows."""
    what = check.add_mutually_exclusive_group()
    what.add_argument("--items-only", action="store_true", help="check the rows, decode no medium")
    what.add_argument("--media-only", action="store_true", help="decode the media, ask no rule about the rows")
    kind = check.add_mutually_exclusive_group()
    kind.add_argument("--as", dest="dataset", choices=DATASETS, help="the sheet has the columns of this benchmark")
    kind.add_argument("--task", metavar="TASK", help="a task (name or YAML file) whose `columns` describe the sheet")
    check.add_argument(
        "--all", action="store_true", dest="are_all",
        help=f"print every line, not only {MOST_LINES} that stop a build and {MOST_FLAGS} of each other tag",
    )  # fmt: skip
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
    from musebench_tasks.base.errors import InputError

    if path.suffix.lower() in TABLE_SUFFIXES:
        raise InputError(
            f"{one_line(path)}: is a table. Say what it holds: --as {', '.join(DATASETS)}, or --task TASK."
        )


def task_beside(folder: Path) -> Path | None:
    """The one task file in a folder that holds a table: it says what the table holds."""
    from musebench_tasks.assembly.sheet import tables_in

    files = [each for each in sorted((*folder.glob("*.yaml"), *folder.glob("*.yml"))) if _is_task(each)]
    return files[0] if len(files) == 1 and tables_in(folder) else None


def _is_task(path: Path) -> bool:
    return path.is_file() and any(line.startswith(b"task:") for line in path.read_bytes().splitlines())


def untold_tables(folder: Path) -> str | None:
    """What is said of tables that lie beside media, of which nobody said what they hold; None without any."""
    from musebench_tasks.assembly.sheet import tables_in

    tables = tables_in(folder)
    if not tables:
        return None
    which = f"--as {', '.join(DATASETS)}, or --task TASK"
    return f"note  {one_line(tables[0])}: its rows are not looked at. Say what it holds: {which}."


def check_place(path: Path, target: str | TaskConfig, options: argparse.Namespace) -> CheckedItems:
    """The rules on a sheet, its folder, or a repository."""
    from musebench_tasks.assembly.source_checks import check_source

    return check_source(path, target, options.about, media=not options.items_only)


def check_named(task: TaskConfig, options: argparse.Namespace) -> CheckedItems:
    """The rules on the data of a task, and its media."""
    from musebench_tasks.assembly.source_checks import check_with_media

    return check_with_media(task, offline=options.offline, media=not options.items_only)


def write_sheet(path: Path, checked: CheckedItems, findings: Findings, places: Sequence[str]) -> str:
    """Write a table again with its problems; what was written, in a line. `places`: what was named to check."""
    from musebench_tasks.assembly.sheet import of_findings, write_errors_sheet

    table = checked.table
    if not any(Path(place).suffix.lower() in TABLE_SUFFIXES for place in places):
        _refuse_second_table(path, table)
    return write_errors_sheet(path, table, of_findings(table, findings))


def refuse_sheet(path: Path | None, checked: Sequence[CheckedItems]) -> None:
    """InputError where `--sheet` cannot be written, before anything is decoded."""
    from musebench_tasks.assembly.sheet import refuse_replacing
    from musebench_tasks.base.errors import InputError

    if path is None:
        return
    if len(checked) != 1:
        raise InputError(f"--sheet writes one sheet, but {len(checked)} were checked. Check them one by one.")
    refuse_replacing(path, checked[0].table)


def _refuse_second_table(path: Path, table: Table) -> None:
    """InputError where a sheet would lie beside the table of a folder, which would then hold two."""
    from musebench_tasks.base.errors import InputError
    from musebench_tasks.items.files import is_beside_data

    if table.directory.resolve() in path.resolve().parents and not is_beside_data(path):
        raise InputError(
            f"--sheet is {path}: would be a second table in {table.directory}. Choose a place outside, or a name that "
            "ends in .errors.csv."
        )


def together(checked: Sequence[CheckedItems]) -> Findings:
    """The findings of all tables."""
    from musebench_tasks.assembly.rules import Findings

    return sum((each.findings for each in checked), Findings((), 0))


def print_items(findings: Findings, in_rows: Findings, *, are_all: bool) -> None:
    """The lines, the table of failures and a summary; `in_rows`: with what was found in the media of rows."""
    lines = list(item_lines(findings, are_all=are_all))
    for line in lines:
        print(one_line(line))
    if lines:
        print()
        print_failures(findings)
    print(item_summary(in_rows))


def item_lines(findings: Findings, *, are_all: bool = False) -> Iterator[str]:
    """A line for each finding that stops a build, and the first few of each tag of the others, unless `are_all`.

    What is said in the same words of many rows is one line.
    """
    from musebench_tasks.assembly.rules.findings import gathered

    told = [(each, f"{each.severity.name}  {each.code}  {line}") for each, line in gathered(findings)]
    left: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for each, line in told:
        kind, most = ("", MOST_LINES) if each.effect is Effect.STOP else (each.code, MOST_FLAGS)
        seen[kind] += 1
        if are_all or seen[kind] <= most:
            yield line
        else:
            left[kind] += 1
    if left:
        named = [f"{count} of {tag}" if tag else f"{count} that stop a build" for tag, count in left.items()]
        yield f"and more lines like these: {', '.join(named)} (--all prints them, --sheet FILE writes them)."


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
    stops = len({(each.place, each.row) for each in findings.stopping if each.row is not None})
    flagged = findings.flagged_rows - stops
    counts = [f"{findings.rows - stops - flagged} without a remark"]
    counts += [f"{stops} to be put right"] if stops else []
    counts += [f"{flagged} to look at"] if flagged else []
    return f"{counted(findings.rows, 'row')}: {', '.join(counts)}."


def items_as_json(findings: Findings, in_rows: Findings) -> dict[str, Any]:
    """Everything that was found, as plain values; the summary counts what was found in media too."""
    from musebench_tasks.assembly.rules.findings import ROW_KEYS

    return {
        "rows": findings.rows,
        "findings": [each.as_json(**ROW_KEYS) for each in findings],
        "failures": [each._asdict() for each in findings.table()],
        "summary": item_summary(in_rows),
    }
