"""`score`: scores.json made again from run.yaml, predictions.jsonl and the references, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Scorecard
from musebench_tasks.evaluation.run_scores import score_folder, write_all_scores
from musebench_tasks.inference.run_folder import run_folders
from musebench_tasks.models.llm_judge import load_judge
from musebench_tasks.tasks import load_task

MIN_COVERAGE = 0.98
"""Below this coverage a run ends with exit code 3."""


def score(
    path: str | Path,
    *,
    task: str | None = None,
    judge: str | None = None,
    offline: bool = False,
    write: bool = True,
) -> Scorecard:
    """Score the predictions of one system on one task again.

    `path` is a MODEL/TASK folder, a predictions file with run.yaml beside it, or a run that holds just one of them.
    `task` scores as another task of the same items than run.yaml names. `write` replaces scores.json (only for
    the task that run.yaml names). `judge` (`openai:MODEL@URL`) has a model read the choice answers that the rules left
    unparsed: predictions.jsonl is marked with what it read, its replies are kept in judge.jsonl beside it.
    Raises InputError for a run of several: `score_run` scores those.
    """
    path = _existing(path)
    config = None if task is None else load_task(task)
    if judge is not None and not write:
        raise InputError("A judge's readings are kept with the predictions: write=False cannot be used with a judge.")
    reader = None if judge is None else load_judge(judge)
    if path.is_file():
        return score_folder(path.parent, predictions=path, task=config, judge=reader, offline=offline, write=write)
    folders = run_folders(path)
    if len(folders) > 1:
        found = ", ".join(str(folder.relative_to(path)) for folder in folders)
        raise InputError(f"{path}: holds {len(folders)} scored folders ({found}). Name one, or use score_run.")
    return score_folder(folders[0], task=config, judge=reader, offline=offline, write=write)


def score_run(
    path: str | Path,
    *,
    task: str | None = None,
    judge: str | None = None,
    offline: bool = False,
    write: bool = True,
) -> tuple[Scorecard, ...]:
    """Score everything that `path` holds again: a run, or what `score` takes."""
    path = _existing(path)
    folders = [path] if path.is_file() else run_folders(path)
    cards = tuple(score(folder, task=task, judge=judge, offline=offline, write=write) for folder in folders)
    if write and folders != [path]:
        write_all_scores(path)
    return cards


def least_covered(cards: Iterable[Scorecard]) -> tuple[float, str]:
    """The lowest coverage of any condition of any scorecard (0 to 1), and whose it is; 1 where nothing was planned."""
    found = [
        (count.coverage, f"{card.task} · {card.system}, {count.condition!s}")
        for card in cards
        for count in card.counts
        if count.field is None and count.coverage is not None
    ]
    return min(found, key=lambda each: each[0], default=(1.0, ""))


def _existing(path: str | Path) -> Path:
    if not Path(path).exists():
        raise InputError(f"{path}: there is no such file or folder.")
    return Path(path)
