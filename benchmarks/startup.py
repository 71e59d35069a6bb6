"""CPU time until the package does what it was started for: a list of tasks, or the first request of a run.

    python benchmarks/startup.py [--repeats 5] [--imports 20]

The model is instant and asked about text, so that all time is ours: imports, task and data read, requests built, run
folder begun. Targets: 0.3 s and 0.6 s of CPU on 2 cores. `--imports N` lists the modules that took longest to import
before the first request.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = """\
import os


def answer(question):
    os._exit(0)
"""
TARGETS_S = {"tasks list": 0.3, "run, to the first request": 0.6}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--imports", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "instant.py").write_text(MODEL)
        commands = {"tasks list": ["tasks", "list"], "run, to the first request": run_command(folder)}
        bare_s = statistics.median(cpu_s(["-c", "pass"], folder) for _ in range(options.repeats))
        print(f"CPU, median of {options.repeats} (bare interpreter {bare_s:.2f} s)")
        for name, command in commands.items():
            took_s = statistics.median(
                cpu_s(["-m", "musebench_tasks", *command], folder) for _ in range(options.repeats)
            )
            print(f"  {name:<28} {took_s:.2f} s   (target {TARGETS_S[name]} s)")
        if options.imports:
            print(*slowest_imports(commands["run, to the first request"], folder)[: options.imports], sep="\n")


def run_command(folder: Path) -> list[str]:
    spec = f"python:{folder / 'instant.py'}:answer"
    return ["run", "--tasks", "hummusqa_demo", "--conditions", "text_only", "--model", spec, "--out", "run"]


def cpu_s(arguments: list[str], folder: Path) -> float:
    """User and system seconds of one interpreter and what it starts."""
    subprocess.run(["rm", "-rf", str(folder / "run")], check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started(arguments, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def started(arguments: list[str], folder: Path) -> str:
    environment = {**os.environ, "MUSEBENCH_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stderr)
    return done.stderr


def slowest_imports(command: list[str], folder: Path) -> list[str]:
    subprocess.run(["rm", "-rf", str(folder / "run")], check=True)
    told = started(["-X", "importtime", "-m", "musebench_tasks", *command], folder)
    found = re.findall(r"import time: +(\d+) \| +(\d+) \|( +\S+)", told)
    return [f"{int(own) / 1000:8.1f} {int(total) / 1000:8.1f} ms {name}"
            for own, total, name in sorted(found, key=lambda each: -int(each[1]))]  # fmt: skip


if __name__ == "__main__":
    main()
