"""Makes the guard that keeps from models what only the evaluator may know (MU-04, MB-18).

What goes in: titles, names of artists, ids and addresses of platforms, hashes of sources, captions, core intents,
correct answers, strategies, tags, attributions, cluster and item ids, names of source files, and transcripts of other
items.
How it is looked for depends on what it is, so that "Love" as a title raises no alarm in an ordinary sentence:

names            two words or more with eight letters in all, or one word of eight
ids, hashes      a digit or capitals inside and eight characters, five where all are digits; of an address each part
texts            runs of eight words; shorter ones whole, from four words on
tags             two words or more with eight letters in all
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from musebench_tasks.base.records import Item, TaskConfig
from musebench_tasks.items.evaluator_only import NUMBERED, Secret, SecretCell, evaluator_cells
from musebench_tasks.prompts.environment import TEMPLATE_FOLDER
from musebench_tasks.prompts.leak_guard import LeakGuard
from musebench_tasks.prompts.word_grams import LONGEST_GRAM, grams, weight, whole_grams, words

_NAMES = frozenset({Secret.TITLE, Secret.ARTIST, Secret.ATTRIBUTION, Secret.FILE, Secret.STRATEGY})
_MAY_BE_SAID = frozenset(Secret) - {Secret.CAPTION, Secret.INTENT}
"""What an item's own transcript may hold: people say names; nobody recites a caption."""
_ADDRESS = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[A-Za-z]{2,}(?=/)")
_SHORT_HASH = 16
_LONG_WORD, _LONG_NAME, _LONG_NUMBER, _LONG_TEXT = 8, 8, 5, 16
_FEWEST_WORDS = 4
_LONG_ID = 10


def make_guard(task: TaskConfig, items: Sequence[Item], *, offline: bool = False) -> LeakGuard:
    """The guard of a task: from all its data that lie here and from `items`, which are to be asked."""
    cells = [*evaluator_cells(task, offline=offline), *_item_cells(items)]
    kinds: dict[str, int] = {}
    secrets: list[Secret] = []
    table: dict[int, dict[int, int]] = defaultdict(dict)
    for cell in cells:
        kind = f'{cell.secret} ("{cell.column}")'
        if kind not in kinds:
            kinds[kind] = len(kinds)
            secrets.append(cell.secret)
        for n, found in _guarded(cell):
            for each in found:
                table[n].setdefault(each, kinds[kind])
    for n, innocent in _template_grams().items():
        for each in innocent & table.get(n, {}).keys():
            del table[n][each]
    sayable = frozenset(place for place, secret in enumerate(secrets) if secret in _MAY_BE_SAID)
    return LeakGuard(
        task.task, tuple(kinds), {n: dict(found) for n, found in table.items()}, _own(items, table, sayable)
    )


def _item_cells(items: Iterable[Item]) -> Iterator[SecretCell]:
    """What items themselves hold that no model sees."""
    for item in items:
        if item.media is not None:
            if item.media.row is None:
                yield SecretCell(Secret.FILE, "media", Path(item.media.path).stem)
            if item.media.sha256 is not None:
                yield SecretCell(Secret.HASH, "SHA-256 of the medium", item.media.sha256)
                yield SecretCell(Secret.HASH, "SHA-256 of the medium", item.media.sha256[:_SHORT_HASH])
        if item.transcript is not None:
            yield SecretCell(Secret.TRANSCRIPT, "transcript", item.transcript)


def _guarded(cell: SecretCell) -> Iterator[tuple[int, list[int]]]:
    """The hashes by which a cell is found again; none where its words could stand anywhere."""
    texts = [cell.text]
    if cell.secret in NUMBERED and (address := _ADDRESS.match(cell.text.strip())):
        texts = [part for part in re.split(r"[/?&=#]+", cell.text.strip()[address.end() :]) if part]
    for text in texts:
        found = words(text)
        if found and _tells(cell.secret, text, found):
            yield whole_grams(found)


def _tells(secret: Secret, text: str, found: Sequence[str]) -> bool:
    """Whether a text says enough to be looked for."""
    if secret is Secret.TRANSCRIPT:
        return len(found) >= LONGEST_GRAM
    if len(found) > LONGEST_GRAM:
        return True
    letters = sum(map(weight, found))
    if _identifies(text, letters) and (len(found) == 1 or secret in NUMBERED):
        return True
    if secret in NUMBERED:
        return letters >= _LONG_ID
    if secret in _NAMES:
        return letters >= (_LONG_NAME if len(found) > 1 else _LONG_WORD)
    if secret is Secret.TAG:
        return len(found) > 1 and letters >= _LONG_NAME
    return len(found) >= _FEWEST_WORDS and letters >= _LONG_TEXT


def _identifies(text: str, letters: int) -> bool:
    """Whether a text looks like an id: digits, or capitals inside it, and long enough to be met nowhere by chance."""
    if text.isdigit():
        return len(text) >= _LONG_NUMBER
    return letters >= _LONG_WORD and (any(map(str.isdigit, text)) or re.search(r"[a-z][A-Z]", text) is not None)


def _own(items: Iterable[Item], table: dict[int, dict[int, int]], sayable: frozenset[int]) -> dict[str, frozenset[int]]:
    """What each item's own transcript holds and may hold."""
    said: dict[str, frozenset[int]] = {}
    for item in items:
        if item.transcript:
            found = frozenset(
                each
                for n, hashes in grams(words(item.transcript))
                for each in hashes
                if table.get(n, {}).get(each) in sayable
            )
            if found:
                said[item.id] = found
    return said


@lru_cache(maxsize=1)
def _template_grams() -> dict[int, frozenset[int]]:
    """What stands in the package's own templates and can be no secret."""
    found: dict[int, set[int]] = defaultdict(set)
    for path in sorted(TEMPLATE_FOLDER.glob("*.jinja")):
        for n, hashes in grams(words(path.read_text(encoding="utf-8"))):
            found[n].update(hashes)
    return {n: frozenset(hashes) for n, hashes in found.items()}
