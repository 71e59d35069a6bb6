"""Key: a pitch class and a mode, read from the whole of a string (music_metrics.md 1.2).

Forms: English (`C# minor`, `F-sharp minor`, `Am`, `C:maj`), German with Dur/Moll (`Fis-Moll`, `B-Dur` = B flat),
solfège with a Romance mode word (`la mineur`), Camelot (`8A`) and Open Key (`1m`) codes. A tonic without a mode
is no key. Letter case counts only where it is all there is: `AM` is major, `Am` is minor.
"""

import re
import unicodedata
from typing import NamedTuple

MAJOR = "major"
MINOR = "minor"
TONICS = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
"""The canonical spelling of each pitch class."""

_LONGEST_TEXT = 64
_PLAIN = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_SOLFEGE = {"do": 0, "ut": 0, "re": 2, "mi": 4, "fa": 5, "sol": 7, "la": 9, "si": 11}
_SYMBOLS = str.maketrans({"♯": "#", "♭": "b", "𝄪": "##", "𝄫": "bb", "♮": None} | dict.fromkeys("‐‑‒–—―−", "-"))

_ACCIDENTAL = r"##|#|x|bb|b|(?i:double[ _-]sharp|double[ _-]flat|sharp|flat)"
_GAP = r"[\s_:-]*"
_ENGLISH = re.compile(
    rf"(?P<letter>[A-Ha-h])(?:{_GAP}(?P<accidental>{_ACCIDENTAL}))?{_GAP}"
    r"(?:(?P<variant>(?i:natural|harmonic|melodic))[\s-]+)?(?P<mode>(?i:major|maj|ma|minor|min|mi)|[Mm])"
)
_GERMAN_SHIFT = {"is": 1, "es": -1, "s": -1}
_GERMAN = re.compile(
    r"(?P<letter>[a-h])(?P<accidental>is|es|s|##|#|bb|b)?[\s_:-]*(?P<mode>dur|moll)",
    re.IGNORECASE,
)
_ROMANCE = re.compile(
    r"(?P<syllable>do|ut|re|mi|fa|sol|la|si)(?:[\s_-]*(?P<accidental>#|b|diese|diesis|sostenido|bemolle|bemol))?"
    r"[\s_:-]+(?P<mode>majeur|mineur|maggiore|minore|mayor|menor)",
    re.IGNORECASE,
)
_CAMELOT = re.compile(r"0?(?P<hour>[1-9]|1[0-2])(?P<ring>[ABab])")
_OPEN_KEY = re.compile(r"0?(?P<hour>[1-9]|1[0-2])(?P<ring>[dm])")


class PitchKey(NamedTuple):
    """A key: pitch class (C = 0 .. B = 11) and mode (`major` or `minor`)."""

    pitch_class: int
    mode: str


class KeyReading(NamedTuple):
    """A key and what is worth noting about its spelling (`mode_variant`: natural, harmonic or melodic minor)."""

    key: PitchKey
    flags: tuple[str, ...] = ()


def parse_key_name(text: str | None) -> PitchKey | None:
    """The key that the whole of `text` names, or None."""
    reading = read_key_name(text)
    return reading.key if reading else None


def read_key_name(text: str | None) -> KeyReading | None:
    """`parse_key_name` with flags."""
    if not isinstance(text, str) or len(text) > _LONGEST_TEXT:
        return None
    plain = unicodedata.normalize("NFKC", text).translate(_SYMBOLS).strip()
    for read in (_read_english, _read_german, _read_romance, _read_code):
        reading = read(plain)
        if reading is not None:
            return reading
    return None


def key_name(key: PitchKey) -> str:
    """The canonical spelling, for example `Eb major`."""
    return f"{TONICS[key.pitch_class]} {key.mode}"


def relative(key: PitchKey) -> PitchKey:
    """The key of the other mode with the same notes: relative of C major is A minor and the reverse."""
    if key.mode == MAJOR:
        return PitchKey((key.pitch_class + 9) % 12, MINOR)
    return PitchKey((key.pitch_class + 3) % 12, MAJOR)


def _shift(accidental: str | None) -> int:
    name = re.sub(r"[ _-]", " ", (accidental or "").lower())
    return {"": 0, "#": 1, "sharp": 1, "##": 2, "x": 2, "double sharp": 2, "b": -1, "flat": -1}.get(name, -2)


def _read_english(text: str) -> KeyReading | None:
    match = _ENGLISH.fullmatch(text)
    if match is None:
        return None
    letter, accidental, spelled = match["letter"].upper(), match["accidental"], match["mode"]
    mode = MAJOR if spelled == "M" or (len(spelled) > 1 and spelled.lower().startswith("ma")) else MINOR
    if (letter == "H" and accidental) or (match["variant"] and mode == MAJOR):
        return None
    pitch_class = 11 if letter == "H" else (_PLAIN[letter] + _shift(accidental)) % 12
    return KeyReading(PitchKey(pitch_class, mode), ("mode_variant",) if match["variant"] else ())


def _read_german(text: str) -> KeyReading | None:
    match = _GERMAN.fullmatch(text)
    if match is None:
        return None
    letter, accidental = match["letter"].upper(), (match["accidental"] or "").lower()
    if letter == "H" and accidental not in ("", "is"):
        return None
    if accidental == "s" and letter not in "AE":
        return None
    if letter == "B" and accidental not in ("", "es", "b"):
        return None
    if letter == "B":
        pitch_class = 10
    else:
        pitch_class = _PLAIN["B" if letter == "H" else letter] + _GERMAN_SHIFT.get(accidental, _shift(accidental))
    mode = MAJOR if match["mode"].lower() == "dur" else MINOR
    return KeyReading(PitchKey(pitch_class % 12, mode))


def _read_romance(text: str) -> KeyReading | None:
    decomposed = unicodedata.normalize("NFD", text)
    match = _ROMANCE.fullmatch("".join(each for each in decomposed if not unicodedata.combining(each)))
    if match is None:
        return None
    accidental = (match["accidental"] or "").lower()
    shift = 0 if not accidental else -1 if accidental.startswith("b") else 1
    mode = MAJOR if match["mode"].lower().startswith("ma") else MINOR
    return KeyReading(PitchKey((_SOLFEGE[match["syllable"].lower()] + shift) % 12, mode))


def _read_code(text: str) -> KeyReading | None:
    """Steps on both wheels are fifths: 8B = C and 8A = A minor (Camelot), 1d = C and 1m = A minor (Open Key)."""
    camelot, open_key = _CAMELOT.fullmatch(text), _OPEN_KEY.fullmatch(text)
    match = camelot or open_key
    if match is None:
        return None
    fifths = int(match["hour"]) - (8 if camelot else 1)
    if match["ring"] in "Bbd":
        return KeyReading(PitchKey(7 * fifths % 12, MAJOR))
    return KeyReading(PitchKey((9 + 7 * fifths) % 12, MINOR))
