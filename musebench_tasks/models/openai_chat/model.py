"""Asks servers that speak OpenAI's chat completions, over HTTP.

A message is: system text, then the media, byte for byte the same for all questions of a group, then the question;
so that a server that keeps prefixes encodes the media once. The first question of a group goes alone, the others
follow together, and before other media's first ones. Several addresses are replicas: a medium always goes to the
same one, and to the next where that does not answer. Tools are never offered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from musebench_tasks.answers.outcomes import was_cut
from musebench_tasks.answers.tool_calls import without_tool_calls
from musebench_tasks.base.cost_meter import CostMeter, cost_meter_of
from musebench_tasks.base.errors import ModelUnusableError, MuseError
from musebench_tasks.base.records import Kind, Limits, Received, Request, Response, Status
from musebench_tasks.models.chat_client import ChatClient, ChatError
from musebench_tasks.models.chat_reply import Completion
from musebench_tasks.models.openai_chat.bodies import Media, RequestWriter
from musebench_tasks.models.openai_chat.replicas import Replicas
from musebench_tasks.models.openai_chat.traits import is_by_letter, letter_shares
from musebench_tasks.models.pace import as_they_end
from musebench_tasks.models.prices import Price
from musebench_tasks.models.protocol import answered, failed
from musebench_tasks.prompts.leak_guard import LeakGuard, guard_of

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup


PATIENCE_S = 10.0
"""Seconds in which a server that has answered nothing yet must be reached."""
MOST_ALIKE = 16
"""Requests in a row that may fail in a way that every other would too, of a server that has answered before."""
MOST_UNITS_IN_FLIGHT = 32
"""Media files at a time at most: each holds its encoded media in memory."""
TOOL_CALL = "tool_call"
"""The violation of an answer that calls a tool: none was offered."""
FILTERED_BY_SERVER = "content_filter: the server withheld the answer; --retry errors asks again"
NO_PROBABILITIES = "letters: the server told no probabilities of first tokens; the text was read"
NO_LETTER = "letters: no letter was among the likeliest first tokens; the text was read"
LETTERS_REFUSED = "letters: the server refused to tell probabilities; the text was asked for"
NO_COUNTS = "cost: the server told no token counts"
NO_TOKENS_LEFT = "reasoning: it left no tokens for the answer; the setting reasoning_tokens gives it some of its own"
UNHEARD = "media: the server counted no tokens of the sound that was sent"
UNSEEN = "media: the server counted no tokens of the pictures that were sent"


@dataclass(frozen=True)
class _Common:
    """What the requests of a group share."""

    home: ChatClient
    media: Media
    received: Received
    guard: LeakGuard | None
    cost_meter: CostMeter


@dataclass
class _Asking:
    """What one request has gone through."""

    common: _Common
    urgent: bool
    attempts: int = 0
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class OpenAIChatModel:
    """The model spec `openai:MODEL@URL[,URL…]`."""

    kinds = frozenset(Kind)
    takes_audio_parts = True

    def __init__(
        self,
        name: str,
        clients: Sequence[ChatClient],
        writer: RequestWriter,
        *,
        limits: Limits,
        revision: str,
        concurrency: int,
        answering: Literal["text", "letters"] = "text",
        price: Price | None = None,
    ) -> None:
        """`concurrency` bounds the questions about one medium in flight; the clients' gates bound each server's."""
        self.name = name
        self.limits = limits
        self.revision = revision
        self.servers = tuple(client.url for client in clients)
        self.answering = answering
        self.units_in_flight = min(MOST_UNITS_IN_FLIGHT, concurrency * len(clients))
        self.reasoning = _reasoning(writer)
        self._writer = writer
        self._replicas = Replicas(clients)
        self._concurrency = concurrency
        self._price = price
        self._tells_letters = answering == "letters"
        self._without_letters: set[ChatClient] = set()
        """Servers that refused to tell probabilities."""
        self._has_answered = False
        self._failed_alike = 0
        """Requests since the last answer that failed in a way that every other would too."""

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """The server's answer to each request: one to warm the prefix up, then the others together.

        Raises ModelUnusableError where nothing was ever answered and nothing will be.
        """
        self._replicas.look_for_all()
        media = self._writer.media(group)
        common = _Common(
            self._replicas.home(group.requests), media, group.received(), guard_of(group), cost_meter_of(group)
        )
        first, *others = group.requests
        yield self._ask(first, _Asking(common, urgent=False))
        if others:
            yield from self._together(others, common)

    def _together(self, requests: Sequence[Request], common: _Common) -> Iterator[Response]:
        """The server's answers as they come. What ends the run ends it once all that is on its way was answered."""
        ends: list[MuseError] = []

        def ask(request: Request) -> Response | None:
            if ends:
                return None
            try:
                return self._ask(request, _Asking(common, urgent=True))
            except MuseError as problem:
                ends.append(problem)
                return None

        for response in as_they_end(ask, requests, self._concurrency, "musebench-ask"):
            if response is not None:
                yield response
        if ends:
            raise ends[0]

    def _ask(self, request: Request, asking: _Asking) -> Response:
        """The request's response: of its medium's server, or of the first other one that answers."""
        servers = self._replicas.in_turn(asking.common.home)
        for place, client in enumerate(servers):
            try:
                completion, by_letter = self._complete(client, request, asking)
            except ChatError as failure:
                asking.attempts += failure.attempts
                told = failure.text.rstrip(".")
                asking.errors.append(f"{client.url}: {told}" if len(servers) > 1 else told)
                if failure.elsewhere and place + 1 < len(servers):
                    self._replicas.lose(client)
                    continue
                self._failed_alike += bool(failure.remedy)
                if failure.remedy and (not self._has_answered or self._failed_alike >= MOST_ALIKE):
                    raise self._unusable(client, failure) from failure
                return failed(request, failure.status, "; ".join(asking.errors), attempts=asking.attempts)
            self._has_answered, self._failed_alike = True, 0
            asking.attempts += completion.attempts
            if client is not asking.common.home:
                asking.notes.append(f"server: {client.url} answered in place of {asking.common.home.url}")
            return self._response(request, completion, by_letter, asking)
        raise AssertionError("the last server answers or fails")

    def _complete(self, client: ChatClient, request: Request, asking: _Asking) -> tuple[Completion, bool]:
        """The completion, and whether it was asked for by letter; where the server refuses that, by text."""
        by_letter = self._tells_letters and is_by_letter(request)
        if not (by_letter and client in self._without_letters):
            try:
                return self._send(client, request, asking, by_letter), by_letter
            except ChatError as failure:
                if not (by_letter and failure.http_status in (400, 403, 422) and "logprob" in failure.text.lower()):
                    raise
                asking.attempts += failure.attempts
                self._without_letters.add(client)
        asking.notes.append(LETTERS_REFUSED)
        return self._send(client, request, asking, by_letter=False), False

    def _send(self, client: ChatClient, request: Request, asking: _Asking, by_letter: bool) -> Completion:
        body = self._writer.body(request, asking.common.media, by_letter=by_letter)
        if asking.common.guard is not None:
            asking.common.guard.check_json(request, body)
        patience_s = math.inf if self._has_answered else PATIENCE_S
        with asking.common.cost_meter.payment(request.key) as payment:
            completion = client.complete(body, patience_s, urgent=asking.urgent, before_sending=payment.begin)
            payment.received(self._cost_usd(completion))
        return completion

    def _cost_usd(self, completion: Completion) -> float | None:
        return None if self._price is None else self._price.cost_usd(completion.tokens)

    def _unusable(self, client: ChatClient, failure: ChatError) -> ModelUnusableError:
        again = "the same command again"
        if self._has_answered:
            again += f", with --retry errors for the last {self._failed_alike - 1} requests, which failed alike"
        return ModelUnusableError(
            f'model "{self.name}": {client.url}: {str(failure).rstrip(".")}. {failure.remedy}, then give {again}.'
        )

    def _response(self, request: Request, completion: Completion, by_letter: bool, asking: _Asking) -> Response:
        tokens = completion.tokens
        asking.notes += self._replicas.news()
        cost_usd = self._cost_usd(completion)
        if self._price is not None and cost_usd is None:
            asking.notes.append(NO_COUNTS)
        asking.notes += _missing(asking.common.received, completion)
        if not completion.text and was_cut(completion.finish_reason) and (completion.reasoning or tokens.reasoning):
            asking.notes.append(NO_TOKENS_LEFT)
        shares = self._shares(request, completion, asking) if by_letter else None
        details: dict[str, Any] = {
            "finish_reason": completion.finish_reason,
            "attempts": asking.attempts,
            "prompt_tokens": tokens.prompt,
            "completion_tokens": tokens.completion,
            "cached_tokens": tokens.cached,
            "reasoning": completion.reasoning,
            "reasoning_tokens": tokens.reasoning,
            "latency_s": completion.latency_s,
            "cost_usd": cost_usd,
            "notes": tuple(asking.notes),
        }
        if completion.is_withheld:
            return failed(request, Status.BACKEND_ERROR, FILTERED_BY_SERVER, **details)
        called = completion.called_tool or without_tool_calls(completion.text)[1]
        return answered(
            request,
            completion.text if shares is None else None,
            option_probabilities=shares,
            received=asking.common.received.model_copy(update={"media_tokens": completion.media_tokens}),
            violation=TOOL_CALL if called else None,
            **details,
        )

    def _shares(self, request: Request, completion: Completion, asking: _Asking) -> dict[str, float] | None:
        """Probabilities of the options; None with a note where the text must do."""
        shares = letter_shares(request, completion.first_tokens)
        if shares is None:
            asking.notes.append(NO_LETTER if completion.first_tokens else NO_PROBABILITIES)
        return shares


def _missing(received: Received, completion: Completion) -> Iterator[str]:
    """What was sent and, by the server's own counts, never reached the model."""
    if received.audio_s and completion.tokens.audio == 0:
        yield UNHEARD
    if received.frame_policy is not None and completion.tokens.image == 0:
        yield UNSEEN


def _reasoning(writer: RequestWriter) -> str | None:
    """What run.yaml says of reasoning; None = nothing was set."""
    tokens = None if writer.reasoning_tokens is None else f"at most {writer.reasoning_tokens} tokens"
    effort = None if writer.reasoning_effort is None else f"effort {writer.reasoning_effort}"
    return ", ".join(each for each in (tokens, effort) if each) or None
