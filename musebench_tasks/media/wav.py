"""Sound as a mono 16-bit WAV file without any tag: what a model gets that takes files. Same samples, same bytes."""

import io
import wave
from typing import Any

import numpy as np
from numpy.typing import NDArray


def encode_wav(samples: NDArray[Any], sample_rate: int) -> bytes:
    """Mono float samples as a WAV file; what is beyond full scale is scaled to it, never clipped (faults_media.md)."""
    wanted = np.asarray(samples, dtype=np.float64)
    peak = float(np.abs(wanted).max(initial=0.0))
    scaled = np.rint(wanted * (32767.0 / max(1.0, peak))).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(scaled.tobytes())
    return buffer.getvalue()
