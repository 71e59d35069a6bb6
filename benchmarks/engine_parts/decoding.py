"""What is decoded over a whole run: several films, overlapping windows of each, every condition of the enum, then the
same run again from what was kept.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from engine_parts.lines import Line, children_cpu_s, seconds
from engine_parts.material import RATE, write_film

FILMS, LENGTH_S = 3, 60.0
WINDOWS = ((0.0, 20.0), (10.0, 30.0), (25.0, 60.0), (0.0, 60.0))
QUESTIONS = 2
TASK = """\
task: windows
dataset_path: {data}
kind: choice
columns: {{media: video}}
protocol: {{media: [video, audio], fps: 1, conditions: [full, no_audio, no_video, text_only, noise, silence,
            frozen_frame, shuffled_frames]}}
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
MODEL = """\
def answer(question):
    for name in ("frames", "audio"):
        assert question[name] is None or len(question[name])
    return "A"
"""


def measure() -> list[Line]:
    from musebench_tasks.media.counts import decode_counts, reset_decode_counts

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        task, model = write_benchmark(folder)
        first_s = run(folder, task, model, "first")
        counts = list(decode_counts().values())
        total = {name: sum(getattr(each, name) for each in counts) for name in vars(counts[0])}
        opens = max(each.opens for each in counts)
        reset_decode_counts()
        again_s = run(folder, task, model, "again")
        second = sum(each.cpu_s for each in decode_counts().values())
    frames = FILMS * LENGTH_S * RATE
    requests = FILMS * len(WINDOWS) * QUESTIONS * 8
    what = f"{FILMS} films, {requests} requests"
    decoded, converted = total["frames_decoded"] / frames, total["frames_converted"] / total["frames_used"]
    ratio = total["cpu_s"] / max(second, 0.001)
    return [
        Line(f"{what}: openings of a film", f"{opens}", "", "", opens, "at most", 1),
        Line("readings for what is in it", f"{total['scans'] / FILMS:g}", "", "", total["scans"] / FILMS, "at most", 1),
        Line("frames decoded", f"{total['frames_decoded']}", "in the films", f"{frames:.0f}", decoded, "at most", 1.05),
        Line(
            "frames converted", f"{total['frames_converted']}", "used", f"{total['frames_used']}", converted,
            "at most", 1.2,
        ),
        Line("decode CPU, second run", f"{second:.3f} s", "first run", seconds(total["cpu_s"]), ratio, "times", 20),
        Line("all CPU, second run", seconds(again_s), "first run", seconds(first_s), first_s / again_s, "note"),
    ]  # fmt: skip


def run(folder: Path, task: Path, model: Path, name: str) -> float:
    """CPU seconds of a run, its own and those of the decode process."""
    import time

    import musebench_tasks
    from musebench_tasks.media.counts import decode_counts

    def used() -> float:
        return time.process_time() + children_cpu_s() + sum(each.cpu_s for each in decode_counts().values())

    before = used()
    outcome = musebench_tasks.run(
        model=f"python:{model}:answer", tasks=str(task), out=folder / name, conditions=["all"]
    )
    if outcome.failures:
        raise SystemExit(f"decoding: {outcome.failures[0]}")
    return used() - before


def write_benchmark(folder: Path) -> tuple[Path, Path]:
    data = folder / "data"
    data.mkdir()
    rows = []
    for film in range(FILMS):
        write_film(data / f"film-{film}.mp4", LENGTH_S, seed=film)
        for place, (start_s, end_s) in enumerate(WINDOWS):
            for number in range(QUESTIONS):
                row = {
                    "id": f"q-{film}-{place}-{number}",
                    "video": f"film-{film}.mp4",
                    "start_s": start_s,
                    "end_s": end_s,
                }
                rows.append({**row, "question": f"Which is it, {number}?", "options": list("wxyz"), "answer": "w"})
    (data / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
    task, model = folder / "windows.yaml", folder / "model.py"
    task.write_text(TASK.format(data=data))
    model.write_text(MODEL)
    return task, model
