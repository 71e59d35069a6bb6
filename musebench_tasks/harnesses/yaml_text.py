"""Small YAML files as people would write them: a key a line, inner values in flow style, functions as `!function`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

MOST_COLUMNS = 110
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_.][\w./-]*", re.IGNORECASE)


class Function(str):
    """The dotted name of a function, which a harness imports."""


def yaml_text(head: Iterable[str], keys: Mapping[str, Any]) -> str:
    """The file with `head` as its comment lines; lists of mappings stand one entry a line."""
    lines = [*head]
    for key, value in keys.items():
        entries = _entries(value)
        flow = f"{key}: {_flow(value)}"
        if not entries or (len(flow) <= MOST_COLUMNS and not isinstance(value, list)):
            lines.append(flow)
        else:
            lines += [f"{key}:", *entries]
    return "\n".join(lines) + "\n"


def _entries(value: Any) -> list[str]:
    """A line an entry, for values that hold mappings."""
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return [f"  - {_flow(each)}" for each in value]
    if isinstance(value, dict) and all(isinstance(each, dict) for each in value.values()):
        return [f"  {_flow(key)}: {_flow(each)}" for key, each in value.items()]
    return []


def _flow(value: Any) -> str:
    if isinstance(value, Function):
        return f"!function {value}"
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(each) for each in value) + "]"
    return json.dumps(value)
