"""Which answer stands after a self-correction: the words after it are read, what was taken back is not."""

import re
from collections.abc import Callable

from musebench_tasks.answers.assertion import is_negated_after, is_questioned
from musebench_tasks.answers.corrections import Correction, answer_before, find_corrections, what_follows
from musebench_tasks.answers.cues import is_reversed_declaration
from musebench_tasks.answers.declarations import find_declarations
from musebench_tasks.answers.labels import free_labels, label_at
from musebench_tasks.answers.regions import RegionReader
from musebench_tasks.answers.steps import Decision

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
