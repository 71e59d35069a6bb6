"""What a leaderboard is made of: checked submissions, scored anew, with what was said of them when handed in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.prompts import prompt_identity
from musebench_tasks.records import (
    Erratum,
    Item,
    Prediction,
    Reference,
    RunConfig,
    Scorecard,
    Submission,
    TaskConfig,
    canonical_json,
)
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.runs import Part
from musebench_tasks.reports.tables import heard

DEMO = "_demo"


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
        return canonical_json(self.config.model_dump(mode="json", exclude={"harness": True, "benchmark": {"version"}}))

    @property
    def answers_sha256(self) -> str:
        """Equal for two submissions with the very same answers."""
        digest = hashlib.sha256()
        for each in sorted(self.predictions, key=lambda each: (each.item_id, each.run, each.condition)):
            told = each.model_dump(mode="json", include={"item_id", "run", "condition", "raw", "option_probabilities"})
            digest.update(canonical_json(told).encode())
        return digest.hexdigest()


def settings_words(entry: Entry) -> str:
    """How a system was asked, as far as it tells two rows of one system apart: `V+A+T · frames by scene changes`."""
    media, decoding = entry.config.media, entry.config.decoding
    identity = prompt_identity(entry.task)
    words = (
        "+".join(media.modalities or ()),
        "sound as transcript" if media.audio_route == "transcript" else "",
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
    """Of submissions that ask the same of one system, the last; and those that it stands for."""
    kept: dict[tuple[object, ...], Entry] = {}
    earlier: list[Entry] = []
    for each in sorted(entries, key=lambda each: (each.submission.date, each.place)):
        key = (each.card.task, each.asked_alike)
        if key in kept:
            earlier.append(kept[key])
        kept[key] = each
    standing = list(kept.values())
    return [each for each in entries if each in standing], earlier
