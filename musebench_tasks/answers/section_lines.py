"""Segments in prose: lines such as `- verse: 0:00 - 0:20`, `[0.0s -> 15.0s] intro`, `Intro (0:00-0:12): soft piano`.

A span of time with a short label beside it. Bars, beats, percent, Hz and ranges of other quantities are no times; plain
numbers count only in a chain in which each section begins where the one before ends.
"""

import re
from itertools import pairwise
from typing import Any, NamedTuple

from musebench_tasks.answers.clock import seconds_of

_TIME = (
    r"(?:\d{1,3}:)?\d{1,4}:\d{2}(?:\.\d{1,9})?"
    r"|\d{1,6}(?:\.\d{1,9})? ?(?:s|secs?|seconds?|秒|초)(?![a-z])|\d{1,6}(?:\.\d{1,9})?"
)
_SPAN = re.compile(
    rf"(?P<lead>\b(?:from|between) )?[(\[]?(?<![\d.])(?<!\d:)(?P<start>{_TIME})(?:\] ?| )?"
    rf"(?:-{{1,3}}>?|–|→|to|until|through|till|bis|~|〜|至|到|and)(?: ?\[| )?(?P<end>{_TIME})(?!\d|:\d|%|\.\d)[)\]]?",
    re.IGNORECASE,
)
_MARKER = re.compile(r"(?:[-•*·>|]|\d{1,2}[.)](?= ))[ ]?")
_TRIM = " :-–—=|,.()[]\"'*\t→"
_REMARK = re.compile(r" ?[:(|,.]| - | ?—|\Z")
_OTHER_QUANTITY = re.compile(
    r"\b(?:bars?|measures?|beats?|bpm|tempo|k?hz|db|ms|milliseconds?|frames?|percent|semitones?|octaves?|key"
    r"|time signature|meter|metre|confidence|duration|length|range|frequency|pitch|notes?|pages?|years?|total"
    r"|takte?|mesures?|compases)\b|%|小节|小節|마디",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?:(?:and|then|next|finally|followed by|first|there is|it (?:opens|starts|begins|ends) with|a|an|the|und|dann)\b"
    r"[ ,]*)*",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"(?:[ ,:]*\b(?:from|at|between|in|is|runs|lasts|spans|goes|von|de|du))*[ ,:]*\Z", re.IGNORECASE)
_SECTION_WORD = re.compile(
    r"\b(?:intro(?:duction)?|pre-?chorus"
    r"|(?:verse|chorus|bridge|hook|refrain|solo|interlude|theme|part|section)(?: (?:\d{1,2}|[A-F]))?"
    r"|outro|coda|breakdown|break|build-?up|drop|instrumental|development|exposition|recapitulation)\b",
    re.IGNORECASE,
)
_REPETITION = (
    r"(?:(?:and|also|is|then|later|see|cf\.?|compare|like|similar to|same as|as|again|repeats?|repeated|repeating"
    r"|reprised|returns?|returning|recurs|recurring|reappears|heard|at) ?){1,4}"
)
_IS_REPETITION = re.compile(_REPETITION, re.IGNORECASE)
_REPEATED = re.compile(rf" ?\({_REPETITION}(?:at|in|from|to)? ?(?=\d)[^()\n]{{1,80}}\)", re.IGNORECASE)
"""A remark on a section that names the times of others."""
_LONGEST_LINE = 400
_LONGEST_LABEL = 4
"""Words."""


class _Line(NamedTuple):
    """A row found in a line; `plain` if nothing but their order says that its numbers are times."""

    start: Any
    end: Any
    label: str
    plain: bool


def section_rows(text: str) -> tuple[tuple[Any, Any, str], ...]:
    """Rows (start, end, label) in seconds, in order of the text; none if what is there are no times."""
    found = [row for line in re.split(r"[\n;]", text) for row in _rows_of(line.strip())]
    if any(row.plain for row in found) and not _is_chain(found):
        found = [row for row in found if not row.plain]
    return tuple(row[:3] for row in found)


def span_of(text: str) -> tuple[Any, Any] | None:
    """Start and end where the whole of `text` is a span of time."""
    span = _SPAN.fullmatch(text.strip())
    return (seconds_of(span["start"]), seconds_of(span["end"])) if span else None


def _is_chain(rows: list[_Line]) -> bool:
    return len(rows) > 1 and all(later.start == earlier.end for earlier, later in pairwise(rows))


def _rows_of(line: str) -> list[_Line]:
    marker = _MARKER.match(line)
    body = line[marker.end() :] if marker else line
    if len(body) > _LONGEST_LINE:
        return []
    if "(" in body:
        body = _REPEATED.sub("", body)
    spans = list(_SPAN.finditer(body))
    if not spans:
        return []
    if len(spans) == 1:
        row = _single(body, spans[0], bool(marker))
        return [] if row is None else [row]
    return _several(body, spans)


def _single(body: str, span: re.Match[str], marked: bool) -> _Line | None:
    before, after = body[: span.start()], body[span.end() :]
    if _OTHER_QUANTITY.search(before) or _OTHER_QUANTITY.match(after.lstrip(_TRIM)):
        return None
    label = _label(before)
    if before.strip(_TRIM) and not label:
        return None
    described = False
    if not label:
        label = _short(re.split(r" ?[:(|,]| - |\. ", after.strip(_TRIM), maxsplit=1)[0]) or _label(after)
        described = bool(after.strip(_TRIM)) and label is None
        if described and not after.lstrip(" )]").startswith((":", "-", "–")):
            return None
    elif not _REMARK.match(after):
        return None
    loose = bool(span["lead"]) and not marked
    return _row(span, label or "", loose or described or not _has_unit(span), needs_label=not (marked or described))


def _several(body: str, spans: list[re.Match[str]]) -> list[_Line]:
    """`Intro (0:00-0:15), verse (0:15-0:45)`: a label before each span, or after each where the line opens with one."""
    if _OTHER_QUANTITY.search(body):
        return []
    edges = [0, *(span.end() for span in spans)]
    pieces = [body[edge : span.start()] for edge, span in zip(edges, spans, strict=False)]
    if not pieces[0].strip(_TRIM):
        pieces = [*pieces[1:], body[spans[-1].end() :]]
    labels = [_label(piece) for piece in pieces]
    if not all(labels) or any(_IS_REPETITION.fullmatch(label or "") for label in labels):
        return []
    rows = [
        _row(span, label or "", not _has_unit(span), needs_label=True)
        for span, label in zip(spans, labels, strict=True)
    ]
    found = [row for row in rows if row is not None]
    return found if len(found) == len(spans) else []


def _row(span: re.Match[str], label: str, plain: bool, *, needs_label: bool) -> _Line | None:
    if (plain and needs_label and not label) or _is_half_clock(span):
        return None
    return _Line(seconds_of(span["start"]), seconds_of(span["end"]), label, plain)


def _has_unit(span: re.Match[str]) -> bool:
    return any(not each.replace(".", "").isdigit() for each in (span["start"], span["end"]))


def _is_half_clock(span: re.Match[str]) -> bool:
    """A clock time beside a plain number ("3 - 4:05") is no span; a plain 0 may start one."""
    clocks = [":" in span[name] for name in ("start", "end")]
    return clocks == [True, False] or (clocks == [False, True] and seconds_of(span["start"]) != 0)


def _label(text: str) -> str | None:
    """A label in the words before a span: a few words, or the one name of a section among more."""
    trimmed = _TRAILING.sub("", text.strip(_TRIM))
    trimmed = trimmed[_end_of_lead(trimmed) :].strip(_TRIM)
    short = _short(trimmed)
    if short is not None:
        return short
    words = _SECTION_WORD.findall(trimmed)
    return words[0] if len(words) == 1 else None


def _end_of_lead(text: str) -> int:
    match = _LEADING.match(text)
    return match.end() if match and match.end() < len(text) else 0


def _short(text: str) -> str | None:
    text = text.strip(_TRIM)
    return text if text and len(text.split()) <= _LONGEST_LABEL else None
