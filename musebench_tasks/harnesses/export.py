"""Exports tasks as trees of YAML files for lm-eval and lmms-eval, written as people would write them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Modality, TaskConfig
from musebench_tasks.base.resources import cache_directory, yaml_configs
from musebench_tasks.base.text import nearest
from musebench_tasks.harnesses import export
from musebench_tasks.harnesses.scores import CLUSTERED, OF_WHOLE_RUNS, named_metrics
from musebench_tasks.version import __version__

MOST_COLUMNS = 110
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_.][\w./-]*", re.IGNORECASE)


class Function(str):
    """The dotted name of a function, which a harness imports."""


def yaml_text(head: Iterable[str], keys: Mapping[str, Any]) -> str:
    """The file with `head` as its comment lines; lists of mappings stand one entry a line."""
    lines = [*head]
    for key, value in keys.items():
        entries = _entries(value)
        flow = f"{key}: {_flow(value)}"
        if not entries or (len(flow) <= MOST_COLUMNS and not isinstance(value, list)):
            lines.append(flow)
        else:
            lines += [f"{key}:", *entries]
    return "\n".join(lines) + "\n"


def _entries(value: Any) -> list[str]:
    """A line an entry, for values that hold mappings."""
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return [f"  - {_flow(each)}" for each in value]
    if isinstance(value, dict) and all(isinstance(each, dict) for each in value.values()):
        return [f"  {_flow(key)}: {_flow(each)}" for key, each in value.items()]
    return []


def _flow(value: Any) -> str:
    if isinstance(value, Function):
        return f"!function {value}"
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(each) for each in value) + "]"
    return json.dumps(value)


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


HARNESSES = ("lm_eval", "lmms_eval")
PREFIX = "musebench"
"""Begins every name: where a name is taken, lmms-eval's own task wins."""
MARK = "# Generated by `musebench tasks export`"
SEEDS = "documents"
"""Folder of the files that tell lmms-eval which task and condition a file is about."""
SEED_KEYS = ("musebench_task", "musebench_condition")


def tree_folder(harness: str) -> Path:
    """The task files of a harness, written into the cache: what it is given as `--include_path`.

    The folder's name holds the version and a hash of its files, so that processes that write it at the same time write
    the same, each file in one step.
    """
    files = exported_tree(harness, own_tasks())
    digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:12]
    folder = cache_directory() / "harnesses" / f"{harness}-{__version__}-{digest}"
    write_tree(folder, files)
    return folder


def exported_name(task: str, condition: Condition) -> str:
    """What a task under a condition is called in a harness: `musebench_hummusqa_text_only`; `full` is not said."""
    name = task if task == PREFIX or task.startswith(f"{PREFIX}_") else f"{PREFIX}_{task}"
    return name if condition is Condition.FULL else f"{name}_{condition}"


def exported_tree(harness: str, tasks: Iterable[TaskConfig]) -> dict[str, str]:
    """The text of every file by its path in the tree."""
    files: dict[str, str] = dict(_shared_files(harness))
    for task in tasks:
        for path, text in _task_files(harness, task):
            if path in files:
                raise InputError(
                    f"{task.task}: {Path(path).stem} is the name of another exported task already. Rename the task."
                )
            files[path] = text
    return files


def own_tasks() -> list[TaskConfig]:
    """The tasks that come with the package."""
    from musebench_tasks.tasks import list_tasks, load_task

    folder = (yaml_configs() / "tasks").resolve()
    entries = [each for each in list_tasks() if each.kind == "task" and folder in each.path.resolve().parents]
    return [load_task(each.name) for each in entries]


def chosen_tasks(names: Sequence[str]) -> tuple[list[TaskConfig], list[Path]]:
    """The tasks of these names and files, all of ours for none; and the files that a harness has to be told of.

    InputError for two tasks of one name: the hooks find a task by its name.
    """
    from musebench_tasks.tasks import is_path, list_tasks, load_tasks
    from musebench_tasks.tasks.index import duplicate

    if not names:
        return own_tasks(), []
    tasks, files = load_tasks(names), []
    known = {each.name: each.path for each in list_tasks()}
    for path in (Path(name) for name in names if is_path(name)):
        for task in load_tasks([path]):
            there = known.get(task.task, path)
            if there.resolve() != path.resolve():
                raise InputError(duplicate(task.task, there, path))
        files.append(path.resolve())
    return tasks, files


def write_tree(folder: Path, files: Mapping[str, str]) -> None:
    """Write a tree and take away generated files that are no longer part of it; other files are left alone."""
    from musebench_tasks.base.files import write_text

    if "/lm_eval/tasks/" in f"{folder.resolve().as_posix()}/":
        raise InputError(f"{folder}: lm-eval takes files below lm_eval/tasks for its own. Choose another folder.")
    for path, text in files.items():
        write_text(folder / path, text)
    for path in generated_files(folder):
        if path not in files:
            (folder / path).unlink()


def generated_files(folder: Path) -> list[str]:
    """Files of a tree that `musebench tasks export` wrote, as paths in the tree."""
    found = [path for path in folder.rglob("*") if path.suffix in (".yaml", ".json") and path.is_file()]
    return sorted(path.relative_to(folder).as_posix() for path in found if _is_generated(path))


def _is_generated(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    return text.startswith(MARK if path.suffix == ".yaml" else f'{{"{SEED_KEYS[0]}": ')


def _shared_files(harness: str) -> Iterator[tuple[str, str]]:
    """What the tasks of a harness share: for lmms-eval, which wrappers take sound."""
    if harness != "lmms_eval":
        return
    for name, wrappers in (
        ("_sound", export.LMMS_EVAL_SOUND),
        ("_film_with_sound", export.LMMS_EVAL_FILM_WITH_SOUND),
    ):
        told = {each: {"takes_sound": each in wrappers} for each in ("default", *sorted(wrappers))}
        head = (
            f"{MARK}: which wrappers of lmms-eval {export.LMMS_EVAL_VERSION} hand on what these tasks hold.",
            "# The others pass over sound without a word; they are refused.",
        )
        yield f"{name}.yaml", yaml_text(head, {"lmms_eval_specific_kwargs": told})


def _task_files(harness: str, task: TaskConfig) -> Iterator[tuple[str, str]]:
    if task.system:
        raise InputError(
            f"{task.task}: has a system text, which lmms-eval gives to some models only and lm-eval joins with others. "
            "Put its words into the template to export the task."
        )
    folder = exported_name(task.task, Condition.FULL)
    common = f"_{folder}.yaml"
    keys = _common_keys(harness, task)
    yield f"{folder}/{common}", yaml_text((f"{MARK} from the task {task.task}: what its conditions share.",), keys)
    for condition in task.protocol.conditions:
        name = exported_name(task.task, condition)
        head = [f"{MARK} from the task {task.task}. Change that task, not this file."]
        head += _remarks(harness, task, condition)
        leaf = _leaf_keys(harness, task, condition, common, name)
        yield f"{folder}/{name}.yaml", yaml_text(head, leaf)
        if harness == "lmms_eval":
            seed = dict(zip(SEED_KEYS, (task.task, str(condition)), strict=True))
            yield f"{folder}/{SEEDS}/{name}.json", json.dumps(seed) + "\n"


def _remarks(harness: str, task: TaskConfig, condition: Condition) -> list[str]:
    if harness == "lm_eval" and Modality.AUDIO in condition.modalities(task.modalities):
        return ["# Has sound: only a model made by musebench_tasks.harnesses.lm_eval.musebench_lm answers it."]
    return []


def _common_keys(harness: str, task: TaskConfig) -> dict[str, Any]:
    """What all conditions of a task share."""
    settings = task.generation_kwargs
    sampled = {"temperature": settings.temperature if settings.do_sample else 0.0, "do_sample": settings.do_sample}
    optional = {"top_p": settings.top_p} if settings.top_p is not None and settings.do_sample else {}
    limit = "max_gen_toks" if harness == "lm_eval" else "max_new_tokens"
    documents: dict[str, Any] = {"custom_dataset": _hook(harness, "load")}
    if harness == "lmms_eval":
        documents = {"dataset_path": "json", "process_docs": _hook(harness, "process_docs")}
    clusters = {"cluster_key": "cluster_id"} if harness == "lmms_eval" else {}
    return {
        **documents,
        "test_split": "test",
        "output_type": "generate_until",
        "num_fewshot": 0,
        "doc_to_text": _hook(harness, "doc_to_text"),
        "doc_to_target": _hook(harness, "doc_to_target"),
        "process_results": _hook(harness, "process_results"),
        "generation_kwargs": {"until": [], limit: settings.max_gen_toks, **sampled, **optional},
        "metric_list": _metrics(harness, task),
        **clusters,
    }


def _leaf_keys(harness: str, task: TaskConfig, condition: Condition, common: str, exported: str) -> dict[str, Any]:
    """What is a condition's own."""
    streams = condition.modalities(task.modalities)
    include: str | list[str] = common
    dataset: dict[str, Any] = dict(zip(SEED_KEYS, (task.task, str(condition)), strict=True))
    if harness == "lmms_eval":
        dataset = {"data_files": {"test": f"{SEEDS}/{exported}.json"}}
        if Modality.AUDIO in streams:
            include = [common, "../_film_with_sound.yaml" if Modality.VIDEO in streams else "../_sound.yaml"]
    media = ("doc_to_image",) if harness == "lm_eval" else ("doc_to_visual", "doc_to_messages")
    return {
        "include": include,
        "task": exported,
        "dataset_kwargs": dataset,
        **({name: _hook(harness, name) for name in media} if streams else {}),
        "metadata": {"version": task.metadata.version, "condition": str(condition)},
    }


def _metrics(harness: str, task: TaskConfig) -> list[dict[str, Any]]:
    entries = []
    for name, metric in named_metrics(task).items():
        whole = metric.metric in OF_WHOLE_RUNS
        aggregation: Any = _hook(harness, metric.metric) if whole else "mean"
        entries.append(
            {"metric": name, "aggregation": aggregation, "higher_is_better": metric.metric != "position_bias"}
        )
    headline = task.metadata.headline
    if harness == "lmms_eval" and headline not in OF_WHOLE_RUNS:
        aggregation = _hook(harness, "clustered_mean")
        entries.append({"metric": headline + CLUSTERED, "aggregation": aggregation, "higher_is_better": True})
    return entries


def _hook(harness: str, name: str) -> Function:
    return Function(f"musebench_tasks.harnesses.{harness}.{name}")
