"""Repeats what was answered before: the texts of a JSONL file of responses or predictions, or of answers by hand.

A line belongs to the request with its `key`, else to the one with its item_id, run and condition
(0 and `full` where the line has none). Only `item_id` and `raw` are needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import (
    FAILURES,
    Condition,
    Kind,
    Limits,
    Modality,
    Received,
    Request,
    Response,
    Status,
)
from musebench_tasks.base.text import nearest
from musebench_tasks.base.validation import phrase
from musebench_tasks.models.protocol import answered, failed

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup

Address = tuple[str, int, str]
"""item_id, run, condition."""
TYPED = ("key", "run", "condition", "option_order", "finish_reason", "option_probabilities", "error")
"""Fields of a line that have the types of a `Response`'s."""


class Line(NamedTuple):
    """What a line of the file says."""

    place: str
    key: str | None
    option_order: tuple[str, ...] | None
    raw: str | None
    finish_reason: str | None
    option_probabilities: dict[str, float] | None
    received: dict[str, Any] | None
    failure: Status | None
    error: str | None


class ReplayModel:
    """The model spec `replay:FILE`. Takes any media and looks at none."""

    revision: str
    kinds = frozenset(Kind)
    limits = Limits(modalities=frozenset(Modality))
    distinguishes_runs = True

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._file = path.name
        self._by_key: dict[str, Line] = {}
        self._by_address: dict[Address, Line] = {}
        digest = hashlib.sha256()
        for place, file in enumerate(_files(path)):
            content = _read(file)
            digest.update(b"\n" + content if place else content)
            for number, text in enumerate(content.splitlines(), 1):
                if text.strip():
                    self._take(file, number, text)
        self.revision = digest.hexdigest()[:12]
        lines = (*self._by_key.values(), *self._by_address.values())
        self.answering = "letters" if any(each.option_probabilities for each in lines) else "text"
        """How what is repeated was answered."""

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """The recorded answer to each request, or a failure that says why there is none."""
        for request in group.requests:
            yield self._replay(request)

    def unmatched(self, requests: Iterable[Request]) -> str | None:
        """One line about the lines of the file that belong to none of `requests`; None where there is no such line."""
        requests = tuple(requests)
        keys = {request.key for request in requests}
        asked = {_address(request) for request in requests}
        odd = [
            (address, line)
            for address, line in self._by_address.items()
            if address not in asked and line.key not in keys
        ]
        if not odd:
            return None
        (item, run, condition), line = odd[0]
        items = {request.item_id for request in requests}
        hint = " (asked under another run or condition)" if item in items else nearest(item, items)
        return (
            f"{self._file}: {len(odd)} of {len(self._by_address)} answers belong to nothing that is asked, "
            f"the first in {line.place}: item {item}{hint}, run {run}, condition {condition}."
        )

    def _take(self, file: Path, number: int, text: bytes) -> None:
        """Index one line. Of two with one address an answer beats a failure, then the first stands."""
        where = f"{file} line {number}"
        try:
            address, line = _line(f"{file.name} line {number}", _object(text))
        except KeyError as error:
            raise InputError(f"{where}: {reason(error)} is missing. A line needs at least item_id and raw.") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not a response or prediction ({reason(error)}).") from error
        earlier = self._by_address.get(address)
        if earlier is not None and (earlier.key is None or line.key is None):
            raise InputError(
                f"{where}: item {address[0]}, run {address[1]}, condition {address[2]} "
                f"stands in {earlier.place.removeprefix(f'{file.name} ')} already. Remove one of the two."
            )
        if earlier is None or (earlier.failure is not None and line.failure is None):
            self._by_address[address] = line
        if line.key is not None:
            known = self._by_key.get(line.key)
            if known is None or (known.failure is not None and line.failure is None):
                self._by_key[line.key] = line

    def _replay(self, request: Request) -> Response:
        line = self._by_key.get(request.key) or self._by_address.get(_address(request))
        if line is None:
            return failed(request, Status.BACKEND_ERROR, f"not in {self._file}")
        if line.option_order is not None and line.option_order != request.option_order:
            return failed(
                request,
                Status.BACKEND_ERROR,
                f"{line.place}: answered with the options in the order "
                f"{', '.join(line.option_order)}, now they are shown as {', '.join(request.option_order or ('none',))}",
            )
        if line.failure is not None:
            return failed(request, line.failure, line.error or f"{line.failure} in {line.place}")
        return answered(
            request,
            line.raw,
            finish_reason=line.finish_reason,
            option_probabilities=line.option_probabilities,
            received=Received.model_validate(line.received) if line.received else None,
        )


def _address(request: Request) -> Address:
    return request.item_id, request.run, str(request.condition)


def _object(text: bytes) -> dict[str, Any]:
    """The JSON object on a line. ValueError where there is none."""
    if text.lstrip().startswith(b"["):
        raise ValueError("a JSON list; write each answer as one object on a line of its own, without brackets around")
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError("every line is one JSON object with item_id and raw")
    return content


def _line(place: str, content: dict[str, Any]) -> tuple[Address, Line]:
    """The line of a response (`failure`, `received`) or a prediction (`status`, `frames`, `audio`).

    KeyError names what is missing, ValueError what is wrong.
    """
    failure = _failure(content)
    raw = content["raw"] if failure is None else None
    probabilities = content.get("option_probabilities")
    if failure is None and not isinstance(raw, str) and not (raw is None and probabilities):
        raise ValueError(f'"raw" is {json.dumps(raw)}, not a text')
    item = content["item_id"]
    given = {name: content[name] for name in TYPED if content.get(name) is not None}
    received = content.get("received") or _received_of_prediction(content)
    told = {"key": "", "run": 0, "condition": Condition.FULL, **given, "raw": raw, "received": received}
    told["item_id"] = str(item) if isinstance(item, int) and not isinstance(item, bool) else item
    try:
        checked = Response.model_validate(told)
    except ValidationError as error:
        raise ValueError(_explain(error)) from error
    line = Line(
        place=place,
        key=given.get("key"),
        option_order=checked.option_order,
        raw=raw,
        finish_reason=checked.finish_reason,
        option_probabilities=checked.option_probabilities,
        received=received,
        failure=failure,
        error=checked.error,
    )
    return (checked.item_id, checked.run, str(checked.condition)), line


def _failure(content: dict[str, Any]) -> Status | None:
    """The failure that a response or a prediction records."""
    name = "failure" if content.get("failure") else "status"
    recorded = content.get(name)
    if recorded is None:
        return None
    known = [str(status) for status in Status]
    if recorded not in known:
        raise ValueError(f'"{name}" is {json.dumps(recorded)}{nearest(str(recorded), known)}')
    return Status(recorded) if recorded in FAILURES else None


def _explain(error: ValidationError) -> str:
    """The first thing that is wrong with a line."""
    problem = error.errors()[0]
    field, value = ".".join(map(str, problem["loc"])), problem["input"]
    hint = nearest(str(value), CONDITIONS) if field == "condition" else ""
    return f'"{field}" is {json.dumps(value, default=str)[:80]}{hint}: {phrase(problem)}'


def _received_of_prediction(content: dict[str, Any]) -> dict[str, Any] | None:
    """What a prediction discloses about its media, as a response would tell it."""
    frames, audio = content.get("frames") or {}, content.get("audio") or {}
    for name, told in (("frames", frames), ("audio", audio)):
        if not isinstance(told, dict):
            raise ValueError(f'"{name}" is {json.dumps(told)[:80]}, not an object')
    if not frames and not audio:
        return None
    return {
        "frames_available": frames.get("available"),
        "frames_used": frames.get("used"),
        "frame_policy": frames.get("policy"),
        "audio_route": audio.get("route"),
        "audio_s": audio.get("seconds"),
    }


def _files(path: Path) -> list[Path]:
    """The file itself, or all JSONL files of a folder."""
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.jsonl"))
    if not files:
        raise InputError(f"{path}: no .jsonl file in this folder.")
    return files


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise not_read(path, error) from error


def load(argument: str) -> ReplayModel:
    """The model `replay:ARGUMENT`."""
    if not argument:
        raise InputError('model "replay" needs a file: replay:FILE.jsonl')
    return ReplayModel(Path(argument), f"replay:{argument}")
