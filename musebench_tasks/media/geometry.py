"""How large a picture is shown: pixel shape respected, budget kept, aspect kept. All rounding of sizes is here."""

import math
from fractions import Fraction

from musebench_tasks.base.errors import MediaError

MAX_ASPECT = 200
"""Longest side over shortest; above it, resizing rules of vision models leave their limits (faults_media.md m20)."""
MAX_SOURCE_PIXELS = 89_478_485
"""Pixels of a stored picture or frame; a quarter of a gigabyte as RGB, where Pillow starts to warn."""


def display_size(width: int, height: int, pixel_aspect: Fraction | None) -> tuple[int, int]:
    """Width and height with square pixels: the width is stretched by the pixels' aspect."""
    return max(1, round(width * pixel_aspect)) if pixel_aspect else width, height


def fitted_size(width: int, height: int, max_pixels: int | None) -> tuple[int, int]:
    """The largest size of the same aspect that holds at most `max_pixels`; never larger than it was."""
    if max_pixels is None or width * height <= max_pixels:
        return width, height
    scale = math.sqrt(max_pixels / (width * height))
    return max(1, math.floor(width * scale)), max(1, math.floor(height * scale))


def refuse_unfit_size(width: int, height: int, name: str) -> None:
    """Raise `pixel_limit` or `aspect_limit` for sizes that no model is asked with."""
    if width * height > MAX_SOURCE_PIXELS:
        raise MediaError(
            "pixel_limit", f"{name}: {width} x {height} pixels, at most {MAX_SOURCE_PIXELS} are decoded. Scale it down."
        )
    if max(width, height) > MAX_ASPECT * min(width, height):
        raise MediaError("aspect_limit", f"{name}: {width} x {height} pixels is beyond {MAX_ASPECT}:1.")
