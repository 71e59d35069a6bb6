"""The codes that a reading may give: rules and flags, as closed lists (answers.md 1 to 4).

Predictions hold them, also those of others: whoever reads such a file knows by these lists what can stand there. A code
that is no longer given stays listed, since files of then hold it.
"""

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
