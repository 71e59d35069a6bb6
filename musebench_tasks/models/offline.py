"""With `--offline`, nothing but the model's own servers is reached while models are loaded and answer.

A hook of the interpreter sees each connection before it is made, whatever library wants it, and each name before it is
looked up. Unix sockets stay free: they lead nowhere. What is tried against the rule is refused and remembered, so that
the run stops even where the code that tried swallows the refusal. Programs that are started are beyond the hook; they
get the variables by which Hugging Face's libraries know that they are offline.
"""

from __future__ import annotations

import os
import socket
import sys
import traceback
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import OfflineError

HUB_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKING_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
_OUR_FILES = (str(Path(__file__)), socket.__file__)


@dataclass
class _Rule:
    """Which servers may be reached, and what was tried against it."""

    servers: frozenset[tuple[str, int]]
    """Host, in lower case, and port."""
    tried: OfflineError | None = None
    addresses: set[tuple[str, int]] = field(default_factory=set)
    """Where the servers' names lead."""

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Let a connection or a look-up pass, or raise OfflineError."""
        if event in _LOOKING_UP:
            host = _text(arguments[0])
            if host is None or any(host == known for known, _ in self.servers) or _is_address(host):
                return
            self._refuse(f"look up {host}")
        address = arguments[1] if len(arguments) > 1 else None
        if arguments[0].family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
            return
        place = (str(_text(address[0])), int(address[1]))
        if place not in self.servers and place not in self.addresses and place not in self._looked_up():
            host = f"[{place[0]}]" if ":" in place[0] else place[0]
            self._refuse(f"connect to {host}:{place[1]}")

    def _looked_up(self) -> set[tuple[str, int]]:
        """The addresses of the servers as names lead there now: they may change while a run goes on."""
        for host, port in self.servers:
            try:
                found = socket.getaddrinfo(host, port)
            except OSError:
                continue
            self.addresses.update((str(address[0]), port) for *_, address in found)
        return self.addresses

    def _refuse(self, what: str) -> None:
        named = ", ".join(f"{host}:{port}" for host, port in sorted(self.servers))
        allowed = f"only {named} may be reached" if named else "no server is named that may be reached"
        error = OfflineError(
            f"--offline: {_whence()} tried to {what}; {allowed}. What was answered is kept. "
            "Take the connection out of the model, name its server, or run without --offline."
        )
        self.tried = self.tried or error
        raise error


_rule: _Rule | None = None
_hooked = False


@contextmanager
def offline_rule(servers: Sequence[str], active: bool = True) -> Iterator[None]:
    """For the block, no connection but to `servers` (URLs). OfflineError at its end too if one was tried.

    Not `active`: nothing is held up. Inside another such block the inner one's servers count.
    """
    global _rule
    if not active:
        yield
        return
    outer, _rule = _rule, _Rule(_places(servers))
    _hook()
    try:
        with _hub_offline():
            yield
            refuse_if_tried()
    finally:
        _rule = outer


def refuse_if_tried() -> None:
    """Raise what was tried against the rule, should the code that tried have swallowed the refusal."""
    if _rule is not None and _rule.tried is not None:
        raise _rule.tried


def servers_of(model: object) -> tuple[str, ...]:
    """The URLs that a model names as its own servers."""
    named = getattr(model, "servers", ())
    return (named,) if isinstance(named, str) else tuple(named)


def _hook() -> None:
    """A hook of the interpreter stays for good; without a rule it does nothing."""
    global _hooked
    if not _hooked:
        sys.addaudithook(_audit)
        _hooked = True


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _rule is not None and event.startswith("socket.") and (event in _CONNECTING or event in _LOOKING_UP):
        _rule.see(event, arguments)


@contextmanager
def _hub_offline() -> Iterator[None]:
    """Tell Hugging Face's libraries that there is no Hub, also those that are loaded already."""
    before = {name: os.environ.get(name) for name in HUB_VARIABLES}
    constants = sys.modules.get("huggingface_hub.constants")
    told = getattr(constants, "HF_HUB_OFFLINE", None)
    os.environ.update(dict.fromkeys(HUB_VARIABLES, "1"))
    if constants is not None:
        constants.HF_HUB_OFFLINE = True  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if constants is not None:
            constants.HF_HUB_OFFLINE = told  # type: ignore[attr-defined]


def _places(servers: Sequence[str]) -> frozenset[tuple[str, int]]:
    """Host and port of each URL, and of the proxy that leads there."""
    places = set()
    for server in servers:
        url = urllib.parse.urlsplit(server)
        host = (url.hostname or "").lower()
        places.add((host, url.port or _DEFAULT_PORTS.get(url.scheme, 0)))
        from musebench_tasks.models.server_address import proxy_to

        proxy = proxy_to(url.scheme, host)
        if proxy is not None:
            places.add((proxy.host.lower(), proxy.port))
    return frozenset(places)


def _text(host: Any) -> str | None:
    return host.decode("ascii", "replace").lower() if isinstance(host, bytes) else host and str(host).lower()


def _is_address(host: str) -> bool:
    """Whether `host` is a number already: looking it up asks nobody."""
    return host.replace(".", "").isdigit() or ":" in host


def _whence() -> str:
    """The innermost line outside of Python's own library, and the line of the caller's code that led there."""
    frames = [frame for frame in traceback.extract_stack() if frame.filename not in _OUR_FILES]
    library = (os.path.dirname(os.__file__), "<")  # noqa: PTH120 - compared with names of files as Python spells them
    theirs = [frame for frame in frames if "site-packages" in frame.filename or not frame.filename.startswith(library)]
    last = (theirs or frames)[-1]
    return f"{Path(last.filename).name} line {last.lineno} ({last.name})"
