"""When a note sounds: from quarter notes to seconds, exact, with changes of speed, rubato and groove."""

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from dataset_scripts.hummusqa.make.score import Passage, Piece, beat_quarters
from dataset_scripts.mub.make.tunes import bar_quarters

GROOVES = {"": Fraction(1, 2), "swing": Fraction(2, 3), "dotted": Fraction(3, 4)}
"""Where the second eighth of a quarter falls."""
PHRASE_BARS = 4


class Beat(NamedTuple):
    """A beat: its place in quarters and seconds, and seconds a quarter."""

    start: Fraction
    start_s: Fraction
    pace: Fraction


class Clock(NamedTuple):
    """The beats of a recording, one after the other, and where each passage begins and ends in quarters."""

    beats: tuple[Beat, ...]
    spans: tuple[tuple[Fraction, Fraction], ...]
    groove: str

    def seconds(self, position: Fraction) -> Fraction:
        """When a position in quarters is reached."""
        warped = grooved(position, self.groove)
        index = max(0, bisect_right(self.beats, warped, key=lambda beat: beat.start) - 1)
        beat = self.beats[index]
        return beat.start_s + (warped - beat.start) * beat.pace


def grooved(position: Fraction, groove: str) -> Fraction:
    """A position moved by the groove: the first half of each quarter is stretched, the second pressed."""
    quarter, inside = divmod(position, 1)
    middle = GROOVES[groove]
    if inside <= Fraction(1, 2):
        return quarter + inside * 2 * middle
    return quarter + middle + (inside - Fraction(1, 2)) * 2 * (1 - middle)


def pickup(piece: Piece, passage: Passage) -> Fraction:
    """How many quarters of a passage's melody sound before its first bar line."""
    if not passage.strain:
        return Fraction(0)
    return max(Fraction(0), -piece.tune.sections["AB".index(passage.strain)][0].start)


def make_clock(piece: Piece) -> Clock:
    """The beats of a recording; the first bar line waits for the pickup."""
    spans, position = [], Fraction(0)
    for passage in piece.excerpt.passages:
        end = position + piece.bars(passage) * bar_quarters(piece.metre)
        spans.append((position, end))
        position = end
    beats: list[Beat] = []
    first = next(iter(paces(piece, piece.excerpt.passages[0])))
    time = pickup(piece, piece.excerpt.passages[0]) * first
    length = beat_quarters(piece.metre)
    for passage, (start, _) in zip(piece.excerpt.passages, spans, strict=True):
        for number, pace in enumerate(paces(piece, passage)):
            beats.append(Beat(start + number * length, time, pace))
            time += length * pace
    return Clock(tuple(beats), tuple(spans), piece.excerpt.groove)


def paces(piece: Piece, passage: Passage) -> Iterator[Fraction]:
    """Seconds a quarter in each beat of a passage."""
    bar, beat = bar_quarters(piece.metre), beat_quarters(piece.metre)
    count = int(piece.bars(passage) * bar / beat)
    phrase = PHRASE_BARS * bar / beat
    last = passage.speed if passage.speed_end is None else passage.speed_end
    for number in range(count):
        speed = passage.speed + (last - passage.speed) * Fraction(number, max(count - 1, 1))
        yield stretch(passage.rubato, number % phrase / phrase) * 60 / (Fraction(piece.excerpt.bpm) * speed * beat)


def stretch(rubato: Fraction, place: Fraction) -> Fraction:
    """How much longer than written a beat lasts at a place (0 to 1) of its phrase: flowing first, then held back."""
    if place < Fraction(1, 2):
        return 1 - rubato / 2
    return 1 - rubato / 2 + (place - Fraction(1, 2)) * 2 * rubato * Fraction(7, 2)
