"""Drawings of a report: from small typed data to one SVG each. Matplotlib is imported only when something is drawn."""

from musebench_tasks.pages.figures.data import Line, LinePlot, Panel, Profile, Role, Stack, Stacks, Value
from musebench_tasks.pages.figures.figure import Figure, Words
from musebench_tasks.pages.figures.lines import draw_lines
from musebench_tasks.pages.figures.profile import draw_bars
from musebench_tasks.pages.figures.radar import draw_radar

__all__ = [
    "Figure",
    "Line",
    "LinePlot",
    "Panel",
    "Profile",
    "Role",
    "Stack",
    "Stacks",
    "Value",
    "Words",
    "draw_bars",
    "draw_lines",
    "draw_radar",
]
