"""`report`: one page of one or several runs. Streamed, so that its length costs time but no memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from musebench_tasks.errors import InputError, MuseError
from musebench_tasks.inference.run_folder import RUN_FILE
from musebench_tasks.pages import Facet, ItemCard, MediaFolder, PlainTable, make_facets, page_environment, write_page
from musebench_tasks.records import Condition, Status
from musebench_tasks.reports.answers import TaskAnswers, item_cards, read_task
from musebench_tasks.reports.deltas import delta_table
from musebench_tasks.reports.meanings import table_meanings
from musebench_tasks.reports.runs import Part, read_parts
from musebench_tasks.reports.statuses import run_table, status_table
from musebench_tasks.reports.tables import Table, make_tables, system_name

FOLDER = "report"
PAGE = "index.html"


@dataclass(frozen=True)
class Section:
    """One task of a report. `cards` can be gone through once."""

    anchor: str
    name: str
    description: str | None
    tables: tuple[tuple[Table, list[tuple[str, str | None, str]]], ...]
    """Each table with what its numbers mean."""
    deltas: PlainTable | None
    statuses: PlainTable
    runs: PlainTable
    configurations: tuple[tuple[str, str], ...]
    """System and text of its run.yaml."""
    warnings: tuple[str, ...]
    n_items: int
    facets: tuple[Facet, ...]
    cards: Iterator[ItemCard]
    without_items: str | None
    """Why the items are not shown."""


def write_report(runs: Sequence[Path], *, embed: bool = False) -> Path:
    """Write the page of `runs` into `report/` of the first and return its path; media lie in `media/` beside it.

    `embed` puts the media into the page instead. Media and data that are not here leave a note in their place.
    Raises InputError where no scored run lies, where the place cannot be written, and for too much to embed.
    """
    if not runs:
        raise InputError("Name at least one run folder.")
    folders = list({Path(run).resolve(): Path(run) for run in reversed(runs)}.values())[::-1]
    parts, problems = read_parts(folders)
    folder = folders[0] / FOLDER
    media = MediaFolder(folder, embed=embed)
    by_task: dict[str, list[Part]] = {}
    for part in parts:
        by_task.setdefault(part.card.task, []).append(part)
    systems = list(dict.fromkeys(system_name(part.card) for part in parts))
    context = {
        "title": _title(folders),
        "systems": systems,
        "tasks": list(by_task),
        "problems": problems,
        "sections": _sections(by_task, media),
        "media": media,
        "version": parts[0].card.scorer_version,
    }
    write_page(folder / PAGE, _template().generate(context))
    return folder / PAGE


def _template() -> jinja2.Template:
    return page_environment(Path(__file__).resolve().parent / "templates").get_template("report.html.jinja")


def _title(runs: Sequence[Path]) -> str:
    return ", ".join(dict.fromkeys(Path(run).resolve().name for run in runs))


def _sections(by_task: dict[str, list[Part]], media: MediaFolder) -> Iterator[Section]:
    """One section after the other, so that only one task's answers stand in memory."""
    for number, (task, parts) in enumerate(by_task.items(), start=1):
        yield _section(f"t{number}", task, parts, media)


def _section(anchor: str, name: str, parts: Sequence[Part], media: MediaFolder) -> Section:
    answers, problem = _answers(name, parts)
    tables = make_tables(part.card for part in parts)
    return Section(
        anchor=anchor,
        name=name,
        description=answers.task.description if answers else None,
        tables=tuple((table, table_meanings(table)) for table in tables),
        deltas=delta_table(answers) if answers else None,
        statuses=status_table(parts, _retry_rate(answers)),
        runs=run_table(parts),
        configurations=tuple(
            (system_name(part.card), (part.folder / RUN_FILE).read_text(encoding="utf-8")) for part in parts
        ),
        warnings=tuple(dict.fromkeys(warning for table in tables for warning in table.notes)),
        n_items=len(answers.items) if answers else 0,
        facets=_facets(answers) if answers else (),
        cards=item_cards(answers, media, anchor) if answers else iter(()),
        without_items=problem,
    )


def _retry_rate(answers: TaskAnswers | None) -> Callable[[Part, Condition], float | None]:
    known = {str(each.part.folder): each for each in answers.parts} if answers else {}

    def rate(part: Part, condition: Condition) -> float | None:
        found = known.get(str(part.folder))
        return found.retry_rate(condition) if found else None

    return rate


def _facets(answers: TaskAnswers) -> tuple[Facet, ...]:
    cards = [each.part.card for each in answers.parts]
    statuses = {Status(name) for card in cards for counts in card.counts for name in counts.statuses}
    return make_facets(answers.items, [system_name(card) for card in cards], statuses)


def _answers(name: str, parts: Sequence[Part]) -> tuple[TaskAnswers | None, str | None]:
    """The answers of a task, or why they cannot be shown: the tables stand without them."""
    try:
        return read_task(name, parts), None
    except MuseError as problem:
        return None, f"The items are not shown: {problem}"
