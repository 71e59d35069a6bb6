"""A recording's fields, reference against answers: value, sign and what the sign means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from musebench_tasks.base.records import MUSIC_FIELDS, FieldAnswer, Item, MusicTruth, Status
from musebench_tasks.measures import key_score, match_intervals, tempo_factor, tempo_hit, time_signature_hit
from musebench_tasks.pages.answers import (
    NONE,
    PARTLY,
    RIGHT,
    SIGNS,
    WRONG,
    Answer,
    GivenAnswer,
    music_answer,
    status_words,
)
from musebench_tasks.pages.text import short_number, value_text

_TRUTHS = {"tempo": "tempo_bpm", "key": "key", "time_signature": "time_signature", "segments": "segments"}


@dataclass(frozen=True, slots=True)
class MusicValue:
    """One field of one answer, or of the reference (outcome empty)."""

    field: str
    text: str
    outcome: str = ""
    """right, partly, wrong or none; empty for the reference."""
    note: str = ""

    @property
    def sign(self) -> str:
        """The outcome as a sign."""
        return SIGNS.get(self.outcome, "")


@dataclass(frozen=True, slots=True)
class MusicRow:
    """The reference, or one answer."""

    system: str
    setting: str
    values: tuple[MusicValue, ...]
    is_reference: bool = False


def compare_music(item: Item, truth: MusicTruth, given: Sequence[GivenAnswer]) -> tuple[MusicRow, ...]:
    """The reference's row and one for each answer, over the fields that are annotated or were asked for."""
    fields = [field for field in MUSIC_FIELDS if _true(truth, field) is not None or _asked(field, given)]
    reference = MusicRow(
        "reference", "", tuple(MusicValue(each, _text(each, _true(truth, each))) for each in fields), is_reference=True
    )
    rows = [
        MusicRow(each.system, each.setting, tuple(_value(field, item, truth, each) for field in fields))
        for each in given
    ]
    return (reference, *rows)


def music_answers(given: Sequence[GivenAnswer], rows: Sequence[MusicRow]) -> tuple[Answer, ...]:
    """The answers of a recording's card, each judged by its fields that have a reference."""
    outcomes = [[value.outcome for value in row.values if value.outcome] for row in rows[1:]] or [[] for _ in given]
    return tuple(music_answer(each, found) for each, found in zip(given, outcomes, strict=True))


def _true(truth: MusicTruth, field: str) -> Any:
    return getattr(truth, _TRUTHS[field])


def _asked(field: str, given: Sequence[GivenAnswer]) -> bool:
    parsed = (each.prediction.parsed for each in given if each.prediction)
    return any(isinstance(each, dict) and field in each for each in parsed)


def _text(field: str, value: Any) -> str:
    if value is None:
        return "–"
    if field == "tempo":
        return f"{short_number(float(value))} BPM"
    return str(len(value)) if field == "segments" else str(value)


def _value(field: str, item: Item, truth: MusicTruth, given: GivenAnswer) -> MusicValue:
    parsed = given.prediction.parsed if given.prediction else None
    answer = parsed.get(field) if isinstance(parsed, dict) else None
    reference = _true(truth, field)
    if answer is None or answer.status is not Status.OK:
        outcome = NONE if reference is not None else ""
        return MusicValue(field, _status(answer, given), outcome)
    if reference is None:
        return MusicValue(field, _text(field, answer.value), "", "no reference")
    outcome, note = _JUDGES[field](item, reference, answer.value)
    return MusicValue(field, _text(field, answer.value), outcome, note)


def _status(answer: FieldAnswer | None, given: GivenAnswer) -> str:
    if answer is not None:
        return answer.status.value.replace("_", " ")
    if given.prediction is not None and given.prediction.status is Status.OK:
        return "unparsed"
    return status_words(given.prediction)


def _tempo(item: Item, reference: Any, value: Any) -> tuple[str, str]:
    if tempo_hit(reference=reference, prediction=value):
        return RIGHT, "within 4 %"
    factor = tempo_factor(reference=reference, prediction=value)
    return WRONG, f"{factor[0]}/{factor[1]} of the tempo".replace("/1", "") if factor else "no simple ratio"


def _key(item: Item, reference: Any, value: Any) -> tuple[str, str]:
    credit = key_score(reference=reference, prediction=value)
    return RIGHT if credit == 1 else PARTLY if credit > 0 else WRONG, f"credit {short_number(credit) or '0'}"


def _time_signature(item: Item, reference: Any, value: Any) -> tuple[str, str]:
    return (RIGHT if time_signature_hit(reference=reference, prediction=value) else WRONG), ""


def _segments(item: Item, reference: Any, value: Any) -> tuple[str, str]:
    match = match_intervals(reference=reference, prediction=value, duration_s=item.duration_s)
    outcome = RIGHT if match.f1 == 1 else PARTLY if match.f1 > 0 else WRONG
    return outcome, f"F1 {value_text(match.f1, 2)}, {match.true_positives} of {match.n_reference} found"


_JUDGES: Mapping[str, Callable[[Item, Any, Any], tuple[str, str]]] = {
    "tempo": _tempo,
    "key": _key,
    "time_signature": _time_signature,
    "segments": _segments,
}
