"""Reasoning traces (P1): what a model thought aloud is no answer."""

import re
from typing import NamedTuple

_NAMES = "think|thinking|thought|reasoning"
_TAG = re.compile(
    rf"<(?P<close>/)?(?:{_NAMES}) ?>"
    r"|<\|(?P<vendor>START|END)_THINKING\|>"
    r"|\[(?P<close2>/)?THINK\]|◁(?P<close3>/)?think▷"
    r"|<\|channel\|>(?P<channel>analysis|final)(?:<\|message\|>)?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"<\|[^<>|\n]{0,60}\|>|</?s>|<(?:eos|end_of_turn|pad)>")


class Spoken(NamedTuple):
    """The text outside reasoning; `closed` is False if a reasoning block was opened and never closed."""

    text: str
    closed: bool


def without_reasoning(text: str) -> Spoken:
    """Remove closed blocks, cut everything before a stray closing tag, drop special tokens."""
    if "<" not in text and "[" not in text and "◁" not in text:
        return Spoken(text, True)
    kept: list[str] = []
    position, is_open = 0, False
    for tag in _TAG.finditer(text):
        if not is_open:
            kept.append(text[position : tag.start()])
        if _closes(tag):
            if not is_open:
                kept.clear()
            is_open = False
        else:
            is_open = True
        position = tag.end()
    if is_open:
        return Spoken("", False)
    kept.append(text[position:])
    return Spoken(_TOKEN.sub(" ", "".join(kept)), True)


def _closes(tag: re.Match[str]) -> bool:
    if tag["vendor"]:
        return tag["vendor"].upper() == "END"
    if tag["channel"]:
        return tag["channel"].lower() == "final"
    return bool(tag["close"] or tag["close2"] or tag["close3"])
