"""`musebench data build` and `musebench data fetch`: dataset repos from sheets, and media that are links."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.text import counted
from musebench_tasks.cli.data_items import DATASETS

if TYPE_CHECKING:
    from musebench_tasks.assembly.build import BuildSettings, Built

KBPS, KBPS_RANGE = 96, (8, 320)
"""Of encoded sound: the default, and what the codecs take."""
PIXELS_RANGE = (256, 7680 * 4320)


def add_data_build(verbs: Any) -> None:
    """Declare what `musebench data build` takes."""
    build = verbs.add_parser("build", help="make a dataset repository of a sheet and its media, or of a demo")
    build.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="a folder with a table (CSV, TSV, JSON, JSON lines, Parquet) and media, the table itself, a Hub id, "
        "or a demo (musebench_demo, hummusqa_demo, mub_demo)",
    )
    build.add_argument("--out", type=Path, required=True, metavar="DIR", help="the repository to write")
    kind = build.add_mutually_exclusive_group()
    kind.add_argument("--as", dest="dataset", choices=DATASETS, help="the sheet has the columns of this benchmark")
    kind.add_argument("--task", metavar="TASK", help="a task whose `columns` fit the sheet (the YAML file beside it)")
    kind.add_argument("--mub", type=Path, metavar="ARCHIVE", help="draw a MUB collection from a folder or zip file")
    build.add_argument("--about", type=Path, metavar="FILE", help="about.yaml, where it does not lie beside the sheet")
    build.add_argument("--version", metavar="V", help="version of the rows (that of about.yaml, else 1.0)")
    build.add_argument(
        "--media", choices=("encode", "keep"), default="encode",
        help="encode all media anew, or keep files that hold no tags (encode)",
    )  # fmt: skip
    build.add_argument("--cut", action="store_true", help="store only each row's window, not the whole medium")
    build.add_argument("--audio-kbps", type=int, default=KBPS, metavar="N", help="bit rate of encoded sound (96)")
    build.add_argument("--max-pixels", type=int, metavar="N", help="most pixels of a film's frame (1280 x 720)")
    build.add_argument("--links", action="store_true", help="store no media, only where they are and a fingerprint")
    build.add_argument(
        "--fetch-with", metavar="PROGRAM", help='fetches media that are not here: "PROGRAM {platform_id} {out}"'
    )
    mub = build.add_argument_group("a MUB collection out of an archive of annotations")
    mub.add_argument("--config", type=Path, metavar="FILE", help="tempo bins, seed, masking, rights and codec (YAML)")
    mub.add_argument("--size", type=int, metavar="N", help="recordings to draw (500)")
    mub.add_argument("--audio", type=Path, metavar="DIR", help="folder of the recordings, where not in the archive")
    mub.add_argument("--without-audio", action="store_true", help="build the truth alone")
    build.add_argument("--processes", type=int, default=1, metavar="N", help="media worked on at the same time (1)")
    build.add_argument("--force", action="store_true", help="replace the repository that is there")
    build.add_argument("--offline", action="store_true", help="never ask the Hub")


def add_data_fetch(verbs: Any) -> None:
    """Declare what `musebench data fetch` takes."""
    fetch = verbs.add_parser("fetch", help="fetch the media of a repository of links with a program of your own")
    fetch.add_argument("directory", type=Path, metavar="DIR", help="the repository")
    fetch.add_argument("--with", dest="program", required=True, metavar="PROGRAM", help='"PROGRAM {platform_id} {out}"')


def build_data(options: argparse.Namespace) -> int:
    """Build a dataset repository and say what came out."""
    from musebench_tasks.assembly.build import build_dataset, build_demo, is_demo
    from musebench_tasks.tasks import load_task

    if options.processes < 1:
        raise InputError(f"--processes is {options.processes}: give 1 or more.")
    _refuse_contradictions(options)
    if options.mub is not None:
        return _assemble(options)
    if options.source is None:
        raise InputError("Name a SOURCE (a folder, a table, a Hub id or a demo), or an archive with --mub.")
    if is_demo(options.source):
        given = _of_sheets(options)
        if given:
            raise InputError(f"{given[0]} goes with a sheet: a demo is built as it is. Leave it out.")
        _print(build_demo(options.source, options.out, force=options.force))
        return 0
    source = _source(options.source, offline=options.offline)
    target = options.dataset or load_task(options.task or _task_beside(source))
    with _progress() as told:
        built = build_dataset(source, options.out, target, _settings(options), options.about, told)
    # Not inside: a live display breaks what is printed into lines of its own width, hashes too.
    _print(built)
    return 0


def _refuse_contradictions(options: argparse.Namespace) -> None:
    """InputError for a flag that would change nothing."""
    sheet = _of_sheets(options)
    archive = [
        flag
        for flag, is_given in (
            ("--config", options.config is not None),
            ("--size", options.size is not None),
            ("--audio", options.audio is not None),
            ("--without-audio", options.without_audio),
        )
        if is_given
    ]
    if options.mub is None and archive:
        raise InputError(f"{archive[0]} goes with --mub ARCHIVE alone. Leave it out, or name the archive.")
    if options.mub is not None and sheet:
        raise InputError(
            f"{sheet[0]} goes with a sheet, not with --mub. Leave it out; `--config` says how sound is made."
        )
    if options.cut and options.links:
        raise InputError("--cut stores windows of media, --links stores no media. Leave one out.")


def _of_sheets(options: argparse.Namespace) -> list[str]:
    """The flags given that go with a sheet alone."""
    given = {
        "--about": options.about is not None,
        "--media": options.media != "encode",
        "--cut": options.cut,
        "--audio-kbps": options.audio_kbps != KBPS,
        "--max-pixels": options.max_pixels is not None,
        "--links": options.links,
        "--fetch-with": options.fetch_with is not None,
    }
    return [flag for flag, is_given in given.items() if is_given]


def _task_beside(source: Path) -> str:
    """The one task file in the folder of the sheet."""
    from musebench_tasks.assembly.about import ABOUT_FILE

    if not source.exists():
        raise InputError(f"{source}: no such file or folder. Give the folder that holds the table and its media.")
    folder = source if source.is_dir() else source.parent
    found = sorted(each for each in (*folder.glob("*.yaml"), *folder.glob("*.yml")) if each.name != ABOUT_FILE)
    if len(found) != 1:
        there = f"{len(found) or 'no'} task files in {folder}"
        raise InputError(
            f"Say what the sheet holds: --as {', '.join(DATASETS)}, or --task TASK with its columns ({there})."
        )
    return str(found[0])


def _assemble(options: argparse.Namespace) -> int:
    """Assemble a MUB collection and print what came of the archive."""
    from musebench_tasks.assembly.build import refuse_replacing
    from musebench_tasks.assembly.mub import assemble, evaluator_paths, first_problems, load_config, summary

    if options.source is not None:
        raise InputError(f"--mub builds from an archive alone: leave out {options.source}.")
    if options.version is not None:
        raise InputError("--version goes with a sheet: write `version` into the file of --config.")
    refuse_replacing(options.out, force=options.force)
    if options.audio is not None and options.without_audio:
        raise InputError("--audio and --without-audio exclude each other. Leave one out.")
    if options.audio is not None and not options.audio.is_dir():
        raise InputError(f"{options.audio}: there is no such folder. Correct --audio.")
    config = load_config(options.config, size=options.size)
    with _progress() as told:
        outcome = assemble(
            options.mub,
            options.out,
            config,
            audio=options.audio,
            with_audio=not options.without_audio,
            workers=options.processes,
            on_progress=lambda done, total: told("encoding", done, total),
        )
    for line in first_problems(outcome):
        print(line, file=sys.stderr)
    print(summary(outcome), end="")
    print(f"{'repository':<12}{options.out}")
    print(f"{'evaluator':<12}{' and '.join(map(str, evaluator_paths(options.out)))}, never to be published")
    return 0


def _settings(options: argparse.Namespace) -> BuildSettings:
    from musebench_tasks.assembly.build import BuildSettings
    from musebench_tasks.assembly.medium import MediaSettings

    limits = (("--audio-kbps", options.audio_kbps, KBPS_RANGE), ("--max-pixels", options.max_pixels, PIXELS_RANGE))
    for flag, value, (least, most) in limits:
        if value is not None and not least <= value <= most:
            raise InputError(f"{flag} is {value}: give {least} to {most}.")
    chosen = {"max_pixels": options.max_pixels} if options.max_pixels is not None else {}
    media = MediaSettings(mode=options.media, cut=options.cut, audio_kbps=options.audio_kbps, **chosen)
    return BuildSettings(
        media=media,
        links=options.links,
        fetch_with=options.fetch_with,
        force=options.force,
        processes=options.processes,
        version=options.version,
    )


def _source(text: str, *, offline: bool) -> Path:
    """A place on this machine, else a dataset of the Hub, fetched."""
    from musebench_tasks.items.hub import fetch

    path = Path(text).expanduser()
    if path.exists() or text.count("/") != 1 or path.suffix:
        return path
    return fetch(text, None, ("default",), "test", offline=offline)[0]


def fetch_data(options: argparse.Namespace) -> int:
    """Fetch linked media; exit 1 where some could not be had."""
    from musebench_tasks.assembly.links import fetch_links
    from musebench_tasks.media import shared_cache
    from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, shared_process
    from musebench_tasks.media.fetch import Fetcher

    fetcher = Fetcher(shared_cache(), shared_process(), DEFAULT_TIMEOUT_S)
    outcome = fetch_links(options.directory, options.program, fetcher)
    for path, why in outcome.failed.items():
        print(f"{path}: {why}")
    counts = (len(outcome.fetched), len(outcome.there), len(outcome.failed))
    print("{} fetched, {} there already, {} not to be had".format(*counts))
    return MuseError.exit_code if outcome.failed else 0


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Tells on a terminal how far the work is."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("rows", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


def _print(built: Built) -> None:
    for note in built.notes:
        print(f"note  {note}")
    print(f"{'repository':<19}{built.directory}")
    print(f"{'rows':<19}{built.rows}, {counted(built.media, 'medium', 'media')}, version {built.version}")
    print(f"{'data_sha256':<19}{built.data_sha256}")
    print(f"{'references_sha256':<19}{built.references_sha256}")
