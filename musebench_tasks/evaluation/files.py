"""predictions.jsonl and scores.json, read strictly: files come from others too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Prediction, Record, Scorecard
from musebench_tasks.base.strict_text import first_problems, strict_json, strict_text
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.base.validation import faults
from musebench_tasks.evaluation.collection import paused_collection
from musebench_tasks.evaluation.definitions import CHAPTERS
from musebench_tasks.evaluation.metrics.music import EACH_METRE
from musebench_tasks.evaluation.vocabulary import unknown_words

LONGEST_ANSWER = 500_000
"""Characters of one raw text in a file of others: more than any model writes."""


@paused_collection()
def read_predictions(path: Path) -> list[Prediction]:
    """The predictions of a JSONL file; InputError names file, line and field of all that is wrong."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise not_read(path, error) from error
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    try:
        return [Prediction.model_validate_json(line, strict=True) for line in lines]
    except ValidationError as error:
        raise InputError(*prediction_problems(path)) from error


def prediction_problems(path: Path) -> list[Problem]:
    """What strict readers refuse in a predictions file; items are not looked at here."""
    return first_problems(_prediction_problems(path))


def _prediction_problems(path: Path) -> Iterator[Problem]:
    text = strict_text(path)
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        for problem in _line_problems(line, str(path), number):
            yield problem.at(place=str(path), line=number, noun="field")


def _line_problems(line: str, place: str, number: int) -> Iterator[Problem]:
    if not line.strip():
        yield Problem("is empty.", "Remove the line.")
        return
    try:
        found = strict_json(line, place, number)
    except InputError as error:
        yield from error.problems
        return
    wrong = list(_record_problems(line, found, Prediction))
    yield from wrong
    if not wrong:
        prediction = Prediction.model_validate_json(line, strict=True)
        yield from unknown_words(prediction)
        length = len(prediction.raw or "")
        if length > LONGEST_ANSWER:
            yield Problem(f"has {length} characters; at most {LONGEST_ANSWER} may stand there.", column="raw")


def read_scorecard(file: Path) -> Scorecard:
    """One scores.json of a MODEL/TASK folder."""
    try:
        return Scorecard.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        found, advice = "not a scorecard of this version.", "Make it again with `musebench score`."
        raise InputError(Problem(found, advice, place=str(file))) from error


def scorecard_problems(path: Path) -> list[Problem]:
    """Every way in which a scores.json is no scorecard of known metrics."""
    text = strict_text(path)
    found = strict_json(text, str(path))
    problems = list(_record_problems(text, found, Scorecard))
    if not problems:
        problems = list(_unknown_metrics(Scorecard.model_validate_json(text)))
    return first_problems(each.at(place=str(path), noun="field") for each in problems)


def metric_names() -> list[str]:
    """Every metric id that scores.json may hold, without version."""
    ids = (each for chapter in CHAPTERS.values() for definition in chapter for each in definition.ids)
    return sorted({each.rpartition("/")[0] for each in ids})


def _unknown_metrics(card: Scorecard) -> Iterator[Problem]:
    known = metric_names()
    families = tuple(name.removesuffix(EACH_METRE) for name in known if name.endswith(EACH_METRE))
    for group in ("scores", "baselines"):
        for place, row in enumerate(getattr(card, group)):
            if row.metric not in known and not row.metric.startswith(families):
                unknown = f'"{row.metric}" is no metric{nearest(row.metric, known)}.'
                yield Problem(unknown, location=(group, place, "metric"))


def _record_problems(text: str, found: Any, record: type[Record]) -> Iterator[Problem]:
    """What is wrong with the fields of one JSON text; pydantic reads the text itself, so that types stay strict."""
    if not isinstance(found, dict):
        yield Problem(f"should hold fields in braces, found {shown(found)}.")
        return
    try:
        record.model_validate_json(text, strict=True)
    except ValidationError as error:
        yield from faults(error, record, found)
