"""Data of tasks: check rows and media, build repositories out of sheets, fetch their media, push them."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Effect, Problem
from musebench_tasks.base.text import counted, few, one_line
from musebench_tasks.cli.build import add_data_build, add_data_fetch, build_data, fetch_data
from musebench_tasks.cli.data_items import (
    DATASETS,
    TABLE_SUFFIXES,
    add_item_arguments,
    check_named,
    check_place,
    is_placed_data,
    items_as_json,
    print_items,
    refuse_sheet,
    refuse_untold,
    target_of,
    task_beside,
    together,
    untold_tables,
    write_sheet,
)
from musebench_tasks.cli.plain import exact_json
from musebench_tasks.cli.push import add_data_push, push_data

if TYPE_CHECKING:
    from musebench_tasks.assembly.item_checks import CheckedItems
    from musebench_tasks.assembly.media_checks import Checked
    from musebench_tasks.assembly.media_findings import Medium
    from musebench_tasks.base.records import TaskConfig

_TASK_SUFFIXES = (".yaml", ".yml")
FILES_NAMED = 3
_PAIRING = "same_sound"
"""A flag that says nothing without the other medium that it speaks of."""
_STYLES = {"stop": "bold red", "run": "yellow", "flag": "dim"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench data` takes."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = verbs.add_parser("check", help="say what is wrong with rows and media before anything is asked")
    check.add_argument(
        "places",
        nargs="+",
        metavar="TASK|FOLDER|FILE",
        help="a task (name or YAML file), a folder of media, media files; with --as or --task a sheet, its folder, "
        "or a repository",
    )
    add_item_arguments(check)
    check.add_argument("--processes", type=int, default=1, metavar="N", help="media decoded at the same time (1)")
    check.add_argument(
        "--needs",
        default="",
        metavar="STREAMS",
        help="what each file of a folder must hold: video, audio or video,audio",
    )
    check.add_argument("--offline", action="store_true", help="never ask the Hub")
    check.add_argument("--json", action="store_true", help="everything that was found, as JSON")
    add_data_build(verbs)
    add_data_fetch(verbs)
    add_data_push(verbs)


def main(options: argparse.Namespace) -> int:
    """Check; exit 2 where something stops a data set or a run. Or build, fetch, push."""
    if options.action != "check":
        return {"build": build_data, "fetch": fetch_data, "push": push_data}[options.action](options)
    return _check(options)


def _check(options: argparse.Namespace) -> int:

    if options.processes < 1:
        raise InputError(f"--processes is {options.processes}: give 1 or more.")
    try:
        rows, media, lost = _looked_at(options)
    except PermissionError as problem:
        name = one_line(os.fsdecode(problem.filename or ""))
        raise InputError(f"{name}: may not be read ({problem.strerror}). Let yourself read it (`chmod`).") from problem

    from musebench_tasks.assembly.media_checks import check_media

    refuse_sheet(options.sheet, rows)
    items = together(rows)
    with _progress(len(media), quiet=options.json) as seen:
        looked = _with_same_sounds(media, check_media(media, options.processes, seen))
    checked = lost + looked
    in_rows = together(_with_media(rows, media, looked))
    findings = [finding for each in checked for finding in each.findings]
    if options.sheet is not None:
        written = write_sheet(options.sheet, rows[0], in_rows, options.places)
    if options.json:
        told = as_json(checked) | ({"items": items_as_json(items, in_rows)} if rows else {})
        print(exact_json(told))
    else:
        if rows:
            print_items(items, in_rows, are_all=options.are_all)
        if options.sheet is not None:
            print(one_line(written))
        if media or lost or not rows:
            _print(checked, findings)
    stops = any(finding.effect is Effect.STOP for finding in findings) or items.stopping
    return InputError.exit_code if stops else 0


def _with_media(rows: Sequence[CheckedItems], media: list[Medium], checked: list[Checked]) -> list[CheckedItems]:
    """The rows, with what stops their media among the findings."""
    from musebench_tasks.assembly.rules.findings import in_order
    from musebench_tasks.assembly.source_checks import findings_in_rows

    found = [(each, (*each.findings, *findings_in_rows(each, media, checked))) for each in rows]
    return [each._replace(findings=in_order(told, each.findings.rows)) for each, told in found]


def _with_same_sounds(media: list[Medium], checked: list[Checked]) -> list[Checked]:
    """What was checked, and which sounds are there twice."""
    if len(media) < 2:
        return checked

    from musebench_tasks.assembly.same_sound import with_same_sounds
    from musebench_tasks.media import shared_cache
    from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, shared_process
    from musebench_tasks.media.fetch import Fetcher

    return with_same_sounds(media, checked, Fetcher(shared_cache(), shared_process(), DEFAULT_TIMEOUT_S))


def _looked_at(options: argparse.Namespace) -> tuple[list[CheckedItems], list[Medium], list[Checked]]:
    """The rows with what the rules say of them, the media to be decoded, and what lies among them but cannot be."""
    from musebench_tasks.tasks import load_tasks

    rows: list[CheckedItems] = []
    media: list[Medium] = []
    lost: list[Checked] = []
    target = target_of(options)
    for place in options.places:
        path = Path(place)
        beside = task_beside(path) if target is None and path.is_dir() and not is_placed_data(place) else None
        told = target if beside is None else load_tasks([str(beside)])[0]
        if told is not None:
            found = check_place(path, told, options)
            rows += [] if options.media_only else [found]
            media += found.media
        elif not is_placed_data(place) and (
            path.is_dir() or (path.is_file() and path.suffix.lower() not in _TASK_SUFFIXES)
        ):
            found_there, lost_there = _media_at(path, options)
            media += found_there
            lost += lost_there
        else:
            for task in _tasks_called(place, load_tasks):
                checked, of_task = _of_task(task, options)
                rows += [each for each in checked if all(each.table.directory != one.table.directory for one in rows)]
                media += of_task
    return rows, media, lost


def _of_task(task: TaskConfig, options: argparse.Namespace) -> tuple[list[CheckedItems], Sequence[Medium]]:
    """The rows of a task, unless they are not asked for, and its media."""
    if not options.media_only:
        found = check_named(task, options)
        return [found], found.media
    from musebench_tasks.assembly.media_checks import task_media
    from musebench_tasks.items import load_items

    return [], task_media(task, load_items(task, offline=options.offline).items)


def _tasks_called(place: str, load: Callable[[Sequence[str]], list[TaskConfig]]) -> list[TaskConfig]:
    """The tasks of a name; InputError, for a file where the name looks like one. Only then are media's rooms needed."""
    path = Path(place)
    if path.is_symlink():
        raise InputError(f"{one_line(path)}: a link to {one_line(path.readlink())}, where nothing lies.")
    try:
        return load([place])
    except InputError:
        if not path.suffix:
            raise
        from musebench_tasks.assembly.media_checks import MEDIA_SUFFIXES

        if path.suffix.lower() in (MEDIA_SUFFIXES | frozenset(TABLE_SUFFIXES)):
            raise InputError(f"{one_line(path)}: no such file.") from None
        raise


def _media_at(path: Path, options: argparse.Namespace) -> tuple[list[Medium], list[Checked]]:
    """The media that lie in a folder, or the one that is named; and what lies there but cannot be looked into."""
    from musebench_tasks.assembly.media_checks import Checked, look_through
    from musebench_tasks.assembly.media_findings import Medium
    from musebench_tasks.base.records import MediaSource
    from musebench_tasks.items.files import configs_of

    needed = _streams(options.needs)
    refuse_untold(path)
    files, stops = look_through(path) if path.is_dir() else ([path], [])
    if not files and not stops and path.is_dir() and configs_of(path):
        which = f"--as {', '.join(DATASETS)}, or --task TASK"
        raise InputError(f"{one_line(path)}: is a dataset repository. Say how its rows are to be read: {which}.")
    note = untold_tables(path) if path.is_dir() else None
    if note and not options.json:
        print(note)
    if not files and not stops:
        raise InputError(
            f"{one_line(path)}: no media files lie there. To check a data set, give its task, "
            "or say with --as what it holds."
        )
    if options.items_only:
        raise InputError(
            f"{one_line(path)}: holds media and no rows. Leave --items-only out, or say with --as what it holds."
        )
    media = [Medium(MediaSource(path=str(each)), needs=needed) for each in files]
    return media, [Checked(each.place, None, None, (each,)) for each in stops]


def _streams(text: str) -> frozenset[Any]:
    from musebench_tasks.base.records import Modality

    names = [each.strip() for each in text.split(",")] if text else []
    if any(each not in list(Modality) for each in names):
        raise InputError(f'--needs is "{text}": write video, audio or video,audio.')
    return frozenset(Modality(each) for each in names)


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Callable[[Checked], None]]:
    """Tells on a terminal how far the work is."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("checking", total=total, last="")

        def seen(checked: Checked) -> None:
            bar.update(task, advance=1, last=one_line(checked.file))

        yield seen


def _print(checked: Sequence[Checked], findings: Sequence[Problem]) -> None:
    """One line a problem, one a kind of flag; a table where a person looks at it."""

    from musebench_tasks.assembly.media_findings import line_of

    findings = [_readable(finding) for finding in findings]
    rows = [finding for effect in (Effect.STOP, Effect.RUN) for finding in findings if finding.effect is effect]
    rows += _flags([finding for finding in findings if finding.effect is Effect.FLAG])
    if sys.stdout.isatty():
        _print_table(rows)
    else:
        for row in rows:
            print(line_of(row))
    print(f"{chr(10) if rows else ''}{summary(checked)}")


def _readable(finding: Problem) -> Problem:
    """The finding with nothing in it that breaks a line or steers a terminal."""
    return replace(
        finding,
        place=one_line(finding.place),
        found=one_line(finding.found),
        advice=one_line(finding.advice),
        items=tuple(map(one_line, finding.items)),
    )


def _flags(flags: Sequence[Problem]) -> list[Problem]:
    """One finding a kind of flag: what is legal needs no line a file."""
    from musebench_tasks.assembly.media_findings import Flag

    files: dict[tuple[str, str], list[str]] = {}
    for flag in flags:
        assert isinstance(flag, Flag)
        shown = f"{flag.place} ({one_line(flag.value)})" if flag.code == _PAIRING else flag.place
        files.setdefault((flag.code, flag.meaning), []).append(shown)
    several = []
    for (code, meaning), named in files.items():
        unique = list(dict.fromkeys(named))
        several.append(Problem(f"{meaning}.", code=code, place=few(unique, FILES_NAMED), effect=Effect.FLAG))
    return several


def _print_table(rows: Sequence[Problem]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from musebench_tasks.assembly.media_findings import items_text

    if not rows:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for ratio, wrap in ((None, False), (2, True), (None, False), (4, True)):
        table.add_column(ratio=ratio, overflow="fold" if wrap else "ellipsis", no_wrap=not wrap)
    for row in rows:
        said = Text(row.found).append(f" {row.advice}" if row.advice else "", style="bold")
        file = Text(row.place).append(f"  {items_text(row.items)}" if row.items else "", style="dim")
        table.add_row(Text(row.effect, style=_STYLES[row.effect]), file, row.code, said)
    Console().print(table)


def summary(checked: Sequence[Checked]) -> str:
    """How many media were checked, how long they are, and how many are how."""

    if not checked:
        return "no medium decoded."
    worst = Counter(_worst(each) for each in checked)
    counts = [f"{worst[None]} without a remark"] if worst[None] else []
    counts += [f"{worst[effect]} {text}" for effect, text in _EFFECT_TEXTS.items() if worst[Effect(effect)]]
    seconds = sum(_seconds(each) for each in checked)
    return f"{counted(len(checked), 'medium', 'media')}, {_duration(seconds)}: {', '.join(counts)}."


_EFFECT_TEXTS = {"stop": "to be put right", "run": "that some requests will lose", "flag": "with something unusual"}


def _worst(checked: Checked) -> Any:
    return checked.findings[0].effect if checked.findings else None


def _seconds(checked: Checked) -> float:
    streams = [(checked.survey or {}).get(name) or {} for name in ("video", "audio")]
    return max((each.get("seconds") or 0.0 for each in streams), default=0.0)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s decoded"
    return f"{seconds / 60:.0f} min decoded" if seconds < 5400 else f"{seconds / 3600:.1f} h decoded"


def as_json(checked: Sequence[Checked]) -> dict[str, Any]:
    """Everything that was found, as plain values."""
    from musebench_tasks.assembly.media_findings import MEDIA_KEYS

    return {
        "media": [{"file": each.file, "sha256": each.sha256, **_streams_found(each.survey)} for each in checked],
        "findings": [finding.as_json(**MEDIA_KEYS) for each in checked for finding in each.findings],
        "summary": summary(checked),
    }


def _streams_found(survey: dict[str, Any] | None) -> dict[str, Any]:
    return {name: (survey or {}).get(name) for name in ("format", "video", "audio")}
