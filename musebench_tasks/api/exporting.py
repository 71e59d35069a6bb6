"""`export_run`: a run written for other tools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import nearest
from musebench_tasks.evaluation.files import read_predictions
from musebench_tasks.evaluation.run_scores import score_folder
from musebench_tasks.evaluation.scorecard import as_it_was_asked
from musebench_tasks.evaluation.task_data import load_data
from musebench_tasks.harnesses.exports import (
    RELATIONSHIPS,
    Exported,
    Publisher,
    write_every_eval_ever,
    write_label_studio,
)
from musebench_tasks.harnesses.exports.label_studio import LOCAL
from musebench_tasks.harnesses.questions import address_of
from musebench_tasks.inference import read_responses
from musebench_tasks.inference.run_folder import PREDICTIONS_FILE, RUN_FILE, read_run_config, read_task, run_folders
from musebench_tasks.tasks import load_task

TARGETS = ("every_eval_ever", "label_studio")
"""What a run can be written for."""


@dataclass(frozen=True)
class WrittenFiles:
    """What an export wrote."""

    files: tuple[Path, ...]
    """One a MODEL/TASK folder: the aggregate record, or tasks.json."""
    problems: tuple[str, ...]


def export_run(
    path: str | Path,
    to: str,
    *,
    out: str | Path | None = None,
    task: str | None = None,
    organization: str = "unknown",
    relationship: str = "other",
    with_gold: bool = False,
    media_address: str = LOCAL,
    offline: bool = False,
) -> WrittenFiles:
    """Write a run, or one MODEL/TASK folder, for `every_eval_ever` or `label_studio`; scores are made again first.

    `out`: the folder (default: `export/TARGET` in the run). `organization` and `relationship` (to the model) are of
    whoever evaluated; `with_gold` lets sample records say what is right. Raises InputError for what cannot be exported.
    """
    if to not in TARGETS:
        raise InputError(f'"{to}" is nothing that runs are written for{nearest(to, TARGETS)}: {", ".join(TARGETS)}.')
    if relationship not in RELATIONSHIPS:
        known = ", ".join(RELATIONSHIPS)
        raise InputError(f'relationship "{relationship}" is not known{nearest(relationship, RELATIONSHIPS)}: {known}.')
    path = Path(path)
    if not path.is_dir():
        raise InputError(f"{path}: is no folder. Name a run, or one MODEL/TASK folder of it.")
    place = Path(out) if out is not None else path / "export" / to
    files: list[Path] = []
    problems: list[str] = []
    folders = run_folders(path)
    for folder in folders:
        exported = _read(folder, task, offline)
        if to == "every_eval_ever":
            publisher = Publisher(organization, relationship, _written_at(folder), _retry_rate(folder), with_gold)
            files.append(write_every_eval_ever(exported, place, publisher))
        else:
            own = place if len(folders) == 1 else place / folder.parent.name / folder.name
            file, missing = write_label_studio(exported, own, media_address)
            files.append(file)
            problems += missing
    return WrittenFiles(tuple(files), tuple(problems))


def _read(folder: Path, task: str | None, offline: bool) -> Exported:
    config = read_run_config(folder / RUN_FILE)
    asked = load_task(task) if task is not None else read_task(folder, config)
    data = load_data(asked, config.benchmark.selection, offline=offline, asked_on=config.benchmark.data_sha256)
    card = score_folder(folder, data=data, write=False)
    predictions = read_predictions(folder / PREDICTIONS_FILE)
    return Exported(
        config=config,
        card=card,
        task=as_it_was_asked(data.task, config),
        items={item.id: item for item in data.items},
        references=data.references,
        predictions={address_of(each): each for each in predictions},
    )


def _written_at(folder: Path) -> int:
    """When the predictions were written, in seconds since 1970, as the file system says: a run records no time.

    An export of the same folder is the same, whenever it is made; one of a copy only where the copy kept that time.
    """
    return int((folder / PREDICTIONS_FILE).stat().st_mtime)


def _retry_rate(folder: Path) -> float | None:
    responses = read_responses(folder).values()
    return sum(each.attempts > 1 for each in responses) / len(responses) if responses else None
