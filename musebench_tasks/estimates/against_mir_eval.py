"""mir_eval's value beside ours, on the recordings whose input mir_eval takes, and why the two differ.

Both sides take the estimates as cleaned here (answers.md 4: segments put in order, clipped, snapped). What mir_eval
would stumble over without any difference of definition is put in its form first: key names in its
spelling, labels without case, gaps filled and ends aligned. A recording without an estimate has no form it takes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import MusicTruth
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.metrics.music import compared_duration_s
from musebench_tasks.evaluation.recordings import RecordingScores, field_of
from musebench_tasks.measures.structure import GAP
from musebench_tasks.values import Span, clean_prediction, to_micros, validate_reference


class Peer(NamedTuple):
    """One of our metrics and the function of mir_eval that is nearest to it."""

    metric: str
    function: str
    score: Callable[[Any, Case], float]
    why: str


class PeerRow(NamedTuple):
    """Both values of one metric. `ours_there` is ours on the recordings that mir_eval took."""

    metric: str
    function: str
    ours: float | None
    ours_there: float | None
    theirs: float | None
    n: int
    n_taken: int
    n_different: int
    """Recordings on which the two differ by more than 1e-9."""
    why: str


def compare_with_mir_eval(scores: RecordingScores) -> list[PeerRow]:
    """Every metric that mir_eval has a counterpart of; InputError where mir_eval is not installed."""
    library = _mir_eval()
    rows = []
    for peer in METRICS:
        measurement = next((each for each in scores.measurements if each.metric == peer.metric), None)
        if measurement is None:
            continue
        ours = dict(zip(measurement.item_ids, measurement.columns[:, 0].tolist(), strict=True))
        cases = [case for case in scores.cases if case.item.id in ours]
        taken = {case.item.id: _taken(library, peer, case) for case in cases}
        theirs = {name: value for name, value in taken.items() if value is not None}
        there = np.array([ours[name] for name in theirs])
        values = np.array(list(theirs.values()))
        rows.append(
            PeerRow(
                metric=f"{measurement.metric}/{measurement.version}",
                function=peer.function,
                ours=measurement.value,
                ours_there=float(there.mean()) if len(there) else None,
                theirs=float(values.mean()) if len(values) else None,
                n=len(ours),
                n_taken=len(theirs),
                n_different=int((np.abs(there - values) > 1e-9).sum()) if len(values) else 0,
                why=peer.why,
            )
        )
    return rows


def without_peer(scores: RecordingScores) -> dict[str, list[str]]:
    """Names and versions of the metrics, by field, that mir_eval has no counterpart of."""
    known = {peer.metric for peer in METRICS}
    alone: dict[str, list[str]] = {}
    for each in scores.measurements:
        if each.metric not in known:
            alone.setdefault(field_of(each.metric), []).append(f"{each.metric.split('.', 2)[2]}/{each.version}")
    return alone


def _mir_eval() -> Any:
    try:
        # Its display module asks for a matplotlib backend; nothing is drawn here.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import mir_eval
    except ImportError as problem:
        raise InputError(
            "mir_eval is not installed, so there is nothing to compare with. Install it: "
            'pip install "musebench-tasks[mir]".'
        ) from problem
    return mir_eval


def _taken(library: Any, peer: Peer, case: Case) -> float | None:
    """mir_eval's value; None where there is no estimate, or it refuses the input."""
    field = field_of(peer.metric)
    if case.values.get(field) is None or (field == "segments" and not (_reference(case) and _prediction(case))):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = float(peer.score(library, case))
    except (ValueError, IndexError, ZeroDivisionError):
        return None
    return value if np.isfinite(value) else None


def _tempo(library: Any, case: Case) -> float:
    """One tempo against one: the slower of two is 0 and weighs nothing; the tolerance is ours."""
    right, found = np.array([0.0, _truth(case).tempo_bpm]), np.array([0.0, float(case.values["tempo"])])
    p_score, _, _ = library.tempo.detection(right, 0.0, found, tol=0.04)
    return float(p_score)


def _key(library: Any, case: Case) -> float:
    return float(library.key.weighted_score(_truth(case).key, case.values["key"]))


def _hit_rate(window_s: float) -> Callable[[Any, Case], float]:
    def score(library: Any, case: Case) -> float:
        right, found = _reference(case), _prediction(case)
        _, _, f_measure = library.segment.detection(_seconds(right), _seconds(found), window=window_s, trim=False)
        return float(f_measure)

    return score


def _structure(function: str) -> Callable[[Any, Case], float]:
    def score(library: Any, case: Case) -> float:
        end = to_micros(compared_duration_s(case))
        sides = [_filled(side, end) for side in (_reference(case), _prediction(case))]
        arguments = [each for side in sides for each in (_seconds(side), [segment.label for segment in side])]
        _, _, f_measure = getattr(library.segment, function)(*arguments)
        return float(f_measure)

    return score


def _truth(case: Case) -> MusicTruth:
    return case.reference.music or MusicTruth()


def _reference(case: Case) -> Sequence[Span]:
    return validate_reference(_truth(case).segments or (), case.item.window_s).intervals


def _prediction(case: Case) -> Sequence[Span]:
    return clean_prediction(case.values["segments"], case.item.window_s).intervals or ()


def _seconds(intervals: Sequence[Span]) -> Any:
    return np.array([each[:2] for each in intervals], dtype=np.float64).reshape(-1, 2) / 1_000_000


def _filled(intervals: Sequence[Span], end: int) -> list[Span]:
    """From 0 to `end` without a gap; what no segment covers has a label of its own, as in our definition."""
    filled: list[Span] = []
    position = 0
    for each in (*intervals, Span(end, end)):
        start, stop = min(each.start, end), min(each.end, end)
        if start > position:
            filled.append(Span(position, start, GAP))
        if stop > start:
            filled.append(Span(start, stop, each.label.strip().casefold()))
        position = max(position, stop)
    return filled


CLEANED = "both take the estimates as cleaned here (in order, clipped, snapped)"
"""What mir_eval is given of segments."""
WEIGHTED = "key.weighted_score"
METRICS = (
    Peer("mub.tempo.acc1", "tempo.detection", _tempo, "same rule; at exactly 4 % its floats miss what integers hit"),
    Peer("mub.key.symmetric", WEIGHTED, _key, "relative .3, fifth up .5, parallel .2; here relative 1"),
    Peer("mub.key.mirex_symmetric", WEIGHTED, _key, ".5 for the fifth above only; here, as MIREX, below too"),
    Peer("mub.key.mirex_ascending", WEIGHTED, _key, "same rule, once key names are in its spelling"),
    Peer(
        "mub.segments.hit_rate_0.5",
        "segment.detection",
        _hit_rate(0.5),
        "same rule; its floats may miss what is exactly 0.5 s off",
    ),
    Peer(
        "mub.segments.hit_rate_3",
        "segment.detection",
        _hit_rate(3.0),
        "same rule; its floats may miss what is exactly 3 s off",
    ),
    Peer(
        "mub.segments.pairwise_f",
        "segment.pairwise",
        _structure("pairwise"),
        "labels sampled every 0.1 s; here durations are exact",
    ),
    Peer(
        "mub.segments.v_measure",
        "segment.vmeasure",
        _structure("vmeasure"),
        "sampled every 0.1 s; one label on both sides gives 0, here 1",
    ),
)
"""Each of our metrics that mir_eval has a counterpart of."""
