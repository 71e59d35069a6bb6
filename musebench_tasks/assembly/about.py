"""What the owner of a dataset says about it: `about.yaml`, for the card, `eval.yaml` and the Croissant metadata.

```yaml
pretty_name: Listening
description: Three questions about three notes.
license: CC-BY-4.0            # an SPDX id; left out: that of the rows
creators: [The listeners]
responsible_ai:               # Croissant's own fields, in lower case with underscores
  data_collection: Played by us in one afternoon.
  data_biases: [One instrument, one tuning.]
columns: {question: asks}     # our column: the sheet's, where names differ
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Location, Problem
from musebench_tasks.base.records import Record
from musebench_tasks.tasks.schema import record_of, schema_problems
from musebench_tasks.tasks.yaml_tree import read_file

ABOUT_FILE = "about.yaml"
Texts = str | tuple[str, ...]


LISTS = ("creators", "keywords", "language", "label_like")


class ResponsibleAi(Record):
    """The fields of Croissant's responsible-AI vocabulary 1.0, each left out where nothing is said."""

    data_collection: str | None = None
    data_collection_type: Texts | None = None
    data_collection_missing_data: str | None = None
    data_collection_raw_data: str | None = None
    data_imputation_protocol: str | None = None
    data_preprocessing_protocol: Texts | None = None
    data_manipulation_protocol: str | None = None
    data_annotation_protocol: Texts | None = None
    data_annotation_platform: Texts | None = None
    data_annotation_analysis: Texts | None = None
    annotations_per_item: str | None = None
    annotator_demographics: Texts | None = None
    machine_annotation_tools: Texts | None = None
    data_biases: Texts | None = None
    data_use_cases: Texts | None = None
    data_limitations: Texts | None = None
    data_social_impact: str | None = None
    personal_sensitive_information: Texts | None = None
    data_release_maintenance_plan: str | None = None


EXPECTED = (
    "data_collection",
    "data_annotation_protocol",
    "data_biases",
    "data_limitations",
    "data_use_cases",
    "data_social_impact",
    "personal_sensitive_information",
)
"""What every dataset should say of itself; who leaves one out is told."""


class About(Record):
    """What about.yaml says; everything may be left out."""

    pretty_name: str | None = None
    description: str | None = None
    url: str | None = None
    license: str | None = None
    version: str | None = None
    """Goes into the rows' column `version` where the sheet has none."""
    citation: str | None = None
    creators: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    language: tuple[str, ...] = ("en",)
    responsible_ai: ResponsibleAi = ResponsibleAi()
    columns: Mapping[str, str | tuple[str, ...]] = {}
    label_like: tuple[str, ...] = ()
    """Ids of items whose options may begin with a bare letter (key names, forms)."""


def read_about(path: Path) -> About:
    """The about.yaml at `path`; InputError names every key that is wrong."""
    tree = read_file(path)
    problems = schema_problems(tree, About)
    if problems:
        slips: dict[Location, Problem] = {(key,): tree.problem(text, key) for key, text in _slips(tree.plain())}
        raise InputError(*(slips.get(each.location, each) for each in problems))
    return record_of(tree, About)


def _slips(found: Any) -> Iterator[tuple[str, str]]:
    """Keys whose values YAML reads as something else than was meant, with what to write."""
    if not isinstance(found, dict):
        return
    version = found.get("version")
    if isinstance(version, int | float):
        yield "version", f'is read as the number {version}. Quote it, as in version: "1.10".'
    for key in LISTS:
        value = found.get(key)
        if isinstance(value, str):
            yield key, f'should be a list, found "{value}". Write [{value}].'


def about_of(source: Path, file: Path | None) -> About:
    """What is said of the sheet at `source`: in `file`, else in the about.yaml beside it; nothing where none is."""
    beside = (source if source.is_dir() else source.parent) / ABOUT_FILE
    return read_about(file or beside) if file is not None or beside.is_file() else About()


def unsaid(about: About) -> tuple[str, ...]:
    """The expected responsible-AI fields that nothing is said in."""
    return tuple(name for name in EXPECTED if getattr(about.responsible_ai, name) is None)
