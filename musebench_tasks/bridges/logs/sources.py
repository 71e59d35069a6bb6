"""Which reader a harness's logs have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from musebench_tasks.bridges.logs.inspect_log import read_inspect
from musebench_tasks.bridges.logs.results import LM_EVAL, LMMS_EVAL
from musebench_tasks.bridges.logs.rows import Log
from musebench_tasks.bridges.logs.samples import read_samples
from musebench_tasks.bridges.logs.vlmevalkit import read_vlmevalkit
from musebench_tasks.errors import InputError
from musebench_tasks.records import TaskConfig

ONE_FILE = {"vlmevalkit": read_vlmevalkit, "inspect": read_inspect}
SOURCES = (LM_EVAL, LMMS_EVAL, *ONE_FILE)
"""Harnesses whose logs can be read."""


def read_log(source: str, paths: Sequence[Path], task: TaskConfig) -> Log:
    """The answers to `task` in the logs of a harness (one of `SOURCES`)."""
    if source not in ONE_FILE:
        return read_samples(source, paths, task)
    if len(paths) != 1:
        raise InputError(f"{source}: takes one log at a time, found {len(paths)}.")
    if not paths[0].is_file():
        raise InputError(f"{paths[0]}: {'is a folder. Name one log in it' if paths[0].is_dir() else 'is not there'}.")
    return ONE_FILE[source](paths[0])
