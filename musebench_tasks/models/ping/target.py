"""What is pinged: an address, a model spec `openai:MODEL@URL[,URL…]`, or a model card of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Modality
from musebench_tasks.models.api_keys import KEY_VARIABLE
from musebench_tasks.models.cards import card_files, find_card, read_card
from musebench_tasks.models.openai_chat import ServerTraits, parse_addresses, parse_argument, read_traits
from musebench_tasks.models.openai_chat.bodies import with_extra
from musebench_tasks.models.registry import load_model

_KIND = "openai:"
_TRAITS = ("video_as", "audio_as", "processor_fps", "max_tokens_field")
_ALL = frozenset(Modality)


class Target(NamedTuple):
    """Where to ask, and how a run would ask there."""

    urls: tuple[str, ...]
    model: str | None
    """None = the only one that the server lists."""
    traits: ServerTraits
    key_variable: str = KEY_VARIABLE
    """Environment variable with the API key."""
    modalities: frozenset[Modality] = _ALL
    by_letters: bool = False
    may_reason: bool = False

    @property
    def video_as(self) -> str | None:
        """The way in which a run sends a video; None where it sends none."""
        return self.traits.video_as if Modality.VIDEO in self.modalities else None

    @property
    def audio_as(self) -> str | None:
        """The way in which a run sends sound; None where it sends none."""
        return self.traits.audio_as if Modality.AUDIO in self.modalities else None


def read_target(text: str, model: str | None = None) -> Target:
    """The target that `text` names; `model` names one of the server's. InputError where it is no server."""
    if text.startswith(("http://", "https://")):
        return Target(parse_addresses(text), model, read_traits(None))
    path = find_card(text)
    spec, options = text, {}
    if path is not None:
        card = read_card(path)
        spec, options = card.spec, card.load_options()
    if not spec.startswith(_KIND):
        cards = ", ".join(name for name, file in card_files().items() if read_card(file).spec.startswith(_KIND))
        raise InputError(
            f'"{text}" is no server. Write its address (http://localhost:8000/v1), openai:MODEL@URL, or a model card '
            f"of such a model (a YAML file, or one of {cards})."
        )
    load_model(text)
    name, urls = parse_argument(spec.removeprefix(_KIND))
    return Target(urls, model or name, **_settings(options))


def _settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a card says of how to ask."""
    known = read_traits(options.get("server"))
    own = {name: options[name] for name in _TRAITS if options.get(name) is not None}
    traits = known.model_copy(update={**own, "extra": with_extra(known.extra, options.get("extra") or {})})
    return {
        "traits": traits,
        "key_variable": options.get("api_key_variable", KEY_VARIABLE),
        "modalities": frozenset(map(Modality, options.get("modalities", _ALL))),
        "by_letters": options.get("answering") == "letters",
        "may_reason": bool(options.get("reasoning_tokens") or options.get("reasoning_effort")),
    }
