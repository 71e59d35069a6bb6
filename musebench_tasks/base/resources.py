"""Finds the folders that travel with the package: from a checkout, an editable install or a wheel."""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def resource(name: str) -> Path:
    """The folder `name` (`yaml_configs`, `dataset_scripts`, `metrics`), whichever way the package is installed."""
    bundled = _PACKAGE / "_bundled" / name
    return bundled if bundled.is_dir() else _PACKAGE.parent / name


METRICS = (
    *("caa", "set_f1", "choice_consistency", "position_bias"),
    *("mub", "mub_key", "mub_tempo", "mub_time_signature", "mub_segments", "gwet_ac2"),
)
"""The metrics that `evaluate.load` knows by these names."""


def metric_file(name: str) -> Path:
    """The module of a metric, `metrics/NAME/NAME.py`: a Space of its own, with its card beside it."""
    return resource("metrics") / name / f"{name}.py"


def yaml_configs() -> Path:
    """The YAML files a user may read or change."""
    return resource("yaml_configs")


def demo_directory(name: str) -> Path:
    """The built demo repository of a benchmark (`musebench`, `hummusqa`, `mub`)."""
    return resource("dataset_scripts") / name / "demo" / f"{name}_demo"


def cache_directory() -> Path:
    """Where decoded and unpacked media are kept: $MUSEBENCH_CACHE, else the user's cache folder."""
    override = os.environ.get("MUSEBENCH_CACHE")
    if override:
        return Path(override)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "musebench"
