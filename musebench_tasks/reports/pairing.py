"""Which two systems are compared: the parts of two runs that are about the same task, or a part and a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import cut
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
