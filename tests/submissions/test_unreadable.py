"""Files that are no YAML or JSON of ours end every command on a run in a line, never in a traceback."""

import re

import pytest

from musebench_tasks import api
from musebench_tasks.cli import main

NO_YAML = {
    "latin": (b"task: caf\xe9\n", "is not UTF-8"),
    "binary": (bytes(range(256)), "is not"),
    "deep": (b"[" * 3000, "exceeded maximum nesting depth|nested too deeply"),
    "deep_value": (b"task: " + b"[" * 3000, "exceeded maximum nesting depth|nested too deeply"),
    "empty": (b"", "should hold keys with values"),
    "list": (b"- a\n", "should hold keys with values"),
    "date": (b"task: 2026-13-45\n", "is missing|not a task|is no known|should be"),
}
COMMANDS = ("validate", "verify", "score", "report", "compare", "submit", "leaderboard add")
OF_THE_TASK = ("verify", "score", "submit", "leaderboard add")
"""Commands that read the task of a run again."""


def line_of(command, run, other):
    """The arguments of a command on a run."""
    more = {
        "compare": [other],
        "submit": ["--to", "ada/board", "--dry-run", "--offline"],
        "leaderboard add": [other.parent / "to", "--submitter", "Ada"],
    }
    return [*command.split(), str(run), *map(str, more.get(command, ()))]


@pytest.mark.parametrize("kind", NO_YAML)
@pytest.mark.parametrize("name", ["run.yaml", "task.yaml"])
def test_every_command_names_the_file_that_it_cannot_read(colours, run_folder, name, kind, capsys):
    content, said = NO_YAML[kind]
    (run_folder / name).write_bytes(content)
    for command in COMMANDS if name == "run.yaml" else OF_THE_TASK:
        assert main(line_of(command, run_folder, colours.folder / "birch" / "colours")) == 2, command
        told = capsys.readouterr().err
        assert name in told, command
        assert re.search(said, told), command


@pytest.mark.parametrize("kind", NO_YAML)
def test_a_suite_that_cannot_be_read_only_loses_its_order(colours, kind):
    (colours.folder / "ash" / "suite.yaml").write_bytes(NO_YAML[kind][0])
    assert "valid predictions" in api.validate(colours.folder / "ash")


NO_LINES = {
    "mark": ("\ufeff{}".encode(), "begins with a byte order mark. Save it as UTF-8 without one."),
    "digits": (b'{"run": ' + b"9" * 5000 + b"}", "line 1: 99999999999999999999… (5000 digits) is no number of JSON"),
    "latin": (b'{"raw": "caf\xe9"}', "line 1: is not UTF-8 (byte 0xE9). Save it as UTF-8."),
    "deep": (b'{"raw": ' + b"[" * 100_000, "line 1: is nested too deeply."),
    "comma": (b'{"run": 0,}', "line 1: a comma stands before a closing bracket. Remove it."),
    "half": (b'{"item_id": "\\ud800"}', "line 1: is not JSON (unexpected end of hex escape"),
}


@pytest.mark.parametrize("kind", NO_LINES)
def test_every_command_says_the_same_of_lines_that_are_no_json(run_folder, kind, capsys):
    content, said = NO_LINES[kind]
    (run_folder / "predictions.jsonl").write_bytes(content + b"\n")
    for command in ("validate", "verify", "score"):
        assert main([command, str(run_folder)]) == 2, command
        told = capsys.readouterr().err
        assert f"predictions.jsonl {said}" in told or f"predictions.jsonl: {said}" in told, (command, told[:300])
        assert "limit" not in told


def test_numbers_without_end_are_cut(run_folder, capsys):
    (run_folder / "run.yaml").write_text(f"task: {'9' * 5000}\n")
    assert main(["score", str(run_folder)]) == 2
    told = capsys.readouterr().err
    assert "cannot read '9999" in told
    assert len(told) < 300


NO_SCORES = {
    "latin": b'{"system": "caf\xe9"}',
    "wide": '{"system": "a"}'.encode("utf-16"),
    "deep": b"[" * 100_000,
    "empty": b"",
}


@pytest.mark.parametrize("kind", NO_SCORES)
@pytest.mark.parametrize("command", ["report", "compare", "validate", "verify"])
def test_scores_that_cannot_be_read_end_in_a_line(colours, run_folder, command, kind, capsys):
    (run_folder / "scores.json").write_bytes(NO_SCORES[kind])
    assert main(line_of(command, run_folder, colours.folder / "birch" / "colours")) == 2
    told = capsys.readouterr().err
    assert "scores.json" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("kind", NO_SCORES)
def test_the_scores_of_a_whole_run_too(colours, kind, capsys):
    file = colours.folder / "run" / "scores.json"
    file.write_bytes(NO_SCORES[kind])
    for command in ("validate", "verify"):
        assert main([command, str(file if command == "validate" else file.parent)]) == 2
        assert "scores.json" in capsys.readouterr().err
