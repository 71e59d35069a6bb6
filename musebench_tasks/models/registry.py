"""From a model spec to a model. Nothing of a kind is imported before it is asked for.

Every kind of model is a module with `load(argument: str, **options) -> Model`; `argument` is what follows
the first colon of the spec, "" where there is none.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, get_type_hints

from pydantic import TypeAdapter, ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import folder_name
from musebench_tasks.base.records import SystemBlock, SystemName
from musebench_tasks.base.text import nearest
from musebench_tasks.base.validation import first_phrase
from musebench_tasks.models.cards import card_files, find_card, read_card
from musebench_tasks.models.protocol import Model


class ModelEntry(NamedTuple):
    """A line of `musebench models list`."""

    spec: str
    description: str
    needs: str = ""
    """What must be installed or running; "" = nothing."""


class _KindOfModel(NamedTuple):
    module: str
    pattern: str
    description: str
    needs: str = ""


_KINDS = {
    "random": _KindOfModel("random_choice", "random", "answers by chance, the same way every time"),
    "dsp": _KindOfModel("dsp", "dsp", "signal processing: tempo, key, time signature, segments"),
    "replay": _KindOfModel("replay", "replay:FILE", "repeats the texts of responses or predictions in a JSONL file"),
    "python": _KindOfModel("python_function", "python:MODULE_OR_FILE:FUNCTION", "calls a function of yours"),
    "command": _KindOfModel("command", 'command:"PROGRAM {audio}"', "runs a program of yours for every question"),
    "openai": _KindOfModel(
        "openai_chat",
        "openai:MODEL@URL[,URL…]",
        "asks a chat-completions server",
        "a server; OPENAI_API_KEY where it wants one",
    ),
    "transformers": _KindOfModel(
        "transformers_chat", "transformers:ID_OR_DIR", "runs a multimodal checkpoint here", "the extra `hf`"
    ),
}
RUN_WIDE_SETTINGS = frozenset({"answering", "max_frames", "prefix", "prices", "timeout_s", "verify_keys"})
"""Settings that a run gives to all its models; they are without object for kinds that know no such thing."""
_PAPER = ModelEntry("dsp:paper", "the MUB paper's heuristic: denominator always 4, no segments")


def list_models() -> list[ModelEntry]:
    """Every kind of model, then the model cards that come with the package."""
    kinds = [ModelEntry(kind.pattern, kind.description, kind.needs) for kind in _KINDS.values()]
    cards = []
    for name, path in card_files().items():
        card = read_card(path)
        cards.append(ModelEntry(name, card.description or card.spec, _KINDS[_kind_name(card.spec)].needs))
    return [*kinds[:2], _PAPER, *kinds[2:], *cards]


def load_model(spec: str, **options: Any) -> Model:
    """The model that `spec` names; `options` are settings of its kind and go before those of a model card.

    Settings of a whole run (`RUN_WIDE_SETTINGS`) pass by models that know no such thing.

    Raises InputError for a spec or option that nothing is known about.
    """
    _refuse_unfit_name(spec)
    card_path = find_card(spec)
    if card_path is None:
        return _load(spec, options)
    card = read_card(card_path)
    model = _load(card.spec, {**card.load_options(), **options})
    model.name = spec
    # The card may be changed under its name: what it names belongs to what tells versions apart.
    model.revision = f"{card.spec} {model.revision}"
    return model


def _refuse_unfit_name(spec: str) -> None:
    """A spec names the model in files and tables: it must fit there."""
    problem = name_problem(spec)
    if problem is not None:
        raise InputError(
            f"model {problem}. Put it as `spec:` into a model card (a YAML file) and give the card's name."
        )


def name_problem(name: str) -> str | None:
    """Why nothing can be called `name` in files and tables, after the name itself; None where it can."""
    try:
        TypeAdapter(SystemName).validate_python(name)
    except ValidationError as error:
        return f'"{ascii(name[:60])[1:-1]}": its name {first_phrase(error)}'
    return None


def model_slug(spec: str) -> str:
    """The name of a model's folder in a run (`folder_name`)."""
    return folder_name(spec)


def system_block(model: Model) -> SystemBlock:
    """What run.yaml says of `model`: its name and revision, and what its card tells, if it has one."""
    card_path = find_card(model.name)
    if card_path is None:
        return SystemBlock(name=model.name, revision=model.revision)
    told = read_card(card_path).model_dump(include={"tier", "provider", "weights", "quantization", "size"})
    return SystemBlock(name=model.name, revision=model.revision, **told)


def declared_tools(model: Model) -> tuple[str, ...]:
    """What the model works with beside the medium, by its card and by its own word; empty for a model alone (MU-08)."""
    card_path = find_card(model.name)
    carded = read_card(card_path).tools if card_path else ()
    return tuple(dict.fromkeys((*carded, *getattr(model, "tools", ()))))


def context_tokens(model: Model) -> int | None:
    """Tokens that the model takes in all, by its card or its own word; None where neither tells."""
    card_path = find_card(model.name)
    carded = read_card(card_path).context_tokens if card_path else None
    told: int | None = getattr(model, "context_tokens", None)
    return carded or told


def _kind_name(spec: str) -> str:
    """The kind of model that `spec` starts with."""
    name = spec.partition(":")[0]
    if name not in _KINDS:
        known = [*_KINDS, *card_files()]
        patterns = ", ".join(kind.pattern for kind in _KINDS.values())
        raise InputError(f'model "{spec}" is not known{nearest(name, known)}. Known: {patterns}, or a model card.')
    return name


def _load(spec: str, options: dict[str, Any]) -> Model:
    name = _kind_name(spec)
    kind = _KINDS[name]
    try:
        module = importlib.import_module(f"musebench_tasks.models.{kind.module}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("musebench_tasks"):
            raise
        raise InputError(
            f'model "{spec}" needs {kind.needs or error.name} ({error.name} is missing): '
            f"pip install 'musebench-tasks[hf]'."
        ) from error
    model: Model = module.load(spec.partition(":")[2], **_checked(name, module.load, options))
    return model


def _checked(name: str, load: Callable[..., Model], options: dict[str, Any]) -> dict[str, Any]:
    """The options that `load` gets: known by name, of the type it declares."""
    parameters = inspect.signature(load).parameters
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return options
    known = list(parameters)[1:]
    told = ", ".join(known) or "none"
    for option in options:
        if option not in known and option not in RUN_WIDE_SETTINGS:
            raise InputError(f'{name} models have no setting "{option}"{nearest(option, known)}. Known: {told}.')
    hints = get_type_hints(load)
    return {option: _typed(name, option, value, hints[option]) for option, value in options.items() if option in known}


def _typed(name: str, option: str, value: Any, hint: Any) -> Any:
    try:
        return TypeAdapter(hint).validate_python(value)
    except ValidationError as error:
        raise InputError(f'{name} models: setting "{option}" is {value!r}: {first_phrase(error)}.') from error
