"""Model cards: a YAML file that names a model, says who made it and what it can take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from musebench_tasks.base import resources
from musebench_tasks.base.records import Limits, Record
from musebench_tasks.models.yaml_record import read_record


class ModelCard(Record):
    """`yaml_configs/models/NAME.yaml`, or a file of the user's own. The name may stand wherever a model spec may."""

    spec: str
    """The model behind the name."""
    description: str = ""
    tier: str | None = None
    """proprietary, open general-purpose, open video-specific, key-frame selection."""
    provider: str | None = None
    revision: str | None = None
    """What tells this version from others; None = what the model itself says."""
    weights: str | None = None
    quantization: str | None = None
    size: str | None = None
    limits: Limits | None = None
    """What the model can take; only what is written here is changed."""
    context_tokens: int | None = None
    """Tokens that the model takes in all, media among them; recorded, not enforced."""
    tools: tuple[str, ...] = ()
    """What the model works with beside the medium (a search, code, a beat tracker): such answers are a track apart."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Further settings of the kind of model, for example `timeout_s`."""

    def load_options(self) -> dict[str, Any]:
        """The card's limits and options as arguments of the model's `load`."""
        limits = {name: getattr(self.limits, name) for name in self.limits.model_fields_set} if self.limits else {}
        revision = {"revision": self.revision} if self.revision else {}
        return {**limits, **revision, **self.options}


def card_files() -> dict[str, Path]:
    """The cards that come with the package, by name."""
    return {path.stem: path for path in sorted((resources.yaml_configs() / "models").glob("*.yaml"))}


def find_card(spec: str) -> Path | None:
    """The card that `spec` names, if it names one: a name, a name with .yaml, or a path to a file."""
    if spec.endswith((".yaml", ".yml")) and Path(spec).is_file():
        return Path(spec)
    return card_files().get(spec.removesuffix(".yaml"))


def read_card(path: Path) -> ModelCard:
    """The card in `path`; InputError names the line of what is wrong."""
    return read_record(path, ModelCard, "a model card is a list of `key: value` lines with at least `spec`")
