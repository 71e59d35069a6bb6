"""`validate`: one file against its schema, with the code that reads it in a run."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from musebench_tasks.api.judging import JUDGE_FILE, read_judge_replies
from musebench_tasks.api.scoring import score_folder
from musebench_tasks.errors import InputError
from musebench_tasks.evaluation import read_predictions, read_scorecard
from musebench_tasks.inference.journal import read_journal
from musebench_tasks.inference.run_folder import RUN_FILE, SCORES_FILE, read_run_config
from musebench_tasks.records import RunScores
from musebench_tasks.tasks import check_file


def validate(file: str | Path) -> str:
    """What a valid file is, in words; InputError with every problem otherwise.

    Predictions with a run.yaml beside them are also joined to its plan, so that an id nobody planned shows.
    """
    file = Path(file)
    if file.is_dir():
        raise InputError(f"{file}: is a folder. Name one file of it.")
    if not file.is_file():
        raise InputError(f"{file}: there is no such file.")
    if file.parent.name == "responses" and file.suffix == ".jsonl":
        return f"{sum(1 for _ in read_journal(file))} valid responses"
    if file.name == RUN_FILE:
        config = read_run_config(file)
        return f"valid run configuration of {config.task} · {config.system.name}"
    if file.name == JUDGE_FILE:
        return f"{len(read_judge_replies(file))} valid replies of a judge"
    if file.suffix == ".jsonl":
        return _predictions(file)
    if file.name == SCORES_FILE:
        return _scores(file)
    if file.suffix in (".yaml", ".yml"):
        problems = check_file(file)
        if problems:
            raise InputError("\n".join(problems))
        return "valid task, group or suite"
    raise InputError(
        f"{file}: validate knows run.yaml, predictions.jsonl, judge.jsonl, scores.json, and task and suite YAML."
    )


def _scores(file: Path) -> str:
    """One scorecard beside a run.yaml, or all of a run."""
    if (file.parent / RUN_FILE).is_file():
        card = read_scorecard(file)
        return f"valid scorecard of {card.task} · {card.system}"
    try:
        cards = RunScores.model_validate_json(file.read_text(encoding="utf-8")).scorecards
    except (OSError, ValidationError) as problem:
        raise InputError(f"{file}: not the scores of a run. Make them again with `musebench score`.") from problem
    return f"{len(cards)} valid scorecards"


def _predictions(file: Path) -> str:
    predictions = read_predictions(file)
    seen: dict[tuple[str, int, str], int] = {}
    for line, each in enumerate(predictions, start=1):
        first = seen.setdefault((each.item_id, each.run, each.condition), line)
        if first != line:
            raise InputError(
                f'{file} line {line}: item "{each.item_id}", run {each.run}, condition {each.condition} '
                f"stands in line {first} already. Keep one of the two."
            )
    if (file.parent / RUN_FILE).is_file():
        card = score_folder(file.parent, predictions=file, write=False)
        planned = sum(count.planned for count in card.counts if count.field is None)
        missing = f"; {planned - len(predictions)} of {planned} are missing" if planned > len(predictions) else ""
        return f"{len(predictions)} valid predictions, all of them planned by {RUN_FILE}{missing}"
    return f"{len(predictions)} valid predictions (no {RUN_FILE} beside them, so the plan was not checked)"
