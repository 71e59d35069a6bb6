"""The README.md of a dataset repo: YAML that makes it load (configs, features, counts), then the text of a template.

The Hub's licence ids (huggingface.co/docs/hub/repositories-licenses) are SPDX ids in lower case, without what follows a
version, and for some families without the version.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.schemas import CONFIGS, SPLIT, Schema, card_feature
from musebench_tasks.base.records.base import Record
from musebench_tasks.base.resources import resource

_KNOWN = """
afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0 c-uda cc-by-2.0
cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0
cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0 cdla-permissive-2.0
cdla-sharing-1.0 ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 gfdl gpl-2.0 gpl-3.0 isc lgpl-2.1 lgpl-3.0 lppl-1.3c mit
mpl-2.0 ms-pl ncsa odbl odc-by ofl-1.1 osl-3.0 pddl postgresql unlicense wtfpl zlib
"""
KNOWN = frozenset(_KNOWN.split())
FAMILIES = frozenset({"gfdl", "odbl", "odc-by", "pddl"})
"""Of these the Hub tells no versions apart."""
OTHER = "other"
BY_ROW = "by-row"
"""The name where rows are under several licences: each names its own."""
_LATER = ("-only", "-or-later")
_COMMONS = re.compile(r"https?://creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/(\d\.\d)(?:/.*)?")
_DEDICATIONS = {"zero": "CC0", "mark": "CC-PDM"}
_SPDX_ID = re.compile(r"(?!LicenseRef-)[A-Za-z0-9.+-]+")


def card_license(written: Collection[str]) -> dict[str, str]:
    """`license` of a card whose rows have these licences (SPDX ids or addresses); of one without an id, its name too.

    The Hub asks for `license_name`, and takes `license_link`, where the licence is `other`.
    """
    ids = {_spdx_of(each) for each in written}
    if len(ids) != 1:
        return {"license": OTHER, "license_name": BY_ROW}
    (one,) = ids
    known = hub_id(one)
    if known is not None:
        return {"license": known}
    address = license_address(one)
    name = re.sub(r"[^a-z0-9.+-]+", "-", one.lower().removeprefix("https://").removeprefix("http://")).strip("-")
    return {"license": OTHER, "license_name": name} | ({"license_link": address} if "://" in address else {})


def hub_id(spdx: str) -> str | None:
    """The Hub's id of an SPDX id; None where it has none. It does not tell whether later versions are allowed too."""
    name = spdx.lower()
    if name == "noassertion":
        return "unknown"
    for ending in _LATER:
        name = name.removesuffix(ending)
    family = name.rpartition("-")[0]
    return name if name in KNOWN else family if family in FAMILIES else None


def license_address(written: str) -> str:
    """A licence as an address: that of its SPDX id; what is an address, or no single id, stays as it is."""
    return f"https://spdx.org/licenses/{written}.html" if _SPDX_ID.fullmatch(written) else written


def _spdx_of(written: str) -> str:
    """The SPDX id behind an address of Creative Commons; anything else as it is."""
    found = _COMMONS.fullmatch(written)
    if found is None:
        return written
    kind, version = found.groups()
    return f"{_DEDICATIONS.get(kind, f'CC-{kind.upper()}')}-{version}"


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
