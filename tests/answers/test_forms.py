"""The usual forms of an answer, over option sets that are easy to confuse with labels, numbers and cues."""

import itertools

import pytest

from musebench_tasks.answers import parse_choice

OPTION_SETS = [
    ["Violin", "Cello", "Trumpet", "Flute"],
    ["The vocals enter before the drums", "The drums enter before the vocals", "Both enter together", "No vocals"],
    ["A descending bass line", "An ascending bass line", "A static bass line", "No bass line is present"],
    ["4/4", "3/4", "6/8", "5/4"],
    ["C major", "A minor", "E minor", "G major"],
    ["AABA", "ABAB", "Verse-chorus", "Through-composed"],
    ["60-80 BPM", "80-100 BPM", "100-120 BPM", "120-140 BPM"],
    ["1", "2", "3", "4"],
    ["Yes", "No", "Sometimes", "It cannot be determined"],
    ["I-V-vi-IV", "ii-V-I", "I-IV-V-I", "vi-IV-I-V"],
    ["Jazz", "Jazz fusion", "Smooth jazz", "Jazz-funk"],
    ["It creates tension by dissonance.", "It resolves to the tonic.", "It is a canon.", "It stays on a pedal point."],
    ["Happy", "Sad", "Happy and sad", "Neither happy nor sad"],
    ["0:05", "0:10", "0:15", "0:20"],
    ["Mozart", "Beethoven", "J.S. Bach", "A. Vivaldi"],
    ["The A section", "The B section", "The C section", "The coda"],
    ["All instruments play", "None of the instruments play", "Only strings play", "Only brass plays"],
    ['He says "I don\'t know"', "She refuses to answer", "They leave the stage", "He cannot hear the audio"],
    ["R&B", "Hip-hop", "Rock & roll", "Drum & bass"],
    ["50%", "25%", "75%", "100%"],
]
LETTER_FORMS = [
    *("{L}", "{L}.", "({L})", "{L})", "**{L}**", "`{L}`", "[{L}]", "{L}. {T}", "({L}) {T}", "{L}) {T}", "{L}: {T}"),
    *(
        "Answer: {L}",
        "The answer is {L}.",
        "The correct answer is **{L}**.",
        "Answer: {L}. {T}",
        "The answer is {L}) {T}.",
    ),
    *(
        "\\boxed{{{L}}}",
        "<answer>{L}</answer>",
        '{{"answer": "{L}"}}',
        '{{"answer": "{L}. {T}"}}',
        "{ALL}\n\nAnswer: {L}",
    ),
    *("I believe the answer is {L}, since it fits.", "Let me think.\n\n{L}", "So the answer is {L}", "I choose {L}"),
    *("Option {L}: {T}", "The correct option is {L}: {T}.", "答案是{L}", "选{L}", "The correct answer is:\n\n{L}. {T}"),
    *(
        "<think>hmm {O}</think>{L}",
        "Answer: {O}\nWait, no.\nAnswer: {L}",
        "Answer: {L}, not {O}",
        "({O}) is wrong. Answer: {L}",
    ),
]
TEXT_FORMS = [
    "{T}",
    "{T}.",
    "Answer: {T}",
    '"{T}"',
    "**{T}**",
    "<answer>{T}</answer>",
    "Final answer: {T}",
    "<think>{O}</think>{T}",
]
LIST_FORMS = [
    lambda letters, texts: ", ".join(letters),
    lambda letters, texts: "ANSWER: " + "".join(letters),
    lambda letters, texts: "The correct answers are " + " and ".join(letters) + ".",
    lambda letters, texts: "\n".join(f"- {letter}. {text}" for letter, text in zip(letters, texts, strict=True)),
    lambda letters, texts: (
        "Answer: " + "; ".join(f"({each}) {text}" for each, text in zip(letters, texts, strict=True))
    ),
    lambda letters, texts: '{"answers": [' + ", ".join(f'"{letter}"' for letter in letters) + "]}",
    lambda letters, texts: "答案是" + "、".join(letters) + "。",
    lambda letters, texts: "The correct options are:\n" + "\n".join(f"1. {each}" for each in letters),
    lambda letters, texts: "Answer: " + "; ".join(texts),
    lambda letters, texts: "\n".join(f"* {text}" for text in texts),
]


@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: options[0])
def test_single_select_forms(options):
    restated = "\n".join(f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=True))
    for index, form in itertools.product(range(4), LETTER_FORMS + TEXT_FORMS):
        other = "ABCD"[(index + 1) % 4]
        text = form.format(L="ABCD"[index], T=options[index], O=other, ALL=restated)
        assert parse_choice(text, options).labels == ("ABCD"[index],), text


@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: options[0])
def test_multi_select_forms(options):
    for count in (1, 2, 3):
        for chosen, form in itertools.product(itertools.combinations(range(4), count), LIST_FORMS):
            letters = ["ABCD"[index] for index in chosen]
            text = form(letters, [options[index] for index in chosen])
            assert parse_choice(text, options, multi=True).labels == tuple(letters), text
