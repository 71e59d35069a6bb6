"""JSON in choice answers: the answer field is read as a declaration at its place, every other field is ignored."""

from typing import Any, NamedTuple

from musebench_tasks.answers.json_text import CUT, JsonArray, JsonObject, find_json
from musebench_tasks.answers.option_texts import OptionTexts, comparable
from musebench_tasks.records import LETTERS

ANSWER_FIELDS = (
    *("answer", "answers", "final_answer", "choice", "choices", "option", "selected", "letter"),
    *("correct_answer", "correct_option", "selected_option", "selected_options"),
)
"""The closed list of names under which an answer is read; `options` is not among them: models echo the question."""


class Rewritten(NamedTuple):
    """The text with each answering object replaced by a line `answer: …`; `cut` if a value lacks its end."""

    text: str
    cut: bool


def rewrite_json(text: str, options: OptionTexts) -> Rewritten:
    """Turn objects with an answer field, and boolean tables over all labels, into declarations."""
    if "{" not in text:
        return Rewritten(text, False)
    pieces: list[str] = []
    position, cut = 0, False
    for found in find_json(text):
        values = [each for object_ in _objects(found.value) for each in _answers(object_, options)]
        if not values:
            continue
        shown = [_shown(each, options) for each in values if each is not CUT]
        cut = cut or len(shown) < len(values)
        pieces += [
            text[position : found.start],
            "\nanswer: " + " or ".join(dict.fromkeys(shown)) + "\n" if shown else "\n",
        ]
        position = found.end
    return Rewritten("".join([*pieces, text[position:]]), cut)


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
