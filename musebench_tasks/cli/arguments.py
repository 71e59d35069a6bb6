"""Kinds of argument: what is no such thing is told in the user's words."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from musebench_tasks.base.problems import reason


def positive(text: str) -> int:
    """A whole number of 1 or more."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number of 1 or more')
    return number


def seconds(text: str) -> float:
    """A finite time above 0."""
    number = _number(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f'"{text}" is no number of seconds above 0')
    return number


def dollars(text: str) -> float:
    """A finite sum above 0."""
    number = _number(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f'"{text}" is no sum above 0')
    return number


def frame_rule(text: str) -> str:
    """A way of choosing frames."""
    from musebench_tasks.values.frame_rule import parse_frame_rule

    try:
        parse_frame_rule(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(reason(problem)) from problem
    return text


def part_length(text: str) -> float | str:
    """Seconds of a part of the sound, or a word in their place."""
    return text if text in ("limit", "none") else seconds(text)


def share(text: str) -> float:
    """A number from 0 to 1."""
    number = _number(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no number from 0 to 1')
    return number


def name(text: str) -> str:
    """A name, which is never empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty name names nothing")
    return text


def names(text: str) -> list[str]:
    """Names with commas between them."""
    found = [each.strip() for each in text.split(",")]
    if not all(found):
        empty = "names nothing" if not any(found) else "names nothing before, between or after its commas"
        raise argparse.ArgumentTypeError(f'"{text}" {empty}; write names with single commas between them')
    return found


def folder(text: str) -> Path:
    """A folder that may not be there yet."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name of the folder is empty")
    return Path(text)


def _number(text: str) -> float:
    """The number in `text`; not a number where there is none, which lies in no range."""
    try:
        return float(text)
    except ValueError:
        return math.nan
