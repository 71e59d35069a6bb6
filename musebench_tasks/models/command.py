"""Runs a program of the user's for every question; what it prints is the answer.

Placeholders: {audio} a WAV file, {video} the masked clip, {prompt_file} a text file, {prompt} the text itself;
the prompt is also on standard input. No shell is involved. Write {{ and }} for braces that stay.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import Kind, Limits, Modality, Request, Response, Status
from musebench_tasks.base.text import nearest
from musebench_tasks.media.wav import encode_wav
from musebench_tasks.models.protocol import answered, failed
from musebench_tasks.prompts.leak_guard import guard_of

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup

PLACEHOLDERS = ("audio", "video", "prompt_file", "prompt")
_BRACES = re.compile(r"\{\{|\}\}|\{(\w+)\}")


class CommandModel:
    """The model spec `command:"PROGRAM …"`."""

    kinds = frozenset(Kind)

    def __init__(self, name: str, words: tuple[str, ...], limits: Limits, timeout_s: float) -> None:
        self.name = name
        self.words = words
        self.limits = limits
        self.timeout_s = timeout_s
        self.revision = _files_hash(words)
        self._used = placeholders(words)
        self.requires = frozenset(each for each in Modality if each in self._used)
        """Streams without which a request cannot be put to the program."""

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """What the program prints for each request."""
        with tempfile.TemporaryDirectory(prefix="musebench-") as folder:
            files = self._media_files(group, Path(folder))
            for request in group.requests:
                missing = [name for name in ("audio", "video") if name in self._used and name not in files]
                if missing:
                    told = f"the command wants {{{missing[0]}}}, and condition {request.condition} gives none"
                    yield failed(request, Status.BACKEND_ERROR, told)
                    continue
                prompt_file = Path(folder) / "prompt.txt"
                prompt_file.write_text(request.prompt, encoding="utf-8")
                words = fill(self.words, {**files, "prompt_file": str(prompt_file), "prompt": request.prompt})
                if (guard := guard_of(group)) is not None:
                    guard.check_command(request, words)
                yield self._run(request, group, words)

    def _media_files(self, group: MediaGroup, folder: Path) -> dict[str, str]:
        """The files that the command asks for, under names that tell nothing."""
        files = {}
        if "audio" in self._used and group.has(Modality.AUDIO):
            signal_ = group.audio()
            path = folder / "audio.wav"
            path.write_bytes(encode_wav(signal_.samples, signal_.sample_rate))
            files["audio"] = str(path)
        if "video" in self._used and group.has(Modality.VIDEO):
            files["video"] = str(group.clip())
        return files

    def _run(self, request: Request, group: MediaGroup, words: list[str]) -> Response:
        started = time.perf_counter()
        try:
            code, output, errors = run(words, request.prompt, self.timeout_s)
        except subprocess.TimeoutExpired:
            return failed(request, Status.TIMEOUT, f"{words[0]}: no answer within {self.timeout_s:g} s")
        except OSError as error:
            return failed(request, Status.BACKEND_ERROR, f"{words[0]}: {error.strerror}")
        if code != 0:
            last = (errors.strip().splitlines() or ["it wrote nothing to standard error"])[-1]
            how = f"exit {code}" if code > 0 else f"ended by signal {-code}"
            return failed(request, Status.BACKEND_ERROR, f"{words[0]}: {how}: {last}")
        return answered(
            request,
            output.rstrip("\r\n"),
            received=group.received(),
            finish_reason="stop",
            latency_s=round(time.perf_counter() - started, 6),
        )


def run(words: list[str], text: str, timeout_s: float) -> tuple[int, str, str]:
    """Exit code, output and error output of a program; past `timeout_s` it and all it started are ended.

    The streams are files, not pipes: what a program leaves behind may keep them open, and nobody waits for it.
    """
    with tempfile.TemporaryDirectory(prefix="musebench-") as folder:
        given, told, errors = (Path(folder) / name for name in ("input", "output", "errors"))
        given.write_text(text, encoding="utf-8", newline="")
        with given.open("rb") as stdin, told.open("ab") as stdout, errors.open("ab") as stderr:
            process = subprocess.Popen(words, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True)
        try:
            code = process.wait(timeout_s)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        return code, _text(told), _text(errors)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def split(argument: str) -> tuple[str, ...]:
    """The words of the command, as a shell would part them."""
    try:
        words = shlex.split(argument)
        if len(words) == 1:
            words = shlex.split(words[0])
    except ValueError as error:
        raise InputError(f"command:{argument}: {reason(error)}.") from error
    if not words:
        raise InputError('model "command" needs a program: command:"PROGRAM {audio}"')
    return tuple(words)


def placeholders(words: Iterable[str]) -> frozenset[str]:
    """The placeholders that the command holds."""
    return frozenset(match.group(1) for word in words for match in _BRACES.finditer(word) if match.group(1))


def fill(words: Iterable[str], values: dict[str, str]) -> list[str]:
    """The words with every placeholder replaced, once: braces in a value stay as they are."""

    def replace(match: re.Match[str]) -> str:
        return values[match.group(1)] if match.group(1) else match.group(0)[0]

    return [_BRACES.sub(replace, word) for word in words]


def _check(argument: str, words: tuple[str, ...]) -> None:
    for name in sorted(placeholders(words)):
        if name not in PLACEHOLDERS:
            known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
            raise InputError(
                f"command:{argument}: nothing is known as {{{name}}}{nearest(name, PLACEHOLDERS)}. "
                f"Known: {known}; write {{{{ and }}}} for braces that stay."
            )
    if shutil.which(words[0]) is None:
        raise InputError(f'command:{argument}: no program "{words[0]}" is found that may be run.')


def _files_hash(words: tuple[str, ...]) -> str:
    """What tells two versions of the program apart: the content of every file named in the command."""
    files = [Path(word) for word in (shutil.which(words[0]) or words[0], *words[1:])]
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()]
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:12]


def _modalities(used: frozenset[str]) -> frozenset[Modality]:
    """A clip has pictures and sound, a WAV sound."""
    if "video" in used:
        return frozenset(Modality)
    return frozenset({Modality.AUDIO} if "audio" in used else ())


def load(
    argument: str,
    *,
    timeout_s: float = 600,
    modalities: tuple[Modality, ...] | None = None,
    max_audio_s: float | None = None,
    sample_rate: int | None = None,
    revision: str | None = None,
) -> CommandModel:
    """The model `command:ARGUMENT`. What media it takes follows from its placeholders unless told."""
    words = split(argument)
    _check(argument, words)
    given = _modalities(placeholders(words)) if modalities is None else frozenset(modalities)
    limits = Limits(modalities=given, max_audio_s=max_audio_s, sample_rate=sample_rate)
    model = CommandModel(f"command:{argument}", words, limits, timeout_s)
    model.revision = revision or model.revision
    return model
