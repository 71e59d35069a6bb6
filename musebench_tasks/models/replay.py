"""Repeats what was answered before: the texts of a JSONL file of responses or predictions, or of answers by hand.

A line belongs to the request with its `key`, else to the one with its item_id, run and condition
(0 and `full` where the line has none). Only `item_id` and `raw` are needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from musebench_tasks.errors import InputError
from musebench_tasks.models.protocol import answered, failed
from musebench_tasks.records import FAILURES, Kind, Limits, Modality, Received, Request, Response, Status

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup

Address = tuple[str, int, str]
"""item_id, run, condition."""


class Line(NamedTuple):
    """What a line of the file says."""

    number: int
    keyed: bool
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
        content = _read(path)
        self.revision = hashlib.sha256(content).hexdigest()[:12]
        self._by_key: dict[str, Line] = {}
        self._by_address: dict[Address, Line] = {}
        for number, text in enumerate(content.splitlines(), 1):
            if text.strip():
                self._take(path, number, text)

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """The recorded answer to each request, or a failure that says why there is none."""
        for request in group.requests:
            yield self._replay(request)

    def _take(self, path: Path, number: int, text: bytes) -> None:
        """Index one line. Of two with one address an answer beats a failure, then the first stands."""
        where = f"{path} line {number}"
        try:
            content = json.loads(text)
            address: Address = (content["item_id"], content.get("run", 0), content.get("condition", "full"))
            line = _line(number, content)
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{where}: not a response or prediction ({error}).") from error
        except KeyError as error:
            raise InputError(f"{where}: {error} is missing. A line needs at least item_id and raw.") from error
        earlier = self._by_address.get(address)
        if earlier is not None and not (earlier.keyed and line.keyed):
            raise InputError(
                f"{where}: item {address[0]}, run {address[1]}, condition {address[2]} "
                f"stands in line {earlier.number} already. Remove one of the two."
            )
        if earlier is None or (earlier.failure is not None and line.failure is None):
            self._by_address[address] = line
        if line.keyed:
            key = content["key"]
            if key not in self._by_key or (self._by_key[key].failure is not None and line.failure is None):
                self._by_key[key] = line

    def _replay(self, request: Request) -> Response:
        address = (request.item_id, request.run, str(request.condition))
        line = self._by_key.get(request.key) or self._by_address.get(address)
        if line is None:
            return failed(request, Status.BACKEND_ERROR, f"not in {self._file}")
        if line.option_order is not None and line.option_order != request.option_order:
            return failed(
                request,
                Status.BACKEND_ERROR,
                f"{self._file} line {line.number}: answered with the options in the order "
                f"{', '.join(line.option_order)}, now they are shown as {', '.join(request.option_order or ('none',))}",
            )
        if line.failure is not None:
            return failed(request, line.failure, line.error or f"{line.failure} in {self._file} line {line.number}")
        return answered(
            request,
            line.raw,
            finish_reason=line.finish_reason,
            option_probabilities=line.option_probabilities,
            received=Received.model_validate(line.received) if line.received else None,
        )


def _line(number: int, content: dict[str, Any]) -> Line:
    """The line of a response (`failure`, `received`) or a prediction (`status`, `frames`, `audio`)."""
    recorded = content.get("failure") or content.get("status")
    failure = Status(recorded) if recorded in FAILURES else None
    raw = content["raw"] if failure is None else None
    probabilities = content.get("option_probabilities")
    if failure is None and not isinstance(raw, str) and not (raw is None and probabilities):
        raise ValueError(f'"raw" is {json.dumps(raw)}, not a text')
    order = content.get("option_order")
    received = content.get("received") or _received_of_prediction(content)
    if received is not None:
        try:
            Received.model_validate(received)
        except ValidationError as error:
            raise ValueError(f'"received": {error.errors()[0]["msg"]}') from error
    return Line(
        number=number,
        keyed="key" in content,
        option_order=None if order is None else tuple(order),
        raw=raw,
        finish_reason=content.get("finish_reason"),
        option_probabilities=probabilities,
        received=received,
        failure=failure,
        error=content.get("error"),
    )


def _received_of_prediction(content: dict[str, Any]) -> dict[str, Any] | None:
    """What a prediction discloses about its media, as a response would tell it."""
    frames, audio = content.get("frames") or {}, content.get("audio") or {}
    if not frames and not audio:
        return None
    return {
        "frames_available": frames.get("available"),
        "frames_used": frames.get("used"),
        "frame_policy": frames.get("policy"),
        "audio_route": audio.get("route"),
        "audio_s": audio.get("seconds"),
    }


def _read(path: Path) -> bytes:
    """The file, or all worker files of a folder one after another."""
    try:
        if not path.is_dir():
            return path.read_bytes()
        files = sorted(path.glob("*.jsonl"))
        if not files:
            raise InputError(f"{path}: no .jsonl file in this folder.")
        return b"\n".join(file.read_bytes() for file in files)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}). Give the path of a JSONL file.") from error


def load(argument: str) -> ReplayModel:
    """The model `replay:ARGUMENT`."""
    if not argument:
        raise InputError('model "replay" needs a file: replay:FILE.jsonl')
    return ReplayModel(Path(argument), f"replay:{argument}")
