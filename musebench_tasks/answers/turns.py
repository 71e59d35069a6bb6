"""Turns: where a model's own answer ends and it goes on with the next question of a talk that never took place.

What stands after the first marker of a new turn is no part of the answer. A marker before any text of the answer, as
where a response begins with the question restated, ends nothing.
"""

import re
from collections.abc import Callable

CUT_AT_TURN = "cut_at_turn"
"""The flag of an answer behind which another turn was left out."""

_END = re.compile(
    r"<\|(?:im_end|endoftext|end_of_text|eot_id|eom_id|end_of_turn)\|>|</s>|<(?:eos|end_of_turn)>"
    r"|<\|(?:user|human)\|>|(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>) ?user\b|\[INST\]",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>) ?(?:assistant|model|system|user)\b|<\|[^<>|\n]{0,60}\|>"
    r"|</?s>|<(?:eos|end_of_turn|pad)>",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"\n[ \t]{0,8}(?P<speaker>(?:\*\*)?(?:User|Human|USER|HUMAN)(?:\*\*)? ?:"
    r"|#{2,4} ?(?:Instruction|Input|User|Human)\b)"
    r"|\n[ \t]{0,8}\n[ \t]{0,8}(?:\*\*|#{1,4} ?)?(?:Question|QUESTION|Q)(?: ?\d{1,3})?(?:\*\*)? ?:"
)
_LINE_WORDS = ("User", "USER", "Human", "HUMAN", "Instruction", "Input", "Question", "QUESTION", "Q")
_RESTATED = re.compile(
    r"\W{0,6}(?:system|user|human|instructions?|input|question|q|context|options|choices)\b ?\d{0,3}\W{0,3}:",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"\n[ \t]{0,8}(?:(?:\*\*)?(?:Assistant|ASSISTANT|AI|Model)(?:\*\*)? ?:|#{2,4} ?(?:Response|Assistant)\b)"
)
_TRIED = 3
"""Places at which what stands before is read, to learn whether it is an answer."""


def end_of_turn(text: str, begun: bool) -> int | None:
    """Where a special token ends the turn: the first one behind some text; `begun` if text stands before `text`."""
    position, struck = 0, text.find("<s>")
    for match in _END.finditer(text):
        if match[0] == "</s>" and 0 <= struck < match.start():
            continue  # struck out, or the token that begins a text
        if begun or _HEAD.sub("", text[position : match.start()]).strip():
            return match.start()
        position = match.end()
    return None


def has_words(text: str) -> bool:
    """Whether something besides special tokens and the names of speakers stands in `text`."""
    return bool(_HEAD.sub("", text).strip())


def next_turn(text: str, is_answer: Callable[[str], bool]) -> int | None:
    """Where a line of `text` (stripped) begins another turn: that of a speaker, or a further question.

    A question is a further one where what stands before it is an answer, as `is_answer` tells.
    Where the response begins with a restated talk, a speaker's line too ends the turn only behind a reply or an answer.
    """
    if not any(map(text.__contains__, _LINE_WORDS)):
        return None
    restated = _RESTATED.match(text) is not None
    reply = _REPLY.search(text) if restated else None
    for tried, match in enumerate(_LINE.finditer(text)):
        if match["speaker"] and (not restated or _has_reply(text, reply, match.start())):
            return match.start()
        if tried < _TRIED and is_answer(text[: match.start()]):
            return match.start()
    return None


def _has_reply(text: str, reply: re.Match[str] | None, end: int) -> bool:
    """Whether words stand between the name of the one who replies and `end`."""
    return reply is not None and reply.end() < end and not text[reply.end() : end].isspace()
