"""A folder to write task files in."""

import textwrap

import pytest

TASK = """\
task: mine
dataset_path: somewhere
kind: choice
protocol:
  media: [video, audio]
  conditions: [full, no_audio]
metric_list:
  - metric: accuracy
metadata:
  headline: accuracy
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file below the current folder, so that errors name it by its short name."""
    monkeypatch.chdir(tmp_path)

    def write_file(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write_file


@pytest.fixture
def change(write):
    """Writes the valid TASK with one piece of text replaced."""

    def change_task(old, new, name="mine.yaml"):
        assert old in TASK
        return write(name, TASK.replace(old, new))

    return change_task
