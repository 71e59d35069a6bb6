"""Declarations that make one set: joined by "also", "and" or "too", or boxes and tags side by side in one sentence.

Any other later declaration replaces the earlier one (P2).
"""

import re

from musebench_tasks.answers.declarations import STRONG, Declaration

_FARTHEST = 240
_TAG = r"(?:answer|final_answer|choice|option)>"
_BESIDE_WORD = (
    r"[ ,;&)\]]{0,4}(?P<word>and/or|and|or|und|oder|et|ou|plus|also|as well as)?(?: also)? ?(?:options? )?[(\[]?"
)
_BOXES = re.compile(
    rf"[^\n\\<]{{0,40}}\}}{_BESIDE_WORD}\\(?:boxed|fbox) ?\{{ ?[(\[\"']{{0,2}}(?:options? )?", re.IGNORECASE
)
_TAGS = re.compile(rf"[^\n<]{{0,40}}</{_TAG}{_BESIDE_WORD}<{_TAG} ?[(\[\"']{{0,2}}(?:options? )?", re.IGNORECASE)
_REPLACES = (
    r"\b(?:but|wait|instead|rather|actually|no|not|correction|corrected|sorry|scratch|so|then|now|therefore|thus|hence"
    r"|final|finally|first|initial|initially)\b"
)
_ALSO = re.compile(
    rf"(?:(?!{_REPLACES})[\s\S]){{0,200}}?\b(?:also|additionally|furthermore|in addition)\b"
    rf"(?:(?!{_REPLACES}|\b(?:consider|think about|thought|check|heard|hear)(?:ed|ing)?\b)[^.!?;\n]){{0,40}}",
    re.IGNORECASE,
)
_TOO = re.compile(r"[A-Za-z][)\]}\"']{0,3},? (?:too|as well|in addition)\b", re.IGNORECASE)
_AND = re.compile(rf"(?:(?!{_REPLACES})[^.!?;\n]){{0,60}}\band (?:(?!{_REPLACES})[^.!?;,\n]){{0,60}}", re.IGNORECASE)
_NEAR_TOO = re.compile(rf"(?:(?!{_REPLACES})[^?\n]){{0,120}}", re.IGNORECASE)
_ADDED_LATER = re.compile(
    r"[^.!?\n]{0,60}[.!] ?\n?(?:And )?(?:(?:I|we)(?:'d| would)? also (?:choose|pick|select)|Also,?|It(?:'s| is) also)"
    r"(?: options?)? [(\[]?(?-i:[A-H])"
    r"(?=[)\].!,;\n]|$| (?:and|because|since|as|too|is (?:correct|right)|applies|fits|\())"
    r"|[^\n]{0,160}?(?<!\w)(?-i:[A-H])[)\]]? (?:is|are) (?:also|likewise|equally) "
    r"(?:correct|right|present|heard|true)\b",
    re.IGNORECASE,
)


def united(text: str, declarations: list[Declaration], multi: bool) -> list[Declaration]:
    """`declarations` (of one strength, in order) with those that make one set as one."""
    found: list[Declaration] = []
    previous: Declaration | None = None
    for each in declarations:
        word = _joint(text, previous, each, multi) if previous is not None and found[-1].indices else None
        if word is None or not each.indices:
            found.append(each)
        else:
            found[-1] = each._replace(
                position=found[-1].position,
                indices=tuple(sorted({*found[-1].indices, *each.indices})),
                alternatives=found[-1].alternatives or each.alternatives or word in _OR,
                conflict=found[-1].conflict or each.conflict,
            )
        previous = each
    return found


_OR = frozenset({"or", "and/or", "oder", "ou"})


def _joint(text: str, earlier: Declaration, later: Declaration, multi: bool) -> str | None:
    """The word that joins two declarations into one set ("" for none between boxes); None where they are two."""
    start, end = earlier.position + 1, later.position
    if end - start > _FARTHEST or end < start:
        return None
    beside = _BOXES.fullmatch(text, start, end) or _TAGS.fullmatch(text, start, end)
    if beside is not None:
        return (beside["word"] or "").lower() if multi or beside["word"] else None
    if _ALSO.fullmatch(text, start, end):
        return "also"
    if _TOO.match(text, end) and _NEAR_TOO.fullmatch(text, start, end):
        return "too"
    return "and" if multi and _AND.fullmatch(text, start, end) else None


def is_added_to(text: str, last: Declaration) -> bool:
    """Whether a weak cue right behind the last strong declaration adds to it ("Answer: A. I also choose C.")."""
    return last.strength == STRONG and _ADDED_LATER.match(text, last.position + 1) is not None
