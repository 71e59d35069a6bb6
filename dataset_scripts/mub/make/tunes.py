"""Tunes from three collections of the 18th and 19th century in music21's corpus, cut into exact sections.

A tune is usable if its first two strains are 4 or 8 whole bars each, no repeat has alternative endings, key and metre
never change, and music21's own key analysis of the notes agrees with the key written above them.
Nothing of a score is copied: the corpus is read from the installed package, which only building needs.
"""

import random
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.values import PitchKey, parse_key_name

FOLDERS = {
    "airdsAirs": "Aird's Airs (Glasgow, 1782-1803)",
    "oneills1850": "O'Neill's Music of Ireland (Chicago, 1903)",
    "ryansMammoth": "Ryan's Mammoth Collection (Boston, 1883)",
}
METRES = {"C": "4/4"}
SECTION_BARS = (4, 8)
MOST_ALIKE = 0.4
"""Share of notes that a third strain may have in common with an earlier one; with more it is a variation of it."""
TRANSCRIBERS = {
    "campin": "Jack Campin",
    "davies": "Ray Davies",
    "chambers": "John Chambers",
    "norbeck": "Henrik Norbeck",
    "safranek": "Bob Safranek",
    "o'nei": "Trish O'Neil",
    "petersen": "Dan G. Petersen",
    "walsh": "John B. Walsh",
    "hogan": "Michael Hogan",
    "foy": "Stephen Foy",
    "d. long": "Michael D. Long",
    "puckette": "Bob Puckette",
    "falt": "Chris Falt",
    "wooldridge": "Dave Wooldridge",
    "paap": "Norbert Paap",
    "keays": "Tom Keays",
    "thorpe": "Robert Thorpe",
    "worman": "A. Lee Worman",
    "terhorst": "Nick Terhorst",
    "hastings": "Ted Hastings",
    "mvhplank": "mvhplank",
    "de grae": "Paul de Grae",
}
"""Who transcribed the tunes, by what their credit lines say."""
BORDERS = re.compile(r":+\|+:*|\|+:+|::|\|\||\|\]|\[\|")
HEADER = re.compile(r"(?m)^([A-Za-z]):[ \t]*(.*?)\s*$")


class Note(NamedTuple):
    """A note of a section: quarters from its first downbeat (negative in a pickup), quarters long, MIDI pitches."""

    start: Fraction
    length: Fraction
    pitches: tuple[int, ...]


class Source(NamedTuple):
    """Where a tune stands: a file of the corpus and its number there; its title, key, metre, and who transcribed it.

    `strains` counts what its repeat signs and double bars part.
    """

    path: str
    number: int
    title: str
    key: PitchKey
    metre: str
    transcriber: str = ""
    strains: int = 2

    @property
    def tune_id(self) -> str:
        """A name for the composition, the same whoever renders it."""
        return f"{self.path.removesuffix('.abc').replace('/', '-')}-{self.number}"


class Tune(NamedTuple):
    """A usable tune: strains A and B, maybe C, and how many bars each is long."""

    source: Source
    sections: tuple[tuple[Note, ...], ...]
    bars: tuple[int, ...]


@cache
def corpus_directory() -> Path:
    """Where the installed music21 keeps its corpus."""
    import music21

    return Path(str(music21.common.getCorpusFilePath()))


@cache
def all_sources() -> tuple[Source, ...]:
    """Every tune of the three folders whose head names a major or minor key and one metre, in a fixed order."""
    sources = []
    for folder in sorted(FOLDERS):
        for path in sorted((corpus_directory() / folder).glob("*.abc")):
            text = path.read_text(encoding="utf-8", errors="replace")
            for part in re.split(r"(?m)^(?=X:)", text)[1:]:
                sources += list(read_head(f"{folder}/{path.name}", part))
    return tuple(sources)


def read_head(path: str, part: str) -> Iterator[Source]:
    """The source of one tune's ABC text, unless its head or its repeats rule it out."""
    head: dict[str, str] = {}
    for name, value in HEADER.findall(part):
        head.setdefault(name, value)
    credits = [value for name, value in HEADER.findall(part) if name == "Z"]
    tune = part[part.find("\nK:") :]
    changes = len(re.findall(r"(?m)^[KM]:|\[[KM]:", part)) != 2
    endings = re.search(r"[|\[][12]", tune) is not None
    key = parse_key_name(re.sub(r"^([A-G][#b]?)$", r"\1 major", head.get("K", "")))
    if key is not None and head.get("X", "").isdigit() and not changes and not endings:
        title = plain_title(head.get("T", ""))
        metre = METRES.get(head.get("M", ""), head.get("M", ""))
        yield Source(path, int(head["X"]), title, key, metre, transcriber(" ".join(credits)), count_strains(tune))


def transcriber(text: str) -> str:
    """Whom the `Z:` lines of a tune name; empty where nobody."""
    return next((name for sign, name in TRANSCRIBERS.items() if sign in text.casefold()), "")


def count_strains(tune: str) -> int:
    """How many stretches with notes lie between the repeat signs and double bars of ABC text that starts at its key."""
    lines = [line for line in tune.strip().splitlines()[1:] if not re.match(r"[A-Za-z]:|%", line)]
    return sum(re.search(r"[A-Ga-g]", part) is not None for part in BORDERS.split("\n".join(lines)))


def plain_title(text: str) -> str:
    """A title without the kind of tune and stray marks."""
    words = re.sub(r"[\":]", "", text.split(" -- ")[0]).strip(" .").split()
    return " ".join(word.capitalize() if word.isupper() else word for word in words)


def bar_quarters(metre: str) -> Fraction:
    """The length of a bar in quarter notes."""
    numerator, denominator = map(int, metre.split("/"))
    return Fraction(4 * numerator, denominator)


def candidates(metre: str, mode: str, seed: str) -> list[Source]:
    """Every tune in a metre and mode, in an order that `seed` decides."""
    chosen = [each for each in all_sources() if each.metre == metre and each.key.mode == mode]
    random.Random(seed).shuffle(chosen)
    return chosen


def find_source(path: str, number: int) -> Source:
    """The source at a place of the corpus."""
    return next(each for each in all_sources() if (each.path, each.number) == (path, number))


@cache
def load_tune(source: Source, strains: int = 2) -> Tune | None:
    """The first two strains of a tune, and up to `strains` where the next are usable and new; None if two are not."""
    import music21

    try:
        score = music21.converter.parse(corpus_directory() / source.path, number=source.number, forceSource=True)
        part = score.parts[0]
        analysed = part.analyze("key")
    except (music21.exceptions21.Music21Exception, AttributeError, IndexError, ValueError):
        return None
    if (analysed.tonic.pitchClass, analysed.mode) != tuple(source.key):
        return None
    bar = bar_quarters(source.metre)
    found: list[tuple[tuple[Note, ...], int]] = []
    for measures in split_sections(part)[:strains]:
        strain = section_notes(measures, bar)
        if strain is None or (len(found) > 1 and any(overlap(strain[0], each) > MOST_ALIKE for each, _ in found)):
            break
        found.append(strain)
    return (
        Tune(source, tuple(notes for notes, _ in found), tuple(bars for _, bars in found)) if len(found) > 1 else None
    )


def overlap(one: Sequence[Note], two: Sequence[Note]) -> float:
    """The share of a strain's notes that stand at the same place in another."""
    return len({note[::2] for note in one} & {note[::2] for note in two}) / len(one)


def split_sections(part: Any) -> list[list[Any]]:
    """The measures of a part, in groups that end at repeat signs and double bars."""
    groups: list[list[Any]] = [[]]
    for measure in part.getElementsByClass("Measure"):
        left, right = measure.leftBarline, measure.rightBarline
        if is_border(left) and groups[-1]:
            groups.append([])
        if measure.notesAndRests:
            groups[-1].append(measure)
        if is_border(right) and groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def is_border(barline: Any) -> bool:
    """Whether a section starts or ends at a barline."""
    return barline is not None and ("Repeat" in barline.classes or barline.type in ("double", "final"))


def section_notes(measures: list[Any], bar: Fraction) -> tuple[tuple[Note, ...], int] | None:
    """The notes of a strain and its number of bars, or None if its measures do not add up to 4 or 8 whole bars."""
    lengths = [Fraction(measure.duration.quarterLength) for measure in measures]
    pickup = lengths[0] if lengths[0] < bar else Fraction(0)
    inner = lengths[1:] if pickup else lengths
    whole = inner[:-1] if pickup else inner
    bars = sum(lengths) / bar
    if bars not in SECTION_BARS or any(length != bar for length in whole):
        return None
    notes: list[Note] = []
    position = -pickup
    for measure, length in zip(measures, lengths, strict=True):
        for element in measure.notes:
            if element.duration.isGrace:
                continue
            start = position + Fraction(element.offset)
            pitches = tuple(pitch.midi for pitch in element.pitches)
            if element.tie is not None and element.tie.type in ("stop", "continue") and notes:
                notes[-1] = notes[-1]._replace(length=notes[-1].length + Fraction(element.duration.quarterLength))
            else:
                notes.append(Note(start, Fraction(element.duration.quarterLength), pitches))
        position += length
    return tuple(notes), int(bars)
