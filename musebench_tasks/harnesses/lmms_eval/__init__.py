"""Our tasks in lmms-eval 0.7.3: what the files of `musebench tasks path lmms_eval` name."""

from musebench_tasks.harnesses.lmms_eval.hooks import (
    doc_to_messages,
    doc_to_target,
    doc_to_text,
    doc_to_visual,
    process_docs,
    process_results,
)
from musebench_tasks.harnesses.scores import choice_consistency, clustered_mean, position_bias

__all__ = [
    "choice_consistency",
    "clustered_mean",
    "doc_to_messages",
    "doc_to_target",
    "doc_to_text",
    "doc_to_visual",
    "position_bias",
    "process_docs",
    "process_results",
]
