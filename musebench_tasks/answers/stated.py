"""Is a musical value that stands in a text claimed of this recording (answers.md 4: asserted, negated ones dropped)?

Not claimed: what is denied, asked, given as an example, true of a genre in general, supposed, or only a bound. Of
several declarations the last one counts (P2), unless they tell of different parts of the piece.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from musebench_tasks.answers.assertion import is_negated_after, is_negated_before
from musebench_tasks.answers.outcomes import MusicAnswer
from musebench_tasks.base.records import Status

_REACH = 90
"""Characters before a value in which words may stand that take the claim away."""

_UNCLAIMED_BEFORE = re.compile(
    r"""(?:
        (?:\bnot|n't|\bnever)\b(?:[ ](?!(?:but|only|sure|certain|however|just|clear)\b)[\w'-]{1,20}){0,5}
      | (?:\be\.g\.?|\bfor[ ](?:example|instance)|\bsuch[ ]as|\bz\.[ ]?B\.|\bpar[ ]exemple|\bpor[ ]ejemplo
          |例如|比如|たとえば|例えば|예를[ ]들어)
          (?:(?![ ](?:is|are|was|at)[ ]|suggest|indicat|point)[^.)\n]){0,60}
      | \b(?:most|many|all|some|other)(?:[ ][\w-]{1,20}){0,3}[ ](?:songs|tracks|pieces|tunes|music)\b
          (?:(?![.;\n]).){0,60}
      | \b(?:unlike|original(?:[ ](?:song|version|track|piece|recording))?[ ](?:in|at|was|is)|compared[ ](?:to|with)
          |in[ ]contrast[ ](?:to|with)|(?:previous|other|another)[ ](?:track|song|piece|version))\b
          (?:(?![.,;\n]).){0,40}
      | \b(?:typically|usually|often|commonly|normally|typical|usual|通常|普通は|보통)(?:(?![.,;\n]).){0,40}
      | \b(?:if|whether|were|had)\b(?!\s(?:i|forced|pressed|asked|pushed|you[ ](?:ask|insist|press|want|force))\b)
          (?:(?![.,;\n]).){0,40}
      | \b(?:than|above|below|under|exceed(?:s|ing)?|at[ ](?:least|most)|minimum(?:[ ]of)?|maximum(?:[ ]of)?)
      | (?<!speeds[ ])(?<!speed[ ])(?<!speeding[ ])(?<!goes[ ])(?<!rises[ ])(?<!picks[ ])(?<!climbs[ ])(?<!moves[ ])
          (?<!builds[ ])(?<!ramps[ ])\bup[ ]to
      | (?<!just[ ])(?<!hovers[ ])\bover | (?<![-=<>])[<>≤≥]
    )
    (?:[ ](?:about|around|approximately|roughly|the|a|an))?[ ]?["'(\[~≈]{0,3}[ ]?\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_SUPPOSED_AFTER = re.compile(r"[ ]if[ ](?!i\b|i'm\b|my\b|not\b|forced\b|pressed\b)", re.IGNORECASE)
_ASKED_AFTER = re.compile(r"[^.,;:!?\n]{0,60}[ ]?\?")
_PART = re.compile(
    r"""\b(?:intro(?:duction)?|verses?|pre-?chorus|chorus(?:es)?|bridge|outro|coda|interlude|hook|drop|breakdown
        |section|part|beginning|start(?:s|ing)?|opening|opens|ends?|ending|middle|later|then|afterwards?|first|second
        |third|last|half|initial(?:ly)?|before|after|modulat\w{0,5}|chang\w{0,4}|switch\w{0,4}|shift\w{0,4}
        |Strophe|Refrain|Anfang|Ende|dann|couplet|refrain|estribillo|estrofa)\b
      | 前奏|主歌|副歌|间奏|尾奏|开头|结尾|サビ|イントロ|アウトロ|冒頭|후렴|전주|절""",
    re.IGNORECASE | re.VERBOSE,
)


class MusicDeclaration(NamedTuple):
    """What a cue and its payload say, and the sentence they stand in."""

    answer: MusicAnswer
    sentence: str


def is_stated(text: str, start: int, end: int) -> bool:
    """Whether the value at `text[start:end]` (single blanks) is claimed of the recording."""
    return not (
        is_negated_before(text, start)
        or is_negated_after(text, end)
        or _UNCLAIMED_BEFORE.search(text, _clause_start(text, start), start) is not None
        or _ASKED_AFTER.match(text, end) is not None
        or _SUPPOSED_AFTER.match(text, end) is not None
    )


def last_declared(declarations: Sequence[MusicDeclaration]) -> MusicAnswer:
    """The last of one or more declarations; ambiguous where they tell of parts, a loop where two come twice each."""
    last = declarations[-1].answer
    times = Counter((each.answer.value, each.answer.status) for each in declarations)
    if len(times) > 1:
        if sum(count > 1 for count in times.values()) > 1:
            return MusicAnswer(None, Status.UNPARSED, "loop")
        if any(tells_of_a_part(each.sentence) for each in declarations):
            return MusicAnswer(None, Status.UNPARSED, "ambiguous")
    return last


def tells_of_a_part(sentence: str) -> bool:
    """Whether `sentence` speaks of a part of the piece or of a change in it."""
    return _PART.search(sentence) is not None


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence that holds `text[start:end]`, at most 200 characters to each side."""
    low = max(0, start - 200)
    before = max(text.rfind(each, low, start) for each in ("\n", ". ", "; ", "! ", "? "))
    after = [at for each in ("\n", ". ", ";", "! ", "? ") if (at := text.find(each, end, end + 200)) >= 0]
    return text[max(before + 1, low) : min(after, default=min(len(text), end + 200))]


def _clause_start(text: str, start: int) -> int:
    low = max(0, start - _REACH)
    return max(low, text.rfind("\n", low, start) + 1, text.rfind(". ", low, max(low, start - 1)) + 1)
