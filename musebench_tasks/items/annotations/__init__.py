"""References and estimates from files of annotations: JAMS, .lab, CSV, JSON and one-value text files."""

from musebench_tasks.items.annotations.files import Gathered, gather, gather_given
from musebench_tasks.items.annotations.found import Fault, Found
from musebench_tasks.items.annotations.judged import (
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
    "Fault",
    "Found",
    "Gathered",
    "Given",
    "gather",
    "gather_given",
    "read_estimates",
    "read_references",
    "within",
]
