"""Which items a gallery shows: by the seed, and so that the two of a pair differ in as much as they can."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import DEFAULT_SEED, Item
from musebench_tasks.base.text import nearest, shown

ASPECTS = ("kind", "cluster_id", "subdomain", "difficulty", "alignment")
"""In what two examples should differ, the most telling first."""


@dataclass(frozen=True)
class Group:
    """The examples of one category; the name is empty where items have none."""

    name: str
    items: tuple[Item, ...]


def choose_examples(
    items: Iterable[Item], categories: Sequence[str] = (), *, pairs: int = 1, seed: int = DEFAULT_SEED
) -> list[Group]:
    """`pairs` pairs of every category, or of `categories` (any case, or how they begin); InputError for others.

    The first item of a category is drawn by `seed`; each further one is the one that has most aspects no chosen item
    has, ties drawn. Same items and seed, same examples.
    """
    grouped: dict[str, list[Item]] = {}
    for item in items:
        grouped.setdefault(item.category or "", []).append(item)
    wanted = [_known(name, grouped) for name in categories] or sorted(grouped)
    return [Group(name, tuple(_examples(grouped[name], 2 * pairs, seed))) for name in dict.fromkeys(wanted)]


def _known(name: str, grouped: dict[str, list[Item]]) -> str:
    """The category that `name` names, or begins, in any case."""
    by_folded = {each.casefold(): each for each in grouped if each}
    folded = name.casefold()
    begun = [folded] if folded in by_folded else [each for each in by_folded if each.startswith(folded)]
    if len(begun) != 1:
        names = sorted(by_folded.values())
        raise InputError(f"category {shown(name)} is not known{nearest(name, names)}. Known: {', '.join(names)}.")
    return by_folded[begun[0]]


def _examples(items: Sequence[Item], n: int, seed: int) -> Iterator[Item]:
    drawn = sorted(items, key=lambda item: hashlib.sha256(f"{seed}|{item.id}".encode()).hexdigest())
    seen: set[tuple[str, str]] = set()
    for _ in range(min(n, len(drawn))):
        chosen = min(drawn, key=lambda item: tuple(aspect in seen for aspect in _aspects(item)))
        drawn.remove(chosen)
        seen.update(_aspects(chosen))
        yield chosen


def _aspects(item: Item) -> list[tuple[str, str]]:
    return [(name, str(getattr(item, name))) for name in ASPECTS]
