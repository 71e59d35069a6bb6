"""Every statement and worked number of answers.md 4 on structured answers, in the order of the page."""

import pytest

from musebench_tasks.answers import parse_key, parse_music, parse_segments, parse_tempo, parse_time_signature

FIELDS = ("tempo", "key", "time_signature", "segments")
TWO = [[0, 20, "verse"], [20, 60, "chorus"]]
OBJECT = '{"tempo": 120, "key": "A minor", "time_signature": "6/8", "segments": [[0, 20, "verse"], [20, 60, "chorus"]]}'


def values(text):
    answer = parse_music(text, FIELDS, 60.0)
    found = {name: field.value for name, field in answer.items()}
    if found["segments"] is not None:
        found["segments"] = [[each["start_s"], each["end_s"], each["label"]] for each in found["segments"]]
    return found


EVERYTHING = {"tempo": 120, "key": "A minor", "time_signature": "6/8", "segments": TWO}
# "Tried in order" and "Tolerated"
WRAPPED = {
    "as it is": OBJECT,
    "fenced": f"```json\n{OBJECT}\n```",
    "no closing fence": f"```json\n{OBJECT}",
    "other fences before it": f"```bash\nls {{a}}\n```\nThen:\n```json\n{OBJECT}\n```",
    "balanced in prose": f"For {{clip}} I hear [quietly]: {OBJECT}. See bars [4, 8] and {{notes}}.",
    "trailing commas": OBJECT.replace("]]}", "],],}"),
    "missing commas": OBJECT.replace('"A minor",', '"A minor"').replace("], [", "] ["),
    "surplus closing bracket": OBJECT + "}]",
    "single quotes": OBJECT.replace('"', "'"),
    "curly quotes": OBJECT.replace('"', "”"),
    "unquoted keys": OBJECT.replace('"tempo"', "tempo").replace('"key"', "key"),
    "comments": OBJECT.replace(' "key"', ' // counted\n "key"').replace("120,", "120, /* { */"),
    "full-width digits": OBJECT.replace("120", "１２０"),
    "encoded twice": '"' + OBJECT.replace('"', '\\"') + '"',
    "Python tuples": OBJECT.replace("[", "(").replace("]", ")"),
    "unquoted fraction": OBJECT.replace('"6/8"', "6/8"),
    "backticks in a string": OBJECT.replace("{", '{"why": "the `kick`, ```loud```", ', 1),
    "JSON lines": OBJECT.replace(', "key"', '}\n{"key"'),
    "in an array": f"[{OBJECT}]",
    "in another field": f'{{"analysis": {OBJECT}}}',
    "the same twice": f"{OBJECT}\n{OBJECT}",
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_json_is_found_and_read_tolerantly(text):
    assert values(text) == EVERYTHING


DRESS = [
    "{}",
    "\n\n{}\n\n\n",
    "<think>Tempo: 90, F major.</think>\n{}",
    "  {}  ",
    "\u200b{}",
    "Here it is:\n\n{}\n\nBest!",
]


@pytest.mark.parametrize("dress", DRESS)
@pytest.mark.parametrize("text", [OBJECT, f"```\n{OBJECT}\n```", OBJECT.replace('"key"', '"clef"')])
def test_blank_lines_traces_and_prose_around_change_nothing(dress, text):
    assert values(dress.format(text)) == values(text)


NAMES = {
    "tempo": ("tempo", "bpm", "tempo_bpm"),
    "key": ("key",),
    "time_signature": ("time_signature", "meter", "metre"),
    "segments": ("segments", "sections"),
}
VALUES = {"tempo": "120", "key": '"A minor"', "time_signature": '"6/8"', "segments": "[[0, 60]]"}
OTHER_NAMES = {
    "tempo": ("speed", "beats", "tempi", "Tempo (BPM)"),
    "key": ("musical_key", "tonality", "keys"),
    "time_signature": ("timeSignature", "signature", "ts"),
    "segments": ("structure", "parts", "boundaries"),
}


@pytest.mark.parametrize(("field", "name"), [(field, name) for field, names in NAMES.items() for name in names])
def test_known_names_are_read(field, name):
    for spelled in (name, name.upper(), name.replace("_", " "), name.replace("_", "-")):
        answer = parse_music(f'{{"{spelled}": {VALUES[field]}}}', FIELDS, 60.0)
        assert answer[field].status == "ok"
        assert {str(other.status) for other_field, other in answer.items() if other_field != field} == {"unparsed"}


@pytest.mark.parametrize(("field", "name"), [(field, name) for field, names in OTHER_NAMES.items() for name in names])
def test_other_names_are_not_read(field, name):
    answer = parse_music(f'{{"{name}": {VALUES[field]}}}', FIELDS, 60.0)[field]
    assert (str(answer.status), answer.rule) == ("unparsed", "no_answer")


START_AND_END = [("start", "end"), ("start_s", "end_s"), ("start_time", "end_time"), ("start", "end_time")]


@pytest.mark.parametrize(("start", "end"), START_AND_END)
def test_known_names_of_boundaries(start, end):
    assert parse_segments(f'[{{"{start}": 0, "{end}": 60, "label": "a"}}]', 60).value == [[0, 60, "a"]]


TEMPI = {
    **{"120": 120, "120 bpm": 120, "~128": 128, "1.2e2": 120, "98,5": 98.5, "118-122": 120, "100-108": 104},
    **{"♩ = 128": 128, "♩. = 60": 60, "10": 10, "600": 600, "599.999": 599.999, "60 or 120": None, "2:05": None},
    **{"100-108.1": None, "9.999": None, "600.001": None, "1,200": None, "0,120": None, "98,50": 98.5},
}


@pytest.mark.parametrize(("text", "value"), TEMPI.items())
def test_tempo_strings(text, value):
    assert parse_tempo(f'{{"tempo": "{text}"}}').value == value
    assert parse_tempo(text).value == value


LOOSE = {
    **{
        "Allegro (132)": 132,
        "fast, around 160": 160,
        "rubato, ~60": 60,
        "No. 5 in C minor, 108": 108,
        "Track 12": None,
    },
    **{"Op. 27": None, "bars 12-20": None, "in 4": None, "recorded in 1985": None, "80s style": None, "> 120": None},
    **{"varies between 90 and 120": None, "2 beats per second": None, "12O": None, "44.1 kHz": None, "50 %": None},
}


@pytest.mark.parametrize(("text", "value"), LOOSE.items())
def test_a_number_among_words_of_a_tempo_string(text, value):
    assert parse_tempo(f'{{"tempo": "{text}"}}').value == value


def test_flags_of_tempo():
    assert parse_tempo("118-122").flags == ("range",)
    assert parse_tempo("♩. = 60").flags == ("beat_unit",)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "true", "null", '"NaN"', "[]", "{}", "[118, 122]"])
def test_what_is_no_number(text):
    assert parse_tempo(f'{{"tempo": {text}}}').value is None


def test_null_is_not_zero():
    assert [parse_tempo(f'{{"tempo": {text}}}').status for text in ("null", "0")] == ["unparsed", "out_of_range"]


def test_a_cut_value_counts_only_before_a_delimiter():
    answer = parse_tempo('{"tempo": 128, "why": "the k')
    assert (answer.value, answer.flags) == (128, ("truncated",))
    for text in ('{"tempo": 128', '{"tempo": 128\n\n', '{"tempo": "128', '{"tempo": [128'):
        assert parse_tempo(text).value is None


KEYS = {
    **{"C# minor": "C# minor", "Db minor": "C# minor", "Am": "A minor", "AM": "A major", "8A": "A minor"},
    **{"A harmonic minor": "A minor", "H-Moll": "B minor", "la mineur": "A minor", "A": None, "a": None},
    **{
        "D Dorian": None,
        "X": None,
        "unknown": None,
        "C major / A minor": None,
        "starts in D major, ends in E major": None,
    },
}


@pytest.mark.parametrize(("text", "value"), KEYS.items())
def test_key_strings(text, value):
    assert parse_key(f'{{"key": "{text}"}}').value == value


PROSE_KEYS = {
    **{"It is in A minor.": "A minor", "It is a minor work.": None, "in a minor": None, "an A minor third": None},
    **{"an A minor chord": None, "an A minor change": None, "the C major octave": None, "It is in Am": None},
}


@pytest.mark.parametrize(("text", "value"), PROSE_KEYS.items())
def test_keys_in_prose(text, value):
    assert parse_key(text).value == value


METRES = {
    **dict.fromkeys(("6/8", "6-8", "6⁄8", "6 over 8", "6/8 time", "six-eight", "６／８", "6:8"), "6/8"),
    **dict.fromkeys(("C", "c", "common", "common time", "𝄴", "4/4"), "4/4"),
    **dict.fromkeys(("cut", "cut time", "alla breve", "C|", "¢", "𝄵", "2/2"), "2/2"),
    **dict.fromkeys(
        ("4", "waltz", "5/3", "4/0", "0/4", "33/4", "4/64", "4/4/4", "-4/4", "4/4 then 7/8", "3.5", ""), None
    ),
    **{"32/32": "32/32", "1/1": "1/1", "12/8": "12/8", "2/4": "2/4", "3:4": "3/4"},
}


@pytest.mark.parametrize(("text", "value"), METRES.items())
def test_time_signature_strings(text, value):
    assert parse_time_signature(f'{{"time_signature": "{text}"}}').value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("[6, 8]", "6/8"), ("(6, 8)", "6/8"), ('{"numerator": 6, "denominator": 8}', "6/8"), ("6/8", "6/8")],
)
def test_time_signature_shapes(text, value):
    assert parse_time_signature(f'{{"time_signature": {text}}}').value == value


@pytest.mark.parametrize("text", ["4", '"4"', "4.0", '"4 beats per bar"', '{"numerator": 4}'])
def test_no_denominator_no_answer(text):
    answer = parse_time_signature(f'{{"time_signature": {text}}}')
    assert (answer.value, answer.rule) == (None, "no_denominator")


SHAPES = [
    '[{"start": 0, "end": 20, "label": "verse"}, {"start": 20, "end": 60, "label": "chorus"}]',
    '[[0, 20, "verse"], [20, 60, "chorus"]]',
    '{"segments": [[0, 20], [20, 60]], "labels": ["verse", "chorus"]}',
    '{"segments": {"verse": [0, 20], "chorus": [20, 60]}}',
    '{"segments": {"verse": [[0, 20]], "chorus": [[20, 60]]}}',
    '{"segments": [0, 20, 60], "labels": ["verse", "chorus"]}',
    '(0, 20, "verse"), (20, 60, "chorus")',
    "- verse: 0:00 - 0:20\n- chorus: 0:20 - 1:00",
    '[["0", "20s", "verse"], ["0:20", "0:01:00.0", "chorus"]]',
    '{"segments": {"0:00-0:20": "verse", "0:20-1:00": "chorus"}}',
    "{\"segments\": \"[[0, 20, 'verse'], [20, 60, 'chorus']]\"}",
    '[{"start": 0, "start_time": "0:00", "end": 20, "label": "verse"},'
    ' {"start_s": 20, "end_s": 60, "label": "chorus"}]',
]


@pytest.mark.parametrize("text", SHAPES)
def test_shapes_of_segments(text):
    answer = parse_segments(text, 60)
    assert (answer.value, answer.flags) == (TWO, ())


CLEANED = [
    ("[[20, 60], [0, 20]]", [[0, 20, ""], [20, 60, ""]], {"sorted"}),
    ("[[0, 20], [20, 60.5]]", [[0, 20, ""], [20, 60, ""]], {"clipped"}),
    ("[[0, 20], [20, 60.500001]]", [[0, 20, ""], [20, 60, ""]], {"clipped", "clipped_far"}),
    ("[[-0.5, 60]]", [[0, 60, ""]], {"clipped"}),
    ("[[0, 20], [60, 61]]", [[0, 20, ""]], {"dropped"}),
    ("[[0, 20.05], [20, 60]]", [[0, 20, ""], [20, 60, ""]], {"snapped"}),
    ("[[5, 20], [20, 60]]", [[5, 20, ""], [20, 60, ""]], {"gaps"}),
    ("[[0, 20], [30, 60]]", [[0, 20, ""], [30, 60, ""]], {"gaps"}),
    ("[[0, 20], [20,", [[0, 20, ""]], {"truncated"}),
    ("[[1.05, 2]]", [[1.05, 2, ""]], {"gaps"}),
    ('{"segments": []}', [], set()),
    ("[]", [], set()),
]


@pytest.mark.parametrize(("text", "value", "flags"), CLEANED)
def test_segments_are_cleaned(text, value, flags):
    answer = parse_segments(text, 60)
    assert (answer.value, set(answer.flags)) == (value, flags)


INVALID = ["[[0, 20.050001], [20, 60]]", "[[20, 20]]", "[[50, 30]]", "[[0, 20], [0, 20]]", "[[0, NaN]]", "[[null, 20]]"]
INVALID += [
    "[[false, 20]]",
    "[[12000, 20000]]",
    "[[61, 62]]",
    '[["0%", "50%"]]',
    '[["0ms", "500ms"]]',
    "[[162.922, 162.907]]",
]


@pytest.mark.parametrize("text", INVALID)
def test_invalid_segments_are_out_of_range(text):
    answer = parse_segments(f'{{"segments": {text}}}', 60)
    assert (answer.value, str(answer.status)) == (None, "out_of_range")
