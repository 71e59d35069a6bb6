"""published.yaml beside a board: numbers of papers, which nobody can check here beyond their form and range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Published, PublishedRow, TaskConfig
from musebench_tasks.base.strict_text import first_problems
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.evaluation.files import metric_names
from musebench_tasks.evaluation.metrics.registry import number_of
from musebench_tasks.tasks import is_path, list_tasks, load_task
from musebench_tasks.tasks.schema import record_of, strict_tree


def read_published(path: Path, own: Mapping[str, TaskConfig] | None = None) -> tuple[PublishedRow, ...]:
    """The rows of a published.yaml; InputError lists by line and field all that no table could show.

    `own`: tasks that are not known here by name.
    """
    tree = strict_tree(path)
    rows = record_of(tree, Published).published
    found = first_problems(tree.placed(each.below("published")) for each in _problems(rows, own or {}))
    if found:
        raise InputError(*found)
    return rows


def _problems(rows: tuple[PublishedRow, ...], own: Mapping[str, TaskConfig]) -> Iterator[Problem]:
    known = [*own, *(each.name for each in list_tasks() if each.kind == "task")]
    first: dict[tuple[str, str | None, str], int] = {}
    for place, row in enumerate(rows):
        if row.task not in known or is_path(row.task):
            found = f"there is no task {shown(row.task)}{nearest(row.task, known)}."
            yield Problem(found, "Correct the name; one of your own: --task FILE.", location=(place, "task"))
        else:
            yield from (each.below(place) for each in _row(row, own))
        before = first.setdefault((row.task, row.track, row.system), place)
        if before != place:
            found = f"{shown(row.system)} stands in entry {before + 1} already."
            yield Problem(found, "Keep one of the two.", location=(place, "system"))


def _row(row: PublishedRow, own: Mapping[str, TaskConfig]) -> Iterator[Problem]:
    task = own.get(row.task) or load_task(row.task)
    tracks = list(dict.fromkeys([task.track_with(()), task.track_with(("any",))]))
    if row.track not in tracks:
        wanted = " or ".join(map(shown, tracks))
        yield Problem(f"should be {wanted} on {row.task}, found {shown(row.track)}.", location=("track",))
    known = metric_names()
    for metric, value in row.scores.items():
        if metric not in known:
            yield Problem(f"is no metric{nearest(metric, known)}.", location=("scores", metric))
            continue
        low, high = number_of(metric).bounds
        if not low <= value <= high:
            advice = "Write shares, not percent." if high < value <= 100 else ""
            found = f"should be from {low:g} to {high:g}, found {shown(value)}."
            yield Problem(found, advice, location=("scores", metric))
    if not row.scores:
        yield Problem("should not be empty.", location=("scores",))
