"""dsp on a file, through the media room."""

import hashlib
import json
import wave

import numpy as np
import pytest
from fakes.media_group import make_request
from fakes.synthetic_music import RATE, song

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, MediaPart, MediaSource, Modality
from musebench_tasks.media import MediaCache, MediaGroup
from musebench_tasks.models import load_model


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("audio") / "song.wav"
    samples = np.round(song(7, "major", 112.0, "4/4", 20) * 20_000).clip(-32768, 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return MediaSource(path=str(path), sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def answer(recording, cache, condition=Condition.FULL):
    model = load_model("dsp")
    part = MediaPart(modality=Modality.AUDIO, source=recording, condition=condition)
    request = make_request(condition=condition, parts=(part,), audio_route="native", media_s=20.0)
    (response,) = model.answer(MediaGroup((request,), model.limits, cache))
    return response


def test_a_recording_is_read_and_answered(recording, tmp_path):
    cache = MediaCache(tmp_path)
    response = answer(recording, cache)
    found = json.loads(response.raw)
    assert found["tempo"] == pytest.approx(112, rel=0.001)
    assert (found["key"], found["time_signature"]) == ("G major", "4/4")
    assert response.received.audio_s == pytest.approx(20, abs=0.01)
    assert answer(recording, cache).raw == response.raw


def test_silence_in_place_of_the_recording_is_null(recording, tmp_path):
    found = json.loads(answer(recording, MediaCache(tmp_path), CONDITIONS["silence"]).raw)
    assert set(found.values()) == {None}
