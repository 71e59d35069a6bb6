"""Writes a dataset repo: README.md, eval.yaml, croissant.json and `<config>/test-*.parquet` with the media inside.

Same rows, same bytes: rows are sorted by id and nothing holds a time. Ids that sort rows of one medium together save
space (`parquet.py`). A repo appears whole or not at all: it is written beside its place and then renamed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from musebench_tasks.assembly.about import ABOUT_FILE, About, read_about
from musebench_tasks.assembly.cards import Card, card_text, row_licenses
from musebench_tasks.assembly.croissant import CROISSANT_FILE, croissant_text
from musebench_tasks.assembly.parquet import FILE_NAME, Row, media_cell, write_shards
from musebench_tasks.assembly.row_checks import check_rows, option_texts
from musebench_tasks.assembly.schemas import CONFIGS, SCHEMAS, SPLIT, Schema, dataset_schema, stored_options
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_written
from musebench_tasks.base.resources import resource

EVAL_FILE, CARD_FILE = "eval.yaml", "README.md"
OURS = (*CONFIGS, CARD_FILE, EVAL_FILE, CROISSANT_FILE, "manifest.json")
"""What a build writes, or what a push makes of it; anything else in a repo that is built again stays there."""
__all__ = ["EVAL_FILE", "FILE_NAME", "media_cell", "refuse_place", "write_repository"]


def write_repository(
    directory: Path,
    dataset: str | Schema,
    rows: Sequence[Row],
    card: Card,
    *,
    label_like: frozenset[str] = frozenset(),
    about: About | None = None,
) -> Path:
    """Write the dataset repo of `rows` (columns of the `default` config, media as {bytes, path}) into `directory`.

    An existing repo there is replaced. A schema in the place of a name is that of rows which were checked already.
    `about` is by default that of the demonstration, or the name on the card; `label_like` is as in `check_rows`.
    Faulty rows are an InputError with one line a fault, and nothing is written. Returns the directory.
    """
    schema = dataset_schema(dataset) if isinstance(dataset, str) else dataset
    problems = check_rows(dataset, rows, label_like=label_like) if isinstance(dataset, str) else []
    if problems:
        raise InputError("\n".join(problems))
    refuse_place(directory)
    about = about or (demo_about(schema.dataset) if card.demonstration else About(pretty_name=card.pretty_name))
    ordered = sorted(rows, key=lambda row: str(row[schema.id_column]))
    partial = directory.parent / f".{directory.name}.{os.getpid()}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        _write(partial, schema, ordered, card, about)
        _put_in_place(partial, directory)
    except OSError as error:
        raise not_written(directory, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return directory


def refuse_place(directory: Path) -> None:
    """InputError where a repo in `directory` could not be loaded, or where something else lies there."""
    if (directory / f"{directory.name}.py").exists():
        script = f"{directory.name}.py"
        raise InputError(f"{directory}: {script} makes the repo unloadable. Rename or remove that file.")
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory}: is a file. Choose another place.")
    if directory.is_dir() and any(directory.iterdir()) and not (directory / CARD_FILE).is_file():
        raise InputError(f"{directory}: holds something that is no dataset repo. Choose another place.")
    parent = next(each for each in directory.absolute().parents if each.exists())
    try:
        tempfile.TemporaryDirectory(dir=parent, prefix=".musebench-build-").cleanup()
    except OSError as error:
        raise not_written(directory, error) from error


def demo_about(dataset: str) -> About:
    """What is said of a demonstration of this package."""
    return read_about(resource("dataset_scripts") / dataset / "demo" / ABOUT_FILE)


def _write(directory: Path, schema: Schema, rows: Sequence[Row], card: Card, about: About) -> None:
    files: dict[str, list[str]] = {}
    for config in CONFIGS:
        folder = directory / config
        folder.mkdir(parents=True)
        cells = [_config_row(schema, config, row) for row in rows]
        files[config] = [f"{config}/{each.name}" for each in write_shards(folder, schema.config(config), cells)]
    sizes = {name: sum((directory / path).stat().st_size for path in paths) for name, paths in files.items()}
    text = card_text(schema, card, rows, sizes, about)
    (directory / CARD_FILE).write_text(text, encoding="utf-8")
    (directory / EVAL_FILE).write_text(_eval_text(schema, about), encoding="utf-8")
    described = croissant_text(directory, schema, about, row_licenses(rows), _versions(rows), files)
    (directory / CROISSANT_FILE).write_text(described, encoding="utf-8")


def _versions(rows: Sequence[Row]) -> set[str]:
    return {str(row["version"]) for row in rows if "version" in row}


def _eval_text(schema: Schema, about: About) -> str:
    """eval.yaml, of which the Hub makes boards: the dataset, and its tasks; of a choice benchmark its accuracy."""
    tasks = [{"id": "accuracy", "config": "default", "split": SPLIT}]
    if schema.dataset in SCHEMAS:
        own = resource("dataset_scripts") / schema.dataset / EVAL_FILE
        tasks = yaml.safe_load(own.read_text(encoding="utf-8"))["tasks"]
    name = about.pretty_name or schema.dataset
    told = {
        "name": name,
        "description": " ".join((about.description or f"The items of {name}.").split()),
        "evaluation_framework": "musebench",
        "tasks": tasks,
    }
    return yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=120)


def _put_in_place(made: Path, directory: Path) -> None:
    """Rename the finished repo to its place; what others put into an older one there comes along."""
    if not directory.exists():
        made.replace(directory)
        return
    for entry in directory.iterdir():
        if entry.name not in OURS:
            (shutil.copytree if entry.is_dir() else shutil.copy2)(entry, made / entry.name)
    before = directory.parent / f".{directory.name}.{os.getpid()}.before"
    directory.replace(before)
    made.replace(directory)
    shutil.rmtree(before)


def _config_row(schema: Schema, config: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of `row` that config `config` holds."""
    cells = dict(row)
    if config == "blind" and schema.blind_extra:
        cells["options"] = stored_options(str(row[schema.id_column]), tuple(option_texts(row)))
    return {column.name: cells[column.name] for column in schema.config(config)}
