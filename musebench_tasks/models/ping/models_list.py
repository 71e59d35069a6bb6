"""The server's own list of its models, GET /models, where it has one."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.base.text import one_line
from musebench_tasks.models.api_keys import ApiKey
from musebench_tasks.models.chat_reply import error_message
from musebench_tasks.models.server_address import LOOPBACK, ServerAddress

_MOST = 10
_LONGEST = ("max_model_len", "context_length", "context_window", "max_context_length")


class ListedModel(NamedTuple):
    """A model as the server tells of it."""

    name: str
    server: str | None
    """Who it says it belongs to: vllm, sglang, llamacpp, openai."""
    max_model_len: int | None
    """Tokens of the context, where told."""


class _Opener(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the key goes to the named host only."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def list_models(url: str, *, api_key: ApiKey, timeout_s: float) -> tuple[ListedModel, ...] | None:
    """What the server lists; None where it has no list. Raises ModelUnusableError where nobody answers."""
    server = ServerAddress(url)
    address, headers = server.models, {"Accept": "application/json", **api_key.headers(server.key_header)}
    handlers: list[urllib.request.BaseHandler] = [_Opener()]
    if urllib.parse.urlsplit(address).hostname in LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))
    opener = urllib.request.build_opener(*handlers)
    try:
        with opener.open(urllib.request.Request(address, headers=headers), timeout=timeout_s) as reply:
            content = reply.read()
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            told = error_message(api_key.masked_bytes(error.read())).rstrip(".")
            raise ModelUnusableError(
                f"{address}: HTTP {error.code}: {told}. {api_key.remedy}, then ping again."
            ) from error
        return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        told = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        raise ModelUnusableError(
            f"{address}: no connection: {api_key.masked(told)}. Correct the address or start the server."
        ) from error
    return _read(content)


def _read(content: bytes) -> tuple[ListedModel, ...] | None:
    try:
        entries = json.loads(content)["data"]
        return tuple(ListedModel(str(each["id"]), _server(each), _longest(each)) for each in entries)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _server(entry: dict[str, Any]) -> str | None:
    owner = entry.get("owned_by")
    return owner if isinstance(owner, str) and owner else None


def _longest(entry: dict[str, Any]) -> int | None:
    told = {**(entry.get("meta") or {}), **entry}
    numbers = (told.get(name) for name in (*_LONGEST, "n_ctx", "n_ctx_train"))
    return next((number for number in numbers if isinstance(number, int) and number > 0), None)


def choose(listed: tuple[ListedModel, ...] | None, wanted: str | None, url: str) -> ListedModel:
    """The model to ask. InputError where it must be named, or the list does not hold it."""
    if wanted is not None:
        found = next((each for each in listed or () if each.name == wanted), None)
        return found or ListedModel(wanted, listed[0].server if listed else None, None)
    if not listed:
        raise InputError(f"{url} lists no models. Name one: musebench ping {url} MODEL.")
    if len(listed) > 1:
        names = ", ".join(one_line(each.name) for each in listed[:_MOST]) + (", …" if len(listed) > _MOST else "")
        raise InputError(f"{url} serves {len(listed)} models: {names}. Name one: musebench ping {url} MODEL.")
    return listed[0]
