"""faults_scoring.md 31 to 45: options, keys and shuffles. Tests carry the row's number."""

import hashlib
import itertools
import json

import pytest
from fakes.scored_material import answer, choice_item, choice_task, gold

from musebench_tasks.answers import parse_choice
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind, Request, Response, Status, TaskConfig, shuffled_order
from musebench_tasks.evaluation.read_answers import read_answer
from musebench_tasks.items import load_items, load_references, select
from musebench_tasks.measures import encode_sets
from musebench_tasks.tasks import shown_order


def asked(item, order, raw):
    """What is read in `raw` when the options of `item` are shown in this order."""
    by_id = {option.id: option for option in item.options}
    options = tuple(by_id[each] for each in order)
    request = Request(
        item_id=item.id,
        run=0,
        condition="full",
        kind=Kind.SINGLE,
        option_order=order,
        options=options,
        prompt="p",
        key=item.id,
    )
    response = Response(key=item.id, item_id=item.id, run=0, condition="full", option_order=order, raw=raw)
    return read_answer(request, response)


def dataset(folder, *rows):
    """A task over JSON lines; a row that names nothing has three options of which the first is right."""
    usual = {"question": "What is seen?", "options": ["noise", "a cat", "a dog"], "answer": "noise"}
    lines = [json.dumps({"id": f"item-{number}", **usual, **row}) for number, row in enumerate(rows)]
    (folder / "test.jsonl").write_text("\n".join(lines) + "\n")
    return TaskConfig(
        task="mine",
        dataset_path=str(folder),
        columns={name: name for name in ("id", "question", "options", "answer")},
        metric_list=[{"metric": "accuracy"}],
        metadata={"headline": "accuracy"},
    )


def both(task):
    return load_items(task), load_references(task)


def refused(task, match):
    with pytest.raises(InputError, match=match) as caught:
        both(task)
    assert caught.value.exit_code == 2


def test_row_31_an_option_is_read_by_its_words_in_their_order():
    options = ["call, response, call", "response, call, response", "call, call, response", "a fugue"]
    assert ["".join(parse_choice(text, options).labels) for text in options] == ["A", "B", "C", "D"]


def test_row_32_options_of_equal_words_never_stand_for_one_another():
    options = [" ".join(words) for words in itertools.permutations(("low", "drum", "roll"))]
    assert [parse_choice(text, options).labels for text in options] == [(letter,) for letter in "ABCDEF"]


@pytest.mark.parametrize("twin", ["thirteen", " Thirteen", "thirteen."])
def test_row_33_options_that_are_alike_are_refused(tmp_path, twin):
    task = dataset(tmp_path, {"options": ["thirteen", "twenty", twin, "five"], "answer": "five"})
    refused(task, 'row 1, column "options"')


def test_row_34_a_gold_answer_that_is_no_option_is_refused(tmp_path):
    refused(dataset(tmp_path, {}, {"answer": "a bird"}), 'row 2, column "answer"')


def test_row_35_texts_of_options_are_kept_whole(tmp_path):
    options = [f"ln(2) = [{number}]" for number in range(4)]
    (item,) = load_items(dataset(tmp_path, {"options": options, "answer": options[0]})).items
    assert [option.text for option in item.options] == options


def test_row_36_orders_differ_by_item_and_constant_letters_stand_beside(score):
    items = [choice_item(f"i{number:03d}") for number in range(400)]
    task = choice_task(["accuracy"], runs=2)  # the right option is stored first
    card = score(task, items, [gold(item, "A") for item in items], [])
    constant = {row.system: row.value for row in card.baselines if row.slice is None}
    for name in ("always_first", "majority_letter"):
        assert constant[name] == pytest.approx(0.25, abs=0.06)


def test_row_37_an_answer_is_scored_by_option_whatever_the_order_shown():
    item = choice_item("i")
    for order in itertools.permutations(item.option_ids):
        prediction = asked(item, order, "B")
        assert (prediction.parsed, prediction.option_order) == ((order[1],), order)


def test_row_38_the_order_follows_from_item_run_and_seed_alone(score):
    item = choice_item("i")
    expected = sorted(item.option_ids, key=lambda each: hashlib.sha256(f"i|1|42|{each}".encode()).hexdigest())
    task = choice_task(["accuracy"], runs=2)
    assert [shown_order(task, item, 1) for _ in range(2)] == [tuple(expected)] * 2


def test_row_39_orders_are_the_same_in_every_process():
    # a constant: with Python's own hash of a text it would differ from process to process
    assert shuffled_order("item", 0, list("abcde")) == ("d", "c", "a", "e", "b")


def test_row_40_every_item_is_read_by_its_own_options():
    items = [choice_item(f"i{number}") for number in range(3)]
    read = [asked(item, item.option_ids, "C").parsed for item in items]
    assert read == [(item.option_ids[2],) for item in items]
    assert len(set(read)) == 3


def test_row_42_an_answer_that_names_no_option_is_refused(tmp_path):
    refused(dataset(tmp_path, {}, {"answer": "7"}), 'row 2, column "answer"')


def test_row_43_letters_come_from_the_item_and_options_must_be_there(tmp_path):
    assert parse_choice("E", ["a cut", "a pan", "a zoom", "a fade"]).status is Status.OUT_OF_RANGE
    assert parse_choice("E", ["a cut", "a pan", "a zoom", "a fade", "a tilt"]).labels == ("E",)
    refused(dataset(tmp_path, {"options": [], "answer": "noise"}), 'row 1, column "options"')


def test_row_44_a_limit_takes_the_same_items_in_whatever_order_they_come(score):
    items = [choice_item(f"i{number}") for number in range(6)]
    chosen = select(items, "limit:2", ())
    assert [item.id for item in chosen] == [item.id for item in select(items[::-1], "limit:2", ())] == ["i0", "i1"]
    references = [gold(item, "A") for item in chosen]
    card = score(choice_task(["accuracy"]), chosen, references, [answer(item, "A") for item in chosen])
    assert card.row("accuracy").value == 1.0


def test_row_45_sets_of_equal_sums_stay_apart():
    assert encode_sets([{0, 3}, {1, 2}], range(4)).tolist() == [9, 6]
