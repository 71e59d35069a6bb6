"""The two sides of a comparison: a system's answers, a baseline's, or the expectation of guessing, item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Item, TaskConfig
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.evaluation.baselines import baseline_cases, chance
from musebench_tasks.evaluation.cases import Case, by_item
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.item_scores import ItemScores, cases_of, measured
from musebench_tasks.reports.said import answer_words, case_words

CHANCE = "chance"


@dataclass(frozen=True)
class Side:
    """One side: which items it was asked, what it scored on some of them, and what it said to one."""

    item_ids: frozenset[str]
    scores: Callable[[frozenset[str]], dict[str, ItemScores]]
    """Every metric of the task on the items given, by `name/version`."""
    said: Callable[[Item, str | None], str]
    """The answer to an item; for a recording, the field that is meant."""


def system_side(answers: TaskAnswers, part: PartAnswers, condition: Condition) -> Side:
    """A system's answers under a condition."""
    cases = cases_of(answers, part, condition)
    return Side(
        _ids(cases),
        lambda ids: _measured(answers.task, _only(cases, ids)),
        lambda item, field: answer_words(item, part, condition, field),
    )


def baseline_side(answers: TaskAnswers, part: PartAnswers, condition: Condition, name: str) -> Side:
    """What a baseline says to the items that a part was asked; InputError for a name that is none."""
    cases = cases_of(answers, part, condition)
    if name == CHANCE and chance(cases):
        return Side(_ids(cases), lambda ids: _expected(_only(cases, ids)), lambda item, field: "guessing")
    known = dict(baseline_cases(cases))
    if name not in known:
        names = [*([CHANCE] if chance(cases) else []), *known]
        raise InputError(
            f"baseline {shown(name)} is not known for {answers.task.task}{nearest(name, names)}. "
            f"Known: {', '.join(names)}."
        )
    said = by_item(known[name])
    fields = {field for case in known[name] for field in case.values}
    return Side(
        _ids(cases),
        lambda ids: _answered(_measured(answers.task, _only(known[name], ids)), fields),
        lambda item, field: case_words(item, said[item.id], field),
    )


def music_field(metric: str) -> str | None:
    """The field that a metric of recordings is about; None for choice items."""
    return metric.split(".")[1] if metric.startswith("mub.") else None


def _ids(cases: Iterable[Case]) -> frozenset[str]:
    return frozenset(case.item.id for case in cases)


def _only(cases: Sequence[Case], ids: frozenset[str]) -> list[Case]:
    return [case for case in cases if case.item.id in ids]


def _measured(task: TaskConfig, cases: Sequence[Case]) -> dict[str, ItemScores]:
    return {each.metric: each for each in measured(task, cases)}


def _answered(scores: Mapping[str, ItemScores], fields: set[str]) -> dict[str, ItemScores]:
    """Without the metrics of fields that a baseline never answers: there it stands as not asked, not as wrong."""
    return {name: each for name, each in scores.items() if (field := music_field(name)) is None or field in fields}


def _expected(cases: Sequence[Case]) -> dict[str, ItemScores]:
    """What guessing is expected to score on each item."""
    return {
        f"{each.metric}/{each.version}": ItemScores(
            f"{each.metric}/{each.version}", each.item_ids, each.clusters, each.columns, is_expectation=True
        )
        for each in chance(cases)
    }
