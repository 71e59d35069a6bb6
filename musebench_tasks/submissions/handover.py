"""`submit`: runs are validated and scored, then handed in as one pull request; scores go to a model's page if asked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import SUBMISSION_FILE, RunConfig, Scorecard, TaskConfig
from musebench_tasks.evaluation.run_scores import score_folder
from musebench_tasks.hub.connection import Hub, is_signed_in
from musebench_tasks.hub.parcel import EMPTY, parcel_lines, repository_id
from musebench_tasks.hub.pending import as_text, from_text
from musebench_tasks.hub.results import ResultEntry, entries_of, require_whole, same_model, send_results
from musebench_tasks.hub.results import preview as results_preview
from musebench_tasks.hub.sending import PushedFiles
from musebench_tasks.inference.journal import read_responses
from musebench_tasks.inference.run_folder import (
    PREDICTIONS_FILE,
    RUN_FILE,
    read_run_config,
    read_task,
    run_folders,
)
from musebench_tasks.items.locate import HUB_IDS
from musebench_tasks.submissions.check import Benchmarks, check_submission
from musebench_tasks.submissions.parcel import Result, send_submission, submission_parcel

UNKNOWN_SUBMITTER = "(your name on the Hub)"


@dataclass(frozen=True)
class Handover:
    """Everything of a submission but who hands it in, which the token tells."""

    to: str
    results: tuple[Result, ...]
    day: date
    submitter: str | None = None
    """None = the name of the token's owner."""
    model: str | None = None
    """The model's repository that gets `entries`."""
    entries: tuple[ResultEntry, ...] = ()

    @property
    def words(self) -> str:
        """What it is, for people."""
        tasks = ", ".join(dict.fromkeys(result.task for result in self.results))
        systems = ", ".join(dict.fromkeys(result.system for result in self.results))
        return f"{tasks} · {systems} to {self.to}"

    def details(self) -> dict[str, Any]:
        """As plain values, for the queue."""
        return {
            "to": self.to,
            "day": self.day.isoformat(),
            "submitter": self.submitter,
            "model": self.model,
            "entries": [each._asdict() for each in self.entries],
            "results": [
                {key: as_text(value) if isinstance(value, bytes) else value for key, value in each._asdict().items()}
                for each in self.results
            ],
        }


def from_details(details: Mapping[str, Any]) -> Handover:
    """A handover that waited in the queue."""
    results = [
        Result(
            each["benchmark"],
            each["system"],
            each["task"],
            from_text(each["run"]),
            from_text(each["predictions"]),
            from_text(each["scores"]),
            each["notes"],
        )
        for each in details["results"]
    ]
    return Handover(
        details["to"],
        tuple(results),
        date.fromisoformat(details["day"]),
        details["submitter"],
        details["model"],
        tuple(ResultEntry(**each) for each in details["entries"]),
    )


def prepare_submission(
    run: str | Path,
    to: str,
    *,
    notes: str = "",
    submitter: str | None = None,
    model: str | None = None,
    dataset: str | None = None,
    offline: bool = False,
    day: date | None = None,
) -> Handover:
    """A run, validated and scored as it would be on the other side; InputError with every problem.

    `model`: the repository of the model that gets the scores, which are then those of `dataset` (ORG/NAME; None = the
    Hub id of the task's data). `day`: None = today.
    """
    repository_id(to, "--to")
    if model is not None:
        repository_id(model, "--model-repo")
    results: list[Result] = []
    entries: list[ResultEntry] = []
    known: dict[str, Benchmarks] = {}
    day = day or date.today()
    for folder in run_folders(_existing(Path(run))):
        config = read_run_config(folder / RUN_FILE)
        task = read_task(folder, config)
        benchmarks = known.setdefault(task.canonical_json(), Benchmarks({config.task: task}, offline=offline))
        card = score_folder(folder, data=benchmarks.data(config), write=False)
        result = _result(folder, config, card, notes)
        _check(result, submitter or "somebody", day, folder, benchmarks)
        results.append(result)
        if model is not None:
            entries += _entries(task, config, card, model, dataset)
    if len({each.place for each in results}) < len(results):
        raise InputError(f"{run}: holds the same result twice. Name one MODEL/TASK folder of it.")
    if model is not None and len({each.system for each in results}) > 1:
        raise InputError(f"{run}: holds results of several models, --model-repo is about one. Name its folder.")
    return Handover(to, tuple(results), day, submitter, model, tuple(entries))


def send(hub: Hub, handover: Handover) -> Iterator[tuple[str, PushedFiles]]:
    """Open the pull requests, the submission first: what and where; what is open already is found again."""
    account = hub.writer()
    parcel = submission_parcel(handover.results, handover.to, handover.submitter or account.name, handover.day)
    published = send_submission(hub, parcel)
    yield "submission", published
    if handover.model is not None:
        source = published.page
        if published.number is None:
            source = f"{published.page}/tree/main/{handover.results[0].place}"
        yield "results", send_results(hub, handover.entries, handover.model, source, handover.day.isoformat())


def preview(hub: Hub | None, handover: Handover) -> Iterator[str]:
    """Exactly what would be sent, without sending anything; without `hub` it is not asked what lies there."""
    name = handover.submitter or (hub.account().name if hub is not None and is_signed_in() else UNKNOWN_SUBMITTER)
    parcel = submission_parcel(handover.results, handover.to, name, handover.day)
    state = EMPTY if hub is None else hub.state(parcel.repository)
    yield f"would be one pull request to {parcel.repository.page}"
    yield from parcel_lines(parcel, state)
    for each in parcel.files:
        if each.path.endswith(f"/{SUBMISSION_FILE}"):
            yield f"\n{each.path}:\n{each.read().decode()}"
    if handover.model is not None:
        source = f"(the submission's page on {parcel.repository.page})"
        proposal, there = results_preview(hub, handover.entries, handover.model, source, handover.day.isoformat())
        yield f"would be one pull request to {handover.model}"
        yield from parcel_lines(proposal, there)
        yield from (f"\n{each.path}:\n{each.read().decode()}" for each in proposal.files)


def retry_rate(folder: Path) -> str:
    """How many requests needed more than one attempt, counted in `responses/`."""
    responses = read_responses(folder).values()
    if not responses:
        return "retry rate not known"
    retried = sum(response.attempts > 1 for response in responses)
    return f"retry rate {retried / len(responses):.4f} ({retried} of {len(responses)})"


def _result(folder: Path, config: RunConfig, card: Scorecard, notes: str) -> Result:
    said = " ".join(notes.split())
    return Result(
        config.benchmark.name,
        config.system.name,
        config.task,
        (folder / RUN_FILE).read_bytes(),
        (folder / PREDICTIONS_FILE).read_bytes(),
        f"{card.canonical_json()}\n".encode(),
        f"{retry_rate(folder)}. {said}".rstrip(),
    )


def _check(result: Result, submitter: str, day: date, folder: Path, benchmarks: Benchmarks) -> None:
    """Look at the submission with the other side's own code, before anybody else sees it.

    `benchmarks` knows the task as it was understood in the run: it may be one of the user's own.
    """
    with tempfile.TemporaryDirectory() as place:
        for content in result.contents(submitter, day):
            file = Path(place) / content.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.read())
        staged = Path(place) / result.place
        try:
            check_submission(staged, benchmarks)
        except InputError as error:
            raise InputError(*(_seen_in(folder, staged, each) for each in error.problems)) from error


def _seen_in(folder: Path, staged: Path, problem: Problem) -> Problem:
    """A problem of a copy as one of the folder that was copied."""
    place = Path(problem.place)
    return replace(problem, place=str(folder / place.relative_to(staged))) if place.is_relative_to(staged) else problem


def _entries(
    task: TaskConfig, config: RunConfig, card: Scorecard, model: str, dataset: str | None
) -> list[ResultEntry]:
    require_whole(card)
    same_model(config.system.name, model)
    if task.filter or task.rows or task.exclude:
        raise InputError(f"{config.task}: asks a part of {card.benchmark} only; a model's page shows whole benchmarks.")
    return entries_of(card, config, repository_id(dataset or _hub_id(task), "--dataset"))


def _hub_id(task: TaskConfig) -> str:
    """The Hub id of a task's data; InputError where it has none."""
    known = HUB_IDS.get(task.dataset_path) or task.dataset_path
    if known.count("/") != 1 or Path(known).exists():
        raise InputError(
            f"{task.task}: its data were read from {task.dataset_path}. Name the dataset on the Hub that the numbers "
            "are of: --dataset ORG/NAME."
        )
    return known


def _existing(run: Path) -> Path:
    if not run.is_dir():
        raise InputError(f"{run}: there is no such folder. Name a run, or one MODEL/TASK folder of it.")
    return run
