"""musebench-tasks: measure whether multimodal models understand film, painting, stage, games and music.

Importing this package is light; rooms are imported when a name is used. It makes `datasets.load_dataset` know the
benchmarks by name (`musebench_tasks.registration`), whether `datasets` is imported before or after.
"""

from typing import TYPE_CHECKING, Any

from musebench_tasks.registration import install as _install
from musebench_tasks.version import __version__

if TYPE_CHECKING:
    from musebench_tasks.api import run, score, score_estimates, score_run
    from musebench_tasks.tasks import list_tasks, load_task

__all__ = ["__version__", "list_tasks", "load_task", "run", "score", "score_estimates", "score_run"]

_ROOMS = {
    "list_tasks": "musebench_tasks.tasks",
    "load_task": "musebench_tasks.tasks",
    "run": "musebench_tasks.api",
    "score": "musebench_tasks.api",
    "score_estimates": "musebench_tasks.api",
    "score_run": "musebench_tasks.api",
}


def __getattr__(name: str) -> Any:
    """The public name `name`, its room imported now."""
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ROOMS[name]), name)


_install()
