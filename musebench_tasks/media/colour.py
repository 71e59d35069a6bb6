"""One decoded frame to 8-bit RGB: range and matrix respected, transparency laid on white, HDR mapped to SDR.

HDR (PQ or HLG, BT.2020) is brought to BT.709 with reference white at 203 cd/m² (ITU-R BT.2408), rolled off above it
by Reinhard's extended curve with 1,000 cd/m² as the brightest level, and encoded with a 2.2 power.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BACKGROUND = 255
"""Grey level that transparent pixels are laid on."""
PQ, HLG = 16, 18
"""Transfer characteristics of HDR pictures (ITU-T H.273)."""
FULL_RANGE = 2
_REFERENCE_WHITE_NITS = 203.0
_PEAK_NITS = 1000.0
_BT2020_TO_BT709 = np.array(
    [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]], dtype=np.float32
)


def is_hdr(frame: Any) -> bool:
    """Whether a frame's transfer characteristic is PQ or HLG."""
    return int(frame.color_trc) in (PQ, HLG)


def has_alpha(frame: Any) -> bool:
    """Whether a frame carries transparency."""
    return any(component.is_alpha for component in frame.format.components)


def is_full_range(frame: Any) -> bool:
    """Whether a frame uses all code values (0 to 255), not the studio's 16 to 235."""
    return int(frame.color_range) == FULL_RANGE or frame.format.name.startswith("yuvj")


def to_rgb(frame: Any, width: int, height: int) -> NDArray[np.uint8]:
    """`frame` scaled to width and height as height x width x 3 bytes."""
    if is_hdr(frame):
        return tone_mapped(_reformatted(frame, width, height, "rgb48le"), int(frame.color_trc))
    if has_alpha(frame):
        return composited(_reformatted(frame, width, height, "rgba"))
    return _reformatted(frame, width, height, "rgb24")


def _reformatted(frame: Any, width: int, height: int, pixel_format: str) -> NDArray[Any]:
    source_range = FULL_RANGE if is_full_range(frame) else None
    scaled = frame.reformat(width=width, height=height, format=pixel_format, src_color_range=source_range)
    array: NDArray[Any] = scaled.to_ndarray()
    return array


def composited(rgba: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Pixels with transparency laid on the fixed background."""
    alpha = rgba[..., 3:].astype(np.uint16)
    mixed = (rgba[..., :3].astype(np.uint16) * alpha + BACKGROUND * (255 - alpha) + 127) // 255
    return mixed.astype(np.uint8)


def tone_mapped(rgb48: NDArray[np.uint16], transfer: int) -> NDArray[np.uint8]:
    """16-bit HDR code values of BT.2020 as 8-bit BT.709 (module docstring)."""
    signal = rgb48.astype(np.float32) / np.float32(65535.0)
    nits = _pq_to_nits(signal) if transfer == PQ else _hlg_to_nits(signal)
    light = np.maximum(nits @ _BT2020_TO_BT709.T, 0.0) / _REFERENCE_WHITE_NITS
    white = _PEAK_NITS / _REFERENCE_WHITE_NITS
    mapped = light * (1.0 + light / white**2) / (1.0 + light)
    encoded: NDArray[np.uint8] = (np.clip(mapped, 0.0, 1.0) ** (1 / 2.2) * 255.0 + 0.5).astype(np.uint8)
    return encoded


def _pq_to_nits(signal: NDArray[np.float32]) -> NDArray[np.float32]:
    """SMPTE ST 2084 inverse: code value 0..1 to cd/m²."""
    power = signal ** np.float32(1 / 78.84375)
    ratio = np.maximum(power - 0.8359375, 0.0) / (18.8515625 - 18.6875 * power)
    nits: NDArray[np.float32] = 10000.0 * ratio ** np.float32(1 / 0.1593017578125)
    return nits


def _hlg_to_nits(signal: NDArray[np.float32]) -> NDArray[np.float32]:
    """ARIB STD-B67 inverse with the 1.2 system gamma of a 1,000 cd/m² display (ITU-R BT.2100)."""
    scene = np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12)
    luminance = scene @ np.array([0.2627, 0.6780, 0.0593], dtype=np.float32)
    nits: NDArray[np.float32] = (_PEAK_NITS * luminance[..., None] ** 0.2 * scene).astype(np.float32)
    return nits
