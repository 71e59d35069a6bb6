"""What every model is: a name, what it takes, and answers to one media group after another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from musebench_tasks.base.records import Kind, Limits, Received, Request, Response, Status, canonical_json

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup


class Model(Protocol):
    """A system that answers requests. One instance lives in one worker process."""

    name: str
    """The model spec as the user gave it."""
    revision: str
    """What tells two versions of the model apart: a commit, a file hash, a parameter version."""
    kinds: frozenset[Kind]
    limits: Limits
    # A model may also have: `answering` and `reasoning` (how it answers), `requires` (streams without which it takes no
    # question), `distinguishes_runs` (its answers to equal questions differ by run), `unmatched` (what a replay holds
    # that nothing asks for), `takes_audio_parts` (long sound may come as several signals, `group.audio_parts()`),
    # `tools` (what it works with beside the medium), `context_tokens` (what it takes in all), `prefix` (how it reads
    # prompts about one medium), `verify_keys` (requests that it asks again with their prompts read whole), `prepare()`
    # (called before a medium is asked about; what it takes, such as a download, counts towards no answer's time).

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """One response a request of the group, in any order.

        A request that fails is yielded as `failed(...)`, never raised; errors of the medium itself
        (`MediaError`) pass through and end all unanswered requests of the group, and a `ModelUnusableError`
        passes through and ends the run.
        """
        ...


def answered(request: Request, raw: str | None, *, received: Received | None = None, **details: Any) -> Response:
    """The response to `request` with the model's text; `details` are further fields of `Response`."""
    return _response(request, raw=raw, received=received, **details)


def failed(request: Request, failure: Status, error: str, *, attempts: int = 1, **details: Any) -> Response:
    """The response to a `request` that no model's answer came to: `failure` names why, `error` is the full text."""
    return _response(request, failure=failure, error=error, attempts=attempts, **details)


def _response(request: Request, **content: Any) -> Response:
    return Response(
        key=request.key,
        item_id=request.item_id,
        run=request.run,
        condition=request.condition,
        option_order=request.option_order,
        **content,
    )


def with_settings(revision: str, settings: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """`revision`, followed by a hash of `settings` where they are not the usual ones."""
    changed = "" if settings == usual else short_hash(canonical_json(dict(settings)))
    return "+".join(part for part in (revision, changed) if part)


def short_hash(text: str) -> str:
    """The first 8 hex digits of SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
