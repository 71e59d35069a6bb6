"""`report`: one page of one or several runs. Streamed, so that its length costs time but no memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import jinja2

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.records import Condition, Status
from musebench_tasks.inference.run_folder import RUN_FILE
from musebench_tasks.pages import (
    Facet,
    ItemCard,
    MediaFolder,
    PlainTable,
    make_facets,
    page_environment,
    write_page,
)
from musebench_tasks.pages.figures import Figure
from musebench_tasks.reports.answers import TaskAnswers, item_cards, read_task
from musebench_tasks.reports.deltas import Differences, all_differences, differences_table
from musebench_tasks.reports.figures import make_figures
from musebench_tasks.reports.headlines import headline_sentence, make_overview
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.meanings import all_meanings
from musebench_tasks.reports.ranking import NOTE, all_ranks, rank_table
from musebench_tasks.reports.runs import Part, read_parts
from musebench_tasks.reports.statuses import run_table, status_table, usage_table
from musebench_tasks.reports.table import RULE, RULE_OF_INTERVALS, above_all_systems
from musebench_tasks.reports.table_files import Written
from musebench_tasks.reports.tables import Table, comparable, report_tables, system_name

FOLDER = "report"
PAGE = "index.html"


@dataclass(frozen=True)
class Shown:
    """A table of scores with the addresses of its files."""

    table: Table
    files: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """One task of a report. `cards` can be gone through once."""

    anchor: str
    name: str
    description: str | None
    headlines: tuple[str, ...]
    main: tuple[Shown, ...]
    """The main table of each group of comparable systems."""
    further: tuple[Shown, ...]
    rule: str
    """What bold and underlined numbers are."""
    meanings: tuple[tuple[str, str | None, str], ...]
    """What the numbers of all tables mean."""
    figures: tuple[tuple[Figure, tuple[str, ...]], ...]
    differences: tuple[tuple[Differences, PlainTable, tuple[str, ...]], ...]
    ranks: tuple[tuple[PlainTable, str, tuple[str, ...]], ...]
    """Ranks with intervals, what they are, and the files, of each group of systems that may share a table; none where
    there is one system, or nothing to rank."""
    statuses: PlainTable
    usage: PlainTable | None
    runs: PlainTable
    configurations: tuple[tuple[str, str], ...]
    """System and text of its run.yaml."""
    warnings: tuple[str, ...]
    n_items: int
    facets: tuple[Facet, ...]
    """What the items can be narrowed down by."""
    cards: Iterator[ItemCard]
    without_items: str | None
    """Why the items are not shown."""
    left_out: str
    """Whose answers are missing below the tables, in a sentence; empty where all are there."""


def write_report(
    runs: Sequence[Path], *, embed: bool = False, out: Path | None = None, tell: Callable[[str], None] | None = None
) -> Path:
    """Write the page of `runs` into the folder `out` (None = `report/` of the first run) and return its path.

    Beside it lie `tables/` (CSV and LaTeX), `figures/` (SVG) and `media/`; `embed` puts the media into the page, which
    then needs no other file. Media and data that are not here leave a note in their place. `tell` gets a line for each
    folder that is not scored as it lies there; the page begins with the same lines.
    Raises InputError where no scored run lies, where the place cannot be written, and for too much to embed.
    """
    if not runs:
        raise InputError("Name at least one run folder.")
    folders = list({Path(run).resolve(): Path(run) for run in reversed(runs)}.values())[::-1]
    parts, problems = read_parts(folders)
    if tell is not None:
        for problem in problems:
            tell(problem)
    folder = folders[0] / FOLDER if out is None else out
    media = MediaFolder(folder, embed=embed)
    by_task: dict[str, list[Part]] = {}
    for part in parts:
        by_task.setdefault(part.card.task, []).append(part)
    written = Written(folder, with_links=not embed)
    groups = [
        (f"t{number}", group, terms)
        for number, found in enumerate(by_task.values(), start=1)
        for group, terms in comparable(part.card for part in found)
    ]
    context = {
        "title": _title(folders),
        "systems": list(dict.fromkeys(system_name(part.card) for part in parts)),
        "tasks": list(by_task),
        "problems": problems,
        "overview": make_overview([(anchor, cards) for anchor, cards, _ in groups], [terms for _, _, terms in groups]),
        "sections": _sections(by_task, media, written),
        "media": media,
        "links": not embed,
        "version": parts[0].card.scorer_version,
    }
    write_page(folder / PAGE, _template().generate(context))
    written.remove_others()
    media.remove_others()
    return folder / PAGE


def _template() -> jinja2.Template:
    return page_environment(Path(__file__).resolve().parent / "templates").get_template("report.html.jinja")


def _title(runs: Sequence[Path]) -> str:
    return ", ".join(dict.fromkeys(Path(run).resolve().name for run in runs))


def _sections(by_task: dict[str, list[Part]], media: MediaFolder, written: Written) -> Iterator[Section]:
    """One section after the other, so that only one task's answers stand in memory."""
    for number, (task, parts) in enumerate(by_task.items(), start=1):
        yield _section(f"t{number}", task, parts, media, written)


def _section(anchor: str, name: str, parts: Sequence[Part], media: MediaFolder, written: Written) -> Section:
    answers, problem = _answers(name, parts)
    evidence = ItemEvidence(answers) if answers else None
    groups = comparable(part.card for part in parts)
    tables = [report_tables(cards, terms, evidence) for cards, terms in groups]
    every = [table for group in tables for table in group]
    return Section(
        anchor=anchor,
        name=name,
        description=answers.task.description if answers else None,
        headlines=tuple(filter(None, (headline_sentence(cards, terms) for cards, terms in groups))),
        main=tuple(Shown(group[0], written.scores(group[0])) for group in tables),
        further=tuple(Shown(table, written.scores(table)) for group in tables for table in group[1:]),
        rule=RULE if evidence else RULE_OF_INTERVALS,
        meanings=tuple(all_meanings(every)),
        figures=tuple((figure, written.figure(name, figure)) for figure in make_figures(answers, parts)),
        differences=_differences(name, evidence, written),
        ranks=_ranks(name, evidence, written),
        statuses=status_table(parts, _retry_rate(answers)),
        usage=usage_table(parts),
        runs=run_table(parts),
        configurations=tuple(
            (system_name(part.card), (part.folder / RUN_FILE).read_text(encoding="utf-8")) for part in parts
        ),
        warnings=tuple(
            dict.fromkeys(
                [
                    *(sentence for group in tables for sentence in above_all_systems(group[0])),
                    *(note for table in every for note in table.notes),
                ]
            )
        ),
        n_items=len(answers.items) if answers else 0,
        facets=_facets(answers) if answers else (),
        cards=item_cards(answers, media, anchor) if answers else iter(()),
        without_items=problem,
        left_out=_left_out(parts) if answers else "",
    )


def _differences(
    task: str, evidence: ItemEvidence | None, written: Written
) -> tuple[tuple[Differences, PlainTable, tuple[str, ...]], ...]:
    families = all_differences(evidence) if evidence else []
    return tuple((each, differences_table(each), written.differences(task, each)) for each in families)


def _ranks(
    task: str, evidence: ItemEvidence | None, written: Written
) -> tuple[tuple[PlainTable, str, tuple[str, ...]], ...]:
    groups = [list(rows) for _, rows in groupby(all_ranks(evidence) if evidence else [], key=lambda each: each.terms)]
    return tuple((rank_table(rows), NOTE, written.ranks(task, rows)) for rows in groups)


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


def _left_out(parts: Sequence[Part]) -> str:
    names = ", ".join(system_name(part.card) for part in parts if part.stale)
    return f"Left out here and in the differences: {names} (see the top of the page)." if names else ""


def _answers(name: str, parts: Sequence[Part]) -> tuple[TaskAnswers | None, str | None]:
    """The answers of a task, or why they cannot be shown: the tables stand without them.

    A part that is not scored as it lies there is left out, so that nothing contradicts the tables.
    """
    fresh = [part for part in parts if not part.stale]
    if not fresh:
        return None, "The items are not shown: nothing here is scored as it lies there (see the top of the page)."
    try:
        return read_task(name, fresh), None
    except MuseError as problem:
        return None, f"The items are not shown: {problem.text}"
