"""`musebench submit`: the files of scored runs as one pull request to a repository of submissions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from pathlib import PurePosixPath
from typing import NamedTuple

import yaml
from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, spelled
from musebench_tasks.base.records import SUBMISSION_FILE, Submission, submission_path
from musebench_tasks.base.validation import faults
from musebench_tasks.hub.connection import Hub, refuse_tokens
from musebench_tasks.hub.parcel import Content, Parcel, Repository
from musebench_tasks.hub.sending import PushedFiles, propose


class Result(NamedTuple):
    """One MODEL/TASK that was validated and scored: the bytes that are handed in."""

    benchmark: str
    system: str
    task: str
    run: bytes
    predictions: bytes
    scores: bytes
    notes: str
    """Begins with the retry rate."""

    @property
    def place(self) -> PurePosixPath:
        """Its folder in the repository: the same for the same content."""
        return submission_path(self.benchmark, self.system, _sha256(self.run), _sha256(self.predictions))

    def record(self, submitter: str, day: date) -> Submission:
        """What submission.yaml tells; InputError where submitter or notes cannot stand in one."""
        told = {
            "date": day.isoformat(),
            "submitter": submitter,
            "notes": self.notes,
            "run_sha256": _sha256(self.run),
            "predictions_sha256": _sha256(self.predictions),
        }
        try:
            return Submission.model_validate(told)
        except ValidationError as problem:
            wrong = faults(problem, Submission, told)
            raise InputError(*(Problem(each.message, place=spelled(each.location)) for each in wrong)) from problem

    def contents(self, submitter: str, day: date) -> tuple[Content, ...]:
        """The four files."""
        record = self.record(submitter, day).model_dump(mode="json")
        told = yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=120).encode()
        files = {
            "run.yaml": self.run,
            "predictions.jsonl": self.predictions,
            "scores.json": self.scores,
            SUBMISSION_FILE: told,
        }
        return tuple(Content(f"{self.place}/{name}", data) for name, data in files.items())


def submission_parcel(results: Sequence[Result], to: str, submitter: str, day: date) -> Parcel:
    """One commit with every result; the same results give the same message, whoever sends them whenever."""
    files = tuple(content for result in results for content in result.contents(submitter, day))
    refuse_tokens(files)
    systems = list(dict.fromkeys(result.system for result in results))
    tasks = list(dict.fromkeys(result.task for result in results))
    content = hashlib.sha256("\n".join(sorted(str(result.place) for result in results)).encode()).hexdigest()[:8]
    message = f"Submit {_named(systems, 'systems')} on {_named(tasks, 'tasks')} ({content})"
    description = "\n".join(f"{result.task} · {result.system}: {result.notes}" for result in results)
    return Parcel(Repository("dataset", to), message, files, description=description)


def send_submission(hub: Hub, parcel: Parcel) -> PushedFiles:
    """Open the pull request, or find the one that holds the same results: only day and sender may differ."""
    content = tuple(each for each in parcel.files if not each.path.endswith(f"/{SUBMISSION_FILE}"))
    return propose(hub, parcel, Parcel(parcel.repository, parcel.message, content))


def _named(names: Sequence[str], kind: str) -> str:
    return ", ".join(names) if len(names) <= 2 else f"{len(names)} {kind}"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
