import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

for folder in (Path(__file__).parents[1], Path(__file__).parents[2]):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@pytest.fixture(scope="session")
def torch():
    """torch with one thread and a fixed seed; where it is missing, a skip, or a failure if everything is required."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        message = "torch and transformers are missing: install musebench-tasks[hf]"
        if os.environ.get("MUSEBENCH_REQUIRE_ALL") == "1":
            pytest.fail(message)
        pytest.skip(message)
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    return torch


@pytest.fixture(scope="session")
def tiny_omni(torch, tmp_path_factory):
    """Directory of a saved Qwen2.5-Omni thinker."""
    from tiny_models import build_tiny_omni

    return build_tiny_omni(tmp_path_factory.mktemp("tiny-omni"))


@pytest.fixture(scope="session")
def tiny_qwen2_audio(torch, tmp_path_factory):
    """Directory of a saved Qwen2-Audio model."""
    from tiny_models import build_tiny_qwen2_audio

    return build_tiny_qwen2_audio(tmp_path_factory.mktemp("tiny-qwen2-audio"))


@pytest.fixture(scope="session")
def omni(tiny_omni):
    from musebench_tasks.models.transformers_chat import load

    return load(str(tiny_omni), device="cpu")


@pytest.fixture(scope="session")
def listener(tiny_qwen2_audio):
    from musebench_tasks.models.transformers_chat import load

    return load(str(tiny_qwen2_audio), device="cpu")
