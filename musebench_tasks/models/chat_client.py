"""A client for chat completions, on the standard library: kept connections, a deadline, bounded retries.

Tried again: no connection, 408, 425, 429, 5xx but 501 and 505, and replies that are no completion. Not tried again:
other 4xx, an exhausted quota, and a deadline that passed. The key goes into one header and nowhere else. A gate bounds
the requests in flight; nobody passes it while the server has asked for time.

Some faults would meet every other request too: no connection can be made, 401, 402, 403, 404, 405, 503, an exhausted
quota, a setting that the model does not take. A ChatError of these carries in `remedy` what to do.
"""

from __future__ import annotations

import datetime
import email.utils
import http.client
import itertools
import json
import math
import queue
import random
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from musebench_tasks.base.errors import BackendError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import Status
from musebench_tasks.models.api_keys import ApiKey
from musebench_tasks.models.chat_reply import (
    FILTERED,
    Completion,
    UnreadableReplyError,
    error_message,
    read_completion,
    refused_field,
)
from musebench_tasks.models.pace import Gate, Pace
from musebench_tasks.models.server_address import ServerAddress

_STALE = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)
_CHUNK = 1 << 16
_EXHAUSTED = (b"insufficient_quota", b"billing_hard_limit_reached")
_WITHHELD = (b'"content_filter"', b"ResponsibleAIPolicyViolation")
"""What an error reply holds that refuses a prompt for its content."""
_OVERLOADED = (429, 503, 529)
_NEVER = (501, 505)
"""Faults of a server that no further try mends."""
_MANY = 64
_REACH = "Correct the address or start the server"
_PAY = "Top up the account or use another API key"
_MOVED = "Correct the address: the server sends requests elsewhere"
_REMEDIES = {
    **dict.fromkeys((301, 302, 307, 308), _MOVED),
    402: _PAY,
    404: "Correct the address or the model's name",
    405: "Correct the address",
    503: "Wait until the server is ready, or correct the address",
}
"""What to do about an HTTP status that every request would meet, beside those of a key that is not taken."""
_KEY_REFUSED = (401, 403)


class Retries(NamedTuple):
    """How often and how patiently a request is tried."""

    max_attempts: int = 5
    backoff_s: float = 1.0
    """Wait before the second try; doubled for each further one."""
    max_wait_s: float = 120.0
    """A server that asks to wait longer is not waited for."""
    max_overloaded: int = 8
    """Tries where the server says that it has too much to do: limits are reckoned by the minute, and the waits before
    eight tries come to two of them."""


class ChatError(BackendError):
    """No answer came. `status` is backend_error or timeout; `remedy` is set where every request would fail alike."""

    def __init__(
        self,
        message: str,
        *,
        status: Status = Status.BACKEND_ERROR,
        attempts: int = 1,
        remedy: str | None = None,
        http_status: int | None = None,
        elsewhere: bool = False,
        refused: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.attempts = attempts
        self.remedy = remedy
        self.http_status = http_status
        self.elsewhere = elsewhere
        """Whether another server might answer: the fault is this one's, not the request's."""
        self.refused = refused
        """The setting that the model does not take."""


class _PassingError(Exception):
    """A fault that may be gone at the next try."""

    def __init__(
        self, message: str, *, wait_s: float | None = None, remedy: str | None = None, http_status: int | None = None
    ) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.remedy = remedy
        self.http_status = http_status


class _NoConnectionError(Exception):
    """No connection could be made; its cause tells why."""


class _Reply(NamedTuple):
    status: int
    retry_after: str | None
    content: bytes


class ChatClient:
    """Posts to one server's `/chat/completions`. May be used by several threads at once."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: ApiKey | None = None,
        timeout_s: float = 600,
        retries: Retries | None = None,
        gate: Gate | None = None,
    ) -> None:
        """`gate` bounds the requests in flight; None = one with room for many."""
        self._address = ServerAddress(base_url)
        self._api_key = api_key or ApiKey()
        self._timeout_s = timeout_s
        self._retries = retries or Retries()
        self._gate = gate or Gate(Pace(_MANY, first=_MANY))
        self._idle: queue.LifoQueue[http.client.HTTPConnection] = queue.LifoQueue()

    @property
    def url(self) -> str:
        """The address that is asked, without anything secret that may stand in it."""
        return str(self._address)

    def complete(
        self,
        body: Sequence[bytes],
        patience_s: float = math.inf,
        *,
        urgent: bool = True,
        before_sending: Callable[[], object] = lambda: None,
    ) -> Completion:
        """The completion of a JSON body given in pieces. Raises ChatError.

        A server that cannot be reached is tried for `patience_s` seconds in all. Urgent requests pass the gate first.
        `before_sending` is called at each attempt, once the gate is passed; what it raises ends the request.
        """
        begun = time.monotonic()
        for attempt in itertools.count(1):
            try:
                return self._attempt(body, patience_s, urgent, before_sending)._replace(attempts=attempt)
            except _PassingError as fault:
                wait_s = self._wait_s(attempt, fault)
                unreached = fault.remedy == _REACH
                if wait_s is None or (unreached and time.monotonic() - begun + wait_s > patience_s):
                    raise self._final(reason(fault), attempt, fault.remedy, fault.http_status, elsewhere=True) from None
            except ChatError as failure:
                failure.attempts = attempt
                failure.problems = tuple(replace(each, found=self._told(each.found)) for each in failure.problems)
                raise failure from None
            time.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    def trouble(self, timeout_s: float) -> str | None:
        """Why no connection can be made within so many seconds; None where one can."""
        connection = self._address.connect(timeout_s)
        try:
            _open(connection, timeout_s)
        except _NoConnectionError as error:
            return f"{_reason(error.__cause__)}{self._address.way}"
        finally:
            connection.close()
        return None

    def _final(
        self, message: str, attempts: int, remedy: str | None, http_status: int | None, *, elsewhere: bool
    ) -> ChatError:
        return ChatError(
            self._told(message), attempts=attempts, remedy=remedy, http_status=http_status, elsewhere=elsewhere
        )

    def _attempt(
        self, body: Sequence[bytes], patience_s: float, urgent: bool, before_sending: Callable[[], object]
    ) -> Completion:
        """One try, behind the gate, which learns how it went."""
        with self._gate.slot(urgent) as slot:
            before_sending()
            started = time.monotonic()
            try:
                completion = read_completion(self._accept(self._exchange(body, patience_s)))
            except UnreadableReplyError as fault:
                raise _PassingError(fault.text) from fault
            except _PassingError as fault:
                if fault.http_status in _OVERLOADED:
                    slot.overloaded(self._bearable(fault.wait_s))
                raise
            except ChatError as failure:
                if failure.status is Status.TIMEOUT:
                    slot.overloaded()
                raise
            latency_s = time.monotonic() - started
            slot.answered(latency_s)
            return completion._replace(latency_s=round(latency_s, 6))

    def _bearable(self, wait_s: float | None) -> float | None:
        """What all others wait for too; a wait that nobody bears ends this request alone."""
        return wait_s if wait_s is not None and wait_s <= self._retries.max_wait_s else None

    def _wait_s(self, attempt: int, fault: _PassingError) -> float | None:
        """Seconds until the next try; None = give up. What the server asks for goes before our own pace."""
        is_overload = fault.http_status in _OVERLOADED
        if attempt >= (self._retries.max_overloaded if is_overload else self._retries.max_attempts):
            return None
        if fault.wait_s is not None:
            return fault.wait_s if fault.wait_s <= self._retries.max_wait_s else None
        pace = self._retries.backoff_s * 2.0 ** (attempt - 1) * random.uniform(0.75, 1.25)
        return min(pace, self._retries.max_wait_s)

    def _accept(self, reply: _Reply) -> bytes:
        """The content of a reply that is an answer."""
        if reply.status == 200:
            return reply.content
        told = f"HTTP {reply.status}: {error_message(self._api_key.masked_bytes(reply.content))}"
        told += self._address.way if self._address.is_asked_by_proxy else ""
        if any(each in reply.content for each in _WITHHELD):
            raise ChatError(f"{FILTERED}: {told}", http_status=reply.status)
        passing = reply.status in (408, 425, 429) or (reply.status >= 500 and reply.status not in _NEVER)
        exhausted = any(each in reply.content for each in _EXHAUSTED)
        remedy = _PAY if exhausted else self._remedy(reply.status)
        if not passing or exhausted:
            refused = refused_field(reply.content) if reply.status == 400 else None
            raise ChatError(told, remedy=remedy or _without(refused), http_status=reply.status, refused=refused)
        raise _PassingError(told, wait_s=_seconds(reply.retry_after), remedy=remedy, http_status=reply.status)

    def _remedy(self, status: int) -> str | None:
        if status == 404 and self._address.corrected is not None:
            return f"Correct the address, probably to {self._address.corrected}, or the model's name"
        return self._api_key.remedy if status in _KEY_REFUSED else _REMEDIES.get(status)

    def _exchange(self, body: Sequence[bytes], patience_s: float) -> _Reply:
        """One request and its reply, over a kept connection where there is one that still lives."""
        deadline = time.monotonic() + self._timeout_s
        try:
            while True:
                connection, kept = self._connection()
                try:
                    if connection.sock is None:
                        _open(connection, min(_left(deadline), patience_s))
                    reply = self._talk(connection, body, deadline)
                except _STALE:
                    connection.close()
                    if not kept:
                        raise
                except BaseException:
                    connection.close()
                    raise
                else:
                    if connection.sock is not None:
                        self._idle.put(connection)
                    return reply
        except TimeoutError:
            told = f"no answer within {self._timeout_s:g} s"
            raise ChatError(told, status=Status.TIMEOUT, elsewhere=True) from None
        except _NoConnectionError as error:
            raise self._unreachable(error.__cause__) from error
        except (OSError, http.client.HTTPException) as error:
            raise _PassingError(f"{self._address.host}: no connection: {_reason(error)}") from error

    def _unreachable(self, error: BaseException | None) -> ChatError | _PassingError:
        """What becomes of a connection that could not be made."""
        if isinstance(error, ssl.SSLCertVerificationError):
            told = f"{self._address.host}: certificate not accepted: {error.verify_message}"
            return ChatError(told, remedy="Correct the address or the server's certificate")
        told = "nothing answers there" if isinstance(error, TimeoutError) else _reason(error)
        return _PassingError(f"{self._address.host}: no connection: {told}{self._address.way}", remedy=_REACH)

    def _talk(self, connection: http.client.HTTPConnection, body: Sequence[bytes], deadline: float) -> _Reply:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Content-Length": str(sum(map(len, body))),
            **self._api_key.headers(self._address.key_header),
            **self._address.proxy_headers,
        }
        _set_timeout(connection, deadline)
        connection.request("POST", self._address.target, body=iter(body), headers=headers)
        socket = connection.sock
        _set_timeout(connection, deadline)
        response = connection.getresponse()
        pieces = []
        while piece := response.read1(_CHUNK):
            pieces.append(piece)
            socket.settimeout(_left(deadline))
        if response.length:
            raise http.client.IncompleteRead(b"".join(pieces), response.length)
        response.close()
        return _Reply(response.status, response.headers.get("Retry-After"), b"".join(pieces))

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        """A connection, and whether it has been used before."""
        try:
            return self._idle.get_nowait(), True
        except queue.Empty:
            return self._address.connect(self._timeout_s), False

    def _told(self, message: str) -> str:
        """`message` without the key, should a server repeat it."""
        return self._api_key.masked(message)


def _open(connection: http.client.HTTPConnection, timeout_s: float) -> None:
    """Connect, through a proxy where there is one. Raises _NoConnectionError."""
    connection.timeout = timeout_s
    try:
        connection.connect()
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        raise _NoConnectionError from error


def _reason(error: BaseException | None) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _without(setting: str | None) -> str | None:
    """What to do about a setting that a model does not take."""
    if setting is None:
        return None
    options = "{server: openai}" if setting == "max_tokens" else f"{{extra: {{{setting}: null}}}}"
    return f"Put options: {options} into the model's card"


def json_bytes(value: Any) -> bytes:
    """`value` as JSON in UTF-8: the same bytes for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _seconds(retry_after: str | None) -> float | None:
    """A Retry-After header, seconds or a date, as seconds from now."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return max(0.0, (moment - datetime.datetime.now(datetime.UTC)).total_seconds())


def _left(deadline: float) -> float:
    """Seconds until the deadline. Raises TimeoutError once it has passed."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _set_timeout(connection: http.client.HTTPConnection, deadline: float) -> None:
    left = _left(deadline)
    connection.timeout = left
    if connection.sock is not None:
        connection.sock.settimeout(left)
