"""What the harness itself costs: 16,064 replayed requests from plan to report, and the start of two commands.

    python benchmarks/overhead.py [--items 4016] [--repeats 5]

The model costs nothing (answers come from a file), so all time and memory is ours. Peers in the same run: reading the
same answers with `json` alone, and starting the bare interpreter. Targets: under 15 s and 600 MB; 0.2 s and 0.5 s.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from musebench_tasks.base.records import make_options, shuffled_order

RUNS = 4
CATEGORIES = ("Cinematic", "Static Visual", "Stage Performing", "Game")
WORDS = ("slow", "pan", "hides", "threat", "reveals", "rival", "lights", "edge", "cut", "score", "drum", "silence")
TASK = """\
task: overhead
dataset_path: {data}
kind: choice
columns: {{id: id, media: media, question: question, options: options, answer: answer, category: category,
          difficulty: difficulty, cluster_id: cluster_id}}
protocol: {{media: [audio], runs: {runs}, option_order: shuffled}}
slices: [category, difficulty]
metric_list: [{{metric: accuracy}}, {{metric: caa}}, {{metric: choice_consistency}}, {{metric: position_bias}}]
metadata: {{version: 1.0, headline: accuracy}}
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=4016)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run_overhead(Path(scratch), options.items)
    run_starts(options.repeats)


def run_overhead(folder: Path, items: int) -> None:
    task, answers = make_benchmark(folder, items)
    peer_s = timed(lambda: [json.loads(line) for line in answers.open()])
    environment = {**os.environ, "MUSEBENCH_CACHE": str(folder / "cache")}
    arguments = ["run", "--tasks", str(task), "--model", f"replay:{answers}", "--out", str(folder / "run")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall_s = timed(lambda: musebench(arguments, environment))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    megabytes = after.ru_maxrss / 1024
    print(f"{items * RUNS} replayed requests, plan to report")
    print(f"  wall {wall_s:6.2f} s   cpu {cpu_s:6.2f} s   peak {megabytes:5.0f} MB   (target 15 s, 600 MB)")
    print(f"  {wall_s / peer_s:.0f} times reading the same answers with json ({peer_s:.2f} s)")


def run_starts(repeats: int) -> None:
    bare_s = median_of(repeats, [sys.executable, "-c", "pass"])
    print(f"start-up, median of {repeats} (bare interpreter {bare_s:.3f} s)")
    for arguments, target_s in ((["--help"], 0.2), (["tasks", "list"], 0.5)):
        command = [sys.executable, "-m", "musebench_tasks", *arguments]
        took_s = median_of(repeats, command)
        name = "musebench " + " ".join(arguments)
        print(f"  {name:<22} {took_s:.3f} s   {took_s / bare_s:4.1f} times bare   (target {target_s} s)")


def make_benchmark(folder: Path, items: int) -> tuple[Path, Path]:
    """A choice benchmark of `items` questions on a quarter as many media files, and answers to all its requests."""
    draw = random.Random(42)
    data = folder / "data"
    data.mkdir()
    answers = folder / "answers.jsonl"
    with (data / "test.jsonl").open("w") as rows, answers.open("w") as replies:
        for number in range(items):
            row = make_row(number, draw)
            (data / row["media"]).write_bytes(row["media"].encode() * 50)
            rows.write(json.dumps(row) + "\n")
            ids = [option.id for option in make_options(row["id"], row["options"])]
            for run in range(RUNS):
                order = shuffled_order(row["id"], run, ids)
                letter = draw.choice("ABCDEFGH"[: len(ids)])
                text = draw.choice([letter, f"The answer is {letter}.", f"**{letter}**", "I cannot tell."])
                reply = {"item_id": row["id"], "run": run, "condition": "full", "option_order": order, "raw": text}
                replies.write(json.dumps(reply) + "\n")
    task = folder / "overhead.yaml"
    task.write_text(TASK.format(data=data, runs=RUNS))
    return task, answers


def make_row(number: int, draw: random.Random) -> dict[str, object]:
    texts = [f"{' '.join(draw.sample(WORDS, 6))} {position}" for position in range(draw.randint(4, 8))]
    return {
        "id": f"item-{number:05d}",
        "media": f"clip-{number // 4:05d}.bin",
        "question": " ".join(draw.choices(WORDS, k=20)) + "?",
        "options": texts,
        "answer": texts[draw.randrange(len(texts))],
        "category": CATEGORIES[number % 4],
        "difficulty": ("Low", "Medium", "High")[number % 3],
        "cluster_id": f"source-{number // 4}",
    }


def musebench(arguments: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "musebench_tasks", *arguments], env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"musebench {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")


def timed(work: object) -> float:
    started = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - started


def median_of(repeats: int, command: list[str]) -> float:
    return statistics.median(
        timed(lambda: subprocess.run(command, capture_output=True, check=True)) for _ in range(repeats)
    )


if __name__ == "__main__":
    main()
