"""What the engine costs: one table of CPU seconds, counts and ratios against our own plain path and against peers.

    python benchmarks/engine.py [--only PART ...] [--pairs 10] [--lmms-eval PYTHON] [--lm-eval PYTHON]

Parts: tiny, medium (prompts led on from a shared beginning against read whole; random weights, qwen2_5_omni_thinker,
64 frames, 60 s of sound), lmms-eval (the same tiny qwen2_5_vl in both), decoding, workers, overhead (an instant model).
Every part runs in a process of its own, libraries on one thread; films and checkpoints are made first, untimed. Times
are CPU seconds of a process and its decode process; two workers are compared by the clock, on a machine that should do
nothing else. Peers run in environments of their own: name their interpreters, or set LMMS_EVAL_PYTHON and
LM_EVAL_PYTHON; without them their lines are left out. Exits 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from engine_parts import against_lmms, decoding, overhead, prefix, workers
from engine_parts.lines import Line, environment, print_line

PARTS: dict[str, Callable[[argparse.Namespace], list[Line]]] = {
    "tiny": lambda options: prefix.measure("tiny", options.pairs),
    "medium": lambda options: prefix.measure("medium", options.pairs),
    "lmms-eval": lambda options: against_lmms.measure("tiny", options.lmms_eval),
    "decoding": lambda options: decoding.measure(),
    "workers": lambda options: workers.measure(),
    "overhead": lambda options: overhead.measure(options.lm_eval, options.lmms_eval),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--pairs", type=int, default=10, help="pairs of measurements at N = 1 (10)")
    parser.add_argument("--lmms-eval", default=os.environ.get("LMMS_EVAL_PYTHON"), metavar="PYTHON")
    parser.add_argument("--lm-eval", default=os.environ.get("LM_EVAL_PYTHON"), metavar="PYTHON")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        found = PARTS[options.part](options)
        print(json.dumps(found))
        return
    print_head()
    lines = [line for part in options.only for line in run_part(part, options)]
    held = [line for line in lines if line.target is not None]
    missed = sum(not line.is_met for line in held)
    print(f"{len(held) - missed} of {len(held)} targets met")
    raise SystemExit(1 if missed else 0)


def run_part(part: str, options: argparse.Namespace) -> list[Line]:
    """The lines of a part, measured in a process of its own; printed as they are found."""
    peers = {"--lmms-eval": options.lmms_eval, "--lm-eval": options.lm_eval}
    named = [word for name, python in peers.items() if python for word in (name, python)]
    command = [sys.executable, str(Path(__file__).resolve()), "--part", part, "--pairs", str(options.pairs), *named]
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(command, env=environment(MUSEBENCH_CACHE=cache), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"Part {part} could not be measured:\n{done.stderr[-3000:]}")
    *said, last = done.stdout.splitlines()
    lines = [Line(*each) for each in json.loads(last)]
    print(part)
    for text in said:
        print(text)
    for line in lines:
        print_line(line)
    return lines


def print_head() -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"Python {platform.python_version()}, {platform.machine()}, {cores} cores, one thread a library{load}")
    print(f"  {'':<44} {'ours':>12}   {'against':<30} {'':>12} {'':>9}")


if __name__ == "__main__":
    main()
