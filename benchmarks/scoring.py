"""How fast answers are scored: one table of ratios and targets.

    python benchmarks/scoring.py [--only PART ...]

Every part runs in a process of its own on at most two cores, libraries on one thread; its inputs are made first (seed
42), untimed. Times are CPU seconds, the best of several runs, and a peer is measured beside ours in the same process.
Memory is the most the process held, inputs and libraries included. Exits 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

SEED = 42
CORES = 2
ROWS = 1_000_000
SETS = 200_000
RECORDINGS = 100_000
PEER_RECORDINGS = 500
NAIVE_DRAWS = 50
LETTERS = "ABCDEFGH"


class Line(NamedTuple):
    """One line of the table. `ratio` and `target` are times faster than the peer unless `unit` says otherwise."""

    what: str
    ours: str
    peer: str
    theirs: str
    measured: float
    target: float
    unit: str = "times"

    @property
    def is_met(self) -> bool:
        """Whether the target is reached: at most so many seconds or GB, at least so many times or a second."""
        return self.measured <= self.target if self.unit in ("s", "GB") else self.measured >= self.target


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(PARTS[options.part]()))
        return
    lines: list[Line] = []
    print_head()
    for part in options.only:
        found = run_part(part)
        for line in found:
            print_line(line)
        lines += found
    missed = sum(not line.is_met for line in lines)
    print(f"{len(lines) - missed} of {len(lines)} targets met")
    raise SystemExit(1 if missed else 0)


def run_part(part: str) -> list[Line]:
    """The lines of a part, measured in a process of its own."""
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment |= {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(Path(__file__).resolve()), "--part", part]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, preexec_fn=take_two_cores)
    if done.returncode != 0:
        raise SystemExit(f"Part {part} could not be measured:\n{done.stderr[-2000:]}")
    return [Line(*each) for each in json.loads(done.stdout.splitlines()[-1])]


def take_two_cores() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:CORES]))


def print_head() -> None:
    import numpy as np

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = ".".join(map(str, sys.version_info[:3]))
    print(f"CPU seconds on {min(CORES, cores or 1)} cores, Python {python}, numpy {np.__version__}\n")
    print(f"{'':<54}{'ours':>12}  {'peer':<34}{'peer takes':>11}{'result':>14}{'target':>14}")


def print_line(line: Line) -> None:
    """One row, its result and target in the same unit."""
    bound = "≤" if line.unit in ("s", "GB") else "≥"
    result, target = amount(line.measured, line.unit), f"{bound} {amount(line.target, line.unit)}"
    met = "met" if line.is_met else "MISSED"
    print(
        f"{line.what:<54}{line.ours:>12}  {line.peer:<34}{line.theirs:>11}{result:>14}{target:>14}  {met}", flush=True
    )


def amount(number: float, unit: str) -> str:
    """`812 times`, `2.31 s`, `9,120 /s`."""
    digits = 0 if number >= 100 or number == round(number) else 1 if unit == "times" else 2
    return f"{number:,.{digits}f} {unit}"


def seconds(number: float) -> str:
    """`1.23 s`, `4.56 ms`."""
    return f"{number:.2f} s" if number >= 1 else f"{1000 * number:.{1 if number >= 0.01 else 2}f} ms"


def best(work: Callable[[], Any], repeats: int) -> float:
    """The least CPU time of `repeats` runs."""
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def against(what: str, ours_s: float, peer: str, theirs_s: float, target: float) -> Line:
    """A line of how many times faster than the peer."""
    return Line(what, seconds(ours_s), peer, seconds(theirs_s), theirs_s / ours_s, target)


def loaded(metric: str) -> Any:
    """The module of `metrics/` as `evaluate` loads it."""
    import evaluate

    evaluate.logging.set_verbosity_error()
    return evaluate.load(str(Path(__file__).resolve().parents[1] / "metrics" / metric))


def caa() -> list[Line]:
    """CAA from arrays of options as numbers and as letters, and the same module's `compute` on the letters."""
    import numpy as np

    from musebench_tasks.measures import chance_adjusted_accuracy

    draw = np.random.default_rng(SEED)
    num_options = draw.integers(4, 9, ROWS)
    predictions, references = ((draw.random(ROWS) * num_options).astype(np.int64) for _ in range(2))
    letters = np.array(list(LETTERS))
    lettered = {"predictions": letters[predictions], "references": letters[references]}
    module = loaded("caa")
    theirs: dict[str, float] = {}

    def ours(chosen: Any, right: Any) -> float:
        return float(chance_adjusted_accuracy(chosen == right, num_options).mean())

    theirs_s = best(lambda: theirs.update(module.compute(**lettered, num_options=num_options)), 2)
    lines = []
    for kind, sides in (("numbers", (predictions, references)), ("letters", tuple(lettered.values()))):
        require_equal(ours(*sides), theirs["caa"])
        ours_s = best(partial(ours, *sides), 15)
        what = f"CAA, {ROWS:,} rows from arrays of {kind}"
        lines.append(against(what, ours_s, "evaluate compute, metrics/caa", theirs_s, 500))
    return lines


def set_f1() -> list[Line]:
    """Set F1 from lists of letters and from bit masks, and the same module's `compute` on the lists."""
    import numpy as np

    from musebench_tasks.measures import encode_sets, set_scores, set_scores_of_masks

    draw = np.random.default_rng(SEED)
    kinds = [[letter for bit, letter in enumerate("ABCDEF") if mask >> bit & 1] for mask in range(64)]
    predictions, references = ([list(kinds[mask]) for mask in draw.integers(1, 64, SETS)] for _ in range(2))
    masks = encode_sets(predictions, "ABCDEF"), encode_sets(references, "ABCDEF")
    module = loaded("set_f1")
    theirs: dict[str, float] = {}
    theirs_s = best(lambda: theirs.update(module.compute(predictions=predictions, references=references)), 1)
    for found in (set_scores(predictions, references), set_scores_of_masks(*masks)):
        require_equal(float(found.f1.mean()), theirs["f1"])
    from_lists = best(lambda: set_scores(predictions, references).f1.mean(), 5)
    from_masks = best(lambda: set_scores_of_masks(*masks).f1.mean(), 7)
    peer = "evaluate compute, metrics/set_f1"
    return [
        against(f"set F1, {SETS:,} rows from lists", from_lists, peer, theirs_s, 10),
        against(f"set F1, {SETS:,} rows from bit masks", from_masks, peer, theirs_s, 200),
    ]


def mub() -> list[Line]:
    """All metrics of MUB, each with an interval from 10,000 resamples."""
    import numpy as np
    from many_recordings import music_material, score_music

    material = music_material(RECORDINGS, np.random.default_rng(SEED))
    taken = best(lambda: score_music(*material), 3)
    scores = np.random.default_rng(SEED).random(RECORDINGS)
    naive_s = best(lambda: draw_indices(scores, NAIVE_DRAWS), 3) * 10_000 / NAIVE_DRAWS
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    what = f"MUB, {len(score_music(*material))} metrics, {RECORDINGS:,} recordings, 10,000 resamples"
    peer = "numpy indices, one of the metrics"
    return [
        Line(what, seconds(taken), peer, seconds(naive_s), taken, 3, "s"),
        Line("  most memory held", f"{gigabytes:.2f} GB", "", "", gigabytes, 2, "GB"),
    ]


def draw_indices(scores: Any, draws: int) -> Any:
    """Means of resampled scores, drawn item by item as textbooks do."""
    import numpy as np

    chosen = np.random.default_rng(SEED).integers(len(scores), size=(draws, len(scores)))
    return scores[chosen].mean(axis=1)


def pairwise() -> list[Line]:
    """Pairwise agreement by exact durations, tables included, and mir_eval's by frames of 0.1 s."""
    import mir_eval
    import numpy as np
    from many_recordings import LABELS, by_recording, segment_material

    from musebench_tasks.measures import interval_table, pairwise_scores
    from musebench_tasks.values import Span

    durations, *sides = segment_material(PEER_RECORDINGS, np.random.default_rng(SEED))
    micros = [by_recording(side, lambda a, b, label: Span(a, b, LABELS[label])) for side in sides]

    def ours() -> Any:
        reference, prediction = (interval_table(side) for side in micros)
        return pairwise_scores(reference=reference, prediction=prediction, durations=durations)

    theirs_input = [
        [(np.array([each[:2] for each in one]) / 1e6, [each.label for each in one]) for one in side] for side in micros
    ]

    def theirs() -> list[float]:
        pairs = zip(*theirs_input, strict=True)
        return [mir_eval.segment.pairwise(*reference, *prediction)[2] for reference, prediction in pairs]

    sampled: list[float] = []
    theirs_s = best(lambda: sampled.extend(theirs()), 1)
    if np.abs(ours().f - sampled).max() > 0.02:
        raise SystemExit("pairwise F differs from mir_eval's by more than its frames explain")
    what = f"pairwise by exact durations, {PEER_RECORDINGS} recordings"
    return [against(what, best(ours, 7), f"mir_eval {mir_eval.__version__}, 0.1 s frames", theirs_s, 100)]


def responses() -> list[Line]:
    """Choice answers read from text, half of them after reasoning."""
    from responses import responses_per_second

    found = responses_per_second(repeats=2)
    what = f"responses read, {found['responses']:,}, half after reasoning"
    taken = found["responses"] / found["per_second"]
    return [Line(what, seconds(taken), "", "", found["per_second"], found["target"], "/s")]


def predictions() -> list[Line]:
    """A predictions file validated, joined and scored with every metric, slice, interval and baseline."""
    from predictions import LINES
    from predictions import seconds as predictions_seconds

    taken = min(predictions_seconds()["processor_s"] for _ in range(2))
    return [Line(f"predictions.jsonl, {LINES:,} lines, read and scored", seconds(taken), "", "", taken, 5, "s")]


def require_equal(ours: float, theirs: float) -> None:
    """A benchmark of two different numbers would mean nothing."""
    if abs(ours - theirs) > 1e-9:
        raise SystemExit(f"{ours} here, but {theirs} through evaluate")


PARTS: dict[str, Callable[[], list[Line]]] = {
    "caa": caa,
    "set_f1": set_f1,
    "mub": mub,
    "pairwise": pairwise,
    "responses": responses,
    "predictions": predictions,
}

if __name__ == "__main__":
    main()
