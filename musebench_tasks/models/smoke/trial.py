"""Tries a model on made films: the same length and form, other pictures and sound, and answers that must differ."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.records import (
    Condition,
    Generation,
    Kind,
    MediaPart,
    MediaSource,
    Modality,
    Option,
    Request,
    Response,
    request_key,
)
from musebench_tasks.models.ping.arrival import encode_clip, make_probe
from musebench_tasks.models.registry import load_model

if TYPE_CHECKING:
    from musebench_tasks.models.transformers_chat import TransformersChat


SECONDS = 8
"""One picture and one beep a second."""
ANSWER_TOKENS = 6
_SEED, _OTHER_SEED = 1, 2
_OPTIONS = tuple(Option(id=f"option-{name}", text=name) for name in ("violin", "piano", "trumpet", "drums"))
_QUESTIONS = ("Which instrument is heard last?", "Which instrument is shown first?", "Which instrument is the loudest?")


class Films(NamedTuple):
    """Paths of the three films."""

    plain: Path
    other_pictures: Path
    other_sound: Path


def make_films(directory: Path) -> Films:
    """Write them to `directory`."""
    probe = make_probe(_SEED, SECONDS, SECONDS)
    pictures = make_probe(_OTHER_SEED, SECONDS, SECONDS).frames
    sound = make_probe(_SEED, 0, SECONDS, beeps=1).samples
    films = Films(*(directory / f"{name}.mp4" for name in Films._fields))
    films.plain.write_bytes(encode_clip(probe.frames, probe.samples))
    films.other_pictures.write_bytes(encode_clip(pictures, probe.samples))
    films.other_sound.write_bytes(encode_clip(probe.frames, sound))
    return films


def questions(film: Path, modalities: frozenset[Modality]) -> tuple[Request, ...]:
    """Three of one right answer each, and one of which the answer is a text."""
    parts = tuple(
        MediaPart(
            modality=modality, source=MediaSource(path=str(film)), fps=1.0 if modality is Modality.VIDEO else None
        )
        for modality in (Modality.VIDEO, Modality.AUDIO)
        if modality in modalities
    )
    asked = [(Kind.SINGLE, question) for question in _QUESTIONS] + [(Kind.MULTI, _QUESTIONS[0])]
    return tuple(_request(place, kind, question, parts) for place, (kind, question) in enumerate(asked))


def _request(place: int, kind: Kind, question: str, parts: tuple[MediaPart, ...]) -> Request:
    lines = [question, *(f"{letter}. {option.text}" for letter, option in zip("ABCD", _OPTIONS, strict=True))]
    return Request(
        item_id=f"question-{place}",
        run=0,
        condition=Condition.FULL,
        kind=kind,
        question=question,
        options=_OPTIONS,
        option_order=tuple(option.id for option in _OPTIONS),
        parts=parts,
        audio_route="native",
        prompt="\n".join([*lines, "Answer with the letter only."]),
        generation=Generation(max_tokens=ANSWER_TOKENS),
        media_s=float(SECONDS),
        key=request_key({"smoke": place, "kind": kind.value}),
    )


CHECKS = ("seen", "heard", "moved by pictures", "moved by sound", "text", "letters", "shared prefix")
"""Frames and seconds of sound that arrive; how far other pictures and another sound move the letters' probabilities;
whether text comes, and letters; how far a shared prefix is from reading each prompt whole."""
SOUND_TOLERANCE_S = 0.1
LEAST_MOVE = 1e-6
"""Other media must move probabilities by more than this, and by more than the same medium asked twice does."""
PREFIX_TOLERANCE = {"float32": 1e-4}
ROUNDED_PREFIX_TOLERANCE = 0.05
"""Of probabilities, where weights are shorter than float32."""


@dataclass(frozen=True)
class Check:
    """What one check found."""

    told: str
    """A few characters for the table."""
    problem: str | None = None
    """What is wrong; None = nothing."""


@dataclass
class Trial:
    """What was found out about one checkpoint. A check that makes no sense for it is missing."""

    name: str
    checks: dict[str, Check] = field(default_factory=dict)
    problem: str | None = None
    """Why it could not even be asked."""
    seconds: float = 0.0

    @property
    def is_fine(self) -> bool:
        """Whether every check passed."""
        return self.problem is None and all(check.problem is None for check in self.checks.values())

    @property
    def problems(self) -> list[str]:
        """All that is wrong, a line each."""
        found = [f"{name}: {check.problem}" for name, check in self.checks.items() if check.problem]
        return [self.problem, *found] if self.problem else found


def try_family(family: str) -> Trial:
    """Build the family's tiny model and try it. InputError for a family of which there is none."""
    from musebench_tasks.models.tiny import build_tiny
    from musebench_tasks.models.transformers_chat.loading import require_packages

    require_packages()
    with tempfile.TemporaryDirectory(prefix="musebench-smoke-") as folder, _one_thread():
        directory = build_tiny(family, Path(folder) / family)
        return try_model(f"transformers:{directory}", name=family)


def try_model(spec: str, *, name: str | None = None) -> Trial:
    """Load the checkpoint that `spec` names (a model card or `transformers:…`) and try it."""
    from musebench_tasks.models.transformers_chat import TransformersChat

    model = load_model(spec, answering="letters")
    if not isinstance(model, TransformersChat):
        raise InputError(
            f'model "{spec}" is no checkpoint that runs in this process (transformers:ID_OR_DIR); '
            "for a server there is `musebench ping`."
        )
    trial = Trial(name or spec)
    started = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="musebench-smoke-") as folder, _quiet():
            _fill(trial, _Asked(model, make_films(Path(folder)), Path(folder) / "cache"))
    except MuseError as problem:
        trial.problem = problem.text
    trial.seconds = time.monotonic() - started
    return trial


@contextmanager
def _one_thread() -> Iterator[None]:
    """Several threads have more to do with each other than with weights this few."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _quiet() -> Iterator[None]:
    """What transformers has to say of slower ways to the same result is not what is tried."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


class _Asked:
    """A checkpoint and its answers about the films, each asked when first looked at."""

    def __init__(self, model: TransformersChat, films: Films, cache: Path) -> None:
        from musebench_tasks.media import MediaCache

        self.model = model
        self._films = films
        self._cache = MediaCache(cache)

    @cached_property
    def plain(self) -> list[Response]:
        """About the first film."""
        return self._answers(self._films.plain)

    @cached_property
    def again(self) -> list[Response]:
        """About the first film, asked once more."""
        return self._answers(self._films.plain)

    @cached_property
    def other_pictures(self) -> list[Response]:
        """About the film of other pictures."""
        return self._answers(self._films.other_pictures)

    @cached_property
    def other_sound(self) -> list[Response]:
        """About the film of other sound."""
        return self._answers(self._films.other_sound)

    @cached_property
    def read_whole(self) -> list[Response]:
        """About the first film, each prompt read whole."""
        engine = self.model.engine
        sharing, engine.sharing = engine.sharing, "plain"
        try:
            return self._answers(self._films.plain)
        finally:
            engine.sharing = sharing

    def _answers(self, film: Path) -> list[Response]:
        from musebench_tasks.media import MediaGroup

        limits = self.model.limits
        group = MediaGroup(questions(film, limits.modalities), limits, self._cache)
        return sorted(self.model.answer(group), key=lambda response: response.item_id)


def _fill(trial: Trial, asked: _Asked) -> None:
    failure = next((response.error for response in asked.plain if response.failure), None)
    if failure is not None:
        trial.problem = failure
        return
    modalities = asked.model.limits.modalities
    checks: dict[str, tuple[Modality | None, Callable[[_Asked], Check]]] = {
        "seen": (Modality.VIDEO, _frames),
        "heard": (Modality.AUDIO, _sound),
        "moved by pictures": (Modality.VIDEO, lambda each: _moves(each, each.other_pictures, "pictures")),
        "moved by sound": (Modality.AUDIO, lambda each: _moves(each, each.other_sound, "sound")),
        "text": (None, _text),
        "letters": (None, _letters),
        "shared prefix": (None, _prefix),
    }
    for name, (modality, check) in checks.items():
        if modality is None or modality in modalities:
            trial.checks[name] = check(asked)


def _frames(asked: _Asked) -> Check:
    received = asked.plain[0].received
    wanted = min(SECONDS, asked.model.limits.max_frames or SECONDS)
    seen = (received.frames_used if received else None) or 0
    problem = None if seen == wanted else f"{seen} of {wanted} frames arrive"
    return Check(str(seen), problem)


def _sound(asked: _Asked) -> Check:
    received = asked.plain[0].received
    wanted = min(SECONDS, asked.model.limits.max_audio_s or SECONDS)
    heard = (received.audio_s if received else None) or 0.0
    problem = None if abs(wanted - heard) <= SOUND_TOLERANCE_S else f"{heard:.1f} of {wanted:.1f} s of sound arrive"
    return Check(f"{heard:.1f} s", problem)


def _moves(asked: _Asked, other: Sequence[Response], stream: str) -> Check:
    """How far other media move the probabilities of the letters, at most."""
    if not _by_letter(asked.plain) or not _by_letter(other):
        moved = any(first.raw != second.raw for first, second in zip(asked.plain, other, strict=True))
        return Check("yes" if moved else "–", None if moved else f"the texts are the same with other {stream}")
    move, noise = _distance(asked.plain, other), _distance(asked.plain, asked.again)
    problem = None
    if move <= max(LEAST_MOVE, noise):
        problem = f"no probability moves with other {stream}"
        if noise > LEAST_MOVE:
            problem += f" by more than when the same film is asked twice ({move:.4f}, {noise:.4f})"
    return Check(f"{move:.4f}" if move >= 0.0001 or problem else "<0.0001", problem)


def _text(asked: _Asked) -> Check:
    response = asked.plain[-1]
    made = response.completion_tokens or 0
    if response.raw is None or not made:
        return Check("no", "no text comes")
    return Check("ok")


def _letters(asked: _Asked) -> Check:
    if not _by_letter(asked.plain):
        return Check("no", "the tokenizer has no token for a letter where the answer begins; text is read instead")
    total = sum((asked.plain[0].option_probabilities or {}).values())
    return Check("ok") if abs(total - 1) < 1e-4 else Check("no", f"the letters' shares sum to {total}")


def _prefix(asked: _Asked) -> Check:
    used = asked.plain[0].prefix
    if used is None or used.mode == "plain":
        reason = (used and used.reason) or "prompts are read whole"
        return Check("whole", f"nothing is shared: {reason}")
    plainly = asked.read_whole
    off = _distance(asked.plain, plainly) if _by_letter(asked.plain) else 0.0
    dtype = str(asked.model.weights.dtype).removeprefix("torch.")
    problem = None
    if off > PREFIX_TOLERANCE.get(dtype, ROUNDED_PREFIX_TOLERANCE):
        problem = f"probabilities differ by {off:.0e} from those of prompts read whole"
    elif dtype == "float32" and asked.plain[-1].raw != plainly[-1].raw:
        problem = "the text differs from that of a prompt read whole"
    return Check("exact" if off == 0 else f"{off:.0e}", problem)


def _by_letter(responses: Sequence[Response]) -> bool:
    return bool(responses[0].option_probabilities)


def _distance(first: Sequence[Response], second: Sequence[Response]) -> float:
    """The largest difference between probabilities of the same option."""
    pairs = [
        (one.option_probabilities, other.option_probabilities)
        for one, other in zip(first, second, strict=True)
        if one.option_probabilities and other.option_probabilities
    ]
    return max((abs(one[key] - other[key]) for one, other in pairs for key in one), default=0.0)
