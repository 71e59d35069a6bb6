"""`leaderboard build`: a folder of submissions as a static page; each is checked, scored anew, and refused by name."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from shlex import quote

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.files import not_written
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import (
    PUBLISHED_FILE,
    SUBMISSION_FILE,
    SUBMISSIONS_FOLDER,
    Erratum,
    PublishedRow,
    Submission,
    TaskConfig,
)
from musebench_tasks.base.text import nearest
from musebench_tasks.inference.run_folder import RUN_FILE
from musebench_tasks.pages.text import fit
from musebench_tasks.submissions.board import (
    BOARD_COLUMNS,
    BOARD_FILE,
    CSV_FILE,
    MADE_BY,
    Board,
    Entry,
    belongs,
    write_board,
)
from musebench_tasks.submissions.board_folder import Gathered, arrivals, gathered, seen_from
from musebench_tasks.submissions.check import Benchmarks, CheckedSubmission, check_submission
from musebench_tasks.submissions.published import read_published
from musebench_tasks.tasks import list_tasks, load_task
from musebench_tasks.tasks.schema import read_strictly

FOLDER = "leaderboard"
LOCAL = "local/leaderboard"
"""Stands for a repository where a submission goes nowhere but into a folder."""


@dataclass(frozen=True)
class BoardOutcome:
    """What came of building a leaderboard."""

    page: Path
    n_submissions: int
    n_left_out: int
    refused: tuple[str, ...]
    """A line for every problem of a submission that was left out, and for every file that belongs to none."""
    moved: tuple[str, ...]
    """Systems that were scored with other data or answers than when they were handed in."""


def build_leaderboard(
    folder: str | Path,
    *,
    out: str | Path | None = None,
    title: str | None = None,
    tasks: Sequence[str] = (),
    hidden: Sequence[str] = (),
    offline: bool = False,
    force: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> BoardOutcome:
    """Check and score every submission below `folder`, and write index.html and leaderboard.csv into `out`.

    `out` None = `leaderboard/` in the folder. `tasks`: YAML files of tasks that are not known by name here. `hidden`:
    tasks whose answers nobody can look up. `force`: write over files that no board made. `tell` gets a line for
    everything that is left out. Whatever is wrong with a submission leaves it out of the tables, and stands on the
    page, also where none is left. InputError where there is none at all.
    """
    folder = Path(folder)
    place = Path(out) if out is not None else folder / FOLDER
    _require_own_place(place, folder)
    if not force:
        _require_board(place)
    own = {task.task: task for task in map(load_task, tasks)}
    benchmarks = Benchmarks(own, offline=offline)
    found = _gathered(folder)
    refused = [seen_from(folder, each) for each in found.strays]
    came = arrivals(folder)
    entries: list[Entry] = []
    seen: dict[tuple[str, str], str] = {}
    for each in found.folders:
        try:
            checked = check_submission(each, benchmarks, is_stored=True)
            entry = _entry(checked, folder, benchmarks.errata(checked.data.task), came)
            content = (entry.submission.run_sha256, entry.submission.predictions_sha256)
            if content in seen:
                twice = Problem(f"the same files lie in {seen[content]}.", "Remove one of the two.", place=str(each))
                raise InputError(twice)
            seen[content] = entry.place
            entries.append(entry)
        except MuseError as error:
            refused += [seen_from(folder, problem, each) for problem in error.problems]
    lines = tuple(fit(problem.text) for problem in refused)
    for line in lines:
        tell(line)
    published = _published(folder, own)
    there = [each.card.task for each in entries]
    _require_known(hidden, [*own, *there])
    for line in (*_unseen(folder / PUBLISHED_FILE, published, entries), *_not_handed_in("hidden", hidden, there)):
        tell(line)
    board = Board(
        title or f"{folder.resolve().name} · leaderboard",
        tuple(entries),
        published,
        lines,
        frozenset(hidden),
    )
    page = write_board(place, board)
    moved = tuple(f"{each.card.task} · {each.card.system}" for each in entries if each.has_moved)
    return BoardOutcome(page, len(entries), len(found.folders) - len(entries), lines, moved)


def add_to_leaderboard(
    run: str | Path,
    folder: str | Path,
    *,
    submitter: str,
    notes: str = "",
    day: date | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Put every MODEL/TASK of a run into a folder of submissions, checked as `musebench submit` does; their folders.

    `day` None = today. What lies there already with the same content stays as it is, with its submitter and notes:
    `tell` gets a line about it. InputError with every problem.
    """
    from musebench_tasks.submissions.handover import prepare_submission

    _require_outside(Path(folder), Path(run))
    handed = prepare_submission(run, LOCAL, notes=notes, submitter=submitter, day=day)
    places = []
    for result in handed.results:
        place = Path(folder) / result.place
        if (place / SUBMISSION_FILE).is_file():
            before = read_strictly(place / SUBMISSION_FILE, Submission)
            tell(f"{place}: lies there already, handed in by {before.submitter} on {before.date}. It stays as it is.")
        else:
            _put(place, {Path(each.path).name: each.read() for each in result.contents(submitter, handed.day)})
        places.append(place)
    return places


def _put(place: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a submission so that all of them appear at once; what a killed command left half goes."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".") as half:
            whole = Path(half) / place.name
            whole.mkdir()
            for name, content in files.items():
                (whole / name).write_bytes(content)
            if place.is_dir() and not (place / SUBMISSION_FILE).is_file():
                shutil.rmtree(place)
            whole.rename(place)
    except OSError as problem:
        if (place / SUBMISSION_FILE).is_file():
            return  # another command was faster with the same
        raise not_written(place, problem) from problem


def _require_own_place(out: Path, folder: Path) -> None:
    """InputError where a page would lie among the submissions instead of in a folder of its own."""
    place, board = out.resolve(), folder.resolve()
    if place == board or place.is_relative_to(board / SUBMISSIONS_FOLDER) or (place / RUN_FILE).exists():
        raise InputError(
            f"{out}: submissions lie there. Choose another folder for the page: --out {quote(str(folder / FOLDER))}"
        )


def _require_outside(folder: Path, run: Path) -> None:
    """InputError where submissions would lie in the run that they are made of."""
    if folder.resolve().is_relative_to(run.resolve()):
        raise InputError(f"{folder}: lies in the run {run}. Choose a folder of submissions outside of it.")


def _require_board(out: Path) -> None:
    """InputError where a file lies that no board made, and that the page or its CSV would replace."""
    for name, sign in ((BOARD_FILE, MADE_BY), (CSV_FILE, ",".join(list(BOARD_COLUMNS)[:2]))):
        file = out / name
        if file.exists() and not (file.is_file() and sign in file.read_text(encoding="utf-8", errors="replace")):
            raise InputError(
                f"{file}: was not made by `{MADE_BY}`, and would be replaced. Choose another folder for the page, or "
                "add --force."
            )


def _require_known(hidden: Sequence[str], tasks: Sequence[str]) -> None:
    """InputError for a hidden task that is none: its answers would be said to be public."""
    known = [*tasks, *(each.name for each in list_tasks())]
    for task in hidden:
        if task not in known:
            raise InputError(f'--hidden: there is no task "{task}"{nearest(task, known)}. Correct the name.')


def _gathered(folder: Path) -> Gathered:
    """The submissions below a folder; InputError where there are none."""
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "there is no such folder"
        raise InputError(f"{folder}: {what}. Name the folder of a board.")
    found = gathered(folder)
    if not found.folders:
        form = f"{SUBMISSIONS_FOLDER}/BENCHMARK/SYSTEM/…/{SUBMISSION_FILE}"
        wanted = f"Expected: {form}, as `musebench submit` writes them."
        raise InputError(Problem("no submission lies there.", wanted, place=str(folder)), *found.strays)
    return found


def _entry(checked: CheckedSubmission, folder: Path, errata: Sequence[Erratum], came: Mapping[str, int]) -> Entry:
    place = checked.folder.relative_to(folder).as_posix()
    asked_on = checked.config.benchmark.data_sha256
    # The first sixty of sixty items are all of them, whatever they are called.
    selection = None if checked.data.is_whole else checked.card.selection
    card = checked.card.model_copy(update={"selection": selection, "benchmark": checked.data.benchmark.name})
    return Entry(
        place=place,
        task=checked.data.task,
        config=checked.config,
        submission=checked.submission,
        stored=checked.stored,
        card=card,
        items=checked.data.items,
        references=checked.data.references,
        predictions=checked.predictions,
        data_version=checked.data.benchmark.version,
        errata=tuple(each for each in errata if each.from_data_sha256 == asked_on),
        arrived=came.get(place),
    )


def _unseen(file: Path, published: Sequence[PublishedRow], entries: Sequence[Entry]) -> Iterator[str]:
    """The published rows that no table shows."""
    tasks = [each.card.task for each in entries]
    for number, row in enumerate(published, start=1):
        place = f"{file}, row {number} ({row.system})"
        yield from _not_handed_in(place, [row.task], tasks)
        if row.task in tasks and not any(belongs(row, each) for each in entries):
            track = f" on the track {row.track}" if row.track else ""
            yield f"{place}: no submission is of all items of {row.task}{track} with all of the sound: it is not shown."


def _not_handed_in(place: str, wanted: Sequence[str], there: Sequence[str]) -> Iterator[str]:
    for task in wanted:
        if task not in there:
            yield f'{place}: there is no submission of the task "{task}"{nearest(task, there)}.'


def _published(folder: Path, own: Mapping[str, TaskConfig]) -> tuple[PublishedRow, ...]:
    file = folder / PUBLISHED_FILE
    return read_published(file, own) if file.is_file() else ()
