"""Option texts in a response: whole words, longest first, never parts and never bags of words (answers.md 3.4).

Texts are compared after NFKC, in lower case, with `&` = and, single blanks, without surrounding punctuation and with
an optional leading article; `#`, `♯`, `♭`, `/` and digits count.
"""

import re
from functools import cached_property, lru_cache
from typing import NamedTuple

from musebench_tasks.answers.characters import canonical, fold, is_word
from musebench_tasks.answers.markup import plain
from musebench_tasks.values.option_text import ARTICLE

_PUNCTUATION = " \t\n.,;:!?\"'()[]{}<>。、，．！？：；「」『』【】"
_AND = re.compile(r" ?& ?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ARTICLE_INITIALS = frozenset("at")
_LONGEST_ARTICLE = 4
_INTERVAL = re.compile(r" (?:second|third|sixth|seventh|ninth|[2679](?:nd|th)|3rd)s?\b")
_COMMON = frozenset({"yes", "one", "the", "and", "not", "all", "any", "its", "his", "her", "she", "now", "new", "but"})
_SPELLED = {"#": "sharp", "b": "flat"}
_ALTERED_KEY = re.compile(r"([a-g])(?:([#b])|[ -](sharp|flat)) (major|minor)")


def _plain_accidentals(text: str) -> str:
    return text if text.isascii() else text.replace("♯", "#").replace("♭", "b")


def searchable(text: str) -> str:
    """The form of a response in which option texts are looked for; positions in the two agree."""
    return _plain_accidentals(fold(text))


class TextMatch(NamedTuple):
    """An option text at a place in the response; more than one index where two options share the text."""

    start: int
    end: int
    indices: tuple[int, ...]
    short: bool


class _Form(NamedTuple):
    text: str
    indices: tuple[int, ...]
    short: bool


def comparable(text: str) -> str:
    """The form in which a whole text is compared with another, without its article."""
    return _without_article(_AND.sub(" and ", _core(text)))


def is_short(text: str) -> bool:
    """One word of up to 3 letters, or a bare number of up to 2 digits: such texts match only in special places."""
    if text.isdigit():
        return len(text) <= 2
    if not is_word(text[:1] or " ") and text[:1].isalpha():
        return len(text) <= 1
    return len(text) <= 3 and " " not in text and "/" not in text and not any(each.isdigit() for each in text)


class OptionTexts:
    """The texts of one item's options, ready to be looked for."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.cores = tuple(_core(_plain_accidentals(plain(canonical(text)))) for text in texts)
        self._lettered = _are_lettered(self.cores)
        self.comparables = tuple(self._bare(core) for core in self.cores)
        self._longest = max(map(len, (*self.cores, *self.comparables)), default=0)

    @cached_property
    def forms(self) -> tuple[_Form, ...]:
        """Every spelling that counts, longest first."""
        owners: dict[str, list[int]] = {}
        for index, core in enumerate(self.cores):
            for form in _spellings(core, self._bare(core)):
                owners.setdefault(form, []).append(index)
        ordered = sorted(owners.items(), key=lambda pair: (-len(pair[0]), pair[0]))
        return tuple(_Form(form, tuple(who), is_short(_without_article(form))) for form, who in ordered)

    @cached_property
    def _by_initial(self) -> dict[str, tuple[_Form, ...]]:
        """The forms by their first letter, in their order."""
        initials = dict.fromkeys(form.text[0] for form in self.forms)
        return {letter: tuple(form for form in self.forms if form.text[0] == letter) for letter in initials}

    def whole(self, text: str) -> tuple[int, ...]:
        """Indices of the options whose text is the whole of `text`; with its article where that tells two apart."""
        if len(text.strip(_PUNCTUATION) or text.strip()) > self._longest + _LONGEST_ARTICLE:
            return ()
        core = _core(_plain_accidentals(text))
        exact = tuple(index for index, each in enumerate(self.cores) if each == core)
        if exact:
            return exact
        wanted = self._bare(core)
        return tuple(index for index, each in enumerate(self.comparables) if each == wanted)

    def _bare(self, core: str) -> str:
        joined = _AND.sub(" and ", core) if "&" in core else core
        return joined if self._lettered else _without_article(joined)

    def at(self, folded: str, position: int) -> TextMatch | None:
        """The longest option text that stands at `position`, a leading article included."""
        article = ARTICLE.match(folded, position) if folded[position : position + 1] in _ARTICLE_INITIALS else None
        starts = (position,) if article is None else (position, article.end())
        best: TextMatch | None = None
        for start in starts:
            for form in self._by_initial.get(folded[start : start + 1], ()):
                end = start + len(form.text)
                if best is not None and end <= best.end:
                    break
                if folded.startswith(form.text, start) and _is_bounded(folded, start, end):
                    best = TextMatch(position, end, form.indices, form.short)
                    break
        return best

    def ending_at(self, folded: str, end: int) -> TextMatch | None:
        """The longest option text that ends at `end`, short ones left out."""
        for form in self.forms:
            start = end - len(form.text)
            if (
                not form.short
                and start >= 0
                and folded.startswith(form.text, start)
                and _is_bounded(folded, start, end)
            ):
                return TextMatch(start, end, form.indices, False)
        return None

    def find_all(self, folded: str) -> list[TextMatch]:
        """Option texts in order, short ones left out; of two that overlap the longer one stands."""
        found: list[TextMatch] = []
        for form in self.forms:
            if form.short:
                continue
            start = folded.find(form.text)
            while start >= 0:
                end = start + len(form.text)
                if _is_bounded(folded, start, end):
                    found.append(TextMatch(start, end, form.indices, False))
                start = folded.find(form.text, end)
        return _longest(found)

    def find_short(self, folded: str) -> list[TextMatch]:
        """Words of three letters that are option texts; in prose they assert nothing, but tell against another."""
        words = [form for form in self.forms if form.short and len(form.text) == 3 and form.text not in _COMMON]
        found: list[TextMatch] = []
        for form in words:
            start = folded.find(form.text)
            while start >= 0:
                end = start + len(form.text)
                if form.text.isalpha() and _is_bounded(folded, start, end):
                    found.append(TextMatch(start, end, form.indices, True))
                start = folded.find(form.text, end)
        return sorted(found)

    def by_only_number(self, number: str) -> tuple[int, ...]:
        """Indices of options in whose text `number` is the only number (P9)."""
        wanted = [number]
        return tuple(index for index, core in enumerate(self.cores) if _NUMBER.findall(core) == wanted)


@lru_cache(maxsize=1024)
def option_texts(texts: tuple[str, ...]) -> OptionTexts:
    """`OptionTexts`, remembered: runs of one item ask for the same options again."""
    return OptionTexts(texts)


def _core(text: str) -> str:
    lowered = fold(text)
    return lowered.strip(_PUNCTUATION) or lowered.strip()


def _without_article(text: str) -> str:
    match = ARTICLE.match(text)
    return text[match.end() :] if match else text


def _are_lettered(cores: tuple[str, ...]) -> bool:
    """Whether texts differ by a leading letter ("A theme", "B theme"), so that `A` is no article."""
    return any(core.startswith("a ") and f"b {core[2:]}" in cores for core in cores)


def _spellings(core: str, bare: str) -> set[str]:
    spelled = {core, bare}
    for form in tuple(spelled):
        joined = _AND.sub(" and ", form)
        if " and " in joined:
            spelled |= {joined, joined.replace(" and ", " & "), joined.replace(" and ", "&")}
    key = _ALTERED_KEY.fullmatch(core)
    if key is not None:
        sign, name = next(pair for pair in _SPELLED.items() if (key[2] or key[3]) in pair)
        spelled |= {f"{key[1]}{between}{key[4]}" for between in (f"{sign} ", f" {name} ", f"-{name} ")}
    return {form for form in spelled if form}


def _is_bounded(folded: str, start: int, end: int) -> bool:
    before = folded[start - 1] if start else " "
    after = folded[end] if end < len(folded) else " "
    after_next = folded[end + 1] if end + 1 < len(folded) else " "
    first, last = folded[start], folded[end - 1]
    tight = first.isdigit() or end - start <= 3
    if is_word(before) and is_word(first):
        return False
    if (is_word(after) and is_word(last)) or after in "#♯♭":
        return False
    if before in "-'" and start > 1 and is_word(folded[start - 2]) and is_word(first):
        return False
    if after in "-'" and is_word(after_next) and is_word(last):
        return False
    if tight and (before == "/" or (before in ".," and start > 1 and folded[start - 2].isdigit())):
        return False
    if after == " " and _INTERVAL.match(folded, end) and folded.startswith(("major", "minor"), end - 5):
        return False
    return not (after == "/" and tight) and not (after in ".," and last.isdigit() and after_next.isdigit())


def _longest(found: list[TextMatch]) -> list[TextMatch]:
    kept: list[TextMatch] = []
    for match in sorted(found, key=lambda each: (each.start, -each.end)):
        if kept and match.start < kept[-1].end:
            if match.end - match.start > kept[-1].end - kept[-1].start:
                kept[-1] = match
            continue
        kept.append(match)
    return kept
