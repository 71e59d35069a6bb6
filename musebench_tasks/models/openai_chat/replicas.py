"""Several servers of one model: each medium has its own, and another one where that does not answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from musebench_tasks.base.records import Request
from musebench_tasks.models.chat_client import ChatClient
from musebench_tasks.models.pace import as_they_end
from musebench_tasks.models.protocol import short_hash

LOOK_S = 5.0
"""Seconds in which a connection must be made before the first question."""
LOST_S = 60.0
"""Seconds in which a server that did not answer is asked last."""


class Replicas:
    """The servers of one model. May be used by several threads at once."""

    def __init__(self, clients: Sequence[ChatClient], clock: Callable[[], float] = time.monotonic) -> None:
        self._clients = tuple(clients)
        self._clock = clock
        self._lost_until: dict[ChatClient, float] = {}
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._has_looked = len(clients) == 1
        self._news: list[str] = []

    def home(self, requests: Sequence[Request]) -> ChatClient:
        """The server of the requests' medium."""
        return self._clients[route(requests, len(self._clients))]

    def look_for_all(self) -> None:
        """Before the first question, whether every one of several servers is there: one may be no medium's home.

        All are tried at once; those to which no connection can be made count as lost, and are told of in `news`.
        """
        with self._looking:
            if self._has_looked:
                return
            self._has_looked = True
            tried = as_they_end(lambda client: (client, client.trouble(LOOK_S)), self._clients, len(self._clients))
            troubles = {client: trouble for client, trouble in tried if trouble is not None}
            for client in filter(troubles.__contains__, self._clients):
                self.lose(client)
                self._news.append(f"server: {client.url} is not there: {troubles[client]}")

    def news(self) -> list[str]:
        """What was found out of servers since this was asked last."""
        with self._lock:
            told, self._news = self._news, []
            return told

    def in_turn(self, home: ChatClient) -> list[ChatClient]:
        """All servers in the order in which they are asked: `home` first, those that were lost of late last."""
        place = self._clients.index(home)
        turned = [*self._clients[place:], *self._clients[:place]]
        with self._lock:
            now = self._clock()
            return sorted(turned, key=lambda client: self._lost_until.get(client, now) > now)

    def lose(self, client: ChatClient) -> None:
        """Note that a server did not answer."""
        with self._lock:
            self._lost_until[client] = self._clock() + LOST_S


def route(requests: Sequence[Request], replicas: int) -> int:
    """Which replica a group goes to: the one its medium's hash names, so that the medium is encoded once."""
    first = requests[0]
    contents = sorted({part.source.sha256 or part.source.path for part in first.parts}) or [first.item_id]
    return int(short_hash("|".join(contents)), 16) % replicas
