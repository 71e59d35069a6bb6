"""Where a server of chat completions is, and the way there: straight, or through a proxy of the environment."""

from __future__ import annotations

import base64
import http.client
import re
import urllib.parse
import urllib.request
from functools import cached_property
from typing import NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.models.api_keys import BEARER

COMPLETIONS = "/chat/completions"
_DEPLOYMENTS = "/openai/deployments/"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SECRETS = re.compile(r"key|token|secret|passw|signature|credential|\bsig\b", re.IGNORECASE)


class Proxy(NamedTuple):
    """A proxy as the environment names it (`http_proxy`, `https_proxy`, `no_proxy`)."""

    host: str
    port: int
    headers: dict[str, str]
    """What says who asks, where its address holds a name and a password."""


class ServerAddress:
    """The address that completions are asked of."""

    def __init__(self, base_url: str) -> None:
        """InputError where `base_url` is none, or holds what must not be written down."""
        url = urllib.parse.urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or not _has_sound_port(url):
            raise InputError(f'"{base_url}" is no address of a server. Write, for example, http://localhost:8000/v1.')
        if url.username or url.password or any(map(_SECRETS.search, urllib.parse.parse_qs(url.query))):
            # The address is written down with the answers.
            told = f"{url.scheme}://{url.hostname}{url.path}"
            raise InputError(
                f"the address {told} holds a password or key. Leave it out, and put it into OPENAI_API_KEY."
            )
        path = url.path.rstrip("/")
        self._url = url._replace(path=path if path.endswith(COMPLETIONS) else path + COMPLETIONS)

    def __str__(self) -> str:
        """The address without its query."""
        return f"{self._url.scheme}://{self.host}{self._url.path}"

    @property
    def host(self) -> str:
        """Host, and port where one is named."""
        name = str(self._url.hostname)
        name = f"[{name}]" if ":" in name else name
        return f"{name}:{self._url.port}" if self._url.port else name

    @property
    def target(self) -> str:
        """What the request line names: the whole address where a proxy is to ask for it."""
        place = self._url.path + (f"?{self._url.query}" if self._url.query else "")
        return f"{self._url.scheme}://{self._url.netloc}{place}" if self.is_asked_by_proxy else place

    @property
    def models(self) -> str:
        """Where the server lists its models."""
        listed = self._url._replace(path=f"{self._url.path.removesuffix(COMPLETIONS)}/models", fragment="")
        return listed.geturl()

    @property
    def key_header(self) -> str:
        """The header that the key goes into: at Azure's addresses of deployments one of its own."""
        return "api-key" if _DEPLOYMENTS in self._url.path else BEARER

    @property
    def corrected(self) -> str | None:
        """The address that was probably meant, where this one names no path: most servers answer below /v1."""
        return f"{self._url.scheme}://{self.host}/v1" if self._url.path == COMPLETIONS else None

    @cached_property
    def proxy(self) -> Proxy | None:
        """The proxy on the way."""
        return proxy_to(self._url.scheme, self._url.hostname or "")

    @property
    def proxy_headers(self) -> dict[str, str]:
        """What each request tells a proxy that asks for it."""
        return self.proxy.headers if self.proxy is not None and self.is_asked_by_proxy else {}

    @property
    def way(self) -> str:
        """What to say of the way where it leads nowhere."""
        if self.proxy is None:
            return ""
        return f" (through the proxy {self.proxy.host}:{self.proxy.port}; no_proxy={self._url.hostname} goes without)"

    def connect(self, timeout_s: float) -> http.client.HTTPConnection:
        """A connection that is not open yet."""
        secure, host, port = self._url.scheme == "https", self._url.hostname or "", self._url.port
        make = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        if self.proxy is None:
            return make(host, port, timeout=timeout_s)
        connection = make(self.proxy.host, self.proxy.port, timeout=timeout_s)
        if secure:
            connection.set_tunnel(host, port or 443, headers=self.proxy.headers)
        return connection

    @property
    def is_asked_by_proxy(self) -> bool:
        """Whether a proxy asks in our place: where nothing is encrypted many refuse to be a mere tunnel."""
        return self.proxy is not None and self._url.scheme == "http"


def proxy_to(scheme: str, host: str) -> Proxy | None:
    """The proxy on the way to a host; None = straight, as always on this machine."""
    direct = host in LOOPBACK or urllib.request.proxy_bypass(host)
    named = None if direct else urllib.request.getproxies().get(scheme)
    if not named:
        return None
    via = urllib.parse.urlsplit(named if "//" in named else f"//{named}")
    told = f"{urllib.parse.unquote(via.username or '')}:{urllib.parse.unquote(via.password or '')}"
    headers = {"Proxy-Authorization": f"Basic {base64.b64encode(told.encode()).decode()}"} if via.username else {}
    return Proxy(via.hostname or "", via.port or 80, headers)


def _has_sound_port(url: urllib.parse.SplitResult) -> bool:
    try:
        return url.port != 0
    except ValueError:
        return False
