"""The rules that tools can hold: floors, style, types."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 400
LONGEST_FUNCTION = 60


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
    import ast

    too_long = [
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in python_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno > LONGEST_FUNCTION
    ]
    assert not too_long


def test_a_room_exports_and_nothing_else():
    busy = [
        path.parent.name
        for path in (ROOT / "musebench_tasks").glob("*/__init__.py")
        if re.search(r"^(def|class) ", path.read_text(), re.MULTILINE) and path.parent.name not in ("cli",)
    ]
    assert not busy
