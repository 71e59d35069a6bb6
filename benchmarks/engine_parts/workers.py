"""Two worker processes against one: answers a second from the time a quarter is answered, so that start-up is out.

The better of two runs each, in turns: the clock counts what else the machine does too.
"""

from __future__ import annotations

import json
import struct
import tempfile
import time
from pathlib import Path
from typing import Any

from engine_parts.lines import Line
from engine_parts.material import OPTIONS, QUESTION, write_film

FILMS, QUESTIONS, LENGTH_S, FRAMES = 24, 4, 40.0, 40
TASK = """\
task: films
dataset_path: {data}
kind: choice
columns: {{media: video}}
protocol: {{media: [video, audio], fps: 1}}
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""


class Clock:
    """A listener that notes when each answer was heard of."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def progressed(self, model: str, task: str, progress: Any, headline: Any) -> None:
        self.times += [time.monotonic()] * (progress.answered - len(self.times))

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


def measure() -> list[Line]:
    from musebench_tasks.models.tiny import build_tiny

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        task = write_benchmark(folder)
        checkpoint = build_tiny("qwen2_5_omni_thinker", folder / "checkpoint", hidden=256, layers=4)
        rates = [(rate(folder, task, checkpoint, 1, turn), rate(folder, task, checkpoint, 2, turn)) for turn in (1, 2)]
        one, two = (max(each) for each in zip(*rates, strict=True))
    what = f"two workers, {FILMS} films, {FILMS * QUESTIONS} requests"
    return [Line(what, f"{two:.2f} a s", "one worker", f"{one:.2f} a s", two / one, "times", 1.7)]


def rate(folder: Path, task: Path, checkpoint: Path, processes: int, turn: int) -> float:
    """Answers a second, from an empty cache."""
    import os

    import musebench_tasks
    from musebench_tasks.api import RunSettings

    os.environ["MUSEBENCH_CACHE"] = str(folder / f"cache-{processes}-{turn}")
    clock = Clock()
    settings = RunSettings(processes=processes, model_options={"max_frames": FRAMES, "device": "cpu"})
    musebench_tasks.run(
        model=f"transformers:{checkpoint}",
        tasks=str(task),
        out=folder / f"run-{processes}-{turn}",
        settings=settings,
        listener=clock,
    )
    count = len(clock.times)
    if count != FILMS * QUESTIONS:
        raise SystemExit(f"workers: {count} answers, not {FILMS * QUESTIONS}")
    begin = count // 4
    return (count - begin) / (clock.times[-1] - clock.times[begin - 1])


def write_benchmark(folder: Path) -> Path:
    data = folder / "data"
    data.mkdir()
    rows = []
    content = write_film(folder / "film.mp4", LENGTH_S).read_bytes()
    for film in range(FILMS):
        # Another file to everybody, though a reader sees the same: an empty box at its end tells its number.
        (data / f"film-{film}.mp4").write_bytes(content + struct.pack(">I4sI", 12, b"free", film))
        for number in range(QUESTIONS):
            question = QUESTION.format(letter="ABCD"[number], number=number)
            row = {"id": f"q-{film}-{number}", "video": f"film-{film}.mp4", "question": question}
            rows.append({**row, "options": list(OPTIONS), "answer": OPTIONS[0]})
    (data / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
    task = folder / "films.yaml"
    task.write_text(TASK.format(data=data))
    return task
