"""`musebench data build --mub ARCHIVE --out DIR`: what it does with its flags, and what it prints."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from musebench_tasks.assembly.mub.assemble import assemble, evaluator_paths
from musebench_tasks.assembly.mub.audible import OnProgress
from musebench_tasks.assembly.mub.config import load_config
from musebench_tasks.assembly.mub.outcome import first_problems, summary
from musebench_tasks.base.errors import InputError


def build_mub(options: argparse.Namespace) -> int:
    """Assemble the collection and print what came of the archive; 0, or an error that says what to do."""
    if options.audio is not None and options.without_audio:
        raise InputError("--audio and --without-audio exclude each other. Leave one out.")
    if options.audio is not None and not options.audio.is_dir():
        raise InputError(f"{options.audio}: there is no such folder. Correct --audio.")
    config = load_config(options.config, size=options.size)
    with _progress() as on_progress:
        outcome = assemble(
            options.mub,
            options.out,
            config,
            audio=options.audio,
            with_audio=not options.without_audio,
            workers=options.processes,
            on_progress=on_progress,
        )
    for line in first_problems(outcome):
        print(line, file=sys.stderr)
    print(summary(outcome), end="")
    print(f"{'repository':<12}{options.out}")
    print(f"{'evaluator':<12}{' and '.join(map(str, evaluator_paths(options.out)))}, never to be published")
    return 0


@contextmanager
def _progress() -> Iterator[OnProgress]:
    """Tells on a terminal how many recordings are encoded."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("encoding"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("encoding", total=None)

        def on_progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield on_progress
