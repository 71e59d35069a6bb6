"""A judge of texts: any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.models.api_keys import KEY_VARIABLE, read_api_key
from musebench_tasks.models.chat_client import ChatClient, ChatError, Retries, json_bytes
from musebench_tasks.models.openai_chat import PATIENCE_S, parse_argument
from musebench_tasks.models.pace import as_they_end

LONGEST_VERDICT_TOKENS = 2048
"""Room for a judge that thinks before it replies."""
CONCURRENCY = 8
_KIND = "openai:"

Asked = tuple[str, str, str]
"""Name of the question, system message, user message."""
Reply = tuple[str, str | None]
"""Name of the question, and what the judge replied; None where no reply came."""


class TextJudge:
    """Puts texts to a chat-completions server and gives its replies as they are."""

    def __init__(self, name: str, clients: tuple[ChatClient, ...]) -> None:
        self.name = name
        """The model's name, without the address."""
        self._clients = clients
        self._has_replied = False
        self._settings: dict[str, Any] = {"max_tokens": LONGEST_VERDICT_TOKENS, "temperature": 0.0, "stream": False}
        """Those that the model does not take go, as it says so."""

    def replies(self, asked: Iterable[Asked]) -> Iterator[Reply]:
        """The reply to each question, in any order: one alone, then several at a time.

        Raises ModelUnusableError where nothing was ever answered and nothing will be.
        """
        questions = list(enumerate(asked))
        if questions:
            yield self._reply(*questions[0])
        yield from as_they_end(lambda each: self._reply(*each), questions[1:], CONCURRENCY, "musebench-judge")

    def _reply(self, number: int, question: Asked) -> Reply:
        name, system, user = question
        client = self._clients[number % len(self._clients)]
        settings = self._settings
        try:
            body = self._body(system, user, settings)
            completion = client.complete((body,), math.inf if self._has_replied else PATIENCE_S)
        except ChatError as failure:
            if failure.refused in settings:
                self._settings = _without(settings, failure.refused)
                return self._reply(number, question)
            if failure.remedy and not self._has_replied:
                raise ModelUnusableError(
                    f'judge "{self.name}": {client.url}: {failure.text.rstrip(".")}. '
                    f"{failure.remedy}, then give the same command again."
                ) from failure
            return name, None
        self._has_replied = True
        return name, None if completion.is_withheld else completion.text

    def _body(self, system: str, user: str, settings: Mapping[str, Any]) -> bytes:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return json_bytes({"model": self.name, "messages": messages, **settings})


def _without(settings: Mapping[str, Any], refused: str | None) -> dict[str, Any]:
    """The settings without one of them; models that reason want their limit of tokens under another name."""
    kept = {name: value for name, value in settings.items() if name != refused}
    return {"max_completion_tokens": settings["max_tokens"], **kept} if refused == "max_tokens" else kept


def load_judge(spec: str, *, timeout_s: float = 600, retries: Retries | None = None) -> TextJudge:
    """The judge `openai:MODEL@URL[,URL…]`; its key is read from the environment variable OPENAI_API_KEY."""
    if not spec.startswith(_KIND):
        raise InputError(
            f'judge "{spec}" is not known. Write openai:MODEL@URL, for example openai:m@http://host:8000/v1.'
        )
    model, urls = parse_argument(spec.removeprefix(_KIND))
    key = read_api_key(KEY_VARIABLE)
    return TextJudge(model, tuple(ChatClient(url, api_key=key, timeout_s=timeout_s, retries=retries) for url in urls))
