"""Whether a system prefers a place in the list of options, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks import statistics
from musebench_tasks.metric_modules import base, inputs, results
from musebench_tasks.statistics.bias import FEWEST_GOLD

DESCRIPTION = """\
Single-select questions: where do the answers lie (A = the first option shown), against where the right ones lie and
where a guesser's would? Shares are over questions with an answer, recalls over all questions.
"""

INPUTS = """
Args:
    predictions (list of str): the letter that was answered to each question, "" for no answer.
    references (list of str): the right letter of each question, in the order in which its options were shown.
    num_options (list of int, or int): how many options each question has, 2 to 26.
    clusters (list, optional): the source of each question. Questions of one source are not independent, and the
        standard error takes that into account. Default: every question for itself.
    fewest_gold (int): `rstd` needs each position to be right at least so often. Default: 20.

Returns:
    positions: the letters that the three shares below belong to, in order.
    predicted_share, gold_share, expected_share: of answers, of right options, and of a guesser's picks (the mean of 1/K
        over the questions that have the position).
    excess_first: predicted minus gold share of the first position.
    rstd: standard deviation of recall over gold positions, in percentage points (Zheng et al. 2024); None where a
        position is right fewer than `fewest_gold` times.
    jsd: Jensen-Shannon divergence of predicted and gold shares, in bits.
    unparsed_share: share of questions without an answer.
    n: number of questions.
    standard_error, interval, version: of `excess_first`, over questions with an answer. The interval is 95 %, and None
        below 10 of them.

Examples:
    >>> position_bias = evaluate.load("position_bias")
    >>> scores = position_bias.compute(
    ...     predictions=list("AAAAABBAAACCAADDDDAA"), references=list("AAAAABBBBBCCCCCDDDDD"),
    ...     num_options=4, fewest_gold=5,
    ... )
    >>> [round(share, 6) for share in scores["predicted_share"]], round(scores["excess_first"], 6)
    ([0.6, 0.1, 0.1, 0.2], 0.35)
    >>> round(scores["rstd"], 6), round(scores["jsd"], 6)
    (24.494897, 0.103474)
"""

CITATION = """\
@inproceedings{zheng2024,
    title = {Large Language Models Are Not Robust Multiple Choice Selectors},
    author = {Zheng, Chujie and Zhou, Hao and Meng, Fandong and Zhou, Jie and Huang, Minlie},
    booktitle = {ICLR},
    year = {2024},
}
"""


class PositionBias(base.CheckedMetric):
    """Shares of positions, excess of the first, RStd and Jensen-Shannon divergence."""

    row_kinds = {"predictions": inputs.label_or_empty, "references": inputs.label}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": Value("string"), "references": Value("string")}),
            reference_urls=["https://arxiv.org/abs/2309.03882"],
        )

    def _compute(
        self,
        predictions: list[str],
        references: list[str],
        num_options: Any,
        clusters: Any = None,
        fewest_gold: int = FEWEST_GOLD,
    ) -> dict[str, Any]:
        sources = inputs.checked_clusters(clusters, len(references))
        counts = inputs.checked_option_counts(num_options, len(references))
        inputs.require_letters("predictions", predictions, counts)
        inputs.require_letters("references", references, counts)
        bias = statistics.position_bias(
            predictions,
            references,
            counts,
            clusters=sources,
            fewest_gold=inputs.checked_whole_number("fewest_gold", fewest_gold),
        )
        return {
            "positions": list(bias.positions),
            "predicted_share": results.plain_list(bias.predicted_share),
            "gold_share": results.plain_list(bias.gold_share),
            "expected_share": results.plain_list(bias.expected_share),
            "excess_first": bias.excess_first,
            "rstd": bias.rstd,
            "jsd": bias.jsd_bits,
            "unparsed_share": bias.unparsed_share,
            "n": bias.n,
            "standard_error": bias.excess_first_error,
            "interval": results.plain(bias.excess_first_interval),
            "version": "position_bias/1",
        }
