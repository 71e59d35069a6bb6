"""Models on real media groups: a small film with sound, made here."""

import base64
import io
import json
import sys
import wave

import av
import numpy as np
import pytest

from musebench_tasks.base.records import Condition, Limits, MediaPart, MediaSource, Modality
from musebench_tasks.media import MediaGroup
from musebench_tasks.models import load_model

SECONDS, RATE = 4, 16_000


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("films") / "secret-title.mp4"
    with av.open(str(path), "w", options={"movflags": "faststart"}) as file:
        file.metadata["title"] = "secret title"
        pictures = file.add_stream("mpeg4", rate=10)
        pictures.width, pictures.height, pictures.pix_fmt = 64, 48, "yuv420p"
        sound = file.add_stream("aac", rate=RATE, layout="mono")
        for number in range(SECONDS * 10):
            pixels = np.full((48, 64, 3), 20 + 50 * (number // 10), dtype=np.uint8)
            file.mux(pictures.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        file.mux(pictures.encode(None))
        samples = np.sin(2 * np.pi * 440 * np.arange(SECONDS * RATE) / RATE).astype(np.float32)[None] / 2
        frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
        frame.sample_rate = RATE
        file.mux(sound.encode(frame))
        file.mux(sound.encode(None))
    return path


@pytest.fixture
def group(film, make_request):
    def group(*prompts, condition=Condition.FULL, modalities=tuple(Modality)):
        source = MediaSource(path=str(film))
        parts = tuple(MediaPart(modality=each, source=source, start_s=1.0, end_s=3.0) for each in modalities)
        requests = (
            make_request(item_id=f"secret-{number}", prompt=prompt, parts=parts, condition=condition)
            for number, prompt in enumerate(prompts)
        )
        return MediaGroup(tuple(requests), Limits(modalities=frozenset(Modality), sample_rate=RATE))

    return group


def test_a_server_gets_the_frames_and_sound_of_the_window(server, group):
    first, second = load_model(f"openai:m@{server.url}").answer(group("One?", "Two?"))
    assert first.received == second.received
    assert (first.received.frames_used, first.received.audio_route) == (2, "native")
    assert first.received.audio_s == pytest.approx(2.0, abs=0.01)
    one, two = (sent["body"]["messages"][0]["content"] for sent in server.requests)
    assert one[:-1] == two[:-1]
    *frames, sound, _ = one
    assert len(frames) == 2
    with wave.open(io.BytesIO(base64.b64decode(sound["input_audio"]["data"]))) as file:
        assert file.getnframes() / file.getframerate() == pytest.approx(2.0, abs=0.01)
        heard = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    assert np.abs(heard).max() == pytest.approx(0.5 * 32767, rel=0.1)
    for sent in server.requests:
        assert b"secret" not in sent["raw"]


def test_a_server_may_get_the_masked_file(server, group):
    (response,) = load_model(f"openai:m@{server.url}", video_as="clip").answer(group("One?"))
    assert response.raw == "B"
    url = server.requests[0]["body"]["messages"][0]["content"][0]["video_url"]["url"]
    content = base64.b64decode(url.removeprefix("data:video/mp4;base64,"))
    assert b"secret" not in content
    with av.open(io.BytesIO(content)) as file:
        assert file.streams.video[0].width == 64


def test_a_function_gets_arrays_of_the_window(tmp_path, group):
    path = tmp_path / "own.py"
    path.write_text(
        "def answer(question):\n"
        "    return {'frames': question['frames'].shape, 'times': question['frame_times_s'].tolist(),\n"
        "            'seconds': len(question['audio']) / question['sample_rate']}\n"
    )
    (response,) = load_model(f"python:{path}:answer").answer(group("One?"))
    told = json.loads(response.raw)["answer"]
    assert told["frames"] == [2, 48, 64, 3]
    assert told["times"] == pytest.approx([0.0, 1.0], abs=0.11)
    assert told["seconds"] == pytest.approx(2.0, abs=0.01)
    assert response.received.audio_route == "native"


def test_a_function_that_looks_at_nothing_has_received_nothing(tmp_path, group):
    path = tmp_path / "own.py"
    path.write_text("def answer(question):\n    return 'A'\n")
    (response,) = load_model(f"python:{path}:answer").answer(group("One?"))
    assert (response.received.frames_used, response.received.audio_route) == (None, "none")


def test_a_program_gets_masked_files(tmp_path, group):
    path = tmp_path / "own.py"
    path.write_text("import sys; print(*sys.argv[1:]); print(*(len(open(f, 'rb').read()) > 500 for f in sys.argv[1:]))")
    (response,) = load_model(f"command:{sys.executable} {path} {{audio}} {{video}}").answer(group("One?"))
    assert response.raw.endswith("True True")
    assert "secret" not in response.raw
    assert response.received.audio_route == "native"


@pytest.mark.parametrize("spec", ["random", "replay:{file}"])
def test_models_that_look_at_nothing_open_nothing(tmp_path, make_request, spec):
    file = tmp_path / "answers.jsonl"
    file.write_text('{"item_id": "item-1", "raw": "B"}\n')
    group = MediaGroup((make_request(),), Limits())
    (response,) = load_model(spec.format(file=file)).answer(group)
    assert response.raw in "ABCD"
