"""Where the data of a task lie: a folder, or a repository on the Hub. Tasks never fall back to a demo."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.items.card import CARD
from musebench_tasks.items.demonstration import DEMO, benchmark_name
from musebench_tasks.items.files import SUFFIXES
from musebench_tasks.items.hub import fetch

DATA_VARIABLE = "MUSEBENCH_DATA"
HUB_IDS = {"musebench": None, "hummusqa": "mtg-upf/HumMusQA", "mub": None}
"""The registered benchmarks, and where the public ones are."""
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


class Location(NamedTuple):
    """A dataset's folder and what it is."""

    directory: Path
    benchmark: str
    source: str
    commit: str | None = None
    """Of a Hub repository."""
    file: Path | None = None
    """Where the task names a single file."""
    hub_id: str | None = None


def locate(task: TaskConfig, configs: tuple[str, ...], *, offline: bool = False) -> Location:
    """The data of `task`; of a Hub repository only what `configs` (or the task's own choice) need is fetched.

    Order: ./NAME with a README, $MUSEBENCH_DATA/NAME, the Hub. InputError says how to place data. A
    demonstration that lies there under the name of a benchmark is called one all the same.
    """
    found = _located(task, configs, offline)
    return found._replace(benchmark=benchmark_name(found.benchmark, found.directory, found.file))


def _located(task: TaskConfig, configs: tuple[str, ...], offline: bool) -> Location:
    here = _here(task.dataset_path)
    if here is not None:
        return here
    name = _registered(task.dataset_path)
    hub_id = HUB_IDS[name] if name is not None else task.dataset_path
    if name is not None and hub_id is None:
        raise InputError(
            f"{task.task}: the data of {name} are not here. Put its repository (a folder with {CARD} and Parquet "
            f"files) at ./{name}, or set {DATA_VARIABLE} to the folder that holds {name}/. To try things out, use "
            f"{name}_demo."
        )
    if hub_id is not None and _may_be_hub_id(hub_id):
        return _hub(task, hub_id, name or hub_id.partition("/")[2], configs, offline)
    raise _nowhere(task)


def local_directory(task: TaskConfig) -> Path | None:
    """The folder on this machine that holds the data of `task`; None where they are elsewhere (the Hub, not placed).

    InputError where `dataset_path` can name neither.
    """
    here = _here(task.dataset_path)
    if here is not None:
        return here.directory
    known = _registered(task.dataset_path) is not None or task.data_from is not None
    if not known and not _may_be_hub_id(task.dataset_path):
        raise _nowhere(task)
    return None


def _nowhere(task: TaskConfig) -> InputError:
    if task.data_from is not None:
        name = task.dataset_path
        return InputError(
            f"{task.task}: the data of {name} are not here. Put them at ./{name}, or set {DATA_VARIABLE} to the folder "
            f"that holds {name}/. Where from: {' '.join(task.data_from.split())}"
        )
    return InputError(
        f'{task.task}: dataset_path "{task.dataset_path}" is no folder here, nothing in ${DATA_VARIABLE} and no Hub id '
        "(ORG/NAME). Correct the path."
    )


def _may_be_hub_id(path: str) -> bool:
    return _HUB_ID.fullmatch(path) is not None and not path.endswith(SUFFIXES)


def _here(path: str) -> Location | None:
    """The data on this machine, if there are any."""
    name = _registered(path)
    if name is not None and name.endswith(DEMO):
        return _demo(name)
    if name is not None:
        if (Path(name) / CARD).is_file():
            return _folder(Path(name), name)
        placed = _in_data_folder(name)
        return _folder(placed, name) if placed is not None else None
    written = Path(path).expanduser()
    if written.is_file():
        return Location(written.absolute().parent, written.stem, str(written), file=written.absolute())
    if written.is_dir():
        return _folder(written, written.resolve().name)
    placed = _in_data_folder(path)
    return _folder(placed, placed.name) if placed is not None else None


def _registered(path: str) -> str | None:
    if path.removesuffix(DEMO) in HUB_IDS:
        return path
    return next((name for name, hub_id in HUB_IDS.items() if hub_id == path), None)


def _demo(name: str) -> Location:
    directory = demo_directory(name.removesuffix(DEMO))
    if not directory.is_dir():
        raise InputError(f"{directory}: the demonstration {name} is not part of this installation. Install it again.")
    return _folder(directory, name)


def _in_data_folder(name: str) -> Path | None:
    root = os.environ.get(DATA_VARIABLE)
    placed = Path(root).expanduser() / name if root else None
    return placed if placed is not None and placed.is_dir() else None


def _folder(directory: Path, benchmark: str) -> Location:
    return Location(directory.absolute(), benchmark, str(directory))


def _hub(task: TaskConfig, hub_id: str, benchmark: str, configs: tuple[str, ...], offline: bool) -> Location:
    wanted = (task.dataset_name,) if task.dataset_name else configs
    directory, commit = fetch(hub_id, task.revision, wanted, task.test_split, offline=offline)
    return Location(directory, benchmark, f"hf://datasets/{hub_id}@{commit}", commit, hub_id=hub_id)
