"""Runs a function once a package has been imported: at once if it is there already, else when somebody imports it.

Nothing is imported here, so that whoever never uses the package does not pay for it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

Action = Callable[[ModuleType], None]


def after_import(name: str, action: Action) -> None:
    """Call `action` with the package `name` when its import is complete."""
    module = sys.modules.get(name)
    if module is None:
        sys.meta_path.insert(0, _Watcher(name, action))
    elif not getattr(module.__spec__, "_initializing", False):
        action(module)


class _Watcher:
    """A finder that finds nothing itself: it lets the others find the package, and adds `action` to its execution."""

    def __init__(self, name: str, action: Action) -> None:
        self._name = name
        self._action = action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)
            return None
        _add_to_execution(spec, self._action)
        return spec


def _add_to_execution(spec: ModuleSpec, action: Action) -> None:
    """Only this one loader object is changed: everything else about it stays what its kind makes of it."""
    loader = spec.loader
    assert loader is not None
    execute = loader.exec_module

    def execute_then_act(module: ModuleType) -> None:
        execute(module)
        action(module)

    loader.exec_module = execute_then_act  # type: ignore[method-assign]
