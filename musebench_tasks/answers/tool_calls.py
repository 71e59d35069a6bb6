"""Tool calls are no answers: a model that calls a tool has not answered yet."""

import re

from musebench_tasks.answers.characters import fold

_OPENING = re.compile(r"<(tool_call|function_call|tool_code)>", re.IGNORECASE)
_CALL = re.compile(
    r"""\s*\[?\s*\{\s*["'](?:name|function|tool|tool_name|type)["']\s*:\s*["'{][^\n]{0,300}?"""
    r"""["'](?:arguments|parameters|args|input|function)["']\s*:"""
)


def without_tool_calls(text: str) -> tuple[str, bool]:
    """`text` without tool calls, and whether it held any."""
    if "<" in text and _OPENING.search(text):
        return _without_blocks(text), True
    if "{" in text and _CALL.match(text):
        return "", True
    return text, False


def _without_blocks(text: str) -> str:
    kept: list[str] = []
    position, lowered = 0, fold(text)
    while (opening := _OPENING.search(text, position)) is not None:
        kept.append(text[position : opening.start()])
        closing = lowered.find(f"</{opening[1].lower()}>", opening.end())
        if closing < 0:
            return " ".join(kept)
        position = closing + len(opening[1]) + 3
    return " ".join([*kept, text[position:]])
