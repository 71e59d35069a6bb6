"""The rules of a row of musebench (MB-01, MB-02, MB-04, MB-21)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from musebench_tasks.assembly.rules.cells import Row, licence_flaws, vocabulary
from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.known import as_known
from musebench_tasks.assembly.rules.times import window_flaws
from musebench_tasks.assembly.schemas import ALIGNMENTS, SUBDOMAINS
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import option_id
from musebench_tasks.base.text import closest, counted, nearest, shown
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
