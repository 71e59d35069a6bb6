"""Drawings of a report: from small typed data to one SVG each. Matplotlib is imported only when something is drawn."""

from musebench_tasks.pages.figures.changes import draw_changes
from musebench_tasks.pages.figures.data import (
    Change,
    Changes,
    Circle,
    Line,
    LinePlot,
    Panel,
    Profile,
    Recording,
    Role,
    Spot,
    Stack,
    Stacks,
    Stretch,
    Track,
    Value,
)
from musebench_tasks.pages.figures.fifths import draw_circles
from musebench_tasks.pages.figures.lines import draw_lines
from musebench_tasks.pages.figures.look import Figure, Words
from musebench_tasks.pages.figures.profile import draw_bars
from musebench_tasks.pages.figures.radar import draw_radar
from musebench_tasks.pages.figures.sheet import clean
from musebench_tasks.pages.figures.square import draw_square
from musebench_tasks.pages.figures.stacks import draw_stacks
from musebench_tasks.pages.figures.timelines import draw_timelines

__all__ = [
    "Change",
    "Changes",
    "Circle",
    "Figure",
    "Line",
    "LinePlot",
    "Panel",
    "Profile",
    "Recording",
    "Role",
    "Spot",
    "Stack",
    "Stacks",
    "Stretch",
    "Track",
    "Value",
    "Words",
    "clean",
    "draw_bars",
    "draw_changes",
    "draw_circles",
    "draw_lines",
    "draw_radar",
    "draw_square",
    "draw_stacks",
    "draw_timelines",
]
