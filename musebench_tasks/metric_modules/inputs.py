"""Checks what a metric is given, before `evaluate` stores it.

`evaluate` turns 1.5 into 1, True into "True" and "3" into 3 without a word, and scores an empty list. Here every value
of every row is looked at first; what is wrong is an InputError that says which row, what was found and what to do.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from musebench_tasks.answers.tempo_text import FASTEST_BPM, SLOWEST_BPM
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import LETTERS
from musebench_tasks.base.text import nearest
from musebench_tasks.values import clean_prediction, parse_key_name, parse_metre, validate_reference

Kind = Callable[[Any], Any]
"""One row's value in, the value to store out; a WrongValue for what is none."""


_LIST = "Give a list with one value a row."
_CATEGORIES = "Give a list of all categories in rising order, for example [0, 1, 2, 3, 4, 5]."
_COUNTS = "Give one whole number from 2 to 26 for all questions, or a list with one a row."


class WrongValue(ValueError):  # noqa: N818
    """A value is not what it should be: what to give instead, and perhaps what was found inside it."""

    def __init__(self, advice: str, found: Any) -> None:
        super().__init__(advice)
        self.found = found


def checked_columns(columns: Mapping[str, Any], kinds: Mapping[str, Kind], *, first_row: int = 0) -> dict[str, Any]:
    """The columns that `kinds` names, equally long, each value as its kind stores it. Rows count from `first_row`."""
    extra = next((name for name, given in columns.items() if name not in kinds and given is not None), None)
    if extra is not None:
        raise InputError(f"{extra} is no input of this metric. It takes {_listed(kinds)}.")
    rows = {name: _rows(name, columns.get(name)) for name in kinds}
    lengths = {name: len(values) for name, values in rows.items()}
    if len(set(lengths.values())) > 1:
        found = " but ".join(f"{length} {name}" for name, length in lengths.items())
        raise InputError(f"There are {found}. Give one of each a row, in the same order.")
    return {name: _checked_rows(name, rows[name], kind, first_row) for name, kind in kinds.items()}


def checked_clusters(clusters: Any, n: int) -> list[Any]:
    """One cluster id a row; a cluster of its own for each row where None. Refuses to go on without rows."""
    require_rows(n)
    return list(range(n)) if clusters is None else checked_names("clusters", clusters, n, "rows")


def checked_names(name: str, given: Any, n: int, of_what: str) -> list[Any]:
    """One name (a text or a whole number) for each of `n` rows, subjects, ..."""
    names = row_values(name, given, _name)
    if len(names) != n:
        raise InputError(f"There are {n} {of_what} but {len(names)} {name}. Give one for each.")
    return names


def row_values(name: str, given: Any, kind: Kind, *, advice: str = _LIST) -> list[Any]:
    """The values of a list, each checked; `advice` says what to give instead of what is no list."""
    return _checked_rows(name, _rows(name, given, advice), kind, 0)


def require_rows(n: int) -> None:
    """Refuse to measure nothing."""
    if n == 0:
        raise InputError("There are no rows, so there is nothing to measure. Give at least one.")


def checked_option_counts(num_options: Any, n: int) -> list[int]:
    """How many options each of `n` questions has: one number for all, or one a row; 2 to 26."""
    if isinstance(num_options, numbers.Integral):
        num_options = [num_options] * n
    counts = row_values("num_options", num_options, _option_count, advice=_COUNTS)
    if len(counts) != n:
        raise InputError(f"There are {n} rows but {len(counts)} num_options. Give one a row, or one number for all.")
    return counts


def require_letters(name: str, labels: Iterable[str | Iterable[str]], n_options: Sequence[int]) -> None:
    """Refuse a label (or one of a set of labels) that is no letter of its question's options. "" is no answer."""
    letters = {count: frozenset(LETTERS[:count]) for count in set(n_options)}
    for row, (given, count) in enumerate(zip(labels, n_options, strict=True)):
        for found in [given] if isinstance(given, str) else given:
            if found and found not in letters[count]:
                near = f' (nearest: "{found.strip().upper()}")' if found.strip().upper() in letters[count] else ""
                raise InputError(
                    f"{name} row {row}: found {found!r}{near}, but the question has {count} options. "
                    f"Give the letter of an option, A to {max(letters[count])}."
                )


def require_equal_lengths(name: str, rows: Sequence[Sequence[Any]], what: str) -> None:
    """Refuse rows that do not all hold as many values as the first."""
    for row, values in enumerate(rows):
        if len(values) != len(rows[0]):
            raise InputError(
                f"{name} row {row} has {len(values)} {what}, row 0 has {len(rows[0])}. Give as many in every row, and "
                "mark a missing one as such."
            )


def checked_whole_number(name: str, value: Any) -> int:
    """A setting that is a whole number of 1 or more."""
    if not _is_whole(value) or value < 1:
        raise InputError(f"{name}: found {_shown(value)}. Give a whole number of 1 or more.")
    return int(value)


def checked_categories(categories: Any) -> list[int]:
    """All categories that a rater may choose."""
    return row_values("categories", categories, _category, advice=_CATEGORIES)


def require_categories(rows: Sequence[Sequence[int | None]], categories: Sequence[int]) -> None:
    """Refuse a rating that is none of the categories."""
    known = {None, *categories}
    for rater, given in enumerate(rows):
        for subject, rating in enumerate(given):
            if rating not in known:
                raise InputError(
                    f"predictions row {rater}, subject {subject}: found {rating}, which is none of the categories "
                    f"{list(categories)}. Correct the rating, or name all categories that a rater may choose."
                )


def checked_durations(durations_s: Any, n: int) -> list[float] | list[None]:
    """The length of each recording in seconds, finite and above 0; None for each where they are not given."""
    if durations_s is None:
        return [None] * n
    durations = row_values("durations_s", durations_s, reference_duration)
    if len(durations) != n:
        raise InputError(f"There are {n} rows but {len(durations)} durations_s. Give the length of each recording.")
    return durations


def require_legal_segments(references: Sequence[Any], durations: Sequence[float | None], *, label_aware: bool) -> None:
    """Refuse references whose segments are not legal, with every fault of every recording at once."""
    faults = [
        f"references row {row}, segment {fault.row}: {fault.code} {fault.found}"
        for row, (given, duration) in enumerate(zip(references, durations, strict=True))
        for fault in validate_reference(given, duration, label_aware=label_aware).problems
    ]
    if faults:
        raise InputError("\n".join(faults) + "\nCorrect the annotation: references are never repaired.")


def is_scorable(prediction: Any, duration_s: float | None) -> bool:
    """Whether predicted segments are an answer that is legal once it is cleaned."""
    return prediction is not None and clean_prediction(prediction, duration_s).problem is None


def label(value: Any) -> str:
    """The label of an option."""
    return _text(value, 'Give the label of an option, for example "A".')


def label_or_empty(value: Any) -> str:
    """The label of an option, or "" for no answer."""
    advice = 'Give the label of an option, or "" for no answer.'
    return "" if isinstance(value, str) and not value else _text(value, advice)


def label_set(value: Any) -> list[str]:
    """The labels of one or more options, each once."""
    advice = 'Give a list of the labels that are right, for example ["A", "C"].'
    labels = label_set_or_empty(value)
    if not labels:
        raise WrongValue(advice, value)
    return labels


def label_set_or_empty(value: Any) -> list[str]:
    """The labels of any number of options, each once; [] for no answer."""
    advice = 'Give a list of labels, for example ["A", "C"], and [] for no answer.'
    labels = [_text(each, advice) for each in _listed_value(value, advice, in_order=False)]
    if len(set(labels)) < len(labels):
        raise WrongValue("Give each label of a set once.", value)
    return labels


def runs(value: Any) -> list[str]:
    """One option id a run; "" for a run without an answer."""
    advice = 'Give a list with one option id a run, and "" for a run without an answer.'
    answers = [any_text(each, advice) for each in _listed_value(value, advice)]
    if len(answers) < 2:
        raise WrongValue("Give at least 2 runs: consistency compares the runs of a question.", value)
    return answers


def key_reference(value: Any) -> str:
    """The name of a key."""
    advice = 'Write tonic and mode, for example "Eb major".'
    if parse_key_name(_text(value, advice)) is None:
        raise WrongValue(advice, value)
    return str(value)


def metre_reference(value: Any) -> str:
    """The name of a time signature."""
    advice = 'Write it as n/d, for example "6/8".'
    if parse_metre(_text(value, advice)) is None:
        raise WrongValue(advice, value)
    return str(value)


def any_text_or_none(value: Any) -> str | None:
    """Any text (one that names nothing is a miss), or None for no answer."""
    return None if value is None else any_text(value, "Give a text, or None for no answer.")


def tempo_reference(value: Any) -> float:
    """A tempo in beats per minute, above 0."""
    tempo = number(value, "Give a tempo in beats per minute, a finite number above 0.")
    if tempo <= 0:
        raise WrongValue("Give a tempo in beats per minute, above 0.", value)
    return tempo


def tempo_or_none(value: Any) -> float | None:
    """A finite number of beats per minute, or None for no answer."""
    return None if value is None else number(value, "Give a finite number of beats per minute, or None for no answer.")


def tempo_answered(tempo: float | None) -> float | None:
    """A predicted tempo, or None where it lies outside 10 to 600 beats per minute, which is no answer anywhere."""
    return tempo if tempo is not None and SLOWEST_BPM <= tempo <= FASTEST_BPM else None


def reference_duration(value: Any) -> float:
    """Seconds, above 0."""
    seconds = number(value, "Give the length of the recording in seconds, above 0.")
    if seconds <= 0:
        raise WrongValue("Give the length of the recording in seconds, above 0.", value)
    return seconds


def segments(value: Any) -> list[dict[str, Any]]:
    """Segments of a recording, each with start_s, end_s and perhaps a label."""
    return [_segment(each) for each in _listed_value(value, _SEGMENTS)]


def segments_or_none(value: Any) -> list[dict[str, Any]] | None:
    """Segments of a recording (an empty list is an answer), or None for no answer."""
    return None if value is None else segments(value)


def ratings(value: Any) -> list[int | None]:
    """The ratings of one rater: whole numbers, None for a missing one."""
    advice = "Give a list of one rater's ratings, whole numbers in the order of the subjects, None for a missing one."
    given = _listed_value(value, advice)
    for each in given:
        if each is not None and not _is_whole(each):
            raise WrongValue(advice, each)
    return [None if each is None else int(each) for each in given]


def number(value: Any, advice: str) -> float:
    """A finite number as a float that has the same shortest decimal text."""
    if isinstance(value, _NO_NUMBERS) or not isinstance(value, numbers.Real):
        raise WrongValue(advice, value)
    try:
        # A narrow float is taken at its word: float32 41.6 is 41.6 here, not 41.599998474121094.
        plain = float(str(value)) if isinstance(value, np.floating) else float(value)
    except OverflowError:
        raise WrongValue(advice, value) from None
    if not math.isfinite(plain):
        raise WrongValue(advice, value)
    return plain


_SEGMENTS = (
    'Give a list of segments such as {"start_s": 0.0, "end_s": 12.5, "label": "verse"}, with finite numbers of seconds.'
)
_PARTS = ("start_s", "end_s", "label")
_NO_NUMBERS = (bool, np.bool_, np.timedelta64)
"""Types that Python or numpy count among the numbers."""
_LARGEST = 2**53


def _segment(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or "start_s" not in value or "end_s" not in value:
        raise WrongValue(_SEGMENTS, value)
    unknown = next((name for name in value if name not in _PARTS), None)
    if unknown is not None:
        raise WrongValue(f"{unknown!r} is no part of a segment{nearest(str(unknown), _PARTS)}. {_SEGMENTS}", value)
    text = value.get("label")
    start, end = (number(value[name], _SEGMENTS) for name in ("start_s", "end_s"))
    return {"start_s": start, "end_s": end, "label": "" if text is None else any_text(text, _SEGMENTS)}


def any_text(value: Any, advice: str) -> str:
    """A text that can be stored: half of a pair of surrogates is no character."""
    if not isinstance(value, str):
        raise WrongValue(advice, value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise WrongValue(f"It is no legal Unicode. {advice}", value) from None
    return str(value)


def _text(value: Any, advice: str) -> str:
    text = any_text(value, advice)
    if not text.strip():
        raise WrongValue(advice, value)
    return text


def _name(value: Any) -> Any:
    if isinstance(value, str) or _is_whole(value):
        return value
    raise WrongValue("Give a name as a text or a whole number.", value)


def _category(value: Any) -> int:
    if not _is_whole(value):
        raise WrongValue("Give the categories as whole numbers in rising order.", value)
    return int(value)


def _option_count(value: Any) -> int:
    if not _is_whole(value) or not 2 <= value <= 26:
        raise WrongValue("Give how many options the question has, a whole number from 2 to 26.", value)
    return int(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, _NO_NUMBERS) and abs(int(value)) <= _LARGEST


def _listed_value(value: Any, advice: str, *, in_order: bool = True) -> list[Any]:
    unordered = isinstance(value, (set, frozenset)) and in_order
    if unordered or isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise WrongValue(advice, value)
    try:
        return list(value)
    except TypeError:  # An array without dimensions.
        raise WrongValue(advice, value) from None


def _rows(name: str, given: Any, advice: str = _LIST) -> list[Any]:
    """A column as a list of its values; arrays of numpy, torch and pandas are taken too."""
    if given is None:
        raise InputError(f"{name} is missing. {advice}")
    if isinstance(given, (str, bytes, Mapping, set, frozenset)) or not isinstance(given, Iterable):
        raise InputError(f"{name}: found {_shown(given)}. {advice}")
    if not isinstance(given, Sequence) and hasattr(given, "__array__"):
        given = np.asarray(given)
        if given.ndim == 0:
            raise InputError(f"{name}: found the single value {given}. {advice}")
    return list(given)


def _checked_rows(name: str, values: Sequence[Any], kind: Kind, first_row: int) -> list[Any]:
    stored: list[Any] = []
    wrong: list[tuple[int, WrongValue]] = []
    for row, value in enumerate(values, first_row):
        try:
            stored.append(kind(value))
        except WrongValue as problem:
            wrong.append((row, problem))
    if wrong:
        row, first = wrong[0]
        others = f" {len(wrong) - 1} more rows are wrong." if len(wrong) > 1 else ""
        raise InputError(f"{name} row {row}: found {_shown(first.found)}. {first}{others}")
    return stored


def _shown(value: Any) -> str:
    text = repr(value)
    short = text if len(text) <= 80 else f"{text[:77]}..."
    return short if value is None else f"{short} ({type(value).__name__})"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)
