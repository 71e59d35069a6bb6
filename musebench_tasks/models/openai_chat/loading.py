"""From `openai:MODEL@URL` and its options to a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Limits, Modality
from musebench_tasks.models.api_keys import KEY_VARIABLE, read_api_key
from musebench_tasks.models.chat_client import ChatClient, Retries
from musebench_tasks.models.openai_chat.bodies import RequestWriter, with_extra
from musebench_tasks.models.openai_chat.model import OpenAIChatModel
from musebench_tasks.models.openai_chat.traits import AudioForm, ServerTraits, VideoForm, read_traits
from musebench_tasks.models.pace import Gate, Pace
from musebench_tasks.models.prices import price_of
from musebench_tasks.models.protocol import with_settings

_Answering = Literal["text", "letters"]
_PositiveInt = Annotated[int, Field(gt=0)]
_TOOLS = ("tools", "tool_choice", "functions", "function_call", "plugins", "web_search_options", "mcp_servers")
"""Fields of a request that offer tools."""
_WITHOUT_EFFECT = ("description", "cached_tokens_flag")
"""Traits that change no answer."""


def parse_argument(argument: str) -> tuple[str, tuple[str, ...]]:
    """Model name and addresses of MODEL@URL[,URL…]."""
    model, _, rest = argument.partition("@http")
    if not model or not rest:
        raise InputError(
            f'model "openai:{argument}": write openai:MODEL@URL, for example openai:m@http://host:8000/v1.'
        )
    return model, parse_addresses(f"http{rest}")


def parse_addresses(text: str) -> tuple[str, ...]:
    """The addresses in URL[,URL…], each once. InputError where there is none before, between or after the commas."""
    urls = [url.strip() for url in text.split(",")]
    if not all(urls):
        raise InputError("a comma among the servers' addresses has no address on one of its sides. Write URL,URL.")
    return tuple(dict.fromkeys(urls))


def load(
    argument: str,
    *,
    modalities: tuple[Modality, ...] = tuple(Modality),
    max_frames: int | None = None,
    max_audio_s: float | None = None,
    sample_rate: int | None = 16_000,
    revision: str = "unpinned",
    server: str | None = None,
    video_as: VideoForm | None = None,
    audio_as: AudioForm | None = None,
    processor_fps: bool | None = None,
    max_tokens_field: str | None = None,
    answering: _Answering = "text",
    reasoning_tokens: _PositiveInt | None = None,
    reasoning_effort: str | None = None,
    extra: dict[str, Any] | None = None,
    concurrency: _PositiveInt = 8,
    timeout_s: float = 600,
    max_attempts: _PositiveInt | None = None,
    backoff_s: float = 1.0,
    max_wait_s: float = 120.0,
    prices: Path | None = None,
    api_key_variable: str = KEY_VARIABLE,
) -> OpenAIChatModel:
    """The model `openai:ARGUMENT`.

    `server` names what sort of server it is; a setting of `video_as`, `audio_as`, `processor_fps` or
    `max_tokens_field` goes before what is known of it. `answering: letters` takes single-select answers from the
    probabilities of the first token, the text where the server tells none. `extra` goes into every request's JSON as it
    is, and a null takes a setting away. `max_attempts`: None = five, and eight where the only server is too busy. The
    key is read from the environment variable `api_key_variable`.
    """
    model, urls = parse_argument(argument)
    chosen: dict[str, Any] = {"video_as": video_as, "audio_as": audio_as}
    chosen |= {"processor_fps": processor_fps, "max_tokens_field": max_tokens_field}
    traits = _traits(f"openai:{argument}", server, chosen, extra or {})
    writer = RequestWriter(model, traits, reasoning_tokens, reasoning_effort)
    # A model that reasons first has no letter for a first token.
    by_letter = answering == "letters" and traits.letters and not (reasoning_tokens or reasoning_effort)
    answers_by: _Answering = "letters" if by_letter else "text"
    key, retries = read_api_key(api_key_variable), _retries(max_attempts, backoff_s, max_wait_s, servers=len(urls))
    return OpenAIChatModel(
        f"openai:{argument}",
        [
            ChatClient(url, api_key=key, timeout_s=timeout_s, retries=retries, gate=Gate(Pace(concurrency)))
            for url in urls
        ],
        writer,
        limits=Limits(
            modalities=frozenset(modalities), max_frames=max_frames, max_audio_s=max_audio_s, sample_rate=sample_rate
        ),
        revision=with_settings(revision, _settings(writer, answers_by), _USUAL),
        concurrency=concurrency,
        answering=answers_by,
        price=None if prices is None else price_of(model, prices),
    )


def _retries(max_attempts: int | None, backoff_s: float, max_wait_s: float, *, servers: int) -> Retries:
    """How patient to be. Where another server may answer, one that has too much to do is not waited for any longer."""
    usual = Retries(backoff_s=backoff_s, max_wait_s=max_wait_s)
    tries = max_attempts or usual.max_attempts
    alone = servers == 1 and max_attempts is None
    return usual._replace(max_attempts=tries, max_overloaded=usual.max_overloaded if alone else tries)


def _traits(name: str, server: str | None, chosen: Mapping[str, Any], extra: Mapping[str, Any]) -> ServerTraits:
    """What is known of the server, with the model's own settings on top. InputError where tools would be offered."""
    known = read_traits(server)
    own = {key: value for key, value in chosen.items() if value is not None}
    traits = known.model_copy(update={**own, "extra": with_extra(known.extra, extra)})
    offered = [field for field in _TOOLS if traits.extra.get(field) not in (None, [], {}, "none")]
    if offered:
        raise InputError(f'model "{name}": the setting extra offers tools ({offered[0]}). Leave that out.')
    return traits


def _settings(writer: RequestWriter, answering: str) -> dict[str, Any]:
    """All that can change answers, beside the model."""
    return {
        "answering": answering,
        "reasoning_tokens": writer.reasoning_tokens,
        "reasoning_effort": writer.reasoning_effort,
        **writer.traits.model_dump(mode="json", exclude=set(_WITHOUT_EFFECT)),
    }


_USUAL = _settings(RequestWriter("", ServerTraits()), "text")
