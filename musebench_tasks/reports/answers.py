"""The items of a task with what every system answered: the cards of a report, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Item, Modality, Prediction, Reference, TaskConfig
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.inference.run_folder import PREDICTIONS_FILE
from musebench_tasks.inference.run_folder import read_task as recorded_task
from musebench_tasks.items import load_items, load_references, select_without
from musebench_tasks.pages import GivenAnswer, ItemCard, MediaFolder, make_card
from musebench_tasks.reports.runs import AnswerKey, Attempt, Part, attempts_of, predictions_of
from musebench_tasks.reports.tables import condition_name, system_name


@dataclass(frozen=True)
class PartAnswers:
    """What one part was asked and answered."""

    part: Part
    items: tuple[Item, ...]
    predictions: Mapping[AnswerKey, Prediction]
    attempts: Mapping[AnswerKey, Attempt]
    cases: dict[Condition, list[Case]] = field(default_factory=dict, compare=False, repr=False)
    """What `item_scores.cases_of` read."""

    @property
    def conditions(self) -> list[Condition]:
        """The conditions that were planned, `full` first."""
        return [each for each in CONDITIONS.values() if each in self.part.config.protocol.conditions]

    def retry_rate(self, condition: Condition) -> float | None:
        """Share of a condition's requests that needed more than one attempt; None where the journals are not here."""
        here = [each for (_, _, asked), each in self.attempts.items() if asked is condition]
        return sum(each.attempts > 1 for each in here) / len(here) if here else None


@dataclass(frozen=True)
class TaskAnswers:
    """One task: its items, its gold, and what each part answered."""

    task: TaskConfig
    items: tuple[Item, ...]
    references: Mapping[str, Reference]
    parts: tuple[PartAnswers, ...]


def read_task(name: str, parts: Sequence[Part]) -> TaskAnswers:
    """Items, references and answers of a task; InputError where the data here are not those that were scored."""
    task = recorded_task(parts[0].folder, parts[0].config)
    loaded, gold = load_items(task), load_references(task)
    for part in parts:
        _require_same_data(name, part, loaded.data_sha256, gold.references_sha256)
    answered = tuple(
        _read_part(part, loaded.items, task) for part in parts if (part.folder / PREDICTIONS_FILE).is_file()
    )
    asked = {item.id for each in answered for item in each.items}
    items = tuple(item for item in loaded.items if item.id in asked)
    return TaskAnswers(task, items, gold.references, answered)


def _require_same_data(name: str, part: Part, data_sha256: str, references_sha256: str) -> None:
    asked_on, card = part.config.benchmark.data_sha256, part.card
    led_here = card.errata is not None and card.errata.from_data_sha256 == asked_on
    again = f"musebench score {quote(str(part.folder))}"
    if asked_on != data_sha256 and not (led_here and card.hashes.data_sha256 == data_sha256):
        raise InputError(
            f"{part.folder} was made on data {asked_on[:12]}, the data of {name} here are {data_sha256[:12]}. If an "
            f"errata.yaml beside them leads from the one to the other, score it again: {again}"
        )
    if card.hashes.references_sha256 != references_sha256:
        raise InputError(
            f"{part.folder} was scored with other answers ({card.hashes.references_sha256[:12]}) than those of {name} "
            f"here ({references_sha256[:12]}). Score it again: {again}"
        )


def _read_part(part: Part, items: Sequence[Item], task: TaskConfig) -> PartAnswers:
    retired = part.card.errata.retired if part.card.errata else ()
    asked = select_without(items, part.config.benchmark.selection, task.slices, retired)
    predictions = predictions_of(part)
    return PartAnswers(part, asked, predictions, attempts_of(part, predictions))


def item_cards(answers: TaskAnswers, media: MediaFolder, prefix: str) -> Iterator[ItemCard]:
    """The cards of a task's items; anchors are `prefix` and a number."""
    planned = [(each, {item.id for item in each.items}) for each in answers.parts]
    is_film = Modality.VIDEO in answers.task.modalities
    for number, item in enumerate(answers.items, start=1):
        given = [answer for part, ids in planned if item.id in ids for answer in _given(part, item.id)]
        medium = media.medium(item, is_film=is_film)
        yield make_card(item, answers.references.get(item.id), given, medium, anchor=f"{prefix}-{number}")


def _given(answered: PartAnswers, item_id: str) -> Iterator[GivenAnswer]:
    name = system_name(answered.part.card)
    runs = answered.part.config.protocol.runs
    several = len(answered.conditions) > 1 or answered.conditions[0] is not Condition.FULL
    for condition in answered.conditions:
        for run in range(runs):
            key = (item_id, run, condition)
            attempt = answered.attempts.get(key)
            words = [condition_name(condition, answered.part.card)] if several else []
            words += [f"run {run + 1}"] if runs > 1 else []
            yield GivenAnswer(
                system=name,
                setting=" · ".join(words),
                prediction=answered.predictions.get(key),
                error=attempt.error if attempt else None,
                attempts=attempt.attempts if attempt else 1,
                is_counted=condition is answered.conditions[0],
                fps=answered.part.config.media.fps,
                frame_times_s=attempt.frame_times_s if attempt else None,
            )
