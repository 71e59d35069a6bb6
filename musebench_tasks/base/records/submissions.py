"""What a submission adds to a scored run, and where its four files lie among others."""

import hashlib
import re
from datetime import date as calendar_date
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from musebench_tasks.base.files import folder_name
from musebench_tasks.base.records.base import Record, readable, readable_name

SUBMISSION_FILE = "submission.yaml"
SUBMISSION_FILES = ("run.yaml", "predictions.jsonl", "scores.json", SUBMISSION_FILE)
SUBMISSIONS_FOLDER = "submissions"
ERRATA_FILE = "errata.yaml"
PUBLISHED_FILE = "published.yaml"

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Submission(Record):
    """submission.yaml: who hands the run in and when, and which files belong to it. No configuration."""

    date: str
    """The day it was handed in: 2026-11-30."""
    submitter: Annotated[str, Field(max_length=100), AfterValidator(readable_name)]
    notes: str = Field(default="", max_length=4000)
    """Begins with the retry rate."""
    run_sha256: Sha256
    predictions_sha256: Sha256

    @field_validator("date", mode="before")
    @classmethod
    def _a_day(cls, value: object) -> str:
        """YAML reads a bare date as one; text must be one."""
        text = value.isoformat() if isinstance(value, calendar_date) else value
        if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError("should be a day such as 2026-11-30")
        try:
            calendar_date.fromisoformat(text)
        except ValueError as problem:
            raise ValueError("should be a day of the calendar, such as 2026-11-30") from problem
        return text

    @field_validator("notes")
    @classmethod
    def _signs(cls, value: str) -> str:
        """Of several lines, perhaps."""
        readable(value.replace("\n", " "))
        return value


class PublishedRow(Record):
    """Numbers of a paper, to stand beside submissions: nobody can check them here, so they are never ranked."""

    task: str
    system: Annotated[str, Field(max_length=300), AfterValidator(readable_name)]
    type: Literal["model", "human", "baseline"] = "model"
    tier: Annotated[str, Field(max_length=200), AfterValidator(readable)] | None = None
    track: Literal["native_audio", "tool_assisted"] | None = None
    """Of a benchmark with tracks: the numbers stand in the tables of this one only."""
    source: Annotated[str, Field(max_length=300), AfterValidator(readable_name)]
    """Where the numbers are from: paper and table."""
    scores: dict[str, float]
    """Metric id without version, and its value over all items with all media."""


class Published(Record):
    """published.yaml beside a folder of submissions."""

    published: tuple[PublishedRow, ...]


class Erratum(Record):
    """One step from an older version of a dataset to the present one."""

    from_data_sha256: Sha256
    retired: tuple[str, ...] = ()
    """Items that are no longer asked: they leave the plan."""
    rekeyed: tuple[str, ...] = ()
    """Items whose right answer was changed: they are scored anew."""
    reason: str | None = None


def submission_path(benchmark: str, system: str, run_sha256: str, predictions_sha256: str) -> PurePosixPath:
    """`submissions/BENCHMARK/SYSTEM/CONTENT`: the folder of a submission in a repository of them.

    CONTENT follows from run.yaml and predictions.jsonl alone, so that handing the same in twice finds the first.
    """
    content = hashlib.sha256(f"{run_sha256}\n{predictions_sha256}\n".encode()).hexdigest()[:12]
    return PurePosixPath(SUBMISSIONS_FOLDER, folder_name(benchmark), folder_name(system), content)
