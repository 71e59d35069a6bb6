"""Tempo, key, time signature and segments of recordings, joined by id, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks.metric_modules import base, recordings_inputs

DESCRIPTION = """\
Music understanding on whole recordings: tempo, key, time signature and segments of as many recordings as there are
references. Predictions are joined to the references by id, in any number and order, never the other way round: a
recording without a prediction is a miss inside the denominator, and counted in coverage; an id that stands twice or
belongs to no recording is an error.
"""

INPUTS = """
Args:
    predictions (list of dict): {"id": ..., "tempo_bpm": ..., "key": ..., "time_signature": ..., "segments": ...} in any
        number and order; a field that is None or absent is no answer. Segments are a list of
        {"start_s": ..., "end_s": ..., "label": ...}, in seconds.
    recordings (list of dict): all recordings: "id", the truths under the same names (one that is None or absent is not
        annotated and not scored), and perhaps "duration_s" and "cluster_id" (the composition: recordings of one are not
        independent). Rows of the `references` of a MUB-like dataset are taken as they are.
    version (str or list of str): another version of key or tempo, for example "exact/1" or ["exact/1", "acc2/1"];
        also as results name it, "mub.key.exact/1".

Returns:
    mub_tempo, mub_key, mub_time_signature, mub_segments: the headline of each field, as the metrics of these names
        define it: tempo within 4 %, key or its relative, time signature, F1 of segments at intersection over union 1/2.
    balanced_accuracy: mean recall over the time signatures of the references.
    hit_rate_0.5, hit_rate_3: F1 of segment boundaries within 0.5 s and 3 s.
    coverage: share of recordings that have a prediction.
    answered: of each field, the share of recordings with a readable value.
    n, standard_error, interval, version: of each number above, by its name. None where a field is annotated nowhere.

Examples:
    >>> mub = evaluate.load("mub")
    >>> scores = mub.compute(
    ...     predictions=[{"id": "b", "tempo_bpm": 60, "key": "A minor"}],
    ...     recordings=[
    ...         {"id": "a", "tempo_bpm": 100, "key": "G major"}, {"id": "b", "tempo_bpm": 120, "key": "C major"},
    ...     ],
    ... )
    >>> scores["mub_key"], scores["mub_tempo"], scores["coverage"], scores["n"]["mub_key"]
    (0.5, 0.0, 0.5, 2)
"""

CITATION = """\
@misc{mub,
    title = {MUB: An Identity-Masked Benchmark for Music Understanding in Multimodal Language Models},
    author = {Liu, Kun and Tao, Lyra},
    eprint = {2610.22989},
    archivePrefix = {arXiv},
}
"""


class Mub(base.CheckedMetric):
    """Every headline of a tracker, over all recordings."""

    row_kinds = {"predictions": recordings_inputs.estimate_row}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        segments = [{"start_s": Value("float64"), "end_s": Value("float64"), "label": Value("string")}]
        row = {
            "id": Value("string"),
            "tempo_bpm": Value("float64"),
            "key": Value("string"),
            "time_signature": Value("string"),
            "segments": segments,
        }
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": row}),
            reference_urls=["https://arxiv.org/abs/2610.22989"],
        )

    def _compute(self, predictions: list[Any], recordings: Any, version: Any = None) -> dict[str, Any]:
        scores = recordings_inputs.scores(predictions, recordings, version)
        return recordings_inputs.headlines(scores)
