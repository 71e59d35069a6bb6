"""All figures of one task."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.pages.figures import Figure
from musebench_tasks.reports.answers import TaskAnswers
from musebench_tasks.reports.figures.material import make_material
from musebench_tasks.reports.figures.profile import profile_figures
from musebench_tasks.reports.runs import Part


def make_figures(answers: TaskAnswers | None, parts: Sequence[Part]) -> tuple[Figure, ...]:
    """The figures of a task, each only where its data exist.

    `answers` None: what the scorecards of `parts` alone allow. Systems that were asked other items, on another track or
    with less of the sound than the first stand in no figure beside it.
    """
    if not parts:
        return ()
    material = make_material(answers, parts)
    return (*profile_figures(material),)
