import pytest


@pytest.fixture(scope="session")
def tiny_chat(tiny_model):
    """From a family and settings to its loaded tiny model; one a family and settings."""
    from musebench_tasks.models.transformers_chat import load

    loaded = {}

    def chat(family, **settings):
        name = (family, *sorted(settings.items()))
        if name not in loaded:
            loaded[name] = load(str(tiny_model(family)), device="cpu", **settings)
        return loaded[name]

    return chat


@pytest.fixture(scope="session")
def omni(tiny_chat):
    return tiny_chat("qwen2_5_omni_thinker")


@pytest.fixture(scope="session")
def listener(tiny_chat):
    return tiny_chat("qwen2_audio")
