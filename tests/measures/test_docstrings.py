"""The examples in the docstrings of scoring are true."""

import doctest
import importlib
import pkgutil

import pytest

from musebench_tasks import measures

MODULES = sorted(module.name for module in pkgutil.iter_modules(measures.__path__))


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    found = doctest.testmod(importlib.import_module(f"musebench_tasks.measures.{module}"))
    assert found.failed == 0
