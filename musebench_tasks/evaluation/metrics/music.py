"""Measures of recordings: tempo, key, time signature, segments (music_metrics.md).

A field that a reference lacks is not scored on that recording; a field without a readable answer scores 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from musebench_tasks import measures
from musebench_tasks.base.records import MusicTruth, Segment
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import FloatArray, Measurement, lone_strata, mean_over_items
from musebench_tasks.evaluation.metrics.record import Definition, Measure, Number
from musebench_tasks.measures import (
    LONG_WINDOW_S,
    SHORT_WINDOW_S,
    IntervalTable,
    MatchCounts,
    boundary_hit_rates,
    interval_table,
    label_times,
    match_many,
    pairwise_of_times,
    v_measures_of_times,
)
from musebench_tasks.measures.key import KEY_VERSIONS, key_scores, key_version
from musebench_tasks.measures.segments import checked_reference, cleaned_prediction
from musebench_tasks.measures.tempo import TEMPO_VERSIONS, tempo_hits, tempo_version
from musebench_tasks.measures.time_signature import time_signature_hits
from musebench_tasks.statistics import FEWEST_ITEMS, mean_f1_of, mean_recall_of
from musebench_tasks.statistics.clusters import ClusterNames
from musebench_tasks.values import to_micros

KEYS_SCORED_BY = ("symmetric/2", "exact/1", "mirex_symmetric/1", "mirex_ascending/1")
"""The reconstructions of the paper's own metric are off unless a task names one (MU-10)."""
TEMPI_SCORED_BY = ("acc1/1", "acc2/1")
SEGMENT_MATCHES = ("iou_f1", "iou_precision", "iou_recall", "iou_f1_labels", "iou_f1_micro")
EACH_METRE = "N/D"
"""Stands for the name of a metre in the id of its recall."""


def mub_tempo(cases: Sequence[Case], version: str | None = None) -> list[Measurement]:
    """Tempo within 4 % (`acc1`), and within 4 % of a metrical multiple (`acc2`), headline first (MU-09)."""
    return _rows(cases, "tempo", "tempo_bpm", _ordered(TEMPI_SCORED_BY, version and tempo_version(version)), tempo_hits)


def mub_key(cases: Sequence[Case], version: str | None = None) -> list[Measurement]:
    """Key under each version of the definition, headline first (MU-10)."""
    return _rows(cases, "key", "key", _ordered(KEYS_SCORED_BY, version and key_version(version)), key_scores)


def mub_time_signature(cases: Sequence[Case]) -> list[Measurement]:
    """Time-signature accuracy, recall and F1 averaged over the classes of the references, and each class's recall.

    A class's recall stands under its own name, for example `mub.time_signature.recall.6/8`: `n` is how many recordings
    have it, and being a share of a class it has a Wilson interval however few they are (MU-15).
    """
    scored = [case for case in cases if _truth(case).time_signature is not None]
    signatures = [str(_truth(case).time_signature) for case in scored]
    answers = [case.values.get("time_signature") for case in scored]
    hits = np.asarray(time_signature_hits(references=signatures, predictions=answers), dtype=np.float64)
    accuracy = mean_over_items("mub.time_signature.accuracy", "1", scored, hits)
    return [accuracy, *_by_class(scored, signatures, answers, hits), *_recalls(scored, signatures, hits)]


def mub_segments(cases: Sequence[Case]) -> list[Measurement]:
    """Segments matched and boundaries found, then what they say of structure."""
    return [*_matched_segments(cases), *_structure(cases)]


def _matched_segments(cases: Sequence[Case]) -> list[Measurement]:
    """Segments matched at IoU 1/2, with equal labels too, and boundaries found within 0.5 s and 3 s (MU-11)."""
    scored = [case for case in cases if known_segments(case) is not None]
    reference, prediction = segment_tables(scored, [case.item.window_s for case in scored])
    matches = match_many(reference=reference, prediction=prediction)
    labelled = match_many(reference=reference, prediction=prediction, label_aware=True)
    columns = {
        "iou_f1": matches.f1,
        "iou_precision": matches.precision,
        "iou_recall": matches.recall,
        "iou_f1_labels": labelled.f1,
    }
    for window_s in (SHORT_WINDOW_S, LONG_WINDOW_S):
        rates = boundary_hit_rates(reference=reference, prediction=prediction, window_s=window_s)
        columns[f"hit_rate_{window_s:g}"] = rates.f1
    rows = [
        mean_over_items(f"mub.segments.{name}", "1", scored, values, binary=False) for name, values in columns.items()
    ]
    return [*rows, _micro_f1(scored, matches)]


def _micro_f1(cases: Sequence[Case], matches: MatchCounts) -> Measurement:
    """Segments matched over all recordings together: 2 ΣTP / Σ(reference + predicted)."""
    counts = np.stack([matches.true_positives, matches.n_reference + matches.n_predicted], axis=1)
    return Measurement(
        "mub.segments.iou_f1_micro",
        "1",
        counts.astype(np.float64),
        tuple(case.item.cluster_id for case in cases),
        statistic=lambda sums: 2 * sums[:, 0] / np.where(sums[:, 1] > 0, sums[:, 1], np.nan),
        item_ids=tuple(case.item.id for case in cases),
    )


def _rows(
    cases: Sequence[Case], field: str, truth: str, versions: Sequence[str], score: Callable[..., Any]
) -> list[Measurement]:
    """One row a version of a definition, for example `mub.key.symmetric`, version 2."""
    scored = [case for case in cases if getattr(_truth(case), truth) is not None]
    references = [getattr(_truth(case), truth) for case in scored]
    predictions = [case.values.get(field) for case in scored]
    rows = []
    for version in versions:
        name, number = version.split("/")
        scores = np.asarray(score(references=references, predictions=predictions, version=version), dtype=np.float64)
        rows.append(mean_over_items(f"mub.{field}.{name}", number, scored, scores))
    return rows


def _ordered(versions: Sequence[str], first: str | None) -> list[str]:
    headline = first or versions[0]
    return [headline, *(each for each in versions if each != headline)]


def _by_class(
    cases: Sequence[Case], signatures: Sequence[str], answers: Sequence[str | None], hits: FloatArray
) -> Iterator[Measurement]:
    """Mean recall and mean F1 over reference classes: statistics of the hits, items and answers of each class."""
    classes = sorted(set(signatures))
    members = np.array([[signature == each for each in classes] for signature in signatures], dtype=np.float64)
    answered = [time_signature_hits(references=[each] * len(cases), predictions=answers) for each in classes]
    columns = np.column_stack([members * hits[:, None], members, *answered]) if len(cases) else np.zeros((0, 3))
    clusters, strata = ClusterNames(case.item.cluster_id for case in cases), ClusterNames(signatures)
    note = ", ".join(f"{each}: n {signatures.count(each)}" for each in classes)
    lone = lone_strata(clusters, strata) if len(cases) >= FEWEST_ITEMS else []
    note += f"; no interval, because one cluster is all there is of {', '.join(lone)}" if lone else ""
    for name, statistic in (("balanced_accuracy", mean_recall_of), ("macro_f1", mean_f1_of)):
        yield Measurement(
            f"mub.time_signature.{name}",
            "1",
            columns.astype(np.float64),
            clusters,
            statistic=statistic,
            note=note,
            item_ids=tuple(case.item.id for case in cases),
            strata=strata,
        )


def _recalls(cases: Sequence[Case], signatures: Sequence[str], hits: FloatArray) -> Iterator[Measurement]:
    """Share found of each time signature, the most frequent first."""
    for each in sorted(set(signatures), key=lambda name: (-signatures.count(name), name)):
        members = [position for position, signature in enumerate(signatures) if signature == each]
        of_class = [cases[position] for position in members]
        recall = mean_over_items(f"mub.time_signature.recall.{each}", "1", of_class, hits[members])
        yield replace(recall, is_share_of_class=True)


def _truth(case: Case) -> MusicTruth:
    return case.reference.music or MusicTruth()


def _structure(cases: Sequence[Case]) -> list[Measurement]:
    """Pairwise F and V-measure, averaged over the recordings whose segments are known."""
    scored = [case for case in cases if known_segments(case) is not None and compared_duration_s(case) > 0]
    durations_s = [compared_duration_s(case) for case in scored]
    reference, prediction = segment_tables(scored, durations_s)
    durations = [to_micros(each) for each in durations_s]
    times = label_times(reference=reference, prediction=prediction, durations=durations)
    return [
        mean_over_items(f"mub.segments.{name}", "1", scored, found.f, binary=False)
        for name, found in (("pairwise_f", pairwise_of_times(times)), ("v_measure", v_measures_of_times(times)))
    ]


def compared_duration_s(case: Case) -> float:
    """Seconds over which structure is compared: the recording's, or up to the reference's end where that is unknown."""
    return case.item.window_s or max((each.end_s for each in known_segments(case) or ()), default=0.0)


def segment_tables(cases: Sequence[Case], durations_s: Sequence[float | None]) -> tuple[IntervalTable, IntervalTable]:
    """The segments of references and of answers, a recording a case; no or an illegal answer is no answer.

    Both are clipped to `durations_s` where these are known. Raises InputError for an illegal reference.
    """
    pairs = list(zip(cases, durations_s, strict=True))
    right = [checked_reference(known_segments(case) or (), duration) for case, duration in pairs]
    found = [cleaned_prediction(case.values.get("segments"), duration)[0] for case, duration in pairs]
    return interval_table(right), interval_table(found)


def known_segments(case: Case) -> tuple[Segment, ...] | None:
    """The segments of a case's reference; None where they are not annotated."""
    return None if case.reference.music is None else case.reference.music.segments


MEASURES = (
    Measure(
        "mub_tempo",
        mub_tempo,
        (
            Number(
                "mub.tempo.acc1",
                label="acc1",
                meaning="Share of recordings whose tempo is within 4\u00a0% of the reference, inclusive.",
                sentence="reads {} of the tempi",
                short="tempo acc1",
            ),
            Number(
                "mub.tempo.acc2",
                label="acc2",
                meaning="The same of the reference or its double, triple, half or third.",
                sentence="reads {} of the tempi up to a metrical factor",
                is_detail=True,
            ),
        ),
        "Tempo",
        (Definition("Tempo", tuple(f"mub.tempo.{version}" for version in TEMPO_VERSIONS), measures.tempo_hit),),
    ),
    Measure(
        "mub_key",
        mub_key,
        (
            Number(
                "mub.key.symmetric",
                label="symmetric/2",
                meaning="Share of recordings whose key is the reference's or its relative (C major and A minor).",
                sentence="reads {} of the keys",
                short="key symmetric/2",
            ),
            Number(
                "mub.key.exact",
                label="exact",
                meaning="Share of recordings whose key is the reference's.",
                sentence="reads {} of the keys exactly",
                is_detail=True,
            ),
            Number(
                "mub.key.mirex_symmetric",
                label="MIREX",
                meaning="1 for the key, 0.5 a fifth off, 0.3 for the relative, 0.2 for the parallel key.",
                is_detail=True,
            ),
        ),
        "Key",
        (
            Definition("Key credit", (), measures.key_score),
            *(
                Definition(f"Key, {version}", (f"mub.key.{version}",), function)
                for version, function in KEY_VERSIONS.items()
            ),
        ),
    ),
    Measure(
        "mub_time_signature",
        mub_time_signature,
        (
            Number(
                "mub.time_signature.accuracy",
                label="accuracy",
                meaning="Share of recordings whose time signature is the reference's.",
                sentence="reads {} of the time signatures",
                short="time signature",
            ),
            Number(
                "mub.time_signature.balanced_accuracy",
                label="balanced",
                meaning="Mean over the time signatures that occur of the share found of each.",
            ),
            Number(
                "mub.time_signature.macro_f1",
                label="macro F1",
                meaning="Mean over the time signatures that occur of the F1 of each.",
                is_detail=True,
            ),
        ),
        "Time signature",
        (
            Definition("Accuracy", ("mub.time_signature.accuracy/1",), measures.time_signature_hit),
            Definition(
                "Recall of a time signature", (f"mub.time_signature.recall.{EACH_METRE}/1",), measures.class_counts
            ),
            Definition("Balanced accuracy", ("mub.time_signature.balanced_accuracy/1",), measures.balanced_accuracy),
            Definition("Adjusted balanced accuracy", (), measures.adjusted_balanced_accuracy),
            Definition("Macro F1", ("mub.time_signature.macro_f1/1",), measures.macro_f1),
            Definition("Macro F1 over the union", (), measures.macro_f1_union),
        ),
    ),
    Measure(
        "mub_segments",
        mub_segments,
        (
            Number(
                "mub.segments.iou_f1",
                label="F1",
                meaning="F1 of segments matched at an intersection over union of at least one half.",
                sentence="finds segments with an F1 of {}",
                short="segment F1",
            ),
            Number(
                "mub.segments.iou_f1_labels",
                label="F1 with labels",
                meaning="The same where the labels must be equal too.",
                is_detail=True,
            ),
            Number(
                "mub.segments.hit_rate_0.5",
                label="hit 0.5 s",
                meaning="F1 of segment boundaries found within 0.5 s.",
            ),
            Number(
                "mub.segments.hit_rate_3",
                label="hit 3 s",
                meaning="F1 of segment boundaries found within 3 s.",
            ),
            Number(
                "mub.segments.pairwise_f",
                label="pairwise F",
                meaning="Pairs of instants under one label on both sides, by exact durations.",
                is_detail=True,
            ),
            Number(
                "mub.segments.v_measure",
                label="V-measure",
                meaning="How much the labels of each side tell of the other's, by exact durations.",
                is_detail=True,
            ),
        ),
        "Segments",
        (
            Definition(
                "Matched segments",
                tuple(f"mub.segments.{name}/1" for name in SEGMENT_MATCHES),
                measures.match_intervals,
            ),
            Definition(
                "Boundary hit rate",
                ("mub.segments.hit_rate_0.5/1", "mub.segments.hit_rate_3/1"),
                measures.boundary_hit_rate,
            ),
            Definition("Trimmed hit rate", (), measures.trimmed_boundary_hit_rate),
            Definition("Pairwise score", ("mub.segments.pairwise_f/1",), measures.pairwise_score),
            Definition("V-measure", ("mub.segments.v_measure/1",), measures.v_measure),
            Definition("Greedy matching", (), measures.greedy_match),
        ),
    ),
)
