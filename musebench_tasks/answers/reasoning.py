"""Reasoning traces (P1): what a model thought aloud is no answer."""

import re
from typing import NamedTuple

from musebench_tasks.answers.turns import end_of_turn, has_words

_NAMES = "think|thinking|thought|reasoning"
_TAG = re.compile(
    rf"<(?P<close>/)?(?:{_NAMES}) ?>"
    r"|<\|(?P<vendor>START|END)_THINKING\|>"
    r"|\[(?P<close2>/)?THINK\]|◁(?P<close3>/)?think▷"
    r"|<\|channel\|>(?P<channel>analysis|final)(?:<\|message\|>)?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"<\|[^<>|\n]{0,60}\|>|</?s>|<(?:eos|end_of_turn|pad)>")


class OutsideReasoning(NamedTuple):
    """The text outside reasoning; `closed` is False if a reasoning block was opened and never closed.

    `cut` if another turn that followed was left out.
    """

    text: str
    closed: bool
    cut: bool = False


def without_reasoning(text: str) -> OutsideReasoning:
    """Remove closed blocks, cut everything before a stray closing tag and after the turn's end, drop special tokens."""
    if "<" not in text and "[" not in text and "◁" not in text:
        return OutsideReasoning(text, True)
    kept: list[str] = []
    position, is_open, begun = 0, False, False
    for tag in _TAG.finditer(text):
        if not is_open:
            piece = text[position : tag.start()]
            kept.append(piece)
            if not _closes(tag) and (end := end_of_turn(piece, begun)) is not None:
                return _spoken([*kept[:-1], piece[:end]], text[position + end :])
            begun = not _closes(tag) and (begun or has_words(piece))
        if _closes(tag):
            if not is_open:
                kept.clear()
            is_open = False
        else:
            is_open = True
        position = tag.end()
    if is_open:
        return OutsideReasoning("", False)
    end = end_of_turn(text[position:], begun)
    if end is None:
        return _spoken([*kept, text[position:]], "")
    return _spoken([*kept, text[position : position + end]], text[position + end :])


def _spoken(kept: list[str], left_out: str) -> OutsideReasoning:
    return OutsideReasoning(_TOKEN.sub(" ", "".join(kept)), True, has_words(left_out))


def _closes(tag: re.Match[str]) -> bool:
    if tag["vendor"]:
        return tag["vendor"].upper() == "END"
    if tag["channel"]:
        return tag["channel"].lower() == "final"
    return bool(tag["close"] or tag["close2"] or tag["close3"])
