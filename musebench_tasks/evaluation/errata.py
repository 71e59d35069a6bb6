"""errata.yaml beside a task's data: which items were retired or re-keyed since older versions."""

from __future__ import annotations

from collections.abc import Iterable

from musebench_tasks.base.records import Erratum, TaskConfig
from musebench_tasks.evaluation.strict_files import read_errata
from musebench_tasks.items import errata_file


def load_errata(task: TaskConfig, *, offline: bool = False) -> tuple[Erratum, ...]:
    """The entries of errata.yaml beside the task's data; none where there is no such file."""
    file = errata_file(task, offline=offline)
    return read_errata(file) if file is not None else ()


def erratum_since(errata: Iterable[Erratum], data_sha256: str) -> Erratum | None:
    """What changed since the data of that hash; None where nobody says."""
    return next((each for each in errata if each.from_data_sha256 == data_sha256), None)


def changes_words(erratum: Erratum) -> str:
    """`retired a, b; re-keyed c`."""
    told = [
        f"{word} {', '.join(ids)}" for word, ids in (("retired", erratum.retired), ("re-keyed", erratum.rekeyed)) if ids
    ]
    return "; ".join(told) or "nothing retired or re-keyed"
