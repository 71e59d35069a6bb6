import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.values import PitchKey, key_name, parse_key_name, read_key_name, relative

KEYS = [PitchKey(pitch_class, mode) for mode in ("major", "minor") for pitch_class in range(12)]

# music_metrics.md 1.2, "Golden"
GOLDEN = {
    "0 major": ["C major", "B# major", "8B", "1d", "C:maj"],
    "0 minor": ["c minor", "5A"],
    "2 major": ["E double flat major", "E𝄫 major", "Ebb major"],
    "3 major": ["Es-Dur"],
    "4 major": ["Fb major", "12B"],
    "5 minor": ["E# minor"],
    "6 minor": [
        *("F# minor", "f#m", "F#m", "Fis-moll", "fis moll", "F sharp minor", "F-sharp minor", "F♯ minor"),
        *("F_sharp_minor", "f‑sharp minor", "fa dièse mineur", "Ges-Moll"),
    ],
    "6 major": ["Gb major", "G♭ major", "Ges-Dur"],
    "7 major": ["F## major", "Fx major", "F𝄪 major"],
    "8 major": ["As-Dur", "la bémol majeur"],
    "8 minor": ["1A", "6m", "01A"],
    "9 major": ["AM", "Amaj", "la maggiore", "A‐Dur"],
    "9 minor": ["Am", "A MINOR", "8A", "08A", "1m", "A:min", "la mineur", "A harmonic minor", " a natural minor "],
    "10 major": ["Bb major", "B-Dur", "Bes-Dur", "si bemol mayor"],
    "10 minor": ["bb minor"],
    "11 major": ["B major", "Cb major", "B♮ major"],
    "11 minor": ["H-moll", "h minor", "si menor"],
}
NO_KEY = ["C", "a", "13A", "0B", "X", "H#", "Hb minor", "", None, "D dorian", "unknown", "minor", "A harmonic major"]
NO_KEY += ["C major / A minor", "my C major", "C major chord", "N", "Es", "es major", "la", "0m", "13d", "9", "majör"]


@pytest.mark.parametrize(("expected", "text"), [(key, text) for key, texts in GOLDEN.items() for text in texts])
def test_golden_spellings(expected, text):
    key = parse_key_name(text)
    assert key is not None
    assert f"{key.pitch_class} {key.mode}" == expected


@pytest.mark.parametrize("text", NO_KEY)
def test_everything_else_is_no_key(text):
    assert parse_key_name(text) is None


# music_metrics.md 1.2: Camelot 1..12 = A (minor) / B (major)
CAMELOT = ["Abm/B", "Ebm/F#", "Bbm/C#", "Fm/Ab", "Cm/Eb", "Gm/Bb", "Dm/F", "Am/C", "Em/G", "Bm/D", "F#m/A", "C#m/E"]


@pytest.mark.parametrize(("hour", "pair"), list(enumerate(CAMELOT, 1)))
def test_camelot_wheel(hour, pair):
    minor, major = pair.split("/")
    assert parse_key_name(f"{hour}A") == parse_key_name(minor)
    assert parse_key_name(f"{hour}B") == parse_key_name(f"{major} major")


def test_minor_variants_are_flagged():
    assert read_key_name("A harmonic minor").flags == ("mode_variant",)
    assert read_key_name("A minor").flags == ()


@pytest.mark.parametrize("key", KEYS)
def test_names_are_read_back(key):
    assert parse_key_name(key_name(key)) == key


@pytest.mark.parametrize("key", KEYS)
def test_relative_is_its_own_inverse_and_changes_the_mode(key):
    assert relative(relative(key)) == key
    assert relative(key).mode != key.mode


def test_relative_of_a_major_is_three_semitones_below():
    assert relative(PitchKey(0, "major")) == PitchKey(9, "minor")
    assert relative(PitchKey(9, "minor")) == PitchKey(0, "major")


@given(st.text() | st.text(alphabet="ABCDEFGHabm#♯♭x -_:maj", max_size=80))
def test_any_text_is_a_key_or_none(text):
    key = parse_key_name(text)
    assert key is None or key in KEYS
