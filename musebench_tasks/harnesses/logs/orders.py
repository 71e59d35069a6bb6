"""In which order the options of an item were shown, as far as a log tells: by ids, by texts, or in the prompt."""

from __future__ import annotations

import re
from itertools import pairwise

from musebench_tasks.base.records import Item
from musebench_tasks.base.text import nearest
from musebench_tasks.harnesses.logs.rows import LoggedAnswer


def logged_order(answer: LoggedAnswer, item: Item) -> tuple[str, ...] | str | None:
    """Option ids as shown, None where the log does not tell, or what is wrong with what it tells."""
    if not item.options:
        return None
    if answer.option_order is not None:
        if sorted(answer.option_order) != sorted(item.option_ids):
            return f"its option_order are not the ids of the options of {item.id}."
        return answer.option_order
    if answer.option_texts is None:
        return _order_in(answer.shown or "", item)
    ids = {option.text.strip(): option.id for option in item.options}
    unknown = [text for text in answer.option_texts if text.strip() not in ids]
    if unknown or len(ids) != len(item.options):
        text = unknown[0] if unknown else "two alike"
        return f'"{text}" is no option of {item.id}{nearest(text, ids)}.'
    order = tuple(ids[text.strip()] for text in answer.option_texts)
    if sorted(order) != sorted(item.option_ids):
        return f"{len(order)} options were shown, {item.id} has {len(item.options)}."
    return order


def _order_in(prompt: str, item: Item) -> tuple[str, ...] | None:
    """Option ids as a prompt lists them: each ends a line, or stands just once; None where it is not so."""
    texts = {option.id: option.text.strip() for option in item.options}
    longest_first = sorted(texts, key=lambda each: -len(texts[each]))
    lines = (line.rstrip() for line in prompt.splitlines())
    ending = [next((each for each in longest_first if _ends_with(line, texts[each])), "") for line in lines]
    by_line = tuple(filter(None, ending))
    return next((each for each in (by_line, _by_place(prompt, texts)) if sorted(each) == sorted(texts)), None)


def _ends_with(line: str, text: str) -> bool:
    """Whether a line is that text, with no more before it than ends in no letter: a label, a bullet."""
    return line.endswith(text) and not line[: len(line) - len(text)][-1:].isalnum()


def _by_place(prompt: str, texts: dict[str, str]) -> tuple[str, ...]:
    """Option ids by where their texts stand; none where one is missing, stands twice, or inside another."""
    places: list[tuple[int, int, str]] = []
    for each, text in texts.items():
        found = [*re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", prompt)]
        if len(found) != 1:
            return ()
        places.append((found[0].start(), found[0].end(), each))
    places.sort()
    if any(later[0] < earlier[1] for earlier, later in pairwise(places)):
        return ()
    return tuple(each for _, _, each in places)
