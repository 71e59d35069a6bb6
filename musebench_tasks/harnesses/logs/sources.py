"""Which reader a harness's logs have, and several logs of one model as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import HarnessBlock, TaskConfig
from musebench_tasks.harnesses.logs.inspect_log import read_inspect
from musebench_tasks.harnesses.logs.results import LM_EVAL, LMMS_EVAL
from musebench_tasks.harnesses.logs.rows import NOT_TOLD, Log
from musebench_tasks.harnesses.logs.samples import read_samples, sample_files
from musebench_tasks.harnesses.logs.vlmevalkit import read_vlmevalkit

ONE_FILE = {"vlmevalkit": read_vlmevalkit, "inspect": read_inspect}
SOURCES = (LM_EVAL, LMMS_EVAL, *ONE_FILE)
"""Harnesses whose logs can be read."""


def read_log(source: str, paths: Sequence[Path], task: TaskConfig) -> Log:
    """The answers to `task` in the logs of a harness (one of `SOURCES`), a log a condition for example."""
    if not paths:
        raise InputError(f"{source}: no log is named.")
    if source not in ONE_FILE:
        files = [file for path in paths for file in sample_files(source, path, task)]
        return _joined([read_samples(source, file, task) for file in files])
    missing = next((path for path in paths if not path.is_file()), None)
    if missing is not None:
        raise InputError(f"{missing}: {'is a folder. Name the logs in it' if missing.is_dir() else 'is not there'}.")
    return _joined([ONE_FILE[source](path) for path in paths])


def _joined(logs: Sequence[Log]) -> Log:
    """The logs as one: of one model (else InputError); what they tell otherwise of its settings is not known."""
    named = [log for log in logs if log.model is not None]
    first = named[0] if named else logs[0]
    other = next((log for log in named if log.model != first.model), None)
    if other is not None:
        raise InputError(
            f'{other.source}: is of model "{other.model}", {first.source} of "{first.model}". '
            "Import one model at a time."
        )
    harness = first.harness
    if any(log.harness != harness for log in logs):
        harness = HarnessBlock(name=harness.name, version=None)
    return replace(
        first,
        source=", ".join(log.source for log in logs),
        answers=tuple(answer for log in logs for answer in log.answers),
        harness=harness,
        revision=first.revision if all(log.revision == first.revision for log in logs) else None,
        decoding=first.decoding if all(log.decoding == first.decoding for log in logs) else NOT_TOLD,
        gives_what_conditions_say=all(log.gives_what_conditions_say for log in logs),
        warnings=tuple(line for log in logs for line in log.warnings),
    )
