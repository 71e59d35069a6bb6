import io
import wave

import numpy as np

from musebench_tasks.media.wav import encode_wav


def samples(data):
    with wave.open(io.BytesIO(data)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").tolist()


def test_sound_within_full_scale_keeps_its_level():
    assert samples(encode_wav(np.array([0.0, 0.5, -1.0]), 8000)) == [0, 16384, -32767]


def test_sound_beyond_full_scale_is_scaled_and_never_clipped():  # faults_media.md m16
    assert samples(encode_wav(np.array([0.5, -2.0, 1.0]), 8000)) == [8192, -32767, 16384]
