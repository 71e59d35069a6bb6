"""Music answers: tempo, key, time signature and segments, each read for itself from one text (answers.md 4).

JSON first; where a known field stands in some object, prose is not searched. No unit is guessed, nothing is rescaled,
half a value is no value.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from musebench_tasks.answers.corrections import find_corrections
from musebench_tasks.answers.json_text import CUT, JsonArray, JsonObject, find_json, is_container
from musebench_tasks.answers.key_text import read_key_text
from musebench_tasks.answers.markup import plain
from musebench_tasks.answers.metre_text import read_metre_number, read_metre_pair, read_metre_text
from musebench_tasks.answers.music_json import FIELD_NAMES, Data, FieldValue, find_data, without_data, without_examples
from musebench_tasks.answers.outcomes import MusicAnswer, was_cut
from musebench_tasks.answers.refusals import is_refusal
from musebench_tasks.answers.section_lines import section_rows
from musebench_tasks.answers.segment_text import RawSegments, clean_rows, read_rows
from musebench_tasks.answers.stated import tells_of_a_part
from musebench_tasks.answers.table_text import with_fields_as_lines, with_tables_as_lines
from musebench_tasks.answers.tempo_text import read_tempo_number, read_tempo_text
from musebench_tasks.answers.tool_calls import without_tool_calls
from musebench_tasks.answers.visible_text import NoReading, visible_answer
from musebench_tasks.base.records import FieldAnswer, Status

_FINAL_CUE = re.compile(
    r"\b(?:final|corrected) (?:answer|result|output|json)\b[^\n{\[]{0,40}(?=\s{0,40}(?:```[^\n`]{0,40}\s{0,40})?[{\[])",
    re.IGNORECASE,
)
_NO_VALUE = frozenset({"", "null", "none", "n/a", "na", "-", "?"})
_CORRECTION = 100
"""Characters after a correction that tell whether it is about a part of the piece only."""
_SHORT = 60
_BOUND = re.compile(r"\s*[<>≤≥]=?\s*\d")
_PLACEHOLDER = re.compile(
    r"<[^<>]{1,60}>|\[[^\[\]\d]{1,60}\]|\{[^{}]{1,60}\}|\.{3}|\u2026|_+|x{2,}"
    r"|number|float|int(?:eger)?|str(?:ing)?|value|tonic mode|n/d|bpm",
    re.IGNORECASE,
)
"""What stands for a value in a template that a model echoes (P2)."""
_FINAL = re.compile(
    r"\\boxed ?\{(?P<box>[^{}\n]{1,200})\}|<answer>(?P<tag>[^<>]{1,400})</answer>"
    r"|(?:\A|\n)[^\n]{0,20}?\b(?:final answer|answer|antwort|réponse|respuesta|答案|答え|정답)(?: is| ist|是)? ?:"
    r" ?(?P<line>[^\n]{1,200})",
    re.IGNORECASE,
)
"""Cues of a final answer in prose; their payload is read like the field's own string."""


def parse_tempo(response: str | None, finish_reason: str | None = None) -> MusicAnswer:
    """The tempo in BPM that `response` states."""
    return _read("tempo", _hear(response, finish_reason), None)


def parse_key(response: str | None, finish_reason: str | None = None) -> MusicAnswer:
    """The key that `response` states, as `Eb major`."""
    return _read("key", _hear(response, finish_reason), None)


def parse_time_signature(response: str | None, finish_reason: str | None = None) -> MusicAnswer:
    """The time signature that `response` states, as `6/8`."""
    return _read("time_signature", _hear(response, finish_reason), None)


def parse_segments(
    response: str | None, duration_s: float | None = None, finish_reason: str | None = None
) -> MusicAnswer:
    """The segments that `response` states, as [start_s, end_s, label] in order of time, cleaned to `duration_s`."""
    return _read("segments", _hear(response, finish_reason), duration_s)


def parse_music(
    response: str | None, fields: Iterable[str], duration_s: float | None = None, finish_reason: str | None = None
) -> dict[str, FieldAnswer]:
    """Every field of `fields` (tempo, key, time_signature, segments), as it is stored in a prediction."""
    heard = _hear(response, finish_reason)
    return {field: _stored(_read(field, heard, duration_s)) for field in fields}


class _Heard(NamedTuple):
    """A response made ready: data and prose, or the verdict that there is nothing to read."""

    data: Data
    prose: str
    verdict: NoReading | None
    cut: bool
    flags: tuple[str, ...] = ()


def _hear(response: str | None, finish_reason: str | None) -> _Heard:
    nothing = Data((), None)
    spoken = visible_answer(response, _is_answered)
    cut = was_cut(finish_reason)
    if spoken.verdict is not None:
        return _Heard(nothing, "", spoken.verdict, cut, spoken.flags)
    text, called = without_tool_calls(spoken.text)
    if called and not text.strip():
        return _Heard(nothing, "", NoReading(Status.UNPARSED, "tool_call"), cut, spoken.flags)
    return _Heard(*_data_and_prose(text), None, cut, spoken.flags)


def _data_and_prose(text: str) -> tuple[Data, str]:
    cues = list(_FINAL_CUE.finditer(text))
    if cues:
        text = text[cues[-1].end() :]
    text = without_examples(text.strip())
    data = find_data(text)
    return data, "" if data.objects else with_fields_as_lines(with_tables_as_lines(plain(without_data(text))))


def _is_answered(text: str) -> bool:
    """Whether `text`, behind which another question stands, is an answer: data, a final answer, or one short line."""
    data, prose = _data_and_prose(text)
    if not (data.objects or data.bare is not None or _FINAL.search(prose) or len(text.strip()) <= _SHORT):
        return False
    heard = _Heard(data, prose, None, False)
    return any(_read(field, heard, None).status is Status.OK for field in FIELD_NAMES)


def _read(field: str, heard: _Heard, duration_s: float | None) -> MusicAnswer:
    answer = _read_field(field, heard, duration_s)
    return answer._replace(flags=answer.flags + heard.flags) if heard.flags else answer


def _read_field(field: str, heard: _Heard, duration_s: float | None) -> MusicAnswer:
    if heard.verdict is not None:
        return _final(MusicAnswer(None, heard.verdict.status, heard.verdict.rule), heard)
    if field == "segments":
        answer = _read_segments(heard, duration_s)
    else:
        values = heard.data.values(field)
        if values:
            answer = _merge([_read_value(field, each) for each in values])
        elif heard.data.objects:
            answer = _no_answer("no_answer")
        else:
            answer = _read_prose(field, heard.prose)
    return _final(answer, heard)


def _read_prose(field: str, prose: str) -> MusicAnswer:
    """The last final answer that holds a value (P2), else what a correction says, else what the whole text claims."""
    for final in reversed(list(_FINAL.finditer(prose))):
        payload = final["box"] or final["tag"] or final["line"]
        answer = _PROSE[field](payload.strip(" \"'(){}[]"))
        if answer.rule == "prose" and not _PLACEHOLDER.fullmatch(payload.strip()):
            return answer
    corrections = [each for each in find_corrections(prose) if each.kind != "aside"]
    if corrections:
        corrected = prose[corrections[-1].end :]
        answer = _PROSE[field](corrected)
        if answer.rule == "prose" and not tells_of_a_part(corrected[:_CORRECTION]):
            return answer
    return _PROSE[field](prose)


def _final(answer: MusicAnswer, heard: _Heard) -> MusicAnswer:
    if answer.status not in (Status.UNPARSED, Status.REFUSED):
        return answer
    if heard.cut:
        return answer._replace(status=Status.TRUNCATED)
    if answer.rule == "no_answer" and not heard.data.objects and is_refusal(heard.prose):
        return answer._replace(status=Status.REFUSED, rule="refusal")
    return answer


def _no_answer(rule: str, status: Status = Status.UNPARSED) -> MusicAnswer:
    return MusicAnswer(None, status, rule)


def _merge(answers: list[MusicAnswer]) -> MusicAnswer:
    """One answer out of several places: they agree, or conflict; a null and a placeholder yield to a value."""
    stated = [each for each in answers if each.rule not in ("empty", "placeholder")] or answers
    if any((each.value, each.status) != (stated[0].value, stated[0].status) for each in stated[1:]):
        return _no_answer("conflict")
    return stated[0]


def _read_value(field: str, found: FieldValue) -> MusicAnswer:
    value = found.value
    if value is CUT:
        return _no_answer("cut", Status.TRUNCATED)
    if value is None or (isinstance(value, str) and value.strip().lower() in _NO_VALUE):
        return _no_answer("empty")
    if isinstance(value, str) and _PLACEHOLDER.fullmatch(value.strip()):
        return _no_answer("placeholder")
    if isinstance(value, bool):
        return _no_answer("wrong_type")
    if (
        isinstance(value, JsonObject)
        and len(own := value.values(*FIELD_NAMES[field])) == 1
        and not is_container(own[0])
    ):
        return _read_value(field, FieldValue(own[0], value))
    answer = _VALUES[field](value)
    if answer.status is Status.UNPARSED and isinstance(value, str) and is_refusal(value):
        return _no_answer("refusal", Status.REFUSED)
    if answer.status is Status.OK and not found.owner.complete:
        return answer._replace(flags=(*answer.flags, "truncated"))
    return answer


def _tempo_value(value: Any) -> MusicAnswer:
    if isinstance(value, Decimal):
        return read_tempo_number(value, "json")
    if isinstance(value, str):
        return _no_answer("bound") if _BOUND.match(value) else read_tempo_text(plain(value), "json", prose=False)
    if isinstance(value, JsonArray) and value.values:
        if len(value.values) == 1 and isinstance(value.values[0], (Decimal, str)):
            return _tempo_value(value.values[0])
        return _no_answer("ambiguous")
    return _no_answer("wrong_type")


def _key_value(value: Any) -> MusicAnswer:
    if isinstance(value, str):
        return read_key_text(plain(value), "json")
    if isinstance(value, JsonObject):
        tonics, modes = value.values("tonic"), value.values("mode", "scale")
        if len(tonics) != 1 or len(modes) != 1 or not all(isinstance(each, str) for each in (*tonics, *modes)):
            return _no_answer("conflict" if len(tonics) > 1 or len(modes) > 1 else "no_answer")
        return read_key_text(f"{tonics[0].strip()} {modes[0].strip()}", "json")
    if isinstance(value, JsonArray) and value.values and all(isinstance(each, str) for each in value.values):
        return read_key_text(" / ".join(value.values), "json")
    return _no_answer("wrong_type")


def _metre_value(value: Any) -> MusicAnswer:
    if isinstance(value, Decimal):
        return read_metre_number(value)
    if isinstance(value, str):
        return read_metre_text(plain(value), "json")
    if isinstance(value, JsonArray):
        if len(value.values) == 2:
            return read_metre_pair(value.values[0], value.values[1])
        return _metre_value(value.values[0]) if len(value.values) == 1 else _no_answer("wrong_type")
    if isinstance(value, JsonObject):
        tops, bottoms = value.values("numerator"), value.values("denominator")
        if len(tops) == 1 and not bottoms:
            return _no_answer("no_denominator")
        if len(tops) == 1 and len(bottoms) == 1:
            return read_metre_pair(tops[0], bottoms[0])
    return _no_answer("wrong_type")


def _read_segments(heard: _Heard, duration_s: float | None) -> MusicAnswer:
    values = heard.data.values("segments")
    if values:
        return _merge([_segments_value(each, duration_s) for each in values])
    if heard.data.bare is not None:
        return _clean(read_rows(heard.data.bare), duration_s)
    if heard.data.objects:
        return _no_answer("no_answer")
    rows = section_rows(heard.prose)
    return clean_rows(rows, "prose", duration_s, False) if rows else _no_answer("no_answer")


def _segments_value(found: FieldValue, duration_s: float | None) -> MusicAnswer:
    if found.value is CUT:
        return _no_answer("cut", Status.TRUNCATED)
    if found.value is None:
        return _no_answer("empty")
    if isinstance(found.value, str) and found.value.lstrip().startswith(("[", "{")):
        inner = find_json(found.value)
        return _clean(read_rows(inner[0].value), duration_s) if len(inner) == 1 else _no_answer("no_answer")
    if isinstance(found.value, str):
        rows = section_rows(plain(found.value))
        return clean_rows(rows, "json", duration_s, not found.owner.complete) if rows else _no_answer("no_answer")
    labels = found.owner.values("labels")
    return _clean(read_rows(found.value, labels[0] if labels else None), duration_s)


def _clean(found: RawSegments, duration_s: float | None) -> MusicAnswer:
    if found.rows is None:
        return _no_answer(found.rule, Status.TRUNCATED if found.rule == "cut" else Status.UNPARSED)
    return clean_rows(found.rows, found.rule, duration_s, found.truncated)


def _stored(answer: MusicAnswer) -> FieldAnswer:
    value = answer.value
    if isinstance(value, list):
        value = [{"start_s": start, "end_s": end, "label": label} for start, end, label in value]
    return FieldAnswer(value=value, status=answer.status, rule=answer.rule, flags=answer.flags)


_VALUES: Mapping[str, Callable[[Any], MusicAnswer]] = {
    "tempo": _tempo_value,
    "key": _key_value,
    "time_signature": _metre_value,
}
_PROSE: Mapping[str, Callable[[str], MusicAnswer]] = {
    "tempo": lambda text: read_tempo_text(text, "prose", prose=True),
    "key": lambda text: read_key_text(text, "prose"),
    "time_signature": lambda text: read_metre_text(text, "prose"),
}
