"""Finds in what is about to be sent to a model what only the evaluator may know (MU-04, MB-18).

A guard holds hashes of runs of words, no texts; `evaluation/leaks.py` makes it. It travels with the plan to every
worker. What a question is made of, its own words and options, is meant to be sent and never counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import LeakError
from musebench_tasks.base.records import LETTERS, Request
from musebench_tasks.prompts.readable_bytes import encoded_texts, readable_text, without_encoded
from musebench_tasks.prompts.word_grams import grams, words

PROMPT, SYSTEM = "the prompt", "the system text"
_IN_WORDS = (
    "Take it out of the task's template, its `system` or the transcript; what belongs to the question itself goes into "
    "the question's own column."
)
_IN_FILE = "The file made for the model should hold no tags: empty the folder MUSEBENCH_CACHE and run again."
_IN_BODY = "Take it out of the model's settings (`extra`) or its card."
_IN_COMMAND = "Take it out of the command."
_MOST_REMEMBERED = 8192
_LARGE = 1 << 16


@dataclass(frozen=True)
class LeakGuard:
    """What must not be sent for one task, as hashes. Every `check_…` raises LeakError, or remembers what was clean."""

    task: str
    kinds: tuple[str, ...]
    """What each thing is, for people: `a title (column "song_name")`."""
    grams: Mapping[int, Mapping[int, int]]
    """Number of words -> hash of a run of that many -> position of its kind in `kinds`."""
    own: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Item id -> hashes that its own transcript holds: these it may be sent."""
    _clean: set[Any] = field(default_factory=set, repr=False, compare=False)

    def check_requests(self, requests: Iterable[Request]) -> None:
        """The words of requests: prompts and system texts."""
        for request in requests:
            self._check(request, request.prompt, PROMPT, _IN_WORDS)
            if request.system:
                self._check(request, request.system, SYSTEM, _IN_WORDS)

    def check_file(self, request: Request, path: Path) -> None:
        """A file that a model is given: its name and whatever can be read in it."""
        state = path.stat()
        key = (str(path), state.st_mtime_ns, state.st_size)
        if key not in self._clean:
            self._check(request, path.name, f"the name of the file {path.name}", _IN_FILE)
            self._check(request, readable_text(path.read_bytes()), f"the file {path.name}", _IN_FILE)
            self._remember(key)

    def check_json(self, request: Request, pieces: Sequence[bytes]) -> None:
        """The body of an HTTP request, in pieces; a large piece that others share (media) is looked at once."""
        for piece in pieces:
            key = (len(piece), hash(piece)) if len(piece) >= _LARGE else None
            if key in self._clean:
                continue
            for text in encoded_texts(piece):
                self._check(request, text, "the media in the body of the request", _IN_FILE)
            self._check(request, without_encoded(piece), "the body of the request", _IN_BODY)
            if key is not None:
                self._remember(key)

    def check_command(self, request: Request, arguments: Iterable[str]) -> None:
        """The words of a command that is about to be run."""
        for place, argument in enumerate(arguments):
            self._check(request, argument, f"argument {place} of the command", _IN_COMMAND)

    def __getstate__(self) -> dict[str, Any]:
        """All but what this process found clean."""
        return {**self.__dict__, "_clean": set()}

    def _check(self, request: Request, text: str, where: str, remedy: str) -> None:
        """LeakError where `text` holds more of what is guarded than the question's own words account for.

        What is left of a text once the question and its options are taken out is alike for many requests, and is
        looked at once. The whole text is looked at where its rest is new, so nothing hides behind an option's words.
        """
        rest = text
        for own in _own_texts(request):
            rest = rest.replace(own, "\0", 1)
        if rest in self._clean or (request.item_id, rest) in self._clean:
            return
        exempt = self.own.get(request.item_id, frozenset())
        counts = self._counts(text)
        meant = self._meant(request, text) if counts else {}
        beyond = [key for key, count in counts.items() if count > meant.get(key, 0)]
        for n, gram in beyond:
            if gram not in exempt:
                raise LeakError(self._told(request, text, where, remedy, n, gram))
        self._remember((request.item_id, rest) if beyond else rest)

    def _counts(self, text: str) -> dict[tuple[int, int], int]:
        """How often each guarded run of words stands in `text`."""
        counts: dict[tuple[int, int], int] = {}
        for n, found in grams(words(text), max(self.grams, default=0)):
            guarded = self.grams.get(n)
            if guarded and not guarded.keys().isdisjoint(found):
                for each in found:
                    if each in guarded:
                        counts[n, each] = counts.get((n, each), 0) + 1
        return counts

    def _meant(self, request: Request, text: str) -> dict[tuple[int, int], int]:
        """How often each stands there because question and options are meant to, however often a template has them."""
        meant: dict[tuple[int, int], int] = {}
        whole = f" {' '.join(words(text))} "
        options = [" ".join(words(option.text)) for option in request.options]
        times = min((whole.count(f" {option} ") for option in options), default=1)
        question = " ".join(words(request.question or ""))
        asked = whole.count(f" {question} ")
        shown = [f"{letter} {option}" for letter, option in zip(LETTERS, options, strict=False)]
        for each, often in [(question, asked), *((option, times) for option in shown)]:
            for key, count in self._counts(each).items():
                meant[key] = meant.get(key, 0) + count * often
        return meant

    def _told(self, request: Request, text: str, where: str, remedy: str, n: int, gram: int) -> str:
        kind = self.kinds[self.grams[n][gram]]
        line = next(
            (number for number, each in enumerate(text.splitlines(), 1) if (n, gram) in self._counts(each)), None
        )
        place = f"{where}, line {line}," if line is not None and where in (PROMPT, SYSTEM) else where
        return (
            f"{self.task}, item {request.item_id}, condition {request.condition}: {place} holds {kind}, which only the "
            f"evaluator may know. It was not sent, and the run stops. {remedy}"
        )

    def _remember(self, key: Any) -> None:
        if len(self._clean) >= _MOST_REMEMBERED:
            self._clean.clear()
        self._clean.add(key)


def guard_of(group: object) -> LeakGuard | None:
    """The guard that travels with a media group; None where nobody gave it one."""
    guard = getattr(group, "guard", None)
    return guard if isinstance(guard, LeakGuard) else None


def _own_texts(request: Request) -> list[str]:
    texts = [option.text for option in request.options]
    return [request.question, *texts] if request.question else texts
