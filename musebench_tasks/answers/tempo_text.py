"""Tempo in text: a number of beats per minute (answers.md 4, "Tempo"). Nothing is rescaled or halved."""

import re
from decimal import Decimal
from typing import NamedTuple

from musebench_tasks.answers.assertion import is_negated_after, is_negated_before
from musebench_tasks.answers.outcomes import MusicAnswer
from musebench_tasks.records import Status

SLOWEST_BPM, FASTEST_BPM = 10, 600
"""Bounds of an admissible tempo; they hold every octave variant of 47 to 180 BPM."""

_NUMBER = r"\d{1,12}(?:[.,]\d{1,12}){0,3}(?:[eE][+-]?\d{1,3})?"
_ABOUT = r"(?:(?:about|approximately|approx\.?|around|circa|ca?\.|roughly|nearly|almost|~|≈|≃|±) ?){0,2}"
_UNIT = r"(?:bpm\b|b\.p\.m\.?|beats? (?:per|a|/) ?minute|beats?/min(?:ute)?)"
_RANGE_JOINT = r" ?(?:-|–|~|to|bis) ?"
_LIST_JOINT = r" ?(?:,|/|or|and|&|;|oder|或) ?(?:or |and )?"
_CLUSTER = rf"(?P<low>{_NUMBER})(?:(?:(?P<range>{_RANGE_JOINT})|{_LIST_JOINT}){_ABOUT}(?P<high>{_NUMBER}))?"
_WHOLE = re.compile(rf"{_ABOUT}(?P<sign>-?){_CLUSTER} ?{_UNIT}?", re.IGNORECASE)
_BEAT = (
    r"(?P<dotted>dotted[ -])?(?P<beat>♩|♪|𝅗𝅥|𝅘𝅥𝅮|𝅘𝅥"
    r"|(?:quarter|crotchet|half|minim|eighth|quaver)(?:[ -]?note)?|M\.?M\.?)(?P<dot> ?\.)?"
)
_MARK = re.compile(rf"{_BEAT} ?[=:] ?{_ABOUT}{_CLUSTER}(?![:/\d])", re.IGNORECASE)
_BOUND_AFTER = re.compile(rf"(?<![\d.,:/\w-]){_CLUSTER} ?-?{_UNIT}", re.IGNORECASE)
_BOUND_BEFORE = re.compile(
    rf"\b(?P<cue>tempo|bpm|beats per minute)\b[\"')]?(?: ?\(bpm\))?"
    r"(?: (?:of (?:the|this) (?:song|piece|track|music|clip|recording|excerpt)|here))?"
    r"(?: ?[:=] ?| (?:is|was|of|at|seems? to be|appears? to be|would be|must be|should be|sits at))"
    rf" ?(?:(?:most likely|probably|likely|clearly|exactly|a|the) )?{_ABOUT}{_CLUSTER}"
    r"(?! ?(?:%|x\b|times|seconds?|bars?|measures?|hz|/|:|ms\b)|\d|[.,]\d)",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"(?<!\d)(?:\d{1,12}:\d{1,12}(?::\d{1,12})?(?:\.\d{1,12})?|\d{1,12} ?[/⁄] ?\d{1,12}(?! ?bpm)"
    r"|\d{1,12}(?:\.\d{1,12})?[ -]?(?:bars?|measures?|seconds?|secs?|s|ms|min(?:utes?)?|k?hz|db|%|percent|times"
    r"|x|st|nd|rd|th|beats?(?! (?:per|a|/)|/))\b)",
    re.IGNORECASE,
)
_LOOSE = re.compile(rf"(?<![\d.,:/\w]){_CLUSTER}(?![\d:/])", re.IGNORECASE)


class _Bpm(NamedTuple):
    """A tempo found, with its flags; `value` is None where two tempi stand side by side."""

    value: Decimal | None
    flags: tuple[str, ...] = ()


def read_tempo_number(value: Decimal, rule: str, flags: tuple[str, ...] = ()) -> MusicAnswer:
    """A number as tempo: within the bounds or out of range."""
    if not value.is_finite() or not SLOWEST_BPM <= value <= FASTEST_BPM:
        return MusicAnswer(None, Status.OUT_OF_RANGE, rule)
    return MusicAnswer(float(value), Status.OK, rule, flags)


def read_tempo_text(text: str, rule: str, *, prose: bool) -> MusicAnswer:
    """The tempo that `text` (single blanks) is or holds. In prose only numbers bound to BPM or to a beat count."""
    whole = _WHOLE.fullmatch(text.strip(" .\"'\n*"))
    if whole is not None:
        found = _evaluate(whole)
        if whole["sign"] and found.value is not None:
            return MusicAnswer(None, Status.OUT_OF_RANGE, rule)
        return _judge([found], rule)
    marks = [_marked(match) for match in _MARK.finditer(text)]
    declared = [_evaluate(match) for match in _BOUND_BEFORE.finditer(text) if _is_asserted(text, match)]
    if declared:
        return _judge([declared[-1], *marks], rule)
    bound = [_evaluate(match) for match in _BOUND_AFTER.finditer(text) if _is_asserted(text, match)]
    if marks or bound or prose:
        return _judge([*marks, *bound], rule)
    quiet = _NOISE.sub(" ", text)
    return _judge([_evaluate(match) for match in _LOOSE.finditer(quiet) if _is_asserted(quiet, match)], rule)


def _is_asserted(text: str, match: re.Match[str]) -> bool:
    return not (is_negated_before(text, match.start()) or is_negated_after(text, match.end()))


def _judge(found: list[_Bpm], rule: str) -> MusicAnswer:
    if not found:
        return MusicAnswer(None, Status.UNPARSED, "no_answer")
    values = {each.value for each in found}
    value = found[0].value
    if len(values) > 1 or value is None:
        return MusicAnswer(None, Status.UNPARSED, "ambiguous")
    flags = tuple(dict.fromkeys(flag for each in found for flag in each.flags))
    return read_tempo_number(value, rule, flags)


def _marked(match: re.Match[str]) -> _Bpm:
    """A metronome mark: the number is the rate of its beat; any beat but the plain quarter is flagged."""
    found = _evaluate(match)
    plain_beat = match["beat"].lower()[:7] in ("♩", "𝅘𝅥", "quarter", "crotche", "mm", "m.m.", "m.m")
    if plain_beat and not match["dotted"] and not (match["dot"] and match["beat"] in "♩𝅘𝅥"):
        return found
    return found._replace(flags=(*found.flags, "beat_unit"))


def _evaluate(match: re.Match[str]) -> _Bpm:
    low = _number(match["low"])
    if match["high"] is None:
        return _Bpm(low)
    high = _number(match["high"])
    if low is None or high is None:
        return _Bpm(None)
    if low == high:
        return _Bpm(low)
    if match["range"] and low < high and 25 * high <= 27 * low:
        return _Bpm((low + high) / 2, ("range",))
    return _Bpm(None)


def _number(text: str) -> Decimal | None:
    """A decimal number; a comma before exactly three digits separates thousands, any other comma is decimal."""
    mantissa, mark, exponent = re.sub("[eE]", "e", text).partition("e")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", mantissa):
        mantissa = mantissa.replace(",", "")
    elif re.fullmatch(r"\d+,\d+", mantissa):
        mantissa = mantissa.replace(",", ".")
    elif not re.fullmatch(r"\d+(?:\.\d+)?", mantissa):
        return None
    return Decimal(mantissa + mark + exponent)
