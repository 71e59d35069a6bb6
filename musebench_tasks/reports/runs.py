"""What lies in run folders: configuration, scores and predictions of every system on every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.errors import InputError
from musebench_tasks.evaluation import read_predictions, read_scorecard
from musebench_tasks.files import sha256_of
from musebench_tasks.inference.journal import JournalReader
from musebench_tasks.inference.run_folder import (
    PREDICTIONS_FILE,
    RUN_FILE,
    SCORES_FILE,
    read_run_config,
    run_folders,
)
from musebench_tasks.records import Condition, Prediction, RunConfig, Scorecard

AnswerKey = tuple[str, int, Condition]
"""(item id, run, condition)."""


@dataclass(frozen=True)
class Part:
    """One system on one task: a MODEL/TASK folder with its configuration and scores."""

    run: Path
    folder: Path
    config: RunConfig
    card: Scorecard
    """Its `system` is the name shown, which tells runs apart where one system was run twice."""


@dataclass(frozen=True)
class Attempt:
    """How a request went, from the journals."""

    attempts: int
    error: str | None
    rank: tuple[bool, int, int]


def read_parts(runs: Sequence[Path]) -> tuple[list[Part], list[str]]:
    """The scored parts of `runs` in their order, and a line for each folder that is not scored as it lies there.

    Raises InputError where no run lies, and where nothing in them is scored.
    """
    parts: list[Part] = []
    problems: list[str] = []
    for run in runs:
        for folder in run_folders(run):
            if not (folder / SCORES_FILE).is_file():
                problems.append(f"{folder} is not scored yet. Finish the run: give its command again.")
                continue
            part = Part(run, folder, read_run_config(folder / RUN_FILE), read_scorecard(folder / SCORES_FILE))
            parts.append(part)
            problems += _staleness(part)
    if not parts:
        raise InputError(" ".join(problems) or "Name at least one run folder.")
    return _told_apart(parts), problems


def predictions_of(part: Part) -> dict[AnswerKey, Prediction]:
    """The predictions of a part by item, run and condition."""
    found = read_predictions(part.folder / PREDICTIONS_FILE)
    return {(each.item_id, each.run, each.condition): each for each in found}


def attempts_of(part: Part) -> dict[AnswerKey, Attempt]:
    """How each request went; empty where the journals do not lie beside the predictions."""
    best: dict[AnswerKey, Attempt] = {}
    for entry in JournalReader(part.folder).read_new():
        response = entry.response
        key = (response.item_id, response.run, response.condition)
        if key not in best or entry.rank < best[key].rank:
            best[key] = Attempt(response.attempts, response.error, entry.rank)
    return best


def _staleness(part: Part) -> Iterable[str]:
    predictions = part.folder / PREDICTIONS_FILE
    if not predictions.is_file():
        yield f"{predictions} is missing, so its answers are not shown."
    elif sha256_of(predictions) != part.card.hashes.predictions_sha256:
        yield f"{predictions} changed after it was scored. Score it again: musebench score {part.folder}"


def _told_apart(parts: Sequence[Part]) -> list[Part]:
    """Parts whose system names are different within a task: the run's name, or its path, is added where needed."""
    seen = Counter((part.card.task, part.card.system) for part in parts)
    names = Counter(run.resolve().name for run in dict.fromkeys(part.run for part in parts))
    named = []
    for part in parts:
        card = part.card
        if seen[card.task, card.system] > 1:
            name = part.run.resolve().name
            card = card.model_copy(update={"system": f"{card.system} ({part.run if names[name] > 1 else name})"})
        named.append(Part(part.run, part.folder, part.config, card))
    return named
