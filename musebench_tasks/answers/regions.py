"""Regions: the leading list of labels or option texts that a cue, a box or a whole response holds (answers.md 3.2)."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from musebench_tasks.answers.glosses import before_text, past_doubt, past_gloss, verdict_at
from musebench_tasks.answers.labels import Label, free_labels, label_at, letter_ends, range_at, run_at
from musebench_tasks.answers.option_texts import OptionTexts, TextMatch, searchable

_FILLERS = re.compile(
    r"""[ ]?(?:[(\["'{<:=]{0,3}[ ]?)?(?:
        (?:the|an?|la|le|el|lo|die|der|das|les|los|las|il|gli)(?=[ ](?:option|choice|letter|answer|correct|best|right
           |opción
           |opcion|lettre|letra|lettera|opção|opzione|buchstabe|pilihan)\b)
      | options? | choices? | letters? | (?:correct|best|right|following)(?=[ ](?:option|choice|letter|answer|one)s?\b)
      | clearly | definitely | likely | most[ ]likely | probably | certainly | therefore | thus | indeed | simply
      | still | now | actually | obviously | surely | either | both | only | all[ ]of[ ]these
      | donc | also | quindi | entonces | portanto | então | daher | somit
      | to[ ]be | in[ ]fact | then | first | hence | of
      | opción | opcion | lettre | letra | lettera | opção | opzione | buchstabe | pilihan | opsi | huruf
      | la(?=[ ][A-Ha-h]\b) | le(?=[ ][A-Ha-h]\b)
      | вариант | буква
    )\b[ ]?:?
    | (?:选项|選項|选|選|是|为|為|应该|應該|应|就)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPENERS = re.compile(r"[ ]?[(\[{<\"'【「:=.\-]{0,4} ?[(\[{<\"'【「]{0,3} ?")
_CLOSERS = re.compile(r" ?[)\]}>\"'】」]{0,4}")
_LABEL_TO_TEXT = re.compile(r"[)\]}\"'】」]{0,3} ?[.:,=\-]{0,2} ?[(\[\"'{]{0,2}")
_TEXT_TO_LABEL = re.compile(r"[)\]}\"']{0,3} ?(?:[(\[【「]|[:=] ?|- )")
_SEPARATOR = re.compile(
    r"""(?:\.(?=[,;]))?[ ]?(?:[,;/+、&|·][ ]?)?
        (?:(?:and/or|and|or|nor|as[ ]well[ ]as|plus|also|then|und|oder|sowie|dan|atau|et|ou|или|または|及び|또는)\b[ ]?
          |(?-i:[yoeиu](?=[ ][(\["']?[A-Z]))[ ]
          |(?:和|与|與|及|以及|跟|或者|或|还是|還是|と|や|및|와|과)[ ]?)?(?:also[ ]|then[ ]|finally[ ])?""",
    re.IGNORECASE | re.VERBOSE,
)
_ALTERNATIVE = re.compile(r"\bor\b|\boder\b|\bou\b|\batau\b|или|或|还是|還是|または|또는", re.IGNORECASE)
_TRAILING = re.compile(
    r" ?(?:입니다|이다|예요|です|だ|である)?(?:,? I (?:guess|think|believe|suppose))?[ \n.,;:!。、)\]}\"'>-]{0,40}"
)
_ITEM_END = re.compile(r"[)\]}\"']{0,2}[.!]?(?:\n|$)")
_INSIDE_WORDS = frozenset("acdefghijklmnopqrsuvwxyz")
"""No label, range (`A to C`, `A bis C`) or run of capitals has one of these as its second letter."""
VERDICT_WORDS = frozenset({"yes", "no", "true", "false", "correct", "incorrect", "present", "absent"})
"""Where one of these is an option's text, a list of options is no list of verdicts."""
_MOST_FILLERS = 6
_NEAR = 64


class ListItem(NamedTuple):
    """One member of a list: option indices (A = 0), its place, and how it was named."""

    indices: tuple[int, ...]
    start: int
    end: int
    kind: str
    """label, run, range or text."""
    upper: bool = True
    conflict: bool = False


@dataclass
class Region:
    """A list of items; `alternatives` if two of them are joined by "or", `commas` if no word joins the last."""

    items: list[ListItem] = field(default_factory=list)
    end: int = 0
    alternatives: bool = False
    commas: bool = False

    @property
    def indices(self) -> tuple[int, ...]:
        """Distinct option indices in order; some may lie beyond the item's options."""
        return tuple(sorted({index for item in self.items for index in item.indices}))

    @property
    def start(self) -> int:
        """Where the first item starts."""
        return self.items[0].start

    @property
    def is_text(self) -> bool:
        """Whether the answer is named by option texts alone."""
        return all(item.kind == "text" for item in self.items)


class RegionReader:
    """Reads regions of one response to one item."""

    def __init__(self, text: str, options: OptionTexts, multi: bool) -> None:
        self.text = text
        self.folded = searchable(text)
        self.options = options
        self.count = len(options.cores)
        self.multi = multi

    @cached_property
    def letter_ends(self) -> list[int]:
        """Where letters end that may be labels in prose."""
        return letter_ends(self.text)

    @cached_property
    def labels(self) -> list[Label]:
        """Every label in prose, in order."""
        return free_labels(
            self.text, self.letter_ends, lambda end: self.options.ending_at(self.folded, end) is not None
        )

    def read(self, position: int, limit: int) -> Region | None:
        """The region that starts at `position` (after words such as "clearly option"), or None."""
        start = self.skip_fillers(position, limit)
        region = Region(end=start)
        doubted = False
        while (item := self._item(start, limit, region)) is not None:
            region.items.append(item)
            closers = _CLOSERS.match(self.text, item.end, limit)
            region.end = closers.end() if closers and closers[0].strip() else item.end
            if self.multi and item.kind in ("label", "text"):
                self._pass_remarks(region, limit, doubted)
            separator = _SEPARATOR.match(self.text, region.end, limit)
            if separator is None:
                break
            joint = separator[0]
            start = self.skip_fillers(separator.end(), limit) if joint.strip() else separator.end()
            if start == item.end or not self._continues(start, limit, joint, region):
                break
            region.alternatives = region.alternatives or bool(_ALTERNATIVE.search(joint))
            region.commas = joint.strip() in {",", "、", ";"}
            doubted = self.multi and start < (start := past_doubt(self.text, start, limit))
        return region if region.items else None

    def _pass_remarks(self, region: Region, limit: int, doubted: bool) -> None:
        """Go past a verdict or gloss on the last item; without the item if it is denied or in doubt."""
        verdict = None if self._has_verdict_options else verdict_at(self.text, region.end, limit)
        if doubted or (verdict is not None and not verdict.affirms):
            region.items.pop()
        further = None if verdict is not None else before_text(self.text, region.end, limit)
        if further is not None and self.options.at(self.folded, further[1]) is not None:
            region.end = further[0]
        elif verdict is None:
            region.end = past_gloss(self.text, region.end, limit)
        elif verdict.goes_on:
            region.end = verdict.end

    @cached_property
    def _has_verdict_options(self) -> bool:
        return not VERDICT_WORDS.isdisjoint(self.options.comparables)

    def whole(self) -> Region | None:
        """The region that is the whole response but for punctuation, or None."""
        region = self.read(0, len(self.text))
        if region is None or _TRAILING.fullmatch(self.text, region.end) is None:
            return None
        return region

    def skip_fillers(self, position: int, limit: int) -> int:
        """The place after words that may stand between a cue and what it declares."""
        for _ in range(_MOST_FILLERS):
            if self.options.at(self.folded, self._after_openers(position, limit)) is not None:
                return position
            match = _FILLERS.match(self.text, position, limit)
            if match is None or not match[0].strip():
                return position
            position = match.end()
        return position

    def _after_openers(self, position: int, limit: int) -> int:
        match = _OPENERS.match(self.text, position, limit)
        return match.end() if match else position

    def _continues(self, start: int, limit: int, joint: str, region: Region) -> bool:
        """Blanks alone join capital letters only; other joints join whatever follows."""
        if joint.strip() or not region.items:
            return bool(joint.strip())
        place = self._after_openers(start, limit)
        label = label_at(self.text, place, limit, declared=True)
        bracketed = label is not None and label.bracketed
        first = region.items[0]
        return (
            label is not None and first.kind == "label" and first.upper and label.upper and (bool(joint) or bracketed)
        )

    def _item(self, position: int, limit: int, region: Region) -> ListItem | None:
        place = self._after_openers(position, limit)
        text = self.options.at(self.folded, place)
        if text is not None and text.end > limit:
            text = None
        if text is None and self.text[place + 1 : place + 2] in _INSIDE_WORDS:
            return None
        label = label_at(self.text, place, limit, declared=True)
        if label is not None and region.items and region.items[0].kind == "label":
            label = label if label.upper == region.items[0].upper else None
        if text is not None and (label is None or text.end > label.end or label.option >= self.count):
            return self._text_item(text, limit)
        if label is not None:
            return self._range(place, limit, region) or self._label_item(label, limit)
        return self._range(place, limit, region) or self._run(place, limit, region)

    def _label_item(self, label: Label, limit: int) -> ListItem:
        """A label, with the option text beside it where there is one: the letter counts, a disagreement is noted."""
        item = ListItem((label.option,), label.start, label.end, "label", label.upper)
        gap = _LABEL_TO_TEXT.match(self.text, label.end, limit)
        text = self.options.at(self.folded, gap.end()) if gap and gap.end() > label.end else None
        if text is None or gap is None or text.end > limit:
            return item
        agrees = label.option in text.indices
        if not agrees and ((text.short and not self._closes(gap[0], text)) or (self.multi and "," in gap[0])):
            return item
        return item._replace(end=text.end, conflict=not agrees)

    def _closes(self, gap: str, text: TextMatch) -> bool:
        """Whether a short text ("A. No") is all that follows its letter, and no pitch or letter itself."""
        letter = text.end - text.start == 1 and self.text[text.start].isalpha()
        return not letter and any(mark in gap for mark in ".):([") and _ITEM_END.match(self.text, text.end) is not None

    def _text_item(self, text: TextMatch, limit: int) -> ListItem:
        gap = _TEXT_TO_LABEL.match(self.text, text.end, limit)
        label = label_at(self.text, gap.end(), limit, declared=True) if gap else None
        if label is None or label.option >= self.count:
            return ListItem(text.indices, text.start, text.end, "text")
        return ListItem((label.option,), text.start, label.end, "label", True, label.option not in text.indices)

    def _range(self, place: int, limit: int, region: Region) -> ListItem | None:
        """`A-C`, only where it is all there is."""
        found = None if region.items else range_at(self.text, place, limit)
        if found is None:
            return None
        first, last, end = found
        if first >= last or limit - end > _NEAR or self.text[end:limit].strip(" .,;!)]}\"'"):
            return None
        return ListItem(tuple(range(first, last + 1)), place, end, "range")

    def _run(self, place: int, limit: int, region: Region) -> ListItem | None:
        """Letters written together (`AC`): several labels if all of them are in range."""
        match = None if region.items else run_at(self.text, place, limit)
        if match is None or (not self.multi and len(match[1]) > 1 and len(set(match[1])) == 1):
            return None
        if any(ord(each) - ord("A") >= self.count for each in match[1]):
            return None
        return ListItem(tuple(sorted({ord(each) - ord("A") for each in match[1]})), place, match.end(), "run")
