"""Segments of recordings, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks import measures, statistics
from musebench_tasks.metric_modules import base, inputs, results

DESCRIPTION = """\
Segments of recordings (verse, chorus, ...): most pairs of predicted and reference segments with intersection over union
of 1/2 or more, each used once; boundaries found within 0.5 s and 3 s; and whether the same stretches stand under the
same label. All times are compared in whole microseconds. No answer scores 0 inside the denominator.
"""

INPUTS = """
Args:
    predictions (list): for each recording a list of {"start_s": ..., "end_s": ..., "label": ...}, in seconds from its
        beginning; None for no answer. Predictions are sorted, clipped to the recording, and overlaps of up to 50 ms are
        removed; one that still overlaps itself scores 0.
    references (list): the true segments, in the same form. They may not overlap; they are never repaired.
    durations_s (list of float, optional): the length of each recording. Without it nothing is clipped, and `pairwise_f`
        and `v_measure` are None.
    label_aware (bool): whether only segments with equal labels (outer blanks and case aside) may pair. Default: False.
    clusters (list, optional): the source of each recording (its composition). Recordings of one source are not
        independent, and the standard error takes that into account. Default: every recording for itself.

Returns:
    precision, recall, f1: of matched segments, of each recording, then the mean over recordings.
    hit_rate_0.5, hit_rate_3: F1 of boundaries within 0.5 s and 3 s, the edge included, then the mean.
    pairwise_f: F of pairs of instants that share a label, by exact durations, then the mean.
    v_measure: V-measure of the labellings, by exact durations, then the mean.
    answered: share of recordings with a prediction that can be scored.
    n, standard_error, interval, version: of `f1`. The interval is 95 %, and None below 10 recordings.

Examples:
    >>> mub_segments = evaluate.load("mub_segments")
    >>> reference = [{"start_s": 0, "end_s": 10, "label": "a"}, {"start_s": 10, "end_s": 20, "label": "b"}]
    >>> prediction = [{"start_s": 0, "end_s": 10.5, "label": "a"}, {"start_s": 10.5, "end_s": 20, "label": "b"}]
    >>> scores = mub_segments.compute(predictions=[prediction, None], references=[reference] * 2, durations_s=[20, 20])
    >>> [round(scores[name], 6) for name in ("f1", "hit_rate_0.5", "pairwise_f", "answered")]
    [0.5, 0.5, 0.475655, 0.5]
"""

CITATION = """\
@misc{mub,
    title = {MUB: An Identity-Masked Benchmark for Music Understanding in Multimodal Language Models},
    author = {Liu, Kun and Tao, Lyra},
    eprint = {2610.22989},
    archivePrefix = {arXiv},
}
"""


class MubSegments(base.CheckedMetric):
    """Segment matching, boundary hit rates, pairwise F and V-measure."""

    row_kinds = {"predictions": inputs.segments_or_none, "references": inputs.segments}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        segments = [{"start_s": Value("float64"), "end_s": Value("float64"), "label": Value("string")}]
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": segments, "references": segments}),
            reference_urls=["https://arxiv.org/abs/2610.22989"],
        )

    def _compute(
        self,
        predictions: list[Any],
        references: list[Any],
        durations_s: Any = None,
        label_aware: bool = False,
        clusters: Any = None,
    ) -> dict[str, Any]:
        sources = inputs.checked_clusters(clusters, len(references))
        durations = inputs.checked_durations(durations_s, len(references))
        inputs.require_legal_segments(references, durations, label_aware=label_aware)
        rows = [
            {"reference": reference, "prediction": prediction, "duration_s": duration}
            for reference, prediction, duration in zip(references, predictions, durations, strict=True)
        ]
        matches = [measures.match_intervals(**row, label_aware=label_aware) for row in rows]
        f1 = statistics.estimate([match.f1 for match in matches], sources, binary=False, bounds=(0.0, 1.0))
        near, far = measures.SHORT_WINDOW_S, measures.LONG_WINDOW_S
        timed = rows if durations_s is not None else []
        return {
            "precision": results.mean(match.precision for match in matches),
            "recall": results.mean(match.recall for match in matches),
            "f1": f1.value,
            "hit_rate_0.5": results.mean(measures.boundary_hit_rate(**row, window_s=near).f1 for row in rows),
            "hit_rate_3": results.mean(measures.boundary_hit_rate(**row, window_s=far).f1 for row in rows),
            "pairwise_f": results.mean(measures.pairwise_score(**row).f for row in timed),
            "v_measure": results.mean(measures.v_measure(**row).f for row in timed),
            "answered": results.mean(inputs.is_scorable(row["prediction"], row["duration_s"]) for row in rows),
            **results.beside(f1, "mub.segments.iou_f1_labels/1" if label_aware else "mub.segments.iou_f1/1"),
        }
