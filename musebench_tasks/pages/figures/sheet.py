"""The paper that figures are drawn on: Matplotlib without its global state, measured in points from the top left."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from musebench_tasks.pages.figures.look import AXIS, GRID, INK, QUIET, SMALL, TEXT, WIDTH, Figure, Words
from musebench_tasks.pages.figures.svg import to_figure
from musebench_tasks.pages.text import fit, value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS_PER_INCH = 72
_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SETTINGS = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    "hatch.linewidth": 0.7,
    "lines.linewidth": 1.5,
    "axes.unicode_minus": True,
    "path.simplify": False,
}


class Sheet:
    """One figure in the making."""

    def __init__(self, height: float, prefix: str) -> None:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure as Drawing

        self.height = height
        self._prefix = prefix
        self._drawing = Drawing(figsize=(WIDTH / _POINTS_PER_INCH, height / _POINTS_PER_INCH))
        self._drawing.patch.set_visible(False)
        FigureCanvasSVG(self._drawing)

    def axes(self, left: float, top: float, right: float, bottom: float) -> Axes:
        """Axes whose frame leaves these many points free on each side; calm, without frame."""
        width, height = WIDTH - left - right, self.height - top - bottom
        made = self._drawing.add_axes((left / WIDTH, bottom / self.height, width / WIDTH, height / self.height))
        made.patch.set_visible(False)
        for side, spine in made.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(AXIS)
            spine.set_linewidth(0.8)
        made.tick_params(color=AXIS, labelcolor=QUIET, labelsize=SMALL, length=3, width=0.8)
        made.set_axisbelow(True)
        return made

    def blank(self, left: float = 0.0, top: float = 0.0, right: float = 0.0, bottom: float = 0.0) -> Axes:
        """Axes of nothing but paper, one unit a point, y upwards from the lower edge."""
        made = self.axes(left, top, right, bottom)
        made.set_axis_off()
        made.set_xlim(0, WIDTH - left - right)
        made.set_ylim(0, self.height - top - bottom)
        return made

    def finish(self, words: Words) -> Figure:
        """The figure, drawn."""
        written = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Type", "Format"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # Letters that the measuring font lacks: the page's has them.
            self._drawing.savefig(written, format="svg", metadata=nothing)
        return to_figure(written.getvalue(), words, self._prefix)


@contextmanager
def sheet(height: float, prefix: str) -> Iterator[Sheet]:
    """A sheet of this height in points; `prefix` begins every id of the figure."""
    import matplotlib

    with matplotlib.rc_context({**_SETTINGS, "svg.hashsalt": prefix}):
        yield Sheet(height, prefix)


def clean(name: str) -> str:
    """A foreign name on one line, without what no drawing can hold or what turns the text after it around."""
    return " ".join(_TURNS.sub("\ufffd", fit(name)).split())


def write(axes: Axes, x: float, y: float, text: str, **more: Any) -> None:
    """Text at a place of the data, in ink unless told otherwise; never cut at the axes' edge."""
    axes.text(x, y, text, **{"color": INK, "fontsize": SMALL, "va": "center", "clip_on": False, **more})


def block(axes: Axes, left: float, middle: float, width: float, height: float, **style: Any) -> None:
    """A rectangle in the data's units, centred on `middle`; quicker than Matplotlib's bars, which also fit the axes."""
    from matplotlib.patches import Rectangle

    axes.add_artist(Rectangle((left, middle - height / 2), width, height, clip_on=False, **style))


def scale(axes: Axes, which: str, low: float, high: float, ticks: Sequence[float] = (), *, digits: int = 1) -> None:
    """The value axis `which` ("x" or "y") from `low` to `high` with a light grid and numbers as pages write them."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    places = list(ticks) or steps(low, high)
    axis.set_ticks(places, [value_text(each, digits) for each in places])
    axis.grid(visible=True, color=GRID, linewidth=0.8)


def steps(low: float, high: float, most: int = 6) -> list[float]:
    """Round places between `low` and `high`, both included where they are round, at most `most`."""
    sizes = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
    size = next((each for each in sizes if (high - low) / each <= most - 1 + 1e-9), sizes[-1])
    numbers = range(math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9) + 1)
    return [round(number * size, 6) for number in numbers]
