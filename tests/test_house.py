"""The rules that tools can hold: floors, style, types, names, sizes."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 400
LONGEST_FUNCTION = 60
SHORTEST_FILE = 60
REGISTERED = ("measures", "harnesses")
"""Rooms of records: one file a record, whoever lists them."""

NAMES_OF_SEVERAL_THINGS = """
Column Group Line Look Media Medium Question Recording Section Table Track
"""
"""Class names that stand for several things until they are renamed: take out what is gone, add nothing."""

SMALL_FILES = """
musebench_tasks/assembly/build.py
musebench_tasks/assembly/source_checks.py
musebench_tasks/assembly/mub/archive.py
musebench_tasks/assembly/mub/outcome.py
musebench_tasks/assembly/rules/collection.py
musebench_tasks/assembly/rules/questions.py
musebench_tasks/assembly/rules/benchmarks.py
musebench_tasks/hub/metric_spaces.py
musebench_tasks/media/conditions.py
musebench_tasks/metric_modules/results.py
musebench_tasks/models/dsp/pulse.py
musebench_tasks/models/dsp/model.py
musebench_tasks/models/openai_chat/loading.py
musebench_tasks/models/transformers_chat/batching.py
musebench_tasks/models/transformers_chat/letters.py
musebench_tasks/models/transformers_chat/cache.py
musebench_tasks/models/transformers_chat/reference_path.py
musebench_tasks/registration/after_import.py
musebench_tasks/registration/load_metric.py
musebench_tasks/reports/pairs.py
musebench_tasks/reports/statuses.py
"""
"""Short files that one other file uses, until they are merged into it: take out what is gone, add nothing."""


def run(*command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)],
    ids=["ruff", "format", "mypy"],
)
def test_style_and_types(command):
    run(*command)


def test_rooms_import_only_lower_floors():
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def python_files():
    return sorted((ROOT / "musebench_tasks").rglob("*.py"))


def test_no_file_holds_two_ideas():
    too_long = [path for path in python_files() if path.read_text().count("\n") > LONGEST_FILE]
    assert not too_long


def test_no_function_holds_two_ideas():
    too_long = [
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in python_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno > LONGEST_FUNCTION
    ]
    assert not too_long


@cache
def modules():
    """Every module of the package by its dotted name, as a tree."""
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in python_files()}
    return {
        name.removesuffix(".__init__"): (path, ast.parse(path.read_text(encoding="utf-8")))
        for name, path in names.items()
    }


def test_a_class_name_stands_for_one_thing():
    found = defaultdict(set)
    for path, tree in modules().values():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                found[node.name].add(str(path.relative_to(ROOT)))
    several = {name: sorted(paths) for name, paths in found.items() if len(paths) > 1}
    assert {name: paths for name, paths in several.items() if name not in NAMES_OF_SEVERAL_THINGS.split()} == {}


def importers():
    """By module, the modules that import it or from it."""
    found = defaultdict(set)
    for name, (_, tree) in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    found[whole if whole in modules() else node.module].add(name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.name].add(name)
    return found


def test_a_file_is_an_idea_that_a_reader_looks_for():
    """A short file with one user is part of that file, unless it is a record or breaks an import circle and says so."""
    small = set()
    for name, users in importers().items():
        if name not in modules() or len(users) != 1 or name.rpartition(".")[0] in users:
            continue
        path, tree = modules()[name]
        if path.name == "__init__.py" or path.relative_to(ROOT).parts[1] in REGISTERED:
            continue
        if "import circle" not in (ast.get_docstring(tree) or "") and path.read_text().count("\n") < SHORTEST_FILE:
            small.add(str(path.relative_to(ROOT)))
    assert sorted(small - set(SMALL_FILES.split())) == []


def test_a_room_exports_and_nothing_else():
    busy = [
        path.parent.name
        for path in (ROOT / "musebench_tasks").glob("*/__init__.py")
        if re.search(r"^(def|class) ", path.read_text(), re.MULTILINE) and path.parent.name not in ("cli",)
    ]
    assert not busy


def test_the_page_of_the_house_shows_every_room_on_its_floor():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if "musebench_tasks.cli" in each["layers"])
    later = {"version", "review", "construction"}
    floors = [set(re.findall(r"musebench_tasks\.(\w+)", layer)) - later for layer in reversed(layers)]
    shown = defaultdict(set)
    for floor, rooms in re.findall(
        r"^\| (\d+) \| (`[^|]+) \|", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE
    ):
        shown[int(floor)].update(re.findall(r"`(\w+)/`", rooms))
    assert dict(shown) == dict(enumerate(filter(None, floors)))
    assert {path.parent.name for path in (ROOT / "musebench_tasks").glob("*/__init__.py")} <= set().union(*floors)
