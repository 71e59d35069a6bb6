"""scores.json of a MODEL/TASK folder, made from run.yaml, predictions.jsonl and the references, byte for byte."""

from __future__ import annotations

from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import sha256_of, write_text
from musebench_tasks.base.records import Hashes, RunConfig, RunScores, Scorecard, TaskConfig
from musebench_tasks.evaluation.files import read_predictions, read_scorecard
from musebench_tasks.evaluation.join import join
from musebench_tasks.evaluation.llm_judge_replies import JUDGE_FILE, judge_predictions
from musebench_tasks.evaluation.scorecard import as_it_was_asked, make_scorecard
from musebench_tasks.evaluation.task_data import TaskData, load_data
from musebench_tasks.inference.run_folder import (
    PREDICTIONS_FILE,
    RUN_FILE,
    SCORES_FILE,
    read_run_config,
    read_task,
    run_folders,
    write_predictions_file,
)
from musebench_tasks.models.llm_judge import TextJudge
from musebench_tasks.tasks import conditions_of, planned


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
