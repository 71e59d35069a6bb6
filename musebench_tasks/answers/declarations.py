"""Declarations: a cue and what it announces on the same line; the last valid one wins (P2, answers.md 3.2)."""

import re
from typing import NamedTuple

from musebench_tasks.answers.assertion import denies_one, is_negated_after, is_questioned
from musebench_tasks.answers.choice_json import VOID
from musebench_tasks.answers.cues import (
    Cue,
    called_the_answer,
    find_cues,
    is_conditional,
    is_reversed_declaration,
)
from musebench_tasks.answers.denial import heading_before, is_announced_as_wrong, is_denied_before, rejects
from musebench_tasks.answers.labels import Label, label_at
from musebench_tasks.answers.mentions import joins
from musebench_tasks.answers.phrases import explicit_phrase, names_no_option
from musebench_tasks.answers.regions import Region, RegionReader
from musebench_tasks.base.records import LETTERS

STRONG, WEAK = 2, 1
_PLACEHOLDER = re.compile(
    r"[ ]?[\[<{(\"']{0,2}\s?(?:your[ _]|the[ _]|option[ _])?(?:letters?|label|answer|choice)\b[\]>})\"']{0,2}",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"""[ ]?(?:$|[.,;:!)\]}"'\n(<-]|(?:because|since|as|due|given|based|judging|which|with|for|that
      |in|on|at|from|by|here|and|or
      |rather|not|is[ ](?:the|correct|right)|fits|matches|instead|playing|seems)\b|[^\x00-\u024f])""",
    re.IGNORECASE | re.VERBOSE,
)
_AFFIRMED = re.compile(
    r"correct|right|richtig|korrekt|certa|giusta|benar|bonne|best|fit|match|answer|true|likely|对|對|正确|正確|符合|最|为|是",
    re.IGNORECASE,
)
_VERB_FOLLOWS = re.compile(r" [a-z]{2,}")
_REASON_FOLLOWS = re.compile(
    r" (?:because|since|as|due|given|based|judging|for|and|or|which|in|here|then|but|with|rather|not|too)\b"
)


_BRACE = re.compile(r"[{}]")
_LONGEST_BOX, _LONGEST_TAG = 500, 2000
"""Characters after a box or a tag in which its end is looked for; without one the line ends it."""
_NEAR = 64
_CUES_AHEAD = 8
"""Cues among which the next strong one is looked for, which ends what a cue announces."""


class Declaration(NamedTuple):
    """What a cue announced: option indices (none for "none" or for a list that is void), and how."""

    position: int
    strength: int
    rule: str
    indices: tuple[int, ...]
    alternatives: bool = False
    conflict: bool = False
    is_text: bool = False


class Declared(NamedTuple):
    """All valid declarations in order, and whether a placeholder or an unknown none/all phrase was declared."""

    declarations: list[Declaration]
    placeholder: bool
    not_an_option: bool


def find_declarations(reader: RegionReader) -> Declared:
    """Every valid declaration of the text outside JSON."""
    return _all_declarations(reader, _announcing(reader))


def find_deciding(reader: RegionReader) -> Declared:
    """Every valid declaration of the text outside JSON, or at least the strong ones where there are any."""
    cues = _announcing(reader)
    if any(cue.strength == STRONG for cue, _ in cues) and not any(mark in reader.text for mark in VOID):
        declared = _read_cues(reader, _that_touch_strong_ones(cues))
        if any(each.strength == STRONG for each in declared.declarations):
            return declared
    return _all_declarations(reader, cues)


def _announcing(reader: RegionReader) -> list[tuple[Cue, int]]:
    """The cues in order, each with where its payload ends at the latest."""
    cues = [cue for cue in find_cues(reader.text) if not _is_option_text(reader, cue)]
    announcing: list[tuple[Cue, int]] = []
    strong, following = len(cues) + _CUES_AHEAD, len(reader.text)
    for number in range(len(cues) - 1, -1, -1):
        cue = cues[number]
        within = following if strong - number <= _CUES_AHEAD else len(reader.text)
        announcing.append((cue, _payload_limit(reader.text, cue, within)))
        if cue.strength == STRONG:
            strong, following = number, cue.start
    return announcing[::-1]


def _that_touch_strong_ones(cues: list[tuple[Cue, int]]) -> list[tuple[Cue, int]]:
    """The strong cues, and the weak ones before one of which the payload may reach into it."""
    kept: list[tuple[Cue, int]] = []
    weak: list[tuple[Cue, int]] = []
    for cue, limit in cues:
        if cue.strength == WEAK:
            weak.append((cue, limit))
            continue
        if any(end > cue.start for _, end in weak):
            kept += weak
        kept.append((cue, limit))
        weak = []
    return kept


def _all_declarations(reader: RegionReader, cues: list[tuple[Cue, int]]) -> Declared:
    declared = _read_cues(reader, cues)
    found = declared.declarations
    found += _reversed(reader, {each.position for each in found})
    found += _called_texts(reader)
    return declared._replace(declarations=sorted(found))


def _read_cues(reader: RegionReader, cues: list[tuple[Cue, int]]) -> Declared:
    """What the cues announce; one that lies in what an earlier one announced is passed over."""
    found: list[Declaration] = []
    placeholder = not_an_option = False
    consumed = 0
    for cue, limit in cues:
        if cue.end < consumed:
            continue
        phrase = _read_void(reader, cue) or _read_phrase(reader, cue, limit)
        if phrase is not None:
            found.append(phrase)
            consumed = limit
            continue
        start, limit = _line_below(reader, cue, limit) or (_payload_start(reader.text, cue), limit)
        region = reader.read(start, limit) or _read_subject(reader, cue, limit)
        if region is not None and (declaration := _validate(reader, cue, region, limit)) is not None:
            found.append(declaration)
            consumed = region.end
        elif cue.strength == STRONG and (number := _read_number(reader, cue, limit)) is not None:
            found.append(number)
            consumed = limit
        elif cue.strength == STRONG and region is None:
            placeholder = placeholder or _PLACEHOLDER.match(reader.text, cue.end, limit) is not None
            not_an_option = not_an_option or names_no_option(reader, cue.end, limit)
    return Declared(sorted(found), placeholder, not_an_option)


def _is_option_text(reader: RegionReader, cue: Cue) -> bool:
    """Whether the words of a cue open an option text there ("It is a canon")."""
    text = reader.options.at(reader.folded, cue.start)
    return text is not None and text.end >= cue.end


def _payload_start(text: str, cue: Cue) -> int:
    position = cue.end
    if cue.kind == "tagged":
        while position < len(text) and text[position] in " \n":
            position += 1
    return position


def _payload_limit(text: str, cue: Cue, following: int) -> int:
    """The payload ends with the line, the tag, the box or where the next cue starts."""
    if cue.kind == "tagged":
        close = text.find("</" if text[cue.start] == "<" else "[/", cue.end, cue.end + _LONGEST_TAG)
        return close if close >= 0 else _line_end(text, _payload_start(text, cue))
    line_end = _line_end(text, cue.end)
    if cue.kind == "boxed":
        return _closing_brace(text, cue.end, line_end)
    if following <= cue.end + 24 and text[cue.end : following].strip(" ,:*") == "":
        return line_end
    return min(line_end, following) if following > cue.end else line_end


def _read_subject(reader: RegionReader, cue: Cue, limit: int) -> Region | None:
    """What a conclusion says of its subject in an option's words ("so the key is A major")."""
    match = _SUBJECT.match(reader.text, cue.end, limit) if cue.strength == WEAK else None
    region = reader.read(match.end(), limit) if match else None
    return region if region is not None and region.is_text else None


_SUBJECT = re.compile(
    r"[ ,]{0,2}(?:the|this) (?:[a-z-]{1,20} ){1,3}(?:is|was|must be|would be|has to be) "
    r"(?:(?:most )?likely |clearly )?",
    re.IGNORECASE,
)


def _line_below(reader: RegionReader, cue: Cue, limit: int) -> tuple[int, int] | None:
    """Start and end of the line below a strong cue that ends its own, where that line alone is one answer."""
    text = reader.text
    if cue.kind != "strong" or text[cue.end : limit].strip(" .:") or limit >= len(text) or text[limit] != "\n":
        return None
    start, end = limit + 1, _line_end(text, limit + 1)
    region = reader.read(start, end)
    if region is None or (len(region.items) > 1 and not reader.multi) or _ITEM.match(text, end + 1):
        return None
    heads = region.items[0].kind == "label" and _HEAD.match(text, region.items[0].start + 1) is not None
    return (start, end) if heads or not text[region.end : end].strip(" .!)]\"'") else None


_HEAD = re.compile(r"[)\]]? ?[.):\]]? ")
_ITEM = re.compile(r"(?:[-•*·] |\d{1,2}[.)] )?[(\[]?[A-Z](?:[.):\]]| \(| - |\n|$)")


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _closing_brace(text: str, start: int, limit: int) -> int:
    depth = 1
    for brace in _BRACE.finditer(text, start, min(limit, start + _LONGEST_BOX)):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return limit


def _read_void(reader: RegionReader, cue: Cue) -> Declaration | None:
    """A list of which a part is no option: declared, but no answer."""
    start = cue.end + reader.text.startswith(" ", cue.end)
    rule = VOID.get(reader.text[start : start + 1])
    return None if rule is None else Declaration(start, STRONG, rule, ())


def _read_phrase(reader: RegionReader, cue: Cue, limit: int) -> Declaration | None:
    if not reader.multi or cue.strength != STRONG:
        return None
    start = reader.skip_fillers(_payload_start(reader.text, cue), limit)
    if reader.options.at(reader.folded, start) is not None:
        return None
    phrase = explicit_phrase(reader, start, limit)
    return None if phrase is None else Declaration(start, STRONG, phrase[0], phrase[1])


def _read_number(reader: RegionReader, cue: Cue, limit: int) -> Declaration | None:
    """A payload that is a bare number names the one option in whose text it is the only number (P9)."""
    start = _payload_start(reader.text, cue)
    bare = reader.text[start : min(limit, start + 24)].strip(" .,;!()[]\"'")
    if limit - start > 24 or not re.fullmatch(r"\d+(?:\.\d+)?", bare):
        return None
    indices = reader.options.by_only_number(bare)
    return Declaration(start, STRONG, "number", indices) if len(indices) == 1 else None


def _validate(reader: RegionReader, cue: Cue, region: Region, limit: int) -> Declaration | None:
    text = reader.text
    if cue.kind == "boxed" and not _fills_the_box(text, region, limit):
        return None
    if is_questioned(text, region.end) or is_denied_before(text, region.start) or _is_rejected(text, cue, region.start):
        return None
    if is_negated_after(text, region.end):
        if len(region.items) == 1 or not (region.commas and denies_one(text, region.end)):
            return None
        region.items.pop()
    if is_conditional(text, region.end):
        return None
    if region.is_text and not _ends_a_clause(text, region.items[-1].end):
        return None
    if cue.kind == "option" and not _is_chosen(text, region.end):
        return None
    if cue.strength == WEAK and region.items[0].kind == "run":
        return None
    return Declaration(
        region.start,
        cue.strength,
        "boxed" if cue.kind == "boxed" else "declared" if cue.strength == STRONG else "concluded",
        region.indices,
        region.alternatives,
        any(item.conflict for item in region.items),
        region.is_text,
    )


def _is_rejected(text: str, cue: Cue, start: int) -> bool:
    """Whether the cue is part of a heading of rejection ("Falsche Antwort: B")."""
    if cue.kind in ("boxed", "tagged"):
        return is_announced_as_wrong(text, cue.start)
    heading = heading_before(text, start) or heading_before(text, cue.end)
    return heading is not None and rejects(heading)


def _fills_the_box(text: str, region: Region, limit: int) -> bool:
    rest = text[region.end : min(limit, region.end + _NEAR)].lstrip()
    return not rest or rest[0] in ".):,;-}" or region.is_text


def _ends_a_clause(text: str, end: int) -> bool:
    return _CLAUSE_END.match(text, end) is not None


def _is_chosen(text: str, end: int) -> bool:
    """ "Option B has a trill" describes; "Option B.", "option B because", "option B is correct" choose."""
    if _VERB_FOLLOWS.match(text, end) is None or _REASON_FOLLOWS.match(text, end) is not None:
        return True
    clause = re.split(r"[.,;\n]", text[end : end + 80], maxsplit=1)[0]
    return _AFFIRMED.search(clause) is not None


def _reversed(reader: RegionReader, known: set[int]) -> list[Declaration]:
    """Labels, or lists of them, that the words after them call the answer ("B is the correct answer")."""
    found: list[Declaration] = []
    if not any(is_reversed_declaration(reader.text, end) for end in reader.letter_ends):
        return found
    listed: list[Label] = []
    for label in reader.labels:
        joint = joins(reader.text, listed[-1].end, label.start) if listed else None
        listed = [*listed, label] if joint is not None and len(listed) < len(LETTERS) else [label]
        start, end = listed[0].start, label.end
        if start in known or not is_reversed_declaration(reader.text, end):
            continue
        if not (is_denied_before(reader.text, start) or is_negated_after(reader.text, end)):
            indices = tuple(sorted({each.option for each in listed}))
            found.append(Declaration(start, WEAK, "concluded", indices))
    return found


_LABEL_BEFORE = re.compile(r"(?<!\w)([A-Z])[)\]}\"']{0,3} ?[.:=\-]? ?[(\[\"']{0,2}(?:an? |the )?\Z")


def _called_texts(reader: RegionReader) -> list[Declaration]:
    """Option texts that the words after them call the answer ("the cello is the best match")."""
    found: list[Declaration] = []
    for end in called_the_answer(reader.text):
        text = reader.options.ending_at(reader.folded, end)
        if text is None or is_denied_before(reader.text, text.start):
            continue
        before = _LABEL_BEFORE.search(reader.text, max(0, text.start - 12), text.start)
        label = label_at(reader.text, before.start(1), text.start, declared=True) if before else None
        if label is None:
            found.append(Declaration(text.start, WEAK, "concluded", text.indices, is_text=True))
        else:
            conflict = label.option not in text.indices
            found.append(Declaration(label.start, WEAK, "concluded", (label.option,), conflict=conflict))
    return found
