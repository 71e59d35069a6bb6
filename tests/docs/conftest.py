"""Reads a page as its reader would: writes its files, changes what it says to change, runs its commands.

A comment before every fenced block says what the block is: `file: NAME` (to be written), `insert: NAME after LINE`
(lines to be added to a file that is there), `run` or `run: exit N` (shell commands), `prints` (lines that the last
commands printed, among others; `...` stands for anything), `shown` (not run here: needs a server,
a GPU or the network).
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from musebench_tasks.cli import main

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """A fenced block and what is to be done with it."""

    page: str
    line: int
    verb: str
    about: str
    text: str

    @property
    def place(self):
        return f"{self.page} line {self.line}"


def blocks_of(page):
    """The fenced blocks of a page, in order; a block without a comment has the verb ""."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        verb, _, about = (match["mark"] or "").partition(":")
        line = text.count("\n", 0, match.start("language")) + 1
        yield Block(page, line, verb.strip(), about.strip(), match["text"])


class Reader:
    """Someone who follows a page in a folder of their own."""

    def __init__(self, folder, environment, own_package):
        self.folder = folder
        self.environment = environment
        self.own_package = own_package
        self.printed = ""

    def follow(self, page):
        for block in blocks_of(page):
            getattr(self, f"_{block.verb}")(block)

    def _shown(self, block):
        pass

    def _file(self, block):
        path = self.folder / block.about
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def _insert(self, block):
        name, _, line = block.about.partition(" after ")
        path = self.folder / name
        before = path.read_text(encoding="utf-8")
        assert before.count(f"{line}\n") == 1, f"{block.place}: {name} has not one line {line!r}"
        path.write_text(before.replace(f"{line}\n", f"{line}\n{block.text}"), encoding="utf-8")

    def _run(self, block):
        wanted = int(block.about.removeprefix("exit ") or 0)
        lines = block.text.replace("\\\n", "").splitlines()
        ended = [self._command(line) for line in lines if line.strip() and not line.startswith("#")]
        self.printed = "".join(output for _, output in ended)
        codes = [code for code, _ in ended]
        assert codes == [0] * (len(codes) - 1) + [wanted], f"{block.place}: exit {codes}\n{self.printed}"

    def _prints(self, block):
        printed = [" ".join(line.split()) for line in self.printed.splitlines()]
        for line in block.text.splitlines():
            pattern = ".*".join(re.escape(part) for part in " ".join(line.split()).split("..."))
            found = any(re.fullmatch(pattern, each) for each in printed)
            assert found, f"{block.place}: {line!r} is not in\n{self.printed}"

    def _command(self, line):
        """Exit code and output; the package's own command is called in this process, which saves its start."""
        words = shlex.split(line, comments=True)
        if self.own_package or words[0] != "musebench":
            done = subprocess.run(
                line,
                shell=True,
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output), contextlib.chdir(self.folder):
            try:
                code = main(words[1:])
            except SystemExit as end:
                code = end.code
        return code, output.getvalue()


def copy_of_the_checkout(folder):
    """What a contributor changes, as a copy; what they only read, as a link."""
    shutil.copytree(ROOT / "musebench_tasks", folder / "musebench_tasks", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("dataset_scripts", "yaml_configs", "pyproject.toml", "tests/conftest.py", "tests/fakes"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    for name in ("docs/tasks.md", "tests/end_to_end/test_conditions_by_route.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


@pytest.fixture
def read_page(tmp_path, monkeypatch):
    """Follows a page; `in_a_checkout` starts in a copy of this repository instead of an empty folder."""

    def read(page, in_a_checkout=False):
        tools = tmp_path / "bin"
        folder = tmp_path / "here"
        tools.mkdir()
        folder.mkdir()
        command = tools / "musebench"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m musebench_tasks "$@"\n')
        command.chmod(0o755)
        path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
        monkeypatch.setenv("PATH", path)
        monkeypatch.setenv("PYTHONPATH", str(folder if in_a_checkout else ROOT))
        if in_a_checkout:
            copy_of_the_checkout(folder)
        Reader(folder, dict(os.environ), in_a_checkout).follow(page)

    return read


@pytest.fixture
def blocks():
    return blocks_of


@pytest.fixture
def root():
    return ROOT
