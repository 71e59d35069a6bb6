"""What a chat completion says: the answer, apart from reasoning, refusals, tool calls and counts of tokens."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NamedTuple, TypeVar

from musebench_tasks.base.errors import BackendError
from musebench_tasks.models.prices import TokenCounts

FILTERED = "content_filter"
"""Finish reason of an answer that the server withheld or cut off for its content."""
REFUSED = "refusal"
"""Finish reason of an answer in which the server itself says that the model refused."""
_CALLING = frozenset({"tool_calls", "function_call"})
_BROKEN_OFF = frozenset({"abort", "error"})
"""Finish reasons of an answer that the server did not bring to an end."""
_LONGEST_MESSAGE = 500
_UNSUPPORTED = ("unsupported_parameter", "unsupported_value")
_SETTING = re.compile(r"[a-z][a-z_]{0,40}")
_NAMES = "think|thinking|thought|reasoning"
_THOUGHT_ALOUD = re.compile(rf"\s*(?:<(?:{_NAMES}) ?>)?(?P<reasoning>.*?)</(?:{_NAMES}) ?>", re.DOTALL | re.IGNORECASE)
_Kind = TypeVar("_Kind")


class UnreadableReplyError(BackendError):
    """A reply that is no completion; the next one may be."""


class Completion(NamedTuple):
    """What a server answered."""

    text: str
    finish_reason: str | None
    """As the server says; `refusal` where a message is marked as one."""
    tokens: TokenCounts
    media_tokens: int | None
    """Prompt tokens of pictures and sound, where the server counts them apart."""
    reasoning: str | None
    """What came before the answer and apart from it."""
    called_tool: bool
    first_tokens: dict[str, float]
    """Log-probabilities of the likeliest first tokens, where they were asked for and told."""
    attempts: int = 1
    latency_s: float = 0.0
    """Seconds of the attempt that succeeded."""

    @property
    def is_withheld(self) -> bool:
        """Whether the server held it back for its content, as `content_filter` or `content_filter: RECITATION` say."""
        return (self.finish_reason or "").partition(":")[0] == FILTERED

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens of the prompt, where the server tells."""
        return self.tokens.prompt

    @property
    def completion_tokens(self) -> int | None:
        """Tokens of answer and reasoning, where the server tells."""
        return self.tokens.completion

    @property
    def cached_tokens(self) -> int | None:
        """Prompt tokens that the server had in its prefix cache, where it tells."""
        return self.tokens.cached


def read_completion(content: bytes) -> Completion:
    """The completion in a reply. Raises UnreadableReplyError where it holds none, or one that was broken off."""
    try:
        data = json.loads(content)
        if "error" in data and not data.get("choices"):
            raise UnreadableReplyError(error_message(content))
        choice = data["choices"][0]
        message = choice["message"]
        finish_reason = _typed(str, choice.get("finish_reason")) or None
        text, refusal, thoughts = _parts(message.get("content"))
        refusal = _typed(str, message.get("refusal")) or refusal
        apart = _first_text(message, "reasoning_content", "reasoning") or thoughts
        tokens, media_tokens = _counts(data.get("usage"))
        first_tokens = _first_tokens(choice.get("logprobs"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableReplyError(f"the reply is no chat completion: {error_message(content)}") from error
    if finish_reason in _BROKEN_OFF:
        raise UnreadableReplyError(f"the server broke the answer off ({finish_reason})")
    aloud, answer = split_reasoning(text)
    return Completion(
        text=answer or refusal,
        finish_reason=REFUSED if refusal and not answer else finish_reason,
        tokens=tokens,
        media_tokens=media_tokens,
        reasoning="\n".join(each for each in (apart, aloud) if each) or None,
        called_tool=bool(message.get("tool_calls") or message.get("function_call")) or finish_reason in _CALLING,
        first_tokens=first_tokens,
    )


def split_reasoning(text: str) -> tuple[str, str]:
    """What stands before the first closing think tag, and the rest; a block that was never closed stays in the text."""
    match = _THOUGHT_ALOUD.match(text) if "</" in text else None
    if match is None:
        return "", text
    return match["reasoning"].strip(), text[match.end() :].lstrip()


def error_message(content: bytes) -> str:
    """The explanation in an error reply, on one line."""
    text = content.decode("utf-8", errors="replace")
    try:
        data = json.loads(text)
        error = data.get("error") or data.get("message") or data.get("detail") or text
        text = error.get("message", text) if isinstance(error, dict) else error
    except (ValueError, AttributeError, RecursionError):
        pass
    return " ".join(str(text).split())[:_LONGEST_MESSAGE] or "nothing was said"


def refused_field(content: bytes) -> str | None:
    """The setting that a model does not take at all, where an error reply names one as OpenAI's API does."""
    try:
        error = json.loads(content)["error"]
        code, name = error.get("code"), error.get("param")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    is_setting = isinstance(name, str) and _SETTING.fullmatch(name) and name not in ("messages", "model")
    return str(name) if code in _UNSUPPORTED and is_setting else None


def _parts(content: Any) -> tuple[str, str, str]:
    """Text, refusal and thoughts of a message's content, which some servers give in parts."""
    if not isinstance(content, list):
        return _typed(str, content) or "", "", ""
    text = "".join(part.get("text") or "" for part in content if part.get("type") not in ("thinking", "reasoning"))
    refusal = "".join(part.get("refusal") or "" for part in content)
    thoughts = [part.get("thinking") or part.get("text") for part in content if "think" in str(part.get("type"))]
    return text, refusal, "".join(each if isinstance(each, str) else _parts(each)[0] for each in thoughts)


def _first_text(message: dict[str, Any], *names: str) -> str:
    """The first of the fields that holds a text."""
    return next((message[name] for name in names if message.get(name) and isinstance(message[name], str)), "")


def _counts(usage: Any) -> tuple[TokenCounts, int | None]:
    """Tokens by kind, and those of media; what is no count is not told."""
    usage = usage if isinstance(usage, dict) else {}
    prompt, completion = _details(usage, "prompt_tokens_details"), _details(usage, "completion_tokens_details")
    media = _details(prompt, "multimodal_tokens")
    # Where media are counted one by one, what is not named has no tokens.
    unnamed = 0 if media else None
    audio = _count(prompt.get("audio_tokens"), media.get("audio"), unnamed)
    image = _count(prompt.get("image_tokens"), media.get("image"), unnamed)
    video = _count(media.get("video"), unnamed)
    told = [each for each in (audio, image, video) if each is not None]
    tokens = TokenCounts(
        prompt=_count(usage.get("prompt_tokens")),
        completion=_count(usage.get("completion_tokens")),
        cached=_count(prompt.get("cached_tokens"), usage.get("prompt_cache_hit_tokens")),
        reasoning=_count(completion.get("reasoning_tokens"), usage.get("reasoning_tokens")),
        audio=audio,
        image=None if image is None and video is None else (image or 0) + (video or 0),
    )
    return tokens, sum(told) if any(told) else None


def _details(usage: dict[str, Any], name: str) -> dict[str, Any]:
    found = usage.get(name)
    return found if isinstance(found, dict) else {}


def _count(*values: Any) -> int | None:
    """The first value that is a number of tokens."""
    return next((each for each in values if isinstance(each, int) and not isinstance(each, bool) and each >= 0), None)


def _typed(kind: type[_Kind], value: Any) -> _Kind | None:
    """`value`, which must be of `kind` or None. TypeError where it is not."""
    if value is None or (isinstance(value, kind) and not isinstance(value, bool)):
        return value
    raise TypeError(f"{value!r} is no {kind.__name__}")


def _first_tokens(logprobs: dict[str, Any] | None) -> dict[str, float]:
    """Log-probabilities of the first place's likeliest tokens."""
    places = (logprobs or {}).get("content") or [{}]
    told = {_typed(str, each["token"]): float(each["logprob"]) for each in places[0].get("top_logprobs") or []}
    return {token: min(value, 0.0) for token, value in told.items() if token is not None and not math.isnan(value)}
