"""Twelve questions on four media, an instant model that notes every call, and the command in processes that may be
killed. A process is a fork of this one: it costs no start.

What happens to the model is ordered by environment variables. FAULTS: `KIND:ITEM:N` for the first N calls for an item
with its medium. Kinds: die, crash, hang, stick (no other thread runs), raise, and wait, which does nothing more than
all of them: wait until as many workers as CROWD says are at work. PACE_S: seconds a call.
"""

import faulthandler
import importlib
import json
import os
import signal
import sys
import time
import traceback

from musebench_tasks.cli import main

for _needed in ("models.openai_chat", "models.python_function", "reports"):
    importlib.import_module(f"musebench_tasks.{_needed}")  # before the fork, once for all

ITEMS, MEDIA = 12, 4
TASK = """\
task: twelve
dataset_path: data
kind: choice
columns: {id: id, media: media, question: question, options: options, answer: answer}
protocol: {media: [audio], conditions: [full, text_only], runs: 1}
metric_list: [{metric: accuracy}]
metadata: {version: 1.0, headline: accuracy}
"""
MODEL = """\
import ctypes, os, signal, time
from pathlib import Path

here = Path(__file__).parent


def happens(what, most):
    '''Whether a fault is ordered and did not yet happen so often: each happens in one process.'''
    for number in range(most):
        try:
            os.close(os.open(here / f"{what}-{number}", os.O_CREAT | os.O_EXCL))
            return True
        except FileExistsError:
            continue
    return False


def answer(question):
    number = int(question["question"].split()[1])
    with open(here / "calls", "a") as calls:
        calls.write(f"item-{number:02} {'full' if question['media_s'] != 0.0 else 'text_only'}\\n")
    time.sleep(float(os.environ.get("PACE_S", "0")))
    for fault in os.environ.get("FAULTS", "").split():
        kind, item, most = fault.split(":")
        if int(item) == number and question["media_s"] != 0.0 and happens(fault, int(most)):
            while len(list(here.glob("out/*/*/leases/worker-*"))) < int(os.environ.get("CROWD", "0")):
                time.sleep(0.001)
            if kind == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            elif kind == "hang":
                time.sleep(60)
            elif kind == "stick":
                ctypes.PyDLL(None).sleep(60)
            elif kind == "crash":
                os.abort()
            elif kind == "raise":
                raise RuntimeError("not today")
    return "ABC"[number * 7 % 3]


answer.kinds = {"single"}
answer.revision = "1"
"""


class Twelve:
    """A folder with the benchmark and the model, where `musebench run` is given."""

    def __init__(self, folder):
        self.folder = folder
        data = folder / "data"
        data.mkdir()
        rows = []
        for number in range(ITEMS):
            media = f"clip-{number % MEDIA}.wav"
            (data / media).write_bytes(media.encode() * (1 + number % MEDIA))
            options = ["red", "green", "blue"]
            rows.append(
                {
                    "id": f"item-{number:02}",
                    "media": media,
                    "question": f"Question {number} ?",
                    "options": options,
                    "answer": options[number % 3],
                }
            )
        (data / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "twelve.yaml").write_text(TASK)
        (folder / "model.py").write_text(MODEL)

    @property
    def command(self):
        return [
            "run", "--tasks", "twelve.yaml", "--model", "python:model.py:answer", "--conditions", "full,text_only",
        ]  # fmt: skip

    def start(self, out, *more, before=None, command=None, **environment):
        """The process number of a run that was started."""
        process = os.fork()
        if process:
            return process
        code = 70
        try:
            os.chdir(self.folder)
            for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
                os.environ.pop(name, None)
            os.environ.update({"MUSEBENCH_CACHE": str(self.folder / "cache"), **environment})
            told = os.open(self.folder / f"told-{os.getpid()}", os.O_CREAT | os.O_WRONLY)
            os.dup2(told, 1)
            os.dup2(told, 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
            sys.__stderr__ = sys.stderr
            faulthandler.disable()
            if before is not None:
                before()
            arguments = [*(command or self.command), "--out", str(out), *map(str, more)]
            code = main(arguments)
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def run(self, out, *more, **keywords):
        """Run to the end; the exit code, negative for a signal."""
        return self.wait(self.start(out, *more, **keywords))

    def wait(self, process):
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])

    def kill(self, *processes):
        for process in processes:
            os.kill(process, signal.SIGKILL)
        for process in processes:
            self.wait(process)

    def told(self, process):
        return (self.folder / f"told-{process}").read_text()

    @property
    def calls(self):
        """What the model was asked, in order."""
        path = self.folder / "calls"
        return path.read_text().split("\n")[:-1] if path.exists() else []

    def wait_for(self, calls, *processes):
        """Until the model was called so often, or a process ended."""
        while len(self.calls) < calls and not any(_ended(each) for each in processes):
            time.sleep(0.001)

    def ended(self, out):
        """Requests that have ended, once a line of a journal."""
        lines = []
        for path in sorted((self.folder / out).rglob("worker-*.jsonl")):
            whole = path.read_text().split("\n")[:-1]
            lines += [json.loads(line) for line in whole]
        return [f"{line['item_id']} {line['condition']}" for line in lines]

    def results(self, out):
        """Bytes of what must be equal between equal runs."""
        names = ("predictions.jsonl", "scores.json")
        return {path.name: path.read_bytes() for name in names for path in (self.folder / out).glob(f"*/*/{name}")}


def _ended(process):
    """Whether the process has ended, without taking its exit code from who waits for it."""
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


EVERYTHING = sorted(f"item-{number:02} {condition}" for number in range(ITEMS) for condition in ("full", "text_only"))
