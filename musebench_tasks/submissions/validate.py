"""`validate`: files against their schemas, with the code that reads them in a run and on a leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import lines
from musebench_tasks.base.records import ERRATA_FILE, PUBLISHED_FILE, SUBMISSION_FILE, RunConfig, RunScores, TaskConfig
from musebench_tasks.base.text import counted
from musebench_tasks.evaluation import read_predictions, read_scorecard
from musebench_tasks.evaluation.llm_judge_replies import JUDGE_FILE, read_judge_replies
from musebench_tasks.evaluation.run_scores import score_folder
from musebench_tasks.evaluation.strict_files import (
    prediction_problems,
    read_errata,
    read_submission,
    scorecard_problems,
    yaml_problems,
)
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


@dataclass(frozen=True)
class Found:
    """What came of looking at one file or folder: it is valid, or has problems."""

    path: Path
    words: tuple[str, ...] = ()
    """What it is, a line each; of a folder one for each of its files."""
    problems: tuple[str, ...] = ()
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
    _refuse([problem for each in found for problem in each.problems])
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
        except InputError as problem:
            lines = tuple(_with_path(line, folder) for line in problem.lines)
            yield Found(folder, problems=lines, is_submission=True)


def _with_path(line: str, folder: Path) -> str:
    return line if str(folder) in line else f"{folder}: {line}"


def _one(path: Path, as_submission: bool, task: str | None) -> Found:
    try:
        if as_submission or (path / SUBMISSION_FILE).is_file():
            return Found(path, (_submission(path, _benchmarks(task)),), is_submission=True)
        own = None if task is None else load_task(task)
        if path.is_dir():
            return Found(path, tuple(_run(path, own)))
        if not path.is_file():
            raise InputError(f"{path}: there is no such file.")
        return Found(path, (_file(path, own),))
    except InputError as problem:
        return Found(path, problems=tuple(problem.lines))


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
    problems: list[str] = []
    for each in run_folders(folder):
        for name in (RUN_FILE, PREDICTIONS_FILE, SCORES_FILE):
            if (each / name).is_file():
                try:
                    yield f"{(each / name).relative_to(folder)}: {_file(each / name, task)}"
                except InputError as problem:
                    problems += problem.lines
    if problems:
        raise InputError("\n".join(problems))


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
        _refuse(lines(check_file(file)))
        return "valid task, group or suite"
    raise InputError(
        f"{file}: validate knows run.yaml, predictions.jsonl, judge.jsonl, scores.json, {SUBMISSION_FILE}, "
        f"{ERRATA_FILE}, {PUBLISHED_FILE}, task and suite YAML, and folders that hold them."
    )


def _config(file: Path, task: TaskConfig | None) -> str:
    _refuse(yaml_problems(file, RunConfig))
    config = read_run_config(file)
    if leads_elsewhere(config.task):
        raise InputError(f'{file}, field "task": "{config.task}" is a path. A run names its task by name.')
    try:
        task = task or read_task(file.parent, config)
    except InputError as problem:
        if (file.parent / TASK_FILE).is_file():
            raise
        raise InputError(f'{file}, field "task": {problem.text} One of your own: --task FILE.') from problem
    _refuse([f'{file}, field "{field}": {problem}' for field, problem in declared_problems(task, (), config)])
    return f"valid run configuration of {config.task} · {config.system.name}"


def _errata(file: Path) -> str:
    return f"valid errata from {counted(len(read_errata(file)), 'older version')}"


def _published(file: Path, task: TaskConfig | None) -> str:
    return counted(len(read_published(file, {task.task: task} if task else None)), "valid published row")


def _submission_file(file: Path) -> str:
    return f"valid {SUBMISSION_FILE} by {read_submission(file).submitter}"


def _refuse(problems: list[str]) -> None:
    if problems:
        raise InputError("\n".join(problems))


def _scores(file: Path) -> str:
    """One scorecard beside a run.yaml, or all of a run."""
    if (file.parent / RUN_FILE).is_file():
        _refuse(scorecard_problems(file))
        card = read_scorecard(file)
        return f"valid scorecard of {card.task} · {card.system}"
    try:
        cards = RunScores.model_validate_json(file.read_bytes()).scorecards
    except (OSError, ValidationError) as problem:
        raise InputError(f"{file}: not the scores of a run. Make them again with `musebench score`.") from problem
    return counted(len(cards), "valid scorecard")


def _predictions(file: Path, task: TaskConfig | None) -> str:
    _refuse(prediction_problems(file))
    predictions = read_predictions(file)
    valid = counted(len(predictions), "valid prediction")
    seen: dict[tuple[str, int, str], int] = {}
    for line, each in enumerate(predictions, start=1):
        first = seen.setdefault((each.item_id, each.run, each.condition), line)
        if first != line:
            raise InputError(
                f'{file} line {line}: item "{each.item_id}", run {each.run}, condition {each.condition} '
                f"stands in line {first} already. Keep one of the two."
            )
    if (file.parent / RUN_FILE).is_file():
        config = read_run_config(file.parent / RUN_FILE)
        asked = config.benchmark
        own = task or read_task(file.parent, config)
        data = load_data(own, asked.selection, asked_on=asked.data_sha256)
        card = score_folder(file.parent, predictions=file, data=data, write=False)
        _refuse(
            [
                *benchmark_problems(file.parent / RUN_FILE, config, data, is_stored=True),
                *doubtful_answers(file, data, config, predictions, may_be_judged=True),
            ]
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
