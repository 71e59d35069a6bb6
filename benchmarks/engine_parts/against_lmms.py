"""The same tiny qwen2_5_vl asked N = 4 questions a film by us and by lmms-eval, frames only.

CPU seconds a request, start-up excluded, decoding counted, one thread; 64 frames of the same size, in bfloat16 as
lmms-eval loads its weights. lmms-eval runs in an environment of its own.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from engine_parts.lines import Line, cpu_of, environment, seconds, single_threaded
from engine_parts.material import questions, write_film
from engine_parts.overhead import installed
from engine_parts.prefix import FRAMES, SIZES, choice_task

COUNT, FILMS, MAX_TOKENS, REPEATS = 4, 2, 16, 3
PIXELS = 320 * 240
TARGET = 3.0


def measure(size: str, python: str | None) -> list[Line]:
    if python is None:
        print("  lmms-eval is not measured: give its interpreter as --lmms-eval PYTHON")
        return []
    single_threaded()
    from musebench_tasks.models.tiny import build_tiny
    from musebench_tasks.models.transformers_chat import load

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        films = [write_film(folder / f"film-{number}.mp4", seed=number, sound=False) for number in range(FILMS)]
        checkpoint = build_tiny("qwen2_5_vl", folder / "checkpoint", **SIZES[size])
        model = load(str(checkpoint), device="cpu", dtype="bfloat16", max_frames=FRAMES, max_pixels=PIXELS)
        ours = Ours(folder, model, films)
        ours.run(films[:1])
        start_s = time.process_time()
        ours_s = statistics.median(ours.run(films) for _ in range(REPEATS))
        theirs = run_theirs(python, checkpoint, films, ours.prompts)
    theirs_s = statistics.median(theirs["seconds"])
    peer = f"lmms-eval {installed(python, 'lmms_eval')}, plain"
    what = f"{size} qwen2_5_vl, frames only, N = {COUNT}"
    theirs_long = theirs["prompt_tokens"]
    return [
        Line(what, seconds(ours_s), peer, seconds(theirs_s), theirs_s / ours_s, "times", TARGET),
        Line(
            "",
            seconds(start_s),
            "start-up, excluded above",
            seconds(theirs["start_s"]),
            theirs["start_s"] / start_s,
            "note",
        ),
        Line("", f"{ours.tokens} tokens", "a prompt", f"{theirs_long} tokens", ours.tokens / theirs_long, "note"),
    ]


class Ours:
    """Our side: each film's questions as one group, from an empty cache."""

    def __init__(self, folder: Path, model: Any, films: list[Path]) -> None:
        from musebench_tasks.base.records import Condition, Modality
        from musebench_tasks.inference import build_requests

        self.folder, self.model, self.caches, self.tokens = folder, model, 0, 0
        task = choice_task(media=(Modality.VIDEO,))
        self.groups = {film: build_requests(task, questions(film, COUNT), model, [Condition.FULL]) for film in films}
        self.prompts = [request.prompt for request in self.groups[films[0]]]

    def run(self, films: list[Path]) -> float:
        """CPU seconds a request."""
        from musebench_tasks.media import MediaGroup
        from musebench_tasks.media.cache import MediaCache
        from musebench_tasks.media.counts import decode_counts

        self.caches += 1
        cache = MediaCache(self.folder / f"cache-{self.caches}")

        def work() -> None:
            for film in films:
                for response in self.model.answer(MediaGroup(self.groups[film], self.model.limits, cache)):
                    if response.error is not None:
                        raise SystemExit(response.error)
                    self.tokens = response.prompt_tokens or 0

        return cpu_of(work, lambda: sum(each.cpu_s for each in decode_counts().values())) / (COUNT * len(films))


def run_theirs(python: str, checkpoint: Path, films: list[Path], prompts: list[str]) -> dict[str, Any]:
    job = {
        "checkpoint": str(checkpoint),
        "films": [str(film) for film in films],
        "questions": prompts,
        "frames": FRAMES,
        "min_pixels": 4 * 28 * 28,
        "max_pixels": PIXELS,
        "max_tokens": MAX_TOKENS,
        "repeats": REPEATS,
    }
    driver = Path(__file__).with_name("lmms_driver.py")
    done = subprocess.run(
        [python, str(driver)], input=json.dumps(job), capture_output=True, text=True, env=environment()
    )
    if done.returncode != 0:
        raise SystemExit(f"lmms-eval: exit {done.returncode}\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
