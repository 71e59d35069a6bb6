"""What a collection is made by: size, seed, tempo bins, masking. Kept in YAML, `yaml_configs/construction/mub.yaml`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from musebench_tasks.errors import InputError, nearest
from musebench_tasks.records import Record
from musebench_tasks.records.wording import phrase
from musebench_tasks.resources import yaml_configs

DEFAULT_FILE = Path("construction") / "mub.yaml"


class AudioEncoding(Record):
    """How recordings are encoded anew."""

    codec: Literal["mp3", "opus"] = "mp3"
    bit_rate: Annotated[int, Field(ge=8_000, le=320_000)] = 128_000
    """Bits per second."""


class StatedRights(Record):
    """Licence (SPDX id), attribution and source of all tracks of an archive."""

    license: str = ""
    attribution: str = ""
    source: str = ""


class MubConfig(Record):
    """All that decides which recordings a collection holds and how they look."""

    size: Annotated[int, Field(ge=1)] = 500
    seed: int = 42
    tempo_edges: tuple[Annotated[float, Field(gt=0)], ...]
    """BPM, rising; an edge belongs to the faster bin."""
    mask_key: Annotated[str, Field(min_length=1)]
    version: str = "1.0"
    private: bool = False
    """Whether tracks without rights may be built, in a set that is never pushed."""
    rights: StatedRights = StatedRights()
    """What holds for every track of which the archive does not say it."""
    credits: Literal["card", "rows"] = "card"
    """Where people are credited."""
    audio: AudioEncoding = AudioEncoding()

    @property
    def stated_rights(self) -> dict[str, str]:
        """What `rights` says."""
        return {name: value for name, value in self.rights.model_dump().items() if value}

    @field_validator("tempo_edges")
    @classmethod
    def _rises(cls, edges: tuple[float, ...]) -> tuple[float, ...]:
        if any(later <= earlier for earlier, later in pairwise(edges)):
            raise ValueError("the edges should rise")
        return edges


def load_config(path: Path | None = None, **changes: Any) -> MubConfig:
    """The configuration of the package, with what `path` and then `changes` (None = leave) say otherwise.

    InputError names file, key and what is wrong.
    """
    default = yaml_configs() / DEFAULT_FILE
    values = _mapping(default)
    if path is not None:
        own = _mapping(path)
        if isinstance(own.get("audio"), dict):
            own["audio"] = values["audio"] | own["audio"]
        values |= own
    values |= {name: value for name, value in changes.items() if value is not None}
    try:
        return MubConfig.model_validate(values)
    except ValidationError as problem:
        raise InputError("\n".join(_line(path or default, each) for each in problem.errors())) from problem


def _mapping(path: Path) -> dict[str, Any]:
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror}). Correct the path.") from problem
    except RecursionError as problem:
        raise InputError(f"{path}: values are nested too deeply. Write keys and values.") from problem
    except (yaml.YAMLError, ValueError) as problem:
        raise InputError(f"{path}: is no YAML ({' '.join(str(problem).split())}). Correct it.") from problem
    if value is not None and not isinstance(value, dict):
        raise InputError(f"{path}: should hold keys and values, such as `size: 500`. Correct it.")
    return value or {}


def _line(path: Path, problem: Any) -> str:
    key = ".".join(str(each) for each in problem["loc"])
    inner = [f"audio.{name}" for name in AudioEncoding.model_fields]
    known = (*MubConfig.model_fields, *inner, *(f"rights.{name}" for name in StatedRights.model_fields))
    if problem["type"] == "extra_forbidden":
        return f'{path}, key "{key}": is not known{nearest(key, known)}. Known: {", ".join(known)}.'
    return f'{path}, key "{key}": {phrase(problem)}, found {problem["input"]!r:.60}. Correct it.'
