"""What the functions of scoring cannot use is an InputError, never an error of Python or numpy, and never a number."""

import warnings

import pytest
from fakes.wrong_values import untold

from musebench_tasks import measures
from musebench_tasks.base.errors import InputError

SEGMENTS = {"reference": [(0, 10, "a"), (10, 20, "b")], "prediction": [(0, 11, "a")], "duration_s": 20}
SETS = {"predicted_sets": ["A", "B"], "gold_sets": ["A", "AB"]}
KEYS = {"references": ["C major"] * 2, "predictions": ["C major", None]}
METRES = {"references": ["6/8", "3/4"], "predictions": ["6/8", None]}
RIGHT = {
    "aggregate_chance_adjusted_accuracy": {"correct": [1, 0], "n_options": 4},
    "boundary_hit_rate": {**SEGMENTS, "window_s": 0.5},
    "chance_accuracy": {"n_options": [4, 4]},
    "chance_adjusted_accuracy": {"correct": [1, 0], "n_options": [4, 5]},
    "chance_adjusted_bounds": {"n_options": [4, 4]},
    "chance_consistency": {"n_options": [4, 4], "n_runs": 4},
    "chance_exact_match": {"n_options": 5},
    "class_counts": METRES,
    "consistency": {"answers": ["aa", "ba"], "gold": "aa"},
    "encode_sets": {"answers": ["A", "B"], "options": "ABC"},
    "exact_match": SETS,
    "greedy_match": SEGMENTS,
    "has_inner_boundary": SEGMENTS,
    "key_score": {"reference": "C major", "prediction": None, "version": "exact/1"},
    "key_scores": {**KEYS, "version": "exact/1"},
    "macro_f1": METRES,
    "match_intervals": {**SEGMENTS, "label_aware": False},
    "micro_set_scores": SETS,
    "option_probabilities": {"probabilities": [{"a": 0.5}, None], "gold": "ab", "options": ["ab", "ab"]},
    "pairwise_score": SEGMENTS,
    "set_scores": SETS,
    "set_scores_of_masks": {"predicted": [1, 2], "gold": [1, 3]},
    "spread_over_runs": {"accuracies": [0.5, 0.6], "ddof": 1},
    "tempo_factor": {"reference": 100, "prediction": 50},
    "tempo_hit": {"reference": 100, "prediction": 50, "version": "acc2/1"},
    "tempo_hits": {"references": [100, 90], "predictions": [50, None], "version": "acc2/1"},
    "time_signature_hit": {"reference": "6/8", "prediction": None},
    "time_signature_hits": METRES,
    "trimmed_boundary_hit_rate": {**SEGMENTS, "window_s": 0.5},
    "v_measure": SEGMENTS,
}
REFUSED = [
    ("set_scores", {"predicted_sets": [5], "gold_sets": ["A"]}, r"predicted_sets=\[5\]"),
    ("spread_over_runs", {"accuracies": [0.5]}, "at least 2 runs"),
    ("chance_consistency", {"n_options": [4], "n_runs": 0}, "number of runs is 0: give a whole number of 2"),
    ("chance_consistency", {"n_options": [1], "n_runs": 2}, "at least 2 options"),
    ("chance_accuracy", {"n_options": [0, 4]}, "at least 2 options"),
    ("chance_exact_match", {"n_options": 1}, "at least 2 options"),
    ("boundary_hit_rate", {**SEGMENTS, "window_s": -1}, "window is -1: give a number of seconds"),
    ("trimmed_boundary_hit_rate", {**SEGMENTS, "window_s": float("nan")}, "window is nan"),
    ("match_intervals", {"reference": None, "prediction": []}, "match_intervals cannot use reference=None.*help"),
]


@pytest.mark.parametrize("name", RIGHT)
def test_what_cannot_be_used_is_told(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(untold(getattr(measures, name), RIGHT[name])) == []


@pytest.mark.parametrize(("name", "given", "said"), REFUSED)
def test_nonsense_is_refused(name, given, said):
    with pytest.raises(InputError, match=said):
        getattr(measures, name)(**given)


def test_windows_of_many_recordings_are_checked_too():
    table = measures.interval_table([[]])
    for function in (measures.boundary_hit_rates, measures.trimmed_boundary_hit_rates):
        with pytest.raises(InputError, match="window is -1"):
            function(reference=table, prediction=table, window_s=-1)


def test_a_call_that_lacks_an_argument_stays_a_type_error():
    with pytest.raises(TypeError, match="prediction"):
        measures.key_score(reference="C major")
