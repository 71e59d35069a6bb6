import pytest
from fakes.scored_material import HASHES, answer, choice_item, choice_task, gold, run_config

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Audio, Condition, Kind, Status
from musebench_tasks.evaluation.scorecard import make_scorecard


def value(card, metric, **place):
    return card.row(metric, **place).value


def test_caa_per_item_and_aggregate(score):  # statistics.md 2.1
    counts, right = (4, 8, 8, 4, 4), (1, 0, 1, 1, 0)
    items = [choice_item(f"i{number}", k) for number, k in enumerate(counts)]
    predictions = [answer(item, "A" if hit else "B") for item, hit in zip(items, right, strict=True)]
    card = score(choice_task(), items, [gold(item, "A") for item in items], predictions)
    assert value(card, "caa") == pytest.approx(0.504762, abs=1e-6)
    assert value(card, "caa_aggregate") == pytest.approx(0.5)
    assert value(card, "accuracy") == pytest.approx(0.6)


def test_sets_macro_and_micro(score):  # statistics.md 2.2
    pairs = [("AC", "ACE"), ("B", "BD"), ("ABCD", "AB"), ("", "AB"), ("AB", "AB")]
    items = [choice_item(f"i{number}", 6, kind=Kind.MULTI) for number in range(5)]
    predictions = [answer(item, found) for item, (found, _) in zip(items, pairs, strict=True)]
    references = [gold(item, right) for item, (_, right) in zip(items, pairs, strict=True)]
    card = score(choice_task(), items, references, predictions)
    expected = {
        "set_precision": 0.70,
        "set_recall": 0.633333,
        "set_f1": 0.626667,
        "micro_precision": 0.777778,
        "micro_recall": 0.636364,
        "micro_f1": 0.70,
        "exact_match": 0.2,
    }
    assert {name: round(value(card, name), 6) for name in expected} == expected


def test_clustered_error_of_accuracy(score):  # statistics.md 3.1
    items = [choice_item(f"i{number}", cluster=cluster) for number, cluster in enumerate("aaabbc")]
    hits = (1, 1, 0, 0, 0, 1)
    predictions = [answer(item, "A" if hit else "B") for item, hit in zip(items, hits, strict=True)]
    row = score(choice_task(), items, [gold(item, "A") for item in items], predictions).row("accuracy")
    assert row.standard_error == pytest.approx(0.25)
    assert (row.n, row.n_clusters) == (6, 3)
    assert row.interval is None, "below 10 items value and n stand alone (statistics.md 3.6)"


def four_orders(score):  # statistics.md 2.3: aaaa, bbbb, aaab, aa–a, abcd
    items = [choice_item(f"i{number}") for number in range(5)]
    answered = ["AAAA", "BBBB", "AAAB", "AA-A", "ABCD"]
    predictions = [
        answer(item, None if letter == "-" else letter, run=run)
        for item, runs in zip(items, answered, strict=True)
        for run, letter in enumerate(runs)
    ]
    task = choice_task(["accuracy", "choice_consistency"], runs=4)
    return score(task, items, [gold(item, "A") for item in items], predictions)


def test_consistency_over_four_orders(score):
    card = four_orders(score)
    assert value(card, "choice_consistency") == pytest.approx(0.4)
    assert value(card, "run_agreement") == pytest.approx(0.6)


def test_every_status_but_ok_counts_as_wrong_and_stays(score):  # faults_scoring.md 1, 3, 5
    items = [choice_item(f"i{number}") for number in range(6)]
    ends = [Status.OK, Status.OK, Status.OK, Status.OK, Status.REFUSED, Status.BACKEND_ERROR]
    texts = ["A", "A", "A", "B", None, None]
    predictions = [answer(item, text, status=end) for item, text, end in zip(items, texts, ends, strict=True)]
    card = score(choice_task(), items, [gold(item, "A") for item in items], predictions[:5])
    assert value(card, "accuracy") == 0.5
    (counts,) = card.counts
    assert counts.statuses == {"ok": 4, "refused": 1, "missing": 1}
    assert counts.coverage == pytest.approx(5 / 6)
    assert counts.answered == pytest.approx(4 / 6)
    with_error = score(choice_task(), items, [gold(item, "A") for item in items], predictions)
    assert with_error.counts[0].statuses == {"ok": 4, "refused": 1, "backend_error": 1}
    assert value(with_error, "accuracy") == 0.5


def test_media_nobody_can_fetch_count_as_wrong_and_stand_beside(score):
    items = [choice_item(f"i{number}") for number in range(4)]
    predictions = [answer(item, "A") for item in items[:3]]
    predictions.append(answer(items[3], None, status=Status.MEDIA_UNAVAILABLE))
    row = score(choice_task(["accuracy"]), items, [gold(item, "A") for item in items], predictions).row("accuracy")
    assert row.value == 0.75
    assert (row.available.value, row.available.n) == (1.0, 3)


def test_slices_have_their_own_n_and_no_empty_ones(score):
    items = [choice_item(f"i{number}", category="Game" if number < 2 else "Cinematic") for number in range(5)]
    card = score(
        choice_task(["accuracy"], slices=("category", "difficulty")),
        items,
        [gold(item, "A") for item in items],
        [answer(item, "A" if number < 3 else "B") for number, item in enumerate(items)],
    )
    found = {row.slice_value: (row.value, row.n) for row in card.scores if row.slice}
    assert found == {"Game": (1.0, 2), "Cinematic": (pytest.approx(1 / 3), 3)}


def test_an_empty_kind_has_no_value_rather_than_zero(score):  # faults_scoring.md 11
    items = [choice_item("a")]
    row = score(choice_task(), items, [gold(items[0], "A")], []).row("set_f1")
    assert (row.value, row.n) == (None, 0)


def test_baselines_stand_beside_with_the_chance_of_each_item(score):  # faults_scoring.md 51, 52; statistics.md 2.2
    items = [
        choice_item("s", 4),
        choice_item("m", 8, kind=Kind.MULTI),
    ]
    references = [gold(items[0], "B"), gold(items[1], "ABC")]
    card = score(choice_task(), items, references, [])
    found = {(row.system, row.metric): row.value for row in card.baselines if row.slice is None}
    assert found["chance", "accuracy"] == pytest.approx((1 / 4 + 1 / 154) / 2)
    assert found["chance", "caa"] == 0.0
    assert found["chance", "exact_match"] == pytest.approx(1 / 154)
    assert found["select_all", "set_precision"] == pytest.approx(0.375)
    assert found["select_all", "set_recall"] == 1.0
    assert found["select_all", "set_f1"] == pytest.approx(0.545455, abs=1e-6)
    assert found["select_all", "exact_match"] == 0.0
    assert found["always_first", "accuracy"] == 0.0


def test_always_the_first_letter_is_consistent_by_letter_but_not_by_option(score):  # faults_scoring.md 63
    items = [choice_item(f"i{number}") for number in range(200)]
    task = choice_task(["accuracy", "choice_consistency"], runs=4)
    card = score(task, items, [gold(item, "A") for item in items], [])
    found = {(row.system, row.metric): row.value for row in card.baselines}
    assert found["chance", "choice_consistency"] == pytest.approx(1 / 64)
    assert found["always_first", "choice_consistency"] < 0.06
    assert found["always_first", "accuracy"] == pytest.approx(0.25, abs=0.06)


def test_conditions_are_scored_apart_and_headlines_come_from_full(score):
    items = [choice_item(f"i{number}") for number in range(3)]
    conditions = (Condition.FULL, CONDITIONS["text_only"])
    task = choice_task(["accuracy"], conditions=conditions)
    predictions = [answer(item, "A") for item in items]
    predictions += [answer(item, "B", condition=CONDITIONS["text_only"]) for item in items]
    card = score(task, items, [gold(item, "A") for item in items], predictions, conditions)
    assert value(card, "accuracy") == 1.0
    assert value(card, "accuracy", condition=CONDITIONS["text_only"]) == 0.0
    assert card.headline == "accuracy/1"
    assert {row.condition for row in card.baselines} == {Condition.FULL}


def test_scoring_twice_gives_the_same_bytes(score):
    assert four_orders(score).canonical_json() == four_orders(score).canonical_json()


def test_consistency_may_be_the_headline(score):
    task = choice_task(["choice_consistency"], runs=2, headline="choice_consistency")
    item = choice_item("i0")
    card = score(task, [item], [gold(item, "A")], [answer(item, "A", run=run) for run in range(2)])
    assert card.headline == "choice_consistency/1"
    assert value(card, card.headline) == 1.0


def test_an_unread_answer_is_a_miss_to_the_deviation_of_recalls(score):  # statistics.md 2.4: unparsed = miss
    right = "A" * 20 + "B" * 20 + "C" * 20 + "D" * 20
    items = [choice_item(f"i{number}") for number in range(80)]
    read = [None if number < 20 and number % 2 else letter for number, letter in enumerate(right)]
    predictions = [answer(item, letter) for item, letter in zip(items, read, strict=True)]
    card = score(choice_task(), items, [gold(*each) for each in zip(items, right, strict=True)], predictions)
    row = card.row("position_bias.rstd")
    assert row.value == pytest.approx(21.650635), "recalls 50, 100, 100, 100"
    assert row.n == 80
    assert card.row("position_bias.excess_first").n == 70


def test_a_run_without_any_medium_is_scored_all_the_same(score):
    items = [choice_item(f"i{number}") for number in range(3)]
    predictions = [answer(item, None, run=run, status=Status.MEDIA_UNAVAILABLE) for item in items for run in range(2)]
    task = choice_task(["accuracy", "choice_consistency", "position_bias"], runs=2)
    card = score(task, items, [gold(item, "A") for item in items], predictions)
    row = card.row("choice_consistency")
    assert (row.value, row.available.value, row.available.n) == (0.0, None, 0)
    assert (card.counts[0].coverage, card.counts[0].statuses) == (0.0, {"media_unavailable": 6})


def test_the_plan_follows_from_the_run_though_the_task_changed_since():
    items = [choice_item(f"i{number}") for number in range(3)]
    predictions = [answer(item, "A", run=run) for item in items for run in range(2)]
    references = {item.id: gold(item, "A") for item in items}
    config = run_config(choice_task(runs=2))
    card = make_scorecard(choice_task(runs=4), items, references, predictions, config, HASHES)
    assert (card.counts[0].planned, card.counts[0].coverage) == (6, 1.0)


def test_a_run_that_asked_without_media_only_has_its_baselines_too(score):
    conditions = (CONDITIONS["no_audio"], CONDITIONS["text_only"])
    items = [choice_item(f"i{number}") for number in range(3)]
    predictions = [answer(item, "A", condition=condition) for item in items for condition in conditions]
    task = choice_task(conditions=("full", *conditions))
    card = score(task, items, [gold(item, "A") for item in items], predictions, conditions)
    assert {row.system for row in card.baselines} >= {"chance", "always_first"}
    assert {row.condition for row in card.baselines} == {CONDITIONS["no_audio"]}


def test_sound_as_transcript_is_said_though_one_condition_had_none(score):
    routes = {Condition.FULL: "transcript", CONDITIONS["text_only"]: "none"}
    item = choice_item("i")
    predictions = [
        answer(item, "A", condition=condition).model_copy(update={"audio": Audio(route=route)})
        for condition, route in routes.items()
    ]
    task = choice_task(conditions=("full", "text_only"))
    assert score(task, [item], [gold(item, "A")], predictions, tuple(routes)).audio_route == "transcript"


def test_an_expectation_has_no_sampling_error_and_a_guesser_has_one(score):
    items = [choice_item(f"i{number}", cluster=str(number % 3)) for number in range(6)]
    card = score(choice_task(["accuracy"]), items, [gold(item, "AAAABB"[n]) for n, item in enumerate(items)], [])
    found = {row.system: row.standard_error for row in card.baselines}
    assert found["chance"] is None
    assert found["always_first"] > 0


def test_micro_precision_of_no_answer_at_all_is_undefined(score):
    items = [choice_item(f"i{number}", kind=Kind.MULTI) for number in range(3)]
    card = score(choice_task(), items, [gold(item, "AB") for item in items], [])
    assert value(card, "micro_precision") is None
    assert (value(card, "micro_recall"), value(card, "set_precision"), value(card, "set_f1")) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("said", "bound"), [("A", 1.0), ("B", None)])
def test_caa_of_all_or_none_right_has_the_interval_of_the_accuracy(score, said, bound):
    counts = (4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 4, 5, 6)
    items = [choice_item(f"i{n:02d}", k, cluster=f"c{n // 3}") for n, k in enumerate(counts)]
    card = score(choice_task(), items, [gold(item, "A") for item in items], [answer(item, said) for item in items])
    caa, accuracy = card.row("caa"), card.row("accuracy")
    slope = sum(1 / (1 - 1 / k) for k in counts) / len(counts)
    assert caa.interval.method == accuracy.interval.method
    assert caa.interval.low == pytest.approx(slope * accuracy.interval.low + 1 - slope)
    assert caa.interval.high == pytest.approx(slope * accuracy.interval.high + 1 - slope)
    if bound is None:
        assert caa.interval.low == pytest.approx(caa.value)
        assert caa.interval.high > 0  # thirteen misses are no proof of being below chance
    else:
        assert caa.interval.high == pytest.approx(bound)


def test_consistency_stands_beside_what_a_guesser_and_a_letter_would_reach(score):  # statistics.md 2.3
    items = [choice_item(f"i{number}") for number in range(200)]
    task = choice_task(["accuracy", "choice_consistency"], runs=4)
    card = score(task, items, [gold(item, "A") for item in items], [])
    chance = {row.metric: row.value for row in card.baselines if row.system == "chance"}
    assert chance["choice_consistency"] == 0.015625
    assert chance["run_agreement"] == 0.25
    assert chance["all_runs_correct"] == pytest.approx(0.25**4)
    assert chance["flip_rate"] == pytest.approx(1 - 0.25**4 - 0.75**4)
    note = card.row("choice_consistency").note
    assert note == "by option: always the same letter would be 100 % by letter, and by option 1.5625 %"


def test_every_metric_of_choice_items_has_its_baselines(score):
    items = [choice_item(f"s{number}") for number in range(3)]
    items += [choice_item(f"m{number}", 6, kind=Kind.MULTI) for number in range(3)]
    references = [gold(item, "A" if item.kind is Kind.SINGLE else "AB") for item in items]
    task = choice_task(["accuracy", "caa", "exact_match", "set_f1", "choice_consistency"], runs=4)
    card = score(task, items, references, [])
    found = {}
    for row in card.baselines:
        found.setdefault(row.metric, set()).add(row.system)
    guessers = {"chance", "always_first", "majority_letter", "longest_option", "select_all"}
    means = [
        "accuracy",
        "caa",
        "caa_aggregate",
        "exact_match",
        "set_f1",
        "set_precision",
        "set_recall",
        "choice_consistency",
    ]
    assert {metric: found[metric] for metric in means} == dict.fromkeys(means, guessers)
    for metric in ("micro_f1", "micro_precision", "micro_recall"):
        assert found[metric] >= guessers - {"chance"}
