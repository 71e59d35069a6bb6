"""How the number of prompt tokens grows with what is sent: even growth means that all of it arrives.

Pure: amounts (pictures, or seconds of sound) and the tokens that the server counted for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from string import Template

from pydantic import Field

from musebench_tasks.base.records.base import Record

TOLERANCE = 0.05
"""Growth may fall short by so much, and by ROUNDING tokens a step."""
ROUNDING = 2
FLAT = 0.02
"""Growth below this share of the first is none."""
LONGEST_PAIR = 2
"""Film encoders that take pictures two by two count one as much as two."""


class Point(Record):
    """A request: how much was sent, and what the server counted."""

    amount: int
    tokens: int | None
    """Tokens of the whole prompt; None = not told."""
    latency_s: float | None = None


class Shape(StrEnum):
    """What the growth looks like."""

    EVEN = "even"
    CAPPED = "capped"
    """Even, then none at all."""
    FALLING = "falling"
    """Even, then less."""
    CONSTANT = "constant"
    """One amount counts like all others."""
    STEPPED = "stepped"
    """Counted in large pieces: flat over small amounts, then more."""
    ABSENT = "absent"
    """Sending it or not is the same."""
    UNTOLD = "untold"
    """The server counts nothing, or too little was sent to tell."""


class Growth(Record):
    """The judgement over a row of points."""

    shape: Shape
    per_unit: float | None = None
    """Tokens a picture or second, where growth was even."""
    even_until: int | None = None
    arrived: int | None = None
    """How much of the largest amount the tokens account for; None = the tokens do not tell."""


def judge(points: Sequence[Point]) -> Growth:
    """The growth over points of rising amounts, the first of which is 0."""
    told = [(point.amount, point.tokens) for point in points if point.tokens is not None]
    if len(told) < len(points) or len(told) < 2 or told[0][0]:
        return Growth(shape=Shape.UNTOLD)
    (_, without), *rest = told
    largest, most = rest[-1]
    if most - without <= ROUNDING:
        return Growth(shape=Shape.ABSENT, arrived=0)
    if len(rest) == 1:
        return Growth(shape=Shape.UNTOLD)
    flat_until = _flat_until(rest)
    if flat_until == largest and largest > LONGEST_PAIR:
        return Growth(shape=Shape.CONSTANT)
    if flat_until > LONGEST_PAIR:
        return Growth(shape=Shape.STEPPED)
    return _judge_steps([pair for pair in rest if pair[0] >= flat_until])


def _flat_until(points: Sequence[tuple[int, int]]) -> int:
    """The largest amount that counts no more than the smallest."""
    first = points[0][1]
    return max(amount for amount, tokens in points if abs(tokens - first) <= ROUNDING)


def _judge_steps(points: Sequence[tuple[int, int]]) -> Growth:
    largest, most = points[-1]
    if len(points) == 1:
        return Growth(shape=Shape.UNTOLD)
    (first, tokens), (second, more) = points[:2]
    per_unit = (more - tokens) / (second - first)
    for (start, before), (end, after) in pairwise(points):
        wanted = per_unit * (end - start)
        if after - before < wanted * (1 - TOLERANCE) - ROUNDING:
            stays = abs(most - after) <= FLAT * per_unit * (largest - end) + ROUNDING
            arrived = round(first + (most - tokens) / per_unit)
            return Growth(
                shape=Shape.CAPPED if stays and after >= before else Shape.FALLING,
                per_unit=per_unit,
                even_until=start,
                arrived=max(0, min(largest, arrived)),
            )
    return Growth(shape=Shape.EVEN, per_unit=per_unit, even_until=largest, arrived=largest)


class PingCode(StrEnum):
    """What can be wrong."""

    FEWER_PICTURES = "fewer_pictures"
    SMALLER_PICTURES = "smaller_pictures"
    NO_PICTURES = "no_pictures"
    TOO_MANY_PICTURES = "too_many_pictures"
    FEWER_FILM_PICTURES = "fewer_film_pictures"
    SOUND_TWICE = "sound_twice"
    NO_FILM = "no_film"
    FILM_ARRIVES = "film_arrives"
    VIDEO_ARRIVES = "video_arrives"
    PICTURES_ARRIVE = "pictures_arrive"
    SHORTER_SOUND = "shorter_sound"
    NO_SOUND = "no_sound"
    SOUND_BY_ADDRESS = "sound_by_address"
    SOUND_ITSELF = "sound_itself"
    TOO_LONG_SOUND = "too_long_sound"
    DROPPED_TOGETHER = "dropped_together"
    WRONG_MEDIA_CACHED = "wrong_media_cached"
    WRONG_MEDIA_ALWAYS = "wrong_media_always"
    NO_PREFIX_CACHE = "no_prefix_cache"
    CACHE_UNTOLD = "cache_untold"
    NO_LETTERS = "no_letters"
    TOO_LONG = "too_long"
    TOOLS = "tools"
    REASONING = "reasoning"
    TEXT_REFUSED = "text_refused"


_VLLM = {
    PingCode.NO_PICTURES: """Start vLLM with --limit-mm-per-prompt '{"image": 64}' and a model that takes pictures""",
    PingCode.TOO_MANY_PICTURES: """Start vLLM with --limit-mm-per-prompt '{"image": 64, "video": 1, "audio": 1}'""",
    PingCode.FEWER_FILM_PICTURES: """Start vLLM with --media-io-kwargs '{"video": {"num_frames": -1}}'""",
    PingCode.WRONG_MEDIA_CACHED: "Start vLLM with --no-enable-prefix-caching, or use a newer version",
    PingCode.WRONG_MEDIA_ALWAYS: "Start vLLM with --mm-processor-cache-gb 0, or use a newer version",
    PingCode.NO_PREFIX_CACHE: "Start vLLM with --enable-prefix-caching (models with linear attention may reuse "
    "nothing)",
    PingCode.CACHE_UNTOLD: "Start vLLM with --enable-prompt-tokens-details to be told",
    PingCode.NO_LETTERS: "Start vLLM with --max-logprobs 20",
    PingCode.TOO_LONG: "Start vLLM with a larger --max-model-len",
    PingCode.TOOLS: "Start vLLM without --enable-auto-tool-choice",
}
_SGLANG = {
    PingCode.NO_PICTURES: "Start SGLang with --enable-multimodal and a model that takes pictures",
    PingCode.TOO_MANY_PICTURES: """Start SGLang with --limit-mm-data-per-request '{"image": 64}'""",
    PingCode.WRONG_MEDIA_CACHED: "Start SGLang with --disable-radix-cache, or use a newer version",
    PingCode.NO_PREFIX_CACHE: "Start SGLang without --disable-radix-cache",
    PingCode.CACHE_UNTOLD: "Start SGLang with --enable-cache-report to be told",
    PingCode.TOO_LONG: "Start SGLang with a larger --context-length",
    PingCode.TOOLS: "Start SGLang without --tool-call-parser",
}
_FLAGS = {"vllm": _VLLM, "sglang": _SGLANG}
_ANY_SERVER = {
    PingCode.FEWER_PICTURES: "Raise the server's limit of pictures",
    PingCode.SMALLER_PICTURES: "Raise the server's pixel budget",
    PingCode.NO_PICTURES: "Use a model that takes pictures",
    PingCode.TOO_MANY_PICTURES: "Raise the server's limit of pictures",
    PingCode.TOO_LONG_SOUND: "Raise the server's limit of sound",
    PingCode.NO_SOUND: "Use a model that hears",
    PingCode.DROPPED_TOGETHER: "Use a server and a model that take both at once",
    PingCode.WRONG_MEDIA_CACHED: "Turn the server's prefix cache off, or use a newer version",
    PingCode.WRONG_MEDIA_ALWAYS: "Turn the server's caches of media off, or use a newer version",
    PingCode.NO_PREFIX_CACHE: "Turn the server's prefix cache on",
    PingCode.CACHE_UNTOLD: "Let the server tell prompt_tokens_details.cached_tokens",
    PingCode.TOO_LONG: "Raise the server's context length",
    PingCode.TOOLS: "Turn tools off in the server",
}
_OURS = {
    PingCode.FEWER_PICTURES: "Or give run --max-frames $arrived: what is left out is then known and told",
    PingCode.SMALLER_PICTURES: "Or give run --max-frames $even",
    PingCode.NO_PICTURES: "Or use a card with limits: {modalities: [audio]}",
    PingCode.TOO_MANY_PICTURES: "Or give run --max-frames $sent",
    PingCode.FEWER_FILM_PICTURES: "Or send pictures: video_as: frames in the model card",
    PingCode.SOUND_TWICE: "Put video_as: frames into the model card, so that sound arrives once",
    PingCode.NO_FILM: "Put video_as: frames into the model card",
    PingCode.FILM_ARRIVES: "Put video_as: clip into a model card: a film arrives",
    PingCode.VIDEO_ARRIVES: "Put video_as: video into a model card (server: vllm says so too): all pictures arrive "
    "as one video",
    PingCode.PICTURES_ARRIVE: "Put video_as: frames into the model card: pictures arrive one by one",
    PingCode.SHORTER_SOUND: "Put limits: {max_audio_s: $arrived} into a model card: what is cut is then known and told",
    PingCode.NO_SOUND: "Or use a card with limits: {modalities: [video]}: a transcript takes the place of sound where "
    "a task has one",
    PingCode.SOUND_BY_ADDRESS: "Put audio_as: audio_url into a model card (server: sglang says so too)",
    PingCode.SOUND_ITSELF: "Put audio_as: input_audio into the model card",
    PingCode.TOO_LONG_SOUND: "Or put limits: {max_audio_s: $sent} into a model card",
    PingCode.DROPPED_TOGETHER: "Or use a card with the one modality that arrives",
    PingCode.NO_PREFIX_CACHE: "Every question about a clip costs the whole clip",
    PingCode.NO_LETTERS: "Or keep --answering text",
    PingCode.TOO_LONG: "Or give run a smaller --max-frames",
    PingCode.TOOLS: "Answers found with tools count as violations",
    PingCode.REASONING: "Put reasoning_tokens into a model card, or a run's answers are cut before they begin; "
    "or turn thinking off in the card's extra settings",
    PingCode.TEXT_REFUSED: "Put what the message asks for into a model card: server: openai, vllm or sglang; "
    "max_tokens_field; extra",
}


def advice(problem: PingCode, server: str | None = None, flag: str | None = None, **amounts: int | None) -> str:
    """What to do with the server, then on our side; `flag`: the flag that this server is known to need."""
    of_server = _FLAGS.get((server or "").lower(), {}).get(problem)
    if of_server is None:
        of_server = f"Start the server with {flag}" if flag else _ANY_SERVER.get(problem, "")
    known = {name: amount for name, amount in amounts.items() if amount}
    ours = Template(_OURS.get(problem, "")).safe_substitute(known)
    sentences = [text for text in (of_server, "" if "$" in ours else ours) if text]
    first = [sentences[0].removeprefix("Or ")] if sentences else []
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in (*first, *sentences[1:]))


class State(StrEnum):
    """What a finding means for a run."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing; scores stay what they are."""
    WARN = "warn"
    """Scores would be others than the model deserves."""


class Finding(Record):
    """One line of the report."""

    topic: str
    state: State
    told: str
    advice: str | None = None
    """What to do about it."""


class Ladder(Record):
    """More and more of one kind of medium."""

    way: str
    unit: str
    """pictures or seconds."""
    points: tuple[Point, ...]
    growth: Growth
    sent: int
    """The largest amount that the server accepted."""
    seen: int | None = None
    """How much of that the model told: numbers read, beeps counted. None = it told none."""
    counts: dict[int, int | None] = Field(default_factory=dict)
    """Beeps counted in fewer seconds, where not all were counted in the most."""
    refused_at: int | None = None
    refusal: str | None = None


class Ping(Record):
    """Everything about one model behind one address."""

    address: str
    model: str
    server: str | None = None
    """What it calls itself in its list of models."""
    max_model_len: int | None = None
    sends: tuple[str, ...]
    """The ways in which a run sends media there."""
    findings: tuple[Finding, ...]
    ladders: tuple[Ladder, ...] = ()
    latency_s: dict[str, float]
    """Seconds to the first token, by what was sent."""

    @property
    def is_fine(self) -> bool:
        """Whether a run would measure what it says."""
        return all(finding.state is not State.WARN for finding in self.findings)
