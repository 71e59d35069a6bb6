"""Option probabilities in a scorecard: only where a system gives them."""

import pytest
from fakes.scored_material import answer, choice_item, choice_task, gold

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, Prediction, Status

NAMES = ("expected_accuracy", "brier", "calibration_error")


def with_shares(item, text, *shares, run=0):
    """A letter answer with the probability of each option; text None = a tie, which is no answer."""
    prediction = answer(item, text, run=run)
    return prediction.model_copy(update={"option_probabilities": dict(zip(item.option_ids, shares, strict=True))})


def material(n=3):
    items = [choice_item(f"i{number}") for number in range(n)]
    return items, [gold(item, "A") for item in items]


def test_probabilities_are_scored_though_the_task_does_not_name_them(score):
    items, references = material()
    predictions = [
        with_shares(items[0], "A", 0.7, 0.1, 0.1, 0.1),
        with_shares(items[1], "B", 0.2, 0.6, 0.1, 0.1),
        with_shares(items[2], None, 0.4, 0.4, 0.1, 0.1),
    ]
    card = score(choice_task(["accuracy"]), items, references, predictions)
    assert card.row("accuracy").value == pytest.approx(1 / 3)
    assert card.row("expected_accuracy/1").value == pytest.approx((0.7 + 0.2 + 0.4) / 3)
    squares = (0.3**2 + 3 * 0.1**2, 0.8**2 + 0.6**2 + 2 * 0.1**2, 0.6**2 + 0.4**2 + 2 * 0.1**2)
    assert card.row("brier/1").value == pytest.approx(sum(squares) / 3)
    # bins (.6, .7], (.5, .6], (.3, .4]: right, wrong, and a tie, which is a miss
    assert card.row("calibration_error/1").value == pytest.approx((0.3 + 0.6 + 0.4) / 3)
    assert card.row("calibration_error").interval is None
    assert "10 bins" in card.row("calibration_error").note
    baselines = {(row.system, row.metric): row.value for row in card.baselines}
    assert baselines["chance", "expected_accuracy"] == 0.25
    assert baselines["chance", "brier"] == 0.75
    assert ("always_first", "brier") not in baselines


def test_nothing_is_said_of_probabilities_nobody_gave(score):
    items, references = material()
    card = score(choice_task(), items, references, [answer(item, "A") for item in items])
    assert not any(card.row(name) for name in NAMES)


def test_a_failure_lowers_the_expected_accuracy_and_leaves_the_brier_score(score):  # faults_scoring.md 1, 9
    items, references = material(4)
    predictions = [
        with_shares(items[0], "A", 1.0, 0, 0, 0),
        with_shares(items[1], "B", 0, 1.0, 0, 0),
        answer(items[2], None, status=Status.BACKEND_ERROR),
    ]
    card = score(choice_task(), items, references, predictions)
    assert (card.row("expected_accuracy").value, card.row("expected_accuracy").n) == (0.25, 4)
    assert (card.row("brier").value, card.row("brier").n) == (1.0, 2)
    assert card.row("brier").note == "over the 2 of 4 requests with probabilities"
    assert (card.row("calibration_error").value, card.row("calibration_error").n) == (0.5, 2)


def test_runs_of_an_item_are_averaged_first(score):
    items, references = material(2)
    predictions = [
        with_shares(item, "A", share, 1 - share, 0, 0, run=run)
        for item, shares in zip(items, ((0.6, 0.8), (0.9, 0.9)), strict=True)
        for run, share in enumerate(shares)
    ]
    row = score(choice_task(["accuracy"], runs=2), items, references, predictions).row("expected_accuracy")
    assert (row.value, row.n) == (pytest.approx(0.8), 2)


def test_a_task_may_name_them_as_its_headline(score):
    items, references = material()
    task = choice_task(["option_probabilities"], headline="option_probabilities")
    card = score(task, items, references, [with_shares(item, "A", 1.0, 0, 0, 0) for item in items])
    assert card.headline == "expected_accuracy/1"
    assert [row.metric for row in card.scores] == list(NAMES)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"zzzzzzzz": 1.0}, '"zzzzzzzz" is no option'),
        ({"first": -0.5}, "is -0.5: expected 0 to 1"),
        ({"first": 0.9, "second": 0.9}, "sum to 1.8"),
    ],
)
def test_what_is_no_distribution_refuses_the_file(score, shares, message):
    items, references = material()
    names = dict(zip(("first", "second"), items[1].option_ids, strict=False))
    shares = {names.get(name, name): share for name, share in shares.items()}
    wrong = Prediction(**{**answer(items[1], "A").model_dump(), "option_probabilities": shares})
    with pytest.raises(InputError, match=f'line 1, field "option_probabilities": .*{message}'):
        score(choice_task(), items, references, [wrong])


def test_multi_select_items_have_no_one_probability(score):
    item = choice_item("i", kind=Kind.MULTI)
    both = answer(item, "AB").model_copy(update={"option_probabilities": dict.fromkeys(item.option_ids, 0.9)})
    card = score(choice_task(["accuracy"]), [item], [gold(item, "AB")], [both])
    assert card.row("accuracy").value == 1.0
    assert card.row("brier") is None
