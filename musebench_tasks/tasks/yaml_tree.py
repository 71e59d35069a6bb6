"""YAML read as a tree in which every value knows the file and line it was written on.

`include:` names another file, relative to the including one; chains are followed, cycles are errors.
Mappings are merged deeply, with the including file's values on top; lists and single values are replaced.

`!function NAME` is a value that lives in this package, named instead of repeated. A task file is data that people
exchange: nothing outside the package is imported for it, nothing is called, and the name must stand for plain data.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read, shown_path
from musebench_tasks.base.problems import Location, Problem, reason
from musebench_tasks.base.text import closest

INCLUDE = "include"
FUNCTION_TAG = "!function"
PACKAGE = "musebench_tasks"
_NAME = re.compile(rf"{PACKAGE}(?:\.[a-z][a-z0-9_]*)*\.[A-Za-z][A-Za-z0-9_]*")
MOST_VALUES = 100_000
"""Values one file may expand to: aliases of aliases grow without bound."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PREFIX = "tag:yaml.org,2002:"


@dataclass(frozen=True)
class Tree:
    """A scalar, a list of trees or a mapping of trees, with the place it was written at."""

    value: Any
    file: Path
    line: int
    """From 1; of a mapping's value, the line of its key."""

    def plain(self) -> Any:
        """The value as ordinary Python data."""
        if isinstance(self.value, dict):
            return {key: each.plain() for key, each in self.value.items()}
        if isinstance(self.value, list):
            return [each.plain() for each in self.value]
        return self.value

    def at(self, location: Location) -> Tree:
        """The tree at `location`, or its nearest existing ancestor."""
        tree = self
        for part in location:
            known = isinstance(tree.value, dict) and part in tree.value
            listed = isinstance(tree.value, list) and isinstance(part, int) and part < len(tree.value)
            if not (known or listed):
                break
            tree = tree.value[part]
        return tree

    def get(self, *location: str) -> Any:
        """Plain data at `location`; None if nothing is written there."""
        tree = self
        for part in location:
            if not isinstance(tree.value, dict) or part not in tree.value:
                return None
            tree = tree.value[part]
        return tree.plain()

    def placed(self, problem: Problem) -> Problem:
        """The problem with the file and line where its location, or the nearest existing ancestor, is written."""
        tree = self.at(problem.location)
        return problem.at(place=str(shown_path(tree.file)), line=tree.line, noun="key")

    def problem(self, found: str, *location: str | int) -> Problem:
        """What was found at a location, with file and line."""
        return self.placed(Problem(found, location=location))


def nearest_key(key: str, known: Iterable[str]) -> str:
    """` (nearest known key: "…")`, or the empty string."""
    match = closest(key, known)
    return f' (nearest known key: "{match}")' if match else ""


def read_tree(path: Path) -> Tree:
    """The file at `path` with its includes merged in; InputError names file and line."""
    return _read(path, ())


def read_file(path: Path) -> Tree:
    """The mapping written in `path` itself, includes left alone."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise not_read(path, error) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{shown_path(path)}: is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f" line {mark.line + 1}" if mark else ""
        raise InputError(f"{shown_path(path)}{line}: is not YAML: {error.problem or error.context}.") from error
    except yaml.YAMLError as error:
        raise InputError(f"{shown_path(path)}: is not YAML: {reason(error)}.") from error
    except RecursionError as error:
        raise InputError(f"{shown_path(path)}: is nested too deeply.") from error
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{shown_path(path)} line 1: should hold keys with values (key: value), found something else.")
    try:
        tree = _YamlReader(path).tree(node, 1)
    except RecursionError as error:
        raise InputError(f"{shown_path(path)}: an alias contains itself, or values are nested too deeply.") from error
    return tree


def merge(base: Tree, top: Tree) -> Tree:
    """`top` over `base`: mappings deeply, everything else replaced."""
    if not (isinstance(base.value, dict) and isinstance(top.value, dict)):
        return top
    merged = dict(base.value)
    for key, tree in top.value.items():
        merged[key] = merge(merged[key], tree) if key in merged else tree
    return Tree(merged, top.file, top.line)


def _read(path: Path, including: tuple[Path, ...]) -> Tree:
    tree = read_file(path)
    include = tree.value.get(INCLUDE)
    if include is None:
        return tree
    if not isinstance(include.value, str) or not include.value:
        raise InputError(tree.problem("should be the path of one YAML file, relative to this file.", INCLUDE))
    chain = (*including, path.resolve())
    target = path.parent / include.value
    if target.resolve() in chain:
        names = " -> ".join(each.name for each in (*chain, target.resolve()))
        raise InputError(tree.problem(f"includes go round in a circle: {names}. Remove one of them.", INCLUDE))
    if not target.is_file():
        raise InputError(tree.problem(f'no file "{include.value}" beside this file.', INCLUDE))
    own = Tree({key: each for key, each in tree.value.items() if key != INCLUDE}, tree.file, tree.line)
    return merge(_read(target, chain), own)


class _YamlReader:
    """Turns the nodes of one file into trees."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.values = 0
        self.scalars = yaml.constructor.SafeConstructor()
        self.read_scalar: dict[str, Callable[[Any], Any]] = {
            f"{_PREFIX}str": lambda node: node.value,
            # A date stays the text that was written: no key of ours holds a date.
            f"{_PREFIX}timestamp": lambda node: node.value,
            f"{_PREFIX}int": self.scalars.construct_yaml_int,
            f"{_PREFIX}float": self.scalars.construct_yaml_float,
            f"{_PREFIX}bool": self.scalars.construct_yaml_bool,
            f"{_PREFIX}null": lambda node: None,
        }

    def tree(self, node: Any, line: int) -> Tree:
        self.values += 1
        if self.values > MOST_VALUES:
            raise InputError(f"{shown_path(self.path)}: holds more than {MOST_VALUES} values. Write fewer aliases.")
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_PREFIX}map":
            return Tree(dict(self.entries(node)), self.path, line)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_PREFIX}seq":
            return Tree([self.tree(each, each.start_mark.line + 1) for each in node.value], self.path, line)
        if isinstance(node, yaml.ScalarNode):
            return Tree(self.scalar(node), self.path, line)
        raise self.foreign(node.tag, line)

    def foreign(self, tag: str, line: int) -> InputError:
        return InputError(f'{shown_path(self.path)} line {line}: the tag "{tag}" means nothing here. Remove it.')

    def entries(self, node: Any) -> Iterator[tuple[str, Tree]]:
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != f"{_PREFIX}str":
                raise InputError(f"{shown_path(self.path)} line {line}: a key should be text, found {key!r}. Quote it.")
            if key in lines:
                raise InputError(
                    f'{shown_path(self.path)} line {line}, key "{key}": stands on line {lines[key]} already. '
                    "Remove one."
                )
            lines[key] = line
            yield key, self.tree(value_node, line)

    def scalar(self, node: Any) -> Any:
        line = node.start_mark.line + 1
        if node.tag == FUNCTION_TAG:
            try:
                return resolve_constant(node.value)
            except InputError as error:
                raise error.at(place=str(shown_path(self.path)), line=line) from error
        if node.tag not in self.read_scalar:
            raise self.foreign(node.tag, line)
        try:
            return self.read_scalar[node.tag](node)
        except ValueError as error:
            why = f"({reason(error)})" if len(node.value) <= 40 else f"and so on ({len(node.value)} characters)"
            raise InputError(f"{shown_path(self.path)} line {line}: cannot read {node.value[:40]!r} {why}.") from error


def resolve_constant(name: str) -> Any:
    """The plain value that the dotted `name` stands for; InputError unless it lies in this package."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f'{FUNCTION_TAG} "{name}" is refused: only names inside {PACKAGE} are resolved. Write the value itself.'
        )
    module_name, _, attribute = name.rpartition(".")
    try:
        value = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f'{FUNCTION_TAG} "{name}": no such name in {PACKAGE}.') from error
    if callable(value) or not _is_plain(value):
        raise InputError(f'{FUNCTION_TAG} "{name}" is no plain value (text, number, list). Write the value itself.')
    return list(value) if isinstance(value, tuple) else value


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(each) for each in value)
    return value is None or isinstance(value, (str, int, float, bool))
