"""The README is the product's face: what it shows is what comes out."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def block(name):
    return re.search(rf"<!-- {name} -->\n```(?:sh|python)?\n(.*?)```\n<!-- /{name} -->", README, re.DOTALL)[1].rstrip()


def test_the_output_shown_is_the_output(tmp_path):
    environment = {**os.environ, "COLUMNS": "160"}
    command = [sys.executable, "-m", "musebench_tasks", "run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    assert block("demo output") in printed


def test_the_python_shown_runs_in_an_empty_folder_without_a_network(tmp_path):
    environment = os.environ | {"HF_HOME": str(tmp_path / "caches"), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", block("python")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.splitlines() == block("python output").splitlines(), done.stderr
    assert "musebench_demo, a small demonstration, not musebench" in done.stderr


def test_every_page_and_picture_it_points_to_is_there():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).is_file(), target


def test_the_continuous_integration_runs_the_command_that_is_shown():
    assert block("tests").endswith("pip install -e '.[dev]' && pytest")
    assert "<!-- tests -->" in (ROOT / ".ci" / "run").read_text()
