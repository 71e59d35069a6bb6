"""What is wrong with the input is an error that says which row, what was found and what to do; never a number."""

import re

import numpy as np
import pytest
from fakes.metric_arguments import VALID

from musebench_tasks.base.errors import InputError

NAN, INFINITY = float("nan"), float("inf")
NO_TEXT = [NAN, 7, True, b"A", ["A"]]
NO_NUMBER = [NAN, INFINITY, -INFINITY, "120", True, np.bool_(True), [120]]
NO_LIST = [NAN, 7, "AB", {"A": 1}]
NO_SEGMENTS = [
    *NO_LIST,
    [None],
    [[0, 10]],
    [{"start_s": 0}],
    [{"start_s": 0, "end_s": NAN}],
    [{"start_s": INFINITY, "end_s": 10}],
    [{"start_s": "0", "end_s": 10}],
    [{"start_s": True, "end_s": 10}],
    [{"start_s": 0, "end_s": 10, "label": 7}],
    [{"start_s": 0, "end_s": 10, "name": "verse"}],
]
WRONG = {
    ("caa", "predictions"): [None, " ", "E", "a", *NO_TEXT],
    ("caa", "references"): [None, "", "E", "a", *NO_TEXT],
    ("set_f1", "predictions"): [None, [None], ["A", ""], ["A", "A"], [1], [True], *NO_LIST],
    ("set_f1", "references"): [None, [], [None], ["A", ""], ["A", "A"], [1], *NO_LIST],
    ("choice_consistency", "predictions"): [None, [None, "x"], ["x"], ["x", 1], [NAN, "x"], *NO_LIST],
    ("choice_consistency", "references"): [None, "", *NO_TEXT],
    ("position_bias", "predictions"): [None, " ", "E", "a", *NO_TEXT],
    ("position_bias", "references"): [None, "", "E", "a", *NO_TEXT],
    ("mub_key", "predictions"): NO_TEXT,
    ("mub_key", "references"): [None, "", "C", "D dorian", *NO_TEXT],
    ("mub_tempo", "predictions"): NO_NUMBER,
    ("mub_tempo", "references"): [None, 0, -60, *NO_NUMBER],
    ("mub_time_signature", "predictions"): NO_TEXT,
    ("mub_time_signature", "references"): [None, "", "6", "5/3", *NO_TEXT],
    ("mub_segments", "predictions"): NO_SEGMENTS,
    ("mub_segments", "references"): [None, *NO_SEGMENTS],
    ("gwet_ac2", "predictions"): [None, [5, 4.0, 3], [5, NAN, 3], [5, "4", 3], [5, True, 3], [5, 6, 3], *NO_LIST],
    ("mub", "predictions"): [
        *(None, NAN, 7, "a", {}, {"id": None}, {"id": 7}, {"id": ""}),
        *({"id": "a", "tempo_bpm": value} for value in NO_NUMBER),
        *({"id": "a", "key": value} for value in NO_TEXT),
        *({"id": "a", "time_signature": value} for value in NO_TEXT),
        *({"id": "a", "segments": value} for value in NO_SEGMENTS),
        {"id": "a", "tempo": 120},
    ],
    ("mub", "recordings"): [
        *(None, NAN, 7, "a", {}, {"id": None}, {"id": 7}, {"id": "b", "tempo": 120}),
        *({"id": "b", "tempo_bpm": value} for value in [0, *NO_NUMBER]),
        *({"id": "b", "key": value} for value in ["C", *NO_TEXT]),
        *({"id": "b", "time_signature": value} for value in ["6", *NO_TEXT]),
        *({"id": "b", "segments": value} for value in NO_SEGMENTS),
        *({"id": "b", "duration_s": value} for value in [0, *NO_NUMBER]),
    ],
    ("caa", "num_options"): [None, NAN, 1, 27, 4.0, "4", True],
    ("position_bias", "num_options"): [None, NAN, 1, 27, 4.0, "4", True],
    ("mub_segments", "durations_s"): [None, 0, -1, *NO_NUMBER],
    ("gwet_ac2", "categories"): [None, NAN, 1.5, "1", True],
}


def with_row(metric, column, value, row=1):
    """Right arguments but for one value of a column."""
    given = VALID[metric].get(column)
    changed = list(given) if isinstance(given, list) else [given] * 3
    changed[row] = value
    return {**VALID[metric], column: changed}


def error_of(metric, given):
    with pytest.raises(InputError) as caught:
        metric.compute(**given)
    return str(caught.value)


@pytest.mark.parametrize(("name", "column"), WRONG)
def test_a_wrong_value_is_named_with_its_row_and_what_to_do(make, name, column):
    metric = make(name)
    for value in WRONG[name, column]:
        message = error_of(metric, with_row(name, column, value))
        assert re.search(rf"{column} row 1\b.*found .*\b(Give|Write|Correct) ", message), (value, message)


@pytest.mark.parametrize("given", [5, "012", {"a": 1}])
def test_categories_are_asked_for_as_such(make, given):
    message = error_of(make("gwet_ac2"), {**VALID["gwet_ac2"], "categories": given})
    assert "Give a list of all categories in rising order" in message


@pytest.mark.parametrize("name", ["caa", "position_bias"])
@pytest.mark.parametrize("given", ["4", NAN, 4.0, {"a": 4}, np.array("4")])
def test_one_number_of_options_may_stand_for_all(make, name, given):
    message = error_of(make(name), {**VALID[name], "num_options": given})
    assert "num_options: found" in message
    assert "Give one whole number from 2 to 26 for all questions, or a list with one a row." in message


@pytest.mark.parametrize("name", VALID)
def test_a_wrong_first_row_is_told_alike(make, name):
    metric = make(name)
    for value in WRONG[name, "predictions"]:
        message = error_of(metric, with_row(name, "predictions", value, row=0))
        assert re.search(r"predictions row 0\b", message), (value, message)


@pytest.mark.parametrize("metric", VALID)
def test_right_arguments_give_numbers(make, metric):
    assert make(metric).compute(**VALID[metric])["n"]


@pytest.mark.parametrize("metric", [name for name in VALID if name != "mub"])
def test_nothing_is_measured_of_nothing(make, metric):
    empty = {name: [] for name in ("predictions", "references") if name in VALID[metric]}
    with pytest.raises(InputError, match="There are no rows"):
        make(metric).compute(**VALID[metric] | empty)
    settings = {name: value for name, value in VALID[metric].items() if name not in empty}
    with pytest.raises(InputError, match="There are no rows. Give predictions"):
        make(metric).compute(**settings)


def test_without_recordings_there_is_nothing_to_measure(make):
    with pytest.raises(InputError, match="There are no rows"):
        make("mub").compute(predictions=[{"id": "a"}], recordings=[])


@pytest.mark.parametrize("metric", [name for name, given in VALID.items() if "references" in given])
@pytest.mark.parametrize("column", ["predictions", "references"])
def test_unequal_lengths_are_told(make, metric, column):
    shorter = {column: VALID[metric][column][:2]}
    with pytest.raises(InputError, match="There are . predictions but . references. Give one of each a row"):
        make(metric).compute(**VALID[metric] | shorter)
    with pytest.raises(InputError, match=f"{column} is missing. Give a list"):
        make(metric).compute(**VALID[metric] | {column: None})


@pytest.mark.parametrize("name", VALID)
def test_a_column_is_a_list(make, name):
    metric = make(name)
    for whole in ("ABC", b"ABC", 7, {"A": 1}, {"A"}, NAN, np.array(3.0)):
        message = error_of(metric, VALID[name] | {"predictions": whole})
        assert re.search("predictions: found .* Give a list with one value a row", message), (whole, message)


@pytest.mark.parametrize("metric", VALID)
def test_an_unknown_setting_is_told(make, metric):
    with pytest.raises(InputError, match=f"{metric} takes no 'clusterz'"):
        make(metric).compute(**VALID[metric], clusterz=[1, 2, 3])


NEEDED = {"caa": "num_options", "position_bias": "num_options", "mub": "recordings", "gwet_ac2": "categories"}


@pytest.mark.parametrize(("metric", "setting"), NEEDED.items())
def test_a_setting_that_is_needed_is_asked_for(make, metric, setting):
    given = {name: value for name, value in VALID[metric].items() if name != setting}
    with pytest.raises(InputError, match=f"{metric} needs {setting}: "):
        make(metric).compute(**given)


@pytest.mark.parametrize("metric", [name for name in VALID if name not in ("mub", "gwet_ac2")])
def test_clusters_stand_one_a_row(make, metric):
    for wrong, message in (([1, 2], "3 rows but 2 clusters"), ([1, None, 2], "clusters row 1"), ([1, NAN, 2], "row 1")):
        with pytest.raises(InputError, match=message):
            make(metric).compute(**VALID[metric], clusters=wrong)


OVERLAP = [{"start_s": 0, "end_s": 12}, {"start_s": 10, "end_s": 30}]
UNLABELLED = [{"start_s": 0, "end_s": 9}]
UNEVEN = [["x", "x"], ["x", "y"], ["x", "x", "x"]]
MISFITS = [
    ("caa", {"num_options": [4, 4]}, "There are 3 rows but 2 num_options"),
    ("set_f1", {"num_options": 2}, "references row 2: found 'C', but the question has 2 options"),
    ("choice_consistency", {"predictions": UNEVEN}, "predictions row 2 has 3 runs, row 0 has 2"),
    ("position_bias", {"fewest_gold": 0}, "fewest_gold: found 0"),
    ("mub_key", {"version": "symetric/2"}, "Unknown key version 'symetric/2' .nearest: symmetric/2"),
    ("mub_tempo", {"version": "acc3/1"}, "Unknown tempo version"),
    ("mub_time_signature", {"version": "2"}, "Unknown time signature version"),
    ("mub_segments", {"references": [OVERLAP] * 3}, "references row 0, segment 1: beyond_duration"),
    ("mub_segments", {"references": [OVERLAP] * 3, "durations_s": None}, "references row 2, segment 1: overlap"),
    ("mub_segments", {"references": [UNLABELLED] * 3, "label_aware": True}, "row 2, segment 0: empty_label"),
    ("mub_segments", {"durations_s": [20, 20]}, "There are 3 rows but 2 durations_s"),
    ("gwet_ac2", {"predictions": [[5, 4, 3]]}, "There is one rater"),
    ("gwet_ac2", {"predictions": [[5, 4, 3], [5, 4]]}, "predictions row 1 has 2 ratings, row 0 has 3"),
    ("gwet_ac2", {"predictions": [[], []]}, "There are no rows"),
    ("gwet_ac2", {"categories": [5, 4, 3]}, "rising order"),
    ("gwet_ac2", {"weights": "cubic"}, "Unknown agreement weights 'cubic'"),
    ("gwet_ac2", {"groups": ["x"]}, "There are 3 subjects but 1 groups"),
    ("mub", {"predictions": [{"id": "a"}, {"id": "a"}, {"id": "b"}]}, r"more than one estimate \(1\): a"),
    ("mub", {"predictions": [{"id": "x"}, {"id": "a"}]}, r"no reference \(1 of 2\): x"),
    ("mub", {"recordings": [{"id": "a", "tempo_bpm": 1}] * 2}, "stands 2 times"),
    ("mub", {"version": "acc9/1"}, "Unknown version 'acc9/1'"),
]


@pytest.mark.parametrize(("metric", "given", "message"), MISFITS)
def test_what_does_not_fit_together_is_told(make, metric, given, message):
    with pytest.raises(InputError, match=message):
        make(metric).compute(**VALID[metric] | given)


@pytest.mark.parametrize("metric", VALID)
def test_after_an_error_the_next_computation_is_right(make, metric):
    again = make(metric)
    expected = make(metric).compute(**VALID[metric])
    wrong = {"predictions": [], "references": []} if "references" in VALID[metric] else {"predictions": [None]}
    for _ in range(2):
        with pytest.raises(InputError):
            again.compute(**VALID[metric] | wrong)
        assert again.compute(**VALID[metric]) == expected


def test_a_wrong_batch_leaves_what_was_added_before(make):
    caa = make("caa")
    caa.add_batch(predictions=["A", "B"], references=["A", "A"])
    with pytest.raises(InputError, match="references row 3: found None"):
        caa.add_batch(predictions=["A", "B"], references=["A", None])
    with pytest.raises(InputError, match="predictions row 2: found 7"):
        caa.add(prediction=7, reference="A")
    with pytest.raises(InputError, match="references is no input of this metric"):
        make("gwet_ac2").add_batch(predictions=[[1, 2]], references=[[1, 2]])
    assert caa.compute(num_options=4)["n"] == 2


def test_one_failure_does_not_touch_another_metric_at_work(make):
    first, second = make("caa"), make("caa")
    first.compute(**VALID["caa"])  # Its file had the name that the second one's has now.
    second.add_batch(predictions=["A"], references=["A"])
    with pytest.raises(InputError):
        first.compute(predictions=[None], references=["A"], num_options=4)
    assert second.compute(num_options=4)["caa"] == 1.0


def test_every_wrong_row_is_counted(make):
    with pytest.raises(InputError, match=r"predictions row 0: found None\. .* 2 more rows are wrong"):
        make("caa").compute(predictions=[None, 1, 2.0], references=["A", "B", "C"], num_options=4)
