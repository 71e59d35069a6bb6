"""What is asked about the probe clip, and what is found in the answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

ALL_NUMBERS = (
    "Each picture shows one number of three digits. "
    "Write all the numbers in the order shown, separated by commas, and nothing else."
)
BEEPS = "How many beeps are in the sound? Write one number and nothing else."
LETTER = "Answer with the letter B and nothing else."
OTHER_LETTER = "Answer with the letter D and nothing else."
_NUMBER = re.compile(r"(?<![\d.])\d{3}(?!\d)")
_COUNT = re.compile(r"(?<![\d.])\d{1,4}(?![\d.]*\d)")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


def spoken(text: str) -> str:
    """The answer without thoughts that a server left in it."""
    return _THOUGHT.sub("", text)


def numbers_in(text: str) -> tuple[int, ...]:
    """All numbers of three digits in an answer, in order."""
    return tuple(int(match) for match in _NUMBER.findall(spoken(text)))


def count_in(text: str) -> int | None:
    """The one number in an answer; None where there are none or several."""
    counts = {int(match) for match in _COUNT.findall(spoken(text))}
    return counts.pop() if len(counts) == 1 else None


def places_read(text: str, numbers: Sequence[int]) -> tuple[int, ...]:
    """Which of `numbers` an answer holds, by place."""
    read = set(numbers_in(text))
    return tuple(place for place, number in enumerate(numbers) if number in read)


def places_told(places: Sequence[int], sent: int) -> str:
    """`the first 8`, `the last 8`, or `8 of 32`."""
    if 1 < len(places) < sent:
        if tuple(places) == tuple(range(len(places))):
            return f"the first {len(places)}"
        if tuple(places) == tuple(range(sent - len(places), sent)):
            return f"the last {len(places)}"
    return f"{len(places)} of {sent}"
