"""The README.md of a dataset repo: YAML that makes it load (configs, features, counts), then the text of a template."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.features import card_feature
from musebench_tasks.assembly.hub_licenses import card_license
from musebench_tasks.assembly.schemas import CONFIGS, SPLIT, Schema
from musebench_tasks.base.records.base import Record
from musebench_tasks.base.resources import resource


class Card(Record):
    """What a dataset's card says; configs, features and counts are added from the rows."""

    pretty_name: str
    licenses: tuple[str, ...]
    """Of the rows: SPDX ids or addresses."""
    template: Path
    """Markdown with jinja2 placeholders: `card`, `rows`, `count`, `attributions`, `about`."""
    demonstration: bool = False
    language: tuple[str, ...] = ("en",)
    tags: tuple[str, ...] = ()
    task_categories: tuple[str, ...] = ()


TITLES = {"musebench": "MuseBench", "hummusqa": "HumMusQA", "mub": "MUB"}
TASK_CATEGORIES = {
    "musebench": ("video-text-to-text",),
    "hummusqa": ("audio-text-to-text",),
    "mub": ("audio-text-to-text",),
}


def default_card(dataset: str, rows: Sequence[Mapping[str, Any]], *, demonstration: bool = False) -> Card:
    """The card of a dataset from its folder in `dataset_scripts`, under the licences of its rows."""
    return Card(
        pretty_name=TITLES[dataset] + (" demo" if demonstration else ""),
        licenses=row_licenses(rows),
        template=resource("dataset_scripts") / dataset / "README.md",
        demonstration=demonstration,
        tags=("musebench-tasks", "demonstration") if demonstration else ("musebench-tasks", "benchmark"),
        task_categories=TASK_CATEGORIES[dataset],
    )


def row_licenses(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The distinct licences of rows, as they write them, in alphabetical order."""
    return tuple(sorted({str(row["license"] if "license" in row else row["song_license_url"]) for row in rows}))


def card_text(
    schema: Schema, card: Card, rows: Sequence[Mapping[str, Any]], sizes: Mapping[str, int], about: About
) -> str:
    """The whole README.md; `sizes` are the bytes of each config's files."""
    head = yaml.safe_dump(card_data(schema, card, len(rows), sizes), sort_keys=False, allow_unicode=True, width=120)
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True)
    template = environment.from_string(card.template.read_text(encoding="utf-8"))
    text = template.render(card=card, rows=rows, count=len(rows), attributions=attributions(schema, rows), about=about)
    return f"---\n{head}---\n{text}"


def card_data(schema: Schema, card: Card, count: int, sizes: Mapping[str, int]) -> dict[str, Any]:
    """The YAML head: licence and tags, one entry a config with its file, and its exact features."""
    configs: list[dict[str, Any]] = []
    for name in CONFIGS:
        entry = {"config_name": name, "data_files": [{"split": SPLIT, "path": f"{name}/{SPLIT}-*.parquet"}]}
        configs.append(entry | ({"default": True} if name == "default" else {}))
    described = [
        {
            "config_name": name,
            "features": [card_feature(column) for column in schema.config(name)],
            "splits": [{"name": SPLIT, "num_bytes": sizes[name], "num_examples": count}],
            "download_size": sizes[name],
            "dataset_size": sizes[name],
        }
        for name in CONFIGS
    ]
    return {
        "pretty_name": card.pretty_name,
        **card_license(card.licenses),
        "language": list(card.language),
        "task_categories": list(card.task_categories),
        "tags": list(card.tags),
        "configs": configs,
        "dataset_info": described,
    }


def attributions(schema: Schema, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The distinct credit lines of the rows, in alphabetical order."""
    if schema.dataset == "hummusqa":
        lines = {f"{row['song_name']}, {row['artist_name']} ({row['song_license_url']})" for row in rows}
    else:
        lines = {f"{row['attribution']} ({row['license']})" for row in rows}
    return sorted(lines)
