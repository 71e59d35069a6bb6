"""Annotations read from files of annotations: JAMS, .lab, CSV, JSON and one-value text files."""

from musebench_tasks.items.annotations.files import RawAnnotations, read_raw, values_at_hand
from musebench_tasks.items.annotations.raw_values import RawValue
from musebench_tasks.items.annotations.validation import (
    Annotation,
    Annotations,
    Given,
    read_estimates,
    read_references,
    within,
)

__all__ = [
    "Annotation",
    "Annotations",
    "Given",
    "RawAnnotations",
    "RawValue",
    "read_estimates",
    "read_raw",
    "read_references",
    "values_at_hand",
    "within",
]
