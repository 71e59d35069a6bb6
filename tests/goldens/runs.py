"""Files of runs: the demo suite with its report and board, and a replay of many answers."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import yaml
from goldens.commands import as_text
from goldens.handles import musebench

HARNESS = {"name": "musebench-tasks", "version": "0", "git": None, "packages": {}, "decoding": "as everywhere"}
"""In place of what run.yaml says of the libraries of this machine."""
DATE = "2026-11-30"


def demo(folder: Path, *more: object) -> Iterator[tuple[str, str | bytes]]:
    """`musebench run`: every file of the demo suite, media of the report by name alone; what was printed."""
    said = musebench("run", "--no-report", "--out", "runs/demo", *more, cwd=folder)
    yield "printed by run", "\n".join(line for line in as_text(said).splitlines() if " failed " not in line)
    run = folder / "runs" / "demo"
    for path in sorted(run.glob("*/*/run.yaml")):
        steady(path)
    yield "printed by score", as_text(musebench("score", run, cwd=folder))
    yield "printed by report", as_text(musebench("report", run, cwd=folder))
    yield from files(run)


def steady(path: Path) -> None:
    """Leave out of a run.yaml what tells of this machine."""
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["harness"] = HARNESS
    path.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")


def files(folder: Path) -> Iterator[tuple[str, str | bytes]]:
    """Every file below a folder; of journals the keys alone; of media that lie under their hash the name alone."""
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and not each.name.endswith(".lock")):
        name = path.relative_to(folder).as_posix()
        if path.parent.name == "media":
            yield name, path.name
        elif path.parent.name == "responses":
            lines = path.read_text(encoding="utf-8").splitlines()
            yield f"{name} keys", "\n".join(sorted(json.loads(line)["key"] for line in lines))
        else:
            yield name, path.read_bytes()


def after_demo(folder: Path) -> Iterator[tuple[str, str | bytes]]:
    """What other commands make of the run of the demo suite that lies in runs/demo below `folder`."""
    run = Path("runs", "demo")
    yield from _read_again(folder, run)
    yield from _exports(folder, run)
    yield from _board(folder, run)


def _read_again(folder: Path, run: Path) -> Iterator[tuple[str, str]]:
    compared = {
        "compare": ("compare", run / "random/mub_demo", run / "dsp/mub_demo", "--all", "--json", "compared.json"),
        "compare baseline": ("compare", run / "dsp/mub_demo", "baseline:prior:constant"),
        "compare choice": ("compare", run / "random/musebench_demo", "baseline:always_first"),
        "verify": ("verify", run / "random/musebench_demo"),
        "validate": ("validate", run / "dsp/mub_demo/run.yaml", run / "scores.json"),
    }
    for name, words in compared.items():
        yield f"printed by {name}", as_text(musebench(*words, cwd=folder))
    yield "compared.json", (folder / "compared.json").read_text(encoding="utf-8")


def _exports(folder: Path, run: Path) -> Iterator[tuple[str, str | bytes]]:
    exports = {
        "label_studio": ("export", run / "dsp/mub_demo", "--to", "label_studio"),
        "every_eval_ever": ("export", run / "dsp/mub_demo", "--to", "every_eval_ever", "--with-gold"),
        "cards": ("cards", "--task", "hummusqa_demo"),
    }
    for path in (folder / run).rglob("*"):
        os.utime(path, (1_764_000_000, 1_764_000_000))  # a record of Every Eval Ever says when a run was written
    for name, words in exports.items():
        yield f"printed by {name}", as_text(musebench(*words, "--out", name, cwd=folder))
        yield from ((f"{name}/{each}", content) for each, content in files(folder / name))


def _board(folder: Path, run: Path) -> Iterator[tuple[str, str | bytes]]:
    for part in ("random/musebench_demo", "random/mub_demo", "dsp/mub_demo"):
        musebench("leaderboard", "add", run / part, "hub", "--submitter", "Ada", cwd=folder)
    for path in sorted((folder / "hub").rglob("submission.yaml")):
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
        path.write_text(yaml.safe_dump({**told, "date": DATE}, sort_keys=False, allow_unicode=True), encoding="utf-8")
    said = musebench("leaderboard", "build", "hub", "--out", "board", cwd=folder)
    yield "printed by leaderboard build", as_text(said)
    for name in ("hub", "board"):
        yield from ((f"{name}/{each}", content) for each, content in files(folder / name))


TASK = """\
task: replayed
dataset_path: data
kind: choice
columns: {id: id, media: media, question: question, options: options, answer: answer, category: category,
          difficulty: difficulty, cluster_id: cluster_id}
protocol: {media: [audio], runs: 4, option_order: shuffled}
slices: [category, difficulty]
metric_list: [{metric: accuracy}, {metric: caa}, {metric: choice_consistency}, {metric: position_bias}]
metadata: {version: 1.0, headline: accuracy}
"""
REPLIES = ("{}", "The answer is {}.", "**{}**", "I cannot tell.")


def replay(folder: Path, items: int) -> Iterator[tuple[str, str | bytes]]:
    """Four answers to each of `items` questions from a file, as benchmarks/overhead.py makes them."""
    draw = random.Random(42)
    (folder / "data").mkdir()
    rows = [_row(number, draw) for number in range(items)]
    for row in rows:
        (folder / "data" / str(row["media"])).write_bytes(str(row["media"]).encode() * 50)
    (folder / "data" / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "replayed.yaml").write_text(TASK)
    musebench("run", "--tasks", "replayed.yaml", "--model", "random", "--out", "asked", "--no-report", cwd=folder)
    planned = (folder / "asked/random/replayed/predictions.jsonl").read_text().splitlines()
    with (folder / "answers.jsonl").open("w") as file:
        for each in map(json.loads, planned):
            text = draw.choice(REPLIES).format(draw.choice("ABCDEFGH"[: len(each["option_order"])]))
            kept = {name: each[name] for name in ("item_id", "run", "condition", "option_order")}
            file.write(json.dumps(kept | {"raw": text}) + "\n")
    arguments = ("run", "--tasks", "replayed.yaml", "--model", "replay:answers.jsonl", "--out", "run", "--no-report")
    said = musebench(*arguments, cwd=folder)
    yield "printed by run", "\n".join(line for line in as_text(said).splitlines() if " failed " not in line)
    for path in sorted((folder / "run").glob("*/*/run.yaml")):
        steady(path)
    yield from files(folder / "run")


def _row(number: int, draw: random.Random) -> dict[str, object]:
    words = ("slow", "pan", "hides", "threat", "reveals", "rival", "lights", "edge", "cut", "score", "drum", "silence")
    texts = [f"{' '.join(draw.sample(words, 6))} {position}" for position in range(draw.randint(4, 8))]
    return {
        "id": f"item-{number:05d}",
        "media": f"clip-{number // 4:05d}.bin",
        "question": " ".join(draw.choices(words, k=20)) + "?",
        "options": texts,
        "answer": texts[draw.randrange(len(texts))],
        "category": ("Cinematic", "Static Visual", "Stage Performing", "Game")[number % 4],
        "difficulty": ("Low", "Medium", "High")[number % 3],
        "cluster_id": f"source-{number // 4}",
    }
