"""What a collection is made by: size, seed, tempo bins, masking. Kept in YAML, `yaml_configs/construction/mub.yaml`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Record
from musebench_tasks.base.resources import yaml_configs
from musebench_tasks.tasks.schema import record_of
from musebench_tasks.tasks.yaml_tree import merge, read_file

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


def load_config(path: Path | None = None, size: int | None = None) -> MubConfig:
    """The configuration of the package, with what `path` and then `size` say otherwise.

    InputError names file, line, key and what is wrong.
    """
    tree = read_file(yaml_configs() / DEFAULT_FILE)
    if path is not None:
        tree = merge(tree, read_file(path))
    config = record_of(tree, MubConfig)
    if size is not None and size < 1:
        raise InputError(f"--size {size}: should be at least 1. Correct it.")
    return config if size is None else config.model_copy(update={"size": size})
