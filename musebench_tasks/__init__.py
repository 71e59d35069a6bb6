"""musebench-tasks: measure whether multimodal models understand film, painting, stage, games and music.

Importing this package is light; rooms are imported when a name is used. It makes `datasets.load_dataset` know the
benchmarks by name (`musebench_tasks.registration`), whether `datasets` is imported before or after.
"""

from typing import TYPE_CHECKING

from musebench_tasks.base.exports import exported
from musebench_tasks.registration import install as _install
from musebench_tasks.version import __version__

if TYPE_CHECKING:
    from musebench_tasks.api import run, score, score_estimates, score_run
    from musebench_tasks.tasks import list_tasks, load_task

__all__ = ["__version__", "list_tasks", "load_task", "run", "score", "score_estimates", "score_run"]

__getattr__ = exported(
    __name__,
    {
        "musebench_tasks.api": "run score score_estimates score_run",
        "musebench_tasks.tasks": "list_tasks load_task",
    },
)

_install()
