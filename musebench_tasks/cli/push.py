"""`musebench data push` and `musebench metrics push`: repositories and Spaces on the Hub."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from musebench_tasks.hub.connection import Hub
    from musebench_tasks.hub.dataset import DataFolder
    from musebench_tasks.hub.pending import Waiting

DATA_AGAIN = "musebench data push --pending"
METRICS_AGAIN = "musebench metrics push --pending"


def add_data_push(verbs: Any) -> None:
    """Declare what `musebench data push` takes."""
    push = verbs.add_parser("push", help="publish a built dataset folder as a repository of the Hub")
    push.add_argument("directory", nargs="?", type=Path, metavar="DIR", help="what `musebench data build` made")
    push.add_argument("--to", metavar="ORG/NAME", help="the dataset repository")
    _add_common(push)


def add_metrics_push(verbs: Any) -> None:
    """Declare what `musebench metrics push` takes."""
    push = verbs.add_parser("push", help="publish the metrics as Spaces, ORG/caa and so on")
    push.add_argument("names", nargs="*", metavar="METRIC", help="which ones (all)")
    push.add_argument("--to", metavar="ORG", help="the organisation or user")
    _add_common(push)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--private", action="store_true", help="where a repository is made, only its owner sees it")
    parser.add_argument("--dry-run", action="store_true", help="show exactly what would be sent, send nothing")
    parser.add_argument("--pending", action="store_true", help="send what could not be sent before")


def push_data(options: argparse.Namespace) -> int:
    """Check the folder, push it, read it back; or show, or send what waits."""
    from musebench_tasks.base.errors import InputError
    from musebench_tasks.hub.data_rules import taken_name
    from musebench_tasks.hub.dataset import fingerprint, read_folder
    from musebench_tasks.hub.parcel import repository_id
    from musebench_tasks.hub.pending import or_keep

    if options.pending:
        refuse_beside_pending({"DIR": options.directory, "--to": options.to, "--private": options.private})
        return send_or_show("data", options.dry_run, _send_waiting_data, _show_waiting_data)
    if options.directory is None or options.to is None:
        raise InputError("Name a folder and where it goes: musebench data push DIR --to ORG/NAME.")
    folder = read_folder(options.directory, repository_id(options.to, "--to"))
    for note in taken_name(folder.repository.id):
        print(note, file=sys.stderr)
    if options.dry_run:
        print(_shown_data(folder, options.private))
        return 0
    details = {
        "directory": str(options.directory.resolve()),
        "to": options.to,
        "private": options.private,
        "fingerprint": fingerprint(folder),
    }
    words = f"{options.directory} to {options.to}"
    print(or_keep(lambda: _push_data(folder, options.private), "data", words, details, DATA_AGAIN))
    return 0


def _push_data(folder: DataFolder, private: bool) -> str:
    from musebench_tasks.hub.connection import Hub
    from musebench_tasks.hub.dataset import push_folder

    hub = Hub()
    hub.writer()
    published = push_folder(hub, folder, private=private, told=_tell)
    done = "published" if published.is_new else "lies there already"
    return f"{done} at {published.page}, commit {published.commit[:12]}; read back: {folder.counts}, all hashes right"


def _tell(line: str) -> None:
    """Say on a terminal what is being done."""
    if sys.stderr.isatty():
        print(line, file=sys.stderr)


def _shown_data(folder: DataFolder, private: bool) -> str:
    from musebench_tasks.hub.dataset import dry_run_lines

    return "\n".join(dry_run_lines(looking_hub(), folder, private=private))


def _send_waiting_data(entry: Waiting) -> str:
    return _push_data(*_waiting_data(entry))


def _show_waiting_data(entry: Waiting) -> str:
    return _shown_data(*_waiting_data(entry))


def _waiting_data(entry: Waiting) -> tuple[DataFolder, bool]:
    """A folder that waits, and whether it is private; InputError where it is no longer what it was."""
    from musebench_tasks.base.errors import InputError
    from musebench_tasks.hub.dataset import fingerprint, read_folder
    from musebench_tasks.hub.pending import understood

    with understood(entry):
        directory, to, private, before = (entry.details[name] for name in ("directory", "to", "private", "fingerprint"))
        place = Path(directory)
    if not place.is_dir():
        raise InputError(f"{directory}: is no longer there. Put it back, or remove {entry.folder}.")
    folder = read_folder(place, to)
    if fingerprint(folder) != before:
        raise InputError(f"{directory}: changed since it was to be pushed. Remove {entry.folder}, and push it anew.")
    return folder, private


def push_metrics(options: argparse.Namespace) -> int:
    """Push the Spaces; or show, or send what waits."""
    from musebench_tasks.base.errors import InputError
    from musebench_tasks.hub.metric_spaces import chosen_metrics
    from musebench_tasks.hub.parcel import repository_id
    from musebench_tasks.hub.pending import or_keep

    if options.pending:
        refuse_beside_pending({"METRIC": options.names, "--to": options.to, "--private": options.private})
        return send_or_show("metrics", options.dry_run, _send_waiting_metrics, _show_waiting_metrics)
    if options.to is None:
        raise InputError("Say where the metrics go: musebench metrics push --to ORG.")
    names = chosen_metrics(options.names)
    repository_id(f"{options.to}/{names[0]}", "--to, with the metric's name,")
    if options.dry_run:
        print(_shown_metrics(names, options.to, options.private))
        return 0
    details = {"to": options.to, "names": list(names), "private": options.private}
    words = f"{', '.join(names) if options.names else 'all metrics'} to {options.to}"
    print(or_keep(lambda: _push_metrics(names, options.to, options.private), "metrics", words, details, METRICS_AGAIN))
    return 0


def _shown_metrics(names: Sequence[str], organisation: str, private: bool) -> str:
    from musebench_tasks.hub.metric_spaces import dry_run_lines

    return "\n".join(dry_run_lines(looking_hub(), names, organisation, private=private))


def _send_waiting_metrics(entry: Waiting) -> str:
    return _push_metrics(*_waiting_metrics(entry))


def _show_waiting_metrics(entry: Waiting) -> str:
    return _shown_metrics(*_waiting_metrics(entry))


def _waiting_metrics(entry: Waiting) -> tuple[tuple[str, ...], str, bool]:
    from musebench_tasks.hub.metric_spaces import chosen_metrics
    from musebench_tasks.hub.pending import understood

    with understood(entry):
        names, organisation, private = (entry.details[name] for name in ("names", "to", "private"))
        return chosen_metrics(names), organisation, private


def _push_metrics(names: Sequence[str], organisation: str, private: bool) -> str:
    from musebench_tasks.base.text import counted
    from musebench_tasks.hub.connection import Hub
    from musebench_tasks.hub.metric_spaces import push_metrics as push

    hub = Hub()
    hub.writer()
    count = 0
    for name, published in push(hub, names, organisation, private=private):
        print(f"{name:<20}{published.page}{'' if published.is_new else '  lies there already'}")
        count += 1
    state = "is as it should be" if count == 1 else "are as they should be"
    return f"{counted(count, 'Space')} of {organisation} {state}"


def looking_hub() -> Hub | None:
    """The Hub as a dry run asks it what lies there; None where it is switched off here."""
    from musebench_tasks.hub.connection import LOOKING_S, Hub, is_offline

    return None if is_offline() else Hub(LOOKING_S)


def refuse_beside_pending(given: Mapping[str, object]) -> None:
    """InputError naming what stands beside --pending, which sends what waits as it was given then."""
    from musebench_tasks.base.errors import InputError

    names = [name for name, value in given.items() if value]
    if names:
        raise InputError(
            f"--pending sends what waits in the queue, as it was given then. Leave out {', '.join(names)}."
        )


def send_or_show(kind: str, dry_run: bool, send: Callable[[Waiting], str], show: Callable[[Waiting], str]) -> int:
    """Send all that waits of a kind, or with `dry_run` show it."""
    from musebench_tasks.hub.pending import send_waiting, show_waiting, waiting

    if not any(waiting(kind)):
        print("nothing is waiting")
        return 0
    for line in show_waiting(kind, show) if dry_run else send_waiting(kind, send):
        print(line)
    return 0
