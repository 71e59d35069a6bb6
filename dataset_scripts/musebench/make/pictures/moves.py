"""A view that moves over a picture: hold, pan, push in, pull back, between views given at times.

Cropping and scaling are Pillow's, which works in integers: the same frames on every machine.
"""

import io
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from PIL import Image

from musebench_tasks.base.records.base import Record

Pixels = npt.NDArray[np.uint8]
MARGIN = 0.5
"""How far a view may reach over the picture's edges, in widths of the picture."""
SURROUND = (18, 18, 20)
"""What lies beyond the edges: the colour of a dark wall."""


class View(Record):
    """What the frame shows at a time; between two views it glides, starting and stopping softly."""

    at_s: float
    x: float
    """Centre, in widths of the picture from its left edge."""
    y: float
    """Centre, in heights of the picture from its upper edge."""
    width: float
    """Width of the view, in widths of the picture."""


def open_picture(encoded: bytes) -> Pixels:
    """The pixels of an image file as RGB."""
    with Image.open(io.BytesIO(encoded)) as image:
        return np.asarray(image.convert("RGB"))


def moved_views(
    picture: Pixels, views: Sequence[View], count: int, frame_rate: int, size: tuple[int, int]
) -> Iterator[Pixels]:
    """`count` frames of `size` (width, height) under the moving view."""
    height, width = picture.shape[:2]
    margin = round(MARGIN * width)
    canvas = Image.new("RGB", (width + 2 * margin, height + 2 * margin), SURROUND)
    canvas.paste(Image.fromarray(picture), (margin, margin))
    for index in range(count):
        x, y, share = view_at(views, index / frame_rate)
        half_width = share * width / 2
        half_height = half_width * size[1] / size[0]
        middle_x, middle_y = margin + x * width, margin + y * height
        box = (middle_x - half_width, middle_y - half_height, middle_x + half_width, middle_y + half_height)
        yield np.asarray(canvas.resize(size, Image.Resampling.LANCZOS, box=box))


def view_at(views: Sequence[View], time_s: float) -> tuple[float, float, float]:
    """Centre and width of the view at a time; the first view holds before its time, the last one after it."""
    if time_s <= views[0].at_s:
        return views[0].x, views[0].y, views[0].width
    for before, after in pairwise(views):
        if time_s < after.at_s:
            share = (time_s - before.at_s) / (after.at_s - before.at_s)
            eased = share * share * (3 - 2 * share)
            return (
                before.x + eased * (after.x - before.x),
                before.y + eased * (after.y - before.y),
                before.width * (after.width / before.width) ** eased,
            )
    return views[-1].x, views[-1].y, views[-1].width
