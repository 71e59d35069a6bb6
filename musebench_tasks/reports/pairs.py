"""The two systems of a comparison: which parts of two runs belong together, and what each side answered and scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Item, Prediction, Status, TaskConfig
from musebench_tasks.base.text import counted, cut, nearest, shown
from musebench_tasks.evaluation.baselines import baseline_cases
from musebench_tasks.evaluation.cases import Case, by_item
from musebench_tasks.evaluation.metrics.registry import chance
from musebench_tasks.pages.card import option_letters
from musebench_tasks.pages.text import short_number
from musebench_tasks.reports.answers import PartAnswers, TaskAnswers
from musebench_tasks.reports.item_scores import ItemScores, cases_of, measured
from musebench_tasks.reports.runs import Part, read_parts
from musebench_tasks.reports.tables import heard, system_name

BASELINE = "baseline:"
ASKED = ("prompt", "decoding", "media", "protocol")
"""The blocks of run.yaml in which a fair comparison agrees."""


@dataclass(frozen=True)
class Pair:
    """Two parts of one task, or one part and a baseline on it."""

    first: Part
    second: Part | None = None
    baseline: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, the first one first."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def first_name(self) -> str:
        """The first system as it is called here."""
        return system_name(self.first.card)

    @property
    def second_name(self) -> str:
        """The second one."""
        return system_name(self.second.card) if self.second is not None else str(self.baseline)


def pairs(first: str, second: str, tasks: Sequence[str] = ()) -> list[Pair]:
    """The pairs of two RUNs (`second` may be `baseline:NAME`), of `tasks` only where some are named.

    Parts are paired by task; where a run holds several systems on it, by the system's name. InputError where they
    cannot be paired, and where the answers are not those that were scored.
    """
    if second.startswith(BASELINE):
        parts, _ = read_parts([Path(first)])
        name = second.removeprefix(BASELINE)
        ours = _wanted(parts, tasks)
        _require_fresh(ours)
        return [Pair(part, baseline=name) for part in ours]
    if Path(first).resolve() == Path(second).resolve():
        raise InputError(f"{first} is compared with itself. Name two runs, or two MODEL/TASK folders of one.")
    parts, _ = read_parts([Path(first), Path(second)])
    ours = _wanted([part for part in parts if part.run == Path(first)], tasks)
    others = _wanted([part for part in parts if part.run == Path(second)], tasks)
    _require_fresh([*ours, *others])
    found = [pair for task in dict.fromkeys(part.card.task for part in ours) for pair in _of_task(task, ours, others)]
    if not found:
        raise InputError(
            f"{first} and {second} share no task: {_tasks(ours)}; {_tasks(others)}. Compare runs of one task."
        )
    return found


def _wanted(parts: Sequence[Part], tasks: Sequence[str]) -> list[Part]:
    found = [part for part in parts if not tasks or part.card.task in tasks]
    if not found:
        raise InputError(f"{parts[0].run}: no {', '.join(tasks)} in it, only {_tasks(parts)}.")
    return found


def _require_fresh(parts: Sequence[Part]) -> None:
    """InputError with a line for each part whose answers are not those that were scored."""
    stale = [f"{part.stale.why} {part.stale.repair}" for part in parts if part.stale]
    if stale:
        raise InputError("\n".join(stale))


def _tasks(parts: Sequence[Part]) -> str:
    return ", ".join(dict.fromkeys(part.card.task for part in parts))


def _of_task(task: str, ours: Sequence[Part], others: Sequence[Part]) -> Iterator[Pair]:
    mine = [part for part in ours if part.card.task == task]
    theirs = [part for part in others if part.card.task == task]
    if len(mine) == 1 and len(theirs) == 1:
        yield _pair(mine[0], theirs[0])
        return
    by_system = {part.config.system.name: part for part in theirs}
    alike = [(part, by_system[part.config.system.name]) for part in mine if part.config.system.name in by_system]
    if theirs and not alike:
        folders = ", ".join(str(part.folder) for part in (*mine, *theirs))
        raise InputError(f"{task}: several systems, none in both runs. Name two of these folders: {folders}.")
    yield from (_pair(part, other) for part, other in alike)


def _pair(first: Part, second: Part) -> Pair:
    _require_equal_terms(first, second)
    return Pair(first, second, notes=tuple(_asked_differently(first, second)))


def _on_track(track: str | None) -> str:
    return "no track" if track is None else f"the track {track.replace('_', ' ')}"


def _require_equal_terms(first: Part, second: Part) -> None:
    """InputError for two tracks, and for two systems of which one hears more of the sound: they share no table (MU-08).

    The same system may be compared with itself on less of the sound.
    """
    task, names = first.card.task, (system_name(first.card), system_name(second.card))
    tracks = [_on_track(part.card.track) for part in (first, second)]
    if tracks[0] != tracks[1]:
        raise InputError(f"{task}: {names[0]} is on {tracks[0]}, {names[1]} on {tracks[1]}; they are never compared.")
    sounds = [heard(part.card.truncation) for part in (first, second)]
    if sounds[0] != sounds[1] and first.config.system.name != second.config.system.name:
        told = [f"no {each}" if each else "all of the sound" for each in sounds]
        raise InputError(
            f"{task}: {names[0]} gets {told[0]}, {names[1]} {told[1]}; systems that hear unequal parts are never "
            "compared. Ask both with the same --chunk, or the same max_audio_s."
        )


def _asked_differently(first: Part, second: Part) -> Iterator[str]:
    """A line for each setting in which the two runs were asked differently."""
    for block in ASKED:
        ours: dict[str, Any] = getattr(first.config, block).model_dump(mode="json", exclude={"conditions"})
        others: dict[str, Any] = getattr(second.config, block).model_dump(mode="json", exclude={"conditions"})
        for name in ours:
            if ours[name] != others.get(name):
                here, there = _short(ours[name]), _short(others.get(name))
                yield f"asked differently in {block}.{name}: {here} the first, {there} the second"


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return cut(text, 40)


LONGEST = 24


def answer_words(item: Item, part: PartAnswers, condition: Condition, field: str | None = None) -> str:
    """The answers of all runs, one after the other: `B B C B`, `A+C`, `Eb major`; a status where none was read."""
    runs = range(part.part.config.protocol.runs)
    return " ".join(_one(item, part.predictions.get((item.id, run, condition)), field) for run in runs)


def _one(item: Item, prediction: Prediction | None, field: str | None) -> str:
    if prediction is None:
        return Status.MISSING.value
    parsed = prediction.parsed
    if isinstance(parsed, tuple) and prediction.status is Status.OK:
        letters = option_letters(item)
        return "+".join(sorted(letters.get(each, "?") for each in parsed)) or "none"
    if isinstance(parsed, dict) and field in parsed:
        found = parsed[field]
        return _value(found.value) if found.status is Status.OK else found.status.value
    return prediction.status.value


def case_words(item: Item, cases: Sequence[Case], field: str | None = None) -> str:
    """The same of what a baseline says, from its cases in the order of runs."""
    return " ".join(_case(item, case, field) for case in cases)


def _case(item: Item, case: Case, field: str | None) -> str:
    if field is not None:
        return _value(case.values[field]) if field in case.values else Status.MISSING.value
    letters = option_letters(item)
    return "+".join(sorted(letters.get(each, "?") for each in case.chosen or ())) or "none"


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return counted(len(value), "segment")
    text = short_number(value) if isinstance(value, float) else str(value)
    return cut(text, LONGEST)


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
