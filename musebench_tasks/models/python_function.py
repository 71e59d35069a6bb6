"""Calls a function of the user's for every question.

The function gets one mapping, `Question`, and returns a text or a value. It may carry attributes that say what it
takes: `kinds` ("single", "multi", "music"), `modalities` ("video", "audio"), `max_frames`, `max_audio_s`,
`sample_rate` and `revision`; without them it is asked everything and gets all media there are. `servers` lists the URLs
that it may reach in an offline run, `tools` what it works with beside the medium.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import LETTERS, Kind, Limits, Modality, Request, Response, Status
from musebench_tasks.base.text import nearest
from musebench_tasks.models.offline import servers_of
from musebench_tasks.models.protocol import answered, failed
from musebench_tasks.models.time_limit import TimeIsUpError, TimeLimit

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup


MEDIA_NAMES = ("audio", "sample_rate", "frames", "frame_times_s")


class GroupMedia:
    """The media of a group under the names of `Question`, decoded when first looked at, outside the time limit."""

    def __init__(self, group: MediaGroup, limit: TimeLimit) -> None:
        self._group = group
        self._limit = limit

    def get(self, name: str) -> Any:
        """The medium `name`; None where the condition leaves it out."""
        with self._limit.paused():
            if name in ("audio", "sample_rate"):
                return self._audio[name == "sample_rate"]
            return self._frames[name == "frame_times_s"]

    @cached_property
    def _audio(self) -> tuple[Any, int | None]:
        if not self._group.has(Modality.AUDIO):
            return None, None
        signal = self._group.audio()
        return _read_only(signal.samples), signal.sample_rate

    @cached_property
    def _frames(self) -> tuple[Any, Any]:
        if not self._group.has(Modality.VIDEO):
            return None, None
        batch = self._group.frames()
        return _read_only(batch.pixels), _read_only(batch.times_s)


class Question(Mapping[str, Any]):
    """What the function is called with: a read-only mapping.

    audio            float32 mono samples, or None
    sample_rate      Hz of `audio`, or None
    frames           uint8 (frames, height, width, 3), or None
    frame_times_s    seconds of each frame from the start of the window, or None
    question         the question, None for music tasks
    options          option texts as shown, the first is A
    prompt, system   the words a chat model would get
    kind             single, multi or music
    fields           fields asked for (music)
    media_s          seconds of media in the window: 0 without media, None where the length is not known

    Media are decoded when they are looked at, once a group, and cannot be written to.
    """

    def __init__(self, request: Request, media: GroupMedia) -> None:
        self._media = media
        self._known: dict[str, Any] = {
            "question": request.question,
            "options": [option.text for option in request.options],
            "prompt": request.prompt,
            "system": request.system,
            "kind": str(request.kind),
            "fields": list(request.fields),
            "media_s": (request.media_s or None) if request.parts else 0.0,
        }

    def __getitem__(self, name: str) -> Any:
        return self._media.get(name) if name in MEDIA_NAMES else self._known[name]

    def __iter__(self) -> Iterator[str]:
        yield from MEDIA_NAMES
        yield from self._known

    def __len__(self) -> int:
        return len(MEDIA_NAMES) + len(self._known)

    def __contains__(self, name: object) -> bool:
        return name in MEDIA_NAMES or name in self._known


class PythonModel:
    """The model spec `python:MODULE_OR_FILE:FUNCTION`."""

    def __init__(
        self,
        name: str,
        function: Callable[[Question], Any],
        limits: dict[str, Any],
        timeout_s: float | None = None,
    ) -> None:
        self.name = name
        self.function = function
        self._limit = TimeLimit(timeout_s)
        self.revision = str(getattr(function, "revision", None) or source_hash(function))
        self.servers = servers_of(function)
        self.tools = _texts(name, "tools", getattr(function, "tools", ()))
        self.kinds = frozenset(_members(name, "kinds", Kind, getattr(function, "kinds", None)))
        declared = {each: getattr(function, each, None) for each in ("max_frames", "max_audio_s", "sample_rate")}
        given = {each: value for each, value in limits.items() if value is not None}
        modalities = given.pop("modalities", getattr(function, "modalities", None))
        self.limits = Limits(
            modalities=frozenset(_members(name, "modalities", Modality, modalities)), **{**declared, **given}
        )

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """What the function returns for each request; what it raises is a backend_error."""
        media = GroupMedia(group, self._limit)
        for request in group.requests:
            yield self._ask(request, group, media)

    def _ask(self, request: Request, group: MediaGroup, media: GroupMedia) -> Response:
        started = time.perf_counter()
        value = None
        try:
            with self._limit.running():
                value = self.function(Question(request, media))
        except MediaError:
            raise
        except (Exception, SystemExit, TimeIsUpError) as error:
            if not self._limit.passed:
                return failed(request, Status.BACKEND_ERROR, describe(error))
        if self._limit.passed:
            return failed(request, Status.TIMEOUT, f"no answer within {self._limit.seconds:g} s")
        try:
            text = to_text(value, request.kind)
        except (TypeError, ValueError, RecursionError) as error:
            return failed(request, Status.BACKEND_ERROR, f"{type(value).__name__} returned: {reason(error)}")
        seconds = round(time.perf_counter() - started, 6)
        return answered(request, text, received=group.received(), finish_reason="stop", latency_s=seconds)


def to_text(value: Any, kind: Kind) -> str:
    """What a function returned as the text that is read: texts as they are, labels listed, the rest as JSON.

    A choice that is no text stands under `answer`, so that no part of it can be taken for the whole.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if not isinstance(value, dict | list | tuple | int | float):
        value = _plain(value)
    if isinstance(value, list | tuple) and kind is not Kind.MUSIC:
        if all(isinstance(each, str) and len(each) == 1 and each.upper() in LETTERS for each in value):
            return ", ".join(value) or ("none" if kind is Kind.MULTI else "")
        value = {"answer": value}
    if isinstance(value, dict) and kind is not Kind.MUSIC and not _names_answer(value):
        value = {"answer": value}
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _names_answer(value: Any) -> bool:
    """Whether a dictionary says under a known name what the answer is, itself or one inside it."""
    from musebench_tasks.answers.choice_json import ANSWER_FIELDS
    from musebench_tasks.answers.json_text import field_name

    if isinstance(value, dict):
        return any(field_name(str(key)) in ANSWER_FIELDS or _names_answer(inner) for key, inner in value.items())
    return isinstance(value, list | tuple) and any(map(_names_answer, value))


def describe(error: BaseException) -> str:
    """The last line of the traceback, and where in the user's code it arose."""
    told = " ".join(traceback.format_exception_only(error)[-1].split())
    if isinstance(error, SyntaxError) and error.filename:
        return f"{told} ({Path(error.filename).name} line {error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if frame.filename != __file__ and "importlib" not in frame.filename]
    return f"{told} ({Path(theirs[-1].filename).name} line {theirs[-1].lineno})" if theirs else told


def find_function(argument: str) -> Callable[[Question], Any]:
    """The function behind MODULE_OR_FILE:FUNCTION."""
    place, _, function_name = argument.rpartition(":")
    if not place or not function_name:
        raise InputError(f'model "python:{argument}": write python:MODULE:FUNCTION or python:FILE.py:FUNCTION.')
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else _from_name(place)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"python:{argument}: {place} cannot be imported: {describe(error)}") from error
    function = getattr(module, function_name, None)
    if not callable(function):
        functions = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        raise InputError(f'{place}: no function "{function_name}"{nearest(function_name, functions)}.')
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        raise InputError(
            f"{place}: {function_name} is an async function, which nothing would wait for. "
            "Write `def` in place of `async def`; inside, asyncio.run(...) waits for what is asynchronous."
        )
    found: Callable[[Question], Any] = function
    return found


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError(f"{path}: no such file.")
    name = f"musebench_user_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _on_path(path.resolve().parent):
        spec.loader.exec_module(module)
    return module


def _from_name(name: str) -> ModuleType:
    with _on_path(Path.cwd()):
        return importlib.import_module(name)


class _on_path:  # noqa: N801 - reads as a verb in a with statement
    """Lets modules of a folder be imported for a while."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)

    def __enter__(self) -> None:
        sys.path.insert(0, self._folder)

    def __exit__(self, *_: object) -> None:
        sys.path.remove(self._folder)


def source_hash(function: Any) -> str:
    """What tells two versions of the user's file apart."""
    try:
        file = inspect.getsourcefile(function if inspect.isroutine(function) else type(function))
    except TypeError:
        file = None
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file and Path(file).is_file() else "unknown"


def _members(name: str, attribute: str, kind_of: Any, values: Iterable[str] | None) -> list[Any]:
    """The members of an enum that a user wrote as words; all where nothing was written."""
    if values is None:
        return list(kind_of)
    words = [values] if isinstance(values, str) else list(values)
    known = [str(member) for member in kind_of]
    for word in words:
        if word not in known:
            raise InputError(
                f'{name}: {attribute} holds "{word}"{nearest(str(word), known)}. Known: {", ".join(known)}.'
            )
    return [kind_of(word) for word in words]


def _texts(name: str, attribute: str, values: Any) -> tuple[str, ...]:
    """The texts that a user listed, or the one that was written alone."""
    texts = (values,) if isinstance(values, str) else tuple(values)
    if not all(isinstance(each, str) for each in texts):
        raise InputError(f"{name}: {attribute} holds {texts!r}; write a list of texts.")
    return texts


def _read_only(array: Any) -> Any:
    """A view that cannot be written to: the next question of the group sees the same samples."""
    view = array.view()
    view.flags.writeable = False
    return view


def _plain(value: Any) -> Any:
    """Numpy's numbers and arrays, sets and the like as JSON knows them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    raise TypeError(f"{type(value).__name__} is neither text nor JSON")


def load(
    argument: str,
    *,
    modalities: tuple[Modality, ...] | None = None,
    max_frames: int | None = None,
    max_audio_s: float | None = None,
    sample_rate: int | None = None,
    timeout_s: float | None = None,
    revision: str | None = None,
) -> PythonModel:
    """The model `python:ARGUMENT`; settings go before the function's own attributes.

    `timeout_s` bounds one call, decoding not counted; None = no bound (time_limit.py tells where there is none).
    """
    if timeout_s is not None and not timeout_s > 0:
        raise InputError(f'python:{argument}: setting "timeout_s" is {timeout_s:g}; give seconds above 0.')
    limits = {
        "modalities": modalities,
        "max_frames": max_frames,
        "max_audio_s": max_audio_s,
        "sample_rate": sample_rate,
    }
    model = PythonModel(f"python:{argument}", find_function(argument), limits, timeout_s)
    model.revision = revision or model.revision
    return model
