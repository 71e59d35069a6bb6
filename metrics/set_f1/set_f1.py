"""Precision, recall and F1 of sets of answers, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks import measures, statistics
from musebench_tasks.metric_modules import base, inputs, results

DESCRIPTION = """\
Multi-select questions: precision, recall and F1 of each question's set of answers, then the mean over questions (F1 is
the mean of the questions' F1, not the F1 of mean precision and mean recall), with the share of sets that are exactly
right, and precision, recall and F1 of counts summed over all questions beside them.
"""

INPUTS = """
Args:
    predictions (list of list of str): the labels that were answered to each question, [] for no answer.
    references (list of list of str): the labels that are right, at least one a question.
    clusters (list, optional): the source of each question. Questions of one source are not independent, and the
        standard error takes that into account. Default: every question for itself.
    num_options (list of int, or int; optional): how many options each question has. If given, labels must be letters
        of these options.

Returns:
    precision, recall, f1: of each question's set, then the mean over questions. No answer scores 0 in all three.
    exact_match: share of questions answered with exactly the right set.
    micro_precision, micro_recall, micro_f1: of counts summed over questions; micro_precision is None if nothing was
        answered at all.
    n, standard_error, interval, version: of `f1`. The interval is 95 %, and None below 10 questions.

Examples:
    >>> set_f1 = evaluate.load("set_f1")
    >>> scores = set_f1.compute(
    ...     predictions=[["A", "C"], ["B"], ["A", "B", "C", "D"], [], ["A", "B"]],
    ...     references=[["A", "C", "E"], ["B", "D"], ["A", "B"], ["A", "B"], ["A", "B"]],
    ... )
    >>> [round(scores[name], 6) for name in ("precision", "recall", "f1", "exact_match", "micro_f1")]
    [0.7, 0.633333, 0.626667, 0.2, 0.7]
"""

CITATION = """\
@misc{musebench,
    title = {MuseBench: Benchmarking Intent-Level Audiovisual Arts Understanding in MLLMs},
}
"""


class SetF1(base.CheckedMetric):
    """Set precision, recall, F1 and exact match, averaged over questions, and their micro forms."""

    row_kinds = {"predictions": inputs.label_set_or_empty, "references": inputs.label_set}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        labels = [Value("string")]
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": labels, "references": labels}),
        )

    def _compute(
        self, predictions: list[list[str]], references: list[list[str]], clusters: Any = None, num_options: Any = None
    ) -> dict[str, Any]:
        sources = inputs.checked_clusters(clusters, len(references))
        if num_options is not None:
            counts = inputs.checked_option_counts(num_options, len(references))
            inputs.require_letters("predictions", predictions, counts)
            inputs.require_letters("references", references, counts)
        sets = measures.set_scores(predictions, references)
        micro = measures.micro_set_scores(predictions, references)
        f1 = statistics.estimate(sets.f1, sources, binary=False, bounds=(0.0, 1.0))
        return {
            "precision": float(sets.precision.mean()),
            "recall": float(sets.recall.mean()),
            "f1": f1.value,
            "exact_match": float(sets.exact_match.mean()),
            "micro_precision": micro.precision,
            "micro_recall": micro.recall,
            "micro_f1": micro.f1,
            **results.beside(f1, "set_f1/1"),
        }
