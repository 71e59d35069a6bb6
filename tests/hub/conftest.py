"""A fake Hub that huggingface_hub asks in this process, without waits and without a cache of anybody's."""

import pytest
from fakes.hub import WRITER, FakeHub


@pytest.fixture
def online(monkeypatch, tmp_path):
    """From a FakeHub to the settings under which everything in this process asks it, as the user of `token`."""
    from huggingface_hub import constants

    def go(hub, token=WRITER):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, hub.url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf" / "hub"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "hf" / "token"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        monkeypatch.delenv("HUGGING_FACE_HUB_TOKEN", raising=False)
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        return hub

    return go


@pytest.fixture
def hub(online):
    with FakeHub() as made:
        yield online(made)
