"""Installs the names in `datasets` and `evaluate`; called by `import musebench_tasks`, so nothing heavy is imported."""

from __future__ import annotations

from types import ModuleType

from musebench_tasks.registration.after_import import after_import


def install() -> None:
    """Make `load_dataset` and `evaluate.load` know the names of benchmarks and metrics, now or once they are there."""
    after_import("datasets", _wrap_datasets)
    after_import("evaluate", _wrap_evaluate)


def _wrap_datasets(_: ModuleType) -> None:
    from musebench_tasks.registration.load_dataset import wrap

    wrap()


def _wrap_evaluate(_: ModuleType) -> None:
    from musebench_tasks.registration.load_metric import wrap

    wrap()
