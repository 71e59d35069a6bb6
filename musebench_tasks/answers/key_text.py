"""Key in text: a tonic and a mode, whole words (answers.md 4, "Key"). No mode, no answer."""

import re

from musebench_tasks.answers.assertion import is_negated_after, is_negated_before
from musebench_tasks.answers.outcomes import MusicAnswer
from musebench_tasks.records import Status
from musebench_tasks.values import KeyReading, key_name, read_key_name

_NO_KEY_AFTER = (
    r"(?![ -](?:seconds?|thirds?|fourths?|fifths?|sixths?|sevenths?|ninths?|octaves?|[2-9](?:nd|rd|th)|chords?|changes?"
    r"|triads?|intervals?)\b)(?![\w#♯♭])"
)
_ENGLISH = re.compile(
    r"(?<![\w#♯♭])(?P<tonic>[A-H])(?: ?(?:##|#|♯|♭|𝄪|𝄫|bb|b)|[ -](?i:double[ -])?(?i:sharp|flat))?"
    rf"[ :-]?(?:(?i:natural|harmonic|melodic)[ -])?(?i:major|minor|maj|min){_NO_KEY_AFTER}"
)
_GERMAN = re.compile(r"(?<![\w#])[A-Ha-h](?:is|es|s|#|b)?[ -](?:[Dd]ur|[Mm]oll|DUR|MOLL)(?!\w)")
_ROMANCE = re.compile(
    r"(?<!\w)(?:do|ut|r[eé]|mi|fa|sol|la|si)(?:[ -]?(?:#|b|♯|♭|di[eè]se|diesis|sostenido|b[eé]molle|b[eé]mol))?"
    r"[ -](?:majeur|mineur|maggiore|minore|mayor|menor)(?!\w)",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:key|tonality|tonart|tonalit[éàa]|tonalidad)\b[\"')]?(?: (?:signature|of (?:the|this) \w{1,20}|here))?"
    r"(?: ?[:=]| (?:is|was|seems? to be|appears? to be|would be|must be|should be))",
    re.IGNORECASE,
)
_PAYLOAD = re.compile(r"[^\n.;]{0,120}")
_ARTICLE_NOUN = re.compile(r" (?!(?:is|as|in|at|with|and|or|but|for|because|since|from|throughout|here|by|on)\b)[a-z]")


def read_key_text(text: str, rule: str) -> MusicAnswer:
    """The key that `text` (single blanks) is or holds."""
    whole = read_key_name(text.strip(" .\"'\n*"))
    if whole is not None:
        return _answer(whole, rule)
    declared = [
        payload for cue in _CUE.finditer(text) if (payload := _payload_answer(text, cue.end(), rule)) is not None
    ]
    return declared[-1] if declared else _scan(text, rule)


def _payload_answer(text: str, start: int, rule: str) -> MusicAnswer | None:
    match = _PAYLOAD.match(text, start)
    payload = match[0].strip(" \"'(){}[]*:,") if match else ""
    whole = read_key_name(payload)
    if whole is not None:
        return _answer(whole, rule)
    scanned = _scan(payload, rule)
    return None if scanned.rule == "no_answer" else scanned


def _scan(text: str, rule: str) -> MusicAnswer:
    readings = []
    for pattern in (_ENGLISH, _GERMAN, _ROMANCE):
        for match in pattern.finditer(text):
            reading = read_key_name(match[0])
            if reading is not None and _is_asserted_key(text, match):
                readings.append(reading)
    keys = {reading.key for reading in readings}
    if len(keys) == 1:
        return _answer(readings[0], rule)
    return MusicAnswer(None, Status.UNPARSED, "ambiguous" if keys else "no_answer")


def _is_asserted_key(text: str, match: re.Match[str]) -> bool:
    if is_negated_before(text, match.start()) or is_negated_after(text, match.end()):
        return False
    opens_sentence = (
        not text[: match.start()].rstrip(" ")
        if match.start() < 4
        else text[match.start() - 2 : match.start()][:1] in ".!?\n"
    )
    return not (opens_sentence and match[0].startswith("A ") and _ARTICLE_NOUN.match(text, match.end()))


def _answer(reading: KeyReading, rule: str) -> MusicAnswer:
    return MusicAnswer(key_name(reading.key), Status.OK, rule, reading.flags)
