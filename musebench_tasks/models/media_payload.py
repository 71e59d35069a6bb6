"""Decoded media as other programs read them: WAV files, data URLs. Same input, same bytes."""

from __future__ import annotations

import base64
import io
import wave
from typing import Any

import numpy as np


def wav_bytes(samples: Any, sample_rate: int) -> bytes:
    """Mono float samples in [-1, 1] as a 16-bit WAV file; what lies beyond is clipped."""
    values = np.clip(np.rint(np.asarray(samples, dtype=np.float64) * 32767), -32768, 32767).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(values.tobytes())
    return buffer.getvalue()


def data_url(content: bytes, mime_type: str) -> str:
    """`content` as a data URL."""
    return f"data:{mime_type};base64,{base64_text(content)}"


def base64_text(content: bytes) -> str:
    """`content` in base64."""
    return base64.b64encode(content).decode("ascii")
