"""Our tasks in lm-eval 0.4.13: what the files of `musebench tasks path lm_eval` name, and a model that takes sound."""

from musebench_tasks.harnesses.lm_eval.hooks import (
    doc_to_image,
    doc_to_target,
    doc_to_text,
    load,
    process_results,
)
from musebench_tasks.harnesses.lm_eval.model import musebench_lm
from musebench_tasks.harnesses.scores import choice_consistency, position_bias

__all__ = [
    "choice_consistency",
    "doc_to_image",
    "doc_to_target",
    "doc_to_text",
    "load",
    "musebench_lm",
    "position_bias",
    "process_results",
]
