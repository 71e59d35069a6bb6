"""All figures of one task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from musebench_tasks.pages.figures import Figure
from musebench_tasks.reports.answers import TaskAnswers
from musebench_tasks.reports.figures.choice import option_count_figure, position_figure, set_figure
from musebench_tasks.reports.figures.conditions import condition_figure, status_figure
from musebench_tasks.reports.figures.material import Material, make_material
from musebench_tasks.reports.figures.music import key_figure, segment_figure, tempo_figure
from musebench_tasks.reports.figures.profile import profile_figures
from musebench_tasks.reports.figures.seconds import seconds_figure
from musebench_tasks.reports.runs import Part

FIGURES: tuple[Callable[[Material], Iterator[Figure]], ...] = (
    profile_figures,
    set_figure,
    option_count_figure,
    position_figure,
    tempo_figure,
    key_figure,
    segment_figure,
    seconds_figure,
    condition_figure,
    status_figure,
)
"""In the order of the page."""


def make_figures(answers: TaskAnswers | None, parts: Sequence[Part]) -> tuple[Figure, ...]:
    """The figures of a task, each only where its data exist.

    `answers` None: what the scorecards of `parts` alone allow. Systems that were asked other items, on another track or
    with less of the sound than the first stand in no figure beside it.
    """
    if not parts:
        return ()
    material = make_material(answers, parts)
    return tuple(figure for figures in FIGURES for figure in figures(material))
