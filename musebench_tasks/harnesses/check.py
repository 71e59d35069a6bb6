"""Whether the generated task files are what they should be: up to date, and in the words of their harness."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from musebench_tasks.base.text import nearest
from musebench_tasks.harnesses import harness_keys
from musebench_tasks.harnesses.export import exported_tree, generated_files, own_tasks, tree_folder

KEYS = {"lm_eval": harness_keys.LM_EVAL_KEYS, "lmms_eval": harness_keys.LMMS_EVAL_KEYS}
REMEDY = "Run `musebench tasks export`."


class _FunctionLoader(yaml.SafeLoader):
    """Reads `!function NAME` as the text NAME."""


_FunctionLoader.add_constructor("!function", lambda loader, node: str(node.value))


def read_generated(path: Path) -> dict[str, Any]:
    """A task file of a harness, its functions as their names."""
    content = yaml.load(path.read_text(encoding="utf-8"), Loader=_FunctionLoader)
    return content if isinstance(content, dict) else {}


def tree_problems(harness: str) -> tuple[list[str], int]:
    """Every problem of a harness's tree, one a line, and how many task files it holds."""
    folder = tree_folder(harness)
    wanted, there = exported_tree(harness, own_tasks()), generated_files(folder)
    problems = [f"{folder / path}: belongs to no task any more. {REMEDY}" for path in there if path not in wanted]
    for path, text in wanted.items():
        if path not in there:
            problems.append(f"{folder / path}: is not there. {REMEDY}")
        elif (folder / path).read_text(encoding="utf-8") != text:
            problems.append(f"{folder / path}: is not what the task gives now. {REMEDY}")
    files = [folder / path for path in there if path.endswith(".yaml")]
    problems += [problem for path in files for problem in key_problems(harness, path)]
    return problems, sum("task" in read_generated(path) for path in files)


def key_problems(harness: str, path: Path) -> Iterator[str]:
    """Keys of a task file that would end a run of its harness."""
    content, known = read_generated(path), KEYS[harness] | harness_keys.STRUCTURAL_KEYS
    for key in content:
        if key not in known:
            yield f'{path}: "{key}" is no key of {harness}{nearest(key, known)}. Remove it.'
    for entry in content.get("metric_list") or []:
        for key in sorted(set(entry) ^ harness_keys.METRIC_KEYS):
            found = "is no key of a metric here" if key in entry else "is missing from a metric"
            yield f'{path}: "{key}" {found} ({entry.get("metric")}).'
    for key in sorted(set(content.get("metadata") or {}) & harness_keys.LMMS_EVAL_RESERVED_METADATA):
        yield f'{path}: metadata "{key}" would replace what lmms-eval notes there. Rename it.'
