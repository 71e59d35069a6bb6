"""Frames as JPEG of quality 95 without chroma subsampling: what the cache keeps and every run reads back.

Decoded pixels are held a while, for conditions and questions that share a window. Everyone gets arrays of their own,
so that what a model does to its frames stays with it.
"""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from musebench_tasks.media.cache import Part

HELD_BYTES = 1 << 28
"""Bytes of pixels that a process holds at most."""

_held: OrderedDict[str, NDArray[np.uint8]] = OrderedDict()
_lock = threading.Lock()


def encode_jpeg(pixels: NDArray[np.uint8]) -> bytes:
    """Height x width x 3 bytes as a JPEG file."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=95, subsampling=0)
    return buffer.getvalue()


def decode_jpeg(data: bytes | memoryview) -> NDArray[np.uint8]:
    """A JPEG file as height x width x 3 bytes."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image, dtype=np.uint8)


def frames_in_order(key: str, jpegs: Sequence[Part], order: Sequence[int]) -> NDArray[np.uint8]:
    """The pictures of the entry `key` at the positions `order`, as an array of the caller's own."""
    with _lock:
        pixels = _held.get(key)
        if pixels is not None:
            _held.move_to_end(key)
    if pixels is not None:
        return pixels[list(order)]
    all_wanted = sorted(set(order)) == list(range(len(jpegs)))
    if not all_wanted or decode_jpeg(jpegs[0]).nbytes * len(jpegs) > HELD_BYTES // 2:
        return stacked(jpegs, order)
    made = stacked(jpegs, range(len(jpegs)))
    with _lock:
        _held[key] = made
        while sum(each.nbytes for each in _held.values()) > HELD_BYTES:
            _held.popitem(last=False)
    return made[list(order)]


def stacked(jpegs: Sequence[Part], order: Sequence[int]) -> NDArray[np.uint8]:
    """The pictures in `order`, each decoded straight to its place: two hours of frames are held once."""
    first = decode_jpeg(jpegs[order[0]])
    pixels = np.empty((len(order), *first.shape), dtype=np.uint8)
    for place, position in enumerate(order):
        same = place > 0 and position == order[place - 1]
        pixels[place] = pixels[place - 1] if same else decode_jpeg(jpegs[position])
    return pixels
