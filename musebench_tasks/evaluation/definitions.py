"""The page of definitions: every metric id with its version, and the docstring of the function that computes it.

Page and code cannot part: the page is generated, and a test compares it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from musebench_tasks import statistics
from musebench_tasks.evaluation.metrics.record import Definition
from musebench_tasks.evaluation.metrics.registry import MEASURES

SECTIONS = ("Formula", "Edge cases", "Example", "Source")
_HEAD = re.compile(rf"^({'|'.join(SECTIONS)}):[ \t]*", re.MULTILINE)

INTRODUCTION = """# Definitions

What each number is, with the version that stands beside it in `scores.json`. A definition never changes: a change is a
new version, and the old one stays callable. This page is made from the docstrings by `python docs/make_definitions.py`;
its examples are run by the tests. Names such as MB-51 and pages such as statistics.md are those of the project's
specification, [docs/spec](spec/README.md); sections of papers are named as such.
"""


class Explained(NamedTuple):
    """A docstring taken apart: its opening words, and its sections by name."""

    opening: str
    sections: Mapping[str, str]


def explained(function: Callable[..., Any]) -> Explained:
    """The docstring of `function` by sections. Raises ValueError naming the function and the section that it lacks."""
    text = inspect.getdoc(function) or ""
    opening, *rest = _HEAD.split(text)
    sections = dict(zip(rest[::2], (inspect.cleandoc(each) for each in rest[1::2]), strict=True))
    if tuple(sections) != SECTIONS:
        raise ValueError(f"{function.__module__}.{function.__qualname__}: sections {tuple(sections)}, not {SECTIONS}")
    return Explained(opening.strip(), sections)


def definitions_page() -> str:
    """The Markdown of docs/definitions.md."""
    parts = [INTRODUCTION]
    for chapter, definitions in CHAPTERS.items():
        parts.append(f"\n## {chapter}\n")
        parts += [_entry(each) for each in definitions]
    return "".join(parts)


def _entry(definition: Definition) -> str:
    opening, sections = explained(definition.function)
    ids = ", ".join(f"`{each}`" for each in definition.ids)
    name = f"{definition.function.__module__.rsplit('.', 1)[0]}.{definition.function.__name__}"
    opening, formula, edges, source = map(
        _markdown, (opening, sections["Formula"], sections["Edge cases"], sections["Source"])
    )
    return (
        f"\n### {definition.title}\n\n{ids + ' · ' if ids else ''}`{name}`\n\n{_sentence(opening)}\n\n"
        f"**Formula.** {_sentence(formula)}\n\n**Edge cases.** {_sentence(edges)}\n\n"
        f"```python\n{sections['Example']}\n```\n\n**Source.** {source}\n"
    )


def _markdown(text: str) -> str:
    """Plain words as Markdown: nothing outside `code` that Markdown would take for its own."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_|<>\[\]])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _of_measures() -> dict[str, tuple[Definition, ...]]:
    """The definitions of every measure, by chapter."""
    chapters: dict[str, tuple[Definition, ...]] = {}
    for each in MEASURES.values():
        chapters[each.chapter] = (*chapters.get(each.chapter, ()), *each.definitions)
    return chapters


CHAPTERS: Mapping[str, tuple[Definition, ...]] = {
    **_of_measures(),
    "Uncertainty": (
        Definition("Clustered standard error", (), statistics.clustered_standard_error),
        Definition("Interval of a mean", (), statistics.interval_of_mean),
        Definition("Wilson interval", (), statistics.wilson_interval),
        Definition("Cluster bootstrap", (), statistics.cluster_bootstrap),
        Definition("Bootstrap of independent items", (), statistics.independent_bootstrap),
        Definition("Bootstrap within classes", (), statistics.stratified_bootstrap),
        Definition("Paired comparison", (), statistics.paired_comparison),
        Definition("Interval of a difference", (), statistics.interval_of_difference),
        Definition("Sign-flip permutation", (), statistics.sign_flip_p_value),
        Definition("McNemar's test", (), statistics.mcnemar_exact),
        Definition("Holm's correction", (), statistics.holm),
        Definition("Ranks", (), statistics.rank_systems),
        Definition("Detectable difference", (), statistics.minimum_detectable_effect),
    ),
    "Agreement of raters": (
        Definition("What has to stand together", (), statistics.rater_agreement),
        Definition("Gwet's AC2 and AC1", (), statistics.gwet_ac),
        Definition("Krippendorff's alpha", (), statistics.krippendorff_alpha),
        Definition("Permutation null", (), statistics.permutation_null),
    ),
}
