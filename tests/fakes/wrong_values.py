"""Values that no function of lists and numbers takes, one after the other in place of each of its arguments."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from musebench_tasks.base.errors import InputError

WRONG = (
    *(None, 5, -1, 0, 1.5, True, "x", "", b"a", float("nan"), float("inf"), object(), len),
    *([], [None], ["x"], [5], [[1], [1, 2]], [[]], [float("nan")], {}, {"a": 1}),
    *(np.array(3), np.array([[0, 10.0]])),
)


def untold(function: Callable[..., Any], right: dict[str, Any]) -> Iterator[str]:
    """Arguments that end `function` in anything but a result or an InputError; a warning is such an end too."""
    function(**right)
    for name in right:
        for value in WRONG:
            try:
                function(**{**right, name: value})
            except InputError:
                continue
            except Exception as problem:
                yield f"{name}={value!r}: {type(problem).__name__}: {problem}"
