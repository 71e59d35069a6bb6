import pytest

from musebench_tasks.base.records import Modality
from musebench_tasks.models import load_model


@pytest.fixture
def model(server):
    def model(name="some/model", **options):
        return load_model(f"openai:{name}@{server.url}", **{"backoff_s": 0.01, **options})

    return model


@pytest.fixture
def ask(model, make_group):
    def ask(request, modalities=frozenset(Modality), **options):
        (response,) = model(**options).answer(make_group(request, modalities=modalities))
        return response

    return ask
