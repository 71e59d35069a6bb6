"""Samples of lm-eval and lmms-eval, in every shape that their versions log them in.

lm-eval: `samples_TASK_DATE.jsonl`; to 0.4.2 a list in one JSON file. lmms-eval: `DATE_samples_TASK.jsonl`; to 0.2 an
object with the list under `logs`. A sample of the exported trees names its request: in lm-eval below `doc`, in
lmms-eval, which leaves documents out, at its own top. Other tasks of lmms-eval name the item below `doc` (to 0.3), or
in what a metric keeps of it. `target`, scores and what else stands there are passed over.
Facts: lm-eval 0.4.0 to 0.4.13, lmms-eval 0.1.2 to 0.7.3.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.harnesses.export import exported_name
from musebench_tasks.harnesses.logs.results import LM_EVAL, LM_FILE, LMMS_FILE, results_of
from musebench_tasks.harnesses.logs.rows import (
    Log,
    LoggedAnswer,
    as_printed,
    identity,
    part,
    read_json,
    read_json_lines,
    user_text,
)
from musebench_tasks.tasks import is_path, load_task

LIKELIHOOD = re.compile(r"-?[\d.e+-]+|-?inf|nan|True|False")
"""What a likelihood, and whether its text was the likeliest, look like once they are texts."""


def read_samples(harness: str, file: Path, task: TaskConfig) -> Log:
    """The answers to `task` in a sample file."""
    samples, around = _read(file)
    answers = tuple(_answers(harness, samples, task))
    _require_named_condition(harness, file, answers, task)
    results = results_of(harness, file, around)
    return Log(
        source=str(file),
        answers=answers,
        harness=results.harness,
        model=results.model,
        revision=results.revision,
        decoding=results.decoding,
        gives_what_conditions_say=all(answer.condition is not None for answer in answers),
    )


def _require_named_condition(harness: str, file: Path, answers: Sequence[LoggedAnswer], task: TaskConfig) -> None:
    """InputError where a file is called after one condition of the task and holds answers under another."""
    found = _shape(harness).fullmatch(file.name)
    called = {exported_name(task.task, each): each for each in task.protocol.conditions}
    condition = called.get(found["task"]) if found else None
    other = next((each for each in answers if each.condition not in (None, condition)), None)
    if condition is not None and other is not None:
        raise InputError(
            f"{other.place}: was asked under {other.condition} by its own words, and under {condition} by the name of "
            "its file. One of the two was changed; import the file as the harness wrote it."
        )


def _shape(harness: str) -> re.Pattern[str]:
    """What a harness calls its sample files."""
    return LM_FILE if harness == LM_EVAL else LMMS_FILE


def sample_files(harness: str, path: Path, task: TaskConfig) -> list[Path]:
    """The file itself, or those below a folder whose task is `task` under any condition."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path}: there is no such file or folder.")
    files = sorted(path.rglob("*.jsonl"))
    named = [(file, found["task"]) for file in files if (found := _shape(harness).fullmatch(file.name))]
    wanted = {exported_name(task.task, condition) for condition in task.protocol.conditions}
    files = [file for file, name in named if name in wanted]
    if not files:
        there = ", ".join(sorted({name for _, name in named})) or "none at all"
        raise InputError(
            f"{path}: no samples of {task.task} lie there (of: {there}). Run the harness with --log_samples, or name "
            "the sample file."
        )
    return files


def _read(file: Path) -> tuple[list[tuple[str, dict[str, Any]]], dict[str, Any]]:
    """Place and content of each sample, and what a file that is one object holds around them."""
    if not _is_one_value(file):
        return read_json_lines(file), {}
    value = read_json(file)
    samples = value.get("logs") if isinstance(value, dict) else value
    if not isinstance(samples, list):
        raise InputError(f"{file}: holds no samples, neither one a line nor a list of them.")
    for number, sample in enumerate(samples, start=1):
        if not isinstance(sample, dict):
            raise InputError(f"{file} sample {number}: is no JSON object, so no sample of a log.")
    placed = [(f"{file} sample {number}", sample) for number, sample in enumerate(samples, start=1)]
    return placed, value if isinstance(value, dict) else {}


def _is_one_value(file: Path) -> bool:
    if file.suffix == ".json":
        return True
    try:
        with file.open("rb") as opened:
            return opened.read(64).removeprefix(BOM_UTF8).lstrip().startswith(b"[")
    except OSError as problem:
        raise not_read(file, problem) from problem


def _answers(harness: str, samples: Sequence[tuple[str, dict[str, Any]]], task: TaskConfig) -> Iterator[LoggedAnswer]:
    read: dict[tuple[Any, ...], tuple[str, Any]] = {}
    for place, sample in samples:
        document, ids = _document(harness, sample, place, task)
        about = document.get("musebench_task")
        if about is not None and _task_named(about) not in (None, task.task):
            raise InputError(f'{place}: is of task "{_task_named(about)}", not {task.task}. Name that one with --task.')
        named = identity(document, place, ids)
        answer = (_answer_text(sample, place), sample.get("filter"))
        earlier = read.setdefault((repr(sample.get("doc_id")), *named.values()), answer)
        if earlier is not answer and _is_filtered_anew(earlier, answer):
            continue
        shown = user_text(_asked(sample))
        yield LoggedAnswer(place, **named, **as_printed(answer[0]), shown="\n".join(shown) if shown else None)


def _task_named(about: Any) -> str | None:
    """The task that a document says it is of; None for a file that is not here (earlier exports named files)."""
    if not isinstance(about, str) or not is_path(about):
        return str(about)
    return load_task(about).task if Path(about).is_file() else None


def _is_filtered_anew(earlier: tuple[str, Any], later: tuple[str, Any]) -> bool:
    """Whether a line is that of another filter: a task with several has a line for each, of the same text before any.

    To lm-eval 0.4.5, and in lmms-eval, lines do not tell their filter.
    """
    return earlier[0] == later[0] and (earlier[1] is None or earlier[1] != later[1])


def _document(
    harness: str, sample: dict[str, Any], place: str, task: TaskConfig
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Where a sample names its item, and under which names."""
    named = task.columns.id or "item_id"
    ids = tuple(dict.fromkeys(("item_id", named, named.rpartition(".")[2])))
    document = sample.get("doc")
    if harness == LM_EVAL and not isinstance(document, dict):
        raise InputError(f'{place}: has no "doc", so is no sample of lm-eval (--log_samples writes them).')
    there = (document,) if harness == LM_EVAL else (sample, document, *sample.values())
    holders = [each for each in there if isinstance(each, dict)]
    told = next((each for each in holders if any(_at(each, name) not in (None, "") for name in ids)), holders[0])
    return {**told, **{name: _at(told, name) for name in ids}}, ids


def _at(document: Mapping[str, Any], name: str) -> Any:
    """What stands under a column's name; `facts.id` is `id` in the object, or its JSON, under `facts`."""
    column, _, key = name.partition(".")
    if not key or name in document:
        return document.get(name)
    inside = document.get(column)
    if isinstance(inside, str):
        try:
            inside = json.loads(inside)
        except (ValueError, RecursionError):
            return None
    return inside.get(key) if isinstance(inside, dict) else None


def _answer_text(sample: dict[str, Any], place: str) -> str:
    """What the model wrote, before any filter; InputError where a sample holds no text, or several."""
    found = sample["resps"] if "resps" in sample else sample.get("filtered_resps", [])
    while isinstance(found, list) and len(found) == 1:
        found = found[0]
    if isinstance(found, str) or found is None:
        return str(found)
    texts = found if isinstance(found, list) and all(isinstance(each, str) for each in found) else []
    if texts and not all(LIKELIHOOD.fullmatch(each) for each in texts):
        raise InputError(f"{place}: holds {len(texts)} answers to one question. Ask with `repeats: 1`.")
    raise InputError(f'{place}, field "resps": holds no text ({str(found)[:40]}). Likelihoods cannot be imported.')


def _asked(sample: dict[str, Any]) -> Any:
    """The prompt as the harness made it: a text, or the JSON of a chat (lm-eval puts that into a list)."""
    if "input" in sample:
        return sample["input"]
    first = part(part(sample, "arguments"), "gen_args_0").get("arg_0", sample.get("arguments"))
    while isinstance(first, list) and first and not isinstance(first[0], dict):
        first = first[0]
    return first
