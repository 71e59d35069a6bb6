"""What a server takes (`yaml_configs/servers/NAME.yaml`), and how its first tokens become shares of letters."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from musebench_tasks.base import resources
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, Record, Request
from musebench_tasks.base.text import nearest
from musebench_tasks.models.cards import read_record
from musebench_tasks.prompts import has_label_like_options

VideoForm = Literal["frames", "video", "clip"]
"""Pictures one by one; the same pictures as one video with their times; a masked MP4 file."""
AudioForm = Literal["input_audio", "audio_url"]


class ServerTraits(Record):
    """`yaml_configs/servers/NAME.yaml`. The defaults are what most servers take."""

    description: str = ""
    video_as: VideoForm = "frames"
    """How a video goes. `video` is one video_url of JPEG pictures with their rate and places (vLLM)."""
    audio_as: AudioForm = "input_audio"
    """How sound goes: as OpenAI's input_audio, or as an audio_url."""
    processor_fps: bool = False
    """Whether the model's processor is told the rate of frames that come as one video (Qwen2.5 models on vLLM)."""
    max_tokens_field: str = "max_tokens"
    """What the limit of generated tokens is called."""
    letters: bool = True
    """Whether probabilities of first tokens are told."""
    top_logprobs: Annotated[int, Field(ge=1)] = 20
    """How many likeliest tokens are told at most."""
    reasoning_budget_field: str | None = None
    """What a limit of reasoning tokens of its own is called; None = there is only the one limit."""
    media_ids: bool = False
    """Whether each medium takes a `uuid`, by which the server knows it again without hashing it."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Fields for every request's JSON."""
    cached_tokens_flag: str | None = None
    """The server's flag without which it does not tell how many tokens its prefix cache held."""


def server_files() -> dict[str, Path]:
    """The servers that come with the package, by name."""
    return {path.stem: path for path in sorted((resources.yaml_configs() / "servers").glob("*.yaml"))}


def read_traits(server: str | None) -> ServerTraits:
    """The traits of a server by name or path of a YAML file; None = what most servers take."""
    if server is None:
        return ServerTraits()
    path = Path(server)
    if not (path.suffix in (".yaml", ".yml") and path.is_file()):
        known = server_files()
        if server not in known:
            raise InputError(
                f'server "{server}" is not known{nearest(server, known)}. Known: {", ".join(known)}, or a YAML file.'
            )
        path = known[server]
    return read_record(path, ServerTraits, "a server's traits are `key: value` lines, for example `video_as: frames`")


def is_by_letter(request: Request) -> bool:
    """Whether the first token is the answer; not where the prompt demands `ANSWER: <letter>`."""
    return request.kind is Kind.SINGLE and not has_label_like_options(request.options)


def letter_shares(request: Request, first_tokens: dict[str, float]) -> dict[str, float] | None:
    """Each option's share of the probability that the first token is a letter; None where no letter is among them."""
    weights = dict.fromkeys(request.labels, 0.0)
    for token, logprob in first_tokens.items():
        if token.strip() in weights:
            weights[token.strip()] += math.exp(logprob)
    total = sum(weights.values())
    if total == 0:
        return None
    return {option.id: weight / total for option, weight in zip(request.options, weights.values(), strict=True)}
