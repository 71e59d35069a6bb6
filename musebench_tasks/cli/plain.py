"""Values as JSON that may hold text of others, such as names of files."""

from __future__ import annotations

import json
import re
from typing import Any

_NO_TEXT = re.compile("[\ud800-\udfff]")


def exact_json(value: Any) -> str:
    """`value` as JSON from which every text is read again as it was, bytes that are no UTF-8 among them."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return _NO_TEXT.sub(lambda found: ascii(found[0])[1:-1], text)
