"""Where `evaluate.load` finds a bare metric name.

`evaluate` has no plugin mechanism, so the one function that all its loaders go through is wrapped, in the modules that
hold it. A metric of that name in the current folder comes first, as `evaluate` has it; a revision, or another type of
module, is looked for on the Hub as ever.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from musebench_tasks.base.resources import METRICS, metric_file

MODULES = ("evaluate.loading", "evaluate.inspect")
FACTORY = "evaluation_module_factory"
MARK = "knows_musebench"


def wrap() -> None:
    """Wrap the factory of `evaluate`; a second call changes nothing."""
    for name in MODULES:
        module = importlib.import_module(name)
        factory = getattr(module, FACTORY)
        if not getattr(factory, MARK, False):
            setattr(module, FACTORY, _knowing(factory))


def _knowing(factory: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(factory)
    def evaluation_module_factory(
        path: str, module_type: str | None = None, revision: Any = None, *args: Any, **named: Any
    ) -> Any:
        ours = module_type in (None, "metric") and revision is None and is_ours(path)
        return factory(str(metric_file(path)) if ours else path, module_type, revision, *args, **named)

    setattr(evaluation_module_factory, MARK, True)
    return evaluation_module_factory


def is_ours(path: object) -> bool:
    """Whether a name means a metric of this package: one of its bare names, with no module of that name in ./NAME."""
    return isinstance(path, str) and path in METRICS and not Path(path, f"{path}.py").is_file()
