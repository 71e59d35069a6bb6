"""Names that a room exports, each imported when it is first asked for, so that a start imports only what it uses."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def exported(room: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of an `__init__`; `modules`: where names are defined, and the names, with blanks between."""
    places = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(places[name]), name)

    return get
