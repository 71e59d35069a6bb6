"""The rules of a row of musebench, hummusqa (HQ-01, HQ-02, HQ-05, HQ-06) and mub (music_metrics.md 5.2, MU-07)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Any

from musebench_tasks.assembly.rules.cells import (
    Row,
    address_flaws,
    as_known,
    excerpt_flaws,
    licence_flaws,
    vocabulary,
    window_flaws,
)
from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.schemas import ALIGNMENTS, DIFFICULTIES, MUSIC_CATEGORIES, SUBDOMAINS
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import option_id
from musebench_tasks.base.text import closest, counted, nearest, shown
from musebench_tasks.items.cells import MOST_SECONDS
from musebench_tasks.values import key_name, metre_name, parse_key_name, parse_metre, validate_reference
from musebench_tasks.values.key import TONICS
from musebench_tasks.values.option_text import comparable

KINDS = ("single", "multi")
STRATEGIES = (
    "technical misread",
    "over-simplification",
    "factual error",
    "conceptual confusion",
    "scope error",
    "temporal confusion",
    "partial truth",
)
"""MB-21."""
MANY_DISTRACTORS = 5
_CATEGORIES = tuple(SUBDOMAINS)


def musebench_flaws(row: Row, duration_s: float | None = None) -> Iterator[Problem]:
    """What is wrong with a row's columns, its texts as such aside."""
    yield from as_known(
        lambda: vocabulary("category", row["category"], _CATEGORIES),
        lambda: subdomain_flaws(row["category"], row["subdomain"]),
        lambda: vocabulary("alignment", row["alignment"], ALIGNMENTS),
        lambda: vocabulary("kind", row["kind"], KINDS),
        lambda: window_flaws("end_s", row["start_s"], row["end_s"], duration_s),
        lambda: licence_flaws(row),
        lambda: foreign_options(row),
        lambda: gold_flaws(row),
        lambda: strategy_flaws(row["distractor_strategies"], sorted(_texts(row).keys() - set(row["answer"]))),
    )


def subdomain_flaws(category: str, subdomain: str) -> Iterator[Problem]:
    """A subdomain that is none of its category's; where that is none itself, nothing can be said."""
    if category in SUBDOMAINS:
        yield from vocabulary("subdomain", subdomain, SUBDOMAINS[category])


def _texts(row: Row) -> dict[str, str]:
    return {option["id"]: option["text"] for option in row["options"]}


def foreign_options(row: Row) -> Iterator[Problem]:
    """Options whose ids are not those of this item with these texts."""
    for option in row["options"]:
        wanted = option_id(row["id"], option["text"])
        if option["id"] != wanted:
            found = f"{shown(option['text'])} has id {shown(option['id'])}, not {wanted}: another item's, or reworded."
            yield flaw("STEM_OPTIONS_MISMATCH", "options", found, "Write texts without ids, which follow from them.")


def gold_flaws(row: Row) -> Iterator[Problem]:
    """Answers that are no options, and texts that do not name the same options."""
    answer, texts, options = row["answer"], row["correct_answer"], _texts(row)
    if not answer:
        yield flaw("EMPTY_ANSWER_SET", "answer", "no option is right.", "Name the right ones.")
        return
    foreign = [each for each in answer if each not in options]
    for each in foreign:
        found = f"{shown(each)} is no option id of this row."
        yield flaw("LABEL_OUT_OF_RANGE", "answer", found, "Correct the answer, or add the option.")
    for each, count in Counter(answer).items():
        if count > 1:
            yield flaw("ANSWER_COUNT", "answer", f"{shown(each)} stands {count} times.", "Name each option once.")
    right = [options[each] for each in answer if each in options]
    if foreign or sorted(texts) == sorted(right):
        return
    known = set(options.values())
    for text in texts:
        if text not in known:
            yield paraphrase(text, right, tuple(options.values()))
    if all(text in known for text in texts):
        found = "does not name the same options as `answer`."
        yield flaw("STEM_OPTIONS_MISMATCH", "correct_answer", found, "Correct one, or leave it out.")
    elif len(texts) != len(right):
        found = f"{len(texts)} texts for {len(right)} right options."
        yield flaw("STEM_OPTIONS_MISMATCH", "correct_answer", found, "Correct them, or leave them out.")


def paraphrase(text: str, right: Sequence[str], options: Sequence[str]) -> Problem:
    """A right answer in other words than its option, or in those of none."""
    same = next((each for each in options if comparable(each) == comparable(text)), None)
    close = same or closest(text, options)
    found = f"{shown(text)} is not one of the options{nearest(text, options)}."
    if close is not None and close in right:
        return flaw("ANSWER_PARAPHRASE", "correct_answer", found, "Copy the option verbatim.")
    return flaw("STEM_OPTIONS_MISMATCH", "correct_answer", found, "Add it to the options, or correct it.")


def strategy_flaws(strategies: Sequence[Mapping[str, Any]], wrong: Sequence[str]) -> Iterator[Problem]:
    """Wrong options without a strategy, unknown strategies, and too few different ones (MB-21)."""
    column = "distractor_strategies"
    if sorted([each["id"] for each in strategies]) != wrong:
        yield flaw("STRATEGY", column, "does not name each wrong option once.", f"Name {', '.join(map(shown, wrong))}.")
        return
    kinds = {each["strategy"] for each in strategies}
    for name in sorted(kinds.difference(STRATEGIES)):
        found = f"{shown(name)} is none of {', '.join(STRATEGIES)}{nearest(name, STRATEGIES)}."
        yield flaw("STRATEGY", column, found, "Correct it.")
    fewest = 3 if len(wrong) >= MANY_DISTRACTORS else 2
    if len(wrong) >= fewest > len(kinds):
        found = f"{counted(len(kinds), 'strategy', 'strategies')} for {len(wrong)} wrong options."
        yield flaw("FEW_STRATEGIES", column, found, f"Use at least {fewest}.")


TITLES = ("song_name", "artist_name", "album_name")


def hummusqa_flaws(row: Row, duration_s: float | None = None) -> Iterator[Problem]:
    """What is wrong with a row's columns, its texts as such aside."""
    yield from as_known(
        lambda: vocabulary("main_category", row["main_category"], MUSIC_CATEGORIES),
        lambda: vocabulary("difficulty", row["difficulty"], DIFFICULTIES),
        lambda: secondary_flaws(row.get("main_category"), row["secondary_categories"] or ""),
        lambda: address_flaws("song_license_url", row["song_license_url"]),
        lambda: excerpt_flaws(row["excerpt_start_time"], row["excerpt_end_time"], duration_s),
    )


def secondary_flaws(main: str | None, secondary: str) -> Iterator[Problem]:
    """Secondary categories that are none, or stand twice; written with commas, semicolons, bars or as a list."""
    column = "secondary_categories"
    names = [each for name in re.split(r"[,;|]", secondary) if (each := name.strip(" []'\""))]
    for place, name in enumerate(names):
        yield from vocabulary(column, name, MUSIC_CATEGORIES)
        if name == main:
            yield flaw("CATEGORY_REPEATED", column, f"{shown(name)} is the main category too.", "Name it once.")
        elif name in names[:place]:
            yield flaw("CATEGORY_REPEATED", column, f"{shown(name)} stands twice.", "Name it once.")


TRUTHS = ("tempo_bpm", "key", "time_signature", "segments")
"""Columns of which a row fills in one at least."""
CHANGING_FIELDS = ("tempo", "key", "time_signature", "segments")
MOST_BPM = 1000
COVER = 0.9
"""Segments that cover less of the recording are flagged."""
TEMPO_TOLERANCE = 0.04
FEWEST_BEATS = 3
ADVICE = {
    "beyond_duration": "Shorten it to the recording.",
    "overlap": "Separate the two.",
    "duplicate": "Remove one of the two.",
    "empty_label": "Name the section.",
}


def mub_flaws(row: Row, duration_s: float | None = None) -> Iterator[Problem]:
    """What is wrong with a row's columns; `duration_s` is what decodes, where it is known."""
    yield from as_known(
        lambda: duration_flaws(row["duration_s"], duration_s),
        lambda: tempo_flaws(row["tempo_bpm"]),
        lambda: filter(None, [key_flaw(row["key"]) if row["key"] else None]),
        lambda: metre_flaws("time_signature", row["time_signature"]),
        lambda: metre_flaws("beat_unit", row["beat_unit"]),
        lambda: multi_valued_flaws(row["multi_valued"]),
        lambda: segment_flaws(row["segments"], row["duration_s"]),
        lambda: beat_flaws(row),
        lambda: tempo_of_beats(row),
        lambda: licence_flaws(row),
        lambda: untold(row),
    )


def untold(row: Row) -> Iterator[Problem]:
    """A recording of which nothing is annotated; single cells may be empty."""
    if all(row[name] in (None, "") for name in TRUTHS):
        yield flaw("CELL_MISSING", "/".join(TRUTHS), "nothing is annotated.", "Fill in one of them at least.")


def duration_flaws(stated: float, duration_s: float | None) -> Iterator[Problem]:
    """A duration that is none, or not that of what decodes."""
    if not 0 < stated <= MOST_SECONDS:
        yield flaw("DURATION", "duration_s", f"{stated} s is no duration.", "Give the decoded seconds.")
    elif duration_s is not None and abs(duration_s - stated) > 0.02 * duration_s:
        found = f"{stated:g} s stated, {duration_s:g} s decode."
        yield flaw("DURATION", "duration_s", found, "Give the decoded seconds.")


def tempo_flaws(tempo_bpm: float | None) -> Iterator[Problem]:
    """A tempo that is none."""
    if tempo_bpm is not None and not 0 < tempo_bpm <= MOST_BPM:
        yield flaw(
            "TEMPO", "tempo_bpm", f"{tempo_bpm} is no tempo.", f"Give beats per minute above 0, at most {MOST_BPM}."
        )


def metre_flaws(column: str, text: str | None) -> Iterator[Problem]:
    """A metre that is none, or is spelled otherwise."""
    problem = metre_flaw(column, text) if text else None
    if problem is not None:
        yield problem


@lru_cache(maxsize=4096)
def key_flaw(text: str) -> Problem | None:
    """A key that is none, or is spelled otherwise than everywhere else."""
    key = parse_key_name(text)
    if key is None:
        advice = f"Use a tonic of {' '.join(TONICS)} and major or minor."
        return flaw("KEY_SPELLING", "key", f"{shown(text)} is no key.", advice)
    if key_name(key) != text:
        return flaw("KEY_SPELLING", "key", f"{shown(text)} is not spelled canonically.", f'Write "{key_name(key)}".')
    return None


@lru_cache(maxsize=4096)
def metre_flaw(column: str, text: str) -> Problem | None:
    """A fraction that is none, or is spelled otherwise."""
    metre = parse_metre(text)
    if metre is None or metre_name(metre) != text:
        found = f"{shown(text)} is no fraction like 6/8."
        return flaw("METRE_SPELLING", column, found, "Write numerator/denominator.")
    return None


def multi_valued_flaws(names: Sequence[str]) -> Iterator[Problem]:
    """Names of `multi_valued` that are no fields, or stand twice."""
    for place, name in enumerate(names):
        if name not in CHANGING_FIELDS:
            found = f"{shown(name)} is none of {', '.join(CHANGING_FIELDS)}{nearest(name, CHANGING_FIELDS)}."
            yield flaw("MULTI_VALUED", "multi_valued", found, "Correct it.")
        elif name in names[:place]:
            yield flaw("MULTI_VALUED", "multi_valued", f"{shown(name)} stands twice.", "Name it once.")


def segment_flaws(segments: Sequence[Any] | None, duration_s: float) -> Iterator[Problem]:
    """Segments that are missing, empty, unlabelled, out of order, overlapping, too long, or leave much out."""
    if segments is None or not 0 < duration_s <= MOST_SECONDS:
        return
    if not segments:
        yield flaw("SEGMENTS", "segments", "no segments.", "Give at least one.")
        return
    checked = validate_reference(segments, duration_s, label_aware=True)
    for problem in checked.problems:
        advice = ADVICE.get(problem.code, "Give 0 <= start_s < end_s in seconds.")
        found = f"segment {problem.row + 1}, {problem.code}: {problem.found}."
        yield flaw("SEGMENTS", "segments", found, advice)
    if "sorted" in checked.flags:
        yield flaw("SEGMENTS", "segments", "the segments are out of order.", "Sort them by start_s.")
    covered = sum(each.end - each.start for each in checked.intervals) / 1e6
    if checked.intervals and covered < COVER * duration_s:
        found = f"they cover {covered:.1f} of {duration_s:.1f} s."
        yield flaw("SEGMENTS_GAP", "segments", found, "Add what is missing, if it belongs to a section.")


def beat_flaws(row: Row) -> Iterator[Problem]:
    """Beat times that do not rise or lie outside the recording."""
    for column in ("beats_s", "downbeats_s"):
        yield from time_flaws(column, row[column] or (), row["duration_s"])


def tempo_of_beats(row: Row) -> Iterator[Problem]:
    """Beats that tell another tempo."""
    beats = row["beats_s"] or ()
    if len(beats) < FEWEST_BEATS or "tempo" in row["multi_valued"] or not (row["tempo_bpm"] or 0) > 0:
        return
    step = median([later - earlier for earlier, later in pairwise(beats)])
    if step > 0 and abs(60 / step - row["tempo_bpm"]) > TEMPO_TOLERANCE * row["tempo_bpm"]:
        found = f"the beats go at {60 / step:.1f} BPM, tempo_bpm says {row['tempo_bpm']:g}."
        yield flaw("BEATS_TEMPO", "beats_s", found, "Correct one, or name tempo in multi_valued.")


def time_flaws(column: str, times: Sequence[float], duration_s: float) -> Iterator[Problem]:
    """Times that do not rise or lie outside the recording."""
    if any(second <= first for first, second in pairwise(times)):
        yield flaw("BEATS", column, "times do not rise.", "Sort them and remove repeats.")
    if times and not 0 <= min(times) <= max(times) <= duration_s:
        yield flaw("BEATS", column, f"a time lies outside 0 to {duration_s} s.", "Remove it.")
