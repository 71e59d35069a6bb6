"""Rules on a question of any benchmark (MB-02, MB-03, MB-21, MB-34, MB-36, answers.md 3.5).

Its options, which of them are right, what it tells of its answer, and what it speaks of.
"""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.texts import plain_words
from musebench_tasks.assembly.schemas import DISTRACTOR_COLUMNS
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import LETTERS
from musebench_tasks.base.text import counted, shown
from musebench_tasks.values.option_text import comparable


class Question(NamedTuple):
    """Stem, options in the stored order, positions of the right ones; `columns` name where each stands."""

    id: str
    kind: str
    stem: str
    options: tuple[str, ...]
    right: frozenset[int]
    cluster: str
    medium: str
    """What names the medium and its window."""
    columns: tuple[str, str, str]
    """Of the stem, the options and the answer."""
    is_ordered: bool = True
    """Whether the order of the options is the source's own."""


class Demands(NamedTuple):
    """What a benchmark demands of its questions."""

    option_counts: range
    right_counts: Mapping[str, range]
    fewest_wrong: int = 1
    counts_text: str = ""
    is_without_names: bool = False
    """Whether names of people, works and places are flagged (MB-21)."""


ANY_NUMBER = range(1, 27)
DEMANDS = {
    "musebench": Demands(range(4, 9), {"single": range(1, 2), "multi": range(2, 5)}, 2, "4 to 8", True),
    "hummusqa": Demands(range(4, 5), {"single": range(1, 2)}, 3, "4"),
}
ANY = Demands(range(2, 27), {"single": range(1, 2), "multi": ANY_NUMBER}, 0, "2 to 26")
"""Of benchmarks that fix nothing."""

MUSEBENCH_COLUMNS = ("question", "options", "answer")
HUMMUSQA_COLUMNS = ("question", "answer/distractors", "answer")


def musebench_question(row: Mapping[str, Any]) -> Question:
    """A row of musebench; answers that are no option are left out. UnknownCellError where no question can be made."""
    options = row["options"]
    places = {option["id"]: place for place, option in enumerate(options)}
    cluster = row.get("cluster_id", "")
    return Question(
        row.get("id", ""),
        row.get("kind", ""),
        row["question"],
        tuple([option["text"] for option in options]),
        frozenset([places[each] for each in row.get("answer", ()) if each in places]),
        cluster,
        f"{cluster}|{row.get('start_s')}|{row.get('end_s')}",
        MUSEBENCH_COLUMNS,
    )


def hummusqa_question(row: Mapping[str, Any]) -> Question:
    """A row of hummusqa: the answer, then the distractors; a source that gives no order.

    What stands in for an option that could not be read is such that no rule on options objects to it.
    """
    options = tuple([row.get(name, f"({name} is not known)") for name in ("answer", *DISTRACTOR_COLUMNS)])
    cluster = row.get("jamendo_id", "")
    medium = f"{cluster}|{row.get('excerpt_start_time')}|{row.get('excerpt_end_time')}"
    right = frozenset({0})
    return Question(
        row.get("identifier", ""), "single", row["question"], options, right, cluster, medium, HUMMUSQA_COLUMNS, False
    )


LETTER_LIKE = re.compile(r"[A-H]\b|[A-H]{2,8}$")
PREFIX_WORDS = 4
PREFIX_SHARE = 0.6
"""Options begin alike when they share at least 4 words and 60 % of the shorter one."""
ALIKE_SHARE = 0.9
"""Options are alike when they share 90 % of their words."""
FEWEST_WORDS = 5
"""Shorter options are compared as a whole only."""


def option_flaws(question: Question, demands: Demands) -> Iterator[Problem]:
    """Too few, too many, equal and alike options."""
    column = question.columns[1]
    count = len(question.options)
    if count not in demands.option_counts:
        yield flaw("OPTION_COUNT", column, f"{counted(count, 'option')} found.", f"Give {demands.counts_text}.")
    wrong = count - len(question.right)
    if question.right and wrong < demands.fewest_wrong:
        yield flaw("FEW_WRONG", column, f"{counted(wrong, 'wrong option')}.", f"Give at least {demands.fewest_wrong}.")
    words = [plain_words(text) for text in question.options]
    yield from duplicate_options(question.options, words, column)
    yield from alike_options(question.options, words, column)


def duplicate_options(options: Sequence[str], words: Sequence[Sequence[str]], column: str) -> Iterator[Problem]:
    """Options that cannot be told apart."""
    # Texts that compare equal end alike; telling the ends apart is cheaper than comparing.
    ends = {each[-1] if each else "" for each in words}
    if len(ends) == len(options) and all(text.isascii() and "&" not in text for text in options):
        return
    forms = [comparable(text) for text in options]
    counts = Counter(forms)
    for text, form in zip(options, forms, strict=True):
        if counts[form] > 1:
            found = f"{shown(text)} equals another option after normalisation."
            yield flaw("DUPLICATE_OPTIONS", column, found, "Reword one.")


def label_like_options(options: Sequence[str], column: str) -> Iterator[Problem]:
    """Options that read like an answer letter."""
    for text in options:
        if LETTER_LIKE.match(text):
            advice = "Reword it, or list the item in label_like."
            yield flaw("LABEL_LIKE_OPTION", column, f"{shown(text)} begins like an answer letter.", advice)


def alike_options(options: Sequence[str], words: Sequence[Sequence[str]], column: str) -> Iterator[Problem]:
    """Pairs of options that begin alike (MB-34), or hold almost the same words (MB-36); one of each kind an item."""
    long = [(place, told, set(told)) for place, told in enumerate(words) if len(told) >= FEWEST_WORDS]
    found: set[str] = set()
    for (one, first, first_set), (other, second, second_set) in combinations(long, 2):
        tag, what = _alike(first, second, first_set, second_set)
        if tag and tag not in found:
            found.add(tag)
            text = f"{shown(options[one])} and {shown(options[other])} {what}."
            yield flaw(tag, column, text, "Let each claim something of its own.")


def _alike(first: Sequence[str], second: Sequence[str], first_set: set[str], second_set: set[str]) -> tuple[str, str]:
    """The tag of two options that are alike, and how; empty where they are not. Equal ones are duplicates."""
    if first[0] == second[0] and first[:PREFIX_WORDS] == second[:PREFIX_WORDS] and first != second:
        shorter = min(len(first), len(second))
        shared = next((n for n in range(shorter) if first[n] != second[n]), shorter)
        if shared >= PREFIX_SHARE * shorter:
            return "NEAR_IDENTICAL_PREFIX", f"begin with the same {shared} words"
    common, both = len(first_set & second_set), len(first_set) + len(second_set)
    if common >= ALIKE_SHARE * (both - common) and first != second:
        return "OPTIONS_ALIKE", "hold almost the same words"
    return "", ""


def right_flaws(question: Question, demands: Demands) -> Iterator[Problem]:
    """How many options are right, against the kind."""
    column = question.columns[2]
    wanted = demands.right_counts.get(question.kind)
    count = len(question.right)
    if wanted is None or count in wanted or count == 0:
        return
    found = f"{count} correct options in a {question.kind}-select item."
    if question.kind == "multi" and count == 1:
        yield flaw("MULTI_DEGENERATE", column, found, "Give 2 to 4, or make it single-select.")
    else:
        yield flaw("ANSWER_COUNT", column, found, "Give exactly 1." if question.kind == "single" else "Give 2 to 4.")


LONGEST_STEM = 80
LONGEST_OPTION_TEXT = 50
"""Words (MB-36)."""
_COUNT = r"(?:two|three|four|five|[2-5])"
COUNT_TOLD = re.compile(
    rf"\b(?:select|choose|pick|mark|tick|name|find|identify|which) (?:the |exactly |any )?{_COUNT}\b"
    rf"|\b{_COUNT} (?:of (?:the following|these|them)|(?:correct |right |true )?(?:answers|options|statements)\b)"
    rf"|\b{_COUNT} (?:are|is) (?:correct|right|true)\b",
    re.IGNORECASE,
)
SEVERAL_ASKED = re.compile(
    r"\ball that apply\b"
    rf"|\b(?:select|choose|pick|mark|tick) (?:the |exactly |any )?(?:{_COUNT}|all|several)\b"
    rf"|\b{_COUNT} (?:correct |right |true )?(?:answers|options)\b"
    rf"|\b{_COUNT} of (?:the following|these) (?:are|apply)\b"
    r"|\bwhich of (?:the following|these) (?:statements |options )?are (?:correct|right|true)\b",
    re.IGNORECASE,
)
_SEVERAL_HINTS = ("apply", "select", "choose", "pick", "mark", "tick", "answers", "options", " of the", " of these")
"""Without one of these the pattern cannot match."""
LABEL_NAMED = re.compile(r"\b(?:[Oo]ptions?|[Cc]hoices?|[Aa]nswers?) \(?([A-Z])\b(?!['’#♯♭])")
LISTED = re.compile(r"(?:^|[\s(])(?:\(?([A-H])[).:]|\(([A-H])\))(?=\s)")
"""A label as it heads an option: `A)`, `(B)`, `C.`."""
FEWEST_LISTED = 2
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?:[ -][A-Z][a-z]+)*")
_NO_NAMES = frozenset(filter(None, (*calendar.day_name, *calendar.month_name)))


def stem_flaws(question: Question, demands: Demands) -> Iterator[Problem]:
    """What is wrong with a question beside its options."""
    stem, column = question.stem, question.columns[0]
    yield from mismatches(question)
    heads = {one or other for one, other in LISTED.findall(stem)} if _may_list(stem) else set()
    if len(heads) >= FEWEST_LISTED and heads >= set(LETTERS[:FEWEST_LISTED]):
        found = f"lists options in the question ({', '.join(sorted(heads))})."
        yield flaw("OPTIONS_IN_STEM", column, found, "Keep them in the column of options.")
    told = COUNT_TOLD.search(stem) if question.kind == "multi" else None
    if told:
        found = f'"{told[0]}" tells how many are right.'
        yield flaw("ANSWER_COUNT_TOLD", column, found, "Ask without a number.")
    if stem.count(" ") >= LONGEST_STEM:
        found = f"{len(stem.split())} words."
        yield flaw("TEXT_LONG", column, found, f"Ask in at most {LONGEST_STEM}, in plain words.")
    longest = max(question.options, key=len, default="")
    if longest.count(" ") >= LONGEST_OPTION_TEXT:
        found = f"an option of {len(longest.split())} words."
        yield flaw("TEXT_LONG", question.columns[1], found, f"Claim it in at most {LONGEST_OPTION_TEXT}.")
    if demands.is_without_names:
        yield from names(question)


def _may_list(stem: str) -> bool:
    return ")" in stem or ":" in stem or ". " in stem


def mismatches(question: Question) -> Iterator[Problem]:
    """A question that asks for what its options cannot be."""
    stem, column = question.stem, question.columns[0]
    folded = stem.casefold() if question.kind == "single" else ""
    asked = SEVERAL_ASKED.search(stem) if any(hint in folded for hint in _SEVERAL_HINTS) else None
    if asked:
        found = f'"{asked[0]}" asks for several answers, but the item is single-select.'
        yield flaw("STEM_OPTIONS_MISMATCH", column, found, "Ask for one, or set its kind to multi.")
    labels = LETTERS[: len(question.options)]
    beyond = [each for each in LABEL_NAMED.findall(stem) if each not in labels] if not stem[1:].islower() else []
    if beyond:
        found = f"speaks of option {beyond[0]}, but there are {len(question.options)}."
        yield flaw("STEM_OPTIONS_MISMATCH", column, found, "Name options by what they say: their order changes.")


def names(question: Question) -> Iterator[Problem]:
    """Capitalised words inside sentences: perhaps names (MB-21, MB-32)."""
    for column, texts in ((question.columns[0], (question.stem,)), (question.columns[1], question.options)):
        found = dict.fromkeys(
            name
            for text in texts
            if not text[1:].islower()
            for name in _NAME.findall(text)
            if name.split()[0] not in _NO_NAMES
        )
        if found:
            named = ", ".join(list(found)[:3])
            yield flaw("PROPER_NOUN", column, f"{named}: perhaps a name.", "Describe what is seen or heard instead.")


@lru_cache(maxsize=4096)
def _title_pattern(title: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(title)}(?!\w)", re.IGNORECASE)


SHORTEST_TITLE = 5
"""Characters; shorter titles are words like others."""


def titles_told(question: Question, titles: dict[str, str]) -> Iterator[Problem]:
    """Texts that hold the title or artist of what is heard; `titles` by column."""
    text = " \n ".join((question.stem, *question.options))
    folded = text.casefold()
    for column, title in titles.items():
        if len(title) >= SHORTEST_TITLE and title.casefold() in folded and _title_pattern(title).search(text):
            found = f'question or options hold "{title}", which is the {column}.'
            yield flaw("TITLE_TOLD", question.columns[0], found, "Ask without it.")


_SEEN = """
angle backdrop background blue bright brightness brown camera canvas closeup color colour composition contrast costume
cut dark darkness dissolve edit editing face figure focus foreground frame framing gaze gesture glance glow green grey
hand image lens light lighting lit look montage move movement orange pale pan picture pose posture purple red scene
screen see seen set shade shadow shape shot silhouette stage tilt violet visible visual watch white window yellow zoom
"""
_HEARD = """
accent accompaniment audible bass beat bell chord choir drum echo hear heard hum instrument key listen loud melody music
musical noise note orchestra percussion phrase pitch piano quiet rhythm ring score sing singer singing song sound
soundtrack speech string tempo tone tune voice whisper
"""
SEEN, HEARD = frozenset(_SEEN.split()), frozenset(_HEARD.split())
_SHORTEST = 4
_STEM = 5
"""Words are told apart by their first five letters: `isolate` and `isolation` are one."""


def evidence_flaws(question: Question, alignment: str, intent: str) -> Iterator[Problem]:
    """An alignment that the question does not bear out, and an intent that it does not pursue."""
    doubt = _doubt(alignment, question.stem) if alignment != "audiovisual" else ""
    if doubt:
        found = f"{shown(alignment)}, but the question speaks of {doubt}."
        yield flaw("ALIGNMENT_DOUBTFUL", "alignment", found, "Correct it, or name the evidence.")
    meant = [word[:_STEM] for word in plain_words(intent) if len(word) >= _SHORTEST]
    said = " ".join((question.stem, *question.options)).casefold()
    if meant and not any(word in said for word in meant):
        found = f"none of its words stands in question or options ({shown(intent)})."
        yield flaw("INTENT_APART", "core_intent", found, "Ask for what is meant, or correct the intent.")


def _doubt(alignment: str, stem: str) -> str:
    """What a question speaks of against its alignment; empty where nothing speaks against it."""
    words = set(plain_words(stem))
    words |= {word[:-1] for word in words if word.endswith("s")}
    seen, heard = words & SEEN, words & HEARD
    if alignment == "visual" and heard and not seen:
        return f"what is heard ({', '.join(sorted(heard)[:3])}) alone"
    if alignment == "audio" and seen and not heard:
        return f"what is seen ({', '.join(sorted(seen)[:3])}) alone"
    if alignment == "text" and (seen or heard):
        return f"what is seen or heard ({', '.join(sorted(seen | heard)[:3])})"
    return ""
