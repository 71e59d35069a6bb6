"""published.yaml beside a board: numbers of papers, which nobody can check here beyond their form and range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Location
from musebench_tasks.base.records import Published, PublishedRow, TaskConfig
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.evaluation.metrics.registry import number_of
from musebench_tasks.evaluation.strict_files import first_problems, metric_names, yaml_problems
from musebench_tasks.tasks import is_path, list_tasks, load_task
from musebench_tasks.tasks.yaml_tree import read_file


def read_published(path: Path, own: Mapping[str, TaskConfig] | None = None) -> tuple[PublishedRow, ...]:
    """The rows of a published.yaml; InputError lists by line and field all that no table could show.

    `own`: tasks that are not known here by name.
    """
    problems = yaml_problems(path, Published)
    if problems:
        raise InputError("\n".join(problems))
    tree = read_file(path)
    rows = Published.model_validate(tree.plain()).published
    found = [tree.problem(words, "published", *location).text for location, words in _problems(rows, own or {})]
    if found:
        raise InputError("\n".join(first_problems(found)))
    return rows


Problems = Iterator[tuple[Location, str]]
"""Place below `published`, and what is wrong there."""


def _problems(rows: tuple[PublishedRow, ...], own: Mapping[str, TaskConfig]) -> Problems:
    known = [*own, *(each.name for each in list_tasks() if each.kind == "task")]
    first: dict[tuple[str, str | None, str], int] = {}
    for place, row in enumerate(rows):
        if row.task not in known or is_path(row.task):
            hint = f"{nearest(row.task, known)}. Correct the name; one of your own: --task FILE"
            yield (place, "task"), f"there is no task {shown(row.task)}{hint}."
        else:
            yield from (((place, *location), words) for location, words in _row(row, own))
        before = first.setdefault((row.task, row.track, row.system), place)
        if before != place:
            yield (place, "system"), f"{shown(row.system)} stands in entry {before + 1} already. Keep one of the two."


def _row(row: PublishedRow, own: Mapping[str, TaskConfig]) -> Problems:
    task = own.get(row.task) or load_task(row.task)
    tracks = list(dict.fromkeys([task.track_with(()), task.track_with(("any",))]))
    if row.track not in tracks:
        yield ("track",), f"should be {' or '.join(map(shown, tracks))} on {row.task}, found {shown(row.track)}."
    known = metric_names()
    for metric, value in row.scores.items():
        if metric not in known:
            yield ("scores", metric), f"is no metric{nearest(metric, known)}."
            continue
        low, high = number_of(metric).bounds
        if not low <= value <= high:
            percent = " Write shares, not percent." if high < value <= 100 else ""
            yield ("scores", metric), f"should be from {low:g} to {high:g}, found {shown(value)}.{percent}"
    if not row.scores:
        yield ("scores",), "should not be empty."
