"""Rivals: answers that are named beside the one chosen ("another possible answer is B", "the next best option: B").

Words that rank an answer behind another announce none. A closed list, part of the parser's version.
"""

import re

from musebench_tasks.answers.finder import Finder

_GRADE = (
    r"(?: (?:best|most|more|likely|possible|plausible|probable|reasonable|credible|convincing|suitable|fitting|good"
    r"|strong|closest|obvious|popular|potential|attractive|tempting|correct|candidate|valid|acceptable))*"
)
_RIVAL = (
    rf"(?:another|other|alternative|alternate|runners?-?up|tempting|misleading|deceptive|rival|competing|secondary"
    rf"|(?:my|a|close|distant) (?:second|third)|(?:second|third|fourth|next)[ -](?:best|most|likely|closest|choice)"
    rf"|(?:less|least)(?:[ -](?:likely|plausible|probable|suitable|fitting|appropriate|convincing|accurate|logical))?)"
    rf"{_GRADE}"
)
_BEFORE_CUE = Finder(rf"\b(?:{_RIVAL}|(?:second|third|fourth|next))\Z", re.IGNORECASE)
_WITHIN_CUE = re.compile(
    rf"\banswers? (?:that|which) (?:is|was|seems|comes|would be) (?:the )?{_RIVAL}\b", re.IGNORECASE
)
_SUPERLATIVES = ("best", "most", "clos")
_BEFORE_MENTION = Finder(
    rf"\b{_RIVAL} (?:answer|option|choice|guess|candidate|possibility|instrument|response|pick)s?"
    r"(?:(?: (?:is|are|was|would be|could be|might be|may be))? ?[:=,>-]{0,2})"
    r"(?: (?:the|an?|option|letter))* ?[(\[\"']{0,2}\Z",
    re.IGNORECASE,
)
_AFTER_ALL = re.compile(r"\b(?:no|not|isn't|than|over|rejects?|out|unlike) (?:any |the |an? |one )?\Z", re.IGNORECASE)
_REACH = 64


def ranks_behind(text: str, start: int, end: int) -> bool:
    """Whether the cue `text[start:end]` announces an answer behind another one."""
    before = start - 1 if start and text[start - 1] == " " else start
    found = _BEFORE_CUE.search(text, max(0, start - _REACH), before)
    if found is None:
        return end - start > _REACH // 4 and _WITHIN_CUE.match(text, start, end) is not None
    bare = found[0].strip().lower() in ("second", "third", "fourth", "next")
    return not bare or text[start : start + 4].lower() in _SUPERLATIVES


def is_rival(text: str, start: int) -> bool:
    """Whether what starts at `start` is announced as an answer behind another one."""
    found = _BEFORE_MENTION.search(text, max(0, start - 2 * _REACH), start)
    return found is not None and _AFTER_ALL.search(text, max(0, found.start() - 24), found.start()) is None


def is_own_ranking(text: str, start: int) -> bool:
    """Whether an ordinal at `start` ranks what the speaker would choose ("my second choice")."""
    return text[max(0, start - 6) : start].lower().endswith(("my ", "close "))
