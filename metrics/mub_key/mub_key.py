"""Key of recordings, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks import measures, statistics
from musebench_tasks.measures.key import HEADLINE_VERSION
from musebench_tasks.metric_modules import base, inputs, results
from musebench_tasks.values import parse_key_name

DESCRIPTION = """\
Key of recordings: is the predicted key the reference's, or its relative? Spelling is free ("F# minor", "Gb major",
"fis-Moll", "8A"); a tonic without a mode is no key. A prediction that names no key is a miss inside the denominator.
"""

INPUTS = """
Args:
    predictions (list of str or None): a key for each recording, None for no answer.
    references (list of str): the true keys, for example "Eb major".
    version (str): `symmetric/2` (1 for the key or its relative, in either direction; the default), `exact/1`,
        `mirex_symmetric/1`, `mirex_ascending/1` (equal to mir_eval), `legacy_directional_a/1`,
        `legacy_directional_b/1`; also as results name it, `mub.key.exact/1`.
    clusters (list, optional): the source of each recording (its composition). Recordings of one source are not
        independent, and the standard error takes that into account. Default: every recording for itself.

Returns:
    score: mean credit over recordings.
    answered: share of recordings whose prediction names a key.
    n, standard_error, interval, version: of `score`. The interval is 95 %, and None below 10 recordings.

Examples:
    >>> mub_key = evaluate.load("mub_key")
    >>> predictions, references = ["A minor", "F#", None, "D# minor"], ["C major", "Gb major", "D minor", "Eb minor"]
    >>> scores = mub_key.compute(predictions=predictions, references=references)
    >>> scores["score"], scores["answered"], scores["version"]
    (0.5, 0.5, 'mub.key.symmetric/2')
    >>> mub_key.compute(predictions=predictions, references=references, version="exact/1")["score"]
    0.25
"""

CITATION = """\
@misc{mub,
    title = {MUB: An Identity-Masked Benchmark for Music Understanding in Multimodal Language Models},
    author = {Liu, Kun and Tao, Lyra},
    eprint = {2610.22989},
    archivePrefix = {arXiv},
}
"""


class MubKey(base.CheckedMetric):
    """Key under a version of the definition."""

    row_kinds = {"predictions": inputs.any_text_or_none, "references": inputs.key_reference}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": Value("string"), "references": Value("string")}),
            reference_urls=["https://arxiv.org/abs/2610.22989"],
        )

    def _compute(
        self,
        predictions: list[str | None],
        references: list[str],
        version: str = HEADLINE_VERSION,
        clusters: Any = None,
    ) -> dict[str, Any]:
        sources = inputs.checked_clusters(clusters, len(references))
        credits = measures.key_scores(references=references, predictions=predictions, version=version)
        score = statistics.estimate(credits, sources, binary=False, bounds=(0.0, 1.0))
        return {
            "score": score.value,
            "answered": results.mean(parse_key_name(each) is not None for each in predictions),
            **results.beside(score, f"mub.key.{measures.key_version(version)}"),
        }
