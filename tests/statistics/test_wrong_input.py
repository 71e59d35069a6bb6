"""What the functions of statistics cannot use is an InputError, never an error of Python or numpy, never a number."""

import warnings

import pytest
from fakes.wrong_values import untold

from musebench_tasks import statistics
from musebench_tasks.base.errors import InputError

SCORES = {"values": [1, 0, 1], "clusters": "abc"}
PAIR = {"first": [1, 0, 1], "second": [0, 0, 1], "clusters": "abc", "level": 0.9}
RATINGS = {"ratings": [[1, 2], [2, 2], [1, 1]], "categories": [1, 2, 3]}
DRAWN = {"draws": 20, "seed": 1}
RIGHT = {
    "agreement_weights": {"categories": [1, 2, 3], "kind": "linear"},
    "category_counts": RATINGS,
    "clopper_pearson_interval": {"successes": 3, "n": 10, "level": 0.9},
    "cluster_bootstrap": {**SCORES, **DRAWN, "level": 0.9},
    "clustered_standard_error": SCORES,
    "clusters_within_strata": {"clusters": "abc", "strata": "xxy"},
    "critical_value": {"n_clusters": 5, "level": 0.9},
    "design_effect": SCORES,
    "effective_n": SCORES,
    "estimate": {**SCORES, "binary": True, "bounds": (0, 1), "n_items": 3, "level": 0.9},
    "exact_agreement": {"ratings": RATINGS["ratings"]},
    "gwet_ac": {**RATINGS, "weights": "linear", "level": 0.9, "sampling_fraction": 0.1},
    "holm": {"p_values": [0.1, 0.2]},
    "inclusion_ratio": {"predicted": ["AB", "A"], "gold": ["A", "B"]},
    "independent_bootstrap": {"values": [1, 0, 1], **DRAWN, "level": 0.9},
    "interval_of_difference": PAIR,
    "interval_of_mean": {**SCORES, "binary": False, "bounds": (0, 1), "n_items": 12, "level": 0.9},
    "krippendorff_alpha": {**RATINGS, "level": "ordinal"},
    "mcnemar": {"first": [1, 0], "second": [0, 0]},
    "mcnemar_exact": {"only_first": 3, "only_second": 1},
    "minimum_detectable_effect": {"n": 100, "variance": 0.2, "design_effect": 1.5, "alpha": 0.05, "power": 0.8},
    "normal_critical_value": {"level": 0.9},
    "paired_comparison": {**PAIR, **DRAWN},
    "permutation_null": {**RATINGS, "groups": "aab", **DRAWN},
    "position_bias": {"predicted": "AB", "gold": "AA", "n_options": 4, "clusters": ["a", "b"]},
    "rank_systems": {"scores": [[1, 0], [0, 1], [1, 1]], "clusters": "abc", **DRAWN, "level": 0.9},
    "sign_flip_p_value": {"differences": [1, 0, -1], "clusters": "abc", **DRAWN},
    "stratified_bootstrap": {"confusion": [[3, 1], [0, 2]], **DRAWN, "level": 0.9},
    "wilson_interval": {"successes": 3, "n": 10, "level": 0.9},
}
REFUSED = [
    ("estimate", {"values": [1], "clusters": None, "binary": True}, "clusters are None: give one cluster id an item"),
    ("estimate", {"values": [1, 0.5, 1], "clusters": range(3), "binary": True}, "Score 1 is 0.5, but binary scores"),
    ("estimate", {"values": [1, "x"], "clusters": range(2), "binary": True}, "Score 1 is 'x': give a number"),
    ("estimate", {"values": [1, 0], "clusters": [["a"], ["b"]], "binary": True}, "A cluster id is a text or a number"),
    ("interval_of_mean", {"values": [1], "clusters": [1], "binary": True, "level": 95}, "The level is 95: give"),
    ("rank_systems", {"scores": [[1, 0], [1]], "clusters": "ab"}, "table of items x systems"),
    ("rank_systems", {"scores": [[1, 0]], "clusters": "a", "draws": 0}, "number of draws is 0"),
    ("minimum_detectable_effect", {"n": 9, "variance": 0.3, "power": 1.5}, "power is 1.5: give a number between"),
    ("minimum_detectable_effect", {"n": 9, "variance": 0.3, "alpha": 0}, "alpha is 0: give a number between"),
    ("minimum_detectable_effect", {"n": 9, "variance": float("nan")}, "No effect can be computed"),
    ("mcnemar_exact", {"only_first": -1, "only_second": 2}, "-1: give a whole number of 0 or more"),
]


@pytest.mark.parametrize("name", RIGHT)
def test_what_cannot_be_used_is_told(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(untold(getattr(statistics, name), RIGHT[name])) == []


@pytest.mark.parametrize(("name", "given", "said"), REFUSED)
def test_nonsense_is_refused(name, given, said):
    with pytest.raises(InputError, match=said):
        getattr(statistics, name)(**given)
