"""Time signature of recordings, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks import measures, statistics
from musebench_tasks.measures.versions import known_version
from musebench_tasks.metric_modules import base, inputs, results
from musebench_tasks.values import parse_metre

VERSION = "accuracy/1"

DESCRIPTION = """\
Time signature of recordings: numerator and denominator must both agree (6/8 is not 3/4). Since nearly all music of many
collections is in 4/4, accuracy stands beside recall and F1 averaged over the time signatures of the references, and the
recall of each. A prediction that names no time signature is a miss inside the denominator.
"""

INPUTS = """
Args:
    predictions (list of str or None): a time signature for each recording, None for no answer.
    references (list of str): the true ones, for example "6/8".
    version (str): `accuracy/1`, the only version of `score` so far.
    clusters (list, optional): the source of each recording (its composition). Recordings of one source are not
        independent, and the standard error takes that into account. Default: every recording for itself.

Returns:
    score: share of recordings with the right time signature.
    answered: share of recordings whose prediction names a time signature.
    balanced_accuracy: mean recall over the time signatures that the references have.
    macro_f1: mean F1 over the same.
    per_class: of each of them n, recall, and the recall's Wilson interval.
    n, standard_error, interval, version: of `score`. The interval is 95 %, and None below 10 recordings.

Examples:
    >>> mub_time_signature = evaluate.load("mub_time_signature")
    >>> scores = mub_time_signature.compute(
    ...     predictions=["4/4"] * 10, references=["4/4"] * 8 + ["3/4", "6/8"]
    ... )
    >>> [round(scores[name], 6) for name in ("score", "balanced_accuracy", "macro_f1")]
    [0.8, 0.333333, 0.296296]
    >>> {name: (each["n"], each["recall"]) for name, each in scores["per_class"].items()}
    {'4/4': (8, 1.0), '3/4': (1, 0.0), '6/8': (1, 0.0)}
"""

CITATION = """\
@misc{mub,
    title = {MUB: An Identity-Masked Benchmark for Music Understanding in Multimodal Language Models},
    author = {Liu, Kun and Tao, Lyra},
    eprint = {2610.22989},
    archivePrefix = {arXiv},
}
"""


class MubTimeSignature(base.CheckedMetric):
    """Accuracy of time signatures, balanced accuracy, macro F1, and recall of each class."""

    row_kinds = {"predictions": inputs.any_text_or_none, "references": inputs.metre_reference}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": Value("string"), "references": Value("string")}),
            reference_urls=["https://arxiv.org/abs/2610.22989"],
        )

    def _compute(
        self, predictions: list[str | None], references: list[str], version: str = VERSION, clusters: Any = None
    ) -> dict[str, Any]:
        known = known_version(version, [VERSION], "mub.time_signature")
        sources = inputs.checked_clusters(clusters, len(references))
        hits = measures.time_signature_hits(references=references, predictions=predictions)
        score = statistics.estimate(hits, sources, binary=True)
        classes = measures.class_counts(references, predictions)
        return {
            "score": score.value,
            "answered": results.mean(parse_metre(each) is not None for each in predictions),
            "balanced_accuracy": measures.balanced_accuracy(references, predictions),
            "macro_f1": measures.macro_f1(references, predictions),
            "per_class": {
                name: {
                    "n": each.n,
                    "recall": each.recall,
                    "interval": results.plain(statistics.wilson_interval(each.hits, each.n)),
                }
                for name, each in classes.items()
                if each.n
            },
            **results.beside(score, f"mub.time_signature.{known}"),
        }
