"""`!function NAME`: a value that lives in this package, named instead of repeated.

A task file is data that people exchange, so nothing outside `musebench_tasks` is imported for it and nothing is
called: the name must stand for plain data.
"""

import importlib
import re
from typing import Any

from musebench_tasks.base.errors import InputError

FUNCTION_TAG = "!function"
PACKAGE = "musebench_tasks"
_NAME = re.compile(rf"{PACKAGE}(?:\.[a-z][a-z0-9_]*)*\.[A-Za-z][A-Za-z0-9_]*")


def resolve_constant(name: str) -> Any:
    """The plain value that the dotted `name` stands for; InputError unless it lies in this package."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f'{FUNCTION_TAG} "{name}" is refused: only names inside {PACKAGE} are resolved. Write the value itself.'
        )
    module_name, _, attribute = name.rpartition(".")
    try:
        value = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f'{FUNCTION_TAG} "{name}": no such name in {PACKAGE}.') from error
    if callable(value) or not _is_plain(value):
        raise InputError(f'{FUNCTION_TAG} "{name}" is no plain value (text, number, list). Write the value itself.')
    return list(value) if isinstance(value, tuple) else value


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(each) for each in value)
    return value is None or isinstance(value, (str, int, float, bool))
