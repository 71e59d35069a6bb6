"""Multi-select without a declaration: marked lists, then all asserted labels or texts (answers.md 3.3, end)."""

import re
from bisect import bisect_left
from itertools import pairwise

from musebench_tasks.answers.corrections import find_corrections
from musebench_tasks.answers.declarations import STRONG, Declaration
from musebench_tasks.answers.finder import Finder
from musebench_tasks.answers.labels import label_at
from musebench_tasks.answers.mentions import Mention, joins
from musebench_tasks.answers.positions import announced_line, ordinal
from musebench_tasks.answers.regions import VERDICT_WORDS, Region
from musebench_tasks.answers.steps import Decision, Undeclared, distinct
from musebench_tasks.answers.uncertainty import is_supposed

_TICKED = r"\[ ?[xX✓✔√] ?\]|\( ?[xX✓✔√] ?\)|☑|✅|✔|✓|🗹"
_BOX = re.compile(rf"(?P<ticked>{_TICKED})|\[ ?\]|\( \)|☐|❌|✗|✘|🗵|\[ ?- ?\]")
_ANY_BOX = Finder(_BOX.pattern)
_YES = r"yes|true|correct|present|heard|audible|right|selected|applies|✓|✔|✅|☑|是|对|對|正确|正確|有"
_NO = r"no|not|false|incorrect|absent|wrong|n't|unselected|✗|✘|❌|☐|否|错|錯|不|没有|沒有"
_VERDICT = re.compile(
    rf"[)\].:]{{0,2}} ?(?:(?P<text>[^\n:=]{{1,80}}?) ?)?? ?(?:[:=\-|]|->|→) ?"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![a-z])",
    re.IGNORECASE,
)
_SIGNS, _REACH = ":=-|→", 90
"""A verdict follows one of these signs, no further away than this."""
_DIRECT_VERDICT = re.compile(
    rf"[)\].:]{{0,2}} ?[(\[]?(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?=[\s.,;!)\]]|$)", re.IGNORECASE
)
_TRULY = r"(?:(?:also|clearly|definitely|certainly|both|all) )?"
_SAID_VERDICT = re.compile(
    rf"[)\]\"']{{0,2}} (?:"
    rf"(?P<no>(?:is|are)(?: not|n't) {_TRULY}(?:correct|right|true|present|applicable)|(?:is|are)n't"
    rf"|(?:is|are) {_TRULY}(?:incorrect|wrong|false|absent|not)|(?:does|do)(?: not|n't)(?: apply| fit| match)?"
    r"|(?:might|may|could)(?: be| apply| fit)?)"
    rf"|(?P<yes>(?:is|are) {_TRULY}(?:correct|right|true|present)|{_TRULY}(?:applies|apply|fits?|match(?:es)?)"
    r"|does|do))"
    r"(?! (?:answers?|options?|choices?|ones?)\b)(?=[.,;:!\n]|$| (?:because|since|as|and|but|too|either|here|too)\b)",
    re.IGNORECASE,
)
_MARKED = Finder(
    r"(?P<no>\b(?:incorrect|wrong|false|absent|not (?:correct|present|heard|selected|true|audible)|unselected|excluded"
    r"|no))"
    r"(?: (?:answers|options|statements|ones|choices|are|items))*?(?: ?:| for\b)"
    r"|(?P<yes>\b(?:correct|right|true|present|heard|selected|audible|included|yes))"
    r"(?: (?:answers|options|statements|ones|choices|are|items))*?(?: ?:| for\b)",
    re.IGNORECASE,
)
_LIST_LINE = re.compile(r"(?:[-•*·–]|\d{1,2}[.):])? ?[(\[\"']{0,2}([A-Za-z])[)\]\"']{0,2}(?:[.):,\-]? |[.):,]?$|[.):])")
_MARKER = re.compile(r"(?:[-•·]|\d{1,2}[.):]) ")
_EITHER = re.compile(r"\bor\b|\boder\b|或", re.IGNORECASE)


def _check_boxes(evidence: Undeclared) -> Decision | None:
    """`[x] A` and `A ✓`: the ticked ones, where every mark stands by one label or text."""
    if _ANY_BOX.search(evidence.text) is None:
        return None
    ticked: set[int] = set()
    marked = 0
    starts = [each.start for each in evidence.mentions]
    for line in _lines(evidence):
        box = _BOX.search(evidence.text, *line)
        named = evidence.mentions[bisect_left(starts, line[0]) : bisect_left(starts, line[1])]
        if box is None or not named:
            continue
        marked += 1
        if len(distinct(named)) == 1 and box["ticked"]:
            ticked.add(named[0].index)
    if marked < 2 and not (marked == 1 and ticked):
        return None
    conflict = any(each.conflict for each in evidence.mentions if each.index in ticked)
    return Decision(tuple(sorted(ticked)), "check_boxes", conflict=conflict) if ticked else None


def _lines(evidence: Undeclared) -> list[tuple[int, int]]:
    """Start and end of each line; of each box to the next where one line holds several boxes."""
    spans: list[tuple[int, int]] = []
    start = 0
    for line in evidence.text.split("\n"):
        end = start + len(line)
        boxes = [match.start() for match in _BOX.finditer(evidence.text, start, end)]
        if len(boxes) > 1 and not evidence.text[start : boxes[0]].strip(" -•·"):
            spans += list(zip(boxes, [*boxes[1:], end], strict=True))
        else:
            spans.append((start, end))
        start = end + 1
    return spans


def _verdicts(evidence: Undeclared) -> Decision | None:
    """`A: yes, B: no`: the labels or texts with a yes, where two or more have a verdict."""
    found = list(_verdicts_found(evidence))
    verdicts: dict[int, bool] = {}
    for mention, affirms in found:
        if verdicts.setdefault(mention.index, affirms) != affirms:
            return Decision(None, "ambiguous")
    if len(verdicts) < 2:
        return None
    chosen = tuple(sorted(index for index, yes in verdicts.items() if yes))
    if not chosen and any(each.asserted and each.index not in verdicts for each in evidence.mentions):
        return None
    return Decision(chosen, "verdicts", conflict=any(each.conflict for each in evidence.mentions))


def _verdicts_found(evidence: Undeclared) -> list[tuple[Mention, bool]]:
    """The mentions with a verdict, from the last to the first; one without its own shares that of the list it is in."""
    if not evidence.mentions or not VERDICT_WORDS.isdisjoint(evidence.reader.options.comparables):
        return []
    found: list[tuple[Mention, bool]] = []
    for mention, following in zip(evidence.mentions[::-1], [None, *evidence.mentions[:0:-1]], strict=True):
        match = _verdict_on(evidence.text, mention.end)
        if match is not None:
            found.append((mention, match["yes"] is not None))
        elif found and found[-1][0] is following and joins(evidence.text, mention.end, following.start):
            found.append((mention, found[-1][1]))
    return found


def _verdict_on(text: str, end: int) -> re.Match[str] | None:
    match = _SAID_VERDICT.match(text, end) or _DIRECT_VERDICT.match(text, end)
    if match is None and any(map(text[end : end + _REACH].__contains__, _SIGNS)):
        match = _VERDICT.match(text, end)
    return match if match is not None and (match["yes"] is not None or match["no"] is not None) else None


def stated_verdicts(evidence: Undeclared, declarations: list[Declaration]) -> Decision | None:
    """Verdicts on two or more labels, one by one, where nothing is declared but by them and before them.

    "A is correct. B is incorrect. C is correct." is the set A, C; a conclusion behind the verdicts replaces it.
    """
    if any(each.strength == STRONG for each in declarations) or not any(map(evidence.text.__contains__, _SAID)):
        return None
    if find_corrections(evidence.text):
        return None
    found = _verdicts_found(evidence)
    if len(found) < 2 or declarations[-1].position > found[0][0].end:
        return None
    return _verdicts(evidence)


_SAID = ("correct", "right", "true", "wrong", "present", "fit", "match", "appl", "yes", "does", "do ")


def one_verdict(evidence: Undeclared) -> Decision | None:
    """Single-select: of two or more labels or texts with a tick or verdict exactly one has a yes."""
    for step in (_check_boxes, _verdicts):
        decision = step(evidence)
        if decision is not None and decision.indices is not None and len(decision.indices) == 1:
            return decision
    return None


def _marked_list(evidence: Undeclared) -> Decision | None:
    """`Correct: A, C. Incorrect: B, D`: the list that is marked correct."""
    marks = list(_MARKED.finditer(evidence.text))
    if not any(mark["yes"] for mark in marks) or not any(mark["no"] for mark in marks):
        return None
    chosen: set[int] = set()
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        limit = following.start() if following else len(evidence.text)
        region = evidence.reader.read(mark.end(), limit) if mark["yes"] else None
        if region is not None:
            if region.alternatives:
                return Decision(None, "ambiguous")
            chosen |= set(region.indices)
    return Decision(tuple(sorted(chosen)), "marked_list") if chosen else None


def _list_items(evidence: Undeclared) -> Decision | None:
    """Two or more lines that each begin with a label; digits and bullets are markers."""
    text, reader = evidence.text, evidence.reader
    indices: list[int] = []
    lines = text.split("\n")
    start = 0
    for number, line in enumerate(lines):
        end = start + len(line)
        match = _LIST_LINE.match(line)
        region = reader.read(_after_marker(text, start), end)
        if region is not None and region.is_text:
            if _MARKER.match(line):
                indices += region.indices
        elif match is not None and label_at(text, start + match.start(1), end, declared=True):
            indices.append(ord(match[1].upper()) - ord("A"))
        elif indices and number < len(lines) - 1:
            return None
        start += len(line) + 1
    if len(indices) < 2 or (len(set(indices)) == reader.count and _restates(evidence)):
        return None
    denied = {each.index for each in evidence.mentions if not each.asserted}
    conflict = any(each.conflict for each in evidence.mentions)
    return Decision(tuple(sorted(set(indices) - denied)), "list_items", conflict=conflict)


def _bare_sets(evidence: Undeclared) -> Decision | None:
    """Two or more lines are lists of labels and nothing else: one set if they agree, two answers if they differ."""
    text, reader = evidence.text, evidence.reader
    sets: list[Region] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        region = reader.read(start, end) if len(line) <= _LONGEST_LIST else None
        if region is not None and not text[region.end : end].strip(" .)") and region.items[0].kind != "text":
            sets.append(region)
        start = end + 1
    if len(sets) < 2 or all(len(each.items) == 1 and each.items[0].kind == "label" for each in sets):
        return None
    if any(each.alternatives or each.indices != sets[0].indices for each in sets):
        return Decision(None, "ambiguous")
    return Decision(sets[0].indices, "lone_line")


def _lone_line(evidence: Undeclared) -> Decision | None:
    """The first or the last line is a list of labels and nothing else, and no other line is."""
    text, reader = evidence.text, evidence.reader
    found: list[tuple[int, Region]] = []
    start = 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        region = reader.read(start, start + len(line)) if len(line) <= _LONGEST_LIST else None
        if (
            region is not None
            and region.items[0].kind != "text"
            and not text[region.end : start + len(line)].strip(" .)")
        ):
            found.append((number, region))
        start += len(line) + 1
    if len(found) != 1 or len(lines) < 2 or found[0][0] not in (0, len(lines) - 1):
        return None
    region = found[0][1]
    return Decision(region.indices, "lone_line", region.alternatives, any(each.conflict for each in region.items))


_LONGEST_LIST = 60


def _after_marker(text: str, start: int) -> int:
    match = _MARKER.match(text, start)
    return match.end() if match else start


def _restates(evidence: Undeclared) -> bool:
    """Whether every option is listed with its own text: a copy of the question, no selection."""
    return {each.index for each in evidence.mentions if each.label and each.text} == set(range(evidence.reader.count))


def _all_labels(evidence: Undeclared) -> Decision | None:
    labels = _without_doubted(evidence, [each for each in evidence.mentions if each.label and each.asserted])
    if not labels or _restates(evidence):
        return None
    bracketed = [each for each in labels if each.bracketed]
    within = [each for each in labels if each.index < evidence.reader.count or each.bracketed]
    lone = len(distinct(within)) == 1 and not bracketed and not any(each.text for each in within)
    if lone and not any(_stands_out(evidence, each.start) for each in within):
        return None
    for earlier, later in pairwise(labels):
        if _EITHER.fullmatch(evidence.text[earlier.end : later.start].strip(" ()[],")):
            return Decision(None, "ambiguous")
    conflict = any(each.conflict for each in within)
    return Decision(distinct(within), "asserted_labels", conflict=conflict) if within else None


def _without_doubted(evidence: Undeclared, named: list[Mention]) -> list[Mention]:
    """`named` without the members that doubt sets apart from others ("A, C, and maybe D", "D might")."""
    if len(named) < 2:
        return named
    kept: list[Mention] = []
    in_doubt = False
    for mention, previous in zip(named[::-1], [*named[-2::-1], None], strict=True):
        joined = previous is not None and joins(evidence.text, previous.end, mention.start) is not None
        doubted = in_doubt or _DOUBT_AFTER.match(evidence.text, mention.end) is not None
        in_doubt = doubted and joined
        if doubted or _DOUBT_BEFORE.search(evidence.text, max(0, mention.start - 40), mention.start):
            continue
        kept.append(mention)
    return kept[::-1] or named


_DOUBT_BEFORE = Finder(
    r"[\w)\]][,;]? (?:and|or|plus)?,? ?\(?(?:also )?(?:maybe|perhaps|possibly)(?: also)?(?: an?| the)? ?[(\[\"']?\Z",
    re.IGNORECASE,
)
_DOUBT_AFTER = re.compile(
    r"[)\]\"']{0,2} ?(?:(?:might|may|could)(?: also| possibly)?(?: be| apply| fit| match)?\b"
    r"|\((?:maybe|perhaps|possibly|\?)\))",
    re.IGNORECASE,
)


def _stands_out(evidence: Undeclared, start: int) -> bool:
    """Whether a single label stands where an answer may: at the start or the end of the response."""
    text = evidence.text
    return start <= 2 or not text[start + 1 :].strip(" .!)]\"'")


def _all_texts(evidence: Undeclared) -> Decision | None:
    texts = _without_doubted(evidence, [each for each in evidence.mentions if each.text and each.asserted])
    if not texts or _restates(evidence):
        return None
    if len(distinct(texts)) > 1 and any(is_supposed(evidence.text, each.start) for each in texts):
        return Decision(None, "ambiguous")
    for earlier, later in pairwise(texts):
        if _EITHER.fullmatch(
            evidence.text[earlier.end : later.start].strip(" ,").removesuffix(" a").removesuffix(" the")
        ):
            return Decision(None, "ambiguous")
    return Decision(distinct(texts), "asserted_texts")


def _listed_only(evidence: Undeclared) -> Decision | None:
    return Decision(None, "enumeration") if evidence.is_enumeration else None


MULTI_STEPS = (
    _check_boxes,
    _verdicts,
    _marked_list,
    _bare_sets,
    announced_line,
    _lone_line,
    _list_items,
    _all_labels,
    _all_texts,
    ordinal,
    _listed_only,
)
"""Each returns a decision, or None to let the next step look."""
