"""What of a medium arrives at a model: under every condition, by every route, decoded again where it is a file.

The models here are a function, a program and a chat-completions server; each answers with hashes of what it was given,
so that predictions.jsonl holds them by item and condition. Prompts are among them: a transcript, the words about a
condition and the times of the parts that sound comes in arrive as text.
"""

import base64
import contextlib
import hashlib
import io
import json
import threading
import wave
from collections.abc import Iterator
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import yaml
from goldens.handles import CONDITIONS, HOOKS, asked_by_harnesses, build_tiny_omni, musebench, request_keys
from PIL import Image

TASK = """\
task: arriving
dataset_path: {rows}
kind: choice
columns: {{id: id, media: media, question: question, options: options, answer: answer, cluster_id: id,
          start_s: start_s, end_s: end_s, transcript: transcript}}
protocol: {protocol}
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
FILM = {"media": ["video", "audio"], "fps": 1, "max_frames": 6, "conditions": list(CONDITIONS)}
SOUND = {"media": ["audio"], "conditions": ["full", "text_only", "noise", "silence"]}
TASKS = {
    "film": FILM,
    "small": FILM | {"max_pixels": 6000, "sample_rate": 8000, "max_audio_s": 3},
    "keyframes": FILM | {"frames": "keyframes", "max_frames": 3, "conditions": ["full", "shuffled_frames"]},
    "scenes": FILM | {"frames": "scene_changes", "max_frames": 3, "conditions": ["full", "frozen_frame"]},
    "sound": SOUND,
    "parts": SOUND
    | {"chunking": {"seconds": 3, "overlap_s": 1}, "sample_rate": 16000, "conditions": ["full", "noise"]},
}
FUNCTION = """
import hashlib

def hashed(*arrays):
    return hashlib.sha256(b"".join(each.tobytes() for each in arrays)).hexdigest()

def told(question):
    frames, audio = question["frames"], question["audio"]
    text = [str(question[name]) for name in ("kind", "question", "options", "system", "prompt", "media_s")]
    return {
        "answer": "A",
        "frames": frames is not None and [*frames.shape, hashed(frames, question["frame_times_s"].round(6))],
        "audio": audio is not None and [len(audio), question["sample_rate"], hashed(audio)],
        "text": hashlib.sha256("\\n".join(text).encode()).hexdigest(),
    }

def everything(question):
    return told(question)

def sees(question):
    return told(question)

def hears(question):
    return told(question)

sees.modalities, hears.modalities = ["video"], ["audio"]
hears.max_audio_s, hears.sample_rate, sees.max_frames = 5, 22050, 4
"""
PROGRAM = (
    'mkdir -p kept; name=$(sha256sum < "$1" | cut -c1-16); cp "$1" "kept/$name.${1##*.}"; echo "A $name.${1##*.}"\n'
)
CARDS = {
    "openai": {"server": "openai"},
    "vllm": {"server": "vllm", "processor_fps": True},
    "sglang clip": {"server": "sglang", "video_as": "clip"},
}
ROUTES = {
    "film": ["everything", "sees", "{video}", "openai", "sglang clip"],
    "keyframes": ["everything", "{video}"],
    "sound": ["everything", "{audio}", "vllm"],
    "parts": ["everything", "openai"],
}
"""Of each task: the routes that are followed in the quick test."""
MORE_ROUTES = {
    "film": ["hears", "{audio}", "vllm"],
    "small": ["everything", "openai"],
    "keyframes": ["openai"],
    "scenes": ["everything", "{video}", "vllm"],
    "sound": ["hears", "openai", "sglang clip"],
    "parts": ["{audio}", "vllm", "sglang clip"],
}


def arriving(folder: Path) -> Iterator[tuple[str, str]]:
    """By task, route, item and condition: what arrived, and how the prediction says that it went."""
    yield from _by_routes(folder, ROUTES)
    yield from _by_hooks(folder / "film.yaml")


def arriving_by_more_routes(folder: Path) -> Iterator[tuple[str, str]]:
    """The same for the other routes."""
    yield from _by_routes(folder, MORE_ROUTES)


def tiny_omni(folder: Path) -> Iterator[tuple[str, str]]:
    """Keys and predictions of a tiny checkpoint that runs here."""
    import torch

    torch.manual_seed(0)
    build_tiny_omni(folder / "omni")
    write_media(folder)
    for name in ("film", "parts"):
        yield from _asked(folder, name, ["transformers:omni"])
        with contextlib.chdir(folder):
            keys = request_keys(f"{name}.yaml", ["transformers:omni"])
        yield from ((f"{name} · keys · {condition}", lines) for (_, condition), lines in keys.items())


def _by_routes(folder: Path, routes: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    (folder / "asked.py").write_text(FUNCTION)
    (folder / "keep.sh").write_text(PROGRAM)
    write_media(folder)
    with server_that_tells() as url:
        for task, names in routes.items():
            yield from _asked(folder, task, [_spec(folder, name, url) for name in names])


def _spec(folder: Path, route: str, url: str) -> str:
    """The model at the end of a route."""
    if route in CARDS:
        return _card(folder, route, url)
    return f'command:"sh keep.sh {route}"' if route.startswith("{") else f"python:asked.py:{route}"


def _by_hooks(task: Path) -> Iterator[tuple[str, str]]:
    """What the functions give that other harnesses call."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_MODEL_TAKES_SOUND", "1")
        for condition in CONDITIONS:
            for document in asked_by_harnesses(str(task), condition):
                if document["item_id"] in ("whole", "window"):
                    for name, hook in HOOKS.items():
                        yield f"{name} · {document['item_id']} · {condition}", _handed(hook, document)


def _handed(hook: Any, document: dict[str, Any]) -> str:
    """What a hook hands over, as JSON; the kind of error where it refuses."""
    try:
        return json.dumps(_handed_over(hook(document)))
    except Exception as error:
        return type(error).__name__


def _handed_over(value: Any) -> Any:
    if isinstance(value, Image.Image):
        return [value.size, _hash(value.tobytes())]
    if isinstance(value, np.ndarray):
        return [list(value.shape), _hash(value.tobytes())]
    if isinstance(value, dict):
        return {name: _handed_over(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_handed_over(each) for each in value]
    if isinstance(value, str) and value.startswith("/") and Path(value).is_file():
        return described(Path(value).read_bytes())
    return value if isinstance(value, str | int | float) else [_handed_over(each) for each in value]


def _asked(folder: Path, name: str, models: list[str]) -> Iterator[tuple[str, str]]:
    rows = folder / ("films.jsonl" if "video" in TASKS[name]["media"] else "sounds.jsonl")
    task = TASK.format(rows=rows, protocol=json.dumps(TASKS[name]))
    (folder / f"{name}.yaml").write_text(task)
    arguments = ("run", "--tasks", f"{name}.yaml", "--conditions", "all", "--no-report", "--out", f"run {name}")
    said = musebench(*arguments, "--model", *models, cwd=folder)
    yield f"{name} · exit", str(said.code)
    for path in sorted((folder / f"run {name}").glob("*/*/predictions.jsonl")):
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            route = path.parts[-3].removesuffix(".yaml")
            yield from _arrived(f"{name} · {route} · {line['item_id']} · {line['condition']}", line, folder / "kept")


def _arrived(name: str, line: dict[str, Any], kept: Path) -> Iterator[tuple[str, str]]:
    raw = line["raw"] or ""
    if raw.startswith(("{", "A ")):
        del line["raw"]
    yield name, json.dumps(line, sort_keys=True)
    if raw.startswith("{"):
        parts = json.loads(raw)
        yield from ((f"{name} · {part}", json.dumps(parts[part])) for part in parts if part != "answer")
    elif raw.startswith("A "):
        yield f"{name} · file", json.dumps(described((kept / raw.removeprefix("A ")).read_bytes()))


def _card(folder: Path, name: str, url: str) -> str:
    limits = {"modalities": ["video", "audio"], "max_frames": 5, "sample_rate": 16000}
    card = {"spec": f"openai:m@{url}", "revision": "1", "limits": limits, "options": CARDS[name]}
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(card))
    return f"{name}.yaml"


def write_media(folder: Path) -> None:
    """A film with sound and one without, whole and in windows; a sound, a picture, and a file that is none of these."""
    write_film(folder / "one.mp4", seconds=4, has_sound=True)
    write_film(folder / "two.mp4", seconds=3, has_sound=False)
    write_sound(folder / "three.wav", seconds=10)
    Image.fromarray(np.arange(60 * 80 * 3, dtype=np.uint8).reshape(60, 80, 3)).save(folder / "four.png")
    (folder / "five.mp4").write_bytes(b"no film" * 100)
    spoken = {"transcript": "Welcome to the show."}
    _write_rows(
        folder / "films.jsonl",
        [
            {"id": "whole", "media": "one.mp4", **spoken},
            {"id": "window", "media": "one.mp4", "start_s": 0.75, "end_s": 3.5, "transcript": ""},
            {"id": "mute", "media": "two.mp4", "start_s": 0.0, "end_s": 2.0},
            {"id": "picture", "media": "four.png", **spoken},
            {"id": "broken", "media": "five.mp4"},
        ],
    )
    _write_rows(
        folder / "sounds.jsonl",
        [
            {"id": "window", "media": "three.wav", "start_s": 1.5, "end_s": 9.0},
            {"id": "film", "media": "one.mp4", **spoken},
            {"id": "picture", "media": "four.png", **spoken},
        ],
    )


def write_film(path: Path, *, seconds: int, has_sound: bool) -> None:
    """A film that grows lighter, with a cut in the middle; ten pictures a second."""
    size, draw = (96, 128, 3), np.random.default_rng(42)
    scenes = draw.integers(0, 120, (2, 6, 8, 3)).repeat(16, axis=1).repeat(16, axis=2)
    with av.open(str(path), "w") as container:
        video = container.add_stream("mpeg4", rate=10)
        video.width, video.height, video.pix_fmt, video.codec_context.thread_count = size[1], size[0], "yuv420p", 1
        audio = container.add_stream("aac", rate=16000, layout="mono") if has_sound else None
        for place in range(seconds * 10):
            pixels = (scenes[2 * place // (seconds * 10)] + 3 * place).astype(np.uint8)
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts, frame.time_base = place, Fraction(1, 10)
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        if audio is not None:
            for start, samples in _tone(seconds):
                sound = av.AudioFrame.from_ndarray(samples[None], "fltp", "mono")
                sound.sample_rate, sound.pts = 16000, start
                container.mux(audio.encode(sound))
            container.mux(audio.encode(None))


def write_sound(path: Path, *, seconds: int) -> None:
    """The tone of the films as a WAV file."""
    samples = np.concatenate([part for _, part in _tone(seconds)])
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes((samples * 32767).astype("<i2").tobytes())


def _tone(seconds: int) -> Iterator[tuple[int, Any]]:
    """A tone that rises, in parts of 1,024 samples with their places."""
    times = np.arange(seconds * 16000) / 16000
    samples = (0.5 * np.sin(2 * np.pi * (300 + 40 * times) * times)).astype(np.float32)
    yield from ((start, samples[start : start + 1024]) for start in range(0, len(samples), 1024))


def _write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    asked = {"question": "What is heard?", "options": ["a tone", "a bell", "rain", "nothing"], "answer": "a tone"}
    empty = {"start_s": None, "end_s": None, "transcript": None}
    path.write_text("".join(json.dumps(empty | asked | row) + "\n" for row in rows))


@contextlib.contextmanager
def server_that_tells() -> Iterator[str]:
    """The URL of a chat-completions server that answers with what it was sent, media by their decoded content."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = {"answer": "A", "sent": _plain(body)}
        message = {"role": "assistant", "content": json.dumps(told)}
        reply = {"id": "1", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": message}]}
        reply["choices"][0]["finish_reason"] = "stop"  # type: ignore[index]
        self._send(reply)

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "m", "object": "model"}]})

    def _send(self, content: dict[str, Any]) -> None:
        sent = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


def _plain(value: Any) -> Any:
    """A body without long texts: of media what they decode to, of words their hash."""
    if isinstance(value, dict):
        if isinstance(value.get("data"), str) and "format" in value:
            return value | {"data": described(base64.b64decode(value["data"]))}
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, str) and value.startswith("data:"):
        kind, _, content = value.partition(",")
        return [kind, *(described(base64.b64decode(each)) for each in content.split(","))]
    return _hash(value.encode()) if isinstance(value, str) and len(value) > 60 else value


def described(content: bytes) -> list[Any]:
    """What a file decodes to: a picture's pixels; a film's frames and samples, without their times in the container."""
    try:
        with Image.open(io.BytesIO(content)) as picture:
            return [picture.format, picture.size, _hash(picture.convert("RGB").tobytes())]
    except OSError:
        return [_streams(content, kind) for kind in ("video", "audio")]


def _streams(content: bytes, kind: str) -> list[Any]:
    with av.open(io.BytesIO(content)) as container:
        if not getattr(container.streams, kind):
            return [kind, None]
        frames = [frame.to_ndarray() for frame in container.decode(**{kind: 0})]
    return [kind, len(frames), list(frames[0].shape[:1]), _hash(b"".join(each.tobytes() for each in frames))]


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
