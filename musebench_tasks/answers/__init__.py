"""Finds values in a model's text. Pure, deterministic, never raises, never sees the gold (answers.md)."""

from typing import TYPE_CHECKING

from musebench_tasks.base.exports import exported

if TYPE_CHECKING:
    from musebench_tasks.answers.choice import parse_choice
    from musebench_tasks.answers.music import parse_key, parse_music, parse_segments, parse_tempo, parse_time_signature
    from musebench_tasks.answers.outcomes import PARSER_VERSION, ChoiceAnswer, MusicAnswer

__all__ = [
    "PARSER_VERSION",
    "ChoiceAnswer",
    "MusicAnswer",
    "parse_choice",
    "parse_key",
    "parse_music",
    "parse_segments",
    "parse_tempo",
    "parse_time_signature",
]

__getattr__ = exported(
    __name__,
    {
        "musebench_tasks.answers.choice": "parse_choice",
        "musebench_tasks.answers.music": "parse_key parse_music parse_segments parse_tempo parse_time_signature",
        "musebench_tasks.answers.outcomes": "PARSER_VERSION ChoiceAnswer MusicAnswer",
    },
)
