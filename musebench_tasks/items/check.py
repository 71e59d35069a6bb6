"""Looks over the data of a task before anything is asked, and reports instead of raising."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.problems import Problem, Problems, lines, reason
from musebench_tasks.base.records import Kind, TaskConfig
from musebench_tasks.base.text import shown
from musebench_tasks.items.attach import is_link, media_of_rows
from musebench_tasks.items.display_names import place_called
from musebench_tasks.items.filters import kept, refuse_unmet
from musebench_tasks.items.load import BLIND, REFERENCES, config_table, media_column, read_gold
from musebench_tasks.items.locate import Location, local_directory, locate
from musebench_tasks.items.media_index import IndexedMedium
from musebench_tasks.items.nearest_file import NearestFiles
from musebench_tasks.items.rows import ReadItems, read_items
from musebench_tasks.items.tables import Table


class DataCheck(NamedTuple):
    """What lies where a task's data should be; all zero and empty where they are not on this machine."""

    items: int
    """Those that can be read and that the task's filter keeps."""
    single: int
    multi: int
    music: int
    media_found: int
    """Different media that hold something, wherever they lie. Whether it can be decoded shows in a run."""
    media_missing: list[str]
    """Paths inside the dataset's folder where no file lies; `problems` has a line for each."""
    media_linked: list[str]
    """Those where no file lies and the data say where it is to be fetched from: no problem."""
    problems: list[str]
    """One line each, in the order of the rows."""
    source: str | None
    """The folder or file that was read; None where the data are only on the Hub, or not placed yet."""


_NOTHING = DataCheck(0, 0, 0, 0, 0, [], [], [], None)


def check_data(task: TaskConfig) -> DataCheck:
    """Reads items, references and media of a task whose data are local (a folder, a file, a demo); never the Hub.

    Every row is looked at whole: a fault hides no other, and no medium that is not there.
    """
    problems: list[str] = []
    if _tried(problems, lambda: local_directory(task)) is None:
        return _NOTHING._replace(problems=problems)
    location = locate(task, (BLIND, REFERENCES), offline=True)
    return _tried(problems, lambda: _looked_over(task, location)) or _NOTHING._replace(
        problems=problems, source=location.source
    )


def _looked_over(task: TaskConfig, location: Location) -> DataCheck:
    problems, more = Problems(), list[str]()
    config, table = config_table(task, location, BLIND)
    read = read_items(task, location.benchmark, table, problems)
    _tried(more, lambda: read_gold(task, location, config, read, problems))
    found = _media(task, table, read, problems)
    nowhere = {where: medium.path or "" for where, medium in found.items() if medium.sha256 is None and medium.path}
    linked = {name for where, name in nowhere.items() if is_link(table.rows[where])}
    missing = {where: name for where, name in nowhere.items() if name not in linked}
    _add_missing(task, table, missing, problems)
    if not problems:
        _tried(more, lambda: refuse_unmet(task, [each.item for each in read.sound], table.called))
    items = [each.item for each in kept(task, read.sound)]
    if not items and not problems and not more:
        more.append(f"{table.called}: no row passes the filter of {task.task}. Correct the filter.")
    kinds = Counter(item.kind for item in items)
    return DataCheck(
        items=len(items),
        single=kinds[Kind.SINGLE],
        multi=kinds[Kind.MULTI],
        music=kinds[Kind.MUSIC],
        media_found=len({medium.sha256 for medium in found.values() if medium.sha256 is not None}),
        media_missing=sorted(set(missing.values())),
        media_linked=sorted(linked),
        problems=[*more, *_by_row(table, problems)],
        source=location.source,
    )


def _tried(problems: list[str], look: Callable[[], Any]) -> Any:
    """What `look` gives; None where it fails, and why is added to `problems` (once, if two say the same)."""
    try:
        return look()
    except (MuseError, OSError) as error:
        found = error.lines if isinstance(error, MuseError) else [reason(error)]
        problems += [line for line in found if line not in problems]
        return None


def _by_row(table: Table, problems: Problems) -> list[str]:
    """The lines of `problems`, all of a row together."""
    files = [table.shown(file) for file in dict.fromkeys(origin.file for origin in table.origins)]
    last = (len(files), 0)

    def row(problem: Problem) -> tuple[int, int]:
        return last if problem.row is None else (files.index(problem.place), problem.row)

    return lines(sorted(problems, key=row))


def _media(task: TaskConfig, table: Table, read: ReadItems, problems: Problems) -> dict[int, IndexedMedium]:
    """The media of the rows that the task asks, and of those that cannot be read."""
    column = media_column(task, table)
    if column is None:
        return {}
    faulty = {each.origin for each in read.faulty}
    positions = {position for position, origin in enumerate(table.origins) if origin in faulty}
    positions |= {each.position for each in kept(task, read.sound)}
    return media_of_rows(table, column, sorted(positions), (), problems)


def _add_missing(task: TaskConfig, table: Table, missing: Mapping[int, str], problems: Problems) -> None:
    """A line for each file that is not there, where the first row names it."""
    rows: dict[str, list[int]] = {}
    for position, name in missing.items():
        rows.setdefault(name, []).append(position)
    files = NearestFiles(table.directory)
    where = place_called(table.called)
    for name, naming in rows.items():
        more = len(naming) - 1
        also = f" ({more} more row{' names' if more == 1 else 's name'} it)" if more else ""
        found = f"no file {shown(name)} lies in {where}{files.hint(name)}{also}."
        problem = Problem(found, "Put it there, or correct the name.", "MEDIUM_UNUSABLE")
        problems.add(table.placed(naming[0], problem, media_column(task, table)))
