"""Whether a system answers a question the same in every run, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks import measures, statistics
from musebench_tasks.metric_modules import base, inputs, results

DESCRIPTION = """\
Each question is asked several times with its options in other orders: is the same option, by content, chosen in every
run? Give option ids, not letters: a system that always says "A" is consistent by letter and by nothing else. A run
without an answer breaks consistency.
"""

INPUTS = """
Args:
    predictions (list of list of str): for each question the id of the option chosen in each run, "" for no answer.
        Every question has the same number of runs, at least 2.
    references (list of str): the id of the right option.
    clusters (list, optional): the source of each question. Questions of one source are not independent, and the
        standard error takes that into account. Default: every question for itself.

Returns:
    accuracy: mean over runs and questions.
    accuracy_sd: standard deviation (n - 1) of the runs' accuracies: a spread over orders, no sampling error.
    consistency: share of questions with one and the same option in all runs.
    flip_rate: share of questions that are right in some runs and wrong in others.
    all_correct: share of questions that are right in every run.
    n, standard_error, interval, version: of `consistency`. The interval is 95 %, and None below 10 questions.

Examples:
    >>> choice_consistency = evaluate.load("choice_consistency")
    >>> scores = choice_consistency.compute(
    ...     predictions=[list("aaaa"), list("bbbb"), list("aaab"), ["a", "a", "", "a"], list("abcd")],
    ...     references=["a", "a", "a", "a", "a"],
    ... )
    >>> [round(scores[name], 6) for name in ("consistency", "accuracy", "flip_rate", "all_correct")]
    [0.4, 0.55, 0.6, 0.2]
"""

CITATION = """\
@misc{hummusqa,
    title = {HumMusQA: A Human-written Music Understanding QA Benchmark Dataset},
    author = {Weck, Benno and Puentes, Pablo and Poltronieri, Andrea and Prabhu, Satyajeet and Bogdanov, Dmitry},
    eprint = {2603.27877},
    archivePrefix = {arXiv},
}
"""


class ChoiceConsistency(base.CheckedMetric):
    """Consistency by option id, flip rate and accuracy over runs."""

    row_kinds = {"predictions": inputs.runs, "references": inputs.label}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": [Value("string")], "references": Value("string")}),
            reference_urls=["https://arxiv.org/abs/2603.27877"],
        )

    def _compute(self, predictions: list[list[str]], references: list[str], clusters: Any = None) -> dict[str, Any]:
        sources = inputs.checked_clusters(clusters, len(references))
        inputs.require_equal_lengths("predictions", predictions, "runs")
        found = measures.consistency(predictions, references)
        assert found is not None  # There are rows.
        same = statistics.estimate(found.consistent, sources, binary=True)
        return {
            "accuracy": found.accuracy,
            "accuracy_sd": found.accuracy_sd,
            "consistency": same.value,
            "flip_rate": found.flip_rate,
            "all_correct": found.all_correct,
            **results.beside(same, "choice_consistency/1"),
        }
