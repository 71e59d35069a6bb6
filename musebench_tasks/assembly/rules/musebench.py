"""The rules of a row of musebench (MB-01, MB-02, MB-04, MB-21)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from musebench_tasks.assembly.rules.cells import Row, licence_flaws, vocabulary
from musebench_tasks.assembly.rules.findings import Flaw
from musebench_tasks.assembly.rules.times import window_flaws
from musebench_tasks.assembly.schemas import ALIGNMENTS, SUBDOMAINS
from musebench_tasks.errors import closest, nearest
from musebench_tasks.records import option_id
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


def musebench_flaws(row: Row, duration_s: float | None = None) -> Iterator[Flaw]:
    """What is wrong with a row's columns, its texts as such aside."""
    yield from vocabulary("category", row["category"], _CATEGORIES)
    if row["category"] in SUBDOMAINS:
        yield from vocabulary("subdomain", row["subdomain"], SUBDOMAINS[row["category"]])
    yield from vocabulary("alignment", row["alignment"], ALIGNMENTS)
    yield from vocabulary("kind", row["kind"], KINDS)
    yield from window_flaws("end_s", row["start_s"], row["end_s"], duration_s)
    yield from licence_flaws(row)
    options = {option["id"]: option["text"] for option in row["options"]}
    yield from foreign_options(row)
    yield from gold_flaws(row, options)
    yield from strategy_flaws(row["distractor_strategies"], sorted(options.keys() - set(row["answer"])))


def foreign_options(row: Row) -> Iterator[Flaw]:
    """Options whose ids are not those of this item with these texts."""
    for option in row["options"]:
        wanted = option_id(row["id"], option["text"])
        if option["id"] != wanted:
            found = f'"{option["text"]}" has id {option["id"]}, not {wanted}: another item\'s, or reworded.'
            yield Flaw("STEM_OPTIONS_MISMATCH", "options", found, "Make the options with choice_columns.")


def gold_flaws(row: Row, options: Mapping[str, str]) -> Iterator[Flaw]:
    """Answers that are no options, and texts that do not name the same options."""
    answer, texts = row["answer"], row["correct_answer"]
    if not answer:
        yield Flaw("EMPTY_ANSWER_SET", "answer", "no option is right.", "Name the right ones.")
        return
    foreign = [each for each in answer if each not in options]
    for each in foreign:
        found = f"{each} is no option id of this row."
        yield Flaw("LABEL_OUT_OF_RANGE", "answer", found, "Correct the answer, or add the option.")
    for each, count in Counter(answer).items():
        if count > 1:
            yield Flaw("ANSWER_COUNT", "answer", f"{each} stands {count} times.", "Name each option once.")
    right = [options[each] for each in answer if each in options]
    if foreign or sorted(texts) == sorted(right):
        return
    known = set(options.values())
    for text in texts:
        if text not in known:
            yield paraphrase(text, right, tuple(options.values()))
    if all(text in known for text in texts):
        found = "does not name the same options as `answer`."
        yield Flaw("STEM_OPTIONS_MISMATCH", "correct_answer", found, "Make both with choice_columns.")
    elif len(texts) != len(right):
        found = f"{len(texts)} texts for {len(right)} right options."
        yield Flaw("STEM_OPTIONS_MISMATCH", "correct_answer", found, "Make both with choice_columns.")


def paraphrase(text: str, right: Sequence[str], options: Sequence[str]) -> Flaw:
    """A right answer in other words than its option, or in those of none."""
    same = next((each for each in options if comparable(each) == comparable(text)), None)
    close = same or closest(text, options)
    found = f'"{text}" is not one of the options{nearest(text, options)}.'
    if close is not None and close in right:
        return Flaw("ANSWER_PARAPHRASE", "correct_answer", found, "Copy the option verbatim.")
    return Flaw("STEM_OPTIONS_MISMATCH", "correct_answer", found, "Add it to the options, or correct it.")


def strategy_flaws(strategies: Sequence[Mapping[str, Any]], wrong: Sequence[str]) -> Iterator[Flaw]:
    """Wrong options without a strategy, unknown strategies, and too few different ones (MB-21)."""
    column = "distractor_strategies"
    if sorted([each["id"] for each in strategies]) != wrong:
        yield Flaw("STRATEGY", column, "does not name each wrong option once.", f"Name {', '.join(wrong)}.")
        return
    kinds = {each["strategy"] for each in strategies}
    for name in sorted(kinds.difference(STRATEGIES)):
        found = f'"{name}" is none of {", ".join(STRATEGIES)}{nearest(name, STRATEGIES)}.'
        yield Flaw("STRATEGY", column, found, "Correct it.")
    fewest = 3 if len(wrong) >= MANY_DISTRACTORS else 2
    if len(wrong) >= fewest > len(kinds):
        plural = "strategy" if len(kinds) == 1 else "strategies"
        found = f"{len(kinds)} {plural} for {len(wrong)} wrong options."
        yield Flaw("FEW_STRATEGIES", column, found, f"Use at least {fewest}.")
