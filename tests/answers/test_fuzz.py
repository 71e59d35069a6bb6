"""Fuzzing of all parsers: every text obeys the laws of `laws.py`. Slow; MUSEBENCH_FUZZ_SECONDS makes it longer."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from answers import laws
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from musebench_tasks.answers import parse_choice, parse_music

PROGRAM = Path(__file__).with_name("fuzz.py")
SECONDS = int(os.environ.get("MUSEBENCH_FUZZ_SECONDS", "60"))
"""Of each of the two fuzzers; half an hour each is what a release is tried with (1800)."""

PIECES = [
    *(
        "A",
        "B",
        "C",
        "D",
        "a",
        "I ",
        " ",
        "\n",
        "\n\n",
        ".",
        ", ",
        ": ",
        "?",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        "|",
    ),
    *(
        "**",
        "`",
        "$",
        "_",
        "~",
        "#",
        "- ",
        "1. ",
        "> ",
        "```json\n",
        "\n```",
        "<think>",
        "</think>",
        "<answer>",
        "\\boxed{",
    ),
    *(
        "Answer: ",
        "the answer is ",
        "not ",
        "or ",
        "and ",
        "between ",
        "no, wait ",
        "either ",
        "e.g. ",
        "if ",
        "typically ",
    ),
    *(
        "violin",
        "a cello",
        "A minor",
        "C major",
        "F#",
        " sharp ",
        "flat",
        "Dur",
        "Moll",
        "dorian",
        "la mineur",
        "8A",
        "12d",
    ),
    *(
        "120",
        "98,5",
        "1.2e2",
        " bpm",
        "BPM ",
        "beats per minute",
        "tempo is ",
        "♩ = ",
        "± 2",
        "118-122",
        "ninety-six ",
        "%",
    ),
    *(
        "4/4",
        "6/8",
        "3 over 4",
        "six-eight",
        "common time",
        "time signature: ",
        "key: ",
        "0:00",
        " - ",
        "0:20",
        "12.5s",
        "bars",
    ),
    *(
        '{"tempo": ',
        '{"key": ',
        '"time_signature": ',
        '"segments": [[',
        '{"answer": ',
        '"labels": [',
        "null",
        "NaN",
        "true",
    ),
    *(
        "答案是",
        "升C小调",
        "四三拍",
        "每分钟120拍",
        "長調",
        "박자",
        "أ",
        "\u200b",
        "\u00a0",
        "１２８",
        "｛",
        "/*",
        "//",
        '\\"',
        "\\u0041",
    ),
    *(
        "I cannot listen",
        "无法确定",
        "[ERROR] ",
        "<tool_call>",
        "| a | b |\n|---|---|\n",
        "verse",
        "chorus 1",
        "intro: ",
        "->",
    ),
]
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=20).map("".join),
)
few = settings(max_examples=100, deadline=None)
many = settings(max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def choice_laws(text, options, multi):
    laws.obey_choice(text, options, multi)
    if laws.is_chosen(text, 50):
        laws.obey_linear(lambda long: parse_choice(long, options, multi), text)


def music_laws(text):
    laws.obey_music(text)
    if laws.is_chosen(text, 50):
        laws.obey_linear(lambda long: parse_music(long, laws.FIELDS, 60.0), text)


FOUND = [
    '{"answer":nsw',
    '{"answer":  C',
    "{'answer': پ\u0602",
    "ANSWER: [A, C\ufffd",
    '{"answer": {g',
    "Answer:[\x00\n**C**",
]
FOUND += ["{answer: A|", "[[[x] ERROR timeut", '{"answer":\ufffd\ufffdH\ufffd']
FOUND_IN_MUSIC = ['{"tempo": 12', "0"]


@pytest.mark.parametrize("text", FOUND)
def test_what_was_found_in_choices_stays_mended(text):
    for options in laws.OPTION_LISTS:
        for multi in (False, True):
            laws.obey_choice(text, options, multi)


@pytest.mark.parametrize("text", FOUND_IN_MUSIC)
def test_what_was_found_in_music_stays_mended(text):
    laws.obey_music(text)


@few
@given(texts, st.sampled_from(laws.OPTION_LISTS), st.booleans())
def test_laws_hold_for_choices(text, options, multi):
    laws.obey_choice(text, options, multi)


@few
@given(texts)
def test_laws_hold_for_music(text):
    laws.obey_music(text)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@many
@given(texts, st.sampled_from(laws.OPTION_LISTS), st.booleans())
def test_laws_hold_for_many_choices(text, options, multi):
    choice_laws(text, options, multi)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@many
@given(texts)
def test_laws_hold_for_much_music(text):
    music_laws(text)


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 600)
@pytest.mark.parametrize("parser", ["choice", "music"])
@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris is missing: install musebench-tasks[fuzz]"
)
def test_a_fuzzer_guided_by_coverage_finds_nothing(parser, tmp_path):
    command = [
        sys.executable,
        PROGRAM,
        parser,
        f"-max_total_time={SECONDS}",
        f"-artifact_prefix={tmp_path}/",
        tmp_path / "c",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted(tmp_path.glob("crash-*"))
    assert done.returncode == 0, f"{[path.read_bytes() for path in found]}\n{done.stderr[-4000:]}"
    assert "DONE" in done.stderr
