"""Cases of a part and with other answers: what is cut out of a whole is what would have been counted anew."""

import gc
import weakref

import numpy as np
from fakes.scored_material import choice_item, gold, letters

from musebench_tasks.base.records import Kind
from musebench_tasks.evaluation.cases import Case, Cases


def made() -> Cases:
    asked = [
        (choice_item("a", kind=Kind.MULTI), "AB", "AB"),
        (choice_item("b", 5), "C", "D"),
        (choice_item("c", kind=Kind.MULTI), "BD", "B"),
        (choice_item("d", 6), "A", "A"),
    ]
    return Cases(
        Case(item, gold(item, right), 0, item.option_ids, frozenset(letters(item, said))) for item, right, said in asked
    )


def assert_alike(found: Cases, anew: Cases) -> None:
    assert list(found) == list(anew)
    assert len(found) == len(anew)
    assert found.places.item_ids == anew.places.item_ids
    assert found.places.clusters == anew.places.clusters
    for name in ("kinds", "n_options", "runs", "hits"):
        assert np.array_equal(getattr(found, name), getattr(anew, name)), name
    assert all(map(np.array_equal, found.set_counts, anew.set_counts))


def test_a_part_is_as_if_counted_anew():
    whole = made()
    assert_alike(whole.of_kind(Kind.MULTI), Cases(case for case in whole if case.item.kind is Kind.MULTI))
    assert_alike(whole.part(np.array([1, 2])).of_kind(Kind.SINGLE), Cases([whole[1]]))


def test_other_answers_are_as_if_counted_anew():
    whole, at = made(), np.array([0, 2, 3])
    first = [frozenset(case.shown[:1]) for case in whole]
    answered = whole.answering(first)
    anew = [case.answering(each) for case, each in zip(whole, first, strict=True)]
    assert_alike(answered, Cases(anew))
    assert_alike(answered.part(at, whole.part(at)), Cases(anew[place] for place in at))


def test_cases_go_without_the_collector_of_cycles():
    """Scoring holds it back, so that what it leaves would stay: 1.6 million objects a 100,000 lines."""
    whole = made()
    parts = [whole.of_kind(Kind.MULTI), whole.part(np.array([1, 2])).of_kind(Kind.SINGLE), whole.answering([]).places]
    assert parts
    gone = weakref.ref(whole)
    gc.disable()
    try:
        del whole, parts
        assert gone() is None
    finally:
        gc.enable()
