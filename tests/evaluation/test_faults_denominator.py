"""faults_scoring.md 1 to 16: the denominator, missing and failed items. Tests carry the row's number."""

import numpy as np
import pytest
from fakes.scored_material import answer, choice_item, choice_task, gold

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, Status
from musebench_tasks.cli.run import exit_code
from musebench_tasks.evaluation.files import read_predictions
from musebench_tasks.measures import consistency, set_scores


def single(n, n_options=4):
    items = [choice_item(f"i{number:03d}", n_options) for number in range(n)]
    return items, [gold(item, "A") for item in items]


def scored(score, n, right, wrong=0, metrics=("accuracy",), **others):
    """A scorecard: so many right, so many wrong, and so many of each other status; the rest is missing."""
    items, references = single(n)
    ends = ["A"] * right + ["B"] * wrong + [Status(name) for name, count in others.items() for _ in range(count)]
    predictions = [
        answer(item, None, status=end) if isinstance(end, Status) else answer(item, end)
        for item, end in zip(items, ends, strict=False)
    ]
    return score(choice_task(list(metrics)), items, references, predictions)


def rates(card):
    (counts,) = card.counts
    return round(counts.coverage, 6), round(counts.answered, 6)


def test_row_01_refusals_stay_in_the_denominator(score):
    card = scored(score, 6, right=3, wrong=1, refused=2)
    assert (card.row("accuracy").value, rates(card)) == (0.5, (1.0, round(4 / 6, 6)))


def test_row_02_every_metric_has_its_own_n(score):
    items = [choice_item(f"s{n}") for n in range(4)] + [choice_item(f"m{n}", kind=Kind.MULTI) for n in range(6)]
    card = score(choice_task(), items, [gold(item, "A" if item.kind is Kind.SINGLE else "AB") for item in items], [])
    assert [card.row(name).n for name in ("caa", "set_f1", "accuracy")] == [4, 6, 10]


def test_row_03_rows_without_a_prediction_count_as_wrong(score):
    card = scored(score, 10, right=5, wrong=1)
    assert (card.row("accuracy").value, rates(card)) == (0.5, (0.6, 0.6))
    assert card.counts[0].statuses == {"missing": 4, "ok": 6}
    assert exit_code(0.6, "it", None) == 3


def test_row_04_a_file_with_another_key_is_refused(tmp_path):
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"item_id":"i","run":0,"condition":"full","status":"ok","model_prediction":"A"}\n')
    with pytest.raises(InputError, match='line 1, field "model_prediction": is no known field') as caught:
        read_predictions(path)
    assert caught.value.exit_code == 2


def test_row_05_errors_of_the_server_count_as_wrong(score):
    card = scored(score, 10, right=5, backend_error=5)
    assert (card.row("accuracy").value, rates(card)) == (0.5, (0.5, 0.5))
    assert card.counts[0].statuses == {"ok": 5, "backend_error": 5}


def test_row_06_a_crash_is_no_hit(score):
    card = scored(score, 12, right=0, wrong=11, backend_error=1)
    assert (card.row("accuracy").value, rates(card)[0]) == (0.0, round(11 / 12, 6))


@pytest.mark.parametrize("order", [("accuracy", "caa"), ("caa", "accuracy")])
def test_row_07_what_is_complete_does_not_hang_on_the_order_of_metrics(score, order):
    card = scored(score, 6, right=4, metrics=order, timeout=2)
    assert rates(card) == (round(4 / 6, 6), round(4 / 6, 6))


def test_row_08_there_is_no_mean_over_the_survivors(score):
    card = scored(score, 10, right=5, timeout=5)
    row = card.row("accuracy")
    assert (row.value, row.n, rates(card)[0]) == (0.5, 10, 0.5)


def test_row_09_failures_do_not_better_a_score_of_which_less_is_more(score):
    items, references = single(4)
    shares = [(1.0, 0, 0, 0), (0, 1.0, 0, 0)]
    predictions = [
        answer(item, text).model_copy(update={"option_probabilities": dict(zip(item.option_ids, each, strict=True))})
        for item, text, each in zip(items, "AB", shares, strict=False)
    ]
    predictions += [answer(item, None, status=Status.BACKEND_ERROR) for item in items[2:]]
    card = score(choice_task(["accuracy"]), items, references, predictions)
    brier = card.row("brier")
    assert (brier.value, brier.n, rates(card)[0]) == (1.0, 2, 0.5)  # of 0 and 2, not of 0, 2, 0 and 0
    assert "2 of 4" in brier.note


def test_row_11_an_empty_bucket_has_no_value(score):
    row = scored(score, 2, right=2, metrics=("accuracy", "set_f1")).row("set_f1")
    assert (row.value, row.n, row.interval) == (None, 0, None)


def test_row_12_a_repeated_item_is_refused_and_never_counted_twice(score):
    items, references = single(5)
    predictions = [answer(item, text) for item, text in zip(items, "AAABB", strict=True)]
    task = choice_task(["accuracy"])
    assert score(task, items, references, predictions).row("accuracy").value == 0.6
    with pytest.raises(InputError, match="predicted twice"):
        score(task, items, references, [*predictions, predictions[0]])


def test_row_14_a_missing_order_is_not_consistent(score):
    items, references = single(1)
    task = choice_task(["accuracy", "choice_consistency"], runs=4)
    card = score(task, items, references, [answer(items[0], "A", run=run) for run in range(3)])
    assert (card.row("choice_consistency").value, card.counts[0].coverage) == (0.0, 0.75)
    assert consistency([["a", "a", "a", None]], ["a"]).all_correct == 0


def test_row_15_unanswered_is_wrong_to_every_metric(score):
    items, references = single(1)
    task = choice_task(["accuracy", "caa", "choice_consistency"], runs=2)
    card = score(task, items, references, [answer(items[0], "A")])
    found = {name: card.row(name).value for name in ("accuracy", "caa", "choice_consistency", "all_runs_correct")}
    assert found == {"accuracy": 0.5, "caa": pytest.approx(1 / 3), "choice_consistency": 0, "all_runs_correct": 0}


def test_row_16_an_empty_prediction_scores_zero_in_all_four():
    for scores in (set_scores([set()], [{"A", "C"}]), set_scores([None], [{"A", "C"}])):
        assert np.array(scores).ravel().tolist() == [0, 0, 0, 0]
