"""Arguments of functions of lists and numbers: what makes no sense is an InputError that says what to give instead."""

import functools
import inspect
import math
import numbers
import types
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from musebench_tasks.base.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")

_FAILS = (TypeError, ValueError, AttributeError, LookupError, OverflowError)
"""What Python and numpy raise about values of another type than they take."""
_MOST_SHOWN = 60


def checked_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function tell which of its arguments are not of the types that it names.

    The arguments are looked at once something fails, so that right ones cost nothing: an InputError names those that
    do not fit. Where all of them fit the fault is this package's own, and its error comes through as it is.
    """

    @functools.wraps(function)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except _FAILS as problem:
            unfit = _unfit(function, args, kwargs)
            if not unfit:
                raise
            shown = ", ".join(f"{name}={_short(value)}" for name, value in unfit.items())
            manual = f"help({function.__module__.rpartition('.')[0]}.{function.__name__})"
            raise InputError(f"{function.__name__} cannot use {shown}. {manual} says what it takes.") from problem

    return told


def _unfit(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are not of their types; none of a call that lacks one, or names one that there is not."""
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        return {}
    hints = get_type_hints(function)
    return {name: value for name, value in given.items() if not _fits(value, hints.get(name, Any))}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, its entries too: numbers are no truth values, and arrays are lists."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if origin in (Union, types.UnionType):
        return _is_array(value) if _is_array_like(inner) else any(_fits(value, each) for each in inner)
    if origin is Literal:
        return value in inner
    kind = origin or hint
    if kind in _KINDS:
        return _KINDS[kind](value, inner)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _is_array_like(choices: Sequence[Any]) -> bool:
    """Whether a union is numpy's ArrayLike."""
    return any(getattr(get_origin(each) or each, "__name__", "") == "_SupportsArray" for each in choices)


def _is_array(value: Any) -> bool:
    """Whether numpy makes numbers of it."""
    try:
        return bool(np.isfinite(np.asarray(value, dtype=np.float64)).all())
    except (TypeError, ValueError):
        return False


def _is_list(value: Any, inner: Sequence[Any]) -> bool:
    """Lists, arrays, and texts where their characters will do."""
    if isinstance(value, str):
        return all(_fits(value, hint) for hint in inner)
    is_list = isinstance(value, Sequence) and not isinstance(value, bytes)
    is_array = isinstance(value, np.ndarray) and value.ndim > 0
    return (is_list or is_array) and all(_fits(each, hint) for hint in inner for each in value)


def _is_collection(value: Any, inner: Sequence[Any]) -> bool:
    is_one = isinstance(value, Collection) and not isinstance(value, np.ndarray)
    return is_one and all(_fits(each, hint) for hint in inner for each in value)


def _is_map(value: Any, inner: Sequence[Any]) -> bool:
    return isinstance(value, Mapping) and all(
        _fits(each, hint) for pair in value.items() for each, hint in zip(pair, inner, strict=False)
    )


def _is_hashable(value: Any, _: Sequence[Any]) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


_KINDS: Mapping[Any, Callable[[Any, Sequence[Any]], bool]] = {
    None: lambda value, _: value is None,
    float: lambda value, _: _is_number(value) and math.isfinite(value),
    int: lambda value, _: isinstance(value, numbers.Integral) and not isinstance(value, bool),
    bool: lambda value, _: isinstance(value, (bool, np.bool_)),
    np.ndarray: lambda value, _: isinstance(value, np.ndarray) and value.ndim > 0,
    Hashable: _is_hashable,
    Sequence: _is_list,
    Collection: _is_collection,
    Mapping: _is_map,
}
"""How a value of each kind is known; of other classes by `isinstance`."""


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


def require_draws(draws: Any, seed: Any) -> None:
    """Refuse a number of draws, or a seed of them, that is none."""
    require_whole("draws", draws)
    require_whole("the seed", seed, least=0)


def require_window(seconds: Any) -> None:
    """Refuse a window that is no finite number of seconds of 0 or more."""
    if not _is_number(seconds) or not 0 <= seconds < math.inf:
        raise InputError(f"The window is {seconds!r}: give a number of seconds, 0 or more, for example 0.5.")


def require_above_0(name: str, value: Any) -> None:
    """Refuse what is no finite number above 0: a duration, a design effect."""
    if not _is_number(value) or not 0 < value < math.inf:
        raise InputError(f"The {name} is {value!r}: give a finite number above 0.")
