"""What a model returned (Response) and what was read in it (Prediction)."""

from typing import Any, Literal

from pydantic import field_validator

from musebench_tasks.base.conditions import Condition
from musebench_tasks.base.records.base import Record
from musebench_tasks.base.records.enums import Status


def whole_characters(text: Any) -> Any:
    """`text` with half of a character pair, which models cut off and files cannot hold, as the replacement sign."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(text, str) else text


class Received(Record):
    """What of the media really reached the model. None = not applicable."""

    frames_available: int | None = None
    """Frames that the window holds at the rate asked for."""
    frames_used: int | None = None
    frame_policy: str | None = None
    frame_times_s: tuple[float, ...] | None = None
    """Seconds from the window's start, where they do not follow from the policy."""
    audio_route: str | None = None
    """native, transcript or none."""
    audio_s: float | None = None
    audio_parts: int | None = None
    """Parts that the sound came in; None = one, or none."""
    media_tokens: int | None = None
    flags: tuple[str, ...] = ()
    """Legal peculiarities of the medium (faults_media.md), and `audio_truncated`."""


class PrefixCheck(Record):
    """What came of asking a request again with its prompt read whole."""

    logit_difference: float | None = None
    """Largest difference of the first token's logits; None where they were not to be had."""
    is_exact: bool
    """Whether the logits differ by no more than rounding explains."""
    answer_changed: bool
    """Whether another letter was the likeliest, or other tokens were generated."""


NO_SHARED_MEDIA = "the prompts share no media"
"""The reason of prompts that were read whole since nothing could be shared."""


class PrefixUse(Record):
    """How a request's prompt met the others of its medium."""

    mode: Literal["plain", "shared", "batched"]
    """Read whole; continued from a shared beginning; continued so together with others."""
    tokens: int | None = None
    """Tokens of the shared beginning."""
    reason: str | None = None
    """Why it was read whole, where sharing was tried."""
    check: PrefixCheck | None = None
    """Set where the run was told to check this request (`--verify-prefix`)."""


class Response(Record):
    """One line of a worker's journal. `failure` and `error` are set iff no model's answer came."""

    key: str
    item_id: str
    run: int
    condition: Condition
    option_order: tuple[str, ...] | None = None
    raw: str | None = None
    option_probabilities: dict[str, float] | None = None
    finish_reason: str | None = None
    received: Received | None = None
    failure: Status | None = None
    """media_error, media_unavailable, backend_error or timeout."""
    error: str | None = None
    """`code: explanation` for media failures, else the exception's text."""
    attempts: int = 1
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    """Prompt tokens that a server had in its prefix cache, where it tells."""
    latency_s: float | None = None
    prefix: PrefixUse | None = None
    reasoning: str | None = None
    """What the model wrote before its answer, where it comes apart from it."""
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    """By the price file of the run."""
    violation: str | None = None
    """What broke the protocol, such as a call of a tool that was never offered."""
    notes: tuple[str, ...] = ()
    """What went otherwise than planned and was made up for: another server asked, text read in place of letters."""

    @field_validator("raw", "error", "reasoning", mode="before")
    @classmethod
    def _storable(cls, text: Any) -> Any:
        return whole_characters(text)


class FieldAnswer(Record):
    """One field of a music answer. `value` is None unless `status` is ok.

    Values: tempo float (BPM); key `Eb major`; time_signature `6/8`; segments list of {start_s, end_s, label}.
    """

    value: Any = None
    status: Status
    rule: str | None = None
    flags: tuple[str, ...] = ()


class Frames(Record):
    """Frames that a model got, as predictions disclose them."""

    available: int
    used: int
    policy: str


class Audio(Record):
    """Audio that a model got, as predictions disclose it."""

    route: str
    seconds: float | None = None


class Parser(Record):
    """Who read the text."""

    method: str
    version: str


class Prediction(Record):
    """One line of predictions.jsonl. No gold, no scores, no times."""

    item_id: str
    run: int
    condition: Condition
    option_order: tuple[str, ...] | None = None
    raw: str | None = None
    option_probabilities: dict[str, float] | None = None
    parsed: tuple[str, ...] | dict[str, FieldAnswer] | None = None
    """Choice: option ids in id order. Music: one FieldAnswer a field."""
    parser: Parser | None = None
    rule: str | None = None
    flags: tuple[str, ...] = ()
    status: Status
    finish_reason: str | None = None
    frames: Frames | None = None
    audio: Audio | None = None


class JudgeReply(Record):
    """One line of judge.jsonl: what a judge replied about one prediction that the rules left unparsed."""

    key: str
    """SHA-256 of all that the reply depends on: judge, prompt, options as shown, text."""
    item_id: str
    run: int
    condition: Condition
    judge: str
    """The judging model's name."""
    prompt_sha256: str
    raw: str

    @field_validator("raw", mode="before")
    @classmethod
    def _storable(cls, text: Any) -> Any:
        return whole_characters(text)
