"""What reading a text gives: an answer, or why there is none, in closed lists of rules and flags (answers.md 1 to 4).

Predictions hold the codes, also those of others: whoever reads such a file knows by these lists what can stand there. A
code that is no longer given stays listed, since files of then hold it.
"""

from typing import Any, NamedTuple

from musebench_tasks.base.records import Status

PARSER_VERSION = "2"
"""Raised whenever the same text may be read differently; part of every score."""

_CUT_REASONS = frozenset({"length", "max_tokens", "max_length", "max_output_tokens", "max_new_tokens", "model_length"})

LONGEST = 1_000_000
"""Characters of an answer, reasoning apart, that are read; of a longer one the first and the last half of them."""

ANY_RULES = frozenset(
    {"ambiguous", "cut", "empty", "error_text", "loop", "no_answer", "open_reasoning", "placeholder", "refusal"}
    | {"tool_call", "wrong_type"}
)
"""Why nothing was read, of every kind of answer."""
CHOICE_RULES = ANY_RULES | {
    *("all_of_the_above", "asserted_labels", "asserted_texts", "boxed", "bracketed", "check_boxes", "complement"),
    *("concluded", "declared", "ending_label", "enumeration", "explicit_none", "last_line", "list_items", "lone_line"),
    *("marked_list", "not_an_option", "number", "opening_label", "option_text", "ordinal", "verdicts"),
    *("whole_response", "whole_text"),
}
"""How options were read, or why none were."""
MUSIC_RULES = ANY_RULES | {
    *("bool", "bound", "conflict", "duplicate", "end_le_start", "infinite", "json", "nan", "no_denominator"),
    *("not_a_number", "outside", "overlap", "prose", "shape"),
}
"""How a field of music was read, or why it was not."""
FLAGS = frozenset(
    {"beat_unit", "clipped", "clipped_far", "cut_at_turn", "cut_for_reading", "dropped", "gaps", "letter_text_conflict"}
    | {"mode_variant", "range", "snapped", "sorted", "truncated"}
)
"""What was done to an answer, or is worth noting about it."""


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
