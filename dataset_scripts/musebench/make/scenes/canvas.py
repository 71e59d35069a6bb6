"""Flat shapes with smooth edges: drawn at twice the size with Pillow, averaged to a layer of light-free colours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from dataset_scripts.musebench.make.scenes.scene import HEIGHT, WIDTH, Frame

Plane = npt.NDArray[np.float32]
"""HxW or HxWx3, 0 to 1 (light may exceed 1)."""
Point = tuple[float, float]
Colour = tuple[float, float, float]
"""Red, green, blue, 0 to 1."""
SCALE = 2


def hexed(text: str) -> Colour:
    """A colour from six hex digits."""
    return (int(text[0:2], 16) / 255, int(text[2:4], 16) / 255, int(text[4:6], 16) / 255)


def blend(first: Colour, second: Colour, share: float) -> Colour:
    """The colour `share` of the way from the first to the second."""
    red, green, blue = (a + (b - a) * share for a, b in zip(first, second, strict=True))
    return (red, green, blue)


def tinted(colour: Colour, factor: float) -> Colour:
    """A lighter (factor above 1) or darker colour."""
    return (colour[0] * factor, colour[1] * factor, colour[2] * factor)


@dataclass(frozen=True)
class Layer:
    """Colours already multiplied by coverage, and the coverage."""

    rgb: Plane
    alpha: Plane


class Canvas:
    """A transparent sheet of the picture's size; coordinates are pixels of the finished picture."""

    def __init__(self, zoom: float = 1.0, offset: Point = (0.0, 0.0)) -> None:
        """`zoom` and `offset` move a camera: a world point p is drawn at (p - offset) * zoom."""
        self._image = Image.new("RGBA", (WIDTH * SCALE, HEIGHT * SCALE), (0, 0, 0, 0))
        self._draw = ImageDraw.Draw(self._image)
        self._zoom, self._offset = zoom * SCALE, offset

    def _placed(self, points: Sequence[Point]) -> list[Point]:
        left, top = self._offset
        return [((x - left) * self._zoom, (y - top) * self._zoom) for x, y in points]

    @staticmethod
    def _ink(colour: Colour) -> tuple[int, int, int, int]:
        red, green, blue = (min(max(round(part * 255), 0), 255) for part in colour)
        return (red, green, blue, 255)

    def fill(self, colour: Colour) -> None:
        """Cover the whole sheet."""
        self._draw.rectangle((0, 0, WIDTH * SCALE, HEIGHT * SCALE), fill=self._ink(colour))

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """A filled polygon."""
        self._draw.polygon(self._placed(points), fill=self._ink(colour))

    def box(self, left: float, top: float, right: float, bottom: float, colour: Colour, radius: float = 0.0) -> None:
        """A rectangle, with rounded corners where `radius` is given."""
        if right <= left or bottom <= top:
            return
        (x0, y0), (x1, y1) = self._placed([(left, top), (right, bottom)])
        self._draw.rounded_rectangle((x0, y0, x1 - 1, y1 - 1), radius * self._zoom, fill=self._ink(colour))

    def disc(self, centre: Point, radius: float, colour: Colour, flat: float = 1.0) -> None:
        """A circle, or an ellipse whose height is `flat` of its width."""
        ((x, y),) = self._placed([centre])
        across, down = radius * self._zoom, radius * flat * self._zoom
        self._draw.ellipse((x - across, y - down, x + across, y + down), fill=self._ink(colour))

    def limb(self, start: Point, end: Point, start_radius: float, end_radius: float, colour: Colour) -> None:
        """A tapered rod with round ends."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = math.hypot(dx, dy) or 1.0
        nx, ny = -dy / length, dx / length
        self.polygon(
            [
                (start[0] + nx * start_radius, start[1] + ny * start_radius),
                (end[0] + nx * end_radius, end[1] + ny * end_radius),
                (end[0] - nx * end_radius, end[1] - ny * end_radius),
                (start[0] - nx * start_radius, start[1] - ny * start_radius),
            ],
            colour,
        )
        self.disc(start, start_radius, colour)
        self.disc(end, end_radius, colour)

    def line(self, points: Sequence[Point], width: float, colour: Colour) -> None:
        """A line through points with round joints."""
        placed = self._placed(points)
        self._draw.line(placed, fill=self._ink(colour), width=max(1, round(width * self._zoom)), joint="curve")

    def layer(self) -> Layer:
        """What has been drawn."""
        values = np.asarray(self._image.reduce(SCALE), dtype=np.float32) / np.float32(255)
        alpha = np.ascontiguousarray(values[..., 3])
        return Layer(values[..., :3] * alpha[..., None], alpha)


class Picture:
    """Layers under light, laid one over another."""

    def __init__(self, colour: Colour = (0.0, 0.0, 0.0)) -> None:
        self.rgb: Plane = np.broadcast_to(np.array(colour, np.float32), (HEIGHT, WIDTH, 3)).copy()

    def put(self, layer: Layer, light: Plane | float = 1.0, opacity: float = 1.0) -> None:
        """Lay a layer on top, its colours times `light` (HxWx3, HxW or a number)."""
        lit = layer.rgb * (light[..., None] if isinstance(light, np.ndarray) and light.ndim == 2 else light)
        share = np.float32(opacity)
        self.rgb *= (1 - layer.alpha * share)[..., None]
        self.rgb += lit if opacity == 1.0 else lit * share

    def glow(self, mask: Plane, colour: Colour, strength: float = 1.0) -> None:
        """Add light in the air: never beyond white."""
        rows, columns = np.flatnonzero(mask.max(axis=1)), np.flatnonzero(mask.max(axis=0))
        if not len(rows) or strength == 0:
            return
        window = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
        below = self.rgb[window]
        added = mask[window][..., None] * (np.array(colour, np.float32) * np.float32(strength))
        self.rgb[window] = below + added * np.clip(1 - below, 0, 1)

    def shade(self, mask: Plane, strength: float = 1.0, colour: Colour = (0.0, 0.0, 0.0)) -> None:
        """Draw the picture towards a colour where the mask is 1."""
        share = (mask * np.float32(strength))[..., None]
        self.rgb = self.rgb * (1 - share) + share * np.array(colour, np.float32)

    def frame(self) -> Frame:
        """The finished picture."""
        return np.asarray(np.clip(self.rgb * 255 + 0.5, 0, 255), dtype=np.uint8)
