"""Files from others, read strictly: every way in which two readers could understand them differently is an error.

UTF-8 without a byte order mark; JSON without trailing commas, NaN, and keys that stand twice; YAML likewise, with the
line of what is wrong. What an ordinary reader repairs in silence is named here.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read
from musebench_tasks.base.problems import Location, lines
from musebench_tasks.base.records import Erratum, Prediction, Record, Scorecard, Submission
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.base.validation import faults
from musebench_tasks.evaluation.definitions import CHAPTERS
from musebench_tasks.evaluation.metrics.music import EACH_METRE
from musebench_tasks.evaluation.vocabulary import unknown_words
from musebench_tasks.tasks.schema import record_of, schema_problems
from musebench_tasks.tasks.yaml_tree import read_file

Kind = TypeVar("Kind", bound=Record)
_WIDE = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_TRAILING_COMMA = re.compile(r",\s*$")
MOST_DIGITS = 400
"""Of a number: the largest that a measure can hold has 309."""
LONGEST_ANSWER = 500_000
"""Characters of one raw text in a file of others: more than any model writes."""
MOST_PROBLEMS = 20
"""Lines that one file is told of at most."""


class _TwiceError(ValueError):
    """A key that stands twice in one JSON object."""


class ErrataFile(Record):
    """errata.yaml of a dataset: one entry for each older version that leads to this one."""

    errata: tuple[Erratum, ...]


def strict_text(path: Path) -> str:
    """The text of a UTF-8 file; InputError where it is in another encoding or begins with a byte order mark."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise not_read(path, problem) from problem
    if content.startswith(codecs.BOM_UTF8):
        raise InputError(f"{path}: begins with a byte order mark. Save it as UTF-8 without one.")
    wide = next((name for mark, name in _WIDE.items() if content.startswith(mark)), None)
    if wide is not None:
        raise InputError(f"{path}: is {wide}. Save it as UTF-8.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise InputError(
            f"{path} line {line}: is not UTF-8 (byte 0x{content[problem.start]:02X}). Save it as UTF-8."
        ) from problem


def strict_json(text: str, place: str) -> Any:
    """The value of a JSON text; InputError, beginning with `place`, for what strict readers refuse."""
    try:
        return json.loads(text, object_pairs_hook=_once, **_NUMBERS)
    except json.JSONDecodeError as problem:
        where = f" line {problem.lineno}" if "\n" in text.rstrip("\n") else ""
        if _TRAILING_COMMA.search(text[: problem.pos]) and text[problem.pos : problem.pos + 1] in ("}", "]"):
            raise InputError(f"{place}{where}: a comma stands before a closing bracket. Remove it.") from problem
        raise InputError(f"{place}{where}: is not JSON ({problem.msg}, column {problem.colno}).") from problem
    except _TwiceError as problem:
        raise InputError(f'{place}: the key "{problem}" stands twice. Remove one.') from problem
    except ValueError as problem:
        raise InputError(f"{place}: {problem} is no number of JSON. Write null for what is not there.") from problem
    except RecursionError as problem:
        raise InputError(f"{place}: is nested too deeply.") from problem


def yaml_problems(path: Path, record: type[Record]) -> list[str]:
    """Every way in which a YAML file is no `record`, one line each."""
    strict_text(path)
    return lines(schema_problems(read_file(path), record))


def read_submission(path: Path) -> Submission:
    """A submission.yaml; InputError lists every problem."""
    return _read_yaml(path, Submission)


def read_errata(path: Path) -> tuple[Erratum, ...]:
    """The entries of an errata.yaml: one alone, or several under `errata`; InputError lists every problem."""
    strict_text(path)
    tree = read_file(path)
    are_several = "errata" in tree.value
    entries = _read_yaml(path, ErrataFile).errata if are_several else (_read_yaml(path, Erratum),)
    first: dict[str, int] = {}
    problems: list[str] = []
    for number, entry in enumerate(entries):
        above: Location = ("errata", number) if are_several else ()
        problems += [tree.problem(words, *above, *location).text for location, words in _contradictions(entry)]
        before = first.setdefault(entry.from_data_sha256, number)
        if before != number:
            words = f"stands in entry {before + 1} already. Say in one entry what changed since that version."
            problems.append(tree.problem(words, *above, "from_data_sha256").text)
    if problems:
        raise InputError("\n".join(first_problems(problems)))
    return entries


def _contradictions(erratum: Erratum) -> Iterator[tuple[Location, str]]:
    """Ids that one entry names twice, or both as retired and as re-keyed."""
    seen: dict[str, str] = {}
    for field in ("retired", "rekeyed"):
        for place, item in enumerate(getattr(erratum, field)):
            if item in seen:
                stands = "already" if seen[item] == field else f'under "{seen[item]}" too'
                yield (field, place), f"{shown(item)} stands {stands}. Remove one of the two."
            seen.setdefault(item, field)


def prediction_problems(path: Path) -> list[str]:
    """What strict readers refuse in a predictions file, one line each; items are not looked at here."""
    return list(first_problems(_prediction_problems(path)))


def _prediction_problems(path: Path) -> Iterator[str]:
    text = strict_text(path)
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        place = f"{path} line {number}"
        if not line.strip():
            yield f"{place}: is empty. Remove the line."
            continue
        try:
            found = strict_json(line, place)
        except InputError as problem:
            yield str(problem)
            continue
        wrong = list(_record_problems(line, found, Prediction, place))
        yield from wrong
        if not wrong:
            prediction = Prediction.model_validate_json(line, strict=True)
            told = [*unknown_words(prediction), *_too_long(prediction)]
            yield from (f'{place}, field "{field}": {problem}' for field, problem in told)


def _too_long(prediction: Prediction) -> Iterator[tuple[str, str]]:
    length = len(prediction.raw or "")
    if length > LONGEST_ANSWER:
        yield "raw", f"has {length} characters; at most {LONGEST_ANSWER} may stand there."


def scorecard_problems(path: Path) -> list[str]:
    """Every way in which a scores.json is no scorecard of known metrics, one line each."""
    text = strict_text(path)
    found = strict_json(text, str(path))
    problems = list(_record_problems(text, found, Scorecard, str(path)))
    if not problems:
        problems = list(_unknown_metrics(Scorecard.model_validate_json(text), path))
    return list(first_problems(problems))


def metric_names() -> list[str]:
    """Every metric id that scores.json may hold, without version."""
    ids = (each for chapter in CHAPTERS.values() for definition in chapter for each in definition.ids)
    return sorted({each.rpartition("/")[0] for each in ids})


def _unknown_metrics(card: Scorecard, path: Path) -> Iterator[str]:
    known = metric_names()
    families = tuple(name.removesuffix(EACH_METRE) for name in known if name.endswith(EACH_METRE))
    for group in ("scores", "baselines"):
        for place, row in enumerate(getattr(card, group)):
            if row.metric not in known and not row.metric.startswith(families):
                near = nearest(row.metric, known)
                yield f'{path}, field "{group}[{place}].metric": "{row.metric}" is no metric{near}.'


def _record_problems(text: str, found: Any, record: type[Record], place: str) -> Iterator[str]:
    """What is wrong with the fields of one JSON text; pydantic reads the text itself, so that types stay strict."""
    if not isinstance(found, dict):
        yield f"{place}: should hold fields in braces, found {shown(found)}."
        return
    try:
        record.model_validate_json(text, strict=True)
    except ValidationError as problem:
        yield from (each.at(place=place).text for each in faults(problem, record, found))


def _read_yaml(path: Path, record: type[Kind]) -> Kind:
    strict_text(path)
    return record_of(read_file(path), record)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in found if keys.count(key) > 1))
    return found


def _finite(digits: str) -> float:
    """The number; one too large to be held is none."""
    found = float(digits)
    return found if isfinite(found) else _no_number(digits)


def _whole(digits: str) -> int:
    """The number; one of more digits than any measure has is none."""
    return int(digits) if len(digits) <= MOST_DIGITS else _no_number(digits)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name if len(name) <= MOST_DIGITS else f"{name[:20]}… ({len(name)} digits)")


_NUMBERS: dict[str, Any] = {"parse_constant": _no_number, "parse_float": _finite, "parse_int": _whole}


def first_problems(problems: Iterable[str]) -> Iterator[str]:
    """The first of many, and that there are more."""
    for number, each in enumerate(problems):
        if number == MOST_PROBLEMS:
            yield "and more: correct these first."
            return
        yield each
