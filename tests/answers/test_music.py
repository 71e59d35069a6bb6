"""Behaviour of the music parser beyond the case files: one text, four fields, flags."""

import pytest

from musebench_tasks.answers import parse_key, parse_music, parse_segments, parse_tempo, parse_time_signature

FIELDS = ("tempo", "key", "time_signature", "segments")
FULL = (
    '{"tempo": 128, "key": "F# minor", "time_signature": "4/4",'
    ' "segments": [{"start": 0, "end": 30.5, "label": "intro"}, {"start": 30.5, "end": 60, "label": "verse"}]}'
)


def test_all_fields_of_one_object():
    answer = parse_music(FULL, FIELDS, duration_s=60.0)
    assert {name: field.value for name, field in answer.items()} == {
        "tempo": 128.0,
        "key": "F# minor",
        "time_signature": "4/4",
        "segments": [
            {"start_s": 0.0, "end_s": 30.5, "label": "intro"},
            {"start_s": 30.5, "end_s": 60.0, "label": "verse"},
        ],
    }
    assert {(field.status, field.rule) for field in answer.values()} == {("ok", "json")}


def test_one_unreadable_field_voids_no_other():
    answer = parse_music('{"tempo": "fast", "key": "Am", "time_signature": 4, "segments": [[5, 1]]}', FIELDS)
    assert [(name, str(field.status), field.rule) for name, field in answer.items()] == [
        ("tempo", "unparsed", "no_answer"),
        ("key", "ok", "json"),
        ("time_signature", "unparsed", "no_denominator"),
        ("segments", "out_of_range", "end_le_start"),
    ]


def test_an_absent_field_is_not_looked_for_in_prose():
    answer = parse_music('The tempo is 128 BPM. {"key": "A minor", "segments": null}', FIELDS)
    assert (answer["tempo"].status, answer["tempo"].rule) == ("unparsed", "no_answer")
    assert (answer["segments"].status, answer["segments"].rule) == ("unparsed", "empty")


def test_prose_with_every_field():
    answer = parse_music(
        "Tempo: 96 BPM\nKey: E-flat major\nTime signature: 3/4\n- intro: 0:00 - 0:10\n- verse: 0:10 - 1:00",
        FIELDS,
        60.0,
    )
    assert [answer[name].value for name in FIELDS[:3]] == [96.0, "Eb major", "3/4"]
    assert len(answer["segments"].value) == 2


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("<think>{", "truncated"),
        ("[ERROR] HTTP 500", "backend_error"),
        ("I'm sorry, I can't listen to audio.", "refused"),
        ("", "unparsed"),
    ],
)
def test_some_verdicts_hold_for_all_fields(text, status):
    assert {str(field.status) for field in parse_music(text, FIELDS).values()} == {status}


def test_a_cut_answer_keeps_what_is_complete():
    text = '{"tempo": 128, "key": "A minor", "segments": [[0, 10, "intro"], [10, 2'
    answer = parse_music(text, FIELDS, 60.0, finish_reason="length")
    assert (answer["tempo"].value, answer["tempo"].flags) == (128.0, ("truncated",))
    assert answer["segments"].value == [{"start_s": 0.0, "end_s": 10.0, "label": "intro"}]
    assert answer["time_signature"].status == "truncated"


@pytest.mark.parametrize(
    ("answer", "flag"),
    [
        (parse_tempo('{"tempo": "118-122"}'), "range"),
        (parse_tempo("♩. = 60"), "beat_unit"),
        (parse_tempo('{"tempo": 128, "why": "the k'), "truncated"),
        (parse_key('{"key": "A harmonic minor"}'), "mode_variant"),
        (parse_segments("[[20, 60], [0, 20]]", 60), "sorted"),
        (parse_segments("[[0, 20], [20, 60.2]]", 60), "clipped"),
        (parse_segments("[[0, 20], [20, 75]]", 60), "clipped_far"),
        (parse_segments("[[0, 20], [70, 75]]", 60), "dropped"),
        (parse_segments("[[0, 20.004], [20, 60]]", 60), "snapped"),
        (parse_segments("[[5, 20]]", 60), "gaps"),
        (parse_segments("[[0, 20], [20,", 60), "truncated"),
    ],
)
def test_flags(answer, flag):
    assert answer.status == "ok"
    assert flag in answer.flags


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (parse_tempo('{"tempo": 140} and {"tempo": 70}'), "conflict"),
        (parse_tempo('{"tempo": 120, "tempo": 60}'), "conflict"),
        (parse_tempo('{"tempo": [118, 122]}'), "ambiguous"),
        (parse_tempo('{"tempo": true}'), "wrong_type"),
        (parse_key('{"key": "C major / A minor"}'), "ambiguous"),
        (parse_key('{"key": null}'), "empty"),
        (parse_time_signature('{"time_signature": 0.75}'), "wrong_type"),
        (parse_time_signature('{"time_signature": "4"}'), "no_denominator"),
    ],
)
def test_reasons(answer, rule):
    assert (answer.value, answer.status, answer.rule) == (None, "unparsed", rule)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-120", "0", "9.9", "601", "1e9"])
def test_inadmissible_tempi_are_out_of_range(value):
    assert parse_tempo(f'{{"tempo": {value}}}').status == "out_of_range"


def test_a_labelled_final_object_replaces_earlier_ones():
    assert parse_tempo('First {"tempo": 70}.\nFinal answer:\n```json\n{"tempo": 140}\n```').value == 140.0


@pytest.mark.parametrize("text", [None, "", " \n", "null", "<think>The pulse is fast.</think>", "Let me count the"])
def test_every_field_of_a_cut_text_without_values_is_truncated(text):
    cut = parse_music(text, FIELDS, 60.0, finish_reason="length")
    whole = parse_music(text, FIELDS, 60.0, finish_reason="stop")
    assert [(field.value, str(field.status)) for field in cut.values()] == [(None, "truncated")] * 4
    assert [str(field.status) for field in whole.values()] == ["unparsed"] * 4


def test_a_refusal_that_was_cut_is_truncated():
    answer = parse_music('{"tempo": "I cannot determine it", "key": "A minor"}', FIELDS, finish_reason="length")
    assert [str(answer[name].status) for name in ("tempo", "key")] == ["truncated", "ok"]
