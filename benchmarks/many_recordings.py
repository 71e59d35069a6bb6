"""Made-up recordings by the hundred thousand, and every metric of MUB on them: material of measures.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from musebench_tasks import measures, statistics
from musebench_tasks.evaluation.metrics.music import KEYS_SCORED_BY
from musebench_tasks.measures import KEYS
from musebench_tasks.values import key_name

REFERENCES_A_RECORDING = 9.25
LABELS = ("intro", "verse", "pre-chorus", "chorus", "bridge", "solo", "interlude", "outro")


class Music(NamedTuple):
    """What one side says of many recordings."""

    tempi: Any
    keys: Sequence[str | None]
    metres: Sequence[str | None]
    segments: tuple[Any, Any, Any, Any]
    """Recording, start, end (µs) and label of every segment."""


def music_material(n: int, draw: np.random.Generator) -> tuple[Any, Music, Music]:
    """Durations, references and predictions that are right about as often as a middling system's."""
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
    items: dict[str, Any] = {}
    for version in measures.TEMPO_VERSIONS:
        hits = measures.tempo_hits(references=reference.tempi, predictions=prediction.tempi, version=version)
        items[f"tempo {version}"] = hits
    for version in KEYS_SCORED_BY:
        credits = measures.key_scores(references=reference.keys, predictions=prediction.keys, version=version)
        items[f"key {version}"] = credits
    items["metre"] = measures.time_signature_hits(references=reference.metres, predictions=prediction.metres)
    items |= segment_scores(durations, reference, prediction)
    found = {name: (float(scores.mean()), statistics.independent_bootstrap(scores)) for name, scores in items.items()}
    confusion = confusion_of(reference.metres, prediction.metres)
    for name, statistic in (("balanced", statistics.mean_recall_of), ("macro F1", statistics.mean_f1_of)):
        value = getattr(measures, "balanced_accuracy" if name == "balanced" else "macro_f1")
        interval = statistics.stratified_bootstrap(confusion, statistic)
        found[f"metre {name}"] = (value(reference.metres, prediction.metres), interval)
    return found


def segment_scores(durations: Any, reference: Music, prediction: Music) -> dict[str, Any]:
    """Scores of the segments of each recording."""
    right, found = (
        measures.interval_table_of_arrays(
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
    matches = measures.match_many(**sides)
    scores = {"IoU F1": matches.f1, "IoU precision": matches.precision, "IoU recall": matches.recall}
    scores["IoU F1, labels"] = measures.match_many(**sides, label_aware=True).f1
    for window_s in (measures.SHORT_WINDOW_S, measures.LONG_WINDOW_S):
        scores[f"hit rate {window_s:g} s"] = measures.boundary_hit_rates(**sides, window_s=window_s).f1
    times = measures.label_times(**sides, durations=durations)
    scores["pairwise F"], scores["V"] = measures.pairwise_of_times(times).f, measures.v_measures_of_times(times).f
    return scores


def confusion_of(references: Sequence[str | None], predictions: Sequence[str | None]) -> Any:
    """Counts of each reference metre by predicted metre; the last column is everything else."""
    position = {name: place for place, name in enumerate(sorted({each for each in references if each}))}
    counts = np.zeros((len(position), len(position) + 1), dtype=np.int64)
    for (reference, prediction), count in Counter(zip(references, predictions, strict=True)).items():
        counts[position[str(reference)], position.get(str(prediction), len(position))] += count
    return counts
