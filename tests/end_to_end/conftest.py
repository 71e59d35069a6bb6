import contextlib
import io
import os
import subprocess
import sys
import textwrap

import pytest

from musebench_tasks.cli import main


def command(*arguments):
    return [sys.executable, "-m", "musebench_tasks", *map(str, arguments)]


class Musebench:
    """The command in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *arguments, **more):
        """Run the command to its end: in this process, which saves its start, unless the process itself matters."""
        if more:
            return subprocess.run(
                command(*arguments), cwd=self.folder, capture_output=True, text=True, check=False, timeout=300, **more
            )
        words = [str(each) for each in arguments]
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors), contextlib.chdir(self.folder):
            try:
                code = main(words)
            except SystemExit as end:
                code = end.code
        return subprocess.CompletedProcess(words, code, output.getvalue(), errors.getvalue())

    def start(self, *arguments, environment=None):
        return subprocess.Popen(
            command(*arguments),
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture(scope="session")
def in_empty_folder(tmp_path_factory):
    """The command in an empty folder, with one cache for the whole session."""
    os.environ.setdefault("MUSEBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "musebench-cache"))
    return Musebench(tmp_path_factory.mktemp("empty"))


@pytest.fixture
def musebench(tmp_path):
    return Musebench(tmp_path)


@pytest.fixture
def slow_model(tmp_path):
    """A model that takes its time over every answer, so that a kill meets it at work."""
    path = tmp_path / "slow.py"
    path.write_text(
        textwrap.dedent(
            """
            import hashlib, time

            def answer(question):
                time.sleep(0.05)
                number = int(hashlib.sha256(question["prompt"].encode()).hexdigest(), 16)
                return "ABCD"[number % 4]

            answer.kinds = {"single", "multi"}
            """
        )
    )
    return f"python:{path}:answer"


def results(folder):
    """Bytes of everything that must be equal between equal runs, by name."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for name in ("predictions.jsonl", "scores.json")
        for path in sorted(folder.rglob(name))
    }


@pytest.fixture
def results_of():
    return results
