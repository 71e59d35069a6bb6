"""Time signature in text: numerator and denominator, never reduced, never completed (answers.md 4)."""

import re
from decimal import Decimal

from musebench_tasks.answers.musical_english import in_english
from musebench_tasks.answers.outcomes import MusicAnswer
from musebench_tasks.answers.stated import MusicDeclaration, is_stated, last_declared, sentence_around
from musebench_tasks.base.records import Status
from musebench_tasks.values import Metre, is_admissible, metre_name, read_fraction

_WORD = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|sixteen"
_BOTTOM = "one|two|four|eight|sixteen|thirty-two"
_FRACTION = r"\d{1,3} ?[/⁄∕] ?\d{1,3}"
_MENTION = re.compile(
    rf"(?<![A-Za-z0-9_./⁄+-])(?<!\+ ){_FRACTION}(?![\w/⁄%]|\.\d| ?= ?\d|-?(?:inch|in\b|notes?\b))"
    r"(?! ?(?:notes?\b|of (?:the|its|a|an|all|this)\b|inch|\"|stars?\b|points?\b|th\b))"
    r"|(?<![\w./])\d{1,2} over \d{1,2}(?![\w/.])|(?<![\w./-])\d{1,2}-\d{1,2}(?= time\b)"
    rf"|(?<![\w-])(?:{_WORD})(?:-| over )(?:{_BOTTOM})(?![\w-])"
    rf"|(?<![\w-])(?:{_WORD}) (?:{_BOTTOM})(?= (?:time|met(?:er|re))\b)"
    r"|\bcommon time\b|\bcut time\b|\balla breve\b|𝄴|𝄵",
    re.IGNORECASE,
)
_QUARTERS = re.compile(
    r"\b(?P<top>two|three|four|five|six)[- ](?:quarters?|(?P<eighth>eighths?))(?=[- ](?:time|met(?:er|re))\b)",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:time[ -]signature|meter|metre|mesure|taktart|compás|compasso)\b[\"')]?(?: of (?:the|this) \w{1,20}| here)?"
    r"(?: ?[:=]| (?:is|was|seems? to be|appears? to be|would be|must be|should be|ist|est|es))",
    re.IGNORECASE,
)
_OTHER_CUE = re.compile(r"\b(?:alternat(?:iv)?e|other|another|secondary|possible|previous) \Z", re.IGNORECASE)
_PAYLOAD = re.compile(r"[^\n;]{0,120}")
_SHARE_BEFORE = re.compile(r"\b(?:about|nearly|almost|roughly|over|only|some|another) \Z", re.IGNORECASE)
_NUMBERED_BEFORE = re.compile(
    r"\b(?:pages?|discs?|cd|chapters?|steps?|slides?|tracks?|rat(?:ed|ing)|scor(?:ed?|es|ing)|gets) ?[:=]? ?\Z",
    re.IGNORECASE,
)
_METRE_AFTER = re.compile(
    r" ?(?:\Z|[.,;:!)\n-]|time\b|met(?:er|re)\b|beats?\b|signature\b|feel\b|rhythm\b|groove\b)", re.IGNORECASE
)
_NAMED_AFTER = re.compile(r" (?:time|met(?:er|re))\b", re.IGNORECASE)
_PAIR = re.compile(r"[\[(] ?(\d{1,3}) ?, ?(\d{1,3}) ?[\])]")
_BARE_NUMERATOR = re.compile(r"\d{1,3}(?: beats?(?: per (?:bar|measure))?)?", re.IGNORECASE)


def read_metre_number(value: Decimal) -> MusicAnswer:
    """A number is no signature: a numerator lacks its denominator, a fraction was evaluated."""
    whole = value.is_finite() and value == value.to_integral_value()
    return MusicAnswer(None, Status.UNPARSED, "no_denominator" if whole else "wrong_type")


def read_metre_pair(numerator: object, denominator: object) -> MusicAnswer:
    """Numerator and denominator given apart, as whole numbers or strings of digits."""
    fraction = read_fraction([_whole(numerator), _whole(denominator)])
    return _answer(fraction, "json") if fraction else MusicAnswer(None, Status.UNPARSED, "wrong_type")


def read_metre_text(text: str, rule: str) -> MusicAnswer:
    """The time signature that `text` (single blanks) is or holds."""
    whole = _read_whole(text, rule)
    if whole is not None and (
        rule != "prose" or len(text.strip(" .")) > 1
    ):  # A lone C in prose may be a note or an option.
        return whole
    text = _QUARTERS.sub(lambda match: f"{match['top']}-{'eight' if match['eighth'] else 'four'}", in_english(text))
    declared = [
        MusicDeclaration(payload, sentence_around(text, cue.start(), cue.end()))
        for cue in _CUE.finditer(text)
        if not _OTHER_CUE.search(text, max(0, cue.start() - 16), cue.start())
        and (payload := _payload_answer(text, cue.end(), rule)) is not None
    ]
    return last_declared(declared) if declared else _scan(text, rule)


def _read_whole(text: str, rule: str) -> MusicAnswer | None:
    trimmed = text.strip(" .\"'\n*(){}[]")
    pair = _PAIR.fullmatch(text.strip())
    fraction = read_fraction(list(pair.groups()) if pair else trimmed)
    if fraction is not None:
        return _answer(fraction, rule)
    if _BARE_NUMERATOR.fullmatch(trimmed):
        return MusicAnswer(None, Status.UNPARSED, "no_denominator")
    return None


def _payload_answer(text: str, start: int, rule: str) -> MusicAnswer | None:
    match = _PAYLOAD.match(text, start)
    payload = (match[0] if match else "").split(". ")[0]
    first = payload.split(", ")[0].strip(" \"':")
    scanned = _scan(text, rule, start, start + len(payload))
    if scanned.rule != "no_answer":
        return scanned
    return _read_whole(first, rule)


def _scan(text: str, rule: str, start: int = 0, end: int | None = None) -> MusicAnswer:
    fractions = {
        fraction
        for match in _MENTION.finditer(text, start, len(text) if end is None else end)
        if (fraction := read_fraction(match[0])) is not None
        and is_stated(text, match.start(), match.end())
        and not _is_share(text, match)
        and (fraction[0] > 1 or start > 0 or _NAMED_AFTER.match(text, match.end()))
    }
    admissible = {each for each in fractions if is_admissible(*each)} or fractions
    if len(admissible) == 1:
        return _answer(admissible.pop(), rule)
    return MusicAnswer(None, Status.UNPARSED, "ambiguous" if admissible else "no_answer")


def _is_share(text: str, match: re.Match[str]) -> bool:
    """Whether a fraction is a part ("about 3/4 instrumental", "page 3/4"), not a metre."""
    if _NUMBERED_BEFORE.search(text, max(0, match.start() - 12), match.start()):
        return True
    is_part = _SHARE_BEFORE.search(text, max(0, match.start() - 12), match.start())
    return is_part is not None and _METRE_AFTER.match(text, match.end()) is None


def _answer(fraction: tuple[int, int], rule: str) -> MusicAnswer:
    if not is_admissible(*fraction):
        return MusicAnswer(None, Status.OUT_OF_RANGE, rule)
    return MusicAnswer(metre_name(Metre(*fraction)), Status.OK, rule)


def _whole(value: object) -> object:
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value() and abs(value) < 1000:
        return int(value)
    return value
