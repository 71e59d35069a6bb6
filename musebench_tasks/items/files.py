"""The data files of one configuration and split, in a folder with or without a README that declares them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import few
from musebench_tasks.items.card import OUR_CONFIGS, Config, choose_config, read_configs, split_patterns
from musebench_tasks.items.display_names import folder_called

SUFFIXES = (".parquet", ".jsonl", ".json", ".csv")
TABS = ".tsv"
"""Of a table too, where it lies in the folder itself: deeper down such files are annotations more often."""
_SHARD = re.compile(r"(?P<stem>.*)-(?P<number>\d{5})-of-(?P<total>\d{5})")
NOT_DATA = frozenset({"croissant.json", "dataset_infos.json", "manifest.json", "package.json"})
"""Files beside the data, by name."""
UNDECIDED = "undecided"
"""Code of the problem that none or several files of a folder may hold a split."""
ERRORS = ".errors"
"""Ends the names of tables that came back with what is wrong in them; they lie beside the table itself."""
SPLIT_WORDS = ("train", "training", "dev", "val", "valid", "validation", "eval", "test")
"""Words by which names of files and folders say which split they hold. None stands for another."""


def configs_of(directory: Path) -> dict[str, Config]:
    """The configurations a folder has: those its README declares, else subfolders that bear our names."""
    declared = read_configs(directory)
    if declared:
        return declared
    named = [name for name in OUR_CONFIGS if _data_files(directory / name)]
    return {name: Config(name, {None: (f"{name}/*",)}, name == "default") for name in named}


def data_files(directory: Path, asked: str | None, preferred: str, split: str) -> tuple[str | None, list[Path]]:
    """The configuration chosen (`choose_config`) and its files; InputError if there are none."""
    configs = configs_of(directory)
    name = choose_config(directory, configs, asked, preferred)
    if configs and name is not None:
        patterns = split_patterns(directory, configs[name], split)
        files = sorted({path for pattern in patterns for path in directory.glob(pattern) if _is_data(path)})
        if not files:
            raise InputError(
                f'{folder_called(directory)}: no data file matches {", ".join(patterns)} (configuration "{name}", '
                f'split "{split}").'
            )
        if split not in configs[name].patterns:
            files = _of_split(files, directory, name, split)
    else:
        files = _undeclared(directory, asked, split)
    _refuse_missing_shards(files)
    return name, files


def _undeclared(directory: Path, asked: str | None, split: str) -> list[Path]:
    folder = directory / asked if asked else directory
    tables = _without_descriptions(sorted([*_data_files(folder), *_tabbed(folder)]), folder)
    if not tables:
        suffixes = ", ".join((*SUFFIXES, TABS))
        called = folder_called(directory)
        found = f"no {suffixes} file in it."
        raise InputError(Problem(found, "Put the rows there, or correct the path.", UNDECIDED, place=called))
    files = _of_split(tables, directory, asked, split)
    if len({(_group(path), path.suffix.lower()) for path in files}) > 1:
        found = f'which file holds the split "{split}"? Found {_named(files, directory)}.'
        raise InputError(Problem(found, "Declare it in a README.md.", UNDECIDED, place=folder_called(directory)))
    return files


def _without_descriptions(files: list[Path], folder: Path) -> list[Path]:
    """The files without JSON deeper down where a table lies in the folder itself: those describe media."""
    if not any(path.parent == folder for path in files):
        return files
    return [path for path in files if path.parent == folder or path.suffix.lower() != ".json"]


def _data_files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if _is_data(path)) if directory.is_dir() else []


def _tabbed(folder: Path) -> list[Path]:
    shown = (path for path in folder.glob("*") if not is_beside_data(path))
    return [path for path in shown if path.suffix.lower() == TABS and path.is_file()]


def _is_data(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not is_beside_data(path) and path.is_file()


def is_beside_data(path: Path) -> bool:
    """Whether a file lies beside the data and is none of them, by its name."""
    return path.name.startswith((".", "~")) or path.name in NOT_DATA or path.stem.endswith(ERRORS)


def _of_split(files: list[Path], directory: Path, config: str | None, split: str) -> list[Path]:
    """The files whose names hold the word of the split; all of them where no name holds the word of any."""
    words = {path: _split_words(path.relative_to(directory), config, split) for path in files}
    if not any(words.values()):
        return files
    matching = [path for path, named in words.items() if split.lower() in named]
    if not matching:
        raise InputError(
            f'{folder_called(directory)}: no file of the split "{split}", found {_named(files, directory)}. Correct '
            "test_split in the task, rename the file, or declare its split in a README.md."
        )
    return matching


def _split_words(path: Path, config: str | None, split: str) -> set[str]:
    """The splits that the innermost name of `path` that speaks of any speaks of: `train/test.csv` is of test."""
    words = sorted({*SPLIT_WORDS, split.lower()}, key=len, reverse=True)
    word = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(map(re.escape, words))})(?![^\W\d_])")
    parts = path.with_suffix("").parts
    for part in reversed(parts[1:] if parts[0] == config else parts):
        found = set(word.findall(part.lower()))
        if found:
            return found
    return set()


def _named(files: list[Path], directory: Path) -> str:
    return few([str(path.relative_to(directory)) for path in files], 8)


def _group(path: Path) -> str:
    """The name that shards of one table share."""
    shard = _SHARD.fullmatch(path.stem)
    return str(path.parent / (shard["stem"] if shard else path.stem))


def _refuse_missing_shards(files: Iterable[Path]) -> None:
    seen: dict[tuple[str, int], set[int]] = {}
    for path in files:
        shard = _SHARD.fullmatch(path.stem)
        if shard:
            seen.setdefault((_group(path), int(shard["total"])), set()).add(int(shard["number"]))
    for (group, total), numbers in seen.items():
        missing = sorted(set(range(total)) - numbers)
        if missing:
            raise InputError(
                f"{group}-*: {len(missing)} of {total} files are missing (the first: number {missing[0]:05d}). "
                "Fetch the dataset again."
            )
