"""`leaderboard build`: one page without network, sortable where scripts run and readable where none do, and its CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from musebench_tasks.base.files import write_text
from musebench_tasks.base.records import Kind, PublishedRow, Scorecard
from musebench_tasks.pages import PlainTable, page_environment, write_page
from musebench_tasks.pages.text import fit, value_text
from musebench_tasks.reports.headlines import headline_sentence
from musebench_tasks.reports.meanings import all_meanings
from musebench_tasks.reports.statuses import run_table
from musebench_tasks.reports.table import RULE, above_all_systems
from musebench_tasks.reports.tables import condition_label, system_name
from musebench_tasks.submissions.board.csv_file import BOARD_COLUMNS, board_csv
from musebench_tasks.submissions.board.entries import Entry, latest, task_answers
from musebench_tasks.submissions.board.names import shown
from musebench_tasks.submissions.board.standing import BoardTable, board_tables, errata_words
from musebench_tasks.submissions.board.words import RowWords, table_words
from musebench_tasks.version import __version__

BOARD_FILE = "index.html"
CSV_FILE = "leaderboard.csv"
MADE_BY = "musebench leaderboard build"
"""What every page says that it was made by."""
SELECT_ALL = "select_all"
"""The baseline that chooses every option."""
NONE = "none"
"""What rows of no track or tier are called by the filters."""
READING = (
    "The number under each score is its 95 % interval. Coverage: requests that ended in an answer of the system; "
    "answered: those that could be read. What was not answered counts as wrong.",
    "Only models are ranked, by the headline under all media; equal numbers share the better rank. Below a rank: its "
    "span in 95 % of 10,000 draws of whole clusters, the same for all systems. Systems whose spans overlap are not put "
    "in order by these items.",
    RULE,
    "Retry rate: of the requests that were sent, those that were sent again. Requests with the same question, media "
    "and order are sent once, so that there may be fewer of them than answers.",
    "Systems stand in one table only where they were asked the same items of the same data, on the same track, with as "
    "much of the sound, as often and in the same order of options. Demonstrations never stand beside real data.",
    "Names, tiers, revisions, settings, tools, days, notes and who handed in are the words of those who did: what the "
    "answers can be held against is checked; the rest, and the retry rate that notes begin with, is not. Scores, "
    "ranks, coverage, data and scorer are made here.",
)
ORDERS = {
    True: "the history of the board tells which came last, and where it does not, the days they name. ",
    False: "the days they name tell which came last. ",
}
"""Whether a history tells in which order submissions came, and how the page says so."""
ONE_DAY = "Of one day nobody knows the last: the one with the lowest score stands."


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
    words: tuple[RowWords, ...]
    """Beside each row of `board`."""
    notes: tuple[str, ...]
    """Below the table, in the order of their numbers."""
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
        "order": ORDERS[any(each.arrived is not None for each in board.entries)] + ONE_DAY,
        "columns": BOARD_COLUMNS,
        "nothing": NONE,
        "made_by": MADE_BY,
        "csv": CSV_FILE,
        "reading": READING,
        "tasks": list(dict.fromkeys(each.board.first.card.task for each in sections)),
        "tracks": _choices((each.board.first.card.track for each in sections), "no track"),
        "tiers": _choices((each.card.tier for each in standing), "no tier told"),
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
    words, notes = table_words(table, board.entries)
    return Section(
        anchor=anchor,
        name=name,
        board=table,
        words=words,
        notes=notes,
        sentence=headline_sentence(_speakers(table)),
        about=tuple(_about(table)),
        warnings=tuple(dict.fromkeys([*above_all_systems(table.table), *_gaming(table), *_warnings(table)])),
        meanings=tuple(all_meanings([table.table])),
        errata=tuple(errata_words(table)),
        runs=_runs(table),
        has_public_labels=card.task not in board.hidden,
    )


def _speakers(table: BoardTable) -> list[Scorecard]:
    """Whose numbers a section begins with: the models', where there are any."""
    models = [
        row.entry.card
        for row in table.rows
        if row.standing is not None or (row.entry.card.system_type == "model" and not table.is_ranked)
    ]
    return [_named(card) for card in models or [row.entry.card for row in table.rows]]


def _named(card: Scorecard) -> Scorecard:
    """The same with its system's name as a page shows it."""
    return card.model_copy(update={"system": shown(card.system)})


def _runs(table: BoardTable) -> PlainTable:
    """How everybody was asked."""
    parts = task_answers([row.entry for row in table.rows]).parts
    return run_table([replace(each.part, card=_named(each.part.card)) for each in parts])


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


def _warnings(table: BoardTable) -> Iterator[str]:
    """What the scorer says of systems, but for errata: those have a table of their own."""
    told = {row.entry.card.warnings[0] for row in table.rows if row.entry.card.errata}
    yield from (note for note in table.table.notes if note not in told)


def _gaming(table: BoardTable) -> Iterator[str]:
    """What choosing every option is worth where a baseline does so, and some questions have one right option."""
    is_shown = any(each.name == SELECT_ALL for each in table.table.baselines)
    if is_shown and any(item.kind is Kind.SINGLE for item in table.first.items):
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
    return (shown(system_name(entry.card)), entry.card.task, entry.submission.date, score, entry.place)


def _choices(found: Iterable[str | None], none: str) -> list[tuple[str, str]]:
    """What a filter offers, its value and its words: all that there is, and at the end what is nothing of it."""
    values = set(found)
    named = [(value, value.replace("_", " ")) for value in sorted(filter(None, values))]
    return named + ([(NONE, none)] if len(values) > len(named) else [])


def _conditions(sections: Sequence[Section]) -> Iterator[tuple[str, str]]:
    """Every condition that anybody was asked under beside the main one: its name and its words."""
    seen: dict[str, str] = {}
    for section in sections:
        for row in section.board.rows:
            for condition in row.entry.config.protocol.conditions:
                seen.setdefault(str(condition), condition_label(condition, row.entry.card))
    yield from seen.items()
