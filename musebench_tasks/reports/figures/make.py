"""All figures of one task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from musebench_tasks.pages.figures import Figure, clean
from musebench_tasks.reports.answers import TaskAnswers
from musebench_tasks.reports.figures.choice import option_count_figure, position_figure, set_figure
from musebench_tasks.reports.figures.conditions import condition_figure, status_figure
from musebench_tasks.reports.figures.material import Material, listed, make_material
from musebench_tasks.reports.figures.music import key_figure, segment_figure, tempo_figure
from musebench_tasks.reports.figures.profile import profile_figures
from musebench_tasks.reports.figures.seconds import seconds_figure
from musebench_tasks.reports.runs import Part
from musebench_tasks.reports.tables import comparable, system_name

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
    with less of the sound than the largest group (the first of equal ones) stand in no figure; captions name them.
    """
    if not parts:
        return ()
    material = make_material(answers, parts)
    absent = _absent(material, parts)
    return tuple(
        replace(figure, caption=f"{figure.caption}{absent}") for figures in FIGURES for figure in figures(material)
    )


def _absent(material: Material, parts: Sequence[Part]) -> str:
    """Which systems stand in no figure, and what they were asked; empty where all do."""
    drawn = [system.card for system in material.systems]
    groups = [(cards, terms) for cards, terms in comparable(part.card for part in parts) if cards[0] not in drawn]
    names = [f"{listed([clean(system_name(card)) for card in cards])} ({clean(terms)})" for cards, terms in groups]
    return f" Not in the figures, asked other items or on other terms: {'; '.join(names)}." if names else ""
