"""faults_scoring.md 46 to 68: aggregation and uncertainty. Tests carry the row's number."""

import numpy as np
import pytest
from fakes.scored_material import answer, choice_item, choice_task, gold, recording, truth

from musebench_tasks.answers import parse_segments
from musebench_tasks.base.records import Kind, Status
from musebench_tasks.evaluation.baselines import baseline_cases
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.measures import (
    aggregate_chance_adjusted_accuracy,
    boundary_hit_rate,
    chance_adjusted_accuracy,
    chance_exact_match,
    consistency,
    set_scores,
)
from musebench_tasks.statistics import cluster_bootstrap, clustered_standard_error, estimate, rank_systems


def right_and_wrong(n_right, n_wrong, n_options=4, name="i", **more):
    items = [choice_item(f"{name}{number:03d}", n_options, **more) for number in range(n_right + n_wrong)]
    said = ["A"] * n_right + ["B"] * n_wrong
    return items, [answer(item, text) for item, text in zip(items, said, strict=True)]


def golds(items):
    return [gold(item, "A") for item in items]


def test_row_46_the_average_over_items_and_those_of_categories_are_told_apart(score):
    few, of_few = right_and_wrong(9, 1, name="x", category="X")
    many, of_many = right_and_wrong(9, 81, name="y", category="Y")
    task = choice_task(["accuracy"], slices=("category",))
    card = score(task, few + many, golds(few + many), of_few + of_many)
    assert card.row("accuracy").value == 0.18
    by_category = [card.row("accuracy", slice="category", slice_value=value).value for value in "XY"]
    assert by_category == [0.9, 0.1]
    assert np.mean(by_category) == 0.5


def test_row_47_items_are_averaged_and_not_groups():
    groups = ((4705, 0.2421), (3077, 0.2382), (3107, 0.2171), (3153, 0.2131))
    hits = np.concatenate([np.arange(size) < round(size * share) for size, share in groups]).astype(float)
    assert estimate(hits, range(hits.size), binary=True).value == pytest.approx(0.2292, abs=5e-5)


@pytest.mark.parametrize(("tempi", "middle"), [((3, 1, 2), 2), ((1, 2, 3, 4), 2.5)])
def test_row_49_a_median_is_of_sorted_values(tempi, middle):
    # cluster c0 is held out alone in its fold; the prior it gets is fitted on the others
    names = ["c0", *(f"c{fold}" for fold in (1, 2, 3, 4))][: len(tempi) + 1]
    items = [recording(name) for name in names]
    cases = [Case(item, truth(item, tempo=tempo * 50.0), 0) for item, tempo in zip(items, (9, *tempi), strict=True)]
    held_out = dict(baseline_cases(cases))["prior:heldout"]
    assert held_out[0].values["tempo"] == middle * 50


def test_row_50_what_is_no_mean_is_not_averaged(score):
    items = [choice_item(f"i{number}", k) for number, k in enumerate((4, 8, 8, 4, 4))]
    predictions = [answer(item, text) for item, text in zip(items, "ABAAB", strict=True)]
    card = score(choice_task(), items, golds(items), predictions)
    assert (card.row("caa").value, card.row("caa_aggregate").value) == (pytest.approx(0.504762, abs=1e-6), 0.5)


def test_row_51_selecting_all_is_punished_and_stands_as_a_baseline(score):
    scores = set_scores(["ABCDEFGH"], ["BDF"])
    assert [round(float(each[0]), 3) for each in scores] == [0.375, 1.0, 0.545, 0.0]
    item = choice_item("m", 8, kind=Kind.MULTI)
    card = score(choice_task(), [item], [gold(item, "BDF")], [])
    found = {row.metric: row.value for row in card.baselines if row.system == "select_all"}
    assert (found["set_recall"], found["set_precision"], found["exact_match"]) == (1.0, 0.375, 0.0)


def test_row_52_chance_of_a_set_is_that_of_a_guesser_who_knows_the_rule():
    assert chance_exact_match(8) == 1 / 154
    assert round(chance_exact_match(8), 4) == 0.0065


def test_row_53_chance_follows_from_the_options_of_the_item(score):
    items, _ = right_and_wrong(21, 19, n_options=2)
    references = [gold(item, "A" if number < 25 else "B") for number, item in enumerate(items)]
    said = [answer(item, "A" if number < 23 else "B") for number, item in enumerate(items)]
    assert chance_adjusted_accuracy([1] * 21 + [0] * 19, 2).mean() == pytest.approx(0.05)
    card = score(choice_task(), items, references, said)
    found = {(row.system, row.metric): row.value for row in card.baselines}
    assert (found["chance", "accuracy"], found["chance", "caa"]) == (0.5, 0.0)
    assert found["majority_letter", "accuracy"] == 25 / 40  # a baseline of its own, no constant of the adjustment


def test_row_54_mean_chance_and_not_the_chance_of_the_mean():
    assert aggregate_chance_adjusted_accuracy([1] * 40 + [0] * 60, [4, 8] * 50) == pytest.approx(0.262, abs=5e-4)


def test_row_55_scores_below_chance_are_not_clipped():
    # 7 and 13 right of 40 four-option items: -.10 and +.10
    below, above = ([1] * hits + [0] * (40 - hits) for hits in (7, 13))
    adjusted = [chance_adjusted_accuracy(each, 4).mean() for each in (below, above)]
    assert adjusted == pytest.approx([-0.1, 0.1])
    assert np.mean(adjusted) == pytest.approx(0)


def test_row_56_an_adjusted_score_has_the_adjusted_error(score):
    items, predictions = right_and_wrong(60, 40)
    card = score(choice_task(), items, golds(items), predictions)
    accuracy, caa = card.row("accuracy"), card.row("caa")
    assert (accuracy.value, accuracy.standard_error) == (0.6, pytest.approx(0.049, abs=5e-4))
    assert (caa.value, caa.standard_error) == (pytest.approx(0.467, abs=5e-4), pytest.approx(0.066, abs=5e-4))
    assert caa.standard_error == pytest.approx(accuracy.standard_error / 0.75)


THREE_EACH = np.repeat([1.0, 0.0] * 50, 3)
VIDEOS = np.repeat(np.arange(100), 3)


def test_row_57_questions_of_one_video_are_no_independent_items():
    assert clustered_standard_error(THREE_EACH, range(300)) == pytest.approx(0.0289, abs=5e-5)
    assert clustered_standard_error(THREE_EACH, VIDEOS) == pytest.approx(0.05, abs=5e-4)


def test_row_58_videos_are_drawn_with_all_their_questions():
    rows, videos = (cluster_bootstrap(THREE_EACH, each, draws=4000) for each in (range(300), VIDEOS))
    assert (videos.high - videos.low) / (rows.high - rows.low) == pytest.approx(1.73, abs=0.15)


def test_row_59_runs_of_an_item_are_no_further_items(score):
    items = [choice_item(f"i{number:02d}") for number in range(20)]
    predictions = [answer(item, "AB"[n % 2], run=run) for n, item in enumerate(items) for run in range(4)]
    row = score(choice_task(["accuracy"], runs=4), items, golds(items), predictions).row("accuracy")
    assert (row.n, row.n_clusters) == (20, 20)
    assert row.standard_error == pytest.approx(np.sqrt(0.25 / 19))


def test_row_61_the_bootstrap_is_seeded_and_in_process(score):
    items = [choice_item(f"i{number:02d}", 4 + number % 3) for number in range(30)]
    predictions = [answer(item, "AB"[number % 2]) for number, item in enumerate(items)]
    cards = [score(choice_task(), items, golds(items), predictions) for _ in range(2)]
    assert cards[0].canonical_json() == cards[1].canonical_json()
    assert cards[0].row("caa_aggregate").interval.seed == 42


def test_row_62_right_in_all_orders_is_another_metric_than_accuracy():
    found = consistency([list("aaaa"), list("aaab"), list("aaaa"), list("bbbb")], "aaaa")
    assert (found.all_correct, found.accuracy) == (0.5, 11 / 16)


def test_row_63_consistency_is_of_options(score):
    items = [choice_item(f"i{number:03d}") for number in range(400)]
    card = score(choice_task(["accuracy", "choice_consistency"], runs=4), items, golds(items), [])
    first = {row.metric: row.value for row in card.baselines if row.system == "always_first"}
    assert first["choice_consistency"] == pytest.approx(1 / 64, abs=0.02)
    assert first["run_agreement"] == pytest.approx(0.25, abs=0.03)
    assert first["accuracy"] == pytest.approx(0.25, abs=0.05)


def test_row_64_the_answers_that_are_stored_are_those_that_are_compared(score):
    item = choice_item("i")
    predictions = [answer(item, "A", run=0), answer(item, "B", run=1)]
    task = choice_task(["accuracy", "choice_consistency"], runs=2)
    rows = [score(task, [item], golds([item]), predictions).row("choice_consistency") for _ in range(2)]
    assert rows[0] == rows[1]
    assert rows[0].value == 0.0


def test_row_65_boundaries_that_differ_by_rounding_are_one():
    reference = [(0.0, 20.0, "a"), (20.0000001, 40.0, "b")]
    prediction = [(0.0, 20.0, "a"), (20.0, 40.0, "b")]
    found = boundary_hit_rate(reference=reference, prediction=prediction, window_s=0.5)
    assert (found.precision, found.recall, found.f1) == (1.0, 1.0, 1.0)


def test_row_66_seconds_are_the_only_unit():
    read = parse_segments('[{"start": 40, "end": 100, "label": "b"}]', duration_s=30)
    assert (read.status, read.value) == (Status.OUT_OF_RANGE, None)
    inside = parse_segments('[{"start": 0, "end": 10, "label": "a"}]', duration_s=30)
    assert [segment[1] for segment in inside.value] == [10.0]


def test_row_68_systems_that_tie_share_their_rank():
    table = np.array([[1, 1, 0]] * 30 + [[0, 0, 1]] * 10, dtype=float)
    found = rank_systems(table, range(40), draws=200)
    assert found.ranks == (1, 1, 3)
