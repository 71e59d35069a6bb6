"""What a computation is given, checked: what makes no sense is an InputError that says what to give instead."""

import functools
import inspect
import math
import numbers
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from musebench_tasks.base.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")

_NOT_WHAT_IT_TAKES = (TypeError, ValueError, AttributeError, LookupError, OverflowError)
_MOST_SHOWN = 60


def plain_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function of lists and numbers say what it was given when that is of another type than it takes.

    An error of Python or numpy becomes an InputError that shows the arguments; a call that lacks an argument, or names
    one that there is not, stays the TypeError that it is.
    """

    @functools.wraps(function)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except _NOT_WHAT_IT_TAKES as problem:
            try:
                given = inspect.signature(function).bind(*args, **kwargs).arguments
            except TypeError:
                raise problem from None
            shown = ", ".join(f"{name}={_short(value)}" for name, value in given.items())
            name = function.__name__
            manual = f"help({function.__module__.rpartition('.')[0]}.{name})"
            raise InputError(f"{name} cannot use {shown} ({problem}). {manual} says what it takes.") from problem

    return told


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def require_share(name: str, value: Any) -> None:
    """Refuse what does not lie between 0 and 1, both excluded: a level, a power."""
    if not _is_number(value) or not 0 < value < 1:
        raise InputError(f"The {name} is {value!r}: give a number between 0 and 1, for example 0.95.")


def require_whole(name: str, value: Any, least: int = 1) -> None:
    """Refuse what is no whole number of `least` or more: draws, runs, bins."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InputError(f"The number of {name} is {value!r}: give a whole number of {least} or more.")


def require_window(seconds: Any) -> None:
    """Refuse a window that is no finite number of seconds of 0 or more."""
    if not _is_number(seconds) or not 0 <= seconds < math.inf:
        raise InputError(f"The window is {seconds!r}: give a number of seconds, 0 or more, for example 0.5.")


def require_above_0(name: str, value: Any) -> None:
    """Refuse what is no finite number above 0: a duration, a design effect."""
    if not _is_number(value) or not 0 < value < math.inf:
        raise InputError(f"The {name} is {value!r}: give a finite number above 0.")


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
