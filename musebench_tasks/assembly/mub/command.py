"""`musebench data build --mub ARCHIVE --out DIR`: what it takes, and what it prints."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from musebench_tasks.assembly.mub.assemble import Seen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of an assembly; `--out` is the caller's."""
    group = parser.add_argument_group("a MUB collection out of an archive of annotations")
    group.add_argument("--mub", type=Path, metavar="ARCHIVE", help="folder or zip file of annotations")
    group.add_argument("--size", type=int, metavar="N", help="recordings (500)")
    group.add_argument("--audio", type=Path, metavar="DIR", help="folder of the recordings, if not in the archive")
    group.add_argument("--without-audio", action="store_true", help="choose and write the truth, without recordings")
    group.add_argument("--config", type=Path, metavar="FILE", help="tempo bins, seed, masking, rights and codec (YAML)")


def build_mub(options: argparse.Namespace) -> int:
    """Assemble the collection and print what came of the archive; 0, or an error that says what to do."""
    from musebench_tasks.assembly.mub.assemble import ASSEMBLY_FOLDER, assemble
    from musebench_tasks.assembly.mub.config import load_config
    from musebench_tasks.assembly.mub.leak_scan import evaluator_file
    from musebench_tasks.assembly.mub.outcome import faults_of, summary
    from musebench_tasks.errors import InputError

    if options.audio is not None and options.without_audio:
        raise InputError("--audio and --without-audio exclude each other. Leave one out.")
    if options.audio is not None and not options.audio.is_dir():
        raise InputError(f"{options.audio}: there is no such folder. Correct --audio.")
    config = load_config(options.config, size=options.size)
    with _progress() as seen:
        outcome = assemble(
            options.mub,
            options.out,
            config,
            audio=options.audio,
            with_audio=not options.without_audio,
            workers=max(1, getattr(options, "processes", None) or 1),
            seen=seen,
        )
    faults = faults_of(outcome)
    print(*faults[:_FAULTS_SHOWN], sep="\n", end="\n" if faults else "", file=sys.stderr)
    if len(faults) > _FAULTS_SHOWN:
        print(f"and {len(faults) - _FAULTS_SHOWN} more", file=sys.stderr)
    print(summary(outcome), end="")
    print(f"dataset     {options.out}")
    kept = options.out.parent / f"{options.out.name}{ASSEMBLY_FOLDER}"
    print(f"evaluator   {evaluator_file(options.out)}, {kept} (never to be published)")
    return 0


_FAULTS_SHOWN = 5


@contextmanager
def _progress() -> Iterator[Seen]:
    """Tells on a terminal how many recordings are encoded."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("encoding"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("encoding", total=None)

        def seen(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield seen
