"""`musebench metrics push`: each metric becomes a Space, ORG/NAME, that `evaluate.load("ORG/NAME")` finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.resources import METRICS, metric_file
from musebench_tasks.base.text import nearest
from musebench_tasks.hub.connection import Hub
from musebench_tasks.hub.parcel import EMPTY, Content, HubState, Parcel, Repository, sorted_contents
from musebench_tasks.hub.sending import PushedFiles, asked, preview_lines, publish
from musebench_tasks.version import __version__


def chosen_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """The metrics named, all of them where none is; InputError for an unknown one."""
    for name in names:
        if name not in METRICS:
            raise InputError(f'"{name}" is no metric{nearest(name, METRICS)}. There are: {", ".join(METRICS)}.')
    return tuple(name for name in METRICS if not names or name in names)


def metric_parcel(name: str, organisation: str) -> Parcel:
    """The files of a metric's Space."""
    folder = metric_file(name).parent
    files = sorted_contents(
        Content(file.relative_to(folder).as_posix(), file)
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith(".")
    )
    message = f"Publish {name} of musebench-tasks {__version__}"
    return Parcel(Repository("space", f"{organisation}/{name}"), message, files)


def push_metrics(
    hub: Hub, names: Sequence[str], organisation: str, *, private: bool
) -> Iterator[tuple[str, PushedFiles]]:
    """Push each metric and tell of it; what lies there already is not sent again, so that a second try goes on."""
    for name in names:
        parcel = metric_parcel(name, organisation)
        yield name, publish(hub, parcel.repository, partial(_always, parcel), private=private)


def dry_run_lines(hub: Hub | None, names: Sequence[str], organisation: str, *, private: bool) -> Iterator[str]:
    """What a push would send, without sending anything; a Hub that does not answer is asked no second time."""
    is_silent = False
    for name in names:
        parcel = metric_parcel(name, organisation)
        found = (EMPTY, "") if is_silent else asked(hub, parcel.repository)
        is_silent = is_silent or bool(found[1])
        yield from preview_lines(hub, parcel.repository, found, partial(_always, parcel), private=private)
        yield ""


def _always(parcel: Parcel, _: HubState) -> Parcel:
    """Whatever lies there: this is what should."""
    return parcel
