"""What a leaderboard is made of: checked submissions, scored anew, with what was said of them when handed in."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.base.records import (
    Condition,
    Erratum,
    HarnessBlock,
    Item,
    Modality,
    Prediction,
    Reference,
    RunConfig,
    Scorecard,
    Submission,
    TaskConfig,
    canonical_json,
)
from musebench_tasks.base.records.requests import NATIVE, NO_ROUTE, TRANSCRIPT
from musebench_tasks.evaluation.scorecard import routes_of
from musebench_tasks.items.demonstration import DEMO
from musebench_tasks.prompts import prompt_identity
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.runs import Part
from musebench_tasks.reports.tables import heard, main_condition
from musebench_tasks.submissions.check_run_config import LETTERS_OF

OWN_HARNESS: str = HarnessBlock.model_fields["name"].default


@dataclass(frozen=True)
class Entry:
    """One submission without a fault."""

    place: str
    """Its folder below that of the leaderboard."""
    task: TaskConfig
    config: RunConfig
    submission: Submission
    stored: Scorecard
    """What was handed in."""
    card: Scorecard
    """What the scorer makes of it with the data that are here."""
    items: tuple[Item, ...]
    references: Mapping[str, Reference]
    predictions: tuple[Prediction, ...]
    data_version: str
    errata: tuple[Erratum, ...] = ()
    """What the data say changed since it was handed in."""
    arrived: int | None = None
    """Its place in the history of the board's repository; None where there is none that tells."""

    @property
    def has_moved(self) -> bool:
        """Whether data or answers changed since it was handed in."""
        before, now = self.stored.hashes, self.card.hashes
        return before.data_sha256 != now.data_sha256 or before.references_sha256 != now.references_sha256

    @property
    def is_demo(self) -> bool:
        """Whether it is of a demonstration: those never stand beside real numbers."""
        return self.config.benchmark.name.endswith(DEMO) or self.task.task.endswith(DEMO)

    @property
    def terms(self) -> tuple[object, ...]:
        """What two systems must share to stand in one table: task, data, selection, track, sound, runs and orders."""
        asked = self.config.protocol
        orders = (asked.runs, asked.option_order, asked.seed if asked.option_order == "shuffled" else None)
        card = self.card
        data = (card.task, self.is_demo, card.split, card.hashes.data_sha256, card.hashes.references_sha256)
        return (*data, card.selection, card.track, heard(card.truncation), *orders)

    @property
    def asked_alike(self) -> str:
        """Equal for two submissions that ask the same of the same system: the later one then stands for both."""
        told = self.config.model_dump(
            mode="json", exclude={"harness": True, "benchmark": {"name", "version", "selection"}}
        )
        return canonical_json([self.card.selection, told])

    def under(self, condition: Condition) -> list[Prediction]:
        """Its lines under `condition`."""
        return [each for each in self.predictions if each.condition is condition]

    def reached(self, condition: Condition) -> str | None:
        """What reached the system under `condition`: `T+A`. None where nobody tells.

        As its lines record it; of a stream that none of them records, what run.yaml says that the system takes.
        """
        taken, given = self.config.media.modalities, condition.modalities(self.task.modalities)
        here = self.under(condition)
        recorded = {
            Modality.AUDIO: [each.audio.route == NATIVE for each in here if each.audio is not None],
            Modality.VIDEO: [each.frames.used > 0 for each in here if each.frames is not None],
        }
        found = ["T"]
        for stream, letter in LETTERS_OF.items():
            lines = recorded[stream]
            if stream not in given:
                continue
            if not lines and taken is None:
                return None
            if any(lines) or (not lines and letter in (taken or ())):
                found.append(letter)
        return "+".join(found)

    def audio_route(self, condition: Condition) -> str | None:
        """How sound reached the system under `condition`: native, transcript or none; None = not recorded."""
        return routes_of(self.under(condition))

    def is_recorded(self, condition: Condition) -> bool:
        """Whether any line tells what of the media arrived, or none could have."""
        is_given = condition.modalities(self.task.modalities)
        return not is_given or any(each.audio or each.frames for each in self.under(condition))

    def n_heard(self, condition: Condition) -> tuple[int, int]:
        """How many answers under `condition` came after sound, or words in its place, and how many tell whether so."""
        routes = [each.audio.route for each in self.under(condition) if each.status.is_answer and each.audio]
        return sum(route != NO_ROUTE for route in routes), len(routes)

    @property
    def harness(self) -> str:
        """The code that asked: name and version, as far as they are known."""
        told = self.config.harness
        return " ".join(filter(None, (told.name, told.version)))

    @property
    def is_imported(self) -> bool:
        """Whether another harness asked, and its log was read."""
        return self.config.harness.name != OWN_HARNESS

    def answers_sha256(self, condition: Condition) -> str | None:
        """Equal for two submissions with the very same answers under `condition`; None where it was not asked."""
        here = self.under(condition)
        digest = hashlib.sha256()
        for each in sorted(here, key=lambda each: (each.item_id, each.run)):
            told = each.model_dump(mode="json", include={"item_id", "run", "raw", "option_probabilities"})
            digest.update(canonical_json(told).encode())
        return digest.hexdigest() if here else None


def settings_words(entry: Entry) -> str:
    """How a system was asked, as far as it tells two rows of one system apart: `V+A+T · frames by scene changes`."""
    media, decoding = entry.config.media, entry.config.decoding
    identity = prompt_identity(entry.task)
    words = (
        entry.reached(main_condition([entry.card])) or "",
        "sound as transcript" if media.audio_route == TRANSCRIPT else "",
        f"{media.max_frames} frames at most" if media.max_frames else "",
        f"frames by {media.frames.replace('_', ' ')}" if media.frames else "",
        "option letters" if decoding.answering == "letters" else "",
        f"reasoning {decoding.reasoning}" if decoding.reasoning else "",
        "" if entry.config.prompt.sha256 in (None, identity.sha256) else "a prompt of its own",
    )
    return " · ".join(filter(None, words))


def task_answers(entries: Sequence[Entry]) -> TaskAnswers:
    """The answers of comparable entries in the form in which reports compare systems item by item."""
    first = entries[0]
    parts = tuple(
        PartAnswers(
            Part(Path(each.place), Path(each.place), each.config, each.card),
            each.items,
            {(one.item_id, one.run, one.condition): one for one in each.predictions},
            {},
        )
        for each in entries
    )
    return TaskAnswers(first.task, first.items, first.references, parts)


def latest(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Of submissions that ask the same of one system, the last; and those that it stands for.

    The last is the one that came last into the board's repository; where no history tells, that of the last day. Of
    several of one day nobody knows the last: the one with the lowest score stands, so that no choice among them pays.
    """
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for each in entries:
        groups.setdefault((each.card.task, each.asked_alike), []).append(each)
    standing = {min(_last(group), key=_score).place for group in groups.values()}
    earlier = [each for each in entries if each.place not in standing]
    return [each for each in entries if each.place in standing], sorted(earlier, key=_when)


def _last(entries: Sequence[Entry]) -> list[Entry]:
    """Those of which nothing tells that another came later."""
    last = max(map(_when, entries))
    return [each for each in entries if _when(each) == last]


def _when(entry: Entry) -> tuple[float, str]:
    """What is in no history yet comes after all that is."""
    return (math.inf if entry.arrived is None else entry.arrived, entry.submission.date)


def _score(entry: Entry) -> tuple[float, str]:
    row = entry.card.row(entry.card.headline)
    return (-math.inf if row is None or row.value is None else row.value, entry.place)
