"""The metrics in the modules cache of `evaluate`, where `evaluate.load("caa")` finds them without importing this.

What lies there is a copy of the metric's one file; it computes with the installed package. `evaluate` looks on the Hub
first where it has a network, and takes the newest copy where it finds nothing.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
from enum import StrEnum
from pathlib import Path

from musebench_tasks.base.resources import METRICS, metric_file

NAMESPACE = "metrics"
CANONICAL = "evaluate-metric"
"""Under this owner `evaluate` looks for a bare name."""
OWN = "musebench_tasks"
"""What a copy of ours imports, and nobody else's."""


class CacheState(StrEnum):
    """How a metric stands in the cache."""

    REGISTERED = "registered"
    MISSING = "not registered"
    OUTDATED = "registered from another version of musebench-tasks"
    FOREIGN = "another package's metric of that name is newer"


def cache_folder() -> Path:
    """Where `evaluate` keeps modules: $HF_MODULES_CACHE, else in $HF_HOME."""
    from evaluate import config

    return Path(config.HF_MODULES_CACHE)


def register() -> dict[str, CacheState]:
    """Put every metric into the cache, as its newest copy; returns how each stood before."""
    before = states()
    for name in METRICS:
        if before[name] is not CacheState.REGISTERED:
            _remove_own(name)
            _copy(name)
    return before


def remove() -> list[str]:
    """Take the copies of this package out of the cache; returns the names that were there."""
    return [name for name in METRICS if _remove_own(name)]


def states() -> dict[str, CacheState]:
    """How each metric stands in the cache."""
    return {name: _state(name) for name in METRICS}


def is_importable() -> bool:
    """Whether a Python that starts elsewhere finds the package, as a registered metric must."""
    with tempfile.TemporaryDirectory() as elsewhere:
        code = f"import {OWN}"
        done = subprocess.run([sys.executable, "-c", code], cwd=elsewhere, capture_output=True, check=False)
    return done.returncode == 0


def _state(name: str) -> CacheState:
    copies = _copies(name)
    if not any(_is_own(copy) for copy in copies):
        return CacheState.MISSING
    newest = max(copies, key=lambda copy: copy.stat().st_mtime)
    if not _is_own(newest):
        return CacheState.FOREIGN
    return CacheState.REGISTERED if filecmp.cmp(newest, metric_file(name), shallow=False) else CacheState.OUTDATED


def _copies(name: str) -> list[Path]:
    """The files that `evaluate` chooses from: one for each hash."""
    folder = cache_folder() / "evaluate_modules" / NAMESPACE / f"{CANONICAL}--{name}"
    return sorted(folder.glob(f"{'?' * 64}/{name}.py"))


def _is_own(copy: Path) -> bool:
    return OWN in copy.read_text(encoding="utf-8", errors="replace")


def _copy(name: str) -> None:
    from datasets import DownloadMode
    from evaluate.loading import _create_importable_file, init_dynamic_modules

    cache_folder().mkdir(parents=True, exist_ok=True)
    _create_importable_file(
        local_path=str(metric_file(name)),
        local_imports=[],
        additional_files=[],
        dynamic_modules_path=init_dynamic_modules(),
        module_namespace=NAMESPACE,
        name=f"{CANONICAL}/{name}",
        download_mode=DownloadMode.REUSE_DATASET_IF_EXISTS,
    )
    for copy in _copies(name):
        if _is_own(copy):
            os.utime(copy)


def _remove_own(name: str) -> bool:
    own = [copy for copy in _copies(name) if _is_own(copy)]
    for copy in own:
        shutil.rmtree(copy.parent)
    return bool(own)
