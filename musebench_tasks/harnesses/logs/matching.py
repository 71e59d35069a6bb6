"""From logs of a harness to answers of a task: a reader for each harness, items by id or text, orders restored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, HarnessBlock, Item, Prediction, Request, TaskConfig
from musebench_tasks.base.text import nearest
from musebench_tasks.evaluation.read_answers import read_answer
from musebench_tasks.harnesses.logs.inspect_log import read_inspect
from musebench_tasks.harnesses.logs.results import LM_EVAL, LMMS_EVAL
from musebench_tasks.harnesses.logs.rows import NOT_TOLD, Log, LoggedAnswer
from musebench_tasks.harnesses.logs.samples import read_samples, sample_files
from musebench_tasks.harnesses.logs.vlmevalkit import read_vlmevalkit
from musebench_tasks.harnesses.questions import Address, AnyModel, address_of
from musebench_tasks.inference.requests import build_requests
from musebench_tasks.models import answered, failed
from musebench_tasks.tasks import conditions_of, shown_order

ONE_FILE = {"vlmevalkit": read_vlmevalkit, "inspect": read_inspect}
SOURCES = (LM_EVAL, LMMS_EVAL, *ONE_FILE)
"""Harnesses whose logs can be read."""


def read_log(source: str, paths: Sequence[Path], task: TaskConfig) -> Log:
    """The answers to `task` in the logs of a harness (one of `SOURCES`), a log a condition for example."""
    if not paths:
        raise InputError(f"{source}: no log is named.")
    if source not in ONE_FILE:
        files = [file for path in paths for file in sample_files(source, path, task)]
        return _joined([read_samples(source, file, task) for file in files])
    missing = next((path for path in paths if not path.is_file()), None)
    if missing is not None:
        raise InputError(f"{missing}: {'is a folder. Name the logs in it' if missing.is_dir() else 'is not there'}.")
    return _joined([ONE_FILE[source](path) for path in paths])


def _joined(logs: Sequence[Log]) -> Log:
    """The logs as one: of one model (else InputError); what they tell otherwise of its settings is not known."""
    named = [log for log in logs if log.model is not None]
    first = named[0] if named else logs[0]
    other = next((log for log in named if log.model != first.model), None)
    if other is not None:
        raise InputError(
            f'{other.source}: is of model "{other.model}", {first.source} of "{first.model}". '
            "Import one model at a time."
        )
    harness = first.harness
    if any(log.harness != harness for log in logs):
        harness = HarnessBlock(name=harness.name, version=None)
    return replace(
        first,
        source=", ".join(log.source for log in logs),
        answers=tuple(answer for log in logs for answer in log.answers),
        harness=harness,
        revision=first.revision if all(log.revision == first.revision for log in logs) else None,
        decoding=first.decoding if all(log.decoding == first.decoding for log in logs) else NOT_TOLD,
        gives_what_conditions_say=all(log.gives_what_conditions_say for log in logs),
        warnings=tuple(line for log in logs for line in log.warnings),
    )


def logged_order(answer: LoggedAnswer, item: Item) -> tuple[str, ...] | str | None:
    """Option ids as shown, None where the log does not tell, or what is wrong with what it tells."""
    if not item.options:
        return None
    if answer.option_order is not None:
        if sorted(answer.option_order) != sorted(item.option_ids):
            return f"its option_order are not the ids of the options of {item.id}."
        return answer.option_order
    if answer.option_texts is None:
        return _order_in(answer.shown or "", item)
    ids = {option.text.strip(): option.id for option in item.options}
    unknown = [text for text in answer.option_texts if text.strip() not in ids]
    if unknown or len(ids) != len(item.options):
        text = unknown[0] if unknown else "two alike"
        return f'"{text}" is no option of {item.id}{nearest(text, ids)}.'
    order = tuple(ids[text.strip()] for text in answer.option_texts)
    if sorted(order) != sorted(item.option_ids):
        return f"{len(order)} options were shown, {item.id} has {len(item.options)}."
    return order


def _order_in(prompt: str, item: Item) -> tuple[str, ...] | None:
    """Option ids as a prompt lists them: each ends a line, or stands just once; None where it is not so."""
    texts = {option.id: option.text.strip() for option in item.options}
    longest_first = sorted(texts, key=lambda each: -len(texts[each]))
    lines = (line.rstrip() for line in prompt.splitlines())
    ending = [next((each for each in longest_first if _ends_with(line, texts[each])), "") for line in lines]
    by_line = tuple(filter(None, ending))
    return next((each for each in (by_line, _by_place(prompt, texts)) if sorted(each) == sorted(texts)), None)


def _ends_with(line: str, text: str) -> bool:
    """Whether a line is that text, with no more before it than ends in no letter: a label, a bullet."""
    return line.endswith(text) and not line[: len(line) - len(text)][-1:].isalnum()


def _by_place(prompt: str, texts: dict[str, str]) -> tuple[str, ...]:
    """Option ids by where their texts stand; none where one is missing, stands twice, or inside another."""
    places: list[tuple[int, int, str]] = []
    for each, text in texts.items():
        found = [*re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", prompt)]
        if len(found) != 1:
            return ()
        places.append((found[0].start(), found[0].end(), each))
    places.sort()
    if any(later[0] < earlier[1] for earlier, later in pairwise(places)):
        return ()
    return tuple(each for _, _, each in places)


@dataclass(frozen=True)
class Matched:
    """A log as predictions."""

    predictions: tuple[Prediction, ...]
    """Sorted as in predictions.jsonl."""
    conditions: tuple[Condition, ...]
    """Those that the log holds, in the order of the enum."""
    errors: tuple[str, ...]
    """The texts of failures, one for each failed request."""
    words_are_ours: bool
    """Whether every prompt of the log holds the task's own words."""


def match(log: Log, task: TaskConfig, items: Sequence[Item], condition: str | None = None) -> Matched:
    """The predictions that `log` makes for `task`; `condition` holds where the log tells none.

    Raises InputError with a line for everything that does not fit.
    """
    by_id = {item.id: item for item in items}
    problems: list[str] = []
    addressed: list[tuple[Address, LoggedAnswer]] = []
    for answer in log.answers:
        found = _address(answer, task, by_id, condition)
        if isinstance(found, str):
            problems.append(f"{answer.place}: {found}")
        else:
            addressed.append((found, answer))
    problems += _repeated(addressed)
    if problems:
        raise InputError("\n".join(problems))
    if not addressed:
        raise InputError(f"{log.source}: holds no answers.")
    there = {address[2] for address, _ in addressed}
    conditions = tuple(each for each in CONDITIONS.values() if each in there)
    planned = build_requests(task, items, AnyModel(), conditions)
    requests = {address_of(each): each for each in planned}
    predictions = [_prediction(requests[address], answer) for address, answer in addressed]
    return Matched(
        predictions=tuple(sorted(predictions, key=address_of)),
        conditions=conditions,
        errors=tuple(answer.error or str(answer.failure) for _, answer in addressed if answer.failure is not None),
        words_are_ours=all(requests[address].prompt in (answer.shown or "") for address, answer in addressed),
    )


def _prediction(request: Request, answer: LoggedAnswer) -> Prediction:
    if answer.failure is not None:
        return read_answer(request, failed(request, answer.failure, answer.error or str(answer.failure)))
    return read_answer(request, answered(request, answer.raw or "", finish_reason=answer.finish_reason))


def _address(answer: LoggedAnswer, task: TaskConfig, items: Mapping[str, Item], condition: str | None) -> Address | str:
    """Which planned request an answer belongs to, or what is wrong with it."""
    item = items.get(answer.item_id)
    if item is None:
        return f'"{answer.item_id}" is no item that {task.task} asks{nearest(answer.item_id, items)}.'
    if answer.question is not None and _plain(item.question or "") not in _plain(answer.question):
        return (
            f'asks "{_plain(answer.question)[:60]}", which is not the question of {item.id}: its index is another '
            "number. Add a column item_id."
        )
    order = logged_order(answer, item)
    if isinstance(order, str):
        return order
    run = _run(answer, task, item, order)
    if isinstance(run, str):
        return run
    if item.options and order is None and not _has_given_order(task):
        return (
            f"the log does not tell in which order the options of {item.id} were shown, and {task.task} gives them an "
            "order of its own: which option a letter means cannot be known."
        )
    if order is not None and order != shown_order(task, item, run):
        return (
            f"the options of {item.id} were shown in another order than {task.task} shows them in run {run} "
            f"(protocol: option_order {task.protocol.option_order}, seed {task.protocol.seed})."
        )
    found = answer.condition or condition or _only(task)
    if found is None:
        allowed = ", ".join(task.protocol.conditions)
        return f"the log does not tell what of the media the model got. Give --condition, one of {allowed}."
    if answer.condition is not None and condition is not None and answer.condition != condition:
        return f"was asked under {answer.condition}, not {condition}. Leave --condition out."
    try:
        return item.id, run, conditions_of(task, [found])[0]
    except InputError as problem:
        return problem.text


def _has_given_order(task: TaskConfig) -> bool:
    """Whether options are shown as their source lists them, so that others are likely to show them so too."""
    return task.protocol.option_order == "stored" and not task.columns.distractors


def _plain(text: str) -> str:
    """A text whatever its white space."""
    return " ".join(text.split())


def _run(answer: LoggedAnswer, task: TaskConfig, item: Item, order: tuple[str, ...] | None) -> int | str:
    """The run an answer belongs to: as logged, the only one, or the only one that shows options in that order."""
    runs = range(task.protocol.runs)
    if answer.run is not None:
        return (
            answer.run
            if answer.run in runs
            else f"run {answer.run} of {item.id} was not planned (runs: 0 to {runs[-1]})."
        )
    if len(runs) == 1:
        return 0
    possible = [] if order is None else [run for run in runs if shown_order(task, item, run) == order]
    if len(possible) == 1:
        return possible[0]
    return f"the log does not tell which of the {len(runs)} runs of {item.id} this is (a field or column `run`)."


def _only(task: TaskConfig) -> str | None:
    """The condition of a task that knows just one."""
    return task.protocol.conditions[0] if len(task.protocol.conditions) == 1 else None


def _repeated(addressed: Sequence[tuple[Address, LoggedAnswer]]) -> list[str]:
    first: dict[Address, str] = {}
    problems = []
    for address, answer in addressed:
        if address in first:
            item, run, condition = address
            problems.append(
                f"{answer.place}: item {item}, run {run}, condition {condition} stands in {first[address]} already. "
                "Import the log of one run of the harness at a time."
            )
        else:
            first[address] = answer.place
    return problems
