"""Agreement of raters by Gwet's AC2, as a metric of `evaluate`."""

from typing import Any

import evaluate
from datasets import Features, Value

from musebench_tasks import statistics
from musebench_tasks.base.errors import InputError
from musebench_tasks.metric_modules import base, inputs, results

DESCRIPTION = """\
Agreement of two or more raters: Gwet's AC2, and what has to stand beside it. Two independent raters who both like to
give 4 and 5 reach an AC2 of .97, so that AC2 alone is no evidence of agreement: look at Krippendorff's alpha, at the
share of subjects with equal ratings, and at how often shuffled ratings agree as much.
"""

INPUTS = """
Args:
    predictions (list of list of int): one row a rater: a whole number for each subject, in the same order, None where
        the rater gave none. Two raters may also come as predictions=[...] and references=[...].
    categories (list of int): all categories that a rater may choose, in rising order, for example [0, 1, 2, 3, 4, 5].
        AC2 depends on them, so that they are never read off the ratings.
    weights (str): `quadratic` (the default), `linear`, `ordinal`, or `identity`, which makes it AC1.
    groups (list, optional): a name for each subject; ratings are shuffled only within subjects of the same name.

Returns:
    ac2: the coefficient, (p_a - p_e) / (1 - p_e).
    alpha, alpha_interval_level: Krippendorff's alpha at ordinal and at interval level of measurement; None where all
        ratings are alike.
    exact_agreement: share of subjects with at least two ratings that are all equal.
    permutation_p: (1 + shuffles that agree at least as much) / (1 + shuffles), of 2,000 with a fixed seed.
    permutation_mean, permutation_low, permutation_high: mean and middle 95 % of ac2 over the shuffles.
    n: subjects with at least one rating.
    standard_error, interval, version: of `ac2`, by Gwet's variance formula; None for one subject.

Examples:
    >>> gwet_ac2 = evaluate.load("gwet_ac2")
    >>> scores = gwet_ac2.compute(
    ...     predictions=[[5, 4, 4, 5, 3, 5], [5, 5, 4, 4, 3, 4]], categories=[0, 1, 2, 3, 4, 5]
    ... )
    >>> [round(scores[name], 6) for name in ("ac2", "alpha", "exact_agreement")]
    [0.952941, 0.438776, 0.5]
    >>> scores["permutation_p"] > 0.05
    True
"""

CITATION = """\
@book{gwet2014,
    title = {Handbook of Inter-Rater Reliability},
    author = {Gwet, Kilem L.},
    edition = {4},
    publisher = {Advanced Analytics},
    year = {2014},
}
"""


class GwetAc2(base.CheckedMetric):
    """AC2 with Krippendorff's alpha, exact agreement and the permutation null."""

    row_kinds = {"predictions": inputs.ratings}  # noqa: RUF012

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation=CITATION,
            features=Features({"predictions": [Value("int64")]}),
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **named: Any) -> dict[str, Any] | None:
        """Agreement of all raters that were added; two may be given as predictions and references."""
        if references is not None:
            predictions = [[] if predictions is None else predictions, references]
        return super().compute(predictions=predictions, **named)

    def _compute(
        self, predictions: list[Any], categories: Any, weights: str = "quadratic", groups: Any = None
    ) -> dict[str, Any]:
        inputs.require_rows(len(predictions))
        if len(predictions) < 2:
            raise InputError("There is one rater, so there is no agreement to measure. Give one row for each rater.")
        inputs.require_equal_lengths("predictions", predictions, "ratings")
        inputs.require_rows(len(predictions[0]))
        known = inputs.checked_categories(categories)
        inputs.require_categories(predictions, known)
        found = statistics.rater_agreement(
            list(zip(*predictions, strict=True)),
            categories=known,
            weights=weights,
            groups=None if groups is None else inputs.checked_names("groups", groups, len(predictions[0]), "subjects"),
        )
        return {
            "ac2": found.agreement.coefficient,
            "alpha": found.alpha_ordinal,
            "alpha_interval_level": found.alpha_interval,
            "exact_agreement": found.exact,
            "permutation_p": found.null.p_value,
            "permutation_mean": found.null.mean,
            "permutation_low": found.null.low,
            "permutation_high": found.null.high,
            "n": found.agreement.n,
            "standard_error": found.agreement.standard_error,
            "interval": results.plain(found.agreement.interval),
            "version": f"gwet_ac2.{weights}/1",
        }
