"""Phrases for sets: none of the above, all of the above, all except B, none but A (P10)."""

import re

from musebench_tasks.answers.regions import RegionReader

_LISTED = r"(?:listed|given|mentioned|named|offered|provided|presented|suggested|available|possible|above|following)"
_NONE = re.compile(
    rf"""[ ]?[(\["']{{0,2}}(?:
        none(?:[ ]of[ ](?:the[ ](?:above|options?|choices?|statements?|listed\w*|given\w*)|these|them|those)
          (?:[ ](?:options|choices))?)?
      | no[ ](?:options?|choices?|statements?)(?:[ ](?:is|are|applies|apply|fits?|correct)){{0,2}}
      | no[ ]answers?(?:[ ](?:is|are|applies|apply|fits?|correct)){{1,2}}
      | none[ ]of[ ](?:the|these|those)(?:[ ](?:above[- ])?{_LISTED}[ ][a-z]{{3,20}}
          |[ ][a-z]{{3,20}}(?:[ ](?:above[- ])?{_LISTED}){{1,2}}(?:[ ]here)?)
      | none[ ]of[ ](?:the|these|those)[ ][a-z]{{3,20}}(?=[ ](?:(?:is|are|was|were|can[ ]be)[ ]
          (?:correct|present|heard|audible|right|true|used|applied|visible|shown|seen)|apply|appears?|occurs?
          |happens?|fits?)\b)
      | nothing | empty(?:[ ]set)? | ∅ | \[[ ]?\] | \{{[ ]?\}}
      | 无 | 無 | 以上(?:都|皆)(?:不是|不对|不對|非) | 都不是 | ninguna?\b[^\n.]{{0,20}} | aucune?\b[^\n.]{{0,20}}
    )[)\]"']{{0,2}}[ ]?
    (?=$|[.,;:!\n(]
      |[ ](?:apply|applies|fits?|match(?:es)?|appears?|occurs?|happens?
          |(?:is|are|was|were|can[ ]be)[ ](?:correct|present|heard|audible|right|true|used|applied|visible|shown
            |seen)))""",
    re.IGNORECASE | re.VERBOSE,
)
_ALL = re.compile(
    r"""[ ]?[(\["']{0,2}(?:
        all(?:[ ](?:of[ ])?(?:the[ ](?:above|options?|choices?|statements?)|these|them|options|choices))?
      | every(?:thing|[ ]option)
      | 以上(?:都|皆)(?:是|对|對) | 全部 | 全选 | 全選
    )[ ]?(?P<except>(?:except|but|excluding|apart[ ]from|other[ ]than)(?:[ ]for)?\b|,[ ]except(?:[ ]for)?\b)?""",
    re.IGNORECASE | re.VERBOSE,
)
_ALL_APPLY = re.compile(
    r"apply|(?:are|were)(?: all)? (?:correct|present|heard|audible|right|true|used|applied|visible|shown|seen)",
    re.IGNORECASE,
)
_NEAR = 64


def explicit_phrase(reader: RegionReader, position: int, limit: int) -> tuple[str, tuple[int, ...]] | None:
    """Rule and indices of "none of the above", "all of the above" or "all except B" at `position` (multi-select)."""
    none = _NONE.match(reader.text, position, limit)
    if none is not None and none[0].strip():
        if any(core.startswith(("none", "no ", "neither")) for core in reader.options.cores):
            return None
        return _but_for(reader, none, limit)
    everything = _ALL.match(reader.text, position, limit)
    if everything is None or any(core.startswith("all ") for core in reader.options.cores):
        return None
    every = tuple(range(reader.count))
    if everything["except"]:
        region = reader.read(everything.end(), limit)
        if region is None or region.indices[-1] >= reader.count:
            return None
        return "complement", tuple(index for index in every if index not in region.indices)
    rest = reader.text[everything.end() : min(limit, everything.end() + _NEAR + 1)].strip(" .!)]\"'")
    if limit - everything.end() > _NEAR or (rest and _ALL_APPLY.fullmatch(rest) is None):
        return None
    return "all_of_the_above", every


def _but_for(reader: RegionReader, none: re.Match[str], limit: int) -> tuple[str, tuple[int, ...]] | None:
    """ "None of them fits except A" is A; "none of the others" is no answer."""
    if _OTHERS.search(none[0]):
        return None
    apart = _APART.match(reader.text, none.end(), limit)
    if apart is None:
        return "explicit_none", ()
    region = reader.read(apart.end(), limit)
    return None if region is None else ("complement", region.indices)


_OTHERS = re.compile(r"\b(?:others?|rest|remaining)\b", re.IGNORECASE)
_APART = re.compile(
    r"[^.;!?\n]{0,60}?\b(?:except|but|besides|save|(?:other|apart|aside)[ ](?:than|from))(?:[ ]for)?\b", re.IGNORECASE
)


def names_no_option(reader: RegionReader, position: int, limit: int) -> bool:
    """Whether "none of the above" or "all of the above" stands at `position`."""
    return bool(_NONE.match(reader.text, position, limit) or _ALL.match(reader.text, position, limit))
