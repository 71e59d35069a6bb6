"""Every public function of the room says what it does, and its example holds."""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import musebench_tasks.statistics as room

MODULES = sorted(path.stem for path in Path(room.__file__).parent.glob("*.py") if path.stem != "__init__")
FUNCTIONS = sorted(name for name in room.__all__ if inspect.isfunction(getattr(room, name)))
WITHOUT_EXAMPLE = {
    "agreement_bootstrap",
    "bootstrap_totals",
    "gwet_ac_of_counts",
    "independent_means",
    "mean_f1_of",
    "mean_recall_of",
    "normal_critical_value",
    "percentile_interval",
    "ratio",
    "stratified_totals",
}
"""Variants of functions that have one."""


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_hold(module):
    found = doctest.testmod(importlib.import_module(f"musebench_tasks.statistics.{module}"))
    assert found.failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_an_example(name):
    if name not in WITHOUT_EXAMPLE:
        assert ">>> " in inspect.getdoc(getattr(room, name))
