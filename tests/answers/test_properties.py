"""What holds for every text."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.answers import parse_choice, parse_music
from musebench_tasks.base.records import Status

OPTIONS = ["Violin", "Cello", "Trumpet", "A minor", "None of the above"]
FIELDS = ("tempo", "key", "time_signature", "segments")
PIECES = [
    *(
        "A",
        "B",
        "C",
        "D",
        "E",
        "F",
        "a",
        "b",
        " ",
        "\n",
        ".",
        ",",
        ":",
        "?",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        "*",
        "$",
    ),
    *(
        "Answer: ",
        "answer is ",
        "not ",
        "or ",
        "and ",
        "so ",
        "option ",
        "violin",
        "cello",
        "a trumpet",
        "A minor",
        "<think>",
    ),
    *(
        "</think>",
        "\\boxed{",
        "答案",
        "是",
        "选",
        "128",
        "0:20",
        " - ",
        "BPM",
        "4/4",
        "null",
        "NaN",
        "```",
        "yes",
        "no",
        "none",
    ),
    *(
        '{"answer": ',
        '{"tempo": ',
        '{"segments": [[',
        "<answer>",
        "</answer>",
        "<|x|>",
        "all except ",
        "[x] ",
        "1. ",
        "I ",
    ),
]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
STATUSES = {Status.OK, Status.UNPARSED, Status.REFUSED, Status.TRUNCATED, Status.OUT_OF_RANGE, Status.BACKEND_ERROR}


@given(texts, st.booleans(), st.sampled_from([None, "stop", "length"]))
def test_every_text_gets_one_admissible_verdict(text, multi, reason):
    answer = parse_choice(text, OPTIONS, multi, reason)
    assert answer.status in STATUSES
    assert set(answer.labels) <= set("ABCDE")
    assert list(answer.labels) == sorted(set(answer.labels))
    if answer.status is not Status.OK:
        assert answer.labels == ()
    elif not multi:
        assert len(answer.labels) == 1
    else:
        assert answer.labels or answer.rule == "explicit_none"


@given(texts)
def test_every_text_gets_a_music_answer(text):
    for field in parse_music(text, FIELDS, 60.0).values():
        assert field.status in STATUSES
        assert (field.value is None) == (field.status is not Status.OK)


ANSWERS = [
    "B",
    "B.",
    "(B)",
    "Answer: B",
    "The answer is B.",
    "cello",
    "I hear a cello here.",
    "B) Cello",
    "so B",
    "A or C",
]
ANSWERS += ["It is not the violin.", "Nothing fits", "A, C", "The answer is the trumpet, not the cello."]


@pytest.mark.parametrize("text", ANSWERS)
@pytest.mark.parametrize("multi", [False, True])
def test_dress_changes_nothing(text, multi):
    plain = parse_choice(text, OPTIONS, multi)
    dressed = [
        f"<think>Answer: D. Or (A)?</think>{text}",
        f"<think>\nE\n</think>\n\n{text}",
        f"**{text}**",
        f"\n\n{text}\n\n\n",
        f"  {text}  ",
        f"```\n{text}\n```",
        text.replace(" ", "\u00a0"),
        f"\u200b{text}\u200b",
    ]
    for variant in dressed:
        assert parse_choice(variant, OPTIONS, multi) == plain, variant


@pytest.mark.parametrize("text", ["cello", "The answer is the cello.", "I hear a cello, not a violin.", "It's a cello"])
def test_a_text_answer_follows_its_option(text):
    for order in itertools.permutations(["Violin", "Cello", "Trumpet", "Flute"]):
        assert parse_choice(text, order).labels == ("ABCD"[order.index("Cello")],)


FORMS = [
    "{}",
    "{}.",
    "({})",
    "Answer: {}",
    "ANSWER: {}",
    "The answer is {}.",
    "\\boxed{{{}}}",
    '{{"answer": "{}"}}',
    "So {}.",
]
FORMS += ["<answer>{}</answer>", "答案是{}", "**{}**", "I pick {}", "Option {}", "{}, because", "the tone: {}"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [4, 5, 8])
def test_a_letter_beyond_the_options_never_scores(form, count):
    options = [
        f"Answer number {index}" for index in ["one", "two", "three", "four", "five", "six", "seven", "eight"][:count]
    ]
    for index, letter in enumerate("ABCDEFGHJKLM"):
        for multi in (False, True):
            answer = parse_choice(form.format(letter), options, multi)
            if letter < "I" and index < count:
                assert answer.labels == (letter,), (form, letter)
            else:
                assert answer.labels == ()
                assert answer.status is not Status.OK


LETTER_SETS = st.sets(st.sampled_from("ABCDE"), min_size=1)


@given(
    LETTER_SETS,
    st.sampled_from([", ", " ", "; ", " and ", "/", "、", ",", " & ", ""]),
    st.sampled_from(["ANSWER: ", ""]),
)
def test_sets_are_read_in_any_order(letters, separator, cue):
    for order in (sorted(letters), sorted(letters, reverse=True)):
        assert parse_choice(cue + separator.join(order), ["one", "two", "three", "four", "five"], True).labels == tuple(
            sorted(letters)
        )
