"""Mentions: every label and option text of a response, merged where they name one thing, and whether it is asserted."""

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import pairwise

from musebench_tasks.answers.assertion import (
    denies_one,
    is_in_a_question,
    is_negated_after,
    is_questioned,
)
from musebench_tasks.answers.denial import is_announced_as_wrong, is_denied_before, rejected_lines
from musebench_tasks.answers.other_things import names_something_else
from musebench_tasks.answers.regions import RegionReader
from musebench_tasks.answers.rivals import is_rival
from musebench_tasks.answers.uncertainty import doubted_stretches

_LABEL_THEN_TEXT = re.compile(r"[)\]}\"'】」]{0,3} ?[.:=\-]{0,2} ?[(\[\"'{]{0,2}(?:an? |the )?")
_TEXT_THEN_LABEL = re.compile(r"[)\]\"']{0,2} ?(?:option )?[(\[【「] ?(?:option |选项)?|[\"']? ?[:=] ?")
_JOINT = re.compile(
    r"""[)\]}"'.]{0,3}[ ]?(?P<comma>[,、])?[ ]?
        (?P<word>(?:and/or|and|or|nor|und|oder|et|ou|dan|atau)\b|(?-i:[yoe](?=[ ][(\[]?[A-Z]))
          |和|与|與|及|或|还是|還是|と|[/&+])?[ ]?
        (?:(?:the|an?|options?|choices?|either|both|also)[ ])*[(\[{"']{0,2}""",
    re.IGNORECASE | re.VERBOSE,
)
_TAIL = re.compile(r"[ .!]{0,4}\Z")
_HEAD_DELIMITER = re.compile(r"[)\]]? ?[.):\]](?=\s|$)|[)\]] |[)\]]? - ")
_AND_OR = ("and", "or")
_HEAD_BEFORE = re.compile(r"(?:^|[\n.!?;,:。，]|\b(?:and|or))[ ]?(?:[-•*·]|\d{1,2}[.)])?[ ]?[(\[]?\Z")


@dataclass
class Mention:
    """A place that names an option. `index` may lie beyond the options; `label` and `text` say how it is named."""

    start: int
    end: int
    index: int
    label: bool
    text: bool = False
    letter: int = 0
    """Where the label's letter stands."""
    bracketed: bool = False
    conflict: bool = False
    head: bool = False
    asserted: bool = True


def find_mentions(reader: RegionReader) -> list[Mention]:
    """All mentions in order, with their assertion decided."""
    mentions = _merge(reader.text, _raw(reader))
    _mark_heads(reader.text, mentions)
    _decide(reader.text, mentions)
    return mentions


def _raw(reader: RegionReader) -> list[Mention]:
    texts = [
        Mention(match.start, match.end, match.indices[0], label=False, text=True)
        for match in reader.options.find_all(reader.folded)
        if len(match.indices) == 1 and not _is_adjective(reader.text, match.start, match.end)
    ]
    texts = _with_joined(reader, texts)
    labels = [
        Mention(label.start, label.end, label.option, label=True, letter=label.start, bracketed=label.bracketed)
        for label in reader.labels
        if label.upper or label.option < reader.count
    ]
    covered = _outside(labels, texts)
    return sorted([*texts, *covered], key=lambda each: each.start)


def _is_adjective(text: str, start: int, end: int) -> bool:
    """Whether "a minor" or "a major" stands there as in "a minor key", no name of a key."""
    return start > 0 and text[start:end] in _ADJECTIVES and text[end : end + 2].strip(" ").isalpha()


_ADJECTIVES = frozenset({"a minor", "a major"})


def _with_joined(reader: RegionReader, texts: list[Mention]) -> list[Mention]:
    """`texts` and the short ones that stand in one list with them ("pop and rock")."""
    if not texts:
        return texts
    short = [
        Mention(each.start, each.end, each.indices[0], label=False, text=True)
        for each in reader.options.find_short(reader.folded)
    ]
    if not short:
        return texts
    kept = sorted([*texts, *short], key=lambda each: each.start)
    alone = {id(each) for each in short}
    for earlier, later in (*pairwise(kept), *pairwise(reversed(kept))):
        first, second = sorted((earlier, later), key=lambda each: each.start)
        if (id(earlier) not in alone) and id(later) in alone and joins(reader.text, first.end, second.start):
            alone.discard(id(later))
    return [each for each in kept if id(each) not in alone]


def _outside(labels: list[Mention], texts: list[Mention]) -> list[Mention]:
    """Labels that are not letters of an option text found around them."""
    kept: list[Mention] = []
    place = 0
    for label in labels:
        while place < len(texts) and texts[place].end <= label.start:
            place += 1
        if place == len(texts) or texts[place].start > label.start:
            kept.append(label)
    return kept


def _merge(text: str, mentions: list[Mention]) -> list[Mention]:
    """`B) Cello` and `Cello (B)` are one mention each: the letter counts, a disagreement is noted."""
    merged: list[Mention] = []
    for mention in mentions:
        previous = merged[-1] if merged else None
        if previous is None or previous.label == mention.label or (previous.label and previous.text):
            merged.append(mention)
            continue
        label, written = (previous, mention) if previous.label else (mention, previous)
        joins = (_LABEL_THEN_TEXT if previous.label else _TEXT_THEN_LABEL).fullmatch(text, previous.end, mention.start)
        if joins is None or (not previous.label and not mention.bracketed and not _TAIL.match(text, mention.end)):
            merged.append(mention)
            continue
        merged[-1] = replace(
            label, start=previous.start, end=mention.end, text=True, conflict=label.index != written.index
        )
    return merged


def _mark_heads(text: str, mentions: list[Mention]) -> None:
    """A head is a label with a delimiter where an item of a list starts."""
    for mention in mentions:
        if not mention.label:
            continue
        before = _HEAD_BEFORE.search(text, max(0, mention.start - 12), mention.start)
        delimiter = _HEAD_DELIMITER.match(text, mention.letter + 1)
        is_item = mention.text or not (mention.bracketed or before is None or before[0].rstrip(" (").endswith(_AND_OR))
        mention.head = before is not None and delimiter is not None and is_item


def _decide(text: str, mentions: list[Mention]) -> None:
    for mention in mentions:
        mention.asserted = not (
            is_denied_before(text, mention.start)
            or is_negated_after(text, mention.end)
            or is_in_a_question(text, mention.end)
            or is_announced_as_wrong(text, mention.start)
            or is_rival(text, mention.start)
            or (not mention.text and names_something_else(text, mention.start))
        )
    starts = [each.start for each in mentions]
    for start, end in [*rejected_lines(text), *doubted_stretches(text)]:
        for mention in mentions[bisect_left(starts, start) : bisect_left(starts, end)]:
            mention.asserted = False
    for chain in _chains(text, mentions):
        _spread(text, chain)


def joins(text: str, start: int, end: int) -> re.Match[str] | None:
    """What lies between two mentions, if it joins them into one list: a comma, a conjunction, or both."""
    joint = _JOINT.fullmatch(text, start, end)
    return joint if joint is not None and (joint["comma"] or joint["word"]) else None


def _chains(text: str, mentions: list[Mention]) -> list[list[tuple[Mention, bool]]]:
    """Mentions joined by commas and conjunctions only; with each, whether a word (not a comma alone) joins it."""
    chains: list[list[tuple[Mention, bool]]] = []
    for mention in mentions:
        previous = chains[-1][-1][0] if chains else None
        joint = joins(text, previous.end, mention.start) if previous else None
        if joint is not None:
            chains[-1].append((mention, bool(joint["word"])))
        else:
            chains.append([(mention, False)])
    return [chain for chain in chains if len(chain) > 1]


def _spread(text: str, chain: list[tuple[Mention, bool]]) -> None:
    """A denial before a list with a conjunction, or after a list, covers the whole list."""
    first, last = chain[0][0], chain[-1][0]
    has_word = any(word for _, word in chain)
    before = (is_denied_before(text, first.start) and has_word) or is_announced_as_wrong(text, first.start)
    after = (is_negated_after(text, last.end) and (has_word or not denies_one(text, last.end))) or (
        has_word and is_questioned(text, last.end)
    )
    if before or after:
        for mention, _ in chain:
            mention.asserted = False
