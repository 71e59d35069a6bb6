import sys
from pathlib import Path

import pytest

for folder in (Path(__file__).parents[1], Path(__file__).parents[2]):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@pytest.fixture(scope="session")
def omni(tiny_omni):
    from musebench_tasks.models.transformers_chat import load

    return load(str(tiny_omni), device="cpu")


@pytest.fixture(scope="session")
def listener(tiny_qwen2_audio):
    from musebench_tasks.models.transformers_chat import load

    return load(str(tiny_qwen2_audio), device="cpu")
