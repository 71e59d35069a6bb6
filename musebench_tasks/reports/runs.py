"""What lies in run folders: configuration, scores and predictions of every system on every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.files import sha256_of
from musebench_tasks.base.records import Condition, Erratum, Prediction, Response, RunConfig, Scorecard, Status
from musebench_tasks.base.records.enums import FAILURES
from musebench_tasks.evaluation.errata import changes_words, erratum_since, load_errata
from musebench_tasks.evaluation.files import read_predictions, read_scorecard
from musebench_tasks.inference.journal import JournalEntry, JournalReader, keep_best, read_responses
from musebench_tasks.inference.run_folder import (
    PREDICTIONS_FILE,
    RUN_FILE,
    SCORES_FILE,
    read_run_config,
    read_task,
    run_folders,
)
from musebench_tasks.items import load_references

AnswerKey = tuple[str, int, Condition]
"""(item id, run, condition)."""


LEFT_OUT = "The tables show the scores from before; items, differences and figures leave its answers out."
"""What a report does with a part that is not scored as it lies there."""


class Stale(NamedTuple):
    """Why the answers of a part are not those that were scored, and what to do."""

    why: str
    repair: str


@dataclass(frozen=True)
class Part:
    """One system on one task: a MODEL/TASK folder with its configuration and scores."""

    run: Path
    folder: Path
    config: RunConfig
    card: Scorecard
    """Its `system` is the name shown, which tells runs apart where one system was run twice."""
    stale: Stale | None = None
    """Why its answers are not those that were scored; None where they are."""


@dataclass(frozen=True)
class Attempt:
    """How a request went, from the journals."""

    attempts: int
    error: str | None
    frame_times_s: tuple[float, ...] | None = None
    """When the frames that it got were on display, where that follows from no rule."""


def read_parts(runs: Sequence[Path]) -> tuple[list[Part], list[str]]:
    """The scored parts of `runs` in their order, and a report's line for each folder not scored as it lies there.

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
            stale = _staleness(part)
            parts.append(replace(part, stale=stale))
            problems += [f"{stale.why} {LEFT_OUT} {stale.repair}"] if stale else []
    if not parts:
        raise InputError(" ".join(problems) or "Name at least one run folder.")
    return _told_apart(parts), problems


def predictions_of(part: Part) -> dict[AnswerKey, Prediction]:
    """The predictions of a part by item, run and condition."""
    found = read_predictions(part.folder / PREDICTIONS_FILE)
    return {(each.item_id, each.run, each.condition): each for each in found}


def attempts_of(part: Part, predictions: Mapping[AnswerKey, Prediction]) -> dict[AnswerKey, Attempt]:
    """How each request went; empty where the journals do not lie beside the predictions.

    A question that runs or conditions put in the very same way is asked once, and stands in the journal under the
    first of them; the others went as that one did. Failures that were asked again count among the attempts.
    """
    best: dict[str, JournalEntry] = {}
    failed: Counter[str] = Counter()
    for entry in JournalReader(part.folder).read_new():
        response = entry.response
        if response.failure is not None:
            failed[response.key] += response.attempts
        keep_best(best, JournalEntry(_without_answer(response), entry.worker, entry.line, entry.offset))
    found = {_key_of(entry.response): _attempt(entry.response, failed) for entry in best.values()}
    alone = set(predictions) - set(found) if found else set()
    if alone:
        found |= _shared(part, predictions, alone, failed)
    return found


def _without_answer(response: Response) -> Response:
    """What is kept of each response: its text may be long."""
    return response.model_copy(update={"raw": None, "option_probabilities": None})


def _attempt(response: Response, failed: Mapping[str, int]) -> Attempt:
    earlier = failed.get(response.key, 0)
    count = response.attempts + earlier if response.failure is None else earlier
    return Attempt(count, response.error, response.received.frame_times_s if response.received else None)


def _shared(
    part: Part, predictions: Mapping[AnswerKey, Prediction], alone: set[AnswerKey], failed: Mapping[str, int]
) -> dict[AnswerKey, Attempt]:
    """The attempts of requests without a line of their own: those of the item's response that their answer is from."""
    items = {item_id for item_id, _, _ in alone}
    by_item: dict[str, list[Response]] = {}
    for response in read_responses(part.folder).values():
        if response.item_id in items:
            by_item.setdefault(response.item_id, []).append(response)
    found: dict[AnswerKey, Attempt] = {}
    for key in alone:
        like = [each for each in by_item.get(key[0], ()) if _is_from(predictions[key], each)]
        if like:
            found[key] = _attempt(min(like, key=lambda each: (each.condition is not key[2], each.run)), failed)
    return found


def _is_from(prediction: Prediction, response: Response) -> bool:
    """Whether a prediction may have been read from a response."""
    ended = prediction.status if prediction.status in FAILURES else None
    asked = (prediction.option_order, prediction.raw, prediction.option_probabilities, prediction.finish_reason, ended)
    return asked == (
        response.option_order,
        response.raw,
        response.option_probabilities,
        response.finish_reason,
        response.failure,
    )


def _key_of(response: Response) -> AnswerKey:
    return (response.item_id, response.run, response.condition)


def _staleness(part: Part) -> Stale | None:
    """What is wrong where the predictions are not those that were scored, and the command that repairs it."""
    predictions = part.folder / PREDICTIONS_FILE
    if not predictions.is_file():
        return Stale(f"{predictions} is missing.", "Write it again: give the run's command again.")
    if sha256_of(predictions) == part.card.hashes.predictions_sha256:
        return _unfollowed_erratum(part)
    found, scored = _lines(predictions), _scored(part.card)
    counted = f" ({found} answers, {scored} were scored)" if found != scored else ""
    lost = "If answers were lost, give the run's command again first. " if found < scored else ""
    return Stale(f"{predictions} changed after it was scored{counted}.", f"{lost}{_score_again(part)}")


def _score_again(part: Part) -> str:
    return f"Score it again: musebench score {quote(str(part.folder))}"


def _unfollowed_erratum(part: Part) -> Stale | None:
    """That the data here say what was wrong with those that were asked, and the scores do not know of it yet.

    Only what lies on this machine is looked at; data that cannot be read say nothing here.
    """
    hashes = part.card.hashes
    try:
        task = read_task(part.folder, part.config)
        erratum = erratum_since(load_errata(task, offline=True), part.config.benchmark.data_sha256)
        if erratum is None or (
            _is_followed(part.card, erratum)
            and hashes.references_sha256 == load_references(task, offline=True).references_sha256
        ):
            return None
    except MuseError:
        return None
    why = f"{part.folder} was scored before an erratum of its data ({changes_words(erratum)})."
    return Stale(why, _score_again(part))


def _is_followed(card: Scorecard, erratum: Erratum) -> bool:
    """Whether the plan that was scored is the one after an erratum."""
    return card.errata == erratum or (card.errata is None and not erratum.retired)


def _lines(file: Path) -> int:
    with file.open("rb") as lines:
        return sum(bool(line.strip()) for line in lines)


def _scored(card: Scorecard) -> int:
    """How many predictions a scorecard was made from."""
    whole = [count for count in card.counts if count.field is None]
    return sum(count.planned - count.statuses.get(Status.MISSING.value, 0) for count in whole)


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
        named.append(replace(part, card=card))
    return named
