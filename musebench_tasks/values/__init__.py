"""A whole string or number in, one exact value out. Nothing here searches a text (that is `answers`)."""

from typing import TYPE_CHECKING

from musebench_tasks.base.exports import exported

if TYPE_CHECKING:
    from musebench_tasks.values.intervals import (
        CheckedReference,
        CleanedPrediction,
        IntervalProblem,
        Span,
        clean_prediction,
        to_micros,
        validate_reference,
    )
    from musebench_tasks.values.key import KeyReading, PitchKey, key_name, parse_key_name, read_key_name, relative
    from musebench_tasks.values.micro import MicroBpm, to_micro
    from musebench_tasks.values.time_signature import Metre, is_admissible, metre_name, parse_metre, read_fraction

__all__ = [
    "CheckedReference",
    "CleanedPrediction",
    "IntervalProblem",
    "KeyReading",
    "Metre",
    "MicroBpm",
    "PitchKey",
    "Span",
    "clean_prediction",
    "is_admissible",
    "key_name",
    "metre_name",
    "parse_key_name",
    "parse_metre",
    "read_fraction",
    "read_key_name",
    "relative",
    "to_micro",
    "to_micros",
    "validate_reference",
]

__getattr__ = exported(
    __name__,
    {
        "musebench_tasks.values.intervals": (
            "CheckedReference CleanedPrediction IntervalProblem Span clean_prediction to_micros validate_reference"
        ),
        "musebench_tasks.values.key": "KeyReading PitchKey key_name parse_key_name read_key_name relative",
        "musebench_tasks.values.micro": "MicroBpm to_micro",
        "musebench_tasks.values.time_signature": "Metre is_admissible metre_name parse_metre read_fraction",
    },
)
