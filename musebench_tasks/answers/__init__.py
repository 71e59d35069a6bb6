"""Finds values in a model's text. Pure, deterministic, never raises, never sees the gold (answers.md)."""

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
