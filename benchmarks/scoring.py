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
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SEED = 42
CORES = 2
ROWS = 1_000_000
SETS = 200_000
RECORDINGS = 100_000
PEER_RECORDINGS = 500
REFERENCES_A_RECORDING = 9.25
NAIVE_DRAWS = 50
LETTERS = "ABCDEFGH"
LABELS = ("intro", "verse", "pre-chorus", "chorus", "bridge", "solo", "interlude", "outro")


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
    """CAA from arrays of the options' numbers, and the same module's `compute` on arrays of their letters."""
    import numpy as np

    from musebench_tasks.scoring import chance_adjusted_accuracy

    draw = np.random.default_rng(SEED)
    num_options = draw.integers(4, 9, ROWS)
    predictions, references = ((draw.random(ROWS) * num_options).astype(np.int64) for _ in range(2))
    letters = np.array(list(LETTERS))
    lettered = {"predictions": letters[predictions], "references": letters[references]}
    module = loaded("caa")
    theirs: dict[str, float] = {}

    def ours() -> float:
        return float(chance_adjusted_accuracy(predictions == references, num_options).mean())

    ours_s = best(ours, 15)
    theirs_s = best(lambda: theirs.update(module.compute(**lettered, num_options=num_options)), 2)
    require_equal(ours(), theirs["caa"])
    return [against(f"CAA, {ROWS:,} rows from numpy arrays", ours_s, "evaluate compute, metrics/caa", theirs_s, 500)]


def set_f1() -> list[Line]:
    """Set F1 from lists of letters and from bit masks, and the same module's `compute` on the lists."""
    import numpy as np

    from musebench_tasks.scoring import encode_sets, set_scores, set_scores_of_masks

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

    material = music_material(RECORDINGS)
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

    from musebench_tasks.scoring import interval_table, pairwise_scores
    from musebench_tasks.values import Interval

    durations, *sides = segment_material(PEER_RECORDINGS, np.random.default_rng(SEED))
    micros = [by_recording(side, lambda a, b, label: Interval(a, b, LABELS[label])) for side in sides]

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


class Music(NamedTuple):
    """What one side says of many recordings."""

    tempi: Any
    keys: Sequence[str | None]
    metres: Sequence[str | None]
    segments: tuple[Any, Any, Any, Any]
    """Recording, start, end (µs) and label of every segment."""


def music_material(n: int) -> tuple[Any, Music, Music]:
    """Durations, references and predictions that are right about as often as a middling system's."""
    import numpy as np

    from musebench_tasks.scoring import KEYS
    from musebench_tasks.values import key_name

    draw = np.random.default_rng(SEED)
    names = np.array([key_name(key) for key in KEYS])
    metres = np.array(["4/4", "3/4", "6/8", "2/4", "12/8"])
    durations, reference, prediction = segment_material(n, draw)
    tempi = draw.uniform(50, 180, n).round(2)
    factors = draw.choice([1, 1.02, 1.04, 2, 0.5, 1.5, np.nan], n)
    right_keys, right_metres = draw.choice(names, n), draw.choice(metres, n, p=[0.9, 0.05, 0.03, 0.01, 0.01])
    found_keys = np.where(draw.random(n) < 0.6, right_keys, draw.choice(names, n))
    found_metres = np.where(draw.random(n) < 0.8, right_metres, draw.choice(metres, n))
    answered = draw.random(n) < 0.97
    return (
        durations,
        Music(tempi, right_keys.tolist(), right_metres.tolist(), reference),
        Music((tempi * factors).round(4), given(found_keys, answered), given(found_metres, answered), prediction),
    )


def given(values: Any, answered: Any) -> list[str | None]:
    """The values as a list, None where there is no answer."""
    return [value if here else None for value, here in zip(values.tolist(), answered.tolist(), strict=True)]


def segment_material(n: int, draw: Any) -> tuple[Any, tuple[Any, Any, Any, Any], tuple[Any, Any, Any, Any]]:
    """Durations, and segments of both sides: predictions lose, add, move and rename some boundaries."""
    import numpy as np

    durations = draw.integers(120_000, 300_000, n) * 1000
    counts = 1 + draw.poisson(REFERENCES_A_RECORDING - 1, n)
    starts = draw.integers(1, durations.repeat(counts - 1) // 1000) * 1000
    recordings = np.arange(n).repeat(counts - 1)
    reference = rows_of(recordings, starts, durations, draw)
    kept = draw.random(len(starts)) < 0.8
    moved = starts + (draw.normal(0, 1500, len(starts)).round() * 1000).astype(np.int64)
    extra = draw.integers(n, size=n)
    places = np.concatenate([moved[kept], draw.integers(1000, durations[extra])])
    found = np.concatenate([recordings[kept], extra])
    return durations, reference, rows_of(found, places, durations, draw)


def rows_of(recordings: Any, starts: Any, durations: Any, draw: Any) -> tuple[Any, Any, Any, Any]:
    """Segments between the boundaries of each recording, from its start to its end."""
    import numpy as np

    n = len(durations)
    starts = np.clip(starts, 1000, durations[recordings] - 1000)
    recordings, starts = np.append(recordings, np.arange(n)), np.append(starts, np.zeros(n, dtype=np.int64))
    recordings, starts = np.unique(np.stack([recordings, starts]), axis=1)
    is_last = np.append(recordings[1:] != recordings[:-1], True)
    ends = np.where(is_last, durations[recordings], np.append(starts[1:], 0))
    return recordings, starts, ends, draw.integers(len(LABELS), size=len(starts))


def by_recording(side: tuple[Any, Any, Any, Any], make: Callable[[int, int, int], Any]) -> list[list[Any]]:
    """Lists of segments, one a recording."""
    found: list[list[Any]] = [[] for _ in range(int(side[0].max()) + 1)]
    for recording, *segment in zip(*(column.tolist() for column in side), strict=True):
        found[recording].append(make(*segment))
    return found


def score_music(durations: Any, reference: Music, prediction: Music) -> dict[str, tuple[float, Any]]:
    """Every metric of MUB with the interval of its 10,000 resamples, from arrays and lists of names."""
    from musebench_tasks import scoring, statistics
    from musebench_tasks.evaluation.music_metrics import KEYS_SCORED_BY

    items: dict[str, Any] = {}
    for version in scoring.TEMPO_VERSIONS:
        hits = scoring.tempo_hits(references=reference.tempi, predictions=prediction.tempi, version=version)
        items[f"tempo {version}"] = hits
    for version in KEYS_SCORED_BY:
        credits = scoring.key_scores(references=reference.keys, predictions=prediction.keys, version=version)
        items[f"key {version}"] = credits
    items["metre"] = scoring.time_signature_hits(references=reference.metres, predictions=prediction.metres)
    items |= segment_scores(durations, reference, prediction)
    found = {name: (float(scores.mean()), statistics.independent_bootstrap(scores)) for name, scores in items.items()}
    confusion = confusion_of(reference.metres, prediction.metres)
    for name, statistic in (("balanced", statistics.mean_recall_of), ("macro F1", statistics.mean_f1_of)):
        value = getattr(scoring, "balanced_accuracy" if name == "balanced" else "macro_f1")
        interval = statistics.stratified_bootstrap(confusion, statistic)
        found[f"metre {name}"] = (value(reference.metres, prediction.metres), interval)
    return found


def segment_scores(durations: Any, reference: Music, prediction: Music) -> dict[str, Any]:
    """Scores of the segments of each recording."""
    import numpy as np

    from musebench_tasks import scoring

    right, found = (
        scoring.interval_table_of_arrays(
            recordings=side.segments[0],
            starts=side.segments[1],
            ends=side.segments[2],
            labels=side.segments[3],
            names=LABELS,
            has_answer=np.ones(len(durations), dtype=bool),
        )
        for side in (reference, prediction)
    )
    sides = {"reference": right, "prediction": found}
    matches = scoring.match_many(**sides)
    scores = {"IoU F1": matches.f1, "IoU precision": matches.precision, "IoU recall": matches.recall}
    scores["IoU F1, labels"] = scoring.match_many(**sides, label_aware=True).f1
    for window_s in (scoring.SHORT_WINDOW_S, scoring.LONG_WINDOW_S):
        scores[f"hit rate {window_s:g} s"] = scoring.boundary_hit_rates(**sides, window_s=window_s).f1
    times = scoring.label_times(**sides, durations=durations)
    scores["pairwise F"], scores["V"] = scoring.pairwise_of_times(times).f, scoring.v_measures_of_times(times).f
    return scores


def confusion_of(references: Sequence[str | None], predictions: Sequence[str | None]) -> Any:
    """Counts of each reference metre by predicted metre; the last column is everything else."""
    import numpy as np

    position = {name: place for place, name in enumerate(sorted({each for each in references if each}))}
    counts = np.zeros((len(position), len(position) + 1), dtype=np.int64)
    for (reference, prediction), count in Counter(zip(references, predictions, strict=True)).items():
        counts[position[str(reference)], position.get(str(prediction), len(position))] += count
    return counts


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
