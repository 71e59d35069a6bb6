"""The data in a music answer: which objects and arrays count, and which values they give a field (answers.md 4)."""

import re
from typing import Any, NamedTuple

from musebench_tasks.answers.json_text import (
    FoundJson,
    JsonArray,
    JsonObject,
    decoded_twice,
    fenced_blocks,
    field_name,
    find_json,
)
from musebench_tasks.answers.segment_text import is_boundary_list, is_row_like

FIELD_NAMES = {
    "tempo": ("tempo", "bpm", "tempo_bpm"),
    "key": ("key",),
    "time_signature": ("time_signature", "meter", "metre"),
    "segments": ("segments", "sections"),
}
"""The closed list of names under which a field is read."""
_KNOWN = frozenset(name for names in FIELD_NAMES.values() for name in names)
_SECTION_CUE = re.compile(r"boundar|segment|section|structur|timestamp|边界|分段|段落|区切り|경계", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"\b(?:such as|e\.g\.,?|(?:for )?(?:example|instance)(?: (?:output|response|answer|format))?|例如|比如)"
    r"[ :,(]{0,3}\s{0,4}(?:```[a-z]{0,10}\s{0,4})?(?:\Z|(?=\{))",
    re.IGNORECASE,
)
_EXAMPLE_REACH = 60
_BETWEEN = re.compile(r"[\s,;]*(?:[-•*][ ])?")


class FieldValue(NamedTuple):
    """A value under a field's name, and the object that holds it."""

    value: Any
    owner: JsonObject


class Data(NamedTuple):
    """Objects with a known field, and bare arrays or rows that may be segments."""

    objects: tuple[JsonObject, ...]
    bare: JsonArray | JsonObject | None

    def values(self, field: str) -> list[FieldValue]:
        """Every value under a name of `field`, in order."""
        return [FieldValue(each, owner) for owner in self.objects for each in owner.values(*FIELD_NAMES[field])]


def without_examples(text: str) -> str:
    """`text` without the objects that are given as examples ("I will return JSON such as {...}")."""
    if "{" not in text or not _EXAMPLE.search(text):
        return text
    kept: list[str] = []
    position = 0
    for found in find_json(text):
        if _EXAMPLE.search(text, max(0, found.start - _EXAMPLE_REACH), found.start):
            kept.append(text[position : found.start])
            position = found.end
    return " ".join([*kept, text[position:]])


def find_data(text: str) -> Data:
    """The data of `text`: of its code fences where they hold any, else of the whole."""
    for part in fenced_blocks(text):
        data = _data_of(part)
        if data.objects or data.bare is not None:
            return _with_all_fences(text)
    data = _data_of(text)
    if data.objects or data.bare is not None:
        return data
    inner = decoded_twice(text)
    return data if inner is None else _data_of(inner)


def without_data(text: str) -> str:
    """`text` without its objects: where none has a known field, their values are no prose (answers.md 4)."""
    if "{" not in text:
        return text
    kept: list[str] = []
    position = 0
    for found in find_json(text):
        if _has_pairs(found.value):
            kept.append(text[position : found.start])
            position = found.end
    return " ".join([*kept, text[position:]])


def _has_pairs(value: Any) -> bool:
    if isinstance(value, JsonObject):
        return bool(value.pairs)
    return isinstance(value, JsonArray) and any(_has_pairs(each) for each in value.values)


def _with_all_fences(text: str) -> Data:
    parts = [_data_of(part) for part in fenced_blocks(text)]
    bare = next((part.bare for part in parts if part.bare is not None), None)
    return Data(tuple(each for part in parts for each in part.objects), bare)


def _data_of(text: str) -> Data:
    if not any(each in text for each in "{[("):
        return Data((), None)
    found = find_json(text)
    objects = tuple(each for one in found for each in _known_objects(one.value))
    return Data(objects, None if objects else _bare_segments(text, found))


def _known_objects(value: Any) -> list[JsonObject]:
    """Objects with a known field; values of known fields are not searched, those of other fields are."""
    if isinstance(value, JsonArray):
        return [each for inner in value.values for each in _known_objects(inner)]
    if not isinstance(value, JsonObject):
        return []
    own = [value] if any(field_name(key) in _KNOWN for key, _ in value.pairs) else []
    return own + [each for key, inner in value.pairs if field_name(key) not in _KNOWN for each in _known_objects(inner)]


def _bare_segments(text: str, found: list[FoundJson]) -> JsonArray | JsonObject | None:
    """The first run of neighbouring rows, or array of rows, or list of boundaries that stands alone."""
    first_word = len(text) - len(text.lstrip())
    for number, group in enumerate(_neighbours(text, found)):
        values = [one.value for one in group]
        opening = text[group[0].start]
        if len(group) > 1 and all(is_row_like(each) or is_boundary_list(each) for each in values):
            return JsonArray(list(values))
        first = values[0]
        if is_row_like(first):
            return JsonArray([first], first.complete) if isinstance(first, JsonObject) else first
        if (
            number == 0
            and opening == "["
            and isinstance(first, JsonArray)
            and (is_boundary_list(first) or not first.values)
        ):
            alone = not re.search(r"[^\W\d_]{2}", text[: group[0].start] + text[group[0].end :])
            if (alone and (first.values or len(found) == 1)) or (
                first.values and len(found) == 1 and _SECTION_CUE.search(text, 0, group[0].start)
            ):
                return first
        if opening == "(" and is_boundary_list(first) and group[0].start <= first_word:
            return JsonArray([first])
    return None


def _neighbours(text: str, found: list[FoundJson]) -> list[list[FoundJson]]:
    groups: list[list[FoundJson]] = []
    for one in found:
        if groups and _BETWEEN.fullmatch(text, groups[-1][-1].end, one.start):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups
