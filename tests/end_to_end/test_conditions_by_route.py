"""Every condition by every route: what of a film reaches a model is what the condition's record says."""

import base64
import io
import itertools
import json
import sys
import wave
from typing import NamedTuple

import av
import numpy as np
import pytest
from fakes.media_makers import RATE, film, tone
from fakes.openai_server import FakeOpenAIServer
from PIL import Image

from musebench_tasks.base.conditions import CONDITIONS, Condition, Modality
from musebench_tasks.base.records import Chunks, Limits, MediaSource
from musebench_tasks.harnesses import lm_eval, lmms_eval
from musebench_tasks.harnesses.questions import AnyModel, documents
from musebench_tasks.inference import build_requests
from musebench_tasks.inference.requests import unsupported
from musebench_tasks.items import load_items
from musebench_tasks.media import MediaGroup
from musebench_tasks.media.conditions import FRAME_ORDERS, SOUND_CHANGES
from musebench_tasks.media.wav import encode_wav
from musebench_tasks.models import load_model
from musebench_tasks.tasks import load_task

LEVELS = [40, 65, 90, 115, 140, 165]
"""Grey levels of the film's six half seconds, which get louder too."""
BACKWARDS = Condition("backwards", "played backwards", changes=Modality)
SEEN_AND_HEARD = {
    "full": ("kept", "kept"),
    "no_audio": ("kept", "absent"),
    "no_video": ("absent", "kept"),
    "text_only": ("absent", "absent"),
    "noise": ("kept", "noise"),
    "silence": ("kept", "silence"),
    "frozen_frame": ("frozen", "kept"),
    "shuffled_frames": ("shuffled", "kept"),
    "backwards": ("backwards", "backwards"),
}
"""What a new condition is to be told to do, once."""
TASK = """\
task: musebench_routes
dataset_path: {folder}/rows.jsonl
kind: choice
columns: {{id: id, media: clip, question: question, options: options, answer: answer, cluster_id: clip,
          transcript: transcript}}
protocol: {{media: [video, audio], fps: 2, conditions: [{conditions}]}}
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
FUNCTION = """
import numpy as np

def answer(question):
    kept = {name: question[name] for name in ("frames", "audio") if question[name] is not None}
    np.savez(__file__ + ".npz", **kept)
    return "A"
"""
PROGRAM = """
import pathlib, shutil, sys
for path in sys.argv[1:]:
    shutil.copy(path, pathlib.Path(__file__).with_name("kept" + pathlib.Path(path).suffix))
"""


class Arrived(NamedTuple):
    """What reached a model: the grey level of each frame, and samples."""

    levels: list[int] | None = None
    samples: np.ndarray | None = None

    @property
    def seen(self):
        if self.levels is None:
            return "absent"
        levels = [level for level, _ in itertools.groupby(self.levels)]
        if levels == LEVELS[3:4]:
            return "frozen"
        orders = {"kept": LEVELS, "backwards": LEVELS[::-1], "shuffled": levels if sorted(levels) == LEVELS else None}
        return next((name for name, order in orders.items() if levels == order), levels)

    @property
    def heard(self):
        if self.samples is None:
            return "absent"
        first, *_, last = loudness = [float(np.sqrt(np.mean(each**2))) for each in np.array_split(self.samples, 4)]
        if max(loudness) < 1e-3:
            return "silence"
        if all(0.09 < each < 0.11 for each in loudness):
            return "noise"
        return {(True, False): "kept", (False, True): "backwards"}.get((last > 3 * first, first > 3 * last), loudness)


def levels_of(frames):
    return [min(LEVELS, key=lambda level: abs(level - int(np.median(each)))) for each in frames]


def read_film(path):
    """Frames and sound of a film, a sound file or a picture; None for what it does not hold."""
    with av.open(str(path)) as container:
        has_video, has_audio = bool(container.streams.video), bool(container.streams.audio)
    levels = samples = None
    if has_video:
        with av.open(str(path)) as container:
            levels = levels_of(frame.to_ndarray(format="rgb24") for frame in container.decode(video=0))
    if has_audio:
        with av.open(str(path)) as container:
            blocks = [frame.to_ndarray().reshape(-1) for frame in container.decode(audio=0)]
        samples = np.concatenate(blocks)
        samples = samples / 32768 if samples.dtype == np.int16 else samples
    return Arrived(levels, samples)


def read_wav(content):
    with wave.open(io.BytesIO(content)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767


@pytest.fixture(scope="module")
def made_up():
    """A condition of the test's own, and what it does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CONDITIONS, "backwards", BACKWARDS)
        patch.setitem(SOUND_CHANGES, "backwards", lambda samples, seed: samples[::-1])
        patch.setitem(FRAME_ORDERS, "backwards", lambda count, seed: np.arange(count)[::-1])
        yield BACKWARDS


@pytest.fixture(scope="module")
def asked(made_up, tmp_path_factory):
    """A task of all conditions about one film."""
    folder = tmp_path_factory.mktemp("routes")
    louder = tone(3) * np.linspace(0.05, 1, 3 * RATE, dtype=np.float32)
    film(
        folder / "film.mp4",
        frames=30,
        rate=10,
        sounds=[louder],
        make=lambda number: np.full((120, 160, 3), LEVELS[number // 5], np.uint8),
    )
    row = {"id": "q", "clip": "film.mp4", "question": "What?", "options": ["a", "b"], "answer": "a"}
    (folder / "rows.jsonl").write_text(json.dumps(row | {"transcript": "Welcome."}))
    path = folder / "task.yaml"
    path.write_text(TASK.format(folder=folder, conditions=", ".join(CONDITIONS)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(folder / "cache"))
        yield path


def request_of(path, condition, model=None):
    task = load_task(str(path))
    (request,) = build_requests(task, load_items(task).items, model or AnyModel(), [condition])
    return request


def group_of(path, condition, **part):
    request = request_of(path, condition)
    parts = tuple(each.model_copy(update=part) for each in request.parts)
    return MediaGroup((request.model_copy(update={"parts": parts}),), Limits(modalities=frozenset(Modality)))


def by_values(path, condition):
    group = group_of(path, condition)
    return Arrived(
        levels_of(group.frames().pixels) if group.has(Modality.VIDEO) else None,
        group.audio().samples if group.has(Modality.AUDIO) else None,
    )


def by_chunks(path, condition):
    group = group_of(path, condition, chunks=Chunks(seconds=1.0))
    parts = group.audio_parts() if group.has(Modality.AUDIO) else []
    assert len(parts) in (0, 3)
    samples = np.concatenate([each.samples for each in parts]) if parts else None
    return by_values(path, condition)._replace(samples=samples)


def by_clip(path, condition):
    group = group_of(path, condition)
    if not group.parts:
        return Arrived()
    clip = group.clip()
    is_copy = clip.read_bytes() == path.with_name("film.mp4").read_bytes()
    assert is_copy == (condition == "full")
    return read_film(clip)


def by_function(path, condition):
    code = path.with_name("function.py")
    code.write_text(FUNCTION)
    (response,) = load_model(f"python:{code}:answer").answer(group_of(path, condition))
    assert response.raw == "A"
    with np.load(f"{code}.npz") as kept:
        return Arrived(levels_of(kept["frames"]) if "frames" in kept else None, kept.get("audio"))


def by_program(path, condition):
    """The film that `{video}` is, and the sound that `{audio}` is; the film holds the same sound."""
    code = path.with_name("program.py")
    code.write_text(PROGRAM)
    streams = condition.modalities(frozenset(Modality))
    places = " ".join(f"{{{each}}}" for each in Modality if each in streams)
    (response,) = load_model(f"command:{sys.executable} {code} {places}").answer(group_of(path, condition))
    assert response.failure is None
    shown = read_film(path.with_name("kept.mp4")) if Modality.VIDEO in streams else Arrived()
    heard = Arrived(samples=read_film(path.with_name("kept.wav")).samples if Modality.AUDIO in streams else None)
    assert Modality.VIDEO not in streams or shown.heard == heard.heard
    return shown._replace(samples=heard.samples)


def sent_to_a_server(path, condition, **settings):
    with FakeOpenAIServer() as server:
        model = load_model(f"openai:m@{server.url}", **settings)
        (response,) = model.answer(group_of(path, condition))
        (sent,) = [each for each in server.requests if each["path"].endswith("completions")]
    assert response.failure is None
    content = sent["body"]["messages"][-1]["content"]
    return [] if isinstance(content, str) else content[:-1]


def by_payload(path, condition, **settings):
    levels, samples = [], None
    for part in sent_to_a_server(path, condition, **settings):
        if part["type"] == "input_audio":
            samples = read_wav(base64.b64decode(part["input_audio"]["data"]))
            continue
        kind, _, content = part[part["type"]]["url"].partition(",")
        if kind == "data:video/mp4;base64":
            clip = path.with_name("sent.mp4")
            clip.write_bytes(base64.b64decode(content))
            levels += read_film(clip).levels
        else:
            pictures = [Image.open(io.BytesIO(base64.b64decode(each))) for each in content.split(",")]
            levels += levels_of(np.asarray(each) for each in pictures)
    return Arrived(levels or None, samples)


def by_payload_clip(path, condition):
    return by_payload(path, condition, video_as="clip")


def by_payload_video(path, condition):
    return by_payload(path, condition, video_as="video")


def by_lmms_values(path, condition):
    (document,) = documents(str(path), condition)
    media = lmms_eval.doc_to_visual(document)
    films, sounds = (
        [each for each in media if isinstance(each, str)],
        [each for each in media if isinstance(each, dict)],
    )
    assert all(read_film(each).samples is None for each in films)
    return Arrived(read_film(films[0]).levels if films else None, sounds[0]["array"] if sounds else None)


def by_lmms_messages(path, condition):
    (document,) = documents(str(path), condition)
    (message,) = lmms_eval.doc_to_messages(document, {"takes_sound": True})
    files = {part["type"]: read_film(part["url"]) for part in message["content"] if part["type"] != "text"}
    nothing = Arrived()
    return Arrived(files.get("video", nothing).levels, files.get("audio", nothing).samples)


ROUTES = [
    by_values, by_chunks, by_clip, by_function, by_program, by_payload, by_payload_clip, by_payload_video,
    by_lmms_values, by_lmms_messages,
]  # fmt: skip


def test_what_every_condition_does_is_stated_here(made_up):
    """A new condition is told of in `SEEN_AND_HEARD`, in agreement with its record."""
    assert set(SEEN_AND_HEARD) == set(CONDITIONS)
    for name, done in SEEN_AND_HEARD.items():
        record = CONDITIONS[name]
        for stream, what in zip((Modality.VIDEO, Modality.AUDIO), done, strict=True):
            assert (what == "absent") == (stream not in record.keeps)
            assert (what in ("absent", "kept")) == (stream not in record.changes)


def test_every_change_has_its_function_and_every_function_its_record(made_up):
    assert set(SOUND_CHANGES) == {name for name, each in CONDITIONS.items() if Modality.AUDIO in each.changes}
    assert set(FRAME_ORDERS) == {name for name, each in CONDITIONS.items() if Modality.VIDEO in each.changes}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.__name__)
@pytest.mark.parametrize("name", SEEN_AND_HEARD)
def test_what_arrives_is_what_the_record_says(asked, name, route):
    arrived = route(asked, CONDITIONS[name])
    assert (arrived.seen, arrived.heard) == SEEN_AND_HEARD[name]


@pytest.mark.parametrize("name", [name for name, (_, heard) in SEEN_AND_HEARD.items() if heard != "absent"])
def test_a_sound_file_is_copied_only_where_the_sound_is_kept_as_it_is(asked, name, tmp_path):
    own = tmp_path / "own.wav"
    own.write_bytes(encode_wav(by_values(asked, Condition.FULL).samples, RATE))
    group = group_of(asked, CONDITIONS[name], source=MediaSource(path=str(own)))
    heard = group.requests[0].model_copy(update={"parts": group.parts[-1:]})
    clip = MediaGroup((heard,), Limits(modalities=frozenset({Modality.AUDIO}))).clip()
    assert read_film(clip).heard == SEEN_AND_HEARD[name][1]
    assert (clip.read_bytes() == own.read_bytes()) == (SEEN_AND_HEARD[name][1] == "kept")


@pytest.mark.parametrize("name", SEEN_AND_HEARD)
def test_pictures_for_harnesses_that_take_no_sound(asked, name):
    (document,) = documents(str(asked), name)
    pictures = lm_eval.doc_to_image(document)
    seen, heard = SEEN_AND_HEARD[name]
    if heard != "absent":
        assert isinstance(pictures, lm_eval.hooks.NeedsSound)
    else:
        assert Arrived(levels_of(np.asarray(each) for each in pictures) or None).seen == seen


@pytest.mark.parametrize("name", SEEN_AND_HEARD)
def test_words_stand_in_for_sound_that_is_kept_as_it_is(asked, name):
    model = AnyModel()
    model.limits = Limits(modalities=frozenset({Modality.VIDEO}))
    task = load_task(str(asked))
    heard = SEEN_AND_HEARD[name][1]
    reason = unsupported(task, load_items(task).items, model, CONDITIONS[name])
    if heard not in ("kept", "absent"):
        assert "takes no audio" in reason
        return
    request = request_of(asked, CONDITIONS[name], model)
    assert (reason, request.audio_route) == (None, "transcript" if heard == "kept" else "none")
    assert ("Welcome" in request.prompt) == (heard == "kept")


@pytest.mark.parametrize("route", [by_values, by_chunks, by_clip, by_lmms_values, by_lmms_messages])
@pytest.mark.parametrize("changes", [SOUND_CHANGES, FRAME_ORDERS])
def test_a_change_that_nothing_makes_is_refused_and_the_media_are_never_sent_as_they_are(
    asked, route, changes, monkeypatch
):
    monkeypatch.delitem(changes, "backwards")
    with pytest.raises(NotImplementedError, match="backwards changes the"):
        route(asked, BACKWARDS)
