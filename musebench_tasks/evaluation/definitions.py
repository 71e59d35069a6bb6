"""The page of definitions: every metric id with its version, and the docstring of the function that computes it.

Page and code cannot part: the page is generated, and a test compares it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from math import inf
from typing import Any, NamedTuple

from musebench_tasks import measures, statistics
from musebench_tasks.base.records import MetricConfig
from musebench_tasks.measures import key, tempo

EACH_METRE = "N/D"
"""Stands for the name of a metre in the id of its recall."""
BOUNDS: Mapping[str, tuple[float, float]] = {
    "caa": (-1.0, 1.0),
    "caa_aggregate": (-1.0, 1.0),
    "position_bias.excess_first": (-1.0, 1.0),
    "position_bias.rstd": (0.0, inf),
    "brier": (0.0, 2.0),
}
"""Lowest and highest value of metrics that are no share."""
SEGMENT_MATCHES = ("iou_f1", "iou_precision", "iou_recall", "iou_f1_labels", "iou_f1_micro")
SECTIONS = ("Formula", "Edge cases", "Example", "Source")
_HEAD = re.compile(rf"^({'|'.join(SECTIONS)}):[ \t]*", re.MULTILINE)

INTRODUCTION = """# Definitions

What each number is, with the version that stands beside it in `scores.json`. A definition never changes: a change is a
new version, and the old one stays callable. This page is made from the docstrings by `python docs/make_definitions.py`;
its examples are run by the tests. Names such as MB-51 and pages such as statistics.md are those of the project's
specification, [docs/spec](spec/README.md); sections of papers are named as such.
"""


class Definition(NamedTuple):
    """Metric ids that one function computes."""

    title: str
    ids: tuple[str, ...]
    function: Callable[..., Any]


class Explained(NamedTuple):
    """A docstring taken apart: its opening words, and its sections by name."""

    opening: str
    sections: Mapping[str, str]


def metric_bounds(metric: str) -> tuple[float, float]:
    """Lowest and highest value of a metric, by its id without version."""
    return BOUNDS.get(metric.partition(MetricConfig.MACRO)[0], (0.0, 1.0))


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


CHAPTERS: Mapping[str, tuple[Definition, ...]] = {
    "Choice questions": (
        Definition("Chance-adjusted accuracy", ("caa/1",), measures.chance_adjusted_accuracy),
        Definition("Aggregate form", ("caa_aggregate/1",), measures.aggregate_chance_adjusted_accuracy),
        Definition(
            "Sets",
            ("accuracy/1", "exact_match/1", "set_precision/1", "set_recall/1", "set_f1/1"),
            measures.set_scores,
        ),
        Definition("Summed counts", ("micro_precision/1", "micro_recall/1", "micro_f1/1"), measures.micro_set_scores),
        Definition(
            "Consistency",
            ("choice_consistency/1", "run_agreement/1", "flip_rate/1", "all_runs_correct/1"),
            measures.consistency,
        ),
        Definition("Spread over runs", ("accuracy_sd/1",), measures.spread_over_runs),
        Definition("Expected accuracy", ("expected_accuracy/1",), measures.expected_accuracy),
        Definition("Brier score", ("brier/1",), measures.brier_scores),
        Definition("Expected calibration error", ("calibration_error/1",), measures.calibration),
        Definition(
            "Position bias",
            ("position_bias.excess_first/1", "position_bias.rstd/1", "position_bias.jsd_bits/1"),
            statistics.position_bias,
        ),
        Definition("Chance of accuracy", (), measures.chance_accuracy),
        Definition("Chance of exact match", (), measures.chance_exact_match),
        Definition("Chance of consistency", (), measures.chance_consistency),
    ),
    "Key": (
        Definition("Key credit", (), measures.key_score),
        *(
            Definition(f"Key, {version}", (f"mub.key.{version}",), function)
            for version, function in key.KEY_VERSIONS.items()
        ),
    ),
    "Tempo": (
        Definition("Tempo", tuple(f"mub.tempo.{version}" for version in tempo.TEMPO_VERSIONS), measures.tempo_hit),
    ),
    "Time signature": (
        Definition("Accuracy", ("mub.time_signature.accuracy/1",), measures.time_signature_hit),
        Definition("Recall of a time signature", (f"mub.time_signature.recall.{EACH_METRE}/1",), measures.class_counts),
        Definition("Balanced accuracy", ("mub.time_signature.balanced_accuracy/1",), measures.balanced_accuracy),
        Definition("Adjusted balanced accuracy", (), measures.adjusted_balanced_accuracy),
        Definition("Macro F1", ("mub.time_signature.macro_f1/1",), measures.macro_f1),
        Definition("Macro F1 over the union", (), measures.macro_f1_union),
    ),
    "Segments": (
        Definition(
            "Matched segments",
            tuple(f"mub.segments.{name}/1" for name in SEGMENT_MATCHES),
            measures.match_intervals,
        ),
        Definition(
            "Boundary hit rate",
            ("mub.segments.hit_rate_0.5/1", "mub.segments.hit_rate_3/1"),
            measures.boundary_hit_rate,
        ),
        Definition("Trimmed hit rate", (), measures.trimmed_boundary_hit_rate),
        Definition("Pairwise score", ("mub.segments.pairwise_f/1",), measures.pairwise_score),
        Definition("V-measure", ("mub.segments.v_measure/1",), measures.v_measure),
        Definition("Greedy matching", (), measures.greedy_match),
    ),
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
