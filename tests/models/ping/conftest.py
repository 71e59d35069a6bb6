import pytest
from fakes.openai_media import MediaModel

from musebench_tasks.models.chat_client import ChatClient, Retries
from musebench_tasks.models.openai_chat import ServerTraits
from musebench_tasks.models.ping import Target, ping, server_checks
from musebench_tasks.models.ping.wire import Wire

SEED = 7


@pytest.fixture(autouse=True)
def short_films(monkeypatch):
    """Eight pictures in two seconds in place of many."""
    monkeypatch.setattr(server_checks, "FILM_SECONDS", 2)
    monkeypatch.setattr(server_checks, "RATE", 4)


@pytest.fixture
def wire(server):
    """A wire to a server whose model is made with the given settings."""

    def wire(traits=None, **settings):
        server.media = MediaModel(**settings)
        client = ChatClient(server.url, timeout_s=20, retries=Retries(max_attempts=1, max_overloaded=1))
        return Wire(client, "fake", traits or ServerTraits())

    return wire


@pytest.fixture
def pinged(server):
    """The findings of a whole ping, by topic; `target`: settings of the target."""

    def pinged(target=None, frames=4, seconds=4, timeout_s=20, **settings):
        server.media = MediaModel(**settings)
        asked = Target(**{"urls": (server.url,), "model": None, "traits": ServerTraits(), **(target or {})})
        found = ping(
            asked, server.url, frames=frames, seconds=seconds, timeout_s=timeout_s, seed=SEED, listen=lambda _: None
        )
        return found, {finding.topic: finding for finding in found.findings}

    return pinged
