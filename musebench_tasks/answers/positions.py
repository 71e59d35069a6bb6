"""Single-select without a declaration: answer positions, then a unique option text (answers.md 3.3, in its order)."""

import re

from musebench_tasks.answers.assertion import is_negated_after
from musebench_tasks.answers.cues import under_condition
from musebench_tasks.answers.denial import (
    heading_before,
    is_denied_before,
    is_example,
    rejects,
)
from musebench_tasks.answers.finder import Finder
from musebench_tasks.answers.labels import label_at
from musebench_tasks.answers.mentions import Mention
from musebench_tasks.answers.option_texts import comparable
from musebench_tasks.answers.other_things import names_something_else
from musebench_tasks.answers.rivals import is_own_ranking, is_rival
from musebench_tasks.answers.steps import Decision, Undeclared, distinct
from musebench_tasks.answers.uncertainty import is_within

_LAST_SENTENCE = re.compile(r"[^\n.!?。!?:;,]{1,12}[.!?。)\]\"']{0,4}$")
_LONE_LABEL = re.compile(r"[ (\[{\"'<]{0,4}([A-Za-z])[)\]}\"'>]{0,3}[.!。]{0,2}$")
_LIST_MARK = re.compile(r"(?:^|\n)(?:[-•*]|\d{1,2}[.):])\Z")
_MARKER = re.compile(r"(?:[-•·]|\d{1,2}[.):]) ")
_SENTENCE_END = re.compile(r"[\n.!?。]$")
_ENDING_LABEL = re.compile(r"(?:[:,=]|->|→|=>)(?: (?:but|so))? ?[(\[\"']{0,2}([A-Z])[)\]\"']{0,2}[.!。]{0,3}$")
_OPENING = re.compile(
    r"[(\[{\"']{0,2}([A-Za-z])[)\]}\"']{0,2}(?:(?:[.):,\]。、]| - )(?=[\s(]|$|[^\x00-\u024f])|(?=\n))"
)
_SUBJECT = re.compile(r"[(\[]([A-Z])[)\]] (?!(?:because|since|as|due|given|based|for|with)\b)[a-z]+\b")
"""A bracketed letter of which something is told: "[A] plays first"."""
_COMMA_PAIR = re.compile(r"(?:[:,=]) ?[(\[]?[A-Z][)\]]?\s*(?=[,;.\n]|$)")
_NOUN = r"(?:options?|choices?|answers?|alternatives?|possibility)"
_ORDINALS = {
    name: index
    for index, names in enumerate(
        ("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th", "eighth 8th")
    )
    for name in names.split()
} | {name: index for index, name in enumerate("一二三四五六七八")}
_ORDINAL = Finder(
    rf"\b({'|'.join(name for name in _ORDINALS if name.isascii())}) (?:(?:listed|given|answer) )?{_NOUN}\b"
    r"|第([一二三四五六七八])(?:个|個)?(?:选项|選項|项|項|答案)",
    re.IGNORECASE,
)
_ORDINAL_ONE = re.compile(
    rf"(?:the )?({'|'.join(name for name in _ORDINALS if name.isascii())}) one[.!]?", re.IGNORECASE
)
_BARE_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_COMPLEMENT = re.compile(
    r"(?:\b(?:is|are|was|were|been|it's|be|called|named|equals|as|in)|[:=])(?: (?:a|an|the|clearly|probably"
    r"|definitely|only|just|exactly))? [\"'(\[]?([^\s\"'()\[\]]{1,3})[\"')\]]?[.!。]?$",
    re.IGNORECASE,
)
_OPENING_WORD = re.compile(r"([^\s.,;:!()\-]{1,3})(?:[.,;:!。](?!\d)| -)")


def _last_line(evidence: Undeclared) -> Decision | None:
    """The last line or sentence is a label and nothing else, and the one before it is not another."""
    text = evidence.text
    match = _LAST_SENTENCE.search(text, max(0, len(text) - 20))
    lone = _LONE_LABEL.fullmatch(match[0]) if match else None
    if match is None or lone is None:
        return None
    before = _LIST_MARK.sub("\n", text[max(0, match.start() - 12) : match.start()].rstrip(" "))
    if match.start() and not _SENTENCE_END.search(before):
        return None
    if _is_misannounced(evidence, len(text[: match.start()].rstrip())):
        return None
    previous = re.search(r"(?:^|[^A-Za-z])[(\[]?([A-Z])[)\]]?[.!?。\n]+$", before)
    if previous is not None and previous[1] != lone[1]:
        return None
    if not lone[1].isupper() and match.start() and "\n" not in before[-1:]:
        return None
    return Decision((ord(lone[1].upper()) - ord("A"),), "last_line")


def announced_line(evidence: Undeclared) -> Decision | None:
    """The last line holds one label, with or without its text, and the line before it ends with a colon."""
    head, _, last = evidence.text.rpartition("\n")
    if not head.endswith(":"):
        return None
    start = len(head) + 1
    if _is_misannounced(evidence, len(head)):
        return None
    marker = _MARKER.match(last)
    region = evidence.reader.read(start + (marker.end() if marker else 0), len(evidence.text))
    if region is None or evidence.text[region.end :].strip(" .!)]\"'") or region.items[0].kind == "text":
        return None
    return Decision(region.indices, "last_line", region.alternatives, region.items[0].conflict)


def _opening_label(evidence: Undeclared) -> Decision | None:
    """A label with a delimiter opens the response, and no other label heads an item."""
    text, reader = evidence.text, evidence.reader
    match = _OPENING.match(text)
    if match is None or label_at(text, match.start(1), len(text), declared=True) is None:
        return None
    index = ord(match[1].upper()) - ord("A")
    region = reader.read(0, len(text))
    if region is None or region.indices != (index,) or is_negated_after(text, region.end):
        return None
    if _SUBJECT.match(text) and region.end <= match.end():
        return None
    if any(each.head and each.index != index and not is_rival(text, each.start) for each in evidence.mentions):
        return None
    return Decision((index,), "opening_label", conflict=region.items[0].conflict)


def _ending_label(evidence: Undeclared) -> Decision | None:
    """A label ends the response after a colon or comma, and is not the last of a list."""
    match = _ENDING_LABEL.search(evidence.text, max(0, len(evidence.text) - 16))
    if match is None or label_at(evidence.text, match.start(1), len(evidence.text), declared=False) is None:
        return None
    others = {each.index for each in _labels_after_marks(evidence, match.start(1))}
    index = ord(match[1]) - ord("A")
    if others - {index} or under_condition(evidence.text, match.start()) or _is_misannounced(evidence, match.start(1)):
        return None
    return Decision((index,), "ending_label")


def _is_misannounced(evidence: Undeclared, start: int) -> bool:
    """Whether a heading that is no option's text announces what is rejected, or another thing than an answer."""
    if names_something_else(evidence.text, start) or is_rival(evidence.text, start):
        return True
    heading = heading_before(evidence.text, start)
    if heading is None or evidence.reader.options.whole(heading):
        return False
    return rejects(heading) or is_example(evidence.text, start)


def _labels_after_marks(evidence: Undeclared, before: int) -> list[Mention]:
    """Labels that close an earlier item as the last one closes the response, or stand in a list with it."""
    text = evidence.text
    return [
        each
        for each in evidence.mentions
        if each.label
        and not each.text
        and each.asserted
        and each.end <= before
        and _COMMA_PAIR.match(text, _mark_before(text, each.start))
    ]


def _mark_before(text: str, start: int) -> int:
    position = start - 1
    while position > 0 and text[position] in " ([":
        position -= 1
    return max(position, 0)


def _bracketed(evidence: Undeclared) -> Decision | None:
    """Exactly one distinct asserted label stands in brackets."""
    found = [each for each in evidence.asserted if each.bracketed]
    return Decision(distinct(found), "bracketed", conflict=any(each.conflict for each in found)) if found else None


def ordinal(evidence: Undeclared) -> Decision | None:
    """ "The second option": the ordinals with a noun that are asserted."""
    found = set()
    for match in _ORDINAL.finditer(evidence.text):
        if not (
            is_denied_before(evidence.text, match.start())
            or is_negated_after(evidence.text, match.end())
            or is_own_ranking(evidence.text, match.start())
            or is_within(evidence.doubted, match.start())
        ):
            found.add(_ORDINALS[(match[1] or match[2]).lower()])
    whole = _ORDINAL_ONE.fullmatch(evidence.text)
    if whole is not None:
        found.add(_ORDINALS[whole[1].lower()])
    return Decision(tuple(sorted(found)), "ordinal") if found else None


def _several_labels(evidence: Undeclared) -> Decision | None:
    labels = [each for each in evidence.asserted if each.label and each.index < evidence.reader.count]
    return Decision(None, "ambiguous") if len(distinct(labels)) > 1 else None


def _one_text(evidence: Undeclared) -> Decision | None:
    texts = [each for each in evidence.asserted if each.text]
    indices = distinct(texts)
    if len(indices) > 1:
        return Decision(None, "ambiguous")
    if len(indices) == 1 and _told_against(evidence, indices[0]):
        return Decision(None, "ambiguous")
    if len(indices) == 1:
        return Decision(indices, "option_text", conflict=any(each.conflict for each in texts))
    return _short_text(evidence)


def _lone_text(evidence: Undeclared) -> Decision | None:
    """The first sentence or the last line is an option text and nothing else, and no other line is ("Alto. Low …")."""
    text, options = evidence.text, evidence.reader.options
    first = _FIRST_SENTENCE.match(text)
    lines = [line for line in text.split("\n") if len(line) <= _LONGEST_TEXT]
    named = [options.whole(_MARKER.sub("", line, count=1)) for line in lines]
    alone = [each for each in named if len(each) == 1]
    found = options.whole(first[1]) if first else ()
    if len(found) == 1 and not alone and options.at(evidence.reader.folded, first.end() if first else 0) is None:
        return Decision(found, "option_text")
    if len(alone) == 1 and text.rpartition("\n")[2] == lines[-1] and named[-1] == alone[0] and len(lines) > 1:
        return Decision(alone[0], "option_text")
    return None


_FIRST_SENTENCE = re.compile(r"([^.!\n]{2,80})[.!] ")
_LONGEST_TEXT = 120


def _told_against(evidence: Undeclared, index: int) -> bool:
    """Whether the short text of another option stands in the response too ("from red to green")."""
    return any(
        index not in each.indices
        and not (is_denied_before(evidence.text, each.start) or is_negated_after(evidence.text, each.end))
        for each in evidence.reader.options.find_short(evidence.reader.folded)
    )


def _short_text(evidence: Undeclared) -> Decision | None:
    """A short option text counts as the opening word before punctuation, or as complement at the very end."""
    opening = _OPENING_WORD.match(evidence.text)
    ending = _COMPLEMENT.search(evidence.text, max(0, len(evidence.text) - 40))
    found = set()
    for match in (opening, ending):
        if match is not None and not (
            is_denied_before(evidence.text, match.start(1)) or is_within(evidence.doubted, match.start(1))
        ):
            wanted = comparable(match[1])
            found |= {index for index, each in enumerate(evidence.reader.options.comparables) if each == wanted}
    if len(found) > 1:
        return Decision(None, "ambiguous")
    return Decision(tuple(found), "option_text") if found else None


def _number(evidence: Undeclared) -> Decision | None:
    """The whole response is a number that one option text alone holds as its only number."""
    bare = evidence.text.strip(" .,;!()[]\"'")
    if _BARE_NUMBER.fullmatch(bare) is None:
        return None
    found = evidence.reader.options.by_only_number(bare)
    return Decision(found, "number") if len(found) == 1 else None


def _listed_only(evidence: Undeclared) -> Decision | None:
    return Decision(None, "enumeration") if evidence.is_enumeration else None


SINGLE_STEPS = (
    announced_line,
    _last_line,
    _opening_label,
    _ending_label,
    _bracketed,
    ordinal,
    _several_labels,
    _lone_text,
    _one_text,
    _number,
    _listed_only,
)
"""Each returns a decision, or None to let the next step look."""
