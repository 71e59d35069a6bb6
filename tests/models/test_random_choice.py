"""Chance, the same way every time."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.records import Kind, Modality
from musebench_tasks.models import load_model
from musebench_tasks.models.random_choice import Draws


def answers(model, make_group, requests):
    group = make_group(*requests)
    responses = list(model.answer(group))
    assert group.decoded == []
    return [response.raw for response in responses]


def test_the_same_request_gets_the_same_letter(make_group, make_request):
    requests = [make_request(item_id=f"item-{number}") for number in range(30)]
    first = answers(load_model("random"), make_group, requests)
    assert first == answers(load_model("random"), make_group, requests)
    assert "".join(first[:12]) == "BBDAADBBCDCA"


def test_every_letter_is_as_likely(make_group, make_request):
    requests = [make_request(item_id=f"item-{number}") for number in range(4000)]
    counts = Counter(answers(load_model("random"), make_group, requests))
    assert set(counts) == set("ABCD")
    assert max(abs(count - 1000) for count in counts.values()) < 4 * (4000 * 0.25 * 0.75) ** 0.5


def test_multi_select_gets_two_to_four_letters(make_group, make_request):
    texts = ("Violin", "Trumpet", "Oboe", "Harp", "Lute", "Drum")
    requests = [make_request(item_id=f"i{number}", kind=Kind.MULTI, texts=texts) for number in range(300)]
    sets = [answer.split(", ") for answer in answers(load_model("random"), make_group, requests)]
    assert {len(letters) for letters in sets} == {2, 3, 4}
    assert all(letters == sorted(set(letters)) and set(letters) <= set("ABCDEF") for letters in sets)


def test_music_answers_hold_the_fields_asked_for_in_range(make_group, make_request):
    requests = [make_request(item_id=f"i{number}", kind=Kind.MUSIC) for number in range(100)]
    for text in answers(load_model("random"), make_group, requests):
        answer = json.loads(text)
        assert list(answer) == ["tempo", "key", "time_signature", "segments"]
        assert 40 <= answer["tempo"] <= 200
        assert answer["key"].split()[1] in ("major", "minor")
        edges = [answer["segments"][0]["start"], *(segment["end"] for segment in answer["segments"])]
        assert edges == sorted(set(edges))
        assert (edges[0], edges[-1]) == (0, 30)
        assert 4 <= len(answer["segments"]) <= 12


def test_asking_fewer_fields_changes_none(make_group, make_request):
    model = load_model("random")
    full, part = make_request(kind=Kind.MUSIC), make_request(kind=Kind.MUSIC, fields=("key",))
    whole, key = (json.loads(text) for text in answers(model, make_group, [full, part]))
    assert key == {"key": whole["key"]}


def test_it_is_asked_everything_and_takes_everything():
    model = load_model("random")
    assert model.kinds == frozenset(Kind)
    assert model.limits.modalities == frozenset(Modality)


@pytest.mark.parametrize("seconds", [0.0, 0.4, 1.0, 2.9])
def test_a_very_short_recording_has_no_empty_segment(make_group, make_request, seconds):
    (text,) = answers(load_model("random"), make_group, [make_request(kind=Kind.MUSIC, media_s=seconds)])
    assert all(segment["start"] < segment["end"] <= seconds for segment in json.loads(text)["segments"])


@given(st.text(), st.integers(1, 12), st.data())
def test_some_draws_without_replacement(seed, size, data):
    count = data.draw(st.integers(0, size))
    drawn = Draws(seed).some(list(range(size)), count)
    assert len(drawn) == count
    assert drawn == sorted(set(drawn))
