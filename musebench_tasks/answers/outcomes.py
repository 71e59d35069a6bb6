"""What reading a text gives: an answer, or why there is none. Statuses and rules: answers.md 1."""

from typing import Any, NamedTuple

from musebench_tasks.base.records import Status

PARSER_VERSION = "2"
"""Raised whenever the same text may be read differently; part of every score."""

_CUT_REASONS = frozenset({"length", "max_tokens", "max_length", "max_output_tokens", "max_new_tokens", "model_length"})


LONGEST = 1_000_000
"""Characters of an answer, reasoning apart, that are read; of a longer one the first and the last half of them."""

CUT_FOR_READING = "cut_for_reading"
"""The flag of an answer that was longer."""


class ChoiceAnswer(NamedTuple):
    """The options chosen: upper-case letters in order; empty unless `status` is ok (or for an explicit none)."""

    labels: tuple[str, ...]
    status: Status
    rule: str
    flags: tuple[str, ...] = ()


class MusicAnswer(NamedTuple):
    """The value of one music field; None unless `status` is ok.

    Tempo: float (BPM). Key: `Eb major`. Time signature: `6/8`. Segments: list of [start_s, end_s, label].
    """

    value: Any
    status: Status
    rule: str
    flags: tuple[str, ...] = ()


def was_cut(finish_reason: str | None) -> bool:
    """Whether the model was stopped by its token limit."""
    return finish_reason is not None and finish_reason.lower() in _CUT_REASONS
