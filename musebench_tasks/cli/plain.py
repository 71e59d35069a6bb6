"""Text of others, such as names of files, as it may stand in a line of a terminal or in JSON."""

from __future__ import annotations

import json
import re
from typing import Any

_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What breaks a line, steers a terminal, turns the direction of writing, or stands for bytes that are no text."""
_NO_TEXT = re.compile("[\ud800-\udfff]")


def one_line(text: object) -> str:
    r"""`text` with what is not to be seen written out: a line feed as `\n`, a byte that is no UTF-8 as `\udcff`."""
    return _STEERING.sub(_written_out, str(text))


def lines_of(text: object) -> str:
    """A text of several lines, each of them as `one_line` writes it."""
    return "\n".join(map(one_line, str(text).split("\n")))


def exact_json(value: Any) -> str:
    """`value` as JSON from which every text is read again as it was, bytes that are no UTF-8 among them."""
    return _NO_TEXT.sub(_written_out, json.dumps(value, indent=1, ensure_ascii=False))


def _written_out(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]
