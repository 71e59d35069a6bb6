"""A picture file as one upright 8-bit RGB frame. Runs in the decode process."""

from __future__ import annotations

import re
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.problems import reason
from musebench_tasks.media.colour import composited
from musebench_tasks.media.geometry import MAX_SOURCE_PIXELS, fitted_size, refuse_unfit_size
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.media.video import BLACK_LEVEL, EncodedFrames

_EXIF_ORIENTATION = 0x0112


def decode_picture(path: str, name: str, max_pixels: int | None) -> EncodedFrames:
    """The one frame of a picture file."""
    pixels, flags = upright_rgb(path, name)
    height, width = pixels.shape[:2]
    size = fitted_size(width, height, max_pixels)
    if size != (width, height):
        pixels = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BOX), dtype=np.uint8)
    if int(pixels.max()) <= BLACK_LEVEL:
        flags.append("black")
    return EncodedFrames([encode_jpeg(pixels)], [0.0], 1, "picture", tuple(flags))


def upright_rgb(path: str, name: str) -> tuple[NDArray[np.uint8], list[str]]:
    """The pixels of a picture file, upright, and what is unusual about it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(path)
    except Image.DecompressionBombError as error:
        found = next(iter(re.findall(r"\d+", reason(error))), "too many")
        raise MediaError(
            "pixel_limit", f"{name}: {found} pixels, at most {MAX_SOURCE_PIXELS} are decoded. Scale it down."
        ) from error
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise MediaError("unreadable", f"{name}: no reader opens the picture ({reason(error)}).") from error
    with image:
        refuse_unfit_size(*image.size, name)
        if (pictures := getattr(image, "n_frames", 1)) > 1:
            raise MediaError("animated", f"{name}: an animation of {pictures} frames, not a picture.")
        try:
            image.load()
        except (OSError, SyntaxError, ValueError) as error:
            raise MediaError("corrupt", f"{name}: the picture ends early or is damaged ({reason(error)}).") from error
        flags = [f"rotation: exif {turn}"] if (turn := image.getexif().get(_EXIF_ORIENTATION, 1)) != 1 else []
        return _eight_bit(ImageOps.exif_transpose(image), flags), flags


def _eight_bit(image: Image.Image, flags: list[str]) -> NDArray[np.uint8]:
    if image.mode.startswith("I") or image.mode == "F":
        flags.append("bit_depth: 16")
        gray = np.clip(np.rint(np.asarray(image).astype(np.float64) / 257.0), 0, 255).astype(np.uint8)
        return np.repeat(gray[..., None], 3, axis=2)
    if image.has_transparency_data:
        flags.append("alpha")
        return composited(np.asarray(image.convert("RGBA"), dtype=np.uint8))
    if image.mode == "CMYK":
        flags.append("cmyk")
    return np.asarray(image.convert("RGB"), dtype=np.uint8)
