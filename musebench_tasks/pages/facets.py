"""What the items of a page can be narrowed down by: a choice for each slice, system and status that differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from musebench_tasks.base.records import Item, Kind, Status, slice_value
from musebench_tasks.pages.text import named

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
