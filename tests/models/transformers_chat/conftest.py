import pytest


@pytest.fixture(scope="session")
def omni(tiny_omni):
    from musebench_tasks.models.transformers_chat import load

    return load(str(tiny_omni), device="cpu")


@pytest.fixture(scope="session")
def listener(tiny_qwen2_audio):
    from musebench_tasks.models.transformers_chat import load

    return load(str(tiny_qwen2_audio), device="cpu")
