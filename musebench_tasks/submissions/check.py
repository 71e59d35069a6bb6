"""The check of a submission: what `musebench validate`, `submit`, a pull request's check and the leaderboard all use.

Every file is read strictly, the hashes are compared, and the scores are made again.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, Problems
from musebench_tasks.base.records import (
    SUBMISSION_FILE,
    SUBMISSION_FILES,
    SUBMISSIONS_FOLDER,
    Erratum,
    Prediction,
    RunConfig,
    Scorecard,
    Submission,
    TaskConfig,
    submission_path,
)
from musebench_tasks.base.text import counted, nearest, shown
from musebench_tasks.evaluation.errata import load_errata
from musebench_tasks.evaluation.files import (
    prediction_problems,
    read_predictions,
    read_scorecard,
    scorecard_problems,
)
from musebench_tasks.evaluation.run_scores import score_folder
from musebench_tasks.evaluation.scorecard import as_it_was_asked
from musebench_tasks.evaluation.task_data import TaskData, load_data
from musebench_tasks.inference.run_folder import PREDICTIONS_FILE, RUN_FILE, SCORES_FILE, read_run_config
from musebench_tasks.items.demonstration import DEMO
from musebench_tasks.items.locate import HUB_IDS
from musebench_tasks.submissions.check_lines import answering_problem, recorded_problems
from musebench_tasks.submissions.check_readings import doubtful_lines
from musebench_tasks.submissions.check_run_config import declared_problems
from musebench_tasks.submissions.verify import hash_problems, scores_difference
from musebench_tasks.tasks import leads_elsewhere, load_task, planned
from musebench_tasks.tasks.schema import read_strictly, schema_problems, strict_tree

EXPECTED = f"A submission is a folder that holds {', '.join(SUBMISSION_FILES)} and nothing else."
MOST_TOLD = 3
FIRST_DAY = date(2024, 1, 1)
"""None of the benchmarks here is older."""
LARGEST_BYTES = 256 * 2**20
"""Of the files of one submission together."""
RETRY_RATE = re.compile(r"retry rate (?:not known|([01]\.\d{4}) \((\d{1,12}) of (\d{1,12})\))\.(?: |$)")
"""What notes begin with, as `musebench submit` writes it."""


@dataclass(frozen=True)
class CheckedSubmission:
    """A submission without a fault, scored again with the data that are here."""

    folder: Path
    config: RunConfig
    submission: Submission
    stored: Scorecard
    """scores.json as it was handed in."""
    card: Scorecard
    """What the scorer makes of it now."""
    data: TaskData
    predictions: tuple[Prediction, ...]


class Benchmarks:
    """Tasks and their data, each loaded once; a submission may name the tasks known here and those given, no file."""

    def __init__(self, tasks: Mapping[str, TaskConfig] | None = None, *, offline: bool = False) -> None:
        self._tasks = dict(tasks or {})
        self._offline = offline
        self._errata: dict[str, tuple[Erratum, ...]] = {}
        self._loaded: dict[tuple[str, str | None, str], TaskData] = {}

    def task(self, name: str) -> TaskConfig:
        """The task of that name; InputError for a path: a submission chooses no file of this machine."""
        if name not in self._tasks:
            if leads_elsewhere(name):
                raise InputError(Problem(f'"{name}" is a path.', "A submission names a task by its name."))
            self._tasks[name] = load_task(name)
        return self._tasks[name]

    def data(self, config: RunConfig) -> TaskData:
        """The items that `config` asked, and what is right."""
        asked = config.benchmark
        key = (config.task, asked.selection, asked.data_sha256)
        if key not in self._loaded:
            self._loaded[key] = load_data(
                self.task(config.task), asked.selection, offline=self._offline, asked_on=asked.data_sha256
            )
        return self._loaded[key]

    def errata(self, task: TaskConfig) -> tuple[Erratum, ...]:
        """What errata.yaml of the task's data says."""
        if task.task not in self._errata:
            self._errata[task.task] = load_errata(task, offline=self._offline)
        return self._errata[task.task]

    def rekeyed(self, task: TaskConfig) -> frozenset[str]:
        """Items whose answers were changed in any version that leads to the data here."""
        return frozenset(item for each in self.errata(task) for item in each.rekeyed)


def check_submission(
    folder: Path, benchmarks: Benchmarks | None = None, *, is_stored: bool = False
) -> CheckedSubmission:
    """The submission in `folder`; InputError with every problem.

    `is_stored`: it was accepted before, so the data, their answers and the scorer may have moved on since; errata.yaml
    of the data must then lead from its data to those here. A new one has to fit what is here.
    """
    benchmarks = benchmarks or Benchmarks()
    Problems(_root_problems(folder)).refuse(InputError)
    Problems(_unreadable(folder)).refuse(InputError)
    config = read_run_config(folder / RUN_FILE)
    submission = read_strictly(folder / SUBMISSION_FILE, Submission)
    stored = read_scorecard(folder / SCORES_FILE)
    changed = list(hash_problems(folder, submission))
    problems = Problems(changed)
    problems.add(*(each.at(place=str(folder / SUBMISSION_FILE), noun="field") for each in _told_problems(submission)))
    if not changed:
        problems.add(*_place_problems(folder, config, submission))
    try:
        data = benchmarks.data(config)
        asked_otherwise = Problems(benchmark_problems(config, data, is_stored=is_stored))
        if not is_stored:
            asked_otherwise.add(*_version_problems(config, data, benchmarks.errata(data.task)))
            asked_otherwise.add(*_protocol_problems(config, data.task))
        asked_otherwise.refuse(InputError)
        card = score_folder(folder, data=data, write=False)
    except InputError as error:
        problems.add(*error.at(place=str(folder / RUN_FILE), noun="field").problems)
        raise InputError(*problems) from error
    predictions = tuple(read_predictions(folder / PREDICTIONS_FILE))
    doubtful = [
        *_missing(folder / PREDICTIONS_FILE, data, config, predictions),
        *doubtful_answers(folder / PREDICTIONS_FILE, data, config, predictions),
    ]
    problems.add(*doubtful)
    if not changed and not doubtful:
        problems.add(*_score_problems(folder, stored, card, benchmarks.rekeyed(data.task) if is_stored else None))
    problems.refuse(InputError)
    return CheckedSubmission(folder, config, submission, stored, card, data, predictions)


def _root_problems(folder: Path) -> Iterator[Problem]:
    """What is wrong with the folder as a folder."""
    place = str(folder)
    if folder.is_file():
        yield Problem(f"is a file{_archive(folder)}.", EXPECTED, place=place)
        return
    if not folder.is_dir():
        yield Problem("there is no such folder.", place=place)
        return
    present = {path.name for path in folder.iterdir()}
    below = sorted(path.parent.relative_to(folder).as_posix() for path in folder.glob(f"*/**/{RUN_FILE}"))
    if RUN_FILE not in present and below:
        named = ", ".join(f"{each}/" for each in below[:5])
        found = f"{RUN_FILE} lies in {named}, expected at the top."
        yield Problem(found, f"Name that folder. {EXPECTED}", place=place)
        return
    for name in SUBMISSION_FILES:
        if name not in present:
            yield Problem(f"{name} is missing{_why_missing(name, present)}.", EXPECTED, place=place)
        elif (folder / name).is_symlink() or not (folder / name).is_file():
            yield Problem("is a link or no file.", "Put the file itself there.", place=str(folder / name))
    size = sum((folder / name).stat().st_size for name in SUBMISSION_FILES if (folder / name).is_file())
    if size > LARGEST_BYTES:
        found = f"its files have {size} bytes, at most {LARGEST_BYTES} may be handed in."
        yield Problem(found, "Hand in less at once.", place=place)
    for name in sorted(present - set(SUBMISSION_FILES)):
        found = f"does not belong to a submission{nearest(name, SUBMISSION_FILES)}."
        yield Problem(found, EXPECTED, place=str(folder / name))


def _archive(file: Path) -> str:
    """Of an archive: where in it the submission lies."""
    if not zipfile.is_zipfile(file):
        return ""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError):
        return ", an archive that cannot be read"
    roots = sorted(name.removesuffix(RUN_FILE) for name in names if name.endswith(RUN_FILE))
    return f", an archive in which {RUN_FILE} lies at {', '.join(roots) or 'the top'}" if roots else ", an archive"


def _why_missing(name: str, present: set[str]) -> str:
    if name == PREDICTIONS_FILE and SCORES_FILE in present:
        return ", and scores alone cannot be checked: one line an item is needed"
    if name == SUBMISSION_FILE:
        return " (`musebench submit` writes it)"
    return ""


_READERS: Mapping[str, Callable[[Path], list[Problem]]] = {
    RUN_FILE: lambda path: schema_problems(strict_tree(path), RunConfig),
    SUBMISSION_FILE: lambda path: schema_problems(strict_tree(path), Submission),
    PREDICTIONS_FILE: prediction_problems,
    SCORES_FILE: scorecard_problems,
}


def _unreadable(folder: Path) -> Iterator[Problem]:
    """What strict readers refuse in any of the files."""
    for name, look in _READERS.items():
        try:
            yield from look(folder / name)
        except InputError as error:
            yield from error.problems


def _told_problems(submission: Submission) -> Iterator[Problem]:
    """What submission.yaml says and cannot be: its day, and the retry rate that its notes begin with."""
    today = date.today()
    if date.fromisoformat(submission.date) < FIRST_DAY:
        before = f"{submission.date} lies before any of these benchmarks ({FIRST_DAY.isoformat()})."
        yield Problem(before, "Correct it.", column="date")
    # Where it is tomorrow already.
    if date.fromisoformat(submission.date) > today + timedelta(days=1):
        ahead = f"{submission.date} lies ahead (today is {today.isoformat()})."
        yield Problem(ahead, "Correct it.", column="date")
    match = RETRY_RATE.match(submission.notes)
    if match is None:
        form = '"retry rate 0.0125 (3 of 240). ", or "retry rate not known. "'
        wanted = f"should begin with the retry rate, as `musebench submit` writes it ({form})"
        yield Problem(f"{wanted}, found {shown(submission.notes)}.", column="notes")
    elif match[1] is not None:
        retried, asked = int(match[2]), int(match[3])
        if retried > asked or not asked or f"{retried / asked:.4f}" != match[1]:
            found = f"{match[1]} is not the share of {retried} of {asked}."
            yield Problem(found, "Correct it.", column="notes")


def _version_problems(config: RunConfig, data: TaskData, errata: Sequence[Erratum]) -> Iterator[Problem]:
    """A version that the data never had: one before the present one is known by errata.yaml."""
    told, here = config.benchmark, data.benchmark
    if told.version != here.version and all(each.from_data_sha256 != told.data_sha256 for each in errata):
        data_here = f"the data {here.data_sha256[:12]} of {config.task} are of version {shown(here.version)}"
        yield Problem(f"{shown(told.version)}, but {data_here}.", column="benchmark.version")


def _protocol_problems(config: RunConfig, task: TaskConfig) -> Iterator[Problem]:
    """Runs and orders of options that are not the task's: they would make a table of their own."""
    for field in ("runs", "option_order", "seed"):
        told, wanted = getattr(config.protocol, field), getattr(task.protocol, field)
        if told != wanted:
            yield Problem(f"{shown(told)}, but {task.task} asks with {shown(wanted)}.", column=f"protocol.{field}")


def _place_problems(folder: Path, config: RunConfig, submission: Submission) -> Iterator[Problem]:
    """Whether a submission among others lies where its content says."""
    own = folder.resolve().parts[-4:]
    if own[:1] == (SUBMISSIONS_FOLDER,):
        hashes = (submission.run_sha256, submission.predictions_sha256)
        wanted = submission_path(config.benchmark.name, config.system.name, *hashes)
        if own != wanted.parts:
            yield Problem(f"belongs at {wanted}.", "Move it there.", place=str(folder))


def benchmark_problems(config: RunConfig, data: TaskData, *, is_stored: bool) -> Iterator[Problem]:
    """Whether run.yaml tells of the data what they are."""
    told, here = config.benchmark, data.benchmark
    yield from declared_problems(data.task, () if data.erratum else data.items, config)
    for field in ("name", "split") if _is_another_benchmark(told.name, here.name) else ("split",):
        if getattr(told, field) != getattr(here, field):
            differs = f'"{getattr(told, field)}", but {config.task} here is "{getattr(here, field)}".'
            yield Problem(differs, "Scores of the two are not comparable.", column=f"benchmark.{field}")
    if told.data_sha256 != here.data_sha256 and not (is_stored and data.erratum):
        those = f"those of {config.task} here are {here.data_sha256[:12]} (version {here.version})"
        yield Problem(
            f"{told.data_sha256[:12]}, another revision of the data: {those}.",
            "Run it again with these data." if data.erratum else "No errata.yaml leads from the one to the other.",
            column="benchmark.data_sha256",
        )


def _is_another_benchmark(told: str, here: str) -> bool:
    """Whether names alone tell two benchmarks apart: where one is registered, or one only a demonstration.

    Data of one's own are named by the folder that they lie in, so that only their hashes tell which they are.
    """
    is_known = any(each.removesuffix(DEMO) in HUB_IDS for each in (told, here))
    return told != here and (is_known or told.endswith(DEMO) != here.endswith(DEMO))


def _missing(path: Path, data: TaskData, config: RunConfig, predictions: Sequence[Prediction]) -> Iterator[Problem]:
    plan = planned(as_it_was_asked(data.task, config), [item.id for item in data.items], config.protocol.conditions)
    there = {(each.item_id, each.run, each.condition) for each in predictions}
    for condition in dict.fromkeys(config.protocol.conditions):
        asked = [each for each in plan if each[2] is condition]
        missing = [each for each in asked if each not in there]
        if missing:
            named = "; ".join(f'item "{item}", run {run}' for item, run, _ in missing[:MOST_TOLD])
            more = "; and so on" if len(missing) > MOST_TOLD else ""
            yield Problem(
                f"{len(missing)} of {len(asked)} planned requests are missing under {condition} ({named}{more}).",
                "A submission has one line for each; what failed stands there with its status.",
                place=str(path),
            )


def doubtful_answers(
    path: Path, data: TaskData, config: RunConfig, predictions: Sequence[Prediction], *, may_be_judged: bool = False
) -> Iterator[Problem]:
    """The first answers that do not follow from their raw texts or from run.yaml, and how many there are.

    `may_be_judged`: a judge may have read some, as in a run that is not handed in.
    """
    items = {item.id: item for item in data.items}
    is_model = config.system.type == "model"
    asked = as_it_was_asked(data.task, config)
    for found in (
        doubtful_lines(asked, items, predictions, is_model=is_model, may_be_judged=may_be_judged),
        recorded_problems(asked, config, items, predictions),
    ):
        first, others = list(islice(found, MOST_TOLD)), sum(1 for _ in found)
        yield from (each.at(place=str(path), noun="field") for each in first)
        if others:
            yield Problem(f"and {counted(others, 'more line')} like these.", place=str(path))
    problem = answering_problem(config, items, predictions)
    if problem is not None:
        yield problem.at(place=str(path.with_name(RUN_FILE)))


def _score_problems(
    folder: Path, stored: Scorecard, card: Scorecard, rekeyed: frozenset[str] | None
) -> Iterator[Problem]:
    """Whether scores.json is what the scorer makes; `rekeyed` None = of a new submission, which nothing excuses."""
    path = folder / SCORES_FILE
    if rekeyed is not None:
        before = (stored.hashes.run_sha256, stored.hashes.predictions_sha256)
        if before != (card.hashes.run_sha256, card.hashes.predictions_sha256):
            not_of_this = f"is not of this {RUN_FILE} and {PREDICTIONS_FILE}."
            yield Problem(not_of_this, "Score them, and submit anew.", place=str(path))
            return
        has_moved = stored.hashes.references_sha256 != card.hashes.references_sha256
        if has_moved and not (rekeyed or card.errata):
            then, now = (each.hashes.references_sha256[:12] for each in (stored, card))
            with_others = f"was scored with other answers ({then}, here {now})"
            yield Problem(f"{with_others}, and no errata.yaml of the data says which were re-keyed.", place=str(path))
        if has_moved or card.errata or stored.scorer_version != card.scorer_version:
            return
    difference = scores_difference(path, card)
    if difference is not None:
        yield difference
