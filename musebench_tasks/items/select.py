"""Which of a task's items a run asks: all, the first N, or a stratified draw."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import DEFAULT_SEED, Item, slice_value

Stratum = TypeVar("Stratum", bound=Any)
_SELECTION = re.compile(r"(limit|stratified):([1-9]\d*)")


def select(items: Sequence[Item], selection: str | None, slices: Sequence[str]) -> tuple[Item, ...]:
    """The items selected, sorted by id.

    None: all. `limit:N`: the first N by id. `stratified:N`: as equal a share as possible of every stratum (each
    combination of the values of `slices`), the same items every time.
    """
    ordered = sorted(items, key=lambda item: item.id)
    if selection is None:
        return tuple(ordered)
    match = _SELECTION.fullmatch(selection)
    if match is None:
        raise InputError(f'"{selection}" selects nothing. Write limit:N or stratified:N with N of at least 1.')
    wanted = int(match[2])
    return tuple(ordered[:wanted]) if match[1] == "limit" else _stratified(ordered, wanted, slices)


def select_without(
    items: Sequence[Item], selection: str | None, slices: Sequence[str], retired: Collection[str]
) -> tuple[Item, ...]:
    """What `select` chose while the items `retired` were still among them, without those.

    InputError for a stratified draw: which items it took cannot be told without the rows that are gone.
    """
    if not retired or selection is None:
        return select([item for item in items if item.id not in retired], selection, slices)
    match = _SELECTION.fullmatch(selection)
    if match is None or match[1] != "limit":
        raise InputError(
            f'the selection "{selection}" was drawn among items that are retired since: it cannot be drawn again. '
            "Score with the data it was made on, or ask all items."
        )
    first = set(sorted({*(item.id for item in items), *retired})[: int(match[2])])
    return tuple(sorted((item for item in items if item.id in first - set(retired)), key=lambda item: item.id))


def quotas(sizes: Mapping[Stratum, int], wanted: int) -> dict[Stratum, int]:
    """How many to draw from each stratum: smallest first, each its share of what is left (music_metrics.md 8).

    Strata of one size are served in their own order; the sum is `wanted`, or all there are.
    """
    left = wanted
    given: dict[Stratum, int] = {}
    for number, (stratum, size) in enumerate(sorted(sizes.items(), key=lambda each: (each[1], each[0]))):
        given[stratum] = min(size, left // (len(sizes) - number))
        left -= given[stratum]
    return given


def _stratified(items: Sequence[Item], wanted: int, slices: Sequence[str]) -> tuple[Item, ...]:
    strata: dict[str, list[Item]] = {}
    for item in items:
        strata.setdefault("|".join(slice_value(item, each) or "" for each in slices), []).append(item)
    given = quotas({stratum: len(members) for stratum, members in strata.items()}, wanted)
    drawn = [item for stratum, members in strata.items() for item in sorted(members, key=_draw)[: given[stratum]]]
    return tuple(sorted(drawn, key=lambda item: item.id))


def _draw(item: Item) -> str:
    """A place in the draw that follows from the item's id and the seed alone: independent of order and Python."""
    return hashlib.sha256(f"{item.id}|{DEFAULT_SEED}".encode()).hexdigest()
