"""Model cards: a YAML file that names a model, says who made it and what it can take."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import Field, ValidationError

from musebench_tasks.base import resources
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import Limits, Record
from musebench_tasks.base.text import nearest
from musebench_tasks.base.validation import phrase


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


_Record = TypeVar("_Record", bound=Record)


def read_mapping(path: Path, meaning: str) -> tuple[dict[str, Any], str]:
    """The `key: value` lines of a file and its text; `meaning` says what the file should have been."""
    try:
        text = path.read_text(encoding="utf-8")
        content = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path} line {line}: {error.problem}.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}).") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: {meaning}.")
    return content, text


def read_record(path: Path, kind: type[_Record], meaning: str) -> _Record:
    """The record in a file; InputError names the line of what is wrong."""
    content, text = read_mapping(path, meaning)
    return make_record(content, kind, path, text)


def make_record(content: Any, kind: type[_Record], path: Path, text: str, within: tuple[str, ...] = ()) -> _Record:
    """The record that stands in `path` below the keys `within`; InputError names the line of what is wrong."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        # A misspelt key also leaves one missing: its name says more.
        problem = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        own = [str(key) for key in problem["loc"]]
        keys = [*within, *own]
        told = _explain(problem["type"], phrase(problem), keys, _known(kind, own))
        raise InputError(f"{path}{_line(text, keys)}: {told}") from error


def _known(kind: type[Record], keys: list[str]) -> list[str]:
    """The keys that are known where the last of `keys` stands."""
    for key in keys[:-1]:
        field = kind.model_fields.get(key)
        inner = [each for each in getattr(field.annotation, "__args__", ()) if _is_record(each)] if field else []
        if inner:
            kind = inner[0]
    return list(kind.model_fields)


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)


def _explain(kind: str, message: str, keys: list[str], known: list[str]) -> str:
    name = ".".join(keys)
    if kind == "missing":
        return f'"{name}" is missing.'
    if kind == "extra_forbidden":
        return f'unknown key "{name}"{nearest(keys[-1], known)}. Known: {", ".join(known)}.'
    return f'"{name}": {message}.' if name else f"{message}."


def _line(text: str, keys: list[str]) -> str:
    """` line N` of the deepest of `keys` that the YAML text has."""
    node, found = yaml.compose(text, Loader=yaml.SafeLoader), ""
    for key in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        match = next((pair for pair in pairs if pair[0].value == key), None)
        if match is None:
            break
        found, node = f" line {match[0].start_mark.line + 1}", match[1]
    return found
