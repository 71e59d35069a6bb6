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

import yaml
from pydantic import ValidationError

from musebench_tasks.errors import InputError, nearest
from musebench_tasks.records import Record
from musebench_tasks.records.wording import phrase

ABOUT_FILE = "about.yaml"
Texts = str | tuple[str, ...]


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
    """The about.yaml at `path`; InputError names the key that is wrong."""
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except RecursionError as error:
        raise InputError(f"{path}: values are nested too deeply. Write keys with texts and lists of texts.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read ({' '.join(str(error).split())}).") from error
    if not isinstance(written, dict):
        raise InputError(f"{path}: should be keys and values, found {type(written).__name__}.")
    try:
        return About.model_validate(written)
    except ValidationError as error:
        raise InputError("\n".join(_explained(path, error))) from error


def _explained(path: Path, error: ValidationError) -> Iterator[str]:
    for each in error.errors():
        place = [str(part) for part in each["loc"]]
        known = ResponsibleAi.model_fields if place[0] == "responsible_ai" else About.model_fields
        if each["type"] == "extra_forbidden":
            yield f'{path}: unknown key "{".".join(place)}"{nearest(place[-1], known)}. Correct or remove it.'
        else:
            key = ".".join(place[: 2 if place[0] == "responsible_ai" else 1])
            yield f'{path}, key "{key}": {phrase(each)}, found {each["input"]!r}.'


def unsaid(about: About) -> tuple[str, ...]:
    """The expected responsible-AI fields that nothing is said in."""
    return tuple(name for name in EXPECTED if getattr(about.responsible_ai, name) is None)
