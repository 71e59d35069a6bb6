"""faults_scoring.md 17 to 30: parsing that changes scores. Tests carry the row's number."""

import pytest
from fakes.scored_material import answer, choice_item, choice_task, gold

from musebench_tasks.answers import parse_choice, parse_tempo
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import ScoreRow, Status
from musebench_tasks.measures import chance_adjusted_accuracy, option_probabilities
from musebench_tasks.statistics import clustered_standard_error

OPTIONS = ["a cut", "a pan", "a zoom", "a fade"]


def labels(text, options=OPTIONS, **more):
    return "".join(parse_choice(text, options, **more).labels)


def test_row_17_what_was_not_parsed_is_wrong_and_no_lottery(score):
    items = [choice_item(f"i{number:03d}") for number in range(100)]
    said = ["A"] * 45 + ["B"] * 15 + [None] * 40
    predictions = [answer(item, text) for item, text in zip(items, said, strict=True)]
    references = [gold(item, "A") for item in items]
    cards = [score(choice_task(["accuracy"]), items, references, each) for each in (predictions, predictions[::-1])]
    for card in cards:
        assert card.row("accuracy").value == 0.45
        assert (card.counts[0].coverage, card.counts[0].answered) == (1.0, 0.6)
        assert card.counts[0].statuses["unparsed"] == 40


def test_row_18_no_letter_is_drawn_and_none_beyond_the_options_scores():
    assert parse_choice("no idea at all", OPTIONS).labels == ()
    assert parse_choice("J", OPTIONS).status is Status.OUT_OF_RANGE


@pytest.mark.parametrize(
    "text",
    ["Because A Beautiful Day Can End.", "I looked at EVERY frame.", "The ABBA song is CATCHY", "Definitely! Enjoy."],
)
def test_row_19_text_without_an_answer_holds_none(text):
    assert [labels(text) for _ in range(3)] == [""] * 3


def test_row_20_the_word_answer_is_no_a():
    assert labels("Answer: **D**") == "D"


def test_row_21_a_letter_in_dollar_signs_is_read():
    assert labels("ANSWER: $B$") == "B"


def test_row_22_an_answer_at_the_end_of_reasoning_is_read():
    text = "Let me look at the frames. A pan would show more.\n\nThe camera moves closer.\n\nAnswer: \\boxed{C}"
    assert labels(text) == "C"


def test_row_23_an_answer_is_read_beyond_the_first_line():
    assert labels("The light falls from the left.\nSo nothing is cut.\nAnswer: C") == "C"


def test_row_24_a_set_of_letters_is_a_set():
    assert labels("A, C", multi=True) == "AC"
    assert labels("Answer: {A,C}", multi=True) == "AC"


@pytest.mark.parametrize("text", ["", "The answer is", "Answer:", "()", "**"])
def test_row_25_a_frame_without_an_answer_is_no_answer(text):
    assert parse_choice(text, OPTIONS).status is not Status.OK


@pytest.mark.parametrize("text", ["[ERROR] .. HTTP 400", "[ERROR] rate limit, A, B, C"])
def test_row_27_an_error_text_is_no_answer_of_the_model(text):
    assert parse_choice(text, OPTIONS).status is Status.BACKEND_ERROR
    assert parse_tempo(text).status is Status.BACKEND_ERROR
    assert parse_tempo(text).value is None


def test_row_28_nan_is_refused_wherever_it_comes_in():
    nan = float("nan")
    with pytest.raises(InputError):
        clustered_standard_error([1.0, nan], ["a", "b"])
    with pytest.raises(InputError):
        chance_adjusted_accuracy([1.0, nan], 4)
    with pytest.raises(InputError):
        option_probabilities([{"a": nan}], ["a"], ["ab"])
    assert parse_tempo('{"tempo": NaN}').status is not Status.OK


def test_row_29_what_has_no_value_has_none_after_it_was_stored():
    row = ScoreRow(metric="m", version="1", condition="full", value=None, n=0, n_clusters=0)
    assert ScoreRow.model_validate_json(row.canonical_json()).value is None
    with pytest.raises(ValueError, match="finite"):
        ScoreRow(metric="m", version="1", condition="full", value=float("nan"), n=0, n_clusters=0)


@pytest.mark.parametrize("outside", [2, -1, 0.5])
def test_row_30_a_score_out_of_range_is_an_error(outside):
    with pytest.raises(InputError, match="right \\(1\\) or wrong \\(0\\)"):
        chance_adjusted_accuracy([outside], 4)
