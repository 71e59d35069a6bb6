"""What happened is told by types, codes and fields: no module reads it out of the words of an error.

Words are made and shown in `base.problems` and `base.errors`. Of a library's exception, which has words alone, `reason`
gives the line that is shown.
"""

import ast
from pathlib import Path

import pytest

import musebench_tasks

PACKAGE = Path(musebench_tasks.__file__).parent
RENDERERS = frozenset({"base/problems.py", "base/errors.py"})
IN_WORDS_ALONE = {
    "items/tables.py": "csv tells what is wrong with quotes in words alone",
    "media/picture.py": "Pillow tells how many pixels are too many in words alone",
    "models/openai_chat/model.py": "a server tells that it gives no probabilities in words alone",
}
"""Where somebody else tells in words alone what happened, and what follows depends on it."""
WORDS = frozenset({"found", "advice", "message", "explanation"})
SHOWN = frozenset({"text", "lines"})
"""What a caught error of our own is shown as, and nothing else."""
SEARCHES = frozenset(
    {"startswith", "endswith", "partition", "rpartition", "split", "splitlines", "find", "index", "lower", "strip"}
)
PATTERNS = frozenset({"search", "match", "fullmatch", "findall", "finditer", "sub", "split"})


def caught(tree):
    """The name of each caught exception, with what stands in its handler."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.name:
            for inner in ast.walk(ast.Module(node.body, [])):
                yield node.name, inner


def reads_error(name, node):
    """Whether a node makes text of the caught exception `name`, or looks into its arguments."""

    def is_it(value):
        return isinstance(value, ast.Name) and value.id == name

    if isinstance(node, ast.FormattedValue):
        return is_it(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr == "args" and is_it(node.value)
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("str", "repr") and any(map(is_it, node.args))


def reads_words(node, error=None):
    """Whether a node looks for something in the words of a problem, or of the caught exception `error`."""

    def are_words(value):
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SEARCHES:
            return are_words(value.func.value)
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "reason":
            return True
        if not isinstance(value, ast.Attribute):
            return False
        is_shown = value.attr in SHOWN and isinstance(value.value, ast.Name) and value.value.id == error
        return is_shown or (error is None and value.attr in WORDS)

    if isinstance(node, ast.Compare):
        is_inside = any(isinstance(each, (ast.In, ast.NotIn)) for each in node.ops)
        return is_inside and isinstance(node.left, (ast.Constant, ast.Call)) and any(map(are_words, node.comparators))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if are_words(node.func.value):
        return node.func.attr in SEARCHES
    return node.func.attr in PATTERNS and any(map(are_words, node.args))


def offences(text):
    tree = ast.parse(text)
    found = [node for name, node in caught(tree) if reads_error(name, node) or reads_words(node, name)]
    found += [node for node in ast.walk(tree) if reads_words(node)]
    return sorted({f"line {node.lineno}: {ast.unparse(node)}" for node in found})


OFFENCES = {str(path.relative_to(PACKAGE)): offences(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


def test_no_words_of_errors_are_read():
    assert {
        name: found for name, found in OFFENCES.items() if found and name not in {*RENDERERS, *IN_WORDS_ALONE}
    } == {}


def test_every_exemption_is_needed():
    assert [name for name in IN_WORDS_ALONE if not OFFENCES[name]] == []


@pytest.mark.parametrize(
    "line",
    ["x = str(error)", "x = f'{error}'", "x = error.args", "'no' in error.text", "error.text.lower().startswith('no')"],
)
def test_a_handler_that_reads_words_is_found(line):
    assert offences(f"try:\n    pass\nexcept Exception as error:\n    {line}")
    assert not offences("try:\n    pass\nexcept Exception as error:\n    print(error.text, error.code, reason(error))")


@pytest.mark.parametrize("line", ["re.search('no', each.found)", "each.message.split(':')", "'no' in each.advice"])
def test_code_that_reads_a_problem_is_found(line):
    assert offences(line)
