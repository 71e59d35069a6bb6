"""Tempo in text: a number of beats per minute (answers.md 4, "Tempo"). Nothing is rescaled or halved."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from musebench_tasks.answers.musical_english import in_english
from musebench_tasks.answers.outcomes import MusicAnswer
from musebench_tasks.answers.stated import MusicDeclaration, is_stated, last_declared, sentence_around
from musebench_tasks.base.records import Status

SLOWEST_BPM, FASTEST_BPM = 10, 600
"""Bounds of an admissible tempo; they hold every octave variant of 47 to 180 BPM."""

_NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_BELOW_TWENTY = {word: number for number, word in enumerate(_NUMBER_WORDS, 1)}
_TENS = {
    word: 10 * number
    for number, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
}
_DIGIT_WORD = "|".join(_NUMBER_WORDS[:9])
_LONGEST_FIRST = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_BELOW_HUNDRED = rf"(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<unit>{_DIGIT_WORD}))?|(?P<small>{_LONGEST_FIRST}))"
_SPELLED = re.compile(
    rf"\b(?:(?P<hundreds>a|{_DIGIT_WORD})[ -]hundred(?:[ -](?:and[ -])?{_BELOW_HUNDRED})?"
    rf"|{_BELOW_HUNDRED.replace('?P<', '?P<lone_')})\b(?!-)",
    re.IGNORECASE,
)
_SPELLED_HINT = re.compile(r"hundred|ty\b|ty-|ten\b|teen\b|eleven|twelve", re.IGNORECASE)

_NUMBER = r"\d{1,12}(?:[.,]\d{1,12}){0,3}(?:[eE][+-]?\d{1,3})?"
_ABOUT = (
    r"(?:(?:about|approximately|approx\.?|around|circa|ca?\.|roughly|nearly|almost|etwa|ungefähr|environ|unos"
    r"|cerca de|aproximadamente|~|≈|≃|±) ?){0,2}"
)
_UNIT = (
    r"(?:bpm(?![a-z0-9_])|b\.p\.m\.?|beats?(?:-| )(?:per|a|/)(?:-| )minute|beats?/min(?:ute)?"
    r"|schläge(?:n)? (?:pro|in der) minute|(?:battements?|pulsations?|temps) (?:par|à la) minute"
    r"|(?:pulsaciones|pulsos|golpes|latidos|batidas) por minuto|battiti al minuto|уд(?:аров|\.)? ?(?:в|/) ?мин(?:уту)?)"
)
_RANGE_JOINT = r" ?(?:-|–|~|〜|to|bis|à) ?"
_HEDGE = r"(?:or |and |maybe |perhaps |possibly |even )?"
_LIST_JOINT = rf" ?[,;] ?{_HEDGE}|(?: ?bpm)?(?: ?, ?(?=or |oder |ou )| ?)(?:/|or|and|&|oder|und|ou|et|y|o|或) ?{_HEDGE}"
_OTHER_COUNT = r"(?! ?(?:bars?|measures?|seconds?|minutes?|sections?|parts?|tracks?|instruments?|k?hz|%|\)))"
_CLUSTER = (
    rf"(?P<between>(?:between|zwischen|entre) )?(?!\d{{1,2}} ?/ ?(?:1|2|4|8|16|32)(?!\d))(?P<low>{_NUMBER})"
    rf"(?: ?\(?(?:±|\+/-|\+-|plus or minus) ?(?P<spread>{_NUMBER})"
    rf"|(?:(?: ?bpm)?(?P<range>{_RANGE_JOINT})|(?P<list>{_LIST_JOINT})){_ABOUT}"
    rf"(?=\d\d)(?P<high>{_NUMBER}){_OTHER_COUNT})?"
)
_WHOLE = re.compile(rf"{_ABOUT}(?P<sign>-?){_CLUSTER} ?{_UNIT}?", re.IGNORECASE)
_BEAT = (
    r"(?P<dotted>dotted[ -])?(?P<beat>♩|♪|𝅗𝅥|𝅘𝅥𝅮|𝅘𝅥"
    r"|(?:quarter|crotchet|half|minim|eighth|quaver)(?:[ -]?note)?|M\.?M\.?)(?P<dot> ?\.)?"
)
_MARK = re.compile(rf"{_BEAT} ?[=:] ?{_ABOUT}{_CLUSTER}(?![:/\d])", re.IGNORECASE)
_BOUND_AFTER = re.compile(rf"(?<![A-Za-z0-9_.,:/-])(?P<plus>\+)?{_CLUSTER} ?-?\(?{_UNIT}", re.IGNORECASE)
_BOUND_BEFORE = re.compile(
    r"(?<![a-z0-9])(?P<cue>tempo|bpm|beats per minute)(?![a-z0-9])[\"')]?(?: ?\((?:bpm|beats per minute)\))?"
    r"(?: (?:of (?:the|this) (?:song|piece|track|music|clip|recording|excerpt)|here))?"
    r"(?: ?[:=] ?| (?:is|was|of|at|equals|(?:seems?|appears?) to be|(?:would|must|should|could|may|might) be"
    r"|(?:comes|works) (?:out )?(?:at|to)|(?:sits|lies|falls|hovers)(?: at)?|ist|beträgt|liegt bei"
    r"|est(?: de)?|es(?: de)?|è(?: di)?|é(?: de)?)|(?<![\"')]) ?(?=\d{2}))"
    rf" ?(?:(?:most likely|probably|likely|clearly|exactly|set to|a|the) )?{_ABOUT}{_CLUSTER}"
    r"(?! ?(?:%|=|×|÷|x\b|times|seconds?|bars?|measures?|hz|/|:|ms\b)|\d|[.,]\d)",
    re.IGNORECASE,
)
_OTHER_CUE = re.compile(
    r"(?:alternat(?:iv)?e|half[ -]time|double[ -]time|other|another|second(?:ary)?|possible|perceived alternative) \Z",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    rf"\b(?:could|might|may|can)(?: also)? be (?:(?:heard|felt|counted|read|taken) as )?{_ABOUT}{_CLUSTER}(?! ?[%:/])",
    re.IGNORECASE,
)
_DIFFERENCE_BEFORE = re.compile(
    r"(?:\b(?:by|within|another|plus|minus|give or take"
    r"|(?:deviations?|variations?|margin|difference|error|drift|tolerance) of)|±|\+/-)"
    r" ?(?:about |around |only |roughly |approximately )?\Z",
    re.IGNORECASE,
)
_DIFFERENCE_AFTER = re.compile(
    r" ?\)? (?:faster|slower|higher|lower|more|less|above|below|difference|apart|increase|decrease|tolerance"
    r"|deviation|off)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|[\n;]")
_NOISE = re.compile(
    r"(?<!\d)(?:\d{1,12}:\d{1,12}(?::\d{1,12})?(?:\.\d{1,12})?|\d{1,12} ?[/⁄] ?\d{1,12}(?! ?bpm)"
    r"|\d{1,12}(?:\.\d{1,12})?[ -]?(?:bars?|measures?|seconds?|secs?|s|ms|min(?:utes?)?|k?hz|db|percent|times"
    r"|x|st|nd|rd|th|beats?(?! ?(?:per|a|/) ?min))\b|\d{1,12}(?:\.\d{1,12})? ?%)",
    re.IGNORECASE,
)
_NUMBERED_BEFORE = re.compile(
    r"\b(?:tracks?|op(?:us)?|no|nr|number|bars?|measures?|pages?|take|version|level|part|section"
    r"|movement|year|in)\.? ?\Z",
    re.IGNORECASE,
)
_LOOSE = re.compile(rf"(?<![\d.,:/\w]){_CLUSTER}(?![\d:/]|(?!ish\b)[a-z])", re.IGNORECASE)


_AND = re.compile(r"\b(?:and|und|et|y)\b", re.IGNORECASE)
_SENTENCE = 200
"""Characters after a number in which its sentence is looked through."""


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
    whole = _WHOLE.fullmatch(_with_digits(text).strip(" .\"'\n*"))
    if whole is not None:
        found = _evaluate(whole)
        if whole["sign"] and found.value is not None:
            return MusicAnswer(None, Status.OUT_OF_RANGE, rule)
        return _judge([found], rule)
    text = _with_digits(in_english(text))
    marks = [_marked(match) for match in _MARK.finditer(text) if is_stated(text, match.start(), match.end())]
    bound = [match for match in _BOUND_AFTER.finditer(text) if _is_claimed(text, match)]
    declared = list(_declarations(text, bound, marks, rule))
    if declared:
        return last_declared(declared)
    if marks or bound or prose:
        return _judge([*marks, *(_evaluate(match) for match in bound)], rule)
    quiet = _NOISE.sub(" ", text)
    loose = [
        _evaluate(match)
        for match in _LOOSE.finditer(quiet)
        if _is_claimed(quiet, match) and not _NUMBERED_BEFORE.search(quiet, max(0, match.start() - 12), match.start())
    ]
    return _judge(loose, rule)


def _declarations(text: str, bound: list[re.Match[str]], marks: list[_Bpm], rule: str) -> Iterator[MusicDeclaration]:
    """Each cue with its number; marks, and other numbers bound to BPM later in its sentence, are alternatives."""
    starts = [each.start() for each in bound]
    marks = list(dict.fromkeys(marks))[:2]
    for match in _BOUND_BEFORE.finditer(text):
        if not _is_claimed(text, match) or _OTHER_CUE.search(text, max(0, match.start() - 24), match.start()):
            continue
        end = _SENTENCE_END.search(text, match.end(), match.end() + _SENTENCE)
        stop = end.start() if end else match.end() + _SENTENCE
        later = bound[bisect_left(starts, match.end()) : bisect_left(starts, stop)]
        alternatives = [*later, *_ALTERNATIVE.finditer(text, match.end(), stop)]
        answer = _judge([_evaluate(match), *map(_evaluate, alternatives), *marks], rule)
        yield MusicDeclaration(answer, sentence_around(text, match.start(), match.end()))


def _is_claimed(text: str, match: re.Match[str]) -> bool:
    """Whether a number is claimed as a tempo: stated, and no difference between tempi."""
    return (
        is_stated(text, match.start(), match.end())
        and not (match.groupdict().get("plus"))
        and _DIFFERENCE_BEFORE.search(text, max(0, match.start() - 40), match.start()) is None
        and _DIFFERENCE_AFTER.match(text, match.end()) is None
    )


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
    if match["spread"] is not None:
        spread = _number(match["spread"])
        narrow = low is not None and spread is not None and 25 * (low + spread) <= 27 * (low - spread)
        return _Bpm(low if narrow else None, ("range",))
    if match["high"] is None:
        return _Bpm(low)
    high = _number(match["high"])
    if low is None or high is None:
        return _Bpm(None)
    if low == high:
        return _Bpm(low)
    possible = [each for each in (low, high) if SLOWEST_BPM <= each <= FASTEST_BPM]
    if (match["list"] or "").strip() == "," and len(possible) == 1:
        return _Bpm(possible[0])
    is_range = match["range"] or (match["between"] and _AND.search(match["list"]))
    if is_range and low < high and 25 * high <= 27 * low:
        return _Bpm((low + high) / 2, ("range",))
    return _Bpm(None)


def _number(text: str) -> Decimal | None:
    """A decimal number; a comma before exactly three digits separates thousands, any other comma is decimal."""
    mantissa, mark, exponent = re.sub("[eE]", "e", text).partition("e")
    if re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", mantissa):
        mantissa = mantissa.replace(",", "")
    elif re.fullmatch(r"\d+,\d+", mantissa):
        mantissa = mantissa.replace(",", ".")
    elif not re.fullmatch(r"\d+(?:\.\d+)?", mantissa):
        return None
    return Decimal(mantissa + mark + exponent)


def _with_digits(text: str) -> str:
    """`text` with numbers in words from ten on written in digits: `one hundred and twenty` is 120."""
    return _SPELLED.sub(_digits, text) if _SPELLED_HINT.search(text) else text


def _digits(found: re.Match[str]) -> str:
    hundreds = (found["hundreds"] or "").lower()
    value = 100 * _BELOW_TWENTY.get(hundreds, 1) if hundreds else 0
    for name in ("", "lone_"):
        tens, unit, small = ((found[name + part] or "").lower() for part in ("tens", "unit", "small"))
        value += _TENS.get(tens, 0) + _BELOW_TWENTY.get(unit, 0) + _BELOW_TWENTY.get(small, 0)
    return str(value) if value >= 10 else found[0]
