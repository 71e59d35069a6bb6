"""`import_log`: the log of another harness as a run of ours, scored by the same code.

run.yaml holds what the log and the task tell; what neither tells is null.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.api.resolve import selection_of
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import MediaBlock, PromptBlock, RunConfig, Scorecard, SystemBlock
from musebench_tasks.base.text import nearest
from musebench_tasks.evaluation.run_scores import score_folder, write_all_scores
from musebench_tasks.evaluation.task_data import TaskData, load_data
from musebench_tasks.harnesses.logs import SOURCES, Log, Matched, match, read_log
from musebench_tasks.harnesses.questions import AnyModel
from musebench_tasks.inference.run_folder import (
    PREDICTIONS_FILE,
    finishing,
    make_run_config,
    require_same,
    start,
    task_folder,
    write_predictions,
)
from musebench_tasks.models.registry import name_problem
from musebench_tasks.tasks import load_task

ANOTHER = "Choose another --out or --model."


@dataclass(frozen=True)
class Imported:
    """What an import wrote."""

    folder: Path
    """MODEL/TASK."""
    card: Scorecard
    errors: tuple[str, ...]
    """The texts of failed requests, which predictions.jsonl does not keep."""
    left_null: tuple[str, ...]
    """Fields of run.yaml that the log does not tell."""
    warnings: tuple[str, ...]
    """What whoever uses the run should know: of the log by its own word, of the data as they lie here."""


def import_log(
    source: str,
    logs: str | Path | Sequence[str | Path],
    *,
    task: str,
    out: str | Path,
    model: str | None = None,
    condition: str | None = None,
    limit: int | None = None,
    sample: str | None = None,
    offline: bool = False,
) -> Imported:
    """Write and score what a log of `source` (lm_eval, lmms_eval, vlmevalkit, inspect) answers to `task`.

    `model` names the system where the log does not, or in its place; `condition` says what of the media it got, where
    the log does not; `limit` and `sample` say which items were asked, where it were not all. Raises InputError, before
    anything is written, where the log does not fit the task or something that matters is not known.
    """
    if source not in SOURCES:
        raise InputError(
            f'"{source}" is no harness whose logs are known{nearest(source, SOURCES)}: {", ".join(SOURCES)}.'
        )
    config = load_task(task)
    paths = [Path(logs)] if isinstance(logs, str | Path) else [Path(each) for each in logs]
    log = read_log(source, paths, config)
    name = _name_of(log, model)
    data = load_data(config, selection_of(limit, sample), offline=offline)
    matched = match(log, config, data.items, condition)
    asked = _run_config(log, matched, data, name)
    folder = task_folder(Path(out), name, config.task)
    with finishing(Path(out)):
        require_same(folder, asked, ANOTHER)
        _require_new(folder, matched)
        start(folder, asked, config)
        write_predictions(folder, matched.predictions)
        card = score_folder(folder, data=data)
        write_all_scores(Path(out))
    return Imported(folder, card, matched.errors, tuple(_null_fields(asked)), (*log.warnings, *_without_media(data)))


def _without_media(data: TaskData) -> Iterator[str]:
    """A line where the data here lack media: their hash is another one then."""
    missing, count = data.missing_media()
    if missing:
        yield (
            f"{data.task.task}: {len(missing)} of {count} media files are not here, so run.yaml tells of other data "
            "than with them. To score that does no harm; for a submission, have them here and import again."
        )


def _name_of(log: Log, model: str | None) -> str:
    """What the system is called: as `model` says, else as the log does."""
    name = log.model if model is None else model
    if name is None:
        raise InputError(f"{log.source}: does not tell which model answered. Give --model NAME.")
    problem = name_problem(name)
    if problem is not None:
        raise InputError(f"{log.source if model is None else '--model'}: system {problem}. Give another --model NAME.")
    return name


def _require_new(folder: Path, matched: Matched) -> None:
    """Refuse to replace other predictions; the same ones may be imported again."""
    path = folder / PREDICTIONS_FILE
    lines = "".join(f"{each.canonical_json()}\n" for each in matched.predictions)
    if path.is_file() and path.read_text(encoding="utf-8") != lines:
        raise InputError(f"{path}: other predictions lie there already. {ANOTHER}")


def _run_config(log: Log, matched: Matched, data: TaskData, name: str) -> RunConfig:
    """What run.yaml tells of a run that another harness made."""
    asked = make_run_config(data.task, AnyModel(), matched.conditions, benchmark=data.benchmark, items=data.items)
    modalities = asked.media.modalities if log.gives_what_conditions_say else None
    return asked.model_copy(
        update={
            "system": SystemBlock(name=name, revision=log.revision),
            "prompt": asked.prompt if matched.words_are_ours else PromptBlock(),
            "decoding": log.decoding,
            "media": MediaBlock(modalities=modalities),
            "harness": log.harness,
        }
    )


def _null_fields(config: RunConfig) -> list[str]:
    """What a reader of run.yaml would like to know and cannot."""
    wanted = {
        "system.revision": config.system.revision,
        "prompt": config.prompt.sha256,
        "decoding.temperature": config.decoding.temperature,
        "decoding.max_tokens": config.decoding.max_tokens,
        "media.modalities": config.media.modalities,
        "media.max_frames": config.media.max_frames,
        "harness.version": config.harness.version,
    }
    return [name for name, value in wanted.items() if value is None]
