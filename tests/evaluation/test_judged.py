"""Predictions that a judge read: the reading by the rules can always be had back."""

import pytest

from musebench_tasks.base.records import Condition, Item, Kind, Parser, Prediction, Status, make_options
from musebench_tasks.evaluation.judged import by_rules, count_judged, questions_to_judge, with_verdicts

RULES = Parser(method="rules", version="7")
TEXTS = ("Violin", "Trumpet", "Oboe")


def item(kind=Kind.SINGLE):
    options = make_options("i", TEXTS)
    return Item(id="i", benchmark="b", kind=kind, question="Which?", options=options, cluster_id="c")


def prediction(**more):
    values = {
        "raw": "the brass one",
        "parser": RULES,
        "rule": "no_answer",
        "status": Status.UNPARSED,
        "flags": ("cut",),
    }
    return Prediction(**{"item_id": "i", "run": 0, "condition": Condition.FULL, **values, **more})


def judged(reply, kind=Kind.SINGLE, **more):
    one, items = prediction(**more), {"i": item(kind)}
    questions = list(questions_to_judge([one], items, "m"))
    replies = {question.key: reply for question in questions if reply is not None}
    return with_verdicts([one], questions, replies, "m")[0]


@pytest.mark.parametrize("reply", ['{"answer": "B"}', '{"answer": "NONE"}', "It is B.", None])
def test_the_reading_by_the_rules_can_be_had_back(reply):
    assert judged(reply) != prediction()
    assert by_rules(judged(reply)) == prediction()


def test_letters_are_those_of_the_order_shown():
    ids = item().option_ids
    read = judged('{"answer": "A"}', option_order=(ids[2], ids[0], ids[1]))
    assert (read.parsed, read.status, read.rule) == ((ids[2],), Status.OK, "judge")


def test_a_set_is_kept_in_id_order():
    read = judged('{"answer": ["C", "A"]}', kind=Kind.MULTI)
    assert read.parsed == tuple(sorted([item().option_ids[0], item().option_ids[2]]))


@pytest.mark.parametrize(
    "more",
    [
        {"status": Status.REFUSED},
        {"status": Status.TRUNCATED},
        {"status": Status.OUT_OF_RANGE},
        {"status": Status.BACKEND_ERROR, "parser": None},
        {"raw": "", "rule": "empty"},
        {"raw": None},
        {"raw": "<think>the brass one</think>"},
        {"parser": Parser(method="letters", version="1")},
    ],
)
def test_nothing_else_is_asked(more):
    assert not list(questions_to_judge([prediction(**more)], {"i": item()}, "m"))


def test_equal_texts_under_equal_options_are_one_question():
    several = [prediction(run=run) for run in range(3)]
    keys = {question.key for question in questions_to_judge(several, {"i": item()}, "m")}
    assert len(keys) == 1
    assert keys.isdisjoint(question.key for question in questions_to_judge(several, {"i": item()}, "other"))


def test_failures_are_counted_apart():
    replies = ['{"answer": "B"}', '{"answer": "NONE"}', "prose", None]
    (counts,) = count_judged([*(judged(reply) for reply in replies), prediction()])
    assert (counts.asked, counts.read, counts.none, counts.failed) == (4, 1, 1, 2)


def test_a_foreign_line_that_names_no_rule_stays_as_it_is():
    foreign = prediction(
        parser=Parser(method="judge", version="gpt"), rule="judge", status=Status.OK, parsed=(item().option_ids[0],)
    )
    assert by_rules(foreign) == foreign
