"""The card of an item, and what the cards of a page can be narrowed down by: slice, system, status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from musebench_tasks.base.records import LETTERS, Item, Kind, Reference, Status, slice_value
from musebench_tasks.pages.answers import Answer, GivenAnswer, choice_answer
from musebench_tasks.pages.media_folder import Medium
from musebench_tasks.pages.music import MusicRow, MusicValue, compare_music, music_answers
from musebench_tasks.pages.received import Track, make_tracks
from musebench_tasks.pages.text import named, shortened
from musebench_tasks.pages.timeline import Axis, Lane, make_axis, make_lanes

DIMENSIONS = {"category": "Category", "subdomain": "Sub-domain", "difficulty": "Difficulty", "kind": "Kind"}
"""Slices that an item has, with their words."""
LEVELS = ("easy", "low", "medium", "intermediate", "hard", "high", "expert")
"""Difficulties in the order of difficulty; others follow by name."""


@dataclass(frozen=True, slots=True)
class Facet:
    """One choice of an item browser. `name` is the attribute of the cards that it looks at."""

    name: str
    """category, subdomain, difficulty or kind; `system`, `status` and `partly` look at the cards' answers."""
    label: str
    values: tuple[str, ...]


PARTLY = Facet("partly", "Answer", ("partly",))
"""Stands where answers have fields, of which some can be right."""


def make_facets(items: Iterable[Item], systems: Sequence[str], statuses: Iterable[Status]) -> tuple[Facet, ...]:
    """The facets of items that these systems answered with these statuses; what has one value only is left out.

    `system` stands wherever there is one system at least: right and wrong are asked of it.
    """
    found: dict[str, dict[str, None]] = {name: {} for name in DIMENSIONS}
    has_fields = False
    for item in items:
        has_fields |= item.kind is Kind.MUSIC
        for name in DIMENSIONS:
            value = slice_value(item, name)
            if value is not None:
                found[name][named(value)] = None
    facets = [Facet(name, DIMENSIONS[name], _in_order(name, values)) for name, values in found.items()]
    ended = set(statuses)
    facets += [
        Facet("status", "Status", tuple(each.value for each in Status if each in ended)),
        Facet("system", "System", tuple(dict.fromkeys(map(named, systems)))),
    ]
    differing = [each for each in facets if len(each.values) > (0 if each.name == "system" else 1)]
    return (*differing, *([PARTLY] if has_fields and systems else []))


def _in_order(name: str, values: Iterable[str]) -> tuple[str, ...]:
    if name != "difficulty":
        return tuple(sorted(values))
    return tuple(sorted(values, key=lambda each: (_level(each), each)))


def _level(value: str) -> int:
    return LEVELS.index(value.casefold()) if value.casefold() in LEVELS else len(LEVELS)


KIND_WORDS = {Kind.SINGLE: "one is right", Kind.MULTI: "several are right", Kind.MUSIC: "recording"}

__all__ = ["Answer", "CardOption", "ItemCard", "MusicRow", "MusicValue", "make_card", "option_letters"]


@dataclass(frozen=True, slots=True)
class CardOption:
    """One option, in the stored order."""

    letter: str
    text: str
    is_gold: bool
    chosen_by: tuple[str, ...]
    """Systems that chose it, with how often where they were asked more than once."""


@dataclass(frozen=True, slots=True)
class ItemCard:
    """One item on a page."""

    anchor: str
    id: str
    facts: tuple[str, ...]
    slices: tuple[tuple[str, str], ...]
    """Name and value of each slice, for filters."""
    medium: Medium
    tracks: tuple[Track, ...]
    """What of the medium's window was received."""
    question: str | None
    options: tuple[CardOption, ...]
    answers: tuple[Answer, ...]
    music: tuple[MusicRow, ...]
    """The reference, then each answer, field by field."""
    fields: tuple[str, ...]
    lanes: tuple[Lane, ...]
    axis: Axis | None
    license: str | None
    attribution: str | None

    @property
    def judged(self) -> str:
        """A line for each different system, outcome (of counted answers) and status, tabs between; for filters."""
        rows = ((each.system, each.outcome if each.is_counted else "", each.status.value) for each in self.answers)
        return "\n".join(dict.fromkeys("\t".join(row) for row in rows))

    @property
    def differs(self) -> bool:
        """Whether systems gave different answers, right or wrong."""
        by_system: dict[str, list[tuple[str, ...]]] = {}
        for number, answer in enumerate(self.answers):
            if answer.is_counted:
                values = tuple(value.text for value in self.music[number + 1].values) if self.music else ()
                by_system.setdefault(answer.system, []).append((answer.said or answer.verdict, *values))
        return len({tuple(each) for each in by_system.values()}) > 1


def make_card(
    item: Item, reference: Reference | None, given: Sequence[GivenAnswer], medium: Medium, *, anchor: str
) -> ItemCard:
    """The card of `item`. Without `reference` no gold is shown and nothing is called right or wrong."""
    letters = option_letters(item)
    given = [replace(each, system=named(each.system), setting=named(each.setting)) for each in given]
    gold = reference or Reference(item_id=item.id)
    truth = gold.music
    rows = compare_music(item, truth, given) if truth else ()
    answers = (
        music_answers(given, rows)
        if item.kind is Kind.MUSIC
        else tuple(choice_answer(each, item, gold, letters) for each in given)
    )
    lanes = make_lanes(item, truth, given) if truth and truth.segments else ()
    return ItemCard(
        anchor=anchor,
        id=named(item.id),
        facts=_facts(item),
        slices=tuple((name, named(value)) for name in DIMENSIONS if (value := slice_value(item, name)) is not None),
        medium=medium,
        tracks=make_tracks(item, given) if medium.element in ("video", "audio") else (),
        question=shortened(item.question) if item.question else None,
        options=_options(item, gold, given, letters),
        answers=answers,
        music=rows,
        fields=tuple(value.field for value in rows[0].values) if rows else (),
        lanes=lanes,
        axis=make_axis(item, truth) if lanes and truth else None,
        license=shortened(item.license) if item.license else None,
        attribution=shortened(item.attribution) if item.attribution else None,
    )


def option_letters(item: Item) -> dict[str, str]:
    """The letter of each option id, in the stored order; numbers where letters do not suffice."""
    names = LETTERS if len(item.options) <= len(LETTERS) else [str(n + 1) for n in range(len(item.options))]
    return {option.id: names[position] for position, option in enumerate(item.options)}


def _facts(item: Item) -> tuple[str, ...]:
    facts = (item.category, item.subdomain, item.difficulty, KIND_WORDS[item.kind])
    return tuple(named(each) for each in facts if each)


def _options(
    item: Item, gold: Reference, given: Sequence[GivenAnswer], letters: dict[str, str]
) -> tuple[CardOption, ...]:
    right = set(gold.answer or ())
    chosen: dict[str, dict[str, int]] = {}
    asked: dict[str, int] = {}
    for each in (one for one in given if one.is_counted):
        asked[each.system] = asked.get(each.system, 0) + 1
        parsed = each.prediction.parsed if each.prediction else None
        for option in parsed if isinstance(parsed, tuple) else ():
            votes = chosen.setdefault(option, {})
            votes[each.system] = votes.get(each.system, 0) + 1
    return tuple(
        CardOption(
            letters[option.id],
            shortened(option.text),
            option.id in right,
            tuple(
                name if asked[name] == 1 else f"{name} {votes} of {asked[name]}"
                for name, votes in chosen.get(option.id, {}).items()
            ),
        )
        for option in item.options
    )
