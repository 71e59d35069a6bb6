"""Frames as JPEG of quality 95 without chroma subsampling: what the cache keeps and every run reads back."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def encode_jpeg(pixels: NDArray[np.uint8]) -> bytes:
    """Height x width x 3 bytes as a JPEG file."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=95, subsampling=0)
    return buffer.getvalue()


def decode_jpeg(data: bytes | memoryview) -> NDArray[np.uint8]:
    """A JPEG file as height x width x 3 bytes."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image, dtype=np.uint8)
