"""Arguments are checked at the boundary; what fails behind it is a fault of this package and shows as one."""

import subprocess
import sys
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

from musebench_tasks import measures, statistics
from musebench_tasks.base.errors import InputError
from musebench_tasks.values.arguments import checked_arguments

FAULTS = [TypeError, ValueError, AttributeError, KeyError, IndexError, OverflowError]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    ("inner", "call"),
    [
        ("statistics.errors.as_values", lambda: statistics.clustered_standard_error([1, 0, 1], "abc")),
        ("measures.sets.set_counts", lambda: measures.set_scores(["A", "B"], ["A", "AB"])),
    ],
)
def test_an_error_of_our_own_is_no_wrong_input(inner, call, fault, monkeypatch):
    call()

    def broken(*_, **__):
        raise fault("a mistake of ours")

    monkeypatch.setattr(f"musebench_tasks.{inner}", broken)
    with pytest.raises(fault, match="a mistake of ours"):
        call()


def test_on_the_command_line_it_is_a_traceback_and_exit_code_1():
    code = (
        "import sys, musebench_tasks.tasks as tasks, musebench_tasks.cli as cli\n"
        "def broken(*_, **__): raise ValueError('a mistake of ours')\n"
        "tasks.list_tasks = broken\n"
        "sys.exit(cli.main(['tasks', 'list']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("ValueError: a mistake of ours\n")


@pytest.mark.parametrize(
    ("hint", "fitting", "unfit"),
    [
        (float, [1, 0.5, np.float64(2)], [True, "1", float("nan"), None]),
        (int, [1, np.int64(2)], [True, 1.0, "1"]),
        (bool, [True, np.True_], [1, None]),
        (str | None, ["a", None], [1, b"a"]),
        (Literal["a", "b"], ["a"], ["c", 1]),
        (Hashable, ["a", (1, 2)], [[1]]),
        (Sequence[float], [[1, 2.0], (), range(3), np.array([1.0])], ["12", b"1", [True], 5, np.array(3), {1: 2}]),
        (Sequence[str], ["ab", ["a"]], [[1], b"a"]),
        (Collection[str], [{"a"}, "ab"], [[1], np.array(["a"]), 1]),
        (Mapping[str, float], [{"a": 1}], [{"a": "x"}, {1: 1}, ["a"]]),
        (npt.ArrayLike, [1, [1, 2], [[1], [2]], np.array([1])], ["x", [[1], [1, 2]], None, [float("inf")]]),
        (npt.NDArray[Any], [np.array([1])], [np.array(3), [1]]),
    ],
)
def test_what_fits_a_type(hint, fitting, unfit):
    def broken(value):
        raise ValueError

    broken.__annotations__ = {"value": hint}
    checked = checked_arguments(broken)
    for value in fitting:
        with pytest.raises(ValueError, match="^$"):
            checked(value)
    for value in unfit:
        with pytest.raises(InputError, match="broken cannot use value=.*says what it takes"):
            checked(value)
