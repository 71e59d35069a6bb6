"""Conditions: what of an item's media a model gets. One record each, asked by requests, checks, tables and figures.

A condition keeps some of a task's streams, and may change what it keeps. How a change acts on samples or on frames is
a function of the condition's name in `media.conditions`; without one, media are refused and never sent untouched.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler


class Modality(StrEnum):
    """A stream of a medium that a model can take."""

    VIDEO = "video"
    AUDIO = "audio"


VIDEO, AUDIO = Modality.VIDEO, Modality.AUDIO


class Condition(str):
    """The record of one condition; as text, its name."""

    __slots__ = ("changes", "keeps", "phrase")
    FULL: ClassVar[Condition]
    """The untouched media: what every other condition is compared with."""

    keeps: frozenset[Modality]
    """Streams that a model gets, where the task has them."""
    changes: frozenset[Modality]
    """Streams of which a model gets something else in their place."""
    phrase: str
    """What happens to the media, after the name of a system: `with silence for sound`."""

    def __new__(
        cls,
        name: str,
        phrase: str,
        *,
        keeps: Iterable[Modality] = tuple(Modality),
        changes: Iterable[Modality] = (),
    ) -> Self:
        """ValueError for a change of what is not kept."""
        record = super().__new__(cls, name)
        record.keeps, record.changes, record.phrase = frozenset(keeps), frozenset(changes), phrase
        if not record.changes <= record.keeps:
            raise ValueError(f"condition {name} changes streams that it does not keep")
        return record

    def __reduce__(self) -> tuple[Any, ...]:
        return find_condition, (str(self),)

    @property
    def label(self) -> str:
        """The name in words: `frozen frame`."""
        return self.replace("_", " ")

    @property
    def is_removal(self) -> bool:
        """Whether all that it does is to take streams away."""
        return len(self.keeps) < len(Modality) and not self.changes

    @property
    def needs(self) -> frozenset[Modality]:
        """Streams that a task must have: those changed; where one is taken away and another stays, both."""
        # Otherwise the condition would be `text_only` or `full` under another name.
        return frozenset(Modality) if self.keeps and len(self.keeps) < len(Modality) else self.changes

    def modalities(self, of_task: frozenset[Modality]) -> frozenset[Modality]:
        """The streams a model receives under this condition, out of those the task uses."""
        return of_task & self.keeps

    def of_stream(self, modality: Modality) -> Condition:
        """The condition that one stream is prepared under: this one if it changes the stream, else `full`."""
        return self if modality in self.changes else Condition.FULL

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _validated, serialization=core_schema.to_string_ser_schema(when_used="json")
        )


CONDITIONS: dict[str, Condition] = {
    str(each): each
    for each in (
        Condition("full", "with all media"),
        Condition("no_audio", "without the sound", keeps=[VIDEO]),
        Condition("no_video", "without the picture", keeps=[AUDIO]),
        Condition("text_only", "with the text alone", keeps=[]),
        Condition("noise", "with noise for sound", changes=[AUDIO]),
        Condition("silence", "with silence for sound", changes=[AUDIO]),
        Condition("frozen_frame", "with one frame for all", changes=[VIDEO]),
        Condition("shuffled_frames", "with shuffled frames", changes=[VIDEO]),
    )
}
"""Every condition by name, in the order in which they are asked and shown."""
Condition.FULL = CONDITIONS["full"]


def find_condition(name: str) -> Condition:
    """The condition of that name; ValueError where there is none."""
    found = CONDITIONS.get(name)
    if found is None:
        raise ValueError(f'no condition is called "{name}": {", ".join(CONDITIONS)}')
    return found


def _validated(value: object) -> Condition:
    found = CONDITIONS.get(value) if isinstance(value, str) else None
    if found is None:
        *others, last = map(repr, map(str, CONDITIONS))
        expected = f"{', '.join(others)} or {last}"
        raise PydanticCustomError("enum", "Input should be {expected}", {"expected": expected})
    return found
