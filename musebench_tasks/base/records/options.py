"""Option ids and option orders: both follow from content alone, never from position or gold."""

import hashlib
from collections.abc import Iterable, Sequence

from musebench_tasks.base.records.base import Record

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DEFAULT_SEED = 42


class Option(Record):
    """One answer option of a choice item."""

    id: str
    text: str


def option_id(item_id: str, text: str) -> str:
    """First 8 hex digits of SHA-256 over item id, a unit separator and the option's text."""
    return hashlib.sha256(f"{item_id}\x1f{text}".encode()).hexdigest()[:8]


def make_options(item_id: str, texts: Iterable[str]) -> tuple[Option, ...]:
    """Options with their ids, in the order given."""
    return tuple(Option(id=option_id(item_id, text), text=text) for text in texts)


def shuffled_order(item_id: str, run: int, option_ids: Sequence[str], seed: int = DEFAULT_SEED) -> tuple[str, ...]:
    """The order of `option_ids` in run `run` (0-based): sorted by SHA-256 of `item_id|run|seed|option_id` (HQ-09)."""
    return tuple(
        sorted(option_ids, key=lambda each: hashlib.sha256(f"{item_id}|{run}|{seed}|{each}".encode()).hexdigest())
    )
