"""What every test shares: no network, and a cache folder of its own."""

import os

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_DATASETS_OFFLINE", "1")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("MUSEBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "musebench-cache"))
