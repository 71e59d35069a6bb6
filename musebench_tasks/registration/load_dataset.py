"""Where `datasets.load_dataset` finds a bare benchmark name.

`datasets` has no plugin mechanism, so the one function that all its loaders go through is wrapped, in both modules that
hold it. Only here does a name end at the bundled demonstration; tasks never do.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.items.card import CARD
from musebench_tasks.items.locate import DATA_VARIABLE, HUB_IDS

MODULES = ("datasets.load", "datasets.inspect")
FACTORY = "dataset_module_factory"
MARK = "knows_musebench"
HUB_TIMEOUT_S = 5.0
CACHE_MODULE = "datasets.packaged_modules.cache.cache"
PREPARED_VERSION = "0.0.0"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DEMO = "_demo"


class Place(NamedTuple):
    """What `datasets` is to load instead of the name; `revision` only of a Hub repository."""

    path: str
    revision: str | None = None


def wrap() -> None:
    """Wrap the factory of `datasets`; a second call changes nothing."""
    for name in MODULES:
        module = importlib.import_module(name)
        factory = getattr(module, FACTORY)
        if not getattr(factory, MARK, False):
            setattr(module, FACTORY, _knowing(factory))


def _knowing(factory: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(factory)
    def dataset_module_factory(path: str, *args: Any, **named: Any) -> Any:
        if not _is_ours(path):
            return factory(path, *args, **named)
        place = find(path, cache_directory=named.get("cache_dir"))
        if not args and named.get("revision") is None:
            named["revision"] = place.revision
        return _at_revision(factory(place.path, *args, **named), named.get("revision"))

    setattr(dataset_module_factory, MARK, True)
    return dataset_module_factory


def _at_revision(module: Any, revision: Any) -> Any:
    """Offline `datasets` takes the copy it prepared last, whatever revision was asked for; here it takes that one."""
    if getattr(module, "module_path", None) != CACHE_MODULE or not _COMMIT.fullmatch(str(revision)):
        return module
    return replace(module, hash=revision, builder_kwargs={**module.builder_kwargs, "version": PREPARED_VERSION})


def _is_ours(path: object) -> bool:
    return isinstance(path, str) and path.removesuffix(_DEMO) in HUB_IDS


def find(name: str, *, cache_directory: str | None = None) -> Place:
    """The place of a benchmark: ./NAME with a README, $MUSEBENCH_DATA/NAME, the Hub, else the bundled demonstration.

    A name that ends in `_demo` is the demonstration and nothing else. `cache_directory` is where `datasets` keeps what
    it prepared, if not in its usual place. Warns where the demonstration stands in for the real data.
    """
    if name.endswith(_DEMO):
        return Place(str(demo_directory(name.removesuffix(_DEMO))))
    for root in ("", os.environ.get(DATA_VARIABLE)):
        if root is not None and (Path(root).expanduser() / name / CARD).is_file():
            return Place(str(Path(root).expanduser() / name))
    _refuse_wrong_variable()
    hub_id = HUB_IDS[name]
    if hub_id is not None:
        revision = _pinned_revision(name)
        if _can_be_had(hub_id, revision, cache_directory):
            return Place(hub_id, revision)
    warnings.warn(_stand_in(name, hub_id), stacklevel=_outside())
    return Place(str(demo_directory(name)))


def _refuse_wrong_variable() -> None:
    """A variable that names no folder is a slip: nobody who sets it wants the demonstration instead."""
    root = os.environ.get(DATA_VARIABLE)
    if root and not Path(root).expanduser().is_dir():
        raise InputError(f"{DATA_VARIABLE} names no folder here: {root}. Correct it, or unset it.")


def _outside() -> int:
    """How many callers lie between a warning raised here and the code that asked for the data."""
    ours = {__name__, *MODULES}
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") in ours:
        level, frame = level + 1, frame.f_back
    return level


def _pinned_revision(name: str) -> str | None:
    from musebench_tasks.tasks import load_task

    return load_task(name).revision


def _can_be_had(hub_id: str, revision: str | None, cache_directory: str | None) -> bool:
    """Whether `datasets` prepared it before, or the Hub answers for it now."""
    import huggingface_hub
    from datasets.load import CachedDatasetModuleFactory

    if revision is not None:
        if _is_prepared(hub_id, revision, cache_directory):
            return True
    else:
        with suppress(FileNotFoundError):
            CachedDatasetModuleFactory(hub_id, cache_dir=cache_directory).get_module()
            return True
    try:
        huggingface_hub.HfApi().dataset_info(hub_id, revision=revision, timeout=HUB_TIMEOUT_S)
    except Exception:
        return False
    return True


def _is_prepared(hub_id: str, revision: str, cache_directory: str | None) -> bool:
    """Whether `datasets` prepared just this commit before."""
    from datasets import config
    from datasets.naming import camelcase_to_snakecase

    owner, _, name = hub_id.partition("/")
    root = Path(cache_directory or config.HF_DATASETS_CACHE).expanduser() / f"{owner}___{camelcase_to_snakecase(name)}"
    return any(each.is_dir() for each in root.glob(f"*/{PREPARED_VERSION}/{revision}"))


def _stand_in(name: str, hub_id: str | None) -> str:
    where = f" {hub_id} on the Hub cannot be reached, and is not in the cache." if hub_id else ""
    return (
        f'load_dataset("{name}"): this is {name}{_DEMO}, a small demonstration, not {name}. Its numbers say nothing '
        f"about the benchmark.{where} Put the real repository (a folder with {CARD}) at ./{name}, or set "
        f"{DATA_VARIABLE} to the folder that holds {name}/."
    )
