"""lm-eval's `samples_TASK_DATE.jsonl` beside `results_DATE.json`, lmms-eval's `DATE_samples_TASK.jsonl` beside
`DATE_results.json`.

A sample of the exported trees names its request: in lm-eval below `doc`, in lmms-eval, which leaves documents out, at
its own top. `target`, scores and what else stands in `doc` are passed over. Facts: lm-eval 0.4.13, lmms-eval 0.7.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.bridges.logs.rows import (
    Log,
    LoggedAnswer,
    identity,
    read_json,
    read_json_lines,
    with_failures,
)
from musebench_tasks.errors import InputError
from musebench_tasks.records import DecodingBlock, HarnessBlock, TaskConfig

LM_EVAL, LMMS_EVAL = "lm_eval", "lmms_eval"
_LM_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_LMMS_FILE = re.compile(r"(?P<date>\d{8}_\d{6})_samples_(?P<task>.+)\.jsonl")


def read_samples(harness: str, paths: Sequence[Path], task: TaskConfig) -> Log:
    """The answers to `task` in sample files, or in folders of them."""
    files = [file for path in paths for file in _files(harness, path, task)]
    answers = tuple(answer for file in files for answer in _answers(harness, file, task))
    results = [each for each in (_results(harness, file) for file in files) if each is not None]
    told = results[0][1] if results else {}
    for path, other in results[1:]:
        if other.get("model_name") != told.get("model_name"):
            raise InputError(
                f'{path}: is of model "{other.get("model_name")}", {results[0][0]} of "{told.get("model_name")}". '
                "Import one model at a time."
            )
    return Log(
        source=", ".join(map(str, files)),
        answers=answers,
        harness=_harness(harness, told),
        model=_text(told.get("model_name")),
        revision=_text(_part(told, "config").get("model_sha")),
        decoding=_decoding(told, files[0]),
        gives_what_conditions_say=all(answer.condition is not None for answer in answers),
    )


def _files(harness: str, path: Path, task: TaskConfig) -> list[Path]:
    """The file itself, or those below a folder whose task is `task` under any condition."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path}: there is no such file or folder.")
    shape = _LM_FILE if harness == LM_EVAL else _LMMS_FILE
    named = [(file, found["task"]) for file in sorted(path.rglob("*.jsonl")) if (found := shape.fullmatch(file.name))]
    ours = task.task if task.task.startswith("musebench") else f"musebench_{task.task}"
    wanted = {ours, *(f"{ours}_{condition}" for condition in task.protocol.conditions)}
    files = [file for file, name in named if name in wanted]
    if not files:
        there = ", ".join(sorted({name for _, name in named})) or "none at all"
        raise InputError(
            f"{path}: no samples of {task.task} lie there (of: {there}). Run the harness with --log_samples, or name "
            "the sample file."
        )
    return files


def _answers(harness: str, file: Path, task: TaskConfig) -> Iterator[LoggedAnswer]:
    ids = tuple(dict.fromkeys(("item_id", *([task.columns.id] if task.columns.id else []))))
    texts: dict[Any, tuple[str, Any]] = {}
    for place, sample in read_json_lines(file):
        document = sample.get("doc") if harness == LM_EVAL else sample
        if not isinstance(document, dict):
            raise InputError(f'{place}: has no "doc", so is no sample of lm-eval (--log_samples writes them).')
        about = document.get("musebench_task")
        if about is not None and about != task.task:
            raise InputError(f'{place}: is of task "{about}", not {task.task}. Give --task {about}.')
        text = _answer_text(sample, place)
        # A task with several filters has a line for each; their texts before any filter are the same.
        kept = texts.setdefault(sample.get("doc_id"), (text, sample.get("filter")))
        if kept[1] != sample.get("filter") and kept[0] == text:
            continue
        yield LoggedAnswer(place, **identity(document, place, ids), **with_failures(text), shown=_prompt(sample))


def _answer_text(sample: dict[str, Any], place: str) -> str:
    """What the model wrote, before any filter; InputError where a sample holds no text, or several."""
    found = sample["resps"] if "resps" in sample else sample.get("filtered_resps")
    while isinstance(found, list) and len(found) == 1:
        found = found[0]
    if isinstance(found, str):
        return found
    if isinstance(found, list) and len(found) > 1 and all(isinstance(each, str) for each in found):
        raise InputError(f"{place}: holds {len(found)} answers to one question. Ask with `repeats: 1`.")
    raise InputError(f'{place}, field "resps": holds no text ({str(found)[:40]}). Likelihoods cannot be imported.')


def _prompt(sample: dict[str, Any]) -> str | None:
    """The prompt as the harness made it."""
    arguments = sample.get("arguments")
    first = next(iter(arguments.values()), None) if isinstance(arguments, dict) else None
    text = first.get("arg_0") if isinstance(first, dict) else sample.get("input")
    return text if isinstance(text, str) else None


def _results(harness: str, file: Path) -> tuple[Path, dict[str, Any]] | None:
    """The results file that was written with a sample file, where it lies beside it."""
    found = (_LM_FILE if harness == LM_EVAL else _LMMS_FILE).fullmatch(file.name)
    if found is None:
        return None
    date = found["date"]
    path = file.with_name(f"results_{date}.json" if harness == LM_EVAL else f"{date}_results.json")
    if not path.is_file():
        return None
    told = read_json(path)
    if not isinstance(told, dict):
        raise InputError(f"{path}: is no results file of {harness}.")
    return path, told


def _harness(harness: str, told: dict[str, Any]) -> HarnessBlock:
    version = _text(told.get(f"{harness}_version"))
    if version is not None and version.startswith("unknown"):
        version = None
    transformers = _text(told.get("transformers_version"))
    return HarnessBlock(
        name=f"{harness} (samples jsonl)",
        version=version,
        git=_text(told.get("git_hash")),
        packages={} if transformers is None else {"transformers": transformers},
    )


def _decoding(told: dict[str, Any], file: Path) -> DecodingBlock:
    """How text was generated, by the settings of the file's task."""
    found = _LM_FILE.fullmatch(file.name) or _LMMS_FILE.fullmatch(file.name)
    config = _part(_part(told, "configs"), found["task"] if found else "")
    settings = _part(config, "generation_kwargs")
    samples = settings.get("do_sample")
    return DecodingBlock(
        temperature=0.0 if samples is False else _number(settings.get("temperature")),
        top_p=_number(settings.get("top_p")),
        max_tokens=_whole(settings.get("max_gen_toks", settings.get("max_new_tokens"))),
    )


def _part(told: dict[str, Any], name: str) -> dict[str, Any]:
    found = told.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
