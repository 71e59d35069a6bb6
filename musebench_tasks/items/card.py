"""A dataset's README: its YAML head, the configurations that it declares, and which data files belong to them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import yaml

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.items.display_names import folder_called

CARD = "README.md"
OUR_CONFIGS = ("default", "blind", "references")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_HEAD = re.compile(r"\s*---(?:\r\n?|\n)(?P<head>.*?)(?:\r\n?|\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


class Config(NamedTuple):
    """One configuration of a dataset repository."""

    name: str
    patterns: dict[str | None, tuple[str, ...]]
    """Glob patterns by split; None = whatever the split."""
    is_default: bool = False


def card_parts(text: str) -> tuple[str, str]:
    """The YAML head of a card, and what follows; the head is empty where the Hub would see none."""
    found = _HEAD.match(text)
    return (found["head"], text[found.end() :]) if found else ("", text)


@lru_cache(maxsize=16)
def _read(head: str) -> Any:
    """What a YAML head says; the loader in C is ten times as fast on heads that describe every column."""
    return yaml.load(head, Loader=_LOADER)


def card_head(text: str) -> dict[str, Any]:
    """The YAML head of a card; empty where it has none that can be read."""
    try:
        head = _read(card_parts(text)[0])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return head if isinstance(head, dict) else {}


def read_configs(directory: Path) -> dict[str, Config]:
    """The configurations of the repository at `directory`, in the order written; empty if it declares none."""
    path = directory / CARD
    if not path.is_file():
        return {}
    try:
        head = _read(card_parts(path.read_text(encoding="utf-8-sig"))[0])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{_card_called(directory)}: its YAML head cannot be read ({reason(error)}).") from error
    entries = head.get("configs") if isinstance(head, dict) else None
    if not isinstance(entries, list):
        return {}
    configs: dict[str, Config] = {}
    called = _card_called(directory)
    for config in (_config(called, each) for each in entries):
        if config.name in configs:
            raise InputError(f'{called}: `configs` names "{config.name}" twice. Remove or rename one.')
        configs[config.name] = config
    return configs


def default_config(configs: Mapping[str, Config]) -> str | None:
    """The configuration that `load_dataset(NAME)` gives; None if the repository leaves it open."""
    marked = [name for name, config in configs.items() if config.is_default]
    if marked:
        return marked[0]
    return "default" if "default" in configs else next(iter(configs)) if len(configs) == 1 else None


def choose_config(directory: Path, configs: Mapping[str, Config], asked: str | None, preferred: str) -> str | None:
    """The configuration to read: the one `asked` for, else `preferred` (blind, references), else the default."""
    if asked is not None:
        if configs and asked not in configs:
            known = ", ".join(configs)
            raise InputError(
                f'{folder_called(directory)}: no configuration "{asked}"{nearest(asked, configs)}. It has: {known}.'
            )
        return asked
    if preferred in configs:
        return preferred
    name = default_config(configs)
    if configs and name is None:
        raise InputError(
            f"{folder_called(directory)}: has several configurations ({', '.join(configs)}). "
            "Name one as dataset_name in the task."
        )
    return name


def split_patterns(directory: Path, config: Config, split: str) -> tuple[str, ...]:
    """The file patterns of one split; InputError naming the splits there are."""
    patterns = config.patterns.get(split, config.patterns.get(None))
    if patterns is None:
        known = [each for each in config.patterns if each]
        raise InputError(
            f'{folder_called(directory)}: configuration "{config.name}" has no split "{split}"{nearest(split, known)}. '
            f"It has: {', '.join(known)}."
        )
    for pattern in patterns:
        if "://" in pattern or PurePosixPath(pattern).is_absolute() or ".." in PurePosixPath(pattern).parts:
            raise InputError(
                f'{_card_called(directory)}: "{pattern}" leaves the dataset\'s folder. Data files lie inside it.'
            )
    return patterns


def _card_called(directory: Path) -> str:
    """The card of the repository at `directory` as messages name it."""
    return str(Path(folder_called(directory)) / CARD)


def _config(called: str, entry: Any) -> Config:
    name = entry.get("config_name") if isinstance(entry, dict) else None
    if not isinstance(name, str):
        raise InputError(f"{called}: an entry of `configs` has no config_name. Add it.")
    files = entry.get("data_files")
    if files is None:
        files = f"{entry.get('data_dir') or name}/**/*"
    return Config(name, _patterns(called, files), entry.get("default") is True)


def _patterns(called: str, files: Any) -> dict[str | None, tuple[str, ...]]:
    if isinstance(files, dict):
        files = [{"split": split, "path": each} for split, each in files.items()]
    patterns: dict[str | None, tuple[str, ...]] = {}
    for each in files if isinstance(files, list) else [files]:
        split = each.get("split") if isinstance(each, dict) else None
        written = each.get("path") if isinstance(each, dict) else each
        texts = written if isinstance(written, Sequence) and not isinstance(written, str) else [written]
        named = [text.removeprefix("./") for text in texts if isinstance(text, str) and text]
        if len(named) < len(texts) or not named:
            raise InputError(f"{called}: `data_files` should name paths, found {shown(files)}.")
        patterns[split] = (*patterns.get(split, ()), *named)
    return patterns
