"""What a dataset folder must be before it is pushed: loadable, whole, with rights, and under its own name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.croissant import CROISSANT_FILE
from musebench_tasks.assembly.item_checks import check_repository
from musebench_tasks.assembly.repository import EVAL_FILE
from musebench_tasks.assembly.rules.cells import NO_RIGHTS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Effect, Problem, Problems, reason
from musebench_tasks.base.records import ERRATA_FILE
from musebench_tasks.base.text import counted, few_lines, nearest
from musebench_tasks.evaluation.errata import read_errata
from musebench_tasks.items.card import CARD, Config, card_head, read_configs
from musebench_tasks.items.demonstration import SHOWN, is_demonstration
from musebench_tasks.items.manifest import MANIFEST
from musebench_tasks.tasks.yaml_tree import read_file

ANEW, BUILT = "Build the folder anew.", "that `musebench data build` made."
SPLIT_NAME = re.compile(r"\w+(\.\w+)*")
RIGHTS = (("license", "attribution"), ("song_license_url", "artist_name"))
"""Who may do what with a row, and whom to credit: the columns of this package, and those of HumMusQA."""
BESIDE_THE_DATA = (CARD, EVAL_FILE, ERRATA_FILE, CROISSANT_FILE, "LICENSE", "LICENSE.md", ".gitattributes")
SENT_THOUGH_HIDDEN = (".gitattributes",)
FILE_MANAGERS = ("__macosx", "thumbs.db", "desktop.ini", "icon\r")
"""What Windows and macOS leave in folders unhidden, in lower case."""
LINK_COLUMN, FETCHED = "platform_id", "media/"
"""Of a repository of links, and where `musebench data fetch` puts what they lead to."""
_GOLD = ("answer", "correct_answer", "core_intent", "distractor_strategies", "distractor_1", "distractor_2",
         "distractor_3", "tempo_bpm", "beat_unit", "key", "time_signature", "segments", "beats_s", "downbeats_s",
         "multi_valued")  # fmt: skip
_ID_COLUMNS = ("id", "identifier")
_ROWS_NAMED = 5
_LINES_TOLD = 50


def files_of(directory: Path) -> list[str]:
    """All files of a folder that may be sent, as paths in the repository.

    Not what is hidden or an operating system's (version control, caches, `.DS_Store`), but `.gitattributes`; nor media
    that were fetched by the links of a repository that gives none away.
    """
    shown = sorted(
        file.relative_to(directory).as_posix()
        for file in directory.rglob("*")
        if file.is_file() and not _is_of_the_system(file.relative_to(directory))
    )
    if not any(path.startswith(FETCHED) for path in shown) or not _holds_links(directory, shown):
        return shown
    return [path for path in shown if not path.startswith(FETCHED)]


def _is_of_the_system(path: Path) -> bool:
    """Whether a path is hidden, or one that file managers leave in folders."""
    parts = path.parts[:-1] if path.name in SENT_THOUGH_HIDDEN else path.parts
    return any(part.startswith(".") or part.casefold() in FILE_MANAGERS for part in parts)


def _holds_links(directory: Path, paths: Iterable[str]) -> bool:
    tables = (_opened(directory / path) for path in paths if path.endswith(".parquet"))
    return any(LINK_COLUMN in table.schema_arrow.names for table in tables if table is not None)


def data_paths(directory: Path, configs: Mapping[str, Config]) -> dict[str, tuple[str, ...]]:
    """The data files of each configuration, as paths in the repository."""
    return {
        name: tuple(
            sorted(
                file.relative_to(directory).as_posix()
                for patterns in config.patterns.values()
                for pattern in patterns
                for file in directory.glob(pattern)
                if file.is_file() and not _is_of_the_system(file.relative_to(directory))
            )
        )
        for name, config in configs.items()
    }


def check_directory(directory: Path, name: str) -> dict[str, tuple[str, ...]]:
    """The data files of a dataset folder that may be pushed as `name`; InputError of every problem otherwise."""
    if not directory.is_dir():
        raise InputError(Problem("there is no such folder.", f"Give one {BUILT}", place=str(directory)))
    if not (directory / CARD).is_file():
        raise InputError(Problem(f"has no {CARD}.", f"Give a folder {BUILT}", place=str(directory)))
    configs = read_configs(directory)
    if not configs:
        unloadable = "declares no `configs`, so nobody could load it."
        raise InputError(Problem(unloadable, ANEW, place=str(directory / CARD)))
    paths = data_paths(directory, configs)
    problems = Problems(_layout_problems(directory, name, configs, paths))
    problems.add(*_name_problems(directory, name, paths), *_description_problems(directory))
    if not problems:
        problems.add(*_content_problems(directory, paths))
    if not problems:
        problems.add(*_errata_problems(directory, paths), *_item_problems(directory))
    problems.refuse(InputError, most=len(problems))
    return paths


def _layout_problems(
    directory: Path, name: str, configs: Mapping[str, Config], paths: Mapping[str, tuple[str, ...]]
) -> Iterator[Problem]:
    known = {path for each in paths.values() for path in each}
    for path in files_of(directory):
        file = directory / path
        if path in (f"{name}.py", f"{directory.resolve().name}.py"):
            unloadable = "a script of that name makes the repository unloadable."
            yield Problem(unloadable, "Rename or remove it.", place=str(file))
        elif path not in known and path not in BESIDE_THE_DATA and path != MANIFEST:
            foreign = f"is no part of a dataset repository ({CARD} names no such data file)."
            advice = "What only the evaluator may know stays outside; move it out."
            yield Problem(foreign, advice, place=str(file))
    for config in configs.values():
        if not paths[config.name]:
            yield Problem(f'configuration "{config.name}" has no data file here.', ANEW, place=str(directory / CARD))
        for split in config.patterns:
            if split is None or not SPLIT_NAME.fullmatch(split):
                unread = f'configuration "{config.name}", split {split!r} could not be read back.'
                advice = "Name splits of letters, digits, _ and dots, each with its `data_files`."
                yield Problem(unread, advice, place=str(directory / CARD))


def _name_problems(directory: Path, name: str, paths: Mapping[str, tuple[str, ...]]) -> Iterator[Problem]:
    """A demonstration never answers to the name of a benchmark."""
    files = [directory / path for each in paths.values() for path in each]
    if "demo" in name.casefold() or not is_demonstration(directory, files):
        return
    found = f"is a demonstration, which under the name {name} would pass for the benchmark."
    yield Problem(found, f"Push it to a name with demo in it, such as {name}_demo.", place=str(directory))


def taken_name(repository: str) -> Iterator[str]:
    """A note where a repository, ORG/NAME, is called as a benchmark is: only its owner knows whether it is the one."""
    name = repository.partition("/")[2]
    if name.casefold() in SHOWN:
        yield (
            f"{repository}: takes the name of the benchmark {name.casefold()}, and others will take it for that. Push "
            "a set of your own under a name of its own."
        )


def _description_problems(directory: Path) -> Iterator[Problem]:
    """Files about the data that nobody could read: eval.yaml and croissant.json."""
    if (directory / EVAL_FILE).is_file():
        try:
            read_file(directory / EVAL_FILE)
        except InputError as error:
            yield from error.problems
    file = directory / CROISSANT_FILE
    if file.is_file():
        try:
            told = json.loads(file.read_text(encoding="utf-8-sig"))
        except json.JSONDecodeError as error:
            not_json, advice = f"is not JSON: {error.msg}.", "Correct it, or build the folder anew."
            yield Problem(not_json, advice, place=str(file), line=error.lineno)
        except (ValueError, RecursionError) as error:
            yield Problem(f"is not JSON: {reason(error)}.", "Correct it, or build the folder anew.", place=str(file))
        else:
            if not isinstance(told, dict):
                yield Problem("should hold an object, found something else.", ANEW, place=str(file), line=1)


def _content_problems(directory: Path, paths: Mapping[str, tuple[str, ...]]) -> Iterator[Problem]:
    head = card_head((directory / CARD).read_text(encoding="utf-8-sig"))
    if not head.get("license"):
        advice = "Add the licence of the set, `other` where rows differ."
        yield Problem("names no `license`.", advice, place=str(directory / CARD))
    if (directory / ERRATA_FILE).is_file():
        try:
            read_errata(directory / ERRATA_FILE)
        except InputError as error:
            yield from error.problems
    described = {each.get("config_name"): each for each in head.get("dataset_info") or () if isinstance(each, dict)}
    for name, files in paths.items():
        opened = {path: _opened(directory / path) for path in files}
        for path, parquet in opened.items():
            if parquet is None:
                advice = "Publish what `musebench data build` makes."
                yield Problem("is no whole Parquet file.", advice, place=str(directory / path))
            else:
                yield from _parquet_problems(directory / path, parquet, name)
        if name in described and None not in opened.values():
            yield from _stale_description(directory, name, opened, described[name])


def _errata_problems(directory: Path, paths: Mapping[str, tuple[str, ...]]) -> Iterator[Problem]:
    """Items that errata.yaml retires though they are still asked, or re-keys though nobody knows them."""
    file = directory / ERRATA_FILE
    errata = read_errata(file) if file.is_file() else ()
    ids = _ids(directory, paths) if errata else frozenset()
    for erratum in errata:
        place = f"{file}, from {erratum.from_data_sha256[:12]}"
        for each in erratum.retired:
            if each in ids:
                retired = f'"{each}" is retired, but still among the rows.'
                yield Problem(retired, "Take it out of one of the two.", place=place)
        for each in erratum.rekeyed:
            if each not in ids:
                rekeyed = f'"{each}" is re-keyed, but no row is called so{nearest(each, ids)}.'
                yield Problem(rekeyed, "Correct the id.", place=place)


def _ids(directory: Path, paths: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """The ids of all rows."""
    found: set[str] = set()
    for path in {path for each in paths.values() for path in each}:
        parquet = _opened(directory / path)
        column = next((name for name in _ID_COLUMNS if name in parquet.schema_arrow.names), None)
        found |= {str(cell) for cell in parquet.read(columns=[column]).column(0).to_pylist()} if column else set()
    return frozenset(found)


def _item_problems(directory: Path) -> Iterator[Problem]:
    """What `musebench data check` says of rows that stop a build; media are not opened again."""
    findings = check_repository(directory)
    lines = [line for each, line in zip(findings, findings.lines, strict=True) if each.effect is Effect.STOP]
    advice = "Correct the rows, and build it anew."
    yield from map(Problem, few_lines(lines, _LINES_TOLD, place=str(directory), advice=advice))


def _opened(file: Path) -> Any:
    """A Parquet file; None where it is none."""
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(file)
    except (OSError, ValueError):
        return None


def _parquet_problems(file: Path, parquet: Any, config: str) -> Iterator[Problem]:
    columns = parquet.schema_arrow.names
    if config == "blind" and (gold := [each for each in columns if each in _GOLD]):
        yield Problem(f'holds the gold column "{gold[0]}", which `blind` must not.', ANEW, place=str(file))
    yield from _path_problems(file, parquet)
    if config == "references":
        return
    chosen = next((pair for pair in RIGHTS if set(pair) <= set(columns)), None)
    if chosen is None:
        advice = "Say of each row who may use it and whom to credit."
        yield Problem('has no columns "license" and "attribution".', advice, place=str(file))
        return
    rows = parquet.read(columns=list(chosen)).to_pydict()
    for column in chosen:
        empty = [number for number, cell in enumerate(rows[column], start=1) if str(cell or "").strip() in NO_RIGHTS]
        if empty:
            told = ", ".join(map(str, empty[:_ROWS_NAMED])) + (" and more" if len(empty) > _ROWS_NAMED else "")
            advice = "Fill it in; without rights no row is published."
            yield Problem("names nothing.", advice, place=f"{file} row {told}", column=column)


def _path_problems(file: Path, parquet: Any) -> Iterator[Problem]:
    """Media are called by plain names, so that nobody who unpacks them writes elsewhere."""
    import pyarrow as pa

    linked = FETCHED if LINK_COLUMN in parquet.schema_arrow.names else ""
    for field in parquet.schema_arrow:
        if not pa.types.is_struct(field.type) or {"bytes", "path"} - {each.name for each in field.type}:
            continue
        cells = parquet.read(columns=[f"{field.name}.path"]).column(0).to_pylist()
        for number, cell in enumerate(cells, start=1):
            path = str((cell or {}).get("path") or "").removeprefix(linked)
            if path in (".", "..") or "/" in path or "\\" in path:
                unsafe = Problem(f'"{path}" is no plain file name.', "Build it anew.", row=number, column=field.name)
                yield unsafe.at(place=str(file))
                break


def _stale_description(
    directory: Path, name: str, files: Mapping[str, Any], described: dict[str, Any]
) -> Iterator[Problem]:
    """Counts and columns that the card tells must be those of the files, or loading fails (faults_hub.md 19, 20)."""
    card = directory / CARD
    rows = sum(each.metadata.num_rows for each in files.values())
    told = sum(each.get("num_examples", 0) for each in described.get("splits") or () if isinstance(each, dict))
    if described.get("splits") and told != rows:
        said = counted(told, "row")
        yield Problem(f'tells {said} of configuration "{name}", its files hold {rows}.', ANEW, place=str(card))
    columns = [str(each.get("name")) for each in described.get("features") or () if isinstance(each, dict)]
    for path, each in files.items():
        if columns and columns != each.schema_arrow.names:
            differing = sorted(set(columns) ^ set(each.schema_arrow.names)) or ["their order"]
            others = f'the columns of configuration "{name}" are not those of {path} ({differing[0]}).'
            yield Problem(others, ANEW, place=str(card))
        elif not _has_features(each):
            yield Problem("holds no feature types for `datasets`.", ANEW, place=str(directory / path))


def _has_features(parquet: Any) -> bool:
    told = (parquet.schema_arrow.metadata or {}).get(b"huggingface")
    return told is not None and "features" in json.loads(told).get("info", {})


def fits(path: str, configs: Mapping[str, Config]) -> bool:
    """Whether a path in a repository would be read as a data file of one of the configurations."""
    return any(
        fnmatch(path, pattern)
        for config in configs.values()
        for patterns in config.patterns.values()
        for pattern in patterns
    )
