"""`verify`: scores.json made again from the data, predictions.jsonl and run.yaml, and compared byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.files import sha256_of
from musebench_tasks.base.problems import Problem, Problems
from musebench_tasks.base.records import SUBMISSION_FILE, RunScores, Scorecard, Submission, TaskConfig
from musebench_tasks.base.strict_text import strict_json, strict_text
from musebench_tasks.base.text import shown
from musebench_tasks.evaluation.errata import load_errata
from musebench_tasks.evaluation.files import read_scorecard
from musebench_tasks.evaluation.run_scores import load_scorecards, score_folder
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
from musebench_tasks.tasks import leads_elsewhere, load_task
from musebench_tasks.tasks.schema import read_strictly

_ABSENT = object()
ROWS = ("scores", "baselines")
HASHED = {"run_sha256": RUN_FILE, "predictions_sha256": PREDICTIONS_FILE}
"""Fields of submission.yaml, and the files that they are of."""


def verify(path: str | Path, *, task: str | None = None, offline: bool = False) -> list[str]:
    """One line for each MODEL/TASK folder of a run, or for each submission: that its scores are what its files give.

    What lies on a board and was asked before data or answers changed is of the data of then: where errata.yaml leads
    from those to the data here, the line says so. `task`: a name or YAML file, where run.yaml names one that is not
    known here. MuseError (exit 1) with every difference, the first field of each; InputError for files that cannot be
    scored at all.
    """
    path = Path(path)
    if not path.is_dir():
        advice = "Name a run, one MODEL/TASK folder of it, or a submission."
        raise InputError(Problem("is no folder.", advice, place=str(path)))
    own = None if task is None else load_task(task)
    said: list[str] = []
    problems = Problems()
    board = gathered(path)
    unscored = Problems(board.strays)
    folders = board.folders or tuple(run_folders(path))
    for folder in folders:
        try:
            known = own or _task(folder)
            card = score_folder(folder, task=known, offline=offline, write=False)
        except InputError as error:
            unscored.add(*error.problems)
            continue
        difference = scores_difference(folder / SCORES_FILE, card)
        since = _since(folder, card, known, offline) if board.folders and difference else None
        found = [*_submission_problems(folder), *([difference] if difference and not since else [])]
        problems.add(*found)
        if not found:
            said.append(f"{card.task} · {card.system}: {since or _same(card)}")
    if unscored:
        raise InputError(*unscored, *problems)
    if folders != (path,) and not board.folders and not problems:
        problems.add(*_run_problems(path))
    problems.refuse(MuseError)
    return said


def _same(card: Scorecard) -> str:
    return (
        f"{SCORES_FILE} is what {PREDICTIONS_FILE} and {RUN_FILE} give, byte for byte (data "
        f"{card.hashes.data_sha256[:12]}, scorer {card.scorer_version})"
    )


def _since(folder: Path, card: Scorecard, task: TaskConfig | None, offline: bool) -> str | None:
    """Which data the scores of a stored submission are of, where errata.yaml leads from them to those here."""
    task = task or read_task(folder, read_run_config(folder / RUN_FILE))
    try:
        stored = read_scorecard(folder / SCORES_FILE)
    except InputError:
        return None
    rekeyed = any(each.rekeyed for each in load_errata(task, offline=offline))
    return moved_words(stored, card, has_rekeyed=rekeyed)


def moved_words(stored: Scorecard, card: Scorecard, *, has_rekeyed: bool) -> str | None:
    """Which data or answers stored scores are of, where errata lead from them to those that `card` is scored with.

    None where they are the same, or nothing leads there. `has_rekeyed`: whether any errata of the data change answers.
    """
    before, now = stored.hashes, card.hashes
    if before.data_sha256 != now.data_sha256 and card.errata is not None:
        return f"of the data {before.data_sha256[:12]}; errata.yaml leads from them to {now.data_sha256[:12]}"
    if before.references_sha256 != now.references_sha256 and has_rekeyed:
        return (
            f"of the answers {before.references_sha256[:12]}; errata.yaml leads from them to "
            f"{now.references_sha256[:12]}"
        )
    return None


def scores_difference(path: Path, card: Scorecard) -> Problem | None:
    """What differs first between a scores.json and what the scorer makes of its files now; None where nothing does.

    Another scorer, other data and other answers are named before the numbers that follow from them.
    """
    if not path.is_file():
        return Problem("is missing.", f"Write it: musebench score {quote(str(path.parent))}", place=str(path))
    text = strict_text(path)
    stored = strict_json(text, str(path))
    reason = _reason(stored, card) if isinstance(stored, dict) else None
    if reason is not None:
        return Problem(reason, place=str(path))
    difference = first_difference(text, card.canonical_json() + "\n")
    if difference is None:
        return None
    found = f"is not what {PREDICTIONS_FILE} and {RUN_FILE} give. First difference: {difference}."
    return Problem(found, place=str(path))


def _reason(stored: dict[str, Any], card: Scorecard) -> str | None:
    """Why numbers may differ without anybody having changed them."""
    scorer, hashes = stored.get("scorer_version"), stored.get("hashes")
    told = hashes if isinstance(hashes, dict) else {}
    if scorer != card.scorer_version:
        return (
            f"scorer_version: {scorer} in the file, {card.scorer_version} here. Install that version to verify it, or "
            "score again with this one."
        )
    if told.get("data_sha256") != card.hashes.data_sha256:
        return (
            f"hashes.data_sha256: {str(told.get('data_sha256'))[:12]} in the file, {card.hashes.data_sha256[:12]} "
            "here: another revision of the data. Verify with that one, or score again with this one."
        )
    if told.get("references_sha256") != card.hashes.references_sha256:
        return (
            f"hashes.references_sha256: {str(told.get('references_sha256'))[:12]} in the file, "
            f"{card.hashes.references_sha256[:12]} here: items were re-keyed in between. Verify with the data of then, "
            "or score again with these."
        )
    return None


def _task(folder: Path) -> TaskConfig | None:
    """The known task that a folder without task.yaml names; None where score_folder finds it itself."""
    if (folder / TASK_FILE).is_file():
        return None
    name = read_run_config(folder / RUN_FILE).task
    if leads_elsewhere(name):
        is_path = Problem(f'"{name}" is a path.', "Name the task with --task.", column="task", noun="field")
        raise InputError(is_path.at(place=str(folder / RUN_FILE)))
    return load_task(name)


def hash_problems(folder: Path, submission: Submission) -> Iterator[Problem]:
    """Hashes of a submission.yaml that are not those of the files beside it."""
    for field, name in HASHED.items():
        told, found = getattr(submission, field), sha256_of(folder / name)
        if told != found:
            changed = f"{told[:12]}, but {name} has {found[:12]}: the file changed after it was submitted."
            advice = "Put the file back, or submit it anew."
            yield Problem(changed, advice, place=str(folder / SUBMISSION_FILE), column=field, noun="field")


def _submission_problems(folder: Path) -> Iterator[Problem]:
    path = folder / SUBMISSION_FILE
    if path.is_file():
        yield from hash_problems(folder, read_strictly(path, Submission))


def _run_problems(path: Path) -> Iterator[Problem]:
    """Whether the scores of the whole run are those of its folders."""
    file = path / SCORES_FILE
    if file.is_file():
        made = RunScores(scorecards=load_scorecards(path)).canonical_json() + "\n"
        text = strict_text(file)
        strict_json(text, str(file))
        difference = first_difference(text, made)
        if difference is not None:
            found = f"does not hold the scores of its folders. First difference: {difference}."
            yield Problem(found, place=str(file))


def first_difference(stored: str, made: str) -> str | None:
    """What differs first between two texts of scores.json; None where they are equal byte for byte.

    `stored` must be JSON. Where only the spelling differs (blanks, order, digits) the place in the text is named.
    """
    if stored == made:
        return None
    found = next(_differences(json.loads(stored), json.loads(made), ""), None)
    if found is not None:
        return found
    place = next((at for at, (one, other) in enumerate(zip(stored, made, strict=False)) if one != other), None)
    at = min(len(stored), len(made)) if place is None else place
    return f"the same content is spelled differently from character {at + 1} on ({shown(stored[at : at + 20])})"


def _differences(stored: Any, made: Any, path: str, about: str = "") -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(made, dict):
        for key in sorted({*stored, *made}):
            below = f"{path}.{key}" if path else key
            yield from _differences(stored.get(key, _ABSENT), made.get(key, _ABSENT), below, about)
    elif isinstance(stored, list) and isinstance(made, list):
        for place, (one, other) in enumerate(zip(stored, made, strict=False)):
            yield from _differences(one, other, f"{path}[{place}]", _words(other) if path in ROWS else about)
        if len(stored) != len(made):
            yield f"{path}: {len(stored)} entries in the file, {len(made)} when scored"
    elif stored is _ABSENT:
        yield f"{path}{about}: is missing in the file, {shown(made)} when scored"
    elif made is _ABSENT:
        yield f"{path}{about}: {shown(stored)} in the file, nothing when scored"
    elif stored != made or type(stored) is not type(made):
        yield f"{path}{about}: {shown(stored)} in the file, {shown(made)} when scored"


def _words(row: Any) -> str:
    """What a row is about, in words beside its place: ` (accuracy/1, full)`."""
    told = (
        f"{row.get('metric')}/{row.get('version')}",
        *(row.get(key) for key in ("condition", "slice_value", "system")),
    )
    return f" ({', '.join(str(each) for each in told if each)})"
