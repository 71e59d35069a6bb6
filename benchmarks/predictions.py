"""How long a predictions.jsonl of 100,000 lines takes to be read and scored.

A choice task as large as 25 MuseBenches: 100,000 items of 20,000 films, single- and multi-select with 4 to 8 options
in four categories and eight sub-domains, one answer each. What is timed is what `musebench score` does with the file:
every line is validated and joined to the plan, every metric of MuseBench is computed over all items and over each
slice, with clustered errors, intervals, 10,000 bootstrap draws where they are needed, and all baselines. Loading the
items is not in it. Run `python benchmarks/predictions.py`.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from musebench_tasks.base.records import (
    BenchmarkBlock,
    Condition,
    DecodingBlock,
    HarnessBlock,
    Hashes,
    Item,
    Kind,
    MediaBlock,
    Parser,
    Prediction,
    PromptBlock,
    ProtocolBlock,
    Reference,
    RunConfig,
    Status,
    SystemBlock,
    TaskConfig,
    make_options,
)
from musebench_tasks.evaluation.files import read_predictions
from musebench_tasks.evaluation.scorecard import make_scorecard
from musebench_tasks.tasks import load_task

LINES = 100_000
ITEMS_A_FILM = 5
CATEGORIES = ("cinematic", "game", "painting", "stage")
RULES = Parser(method="rules", version="1")


def seconds(lines: int = LINES) -> dict[str, float]:
    """Seconds to read the file, to score it, and both, and of processor time; task and file are made first, untimed."""
    task = load_task("musebench")
    items, references = _benchmark(lines)
    config = _config(task)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.jsonl"
        path.write_text("".join(f"{each.canonical_json()}\n" for each in _predictions(items)))
        began, worked = time.perf_counter(), time.process_time()
        predictions = read_predictions(path)
        read = time.perf_counter()
        hashes = Hashes(data_sha256="d", references_sha256="r", predictions_sha256="p")
        card = make_scorecard(task, items, references, predictions, config, hashes, source=str(path))
        ended, done = time.perf_counter(), time.process_time()
    accuracy = card.row("accuracy")
    if accuracy is None or accuracy.n != lines:
        raise RuntimeError("not every line was scored")
    return {"read_s": read - began, "score_s": ended - read, "whole_s": ended - began, "processor_s": done - worked}


def _benchmark(lines: int) -> tuple[list[Item], dict[str, Reference]]:
    chance = random.Random(0)
    items, references = [], {}
    for number in range(lines):
        name = f"item-{number:06d}"
        kind = Kind.SINGLE if chance.random() < 0.7 else Kind.MULTI
        texts = [f"option {place} of {name}" + "x" * chance.randrange(9) for place in range(chance.randint(4, 8))]
        film = number // ITEMS_A_FILM
        category = CATEGORIES[film % len(CATEGORIES)]
        items.append(
            Item(
                id=name,
                benchmark="musebench",
                kind=kind,
                question="Why?",
                options=make_options(name, texts),
                cluster_id=f"film-{film:05d}",
                category=category,
                subdomain=f"{category}-{film // len(CATEGORIES) % 2}",
            )
        )
        n_right = 1 if kind is Kind.SINGLE else chance.randint(2, 4)
        right = set(chance.sample(items[-1].option_ids, n_right))
        in_order = tuple(each for each in items[-1].option_ids if each in right)
        references[name] = Reference(item_id=name, answer=in_order)
    return items, references


def _predictions(items: list[Item]) -> list[Prediction]:
    chance = random.Random(1)
    return [_prediction(item, chance) for item in items]


def _prediction(item: Item, chance: random.Random) -> Prediction:
    read = chance.random() < 0.97
    n_answers = 1 if item.kind is Kind.SINGLE else chance.randint(1, 4)
    return Prediction(
        item_id=item.id,
        run=0,
        condition=Condition.FULL,
        option_order=item.option_ids,
        raw="The answer is B." if read else "I cannot tell.",
        parsed=tuple(sorted(chance.sample(item.option_ids, n_answers))) if read else None,
        parser=RULES,
        rule="declaration" if read else "no_answer",
        status=Status.OK if read else Status.UNPARSED,
        finish_reason="stop",
    )


def _config(task: TaskConfig) -> RunConfig:
    return RunConfig(
        task=task.task,
        benchmark=BenchmarkBlock(name="musebench", version="1", split="test", data_sha256="d"),
        system=SystemBlock(name="made up"),
        prompt=PromptBlock(id="p", sha256="s", template="p.jinja"),
        decoding=DecodingBlock(),
        media=MediaBlock(),
        protocol=ProtocolBlock(conditions=(Condition.FULL,), runs=1, option_order="stored", seed=42),
        harness=HarnessBlock(version="1"),
    )


def main() -> None:
    for name, taken in seconds().items():
        print(f"{name:11} {taken:6.2f}")


if __name__ == "__main__":
    main()
