"""Near-duplicates: what is named is alike, what is alike is named, and no machine finds other pairs."""

from itertools import combinations

import hypothesis.strategies as st
from hypothesis import given, settings

from musebench_tasks.assembly.rules.collection import SHARE, near_duplicates, similarity
from musebench_tasks.assembly.rules.texts import plain_words

WORDS = st.sampled_from(["camera", "light", "slow", "pan", "cut", "red", "hand", "door", "left", "voice"])
TEXTS = st.lists(st.lists(WORDS, max_size=14).map(" ".join), max_size=12)
LINE = "the low light in the second half hides what her hands do with the letter by the window"


@settings(max_examples=60)
@given(TEXTS, st.data())
def test_pairs_are_of_one_group_and_alike(texts, data):
    groups = data.draw(st.lists(st.sampled_from("ab"), min_size=len(texts), max_size=len(texts)))
    for one, other in near_duplicates(texts, groups):
        assert one < other
        assert groups[one] == groups[other]
        assert similarity(plain_words(texts[one]), plain_words(texts[other])) >= SHARE


@settings(max_examples=60)
@given(TEXTS)
def test_equal_texts_are_all_reached_from_the_first(texts):
    later = {other for _, other in near_duplicates(texts, ["g"] * len(texts))}
    words = [plain_words(text) for text in texts]
    equal = {other for one, other in combinations(range(len(words)), 2) if words[one] == words[other]}
    assert equal <= later


def test_one_word_in_many_is_no_other_question():
    changed = LINE.replace("letter", "candle")
    assert near_duplicates([LINE, "quite another question about the sound", changed], ["g"] * 3) == [(0, 2)]
    assert near_duplicates([LINE, changed], ["g", "h"]) == []


def test_pairs_are_the_same_everywhere():
    texts = [LINE.replace("low", word) for word in ("low", "dim", "cold", "warm")]
    assert near_duplicates(texts, ["g"] * 4) == list(combinations(range(4), 2))


def test_many_equal_texts_give_few_pairs_each():
    count = 300
    pairs = near_duplicates([LINE] * count, ["g"] * count)
    assert {other for _, other in pairs} == set(range(1, count))
    assert len(pairs) < 2 * count
