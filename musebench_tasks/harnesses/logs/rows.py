"""The records that logs are read into, and values in the JSON of others, known only where they are of the kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import DecodingBlock, HarnessBlock, Status
from musebench_tasks.harnesses.questions import failure_in


def part(told: Any, name: str) -> dict[str, Any]:
    """The object under a name; an empty one where there is none."""
    found = told.get(name) if isinstance(told, dict) else None
    return found if isinstance(found, dict) else {}


def entries(told: Any, name: str) -> list[Any]:
    """The list under a name; an empty one where there is none."""
    found = told.get(name) if isinstance(told, dict) else None
    return found if isinstance(found, list) else []


def text(told: dict[str, Any], name: str) -> str | None:
    """The text under a name, None for an empty one."""
    found = told.get(name)
    return found if isinstance(found, str) and found else None


def number(told: dict[str, Any], name: str) -> float | None:
    """The finite number under a name."""
    found = told.get(name)
    if not isinstance(found, int | float) or isinstance(found, bool) or not isfinite(found):
        return None
    return float(found)


def whole(told: dict[str, Any], name: str) -> int | None:
    """The whole number under a name."""
    found = told.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


NOT_TOLD = DecodingBlock(temperature=None, max_tokens=None)
"""Of how text was generated nothing is known."""


@dataclass(frozen=True)
class LoggedAnswer:
    """One answer of a log."""

    place: str
    """File and line, for messages."""
    item_id: str
    run: int | None = None
    condition: str | None = None
    option_order: tuple[str, ...] | None = None
    """Option ids as shown, where the log holds them."""
    option_texts: tuple[str, ...] | None = None
    """The options' texts as shown, where the log holds those."""
    raw: str | None = None
    finish_reason: str | None = None
    failure: Status | None = None
    """Set where no model's answer came."""
    error: str | None = None
    shown: str | None = None
    """The prompt, where the log holds it."""
    question: str | None = None
    """The question, where the log tells it apart and it is needed to be sure of the item."""


@dataclass(frozen=True)
class Log:
    """A log as a whole."""

    source: str
    """The files, for messages."""
    answers: tuple[LoggedAnswer, ...]
    harness: HarnessBlock
    model: str | None = None
    revision: str | None = None
    decoding: DecodingBlock = NOT_TOLD
    gives_what_conditions_say: bool = False
    """Whether the harness hands over the media that a condition names (our exported trees do)."""
    warnings: tuple[str, ...] = ()
    """What the log says of itself that whoever uses its answers should know, a line each."""


def with_failures(text: str) -> dict[str, Any]:
    """The fields of a logged text: an error that a harness wrote in its place is a failure, never an answer."""
    failure = failure_in(text)
    return {"raw": text} if failure is None else {"failure": failure, "error": text}


def as_printed(text: str) -> dict[str, Any]:
    """The fields of a text that a harness made with `str`: its "None" is no answer that came."""
    if text.strip() == str(None):
        return {"failure": Status.BACKEND_ERROR, "error": "the harness logged None in place of an answer"}
    return with_failures(text)


def identity(told: Mapping[str, Any], place: str, id_names: tuple[str, ...]) -> dict[str, Any]:
    """item_id, run, condition and option_order of a row; InputError where there is no id or one has a wrong type."""
    name = next((each for each in id_names if told.get(each) not in (None, "")), None)
    if name is None:
        raise InputError(
            f'{place}: no "{id_names[0]}" says which item was asked. Run the tasks that `musebench tasks export` '
            "writes, whose logs hold it."
        )
    run, condition, order = (told.get(each) for each in ("run", "condition", "option_order"))
    if isinstance(run, str):
        run = whole_number(run, f'{place}, field "run"')
    if run is not None and (not isinstance(run, int) or isinstance(run, bool)):
        raise InputError(f'{place}, field "run": {json.dumps(run)} is no whole number.')
    if order is not None and not (isinstance(order, list) and all(isinstance(each, str) for each in order)):
        raise InputError(f'{place}, field "option_order": {json.dumps(order)[:60]} is no list of option ids.')
    return {
        "item_id": str(told[name]),
        "run": run,
        "condition": None if condition in (None, "") else str(condition),
        "option_order": None if order is None else tuple(order),
    }


def whole_number(text: str, place: str) -> int | None:
    """The number in a cell, None in an empty one; InputError for anything else."""
    if not text.strip():
        return None
    try:
        return int(text)
    except ValueError as problem:
        raise InputError(f'{place}: "{text}" is no whole number.') from problem


def user_text(asked: Any) -> list[str]:
    """The texts of a prompt: of one as it is, or of the user's messages in a chat, also as its JSON."""
    if isinstance(asked, str):
        chat = asked.lstrip().startswith('[{"role"') and _json_or_none(asked)
        return user_text(chat) if chat else [asked]
    messages = [each for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []
    contents = [each.get("content") for each in messages if each.get("role") == "user"]
    pieces = [piece for each in contents for piece in (each if isinstance(each, list) else [{"text": each}])]
    return [each["text"] for each in pieces if isinstance(each, dict) and isinstance(each.get("text"), str)]


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def read_json(path: Path) -> Any:
    """The value of a JSON file as harnesses write them, NaN among it; InputError for what is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as problem:
        raise not_read(path, problem) from problem
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{path}: is no JSON file ({reason(problem)[:80]}).") from problem


def read_json_lines(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Place and object of each line that is not empty; InputError for a line that is no object."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as problem:
        raise not_read(path, problem) from problem
    except UnicodeDecodeError as problem:
        raise InputError(f"{path}: is not UTF-8.") from problem
    found = []
    for number, line in enumerate(lines, start=1):
        place = f"{path} line {number}"
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise InputError(f"{place}: is no JSON. The log may have been cut off while it was written.") from problem
        if not isinstance(value, dict):
            raise InputError(f"{place}: is no JSON object, so no sample of a log.")
        found.append((place, value))
    return found
