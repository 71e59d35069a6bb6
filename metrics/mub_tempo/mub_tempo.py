"""Tempo of recordings, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks import measures, statistics
from musebench_tasks.measures.tempo import HEADLINE_VERSION
from musebench_tasks.metric_modules import base, inputs, results

DESCRIPTION = """\
Tempo of recordings: does the prediction lie within 4 % of the reference, the edge included? Compared in whole
millionths of a beat per minute, so that 41.6 against 40 is a hit on every platform. No answer is a miss inside the
denominator.
"""

INPUTS = """
Args:
    predictions (list of float or None): beats per minute of each recording, None for no answer.
    references (list of float): the true tempi, above 0.
    version (str): `acc1/1` (the tempo itself; the default) or `acc2/1` (also twice, three times, half and a third);
        also as results name it, `mub.tempo.acc2/1`.
    clusters (list, optional): the source of each recording (its composition). Recordings of one source are not
        independent, and the standard error takes that into account. Default: every recording for itself.

Returns:
    score: share of recordings that are hit.
    answered: share of recordings with a tempo of 10 to 600 beats per minute; any other is no answer.
    n, standard_error, interval, version: of `score`. The interval is 95 %, and None below 10 recordings.

Examples:
    >>> mub_tempo = evaluate.load("mub_tempo")
    >>> predictions, references = [41.6, 200, None, 150], [40, 100, 120, 100]
    >>> scores = mub_tempo.compute(predictions=predictions, references=references)
    >>> scores["score"], scores["answered"], scores["version"]
    (0.25, 0.75, 'mub.tempo.acc1/1')
    >>> mub_tempo.compute(predictions=predictions, references=references, version="acc2/1")["score"]
    0.5
"""

CITATION = """\
@misc{mub,
    title = {MUB: An Identity-Masked Benchmark for Music Understanding in Multimodal Language Models},
    author = {Liu, Kun and Tao, Lyra},
    eprint = {2610.22989},
    archivePrefix = {arXiv},
}
"""


class MubTempo(base.CheckedMetric):
    """Tempo within 4 %, or within 4 % of a metrical multiple."""

    row_kinds = {"predictions": inputs.tempo_or_none, "references": inputs.tempo_reference}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": Value("float64"), "references": Value("float64")}),
            reference_urls=["https://arxiv.org/abs/2610.22989"],
        )

    def _compute(
        self,
        predictions: list[float | None],
        references: list[float],
        version: str = HEADLINE_VERSION,
        clusters: Any = None,
    ) -> dict[str, Any]:
        sources = inputs.checked_clusters(clusters, len(references))
        tempi = [inputs.tempo_answered(each) for each in predictions]
        hits = measures.tempo_hits(references=references, predictions=tempi, version=version)
        score = statistics.estimate(hits, sources, binary=True)
        return {
            "score": score.value,
            "answered": results.mean(each is not None for each in tempi),
            **results.beside(score, f"mub.tempo.{measures.tempo_version(version)}"),
        }
