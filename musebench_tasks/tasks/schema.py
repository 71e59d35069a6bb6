"""Holds a YAML tree against a record: every problem with file, line, key, what was found and a fix."""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Record
from musebench_tasks.base.strict_text import strict_text
from musebench_tasks.base.validation import Code, faults
from musebench_tasks.tasks.yaml_tree import Tree, read_file

_R = TypeVar("_R", bound=Record)


def strict_tree(path: Path) -> Tree:
    """A YAML file from others, in which nothing is passed over in silence, a byte order mark neither."""
    strict_text(path)
    return read_file(path)


def read_strictly(path: Path, record: type[_R]) -> _R:
    """The `record` that a YAML file from others holds; InputError of every problem."""
    return record_of(strict_tree(path), record)


def record_of(tree: Tree, record: type[_R]) -> _R:
    """The `record` that `tree` holds; InputError names file, line and key of all that is wrong with it."""
    problems = schema_problems(tree, record)
    if problems:
        raise InputError(*problems)
    return record.model_validate(tree.plain())


def schema_problems(tree: Tree, record: type[Record], *, partial: bool = False) -> list[Problem]:
    """Where `tree` breaks the form of `record`; a `partial` tree (a file to be included) may lack keys."""
    plain = tree.plain()
    try:
        # JSON mode is strict about types ("4" is no number) yet takes lists for tuples and text for enums.
        record.model_validate_json(json.dumps(plain), strict=True)
    except ValidationError as error:
        found = faults(error, record, plain, noun="key", partial=partial)
        return [tree.placed(each.at(advice=_hint(tree, each))) for each in found]
    return []


def _hint(tree: Tree, problem: Problem) -> str:
    """That a truth value may have been meant as a word, where text should stand."""
    is_word = problem.code == Code.TEXT and isinstance(tree.at(problem.location).value, bool)
    return "YAML reads yes, no, on and off as true and false: quote what is meant as text." if is_word else ""
