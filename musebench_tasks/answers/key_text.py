"""Key in text: a tonic and a mode, whole words (answers.md 4, "Key"). No mode, no answer; nothing is inferred."""

import re
from collections.abc import Iterator

from musebench_tasks.answers.musical_english import in_english
from musebench_tasks.answers.outcomes import MusicAnswer
from musebench_tasks.answers.stated import MusicDeclaration, is_stated, last_declared, sentence_around
from musebench_tasks.base.records import Status
from musebench_tasks.values import KeyReading, key_name, read_key_name

_SIGN = r"(?: ?(?:##|#|♯|♭|𝄪|𝄫|bb|b)|[ -](?i:double[ -])?(?i:sharp|flat))"
_ENGLISH_KEY = rf"[A-H]{_SIGN}?[ :-]? ?\(?(?:(?i:natural|harmonic|melodic)[ -])?(?i:major|minor|maj|min)"
_NO_KEY_AFTER = (
    r"(?![ -](?:seconds?|thirds?|fourths?|fifths?|sixths?|sevenths?|ninths?|octaves?|[2-9](?:nd|rd|th)|chords?|changes?"
    r"|triads?|intervals?|arpeggios?)\b)(?![ -]?(?:6|7|9|11|13)(?![\d/.:]| ?bpm))(?![\w#♯♭])"
)
_ENGLISH = re.compile(rf"(?<![\w#♯♭]){_ENGLISH_KEY}{_NO_KEY_AFTER}")
_GERMAN = re.compile(r"(?<![\w#])[A-Ha-h](?:is|es|s|#|b)?[ -](?:[Dd]ur|[Mm]oll|DUR|MOLL)(?!\w)")
_ROMANCE = re.compile(
    r"(?<!\w)(?:do|ut|r[eé]|mi|fa|sol|la|si)(?:[ -]?(?:#|b|♯|♭|di[eè]se|diesis|sostenido|b[eé]molle|b[eé]mol))?"
    r"[ -](?:majeur|mineur|maggiore|minore|mayor|menor)(?!\w)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\b(?i:camelot|open key)(?: (?i:wheel|key|code|notation)){0,3}(?: ?[:=(]| is)? ?(?P<code>\d{1,2}[ABabdm])\b"
)
_OTHER_MODE = re.compile(rf"(?<![\w#♯♭])[A-H]{_SIGN}?[ -](?i:dorian|phrygian|lydian|mixolydian|locrian)\b")
_CUE = re.compile(
    r"\b(?:key|tonality|tonart|tonalit[éàa]|tonalidade?)\b[\"')]?(?: (?:signature|of (?:the|this) \w{1,20}|here))?"
    r"(?: ?[:=]| (?:is|was|seems? to be|appears? to be|would be|must be|should be))",
    re.IGNORECASE,
)
_OTHER_CUE = re.compile(
    r"\b(?:alternat(?:iv)?e|relative|parallel|related|other|another|secondary|possible|previous|next|neighbou?ring) \Z",
    re.IGNORECASE,
)
_RELATED_BEFORE = re.compile(
    r"\b(?:relative|parallel|closely related|borrowed|dominant|subdominant)\b(?P<link>[^.;\n]{0,30}?)[ :(\"']{0,3}\Z",
    re.IGNORECASE,
)
_IN_RELATED = re.compile(r"(?<=in its )relative(?: major| minor| key)?[ ,(]{1,3}[A-H]")
_RELATED_AFTER = re.compile(r"'s (?:relative|parallel)\b", re.IGNORECASE)
_REFERENCE = re.compile(r"\b(?:of|from)(?: the)?(?: key)?(?: of)?\Z", re.IGNORECASE)
_SHARED_BEFORE = re.compile(rf"(?<![A-Za-z#♯♭])(?P<tonic>[A-H]{_SIGN}?) ?(?:/|,|&|\bor\b|\band\b) ?(?:or |and )?\Z")
_SHARED_AFTER = re.compile(r" ?(?:/| or | and ) ?(?:major|minor)\b", re.IGNORECASE)
_CHORDS_BEFORE = re.compile(
    r"\bchords? ?(?:is|are|of|being|include[sd]?|including|such as|like|:|=|\()[^.;\n]{0,80}\Z", re.IGNORECASE
)
_CHORDS_AFTER = re.compile(
    rf"(?:(?: ?(?:,|&|/|->|→|-|\band\b|\bto\b|\bor\b|\bthen\b) ?){{1,3}}(?:an? )?{_ENGLISH_KEY}){{1,6}}"
    r" (?:chords?|triads?|arpeggios?)\b"
)
_PAYLOAD = re.compile(r"(?:[^\n.;|]|\.(?=\S)){0,120}")
_ARTICLE_NOUN = re.compile(
    r" (?!(?:is|as|in|at|with|and|or|but|for|because|since|from|throughout|here|by|on|scale|pentatonic)\b)"
    r"[a-z]"
)


def read_key_text(text: str, rule: str) -> MusicAnswer:
    """The key that `text` (single blanks) is or holds."""
    whole = read_key_name(text.strip(" .\"'\n*"))
    if whole is not None:
        return _answer(whole, rule)
    text = in_english(text)
    declared = list(_declarations(text, rule))
    return last_declared(declared) if declared else _scan(text, rule)


def _declarations(text: str, rule: str) -> Iterator[MusicDeclaration]:
    """What each cue says, up to the next cue."""
    cues = list(_CUE.finditer(text))
    for cue, limit in zip(cues, [*(each.start() for each in cues[1:]), len(text)], strict=False):
        if _OTHER_CUE.search(text, max(0, cue.start() - 16), cue.start()):
            continue
        answer = _payload_answer(text, cue.end(), limit, rule)
        if answer is not None:
            yield MusicDeclaration(answer, sentence_around(text, cue.start(), cue.end()))


def _payload_answer(text: str, start: int, limit: int, rule: str) -> MusicAnswer | None:
    match = _PAYLOAD.match(text, start, limit)
    payload = match[0].strip(" \"'(){}[]*:,") if match else ""
    whole = None if rule == "prose" and payload.startswith("a ") else read_key_name(payload)
    if whole is not None:
        return _answer(whole, rule)
    scanned = _scan(text, rule, start, match.end() if match else start)
    return None if scanned.rule == "no_answer" else scanned


def _scan(text: str, rule: str, start: int = 0, end: int | None = None) -> MusicAnswer:
    """The one key that `text[start:end]` claims; None among the readings is a key that is none of ours."""
    end = len(text) if end is None else end
    readings: list[KeyReading | None] = []
    for pattern in (_ENGLISH, _GERMAN, _ROMANCE):
        for match in pattern.finditer(text, start, end):
            readings += _readings_of(text, match)
    for match in _CODE.finditer(text, start, end):
        code = read_key_name(match["code"])
        readings += [code] if code and is_stated(text, match.start(), match.end()) else []
    if readings and any(
        is_stated(text, other.start(), other.end()) for other in _OTHER_MODE.finditer(text, start, end)
    ):
        readings.append(None)
    known = [each for each in readings if each is not None]
    if not known:
        return MusicAnswer(None, Status.UNPARSED, "ambiguous" if readings else "no_answer")
    keys = {each.key if each is not None else None for each in readings}
    return _answer(known[0], rule) if len(keys) == 1 else MusicAnswer(None, Status.UNPARSED, "ambiguous")


def _readings_of(text: str, match: re.Match[str]) -> list[KeyReading | None]:
    """What a mention claims: nothing, one key, or several where tonics share a mode or modes a tonic."""
    reading = read_key_name(match[0].replace("(", ""))
    if reading is None or not is_stated(text, match.start(), match.end()) or _is_no_key(text, match):
        return []
    low = max(0, match.start() - 60)
    related = _RELATED_BEFORE.search(text, low, match.start())
    if related is not None and not _IN_RELATED.match(text, related.start()):
        return [] if _REFERENCE.search(related["link"].rstrip(" ")) else [None]
    readings: list[KeyReading | None] = [reading]
    shared = _SHARED_BEFORE.search(text, low, match.start())
    if shared is not None:
        readings.append(read_key_name(f"{shared['tonic']} {reading.key.mode}"))
    return [*readings, None] if _SHARED_AFTER.match(text, match.end()) else readings


_SCALE_BEFORE = re.compile(
    r"\b(?:play(?:s|ed|ing)?|practi[cs](?:es|ed|ing)|runs?|warm\w{0,4}) (?:up )?(?:(?:an?|the) )?\Z", re.IGNORECASE
)


def _is_no_key(text: str, match: re.Match[str]) -> bool:
    """Chords, a scale that is practised, and the article that opens a sentence ("A major influence")."""
    if _RELATED_AFTER.match(text, match.end()):
        return True
    low = max(0, match.start() - 100)
    if text.startswith(" scale", match.end()) and _SCALE_BEFORE.search(text, low, match.start()):
        return True
    if _CHORDS_AFTER.match(text, match.end()) or _CHORDS_BEFORE.search(text, low, match.start()):
        return True
    opens_sentence = (
        not text[: match.start()].rstrip(" ")
        if match.start() < 4
        else text[match.start() - 2 : match.start()][:1] in ".!?\n"
    )
    return bool(opens_sentence and match[0].startswith("A ") and _ARTICLE_NOUN.match(text, match.end()))


def _answer(reading: KeyReading, rule: str) -> MusicAnswer:
    return MusicAnswer(key_name(reading.key), Status.OK, rule, reading.flags)
