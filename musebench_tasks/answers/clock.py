"""Times as models write them: seconds (`12.5`, `12.5s`), `m:ss(.f)` and `h:mm:ss(.f)`; nothing is rescaled."""

import re
from decimal import Decimal
from typing import Any

_SECONDS = re.compile(r"([+-]?\d{1,9}(?:\.\d{1,9})?) ?(?:s|secs?|seconds?|秒|초)?", re.IGNORECASE)
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{2}(?:\.\d{1,9})?)")


def seconds_of(value: Any) -> Decimal | None:
    """Seconds where `value` (a Decimal or a string) is a time, else None."""
    if isinstance(value, Decimal):
        return value
    if not isinstance(value, str):
        return None
    text = value.strip()
    plain = _SECONDS.fullmatch(text)
    if plain is not None:
        return Decimal(plain[1])
    clock = _CLOCK.fullmatch(text)
    if clock is None or Decimal(clock[3]) >= 60 or (clock[1] is not None and int(clock[2]) >= 60):
        return None
    return int(clock[1] or 0) * 3600 + int(clock[2]) * 60 + Decimal(clock[3])
