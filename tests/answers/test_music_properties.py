"""Readings of music answers that hold for whole families of texts: spellings, wrappings, sizes."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.answers import parse_key, parse_music, parse_segments, parse_tempo, parse_time_signature
from musebench_tasks.values import PitchKey, key_name, parse_key_name

FIELDS = ("tempo", "key", "time_signature", "segments")
READERS = (
    parse_tempo,
    parse_key,
    parse_time_signature,
    lambda text: parse_segments(text, 60.0),
    lambda text: parse_music(text, FIELDS, 60.0),
)
LETTERS = dict(zip("CDEFGAB", (0, 2, 4, 5, 7, 9, 11), strict=True))
SIGNS = {
    **{"": 0, "#": 1, "♯": 1, "-sharp": 1, " sharp": 1, "b": -1, "♭": -1, "-flat": -1, " flat": -1},
    **{"##": 2, "𝄪": 2, "bb": -2, "𝄫": -2, " double flat": -2, " double sharp": 2},
}
MODES = {"major": "major", "Major": "major", "maj": "major", "minor": "minor", "Minor": "minor", "min": "minor"}
SPELLINGS = [
    (f"{letter}{sign} {mode}", PitchKey((pitch + shift) % 12, MODES[mode]))
    for (letter, pitch), (sign, shift), mode in itertools.product(LETTERS.items(), SIGNS.items(), MODES)
]


def test_every_spelling_is_read_back_in_json_and_in_prose():
    for text, key in SPELLINGS:
        name = key_name(key)
        assert parse_key_name(text) == key, text
        for response in (text, f'{{"key": "{text}"}}', f"Key: {text}", f"The piece is in {text}.", f"**{text}**"):
            assert parse_key(response).value == name, response


def test_lower_case_and_short_spellings_are_read_back_in_json():
    for text, key in SPELLINGS:
        for spelled in (text.lower(), text.replace(" m", ":m"), text.replace(" m", "_m")):
            assert parse_key(f'{{"key": "{spelled}"}}').value == key_name(key), spelled
    for (letter, pitch), sign in itertools.product(LETTERS.items(), ("", "#", "b")):
        for mark, mode in (("m", "minor"), ("M", "major")):
            expected = key_name(PitchKey((pitch + SIGNS[sign]) % 12, mode))
            assert parse_key(f'{{"key": "{letter}{sign}{mark}"}}').value == expected


NAMES = {
    **{
        "German": [
            "C-Dur",
            "Cis-Dur",
            "D-Dur",
            "Es-Dur",
            "E-Dur",
            "F-Dur",
            "Fis-Dur",
            "G-Dur",
            "As-Dur",
            "A-Dur",
            "B-Dur",
            "H-Dur",
        ]
    },
    **{"Chinese": [f"{each}大调" for each in ("C", "升C", "D", "降E", "E", "F", "升F", "G", "降A", "A", "降B", "B")]},
    **{
        "Japanese": [
            f"{each}長調" for each in ("ハ", "嬰ハ", "ニ", "変ホ", "ホ", "ヘ", "嬰ヘ", "ト", "変イ", "イ", "変ロ", "ロ")
        ]
    },
    **{
        "Korean": [
            f"{each}장조"
            for each in ("다", "올림다", "라", "내림마", "마", "바", "올림바", "사", "내림가", "가", "내림나", "나")
        ]
    },
    **{
        "French": [
            f"{each} majeur"
            for each in ("do", "do dièse", "ré", "mi bémol", "mi", "fa", "fa dièse", "sol", "la bémol", "la")
        ]
    },
    **{
        "Spanish": [
            f"{each} mayor"
            for each in ("do", "do sostenido", "re", "mi bemol", "mi", "fa", "fa sostenido", "sol", "la bemol")
        ]
    },
    **{
        "Italian": [
            f"{each} maggiore"
            for each in ("do", "do diesis", "re", "mi bemolle", "mi", "fa", "fa diesis", "sol", "la bemolle")
        ]
    },
    **{
        "Portuguese": [
            f"{each} maior"
            for each in ("dó", "dó sustenido", "ré", "mi bemol", "mi", "fá", "fá sustenido", "sol", "lá bemol")
        ]
    },
    **{
        "Russian": [
            f"{each} мажор"
            for each in ("до", "до диез", "ре", "ми бемоль", "ми", "фа", "фа диез", "соль", "ля бемоль", "ля")
        ]
    },
}
TO_MINOR = {"Dur": "Moll", "大调": "小调", "長調": "短調", "장조": "단조", "majeur": "mineur", "mayor": "menor"}
TO_MINOR |= {"maggiore": "minore", "maior": "menor", "мажор": "минор"}


@pytest.mark.parametrize("language", NAMES)
def test_names_of_other_languages(language):
    for pitch_class, major in enumerate(NAMES[language]):
        word = next(each for each in TO_MINOR if each in major)
        for text, mode in ((major, "major"), (major.replace(word, TO_MINOR[word]), "minor")):
            expected = key_name(PitchKey(pitch_class, mode))
            assert parse_key(text).value == expected, text
            assert parse_key(f'{{"key": "{text}"}}').value == expected, text
            assert parse_key(f"Key: {text}.").value == expected, text


def test_both_wheels_are_fifths():  # music_metrics.md 1.2
    for hour in range(12):
        major, minor = PitchKey(7 * hour % 12, "major"), PitchKey((7 * hour + 9) % 12, "minor")
        camelot, open_key = (hour + 7) % 12 + 1, hour + 1
        for code, key in (
            (f"{camelot}B", major),
            (f"{camelot}A", minor),
            (f"{open_key}d", major),
            (f"{open_key}m", minor),
        ):
            assert parse_key_name(code) == parse_key_name(f"{code:0>3}") == key, code
            assert parse_key(f'{{"key": "{code}"}}').value == key_name(key), code


OBJECTS = [
    '{"tempo": 97.5, "key": "Bb minor", "time_signature": "12/8", "segments": [[0, 30, "A"], [30, 60, "B"]]}',
    '{"tempo": "fast", "key": "X", "time_signature": 4, "segments": null}',
    '{"tempo": "60 or 120", "key": "C major / A minor", "time_signature": "3/4 or 6/8", "segments": [[9, 3]]}',
    "Tempo: 97.5 BPM\nKey: Bb minor\nTime signature: 12/8\n- A: 0:00 - 0:30\n- B: 0:30 - 1:00",
    "I am not able to listen to this recording.",
]
WRAPS = [
    "{}",
    "```json\n{}\n```",
    "```\n{}\n```",
    "\n\n{}\n\n",
    "<think>\nTempo: 60 BPM in G major, 3/4.\n</think>\n\n{}",
    "{}</s>",
]
WRAPS += ["<|start|>{}<|end|>", "\ufeff{}", "Result:\n{}", '<thinking>{{"tempo": 1}}</thinking>{}', "> x</think>{}"]


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("text", OBJECTS)
def test_wrapping_changes_nothing(wrap, text):
    plain = {name: (field.value, field.status) for name, field in parse_music(text, FIELDS, 60.0).items()}
    wrapped = parse_music(wrap.format(text), FIELDS, 60.0)
    assert {name: (field.value, field.status) for name, field in wrapped.items()} == plain


@given(
    st.floats(10, 600).map(lambda value: round(value, 3)),
    st.sampled_from(["{} BPM", "Tempo: {}", '{{"bpm": {}}}', "~{} bpm"]),
)
def test_any_tempo_is_read_back(value, form):
    assert parse_tempo(form.format(value)).value == value


@given(
    st.integers(1, 32),
    st.sampled_from([1, 2, 4, 8, 16, 32]),
    st.sampled_from(["{}/{}", "in {}/{} time", '{{"meter": [{}, {}]}}']),
)
def test_any_time_signature_is_read_back(numerator, denominator, form):
    assert parse_time_signature(form.format(numerator, denominator)).value == f"{numerator}/{denominator}"


@given(st.lists(st.integers(0, 3600), min_size=2, max_size=12, unique=True).map(sorted))
def test_any_segments_are_read_back_in_every_form(times):
    rows = list(itertools.pairwise(times))
    expected = [[start, end, f"part {number}"] for number, (start, end) in enumerate(rows)]
    clock = [f"{second // 60}:{second % 60:02}" for second in times]
    lines = [f"- part {number}: {clock[number]} - {clock[number + 1]}" for number in range(len(rows))]
    table = [f"| part {number} | {clock[number]} | {clock[number + 1]} |" for number in range(len(rows))]
    forms = [
        str(expected).replace("'", '"'),
        "\n".join(lines),
        "\n".join(["| Section | Start | End |", "|---|---|---|", *table]),
        str({"segments": [{"start": start, "end": end, "label": label} for start, end, label in expected]}),
        f"{{'segments': {times}, 'labels': {[label for *_, label in expected]}}}",
    ]
    for text in forms:
        assert parse_segments(text, 3600.0).value == expected, text


UNITS = [
    '{"tempo": 120} ',
    "key is C major ",
    "Tempo: 120 BPM. ",
    "4/4 or ",
    "升C大调",
    "| a | b |\n|---|---|\n",
    "0:00 - 0:10 intro, ",
]
UNITS += [
    "[[0, 1, 'a'], ",
    '{"segments": [',
    "one hundred ",
    "e.g. 120 BPM ",
    "\\boxed{4/4} ",
    '"\\"',
    "chords: C major, ",
    "// 1\n",
    "½٣①",
]


def cpu_seconds(read, text):
    start = time.process_time()
    read(text)
    return time.process_time() - start


@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_the_length(unit):
    short, long = (unit * (length // len(unit)) for length in (2_000, 8_000))
    for read in READERS[4:]:
        assert any(cpu_seconds(read, long) < 10 * cpu_seconds(read, short) + 0.02 for _ in range(6))


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("unit", UNITS[::3])
def test_a_megabyte_is_read_in_linear_time(unit):
    short, long = (unit * (length // len(unit)) for length in (100_000, 1_000_000))
    for read in READERS:
        assert any(cpu_seconds(read, long) < 20 * cpu_seconds(read, short) + 0.1 for _ in range(3))
