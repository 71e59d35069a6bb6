"""What the harnesses know: the keys of their task files, and which wrappers take sound. Read in the versions named.

An unknown key ends a run of either harness (TypeError), and so does a key that the other one knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from musebench_tasks.base.text import nearest

LM_EVAL_VERSION = "0.4.13"
LMMS_EVAL_VERSION = "0.7.3"

_SHARED_KEYS = frozenset(
    {
        "task", "task_alias", "tag", "dataset_path", "dataset_name", "dataset_kwargs", "training_split",
        "validation_split", "test_split", "fewshot_split", "process_docs", "doc_to_text", "doc_to_target",
        "doc_to_choice", "process_results", "use_prompt", "description", "target_delimiter", "fewshot_delimiter",
        "fewshot_config", "num_fewshot", "metric_list", "output_type", "generation_kwargs", "repeats", "filter_list",
        "should_decontaminate", "doc_to_decontamination_query", "metadata",
    }
)  # fmt: skip
STRUCTURAL_KEYS = frozenset({"include", "class", "group", "task_list"})
LM_EVAL_KEYS = _SHARED_KEYS | {"custom_dataset", "doc_to_image", "doc_to_audio", "unsafe_code", "gen_prefix"}
LMMS_EVAL_KEYS = _SHARED_KEYS | {
    "group", "group_alias", "full_docs", "process_results_use_image", "doc_to_visual", "doc_to_messages",
    "cluster_key", "score_key", "lmms_eval_specific_kwargs", "model_specific_generation_kwargs",
    "model_specific_target_kwargs", "reasoning_tags", "auto_strip_thinking",
}  # fmt: skip
KEYS = {"lm_eval": LM_EVAL_KEYS, "lmms_eval": LMMS_EVAL_KEYS}
METRIC_KEYS = frozenset({"metric", "aggregation", "higher_is_better"})
"""What an entry of `metric_list` says in the generated files; a harness takes further ones for the metric's own."""
LMMS_EVAL_RESERVED_METADATA = frozenset({"task", "doc_id", "repeats", "split"})
"""Keys of `metadata` that would replace what lmms-eval notes about a request."""

LMMS_EVAL_FILM_WITH_SOUND = ("baichuan_omni", "gemini", "minicpm_o", "omnivinci", "qwen2_5_omni", "qwen3_omni")
"""Wrappers whose code hands on a film and, beside it, a block of sound.

Others collect the block and leave it (vllm_generate, phi4_multimodal), look for a sound track in the film (ola,
video_salmonn_2), put one in the place of the other (vita), or hand it on under a name that processors do not know
(huggingface, async_hf_model).
"""
LMMS_EVAL_SOUND = (
    *LMMS_EVAL_FILM_WITH_SOUND,
    *("aero", "audio_flamingo_3", "gpt4o_audio", "kimi_audio", "ola", "qwen2_audio", "vita"),
)
"""Wrappers whose code hands on sound that comes alone."""


class _FunctionLoader(yaml.SafeLoader):
    """Reads `!function NAME` as the text NAME."""


_FunctionLoader.add_constructor("!function", lambda loader, node: str(node.value))


def read_generated(text: str) -> dict[str, Any]:
    """A task file of a harness, its functions as their names."""
    content = yaml.load(text, Loader=_FunctionLoader)
    return content if isinstance(content, dict) else {}


def key_problems(harness: str, path: str, content: dict[str, Any]) -> Iterator[str]:
    """Keys of a task file that would end a run of its harness."""
    known = KEYS[harness] | STRUCTURAL_KEYS
    for key in content:
        if key not in known:
            yield f'{path}: "{key}" is no key of {harness}{nearest(key, known)}. Remove it.'
    for entry in content.get("metric_list") or []:
        for key in sorted(set(entry) ^ METRIC_KEYS):
            found = "is no key of a metric here" if key in entry else "is missing from a metric"
            yield f'{path}: "{key}" {found} ({entry.get("metric")}).'
    for key in sorted(set(content.get("metadata") or {}) & LMMS_EVAL_RESERVED_METADATA):
        yield f'{path}: metadata "{key}" would replace what lmms-eval notes there. Rename it.'
