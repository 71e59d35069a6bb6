"""`evaluate`, imported once, with caches of its own and no network."""

import sys

import pytest

from musebench_tasks.base.resources import METRICS


@pytest.fixture(scope="session", autouse=True)
def evaluate(tmp_path_factory):
    """The library. It is imported without transformers, which takes it ten seconds and which no metric needs."""
    with pytest.MonkeyPatch.context() as patch:
        if "transformers" not in sys.modules:
            sys.modules["transformers"] = None
        import evaluate as library

        if sys.modules["transformers"] is None:
            del sys.modules["transformers"]
        folder = tmp_path_factory.mktemp("evaluate")
        patch.setattr(library.config, "HF_METRICS_CACHE", folder / "metrics")
        patch.setattr(library.config, "HF_MODULES_CACHE", folder / "modules")
        patch.setattr(library.config, "HF_EVALUATE_OFFLINE", True)
        yield library


@pytest.fixture(scope="session")
def classes(evaluate):
    """The class of every metric, as `evaluate.load` finds it."""
    return {name: type(evaluate.load(name)) for name in METRICS}


@pytest.fixture
def make(classes):
    """A fresh metric, without the search for its module."""
    return lambda name, **named: classes[name](**named)
