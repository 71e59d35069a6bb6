"""Chance-adjusted accuracy of single-select questions, as a metric of `evaluate`."""

from typing import Any

import evaluate
import numpy as np
from datasets import Features, Value

from musebench_tasks import measures
from musebench_tasks.metric_modules import base, inputs, results

DESCRIPTION = """\
Chance-adjusted accuracy (CAA) of single-select questions: guessing scores 0 and a right answer 1, however many options
a question has. A wrong answer to a question with K options scores -1/(K-1) and is never clipped; no answer is wrong.
"""

INPUTS = """
Args:
    predictions (list of str): the letter that was answered to each question, "" for no answer.
    references (list of str): the right letter of each question.
    num_options (list of int, or int): how many options each question has, 2 to 26.
    clusters (list, optional): the source of each question (its video, its recording). Questions of one source are not
        independent, and the standard error takes that into account. Default: every question for itself.

Returns:
    caa: mean over questions of (x - 1/K) / (1 - 1/K), x = 1 if right, else 0.
    caa_aggregate: the same of mean accuracy and mean 1/K. It differs from `caa` where K varies.
    accuracy: share of right answers.
    chance: expected accuracy of guessing, the mean of 1/K.
    n, standard_error, interval, version: of `caa`. The interval is 95 %, and None below 10 questions.

Examples:
    >>> caa = evaluate.load("caa")
    >>> scores = caa.compute(
    ...     predictions=["A", "", "C", "D", "A"], references=["A", "B", "C", "D", "B"], num_options=[4, 8, 8, 4, 4]
    ... )
    >>> [round(scores[name], 6) for name in ("caa", "caa_aggregate", "accuracy", "chance")]
    [0.504762, 0.5, 0.6, 0.2]
"""

CITATION = """\
@misc{musebench,
    title = {MuseBench: Benchmarking Intent-Level Audiovisual Arts Understanding in MLLMs},
}
"""


class Caa(base.CheckedMetric):
    """CAA per question and in aggregate form, with accuracy and chance."""

    row_kinds = {"predictions": inputs.label_or_empty, "references": inputs.label}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": Value("string"), "references": Value("string")}),
        )

    def _compute(
        self, predictions: list[str], references: list[str], num_options: Any, clusters: Any = None
    ) -> dict[str, Any]:
        sources = inputs.checked_clusters(clusters, len(references))
        counts = inputs.checked_option_counts(num_options, len(references))
        inputs.require_letters("predictions", predictions, counts)
        inputs.require_letters("references", references, counts)
        correct = np.array(predictions) == np.array(references)
        adjusted = results.chance_adjusted(correct, counts, sources)
        return {
            "caa": adjusted.value,
            "caa_aggregate": measures.aggregate_chance_adjusted_accuracy(correct, counts),
            "accuracy": float(correct.mean()),
            "chance": measures.chance_accuracy(counts),
            **results.beside(adjusted, "caa/1"),
        }
