"""`leaderboard build`: one page without network, sortable where scripts run and readable where none do, and its CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.files import write_text
from musebench_tasks.pages import PlainTable, page_environment, write_page
from musebench_tasks.pages.numbers import value_text
from musebench_tasks.pages.text import fit
from musebench_tasks.records import Kind, PublishedRow, Scorecard
from musebench_tasks.reports.board.csv_file import BOARD_COLUMNS, board_csv
from musebench_tasks.reports.board.entries import Entry, latest, settings_words, task_answers
from musebench_tasks.reports.board.standing import BoardTable, board_tables, errata_words
from musebench_tasks.reports.headlines import headline_sentence
from musebench_tasks.reports.marks import RULE, above_all_systems
from musebench_tasks.reports.meanings import all_meanings
from musebench_tasks.reports.statuses import run_table
from musebench_tasks.reports.tables import condition_label, system_name
from musebench_tasks.version import __version__

BOARD_FILE = "index.html"
CSV_FILE = "leaderboard.csv"
LONGEST_NOTE = 240
READING = (
    "The number under each score is its 95 % interval. Coverage: requests that ended in an answer of the system; "
    "answered: those that could be read. What was not answered counts as wrong.",
    "Only models are ranked; equal numbers share the better rank. Below a rank: its span in 95 % of 10,000 draws of "
    "whole clusters, the same for all systems. Systems whose spans overlap are not put in order by these items.",
    RULE,
    "Systems stand in one table only where they were asked the same items of the same data, on the same track, with as "
    "much of the sound, as often and in the same order of options. Demonstrations never stand beside real data.",
)


@dataclass(frozen=True)
class Board:
    """What a leaderboard is written from."""

    title: str
    entries: tuple[Entry, ...]
    published: tuple[PublishedRow, ...] = ()
    refused: tuple[str, ...] = ()
    """Lines about submissions that were left out, and why."""
    hidden: frozenset[str] = frozenset()
    """Tasks whose answers are held back, so that nobody can look them up."""


@dataclass(frozen=True)
class Section:
    """One table with what belongs beside it."""

    anchor: str
    name: str
    board: BoardTable
    settings: tuple[str, ...]
    notes: tuple[tuple[str, ...], ...]
    sentence: str
    about: tuple[str, ...]
    warnings: tuple[str, ...]
    meanings: tuple[tuple[str, str | None, str], ...]
    errata: tuple[str, ...]
    runs: PlainTable
    """How everybody was asked."""
    has_public_labels: bool


def write_board(folder: Path, board: Board) -> Path:
    """Write index.html and leaderboard.csv into `folder`; returns the page. InputError where it cannot be written."""
    standing, earlier = latest(board.entries)
    tables = board_tables(standing, board.published)
    sections = [_section(f"b{number}", table, board) for number, table in enumerate(tables, start=1)]
    context = {
        "title": board.title,
        "sections": sections,
        "refused": board.refused,
        "earlier": _earlier(earlier),
        "columns": BOARD_COLUMNS,
        "csv": CSV_FILE,
        "reading": READING,
        "tasks": list(dict.fromkeys(each.board.first.card.task for each in sections)),
        "tracks": list(dict.fromkeys(track for each in sections if (track := each.board.first.card.track))),
        "tiers": sorted({tier for each in standing if (tier := each.card.tier)}),
        "conditions": list(_conditions(sections)),
        "version": __version__,
    }
    write_text(folder / CSV_FILE, fit(board_csv(tables, board.hidden)))
    environment = page_environment(Path(__file__).resolve().parents[1] / "templates")
    write_page(folder / BOARD_FILE, environment.get_template("board.html.jinja").generate(context))
    return folder / BOARD_FILE


def _section(anchor: str, table: BoardTable, board: Board) -> Section:
    card = table.first.card
    name = f"{card.task} ({table.terms})" if table.terms else card.task
    return Section(
        anchor=anchor,
        name=name,
        board=table,
        settings=tuple(settings_words(row.entry) for row in table.rows),
        notes=tuple(tuple(_notes(table, position)) for position in range(len(table.rows))),
        sentence=headline_sentence(_speakers(table)),
        about=tuple(_about(table)),
        warnings=tuple(dict.fromkeys([*above_all_systems(table.table), *_gaming(table), *_warnings(table)])),
        meanings=tuple(all_meanings([table.table])),
        errata=tuple(errata_words(table)),
        runs=run_table([each.part for each in task_answers([row.entry for row in table.rows]).parts]),
        has_public_labels=card.task not in board.hidden,
    )


def _speakers(table: BoardTable) -> list[Scorecard]:
    """Whose numbers a section begins with: the models', where there are any."""
    models = [row.entry.card for row in table.rows if row.standing is not None]
    return models or [row.entry.card for row in table.rows]


def _about(table: BoardTable) -> Iterator[str]:
    """What all rows share, in words."""
    entry = table.first
    card = entry.card
    asked = entry.config.protocol
    yield f"{len(entry.items)} items" + (f" ({card.selection})" if card.selection else "")
    yield f"split {card.split}"
    if asked.runs > 1:
        yield f"mean of {asked.runs} runs"
    yield f"{asked.option_order} order of options" if any(item.options for item in entry.items) else "recordings"
    if card.track:
        yield f"track {card.track.replace('_', ' ')}"


def _notes(table: BoardTable, position: int) -> Iterator[str]:
    """What was said of a submission, and what stands out in it."""
    row = table.rows[position]
    notes = " ".join(row.entry.submission.notes.split())
    if notes:
        yield notes if len(notes) <= LONGEST_NOTE else f"{notes[: LONGEST_NOTE - 1]}…"
    if row.same_answers_as:
        yield f"The very same answers as {', '.join(row.same_answers_as)}."
    if row.entry.card.tools:
        yield f"Tools: {', '.join(row.entry.card.tools)}."
    if row.entry.stored.scorer_version != row.entry.card.scorer_version:
        yield f"Handed in with scorer {row.entry.stored.scorer_version}, scored again with this one."


def _warnings(table: BoardTable) -> Iterator[str]:
    """What the scorer says of systems, but for errata: those have a table of their own."""
    told = {row.entry.card.warnings[0] for row in table.rows if row.entry.card.errata}
    yield from (note for note in table.table.notes if note not in told)


def _gaming(table: BoardTable) -> Iterator[str]:
    """What choosing every option is worth where no baseline of it can stand."""
    kinds = {item.kind for item in table.first.items}
    if kinds == {Kind.SINGLE}:
        yield "Choosing every option is no answer to a question with one right option: it scores 0."


def _earlier(entries: Sequence[Entry]) -> PlainTable | None:
    """Submissions that a later one of the same system and settings stands for."""
    if not entries:
        return None
    rows = tuple(_earlier_row(each) for each in entries)
    return PlainTable("Earlier submissions", ("system", "task", "handed in", "score", "folder"), rows)


def _earlier_row(entry: Entry) -> tuple[str, ...]:
    row = entry.card.row(entry.card.headline)
    score = value_text(row.value if row else None)
    return (system_name(entry.card), entry.card.task, entry.submission.date, score, entry.place)


def _conditions(sections: Sequence[Section]) -> Iterator[tuple[str, str]]:
    """Every condition that anybody was asked under beside the main one: its name and its words."""
    seen: dict[str, str] = {}
    for section in sections:
        for row in section.board.rows:
            for condition in row.entry.config.protocol.conditions:
                seen.setdefault(condition.value, condition_label(condition, row.entry.card))
    yield from seen.items()
