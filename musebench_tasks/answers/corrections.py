"""Self-correction: the words that take an answer back ("A. No wait, B."), so that the later one counts (P2, P4).

A retraction ("no wait", "scratch that", "Correction:") takes back the answer before it, whatever follows. A turn
("wait", "on reflection") counts only where the next words answer at once. An aside ("actually", "or rather", a bare
"no" with a point after it) moreover only right behind an answer. All open a clause: "A. No other option fits." and
"pitch correction: B" take nothing back. A closed list, part of the parser's version.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from musebench_tasks.answers.assertion import is_negated_after, is_questioned
from musebench_tasks.answers.cues import is_reversed_declaration
from musebench_tasks.answers.declarations import find_declarations
from musebench_tasks.answers.finder import Finder
from musebench_tasks.answers.labels import free_labels, label_at
from musebench_tasks.answers.regions import RegionReader
from musebench_tasks.answers.steps import Decision

_MY_ANSWER = r"(?:that|this|it|myself|my[ ](?:final[ ]|previous[ ]|first[ ])?(?:answer|choice))"
_WRONG = (
    r"(?:that(?:'s|[ ]is|[ ]was)[ ](?:wrong|incorrect|not[ ](?:right|correct|it))|that[ ]isn't[ ](?:right|correct))"
)
_STOP = r"(?:wait|hold[ ]on|hang[ ]on)"
_RETRACTION = rf"""
    no,?[ ](?:{_STOP}|{_WRONG}|scratch[ ]that|sorry)(?![ ](?:for|until|till|time)\b)
  | (?:{_STOP}|sorry|oops|hmm+|oh|ah|actually)[, ]{{1,2}}
      (?:no\b(?=[ ]?(?:[,.:;!?\n-]|$))|{_WRONG}|i[ ](?:was|am)[ ]wrong)
  | {_WRONG}(?=[ ]?[,.:;!-][ ]?(?:it|the|i|my|make|should|[A-Z]\b))
  | (?:(?:scratch|strike|forget|disregard)[ ]that|my[ ](?:mistake|bad|apologies))(?=[ ]?(?:[,.:;!\n-]|$)|[ ][A-Z]\b)
  | i(?:[ ](?:must|have[ ]to|need[ ]to|should)|'ll)?[ ]take[ ](?:that|it)[ ]back
  | (?:let[ ]me|i(?:[ ](?:must|have[ ]to|need[ ]to|should|will|want[ ]to)|'ll))
      [ ](?:correct|revise|change)[ ]{_MY_ANSWER}
  | i(?:'ve|[ ]have)?[ ](?:changed[ ]my[ ]mind|misspoke|misheard|made[ ]an?[ ](?:mistake|error)) | i[ ]was[ ]wrong
  | (?:(?:self-?)?correction|corrected[ ]answer)(?=[ ]?[:,-]|[ ]is\b)
  | nein,?[ ](?:warte|moment|falsch) | (?:moment|warte|halt)(?:[ ]mal)?,?[ ]nein | (?:korrektur|berichtigung)(?=[ ]?:)
  | non,?[ ](?:attend(?:s|ez)|pardon) | (?:attend(?:s|ez)|pardon),?[ ]non | je[ ]me[ ]corrige
  | no,?[ ](?:espera|perdón) | (?:espera|perdón),?[ ]no | (?:me[ ]corrijo|corrección)(?=[ ]?[:,.-])
  | não,?[ ](?:esper[ae]|desculp[ae]) | (?:esper[ae]|desculp[ae]),?[ ]não | correção(?=[ ]?[:,.-])
  | no,?[ ]aspetta | aspetta,?[ ]no | (?:mi[ ]correggo|correzione)(?=[ ]?[:,.-])
  | нет,?[ ](?:подождите|стоп|погоди(?:те)?) | (?:стоп|подождите|погоди(?:те)?),?[ ]нет
  | (?:исправление|поправка)(?=[ ]?:)
  | tidak,?[ ]tunggu | tunggu,?[ ](?:tidak|bukan) | (?:koreksi|ralat)(?=[ ]?[:,.-])
  | (?:等等|等一下|哦|啊|不)[,、 ]{{0,2}}(?:不对|不對|错了|錯了) | (?:不对|不對|错了|錯了|说错了|我错了)(?=[ ]?[,。.:!])
  | (?:更正|纠正|修正|訂正|정정)(?:一下|합니다|します)?(?=[ ]?[:,。.])
  | (?:いや|いえ)[,、 ]{{0,2}}(?:違います|違う|待って|間違い) | 아니[,、 ]{{0,2}}(?:잠깐|아니)
"""
_TURN = rf"""
    {_STOP}(?:[ ]a[ ](?:second|moment|minute))?
  | (?:on|upon|after)[ ](?:(?:a|further|second|closer|more|careful|another)[ ]){{0,2}}
      (?:reflection|thoughts?|listen(?:ing)?|inspection|look|consideration|reconsideration|review|hearing)(?:[ ]again)?
  | (?:reconsidering|thinking|listening)(?:[ ](?:about|to))?(?:[ ](?:it|this|that))?(?:[ ](?:again|more))?(?=[ ]?[,:])
  | let[ ]me[ ](?:reconsider|rethink|rephrase)(?:[ ](?:it|this|that))?
  | (?:bei|nach)[ ](?:näherer|genauerer|erneuter|nochmaligem|weiterem)[ ]\w{{3,16}} | après[ ]réflexion
  | pensándolo[ ](?:mejor|bien) | pensando[ ](?:bem|melhor) | a[ ]pensarci[ ]bene
  | 仔细想想|仔細想想|再想想|重新考虑|等等|等一下|よく聞くと
"""
_ASIDE = r"""
    actually | (?:or[ ])?rather(?![ ]than) | i[ ]meant? | make[ ]that | sorry | oops | hmm+
  | (?:oder[ ])?(?:vielmehr|besser[ ]gesagt|genauer[ ]gesagt) | ich[ ]meine | eigentlich
  | (?:ou[ ])?plutôt | en[ ]fait | je[ ]veux[ ]dire | (?:o[ ])?mejor[ ]dicho | en[ ]realidad | más[ ]bien
  | quiero[ ]decir
  | aliás | na[ ]verdade | quer[ ]dizer | ou[ ]melhor | anzi | o[ ]meglio | in[ ]realtà
  | вернее | точнее | maksud[ ]saya | lebih[ ]tepatnya | 其实|其實|实际上|应该是|應該是|やっぱり|実は|사실은?
  | (?:no|nope|oh|ah|uh|nein|non|não|нет|moment|doch|pardon|perdón|bukan|tidak
      |不对|不對|不是|不|抱歉|いや|아니요?|لا|عفوا)
      (?=[ ]?(?:[,.:;!?\u2026。、\n-]|$))
"""
_STOP_BEFORE = r"[.,;:!?\n(\u2026。、-]"
_CORRECTION = Finder(
    rf"""(?:\A|(?<={_STOP_BEFORE})|(?<={_STOP_BEFORE}[ ]))(?:(?:but|oh|ah|hmm+|uh|so|well),?[ ])?
    (?:(?P<retraction>{_RETRACTION})|(?P<turn>{_TURN})|(?P<aside>{_ASIDE}))(?-i:(?![a-zß-ÿа-я]))""",
    re.IGNORECASE | re.VERBOSE,
)
_POINTS = " ,.;:!?\n\u2026。、-"
_LEAD = re.compile(
    r"""(?:(?:no|nope|wait|actually|rather|sorry|hmm+|oh|instead|nein|non|não|нет|now|i[ ]meant?|make[ ](?:it|that)
          |let's[ ](?:say|go[ ]with)|(?:(?:that|it|this)[ ])?should[ ](?:be|read|say)
          |(?:i(?:'ll|[ ]will|'d|[ ]would|'m)?[ ](?:now[ ])?)?(?:chang|switch|revis|correct)(?:e|ing)?
            (?:[ ](?:it|that|my[ ](?:final[ ])?(?:answer|choice)))?[ ]to
          |doch|eher|es[ ]ist|c'est(?:[ ]plutôt)?|es[ ]la|es|é[ ]a|é|è[ ]la|è|это|adalah|seharusnya)\b
      | (?:应该|應該)?(?:是|选|選)|我选|改为|改選|改选)[ ,.;:!?\n\u2026。、-]*""",
    re.IGNORECASE | re.VERBOSE,
)

_TRIED = 4
_AT_ONCE = 60
_ENDS = re.compile(
    r"""[ ]?(?:$|[.,;!)\]}"'\n(<]|:(?![ ]?(?:yes|no|true|false|correct|incorrect)\b)|-(?![ ]?(?:yes|no|true|false)\b)
      |[^\x00-\u024f])
    | [ ](?:because|since|as|due|given|instead|then|now|it[ ]is|fits|matches|(?:is|seems|sounds|must[ ]be|should[ ]be)
        [ ](?:the[ ])?(?:correct|right|best|better|more|most|likely|answer))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENING = re.compile(r"[(\[\"']{0,2}[A-Z][)\]\"']{0,2}(?:[.):,] |[.):,]$| - )")


class Correction(NamedTuple):
    """Words that take something back, and where. `kind`: retraction, turn or aside."""

    start: int
    end: int
    kind: str


def find_corrections(text: str) -> list[Correction]:
    """The corrections of `text` (single blanks) in order; neighbours ("no, actually") are one of the stronger kind."""
    found: list[Correction] = []
    for match in _CORRECTION.finditer(text):
        kind = str(next(name for name in _KINDS if match[name] is not None))
        if kind == "aside" and text[max(0, match.start() - 2) : match.start()].rstrip(" ").endswith(":"):
            continue
        if found and not text[found[-1].end : match.start()].strip(_POINTS):
            found[-1] = Correction(found[-1].start, match.end(), min(kind, found[-1].kind, key=_KINDS.index))
        else:
            found.append(Correction(match.start(), match.end(), kind))
    return found


_KINDS = ("retraction", "turn", "aside")


def what_follows(text: str, correction: Correction) -> int:
    """Where the words start that replace what was taken back: past points, "I meant", "it should be" and the like."""
    position = _past_points(text, correction.end)
    for _ in range(6):
        match = _LEAD.match(text, position)
        if match is None:
            break
        position = match.end()
    return position


def answer_before(text: str, correction: Correction) -> int:
    """Where the words before a correction end, without the points between."""
    position = correction.start
    while position and text[position - 1] in _POINTS + "()[]}\"'":
        position -= 1
    return position


def _past_points(text: str, position: int) -> int:
    while position < len(text) and text[position] in _POINTS:
        position += 1
    return position


def after_correction(reader: RegionReader, read: Callable[[RegionReader], Decision]) -> Decision | None:
    """What `read` decides on the words after the last correction that counts; None if no answer was taken back."""
    text = reader.text
    for correction in reversed(find_corrections(text)[-_TRIED:]):
        if _is_option_text(reader, correction) or not _takes_an_answer(reader, correction):
            continue
        start = what_follows(text, correction)
        rest = RegionReader(text[start:], reader.options, reader.multi)
        if _names_at_once(rest):
            return read(RegionReader("answer: " + rest.text, reader.options, reader.multi))
        if correction.kind == "retraction" or _declares_at_once(rest):
            decision = read(rest)
            known = decision.indices is not None or decision.rule in ("ambiguous", "loop", "cut")
            return decision if known else Decision(None, "ambiguous" if free_labels(rest.text) else "no_answer")
    return None


def _is_option_text(reader: RegionReader, correction: Correction) -> bool:
    found = reader.options.at(reader.folded, correction.start)
    return found is not None and found.end >= correction.end


def _takes_an_answer(reader: RegionReader, correction: Correction) -> bool:
    """Whether an answer stands right before, or, but for asides, one was declared or opened the response before."""
    end = answer_before(reader.text, correction)
    label = end > 0 and label_at(reader.text, end - 1, len(reader.text), declared=True) is not None
    named = reader.options.find_all(reader.folded[max(0, end - _AT_ONCE * 4) : end])
    texts = named[-1].indices if named and named[-1].end == min(end, _AT_ONCE * 4) else ()
    if correction.kind == "aside":
        return label or bool(texts)
    before = RegionReader(reader.text[:end], reader.options, reader.multi)
    declared = find_declarations(before).declarations
    if texts and declared:
        return not set(texts).isdisjoint(declared[-1].indices)
    return label or bool(texts) or bool(declared) or _OPENING.match(before.text) is not None


def _names_at_once(rest: RegionReader) -> bool:
    """Whether the words open with a label or option text that a clause ends, or that is called the answer."""
    line = rest.text.find("\n")
    region = rest.read(0, line if line >= 0 else len(rest.text))
    if region is None or is_questioned(rest.text, region.end) or is_negated_after(rest.text, region.end):
        return False
    return _ENDS.match(rest.text, region.end) is not None or is_reversed_declaration(rest.text, region.end)


def _declares_at_once(rest: RegionReader) -> bool:
    sentence = re.split(r"[.!?\n](?= |\n|$)", rest.text[: _AT_ONCE * 4], maxsplit=1)[0]
    opening = RegionReader(sentence, rest.options, rest.multi)
    return any(
        each.position <= _AT_ONCE and _ENDS.match(opening.text, _letter_end(opening, each.position))
        for each in find_declarations(opening).declarations
    )


def _letter_end(reader: RegionReader, position: int) -> int:
    region = reader.read(position, len(reader.text))
    return position + 1 if region is None else region.end
