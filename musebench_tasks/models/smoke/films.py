"""The films of a try: the same length and form, other pictures, other sound."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from musebench_tasks.base.records import (
    Condition,
    Generation,
    Kind,
    MediaPart,
    MediaSource,
    Modality,
    Option,
    Request,
    request_key,
)
from musebench_tasks.models.ping.arrival import encode_clip, make_probe

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
