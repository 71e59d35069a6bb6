"""Words that deny a mention from further off: in its clause, or in the heading that announces it (answers.md 3.1).

A negation governs what follows in its clause, over a few words, unless a word of contrast or conclusion stands
between. What a heading of rejection announces ("Wrong answers: B, D") is not asserted. Closed lists, part of the
parser's version.
"""

import re

from musebench_tasks.answers.assertion import is_negated_before
from musebench_tasks.answers.finder import Finder

_REACH = 80
"""Characters before a mention in which a denial of it may stand."""
_STOPS = ".;!?\n,:"
_ARTICLES = r"(?:[ ](?:the|an?|any|some|of|like|option|letter))*[ ]?[(\[\"']*\Z"
_TURNS = rf"""
    (?:but|only|just|rather|instead|however|yet|though|although|so(?![ ]much)|therefore|thus|hence|because|since|while
    |whereas|when|where|if|unless|until|before|which|(?<!there[ ])(?:is|are|was|were)|isn't|aren't|it's|that's
    |this|maybe|perhaps|probably|then
    |other|except|besides|apart|unlike|without|more
    |sure|certain|mistak\w*|miss|deny|doubt\w*|wrong|hesita\w+|ignore|overlook|question\w*|dispute|confident|hard
    |difficult|surpris\w+|unusual|uncommon|uncertain|lack\w*|avoid\w*|absent|absence|missing|fail\w*|exclud\w+|reject\w*
    |(?:suggest|indicat|point|mean|impl|leav|mak)(?:e|es|s|ies|ing)
    |and(?!{_ARTICLES}))\b
"""
_WORD = rf"(?:[ ]that[ ](?:this|it)[ ](?:is|was)|[ ](?!{_TURNS})\w[\w'-]{{0,19}})"
_SHOWS = r"(?:(?:[ ]here)?[ ](?:suggests|indicates|implies|means|points))?"
_IN_CLAUSE = Finder(
    rf"""(?:
        (?:\b(?:not|never|cannot|nothing|nowhere|unlikely|improbable|implausible|doubt(?:s|ful)?
            |nobody|no[ ]one|nor|fail(?:s|ed|ing)?[ ]to)|n't)
          {_SHOWS}{_WORD}{{0,7}}
      | (?<!\bno[ ])(?<!not[ ])(?<!n't[ ])(?<!never[ ])(?<!cannot[ ])
        \b(?:no|without|lack(?:s|ed|ing)?|avoid(?:s|ed|ing)?|omit(?:s|ted|ting)?|devoid|free[ ](?:of|from)|absence
          |little|less|opposite[ ]of|removed[ ]from|clear[ ]of|away[ ]with
          |(?:dispens|contrast)(?:es|ed|ing|s)?[ ]with|(?:mistaken|confused)[ ](?:for|with)
          |hardly|barely
          |scarcely|rarely|seldom|far[ ]from|nowhere[ ]near|nothing[ ]like)
          {_SHOWS}{_WORD}{{0,4}}
      | \b(?:i|we|one|you)(?:'d|[ ](?:had|have|would|was|might|could|may))*
          [ ](?:expect(?:ed|ing)?|anticipat(?:ed|ing)|hop(?:ed|ing)[ ]for)
          (?:[ ](?:to[ ](?:hear|find|see|be)|it[ ]to[ ]be))?
      | \b(?:could|might|would)[ ]have[ ]been
      | \btoo(?:[ ][\w'-]{{1,20}}){{1,3}}?[ ](?:to[ ]be|for)
      | \b(?:wrong|incorrect|rejected|eliminated|excluded|worst|distractors?)(?:[ ](?:answer|choice)s?)?(?:[ ]to[ ]say)?
      | \b(?:leav(?:e|es|ing)|cross(?:ed|ing)?)[ ]out
    )[ ]?[(\["']*{_ARTICLES}
    | (?:听不出|听不到|聽不到|没听到|沒聽到|没有|沒有|缺乏|缺少|不包含|不含)(?:任何|明显的?|明顯的?|听到|出现|使用)*\Z
    | \b(?:ohne|sin|sans|senza|sem|без|tanpa)(?:[ ](?:der|die|das|el|la|le|il|o|a|un|une|una|uma))?[ ]\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_NOT_ONLY = re.compile(r"(?:\bnot|n't) (?:only|just|merely|simply|solely)\b[^.;!?\n]*\Z", re.IGNORECASE)
_BUT = re.compile(r"[^.;!?\n]{0,80}\bbut\b", re.IGNORECASE)
_EXCEPTION = Finder(
    rf"\b(?:(?:any|every|some|no)(?:thing|body|one|[ ][a-z]{{1,20}})|none|(?<!at[ ])all)"
    rf"[ ](?:but|except|other[ ]than|besides|apart[ ]from)(?:[ ]for)?{_ARTICLES}",
    re.IGNORECASE | re.VERBOSE,
)
_NEGATION = re.compile(r"\b(?:not|no|never|cannot|nothing|none|nobody|hardly)\b|n't", re.IGNORECASE)
_NO_DOUBT = Finder(
    r"\b(?:no|without(?:[ ]an?y?)?|beyond(?:[ ]an?y?)?|little)[ ](?:doubt|question)\b(?:[ ][\w']{1,12}){0,4}"
    r"[ ]?[(\[\"']*\Z"
    r"|\b(?:not|n't|never|without)[ ]hesitat\w*(?:[ ][\w']{1,12}){0,3}[ ]?[(\[\"']*\Z",
    re.IGNORECASE | re.VERBOSE,
)


def is_denied_before(text: str, start: int) -> bool:
    """Whether what starts at `start` is denied by words before it in its clause."""
    window = text[max(0, start - _REACH) : start]
    low = start - len(window) + max(map(window.rfind, _STOPS)) + 1
    exception = _EXCEPTION.search(text, low, start)
    if exception is not None:
        return _NEGATION.search(text, low, exception.end()) is None
    if not is_negated_before(text, start) and _IN_CLAUSE.search(text, low, start) is None:
        return False
    if _NO_DOUBT.search(text, low, start) is not None:
        return False
    return _NOT_ONLY.search(text, low, start) is None or _BUT.match(text, start) is None


_REJECTION = (
    r"(?:worst|wrong|avoid|skip|except|(?:all|(?:any|every)thing) but(?= ?\Z)"
    r"|incorrect\w*|false|distractors?|decoys?|red herrings?"
    r"|eliminat\w*|exclud\w*|exclusions?|reject\w*"
    r"|discard\w*|dismiss\w*|rul(?:e|es|ed|ing) (?:\w+ )?out|(?:leav|cross)\w* out|left out|least|unlikely|implausible"
    r"|less (?:likely|plausible|probable|suitable|convincing)|impossible|invalid|inconsistent|unsuitable|unselected"
    r"|weakest|poorest|(?:is|are) (?:missing|absent)|second[- ]best|next[- ]best|runners?-?up|mistakes?"
    r"|(?:previous|earlier|former|old) (?:answer|guess|choice|response|pick|option|question|turn)s?"
    r"|falsch\w*|schlechteste\w*|ausgeschlossen\w*|mauvais\w*|faux|fausses?|errad[oa]s?|sbagliat[oaie]|salah|bukan"
    r"|неверн\w*|неправильн\w*)"
)
_FITTING = (
    r"(?:fit|fits|apply|applies|match|correct|right|the answer|an? answer|answers?|options?|choices?|belong|work|suit"
    r"|select(?:ed)?|choose|chosen|pick|valid|true|these|those|hold|present|heard|audible|likely|plausible|possible"
    r"|supported|suitable|included?)"
)
_REJECTS = re.compile(
    rf"\b{_REJECTION}\b|\A ?(?:\w+ )?not\b(?! (?:\w+ )?\w+ing\b)"
    rf"|(?:\b(?:not|never|cannot)|n't)(?: \w+){{0,2}}? {_FITTING}\b"
    r"|不是|错误|錯誤|不正确|不正確|排除|不选|不選|不对|不對|오답|틀린|不正解|間違い",
    re.IGNORECASE,
)
_NAMES_REJECTED = re.compile(
    rf"\b{_REJECTION}\b|(?:\b(?:not|never|cannot)|n't)(?: \w+){{0,2}}? {_FITTING}\b", re.IGNORECASE
)
_STILL_CHOSEN = re.compile(
    r"\b(?:by|after|through|via|having|process of|upon|once) (?:the )?(?:eliminat|exclu|reject|rul|discard|dismiss)"
    r"|(?:\bout|eliminat\w*|exclud\w*|reject\w*|discard\w*|dismiss\w*)(?: \w+){0,2} (?:others?|rest|else|remaining)\b"
    r"|\belimination\b|\bleav(?:es?|ing)\b(?! out)"
    r"|\b(?:others?|rest|else)(?: \w+){0,2} (?:is|are|was|were|seem|can|fail)"
    r"|\b(?:ruling out|eliminating|excluding|rejecting|discarding) "
    r"(?!(?:the )?(?:following|options?|choices?|answers?|letters?)\b)"
    r"|\b(?:no|without|beyond)(?: an?y?)? (?:doubt|question)\b"
    r"|(?:\bnot|n't|never)(?: \w+)? (?:sure|certain|mistaken|wrong|incorrect|eliminated|excluded|ruled"
    r"|rejected|false)\b"
    r"|\bnot least\b|\bat least\b|\bleast (?:bad|wrong|implausible|unlikely)|\bnot only\b"
    r"|\bdon't know\b|Zweifel|\bduda\b|\bdoute\b|\bdubbio\b|\bсомнени|疑问|疑問|(?-i:\b[A-H]\b)",
    re.IGNORECASE,
)
_FOR_EXAMPLE = re.compile(r"\b(?:for (?:example|instance)|e\.g\.|such as)[^.;!?\n]*\Z", re.IGNORECASE)
_COPULA = Finder(
    r"\b(?:is|are|was|were|would be|must be)(?: (?:the|option|letter|options|letters|both))* ?"
    r"(?:\\(?:boxed|fbox) ?\{ ?)?[(\[\"'{]{0,3}\Z"
)
_LAST_CLAUSE = re.compile(
    r".*(?:[.;!?\n。,:]| - |\b(?:(?<!\ball )(?<!thing )but|however|so|therefore)\b)", re.IGNORECASE | re.DOTALL
)
_MARKS = ":=>→"
_LONGEST_HEADING = 100


def heading_before(text: str, start: int) -> str | None:
    """The words before the colon or arrow that stands directly before `start`; None where none stands there."""
    end = start
    while end and text[end - 1] in " ([\"'{":
        end -= 1
    if text.endswith(("\\boxed", "\\fbox"), 0, end):
        end = text.rfind("\\", 0, end)
        while end and text[end - 1] == " ":
            end -= 1
    if not end or text[end - 1] not in _MARKS:
        return None
    while end and text[end - 1] in " :=>→-":
        end -= 1
    return _last_clause(text, end)


def rejects(heading: str) -> bool:
    """Whether a heading announces what is not chosen ("Wrong answers", "Options that do not fit")."""
    return _REJECTS.search(heading) is not None and _STILL_CHOSEN.search(heading) is None


def is_example(text: str, start: int) -> bool:
    """Whether the sentence up to `start` tells what follows as an example."""
    return _FOR_EXAMPLE.search(text, max(0, start - _LONGEST_HEADING), start) is not None


def is_announced_as_wrong(text: str, start: int) -> bool:
    """Whether a heading, or a subject with its verb ("the wrong ones are"), rejects what starts at `start`."""
    heading = heading_before(text, start)
    if heading is not None:
        return rejects(heading)
    verb = _COPULA.search(text, max(0, start - 24), start)
    if verb is None:
        return False
    subject = _last_clause(text, verb.start())
    return _NAMES_REJECTED.search(subject) is not None and _STILL_CHOSEN.search(subject) is None


def rejected_lines(text: str) -> list[tuple[int, int]]:
    """Start and end of the stretches of lines below a line that rejects and ends with a colon."""
    found: list[tuple[int, int]] = []
    if ":\n" not in text:
        return found
    start, since = 0, -1
    for line in text.split("\n"):
        heads, ends = line.rstrip().endswith(":"), not line.strip()
        if since >= 0 and (heads or ends):
            found.append((since, start))
            since = -1
        start += len(line) + 1
        if heads and rejects(_last_clause(line, len(line.rstrip()) - 1)):
            since = start
    return [*found, (since, len(text))] if since >= 0 else found


def _last_clause(text: str, end: int) -> str:
    """The words before `end` since the last stop, comma or word of contrast."""
    low = max(0, end - _LONGEST_HEADING)
    stop = _LAST_CLAUSE.match(text, low, end)
    return text[stop.end() if stop else low : end].strip()
