"""Installs the names in `datasets`; called by `import musebench_tasks`, so nothing heavy is imported here."""

from __future__ import annotations

from types import ModuleType

from musebench_tasks.registration.after_import import after_import


def install() -> None:
    """Make `datasets.load_dataset` know the names of the benchmarks, now or once `datasets` is imported."""
    after_import("datasets", _wrap)


def _wrap(_: ModuleType) -> None:
    from musebench_tasks.registration.load_dataset import wrap

    wrap()
