"""`validate`: files against their schemas, with the code that reads them in a run and on a leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, Problems
from musebench_tasks.base.records import (
    ERRATA_FILE,
    PUBLISHED_FILE,
    SUBMISSION_FILE,
    RunConfig,
    RunScores,
    Submission,
    TaskConfig,
)
from musebench_tasks.base.text import counted
from musebench_tasks.evaluation.errata import read_errata
from musebench_tasks.evaluation.files import (
    prediction_problems,
    read_predictions,
    read_scorecard,
    scorecard_problems,
)
from musebench_tasks.evaluation.llm_judge_replies import JUDGE_FILE, read_judge_replies
from musebench_tasks.evaluation.run_scores import score_folder
from musebench_tasks.evaluation.task_data import load_data
from musebench_tasks.inference.journal import read_journal
from musebench_tasks.inference.run_folder import (
    PREDICTIONS_FILE,
    RUN_FILE,
    SCORES_FILE,
    TASK_FILE,
    read_run_config,
    read_task,
    run_folders,
)
from musebench_tasks.submissions.board_folder import gathered
from musebench_tasks.submissions.check import Benchmarks, benchmark_problems, check_submission, doubtful_answers
from musebench_tasks.submissions.check_run_config import declared_problems
from musebench_tasks.submissions.published import read_published
from musebench_tasks.submissions.verify import moved_words
from musebench_tasks.tasks import check_file, leads_elsewhere, load_task
from musebench_tasks.tasks.schema import read_strictly


@dataclass(frozen=True)
class Found:
    """What came of looking at one file or folder: it is valid, or has problems."""

    path: Path
    words: tuple[str, ...] = ()
    """What it is, a line each; of a folder one for each of its files."""
    problems: tuple[Problem, ...] = ()
    is_submission: bool = False


def validate(path: str | Path, *, as_submission: bool = False, task: str | None = None) -> str:
    """What a valid file or folder is, in words; InputError with every problem otherwise.

    Predictions with a run.yaml beside them are also joined to its plan, so that an id nobody planned shows. A folder
    with a submission.yaml, or any folder with `as_submission`, is checked as a pull request's check does; other folders
    are runs. A board, or a part of one, is checked submission by submission: those were accepted before, so data and
    answers may have moved on since, where errata.yaml leads from theirs to those here. `task`: name or YAML file of the
    task, where it is not known here by the name in run.yaml.
    """
    found = tuple(validate_each(path, as_submission=as_submission, task=task))
    Problems(problem for each in found for problem in each.problems).refuse(InputError)
    return "\n".join(line for each in found for line in each.words)


def validate_each(path: str | Path, *, as_submission: bool = False, task: str | None = None) -> Iterator[Found]:
    """As `validate`, but one by one: each submission of a board, else the file or folder itself."""
    path = Path(path)
    board = gathered(path)
    if board.strays:
        yield Found(path, problems=board.strays)
    if not board.folders:
        yield _one(path, as_submission, task)
        return
    benchmarks = _benchmarks(task)
    for folder in board.folders:
        try:
            words = f"{folder.relative_to(path)}: {_submission(folder, benchmarks, is_stored=True)}"
            yield Found(folder, (words,), is_submission=True)
        except InputError as error:
            yield Found(folder, problems=error.at(place=str(folder)).problems, is_submission=True)


def _one(path: Path, as_submission: bool, task: str | None) -> Found:
    try:
        if as_submission or (path / SUBMISSION_FILE).is_file():
            return Found(path, (_submission(path, _benchmarks(task)),), is_submission=True)
        own = None if task is None else load_task(task)
        if path.is_dir():
            return Found(path, tuple(_run(path, own)))
        if not path.is_file():
            raise InputError(Problem("there is no such file.", place=str(path)))
        return Found(path, (_file(path, own),))
    except InputError as error:
        return Found(path, problems=error.problems)


def _benchmarks(task: str | None) -> Benchmarks:
    own = None if task is None else load_task(task)
    return Benchmarks({own.task: own} if own else None)


def _submission(folder: Path, benchmarks: Benchmarks, *, is_stored: bool = False) -> str:
    checked = check_submission(folder, benchmarks, is_stored=is_stored)
    moved = moved_words(checked.stored, checked.card, has_rekeyed=bool(benchmarks.rekeyed(checked.data.task)))
    return (
        f"valid submission of {checked.card.task} · {checked.card.system}, "
        f"{counted(len(checked.predictions), 'prediction')}, "
        f"by {checked.submission.submitter} (scorer {checked.card.scorer_version})"
        f"{f', {moved}' if moved else ''}"
    )


def _run(folder: Path, task: TaskConfig | None) -> Iterator[str]:
    """What every file of every MODEL/TASK folder is."""
    problems = Problems()
    for each in run_folders(folder):
        for name in (RUN_FILE, PREDICTIONS_FILE, SCORES_FILE):
            if (each / name).is_file():
                try:
                    yield f"{(each / name).relative_to(folder)}: {_file(each / name, task)}"
                except InputError as error:
                    problems.add(*error.problems)
    problems.refuse(InputError)


def _file(file: Path, task: TaskConfig | None = None) -> str:
    if file.name == RUN_FILE:
        return _config(file, task)
    if file.parent.name == "responses" and file.suffix == ".jsonl":
        return counted(sum(1 for _ in read_journal(file)), "valid response")
    if file.name == JUDGE_FILE:
        return counted(len(read_judge_replies(file)), "valid reply of a judge", "valid replies of a judge")
    if file.name == PUBLISHED_FILE:
        return _published(file, task)
    if file.name in _NAMED:
        return _NAMED[file.name](file)
    if file.suffix == ".jsonl":
        return _predictions(file, task)
    if file.suffix in (".yaml", ".yml"):
        Problems(check_file(file)).refuse(InputError)
        return "valid task, group or suite"
    known = f"run.yaml, predictions.jsonl, judge.jsonl, scores.json, {SUBMISSION_FILE}, {ERRATA_FILE}, {PUBLISHED_FILE}"
    found = f"validate knows {known}, task and suite YAML, and folders that hold them."
    raise InputError(Problem(found, place=str(file)))


def _config(file: Path, task: TaskConfig | None) -> str:
    config = read_strictly(file, RunConfig)
    if leads_elsewhere(config.task):
        is_path = Problem(f'"{config.task}" is a path.', "A run names its task by name.", column="task")
        _refuse_fields(file, [is_path])
    try:
        task = task or read_task(file.parent, config)
    except InputError as error:
        if (file.parent / TASK_FILE).is_file():
            raise
        (first, *_) = error.problems
        _refuse_fields(file, [Problem(first.text, "One of your own: --task FILE.", column="task")])
        raise
    _refuse_fields(file, declared_problems(task, (), config))
    return f"valid run configuration of {config.task} · {config.system.name}"


def _errata(file: Path) -> str:
    return f"valid errata from {counted(len(read_errata(file)), 'older version')}"


def _published(file: Path, task: TaskConfig | None) -> str:
    return counted(len(read_published(file, {task.task: task} if task else None)), "valid published row")


def _submission_file(file: Path) -> str:
    return f"valid {SUBMISSION_FILE} by {read_strictly(file, Submission).submitter}"


def _refuse_fields(file: Path, problems: Iterable[Problem]) -> None:
    """InputError of what is wrong with fields of a file."""
    Problems(each.at(place=str(file), noun="field") for each in problems).refuse(InputError)


def _scores(file: Path) -> str:
    """One scorecard beside a run.yaml, or all of a run."""
    if (file.parent / RUN_FILE).is_file():
        Problems(scorecard_problems(file)).refuse(InputError)
        card = read_scorecard(file)
        return f"valid scorecard of {card.task} · {card.system}"
    try:
        cards = RunScores.model_validate_json(file.read_bytes()).scorecards
    except (OSError, ValidationError) as error:
        advice = "Make them again with `musebench score`."
        raise InputError(Problem("not the scores of a run.", advice, place=str(file))) from error
    return counted(len(cards), "valid scorecard")


def _predictions(file: Path, task: TaskConfig | None) -> str:
    Problems(prediction_problems(file)).refuse(InputError)
    predictions = read_predictions(file)
    valid = counted(len(predictions), "valid prediction")
    seen: dict[tuple[str, int, str], int] = {}
    for line, each in enumerate(predictions, start=1):
        first = seen.setdefault((each.item_id, each.run, each.condition), line)
        if first != line:
            about = f'item "{each.item_id}", run {each.run}, condition {each.condition}'
            found = f"{about} stands in line {first} already."
            raise InputError(Problem(found, "Keep one of the two.", place=str(file), line=line))
    if (file.parent / RUN_FILE).is_file():
        config = read_run_config(file.parent / RUN_FILE)
        asked = config.benchmark
        own = task or read_task(file.parent, config)
        data = load_data(own, asked.selection, asked_on=asked.data_sha256)
        card = score_folder(file.parent, predictions=file, data=data, write=False)
        _refuse_fields(
            file.parent / RUN_FILE,
            [
                *benchmark_problems(config, data, is_stored=True),
                *doubtful_answers(file, data, config, predictions, may_be_judged=True),
            ],
        )
        planned = sum(count.planned for count in card.counts if count.field is None)
        missing = f"; {planned - len(predictions)} of {planned} are missing" if planned > len(predictions) else ""
        return f"{valid}, all of them planned by {RUN_FILE}{missing}"
    return f"{valid} (no {RUN_FILE} beside them, so the plan was not checked)"


_NAMED: dict[str, Callable[[Path], str]] = {
    SCORES_FILE: _scores,
    SUBMISSION_FILE: _submission_file,
    ERRATA_FILE: _errata,
}
