"""errata.yaml beside a task's data: which items were retired or re-keyed since older versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Erratum, Record, TaskConfig
from musebench_tasks.base.strict_text import first_problems
from musebench_tasks.base.text import shown
from musebench_tasks.items import errata_file
from musebench_tasks.tasks.schema import record_of, strict_tree


class ErrataFile(Record):
    """errata.yaml of a dataset: one entry for each older version that leads to this one."""

    errata: tuple[Erratum, ...]


def load_errata(task: TaskConfig, *, offline: bool = False) -> tuple[Erratum, ...]:
    """The entries of errata.yaml beside the task's data; none where there is no such file."""
    file = errata_file(task, offline=offline)
    return read_errata(file) if file is not None else ()


def read_errata(path: Path) -> tuple[Erratum, ...]:
    """The entries of an errata.yaml: one alone, or several under `errata`; InputError of every problem."""
    tree = strict_tree(path)
    are_several = "errata" in tree.value
    entries = record_of(tree, ErrataFile).errata if are_several else (record_of(tree, Erratum),)
    first: dict[str, int] = {}
    problems: list[Problem] = []
    for number, entry in enumerate(entries):
        found = list(_contradictions(entry))
        before = first.setdefault(entry.from_data_sha256, number)
        if before != number:
            stands = f"stands in entry {before + 1} already."
            advice = "Say in one entry what changed since that version."
            found.append(Problem(stands, advice, location=("from_data_sha256",)))
        problems += [tree.placed(each.below("errata", number) if are_several else each) for each in found]
    if problems:
        raise InputError(*first_problems(problems))
    return entries


def _contradictions(erratum: Erratum) -> Iterator[Problem]:
    """Ids that one entry names twice, or both as retired and as re-keyed."""
    seen: dict[str, str] = {}
    for field in ("retired", "rekeyed"):
        for place, item in enumerate(getattr(erratum, field)):
            if item in seen:
                stands = "already" if seen[item] == field else f'under "{seen[item]}" too'
                yield Problem(f"{shown(item)} stands {stands}.", "Remove one of the two.", location=(field, place))
            seen.setdefault(item, field)


def erratum_since(errata: Iterable[Erratum], data_sha256: str) -> Erratum | None:
    """What changed since the data of that hash; None where nobody says."""
    return next((each for each in errata if each.from_data_sha256 == data_sha256), None)


def changes_words(erratum: Erratum) -> str:
    """`retired a, b; re-keyed c`."""
    told = [
        f"{word} {', '.join(ids)}" for word, ids in (("retired", erratum.retired), ("re-keyed", erratum.rekeyed)) if ids
    ]
    return "; ".join(told) or "nothing retired or re-keyed"
