"""What every test shares: no network, and a cache folder of its own."""

import importlib.util
import os

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_DATASETS_OFFLINE", "1")


REQUIRE_ALL = os.environ.get("MUSEBENCH_REQUIRE_ALL") == "1"
"""Where everything is installed a skip is a failure: something is missing that should be there."""


def _no_skip(report):
    if REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"skipped where everything must run: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return _no_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return _no_skip((yield))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("MUSEBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "musebench-cache"))


@pytest.fixture(scope="session")
def torch():
    """torch with one thread and a fixed seed; where it is missing, a skip, or a failure if everything is required."""
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None:
        message = "torch and transformers are missing: install musebench-tasks[hf]"
        pytest.skip(message)
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    return torch


@pytest.fixture(scope="session")
def tiny_model(torch, tmp_path_factory):
    """From a family's name to the directory of its tiny model, built once a session."""
    from musebench_tasks.models.tiny import build_tiny

    built = {}

    def directory(family):
        if family not in built:
            built[family] = build_tiny(family, tmp_path_factory.mktemp(f"tiny-{family}"))
        return built[family]

    return directory


@pytest.fixture(scope="session")
def tiny_omni(tiny_model):
    """Directory of a saved Qwen2.5-Omni thinker."""
    return tiny_model("qwen2_5_omni_thinker")


@pytest.fixture(scope="session")
def tiny_qwen2_audio(tiny_model):
    """Directory of a saved Qwen2-Audio model."""
    return tiny_model("qwen2_audio")
