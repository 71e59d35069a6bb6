"""`score`: scores.json made again from run.yaml, predictions.jsonl and the references, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from musebench_tasks.api.data import TaskData, load_data
from musebench_tasks.api.llm_judge import JUDGE_FILE, judge_predictions
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import sha256_of, write_text
from musebench_tasks.base.records import Hashes, RunConfig, RunScores, Scorecard, TaskConfig
from musebench_tasks.evaluation import join, make_scorecard, read_predictions, read_scorecard
from musebench_tasks.evaluation.scorecard import as_it_was_asked
from musebench_tasks.inference.run_folder import (
    PREDICTIONS_FILE,
    RUN_FILE,
    SCORES_FILE,
    read_run_config,
    read_task,
    run_folders,
    write_predictions_file,
)
from musebench_tasks.models.llm_judge import TextJudge, load_judge
from musebench_tasks.tasks import conditions_of, load_task, planned

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


def score_folder(
    folder: Path,
    *,
    predictions: Path | None = None,
    task: TaskConfig | None = None,
    data: TaskData | None = None,
    judge: TextJudge | None = None,
    offline: bool = False,
    write: bool = True,
) -> Scorecard:
    """Score one MODEL/TASK folder; InputError where run.yaml, predictions or data do not fit together.

    `data` saves loading them again where they are at hand. `judge` first reads what the rules left unparsed.
    """
    predictions = predictions or folder / PREDICTIONS_FILE
    if not (folder / RUN_FILE).is_file():
        raise InputError(f"{folder}: {RUN_FILE} is missing; it says what the predictions were made from.")
    if not predictions.is_file():
        raise InputError(f"{folder}: {PREDICTIONS_FILE} is missing. Finish the run: give its command again.")
    config = read_run_config(folder / RUN_FILE)
    asked = config.benchmark
    data = data or load_data(
        task or read_task(folder, config), asked.selection, offline=offline, asked_on=asked.data_sha256
    )
    conditions_of(data.task, config.protocol.conditions)
    if data.benchmark.data_sha256 != asked.data_sha256 and data.erratum is None:
        raise InputError(
            f"{folder / RUN_FILE}: the predictions were made on data {asked.data_sha256[:12]}, the data "
            f"of {data.task.task} here are {data.benchmark.data_sha256[:12]}, and no errata.yaml beside them leads "
            "from the one to the other. Score with the data they were made on."
        )
    if judge is not None and data.erratum is not None:
        raise InputError(f"{folder}: was asked on older data. Have it judged with those, then score it with these.")
    if judge is not None:
        _have_judged(predictions, judge, data, config)
    hashes = Hashes(
        data_sha256=data.benchmark.data_sha256,
        references_sha256=data.references_sha256,
        predictions_sha256=sha256_of(predictions),
        run_sha256=sha256_of(folder / RUN_FILE),
    )
    card = make_scorecard(
        data.task,
        data.items,
        data.references,
        read_predictions(predictions),
        config,
        hashes,
        source=str(predictions),
        erratum=data.erratum,
    )
    if write and data.task.task == config.task:
        write_text(folder / SCORES_FILE, card.canonical_json() + "\n")
    return card


def _have_judged(predictions: Path, judge: TextJudge, data: TaskData, config: RunConfig) -> None:
    """Replace a predictions file by what rules and `judge` read; a file that scoring refuses is not sent anywhere."""
    items = {item.id: item for item in data.items}
    plan = planned(as_it_was_asked(data.task, config), list(items), config.protocol.conditions)
    before = read_predictions(predictions)
    join(plan, data.items, before, str(predictions))
    write_predictions_file(predictions, judge_predictions(before, items, judge, predictions.with_name(JUDGE_FILE)))


def load_scorecards(path: str | Path) -> tuple[Scorecard, ...]:
    """The scorecards that lie in a run, or in one MODEL/TASK folder of it."""
    files = [folder / SCORES_FILE for folder in run_folders(Path(path))]
    return tuple(read_scorecard(file) for file in files if file.is_file())


def write_all_scores(folder: Path) -> None:
    """runs/NAME/scores.json: every scorecard of the run."""
    scores = RunScores(scorecards=load_scorecards(folder))
    write_text(folder / SCORES_FILE, scores.canonical_json() + "\n")


def least_covered(cards: Iterable[Scorecard]) -> tuple[float, str]:
    """The lowest coverage of any condition of any scorecard (0 to 1), and whose it is; 1 where nothing was planned."""
    found = [
        (count.coverage, f"{card.task} · {card.system}, {count.condition.value}")
        for card in cards
        for count in card.counts
        if count.field is None and count.coverage is not None
    ]
    return min(found, key=lambda each: each[0], default=(1.0, ""))


def _existing(path: str | Path) -> Path:
    if not Path(path).exists():
        raise InputError(f"{path}: there is no such file or folder.")
    return Path(path)
