"""JSON in choice answers: the answer field is read as a declaration at its place, every other field is ignored.

A list with a part that names no option is no smaller list: it is declared void, or out of range for a letter beyond.
"""

import re
from typing import Any, NamedTuple

from musebench_tasks.answers.cues import find_cues
from musebench_tasks.answers.json_text import CUT, FoundJson, JsonArray, JsonObject, find_json
from musebench_tasks.answers.markup import plain
from musebench_tasks.answers.option_texts import OptionTexts, comparable
from musebench_tasks.answers.regions import Region, RegionReader
from musebench_tasks.base.records import LETTERS

WRONG_TYPE, NOT_AN_OPTION = "\ufdd0", "\ufdd1"
VOID = {WRONG_TYPE: "wrong_type", NOT_AN_OPTION: "not_an_option"}
"""Marks declared in place of a list that names something else than options, and their rules. Noncharacters: no
canonical text holds them."""
_DELIMITER = re.compile(r"[)\]]? ?[.):,]")
_ANNOUNCED = re.compile(r"(?:[:=>→是为為は]|\b(?:is|are|be|es|est|ist))[\s*_`\"']*\Z")
_MOST_BEFORE = 200

ANSWER_FIELDS = (
    *("answer", "answers", "final_answer", "choice", "choices", "option", "selected", "letter"),
    *("correct_answer", "correct_option", "selected_option", "selected_options", "final"),
)
"""The closed list of names under which an answer is read; `options` is not among them: models echo the question."""


class Rewritten(NamedTuple):
    """The text with each answering object replaced by a line `answer: …`; `cut` if a value lacks its end."""

    text: str
    cut: bool


def rewrite_json(text: str, options: OptionTexts) -> Rewritten:
    """Turn objects with an answer field, and boolean tables over all labels, into declarations."""
    if "{" not in text and "[" not in text:
        return Rewritten(text, False)
    pieces: list[str] = []
    position, cut = 0, False
    everything = find_json(text)
    for found in everything:
        values = [each for object_ in _objects(found.value) for each in _answers(object_, options)]
        if not values and _is_answer(text, found, len(everything) == 1) and _void(found.value, options):
            values = [found.value]
        if not values:
            continue
        shown = [_void(each, options) or _shown(each, options) for each in values if each is not CUT]
        cut = cut or len(shown) < len(values)
        shown = [each for each in shown if each in VOID][:1] or shown
        pieces += [
            text[position : found.start],
            "\nanswer: " + " or ".join(dict.fromkeys(shown)) + "\n" if shown else "\n",
        ]
        position = found.end
    return Rewritten("".join([*pieces, text[position:]]), cut)


def _is_answer(text: str, found: FoundJson, alone: bool) -> bool:
    """Whether an array without a field's name is the whole response, or what a cue announces."""
    if text[found.start] != "[":
        return False
    if not alone and _ANNOUNCED.search(text, max(0, found.start - 12), found.start) is None:
        return False
    before = plain(text[max(0, found.start - _MOST_BEFORE) : found.start]).rpartition("\n")[2]
    if any(cue.end >= len(before) for cue in find_cues(before)):
        return True
    return alone and not plain(text[: found.start]) and not plain(text[found.end :]).strip(" .")


def _void(value: Any, options: OptionTexts) -> str:
    """What a list of two or more parts declares where one of them is no option: a mark, or a letter beyond them."""
    parts = _parts(value, options) if isinstance(value, JsonArray) else []
    if len(parts) < 2:
        return ""
    regions = [_region(str(each), options) for each in parts]
    beyond = [index for region in regions if region for index in region.indices if index >= len(options.cores)]
    if None not in regions:
        return ""
    if beyond:
        return LETTERS[beyond[0]] if beyond[0] < len(LETTERS) else chr(ord("A") + beyond[0])
    unread = [each for each, region in zip(parts, regions, strict=True) if region is None]
    return NOT_AN_OPTION if all(isinstance(each, str) for each in unread) else WRONG_TYPE


def _parts(value: JsonArray, options: OptionTexts) -> list[Any]:
    """The complete parts of a list, lists in it opened; an object counts as what it shows."""
    parts: list[Any] = []
    for each in value.values:
        if isinstance(each, JsonArray):
            parts += _parts(each, options)
        elif each is not CUT:
            parts.append(_shown(each, options) if isinstance(each, JsonObject) else each)
    return parts


def _region(part: str, options: OptionTexts) -> Region | None:
    """The options that a part of a list names: it is nothing else, or a label with a delimiter opens it."""
    reader = RegionReader(plain(part), options, multi=True)
    region = reader.read(0, len(reader.text))
    if region is None or reader.whole() is not None:
        return region
    opened = region.items[0].kind == "label" and _DELIMITER.match(reader.text, region.items[0].start + 1)
    return region if opened else None


def _objects(value: Any) -> list[JsonObject]:
    """The object itself, or those nested in it, that hold an answer."""
    if isinstance(value, JsonObject):
        if value.values(*ANSWER_FIELDS) or not value.pairs:
            return [value]
        return [value, *(each for _, inner in value.pairs for each in _objects(inner))]
    if isinstance(value, JsonArray):
        return [each for inner in value.values for each in _objects(inner)]
    return []


def _answers(object_: JsonObject, options: OptionTexts) -> list[Any]:
    table = _table(object_, options)
    return [table] if table is not None else object_.values(*ANSWER_FIELDS)


def _table(object_: JsonObject, options: OptionTexts) -> JsonArray | None:
    """The labels that a boolean table over all options marks true."""
    marks: dict[int, bool] = {}
    for key, value in object_.pairs:
        index = _option_index(key, options)
        if index is None or not isinstance(value, bool):
            return None
        marks[index] = value
    if len(marks) != len(options.cores):
        return None
    return JsonArray([LETTERS[index] for index in sorted(marks) if marks[index]])


def _option_index(key: str, options: OptionTexts) -> int | None:
    if len(key) == 1 and key.upper() in LETTERS[: len(options.cores)]:
        return LETTERS.index(key.upper())
    wanted = comparable(key)
    places = [index for index, each in enumerate(options.comparables) if each == wanted]
    return places[0] if len(places) == 1 else None


def _shown(value: Any, options: OptionTexts) -> str:
    """The value as a person would write it after `answer:`."""
    if isinstance(value, JsonArray):
        return ", ".join(_shown(each, options) for each in value.values if each is not CUT) or "none"
    if isinstance(value, JsonObject):
        table = _table(value, options)
        inner = (
            [table]
            if table is not None
            else value.values("letter", "label", "answer", "choice", "option", "value", "text")
        )
        return _shown(inner[0], options) if inner else ""
    if value is None or isinstance(value, bool):
        return ""
    text = str(value).replace("\n", " ").strip()
    return text.upper() if len(text) == 1 else text
