"""Asks the rules about the sheet that a dataset is to be built from, before anything is built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from musebench_tasks.assembly.about import About, about_of
from musebench_tasks.assembly.choice_rows import repository_task
from musebench_tasks.assembly.drafts import Draft
from musebench_tasks.assembly.errors_sheet import row_numbers
from musebench_tasks.assembly.item_checks import CheckedItems, check_task, shown_file
from musebench_tasks.assembly.media_checks import task_media, use_of
from musebench_tasks.assembly.media_findings import Medium
from musebench_tasks.assembly.rules import Findings, Flaw, check_items, check_questions
from musebench_tasks.assembly.rules.findings import Finding, findings_of, in_order
from musebench_tasks.assembly.rules.question import musebench_question
from musebench_tasks.assembly.rules.told import tag_of
from musebench_tasks.assembly.schemas import Schema, dataset_schema
from musebench_tasks.assembly.sheet import Faults
from musebench_tasks.assembly.sources import read_source, source_drafts
from musebench_tasks.errors import InputError, MediaError
from musebench_tasks.items import load_items
from musebench_tasks.items.files import configs_of
from musebench_tasks.items.load import BLIND
from musebench_tasks.items.tables import Table
from musebench_tasks.media import shared_cache
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, DecodeProcess
from musebench_tasks.media.fetch import Fetcher
from musebench_tasks.media.unpack import media_file
from musebench_tasks.records import Item, MediaSource, Modality, TaskConfig
from musebench_tasks.tasks import load_task

DEFAULT = "default"
ANSWER_COLUMNS: tuple[str, ...] = ("answer", "correct", "correct_1")
_STAND_IN_S = 1.0
Name = TypeVar("Name", int, str)


def check_source(
    source: Path, target: str | TaskConfig, about_file: Path | None = None, *, media: bool = True
) -> CheckedItems:
    """The rules on a sheet, on a folder that holds one, or on a repository that is built already.

    `target`: musebench, hummusqa or mub, whose columns the sheet has; or a choice task, which maps them. Without
    `media` nothing is asked of media: neither that they are there nor how long they are.
    """
    if source.is_dir() and {DEFAULT, BLIND} & configs_of(source).keys():
        dataset = target if isinstance(target, str) else None
        return check_with_media(_task_of(source, target), dataset=dataset, offline=True, media=media)
    schema, table = read_source(source, target)
    about, faults = about_of(source, about_file), Faults(table)
    drafts = source_drafts(schema, target, table, about, faults, may_lack=not media)
    sources = {draft.position: draft.source for draft in drafts if draft.source is not None and media}
    seconds = _seconds(sources, is_film=schema.media_column == "video")
    rules = _findings(schema, table, drafts, about, seconds)
    found = [replace(each, field=faults.called(each.field)) for each in rules]
    told = [*found, *_fault_findings(faults, schema, target, about)]
    return CheckedItems(in_order(told, len(table.rows)), table, tuple(_media(schema, drafts)) if media else ())


def check_with_media(
    task: TaskConfig, *, dataset: str | None = None, offline: bool = False, media: bool = True
) -> CheckedItems:
    """The rules on a task's data (`check_task`), and their media, unless the rows cannot be loaded."""
    items: tuple[Item, ...] = ()
    refusal: InputError | None = None
    try:
        items = load_items(task, offline=offline).items if media else ()
    except InputError as error:
        refusal = error
    sources = {item.id: item.media for item in items if item.media is not None}
    durations = _seconds(sources, is_film=Modality.VIDEO in task.modalities)
    checked = check_task(task, offline=offline, dataset=dataset, durations=durations)
    if refusal is not None and not checked.findings.stopping:
        raise refusal
    return checked._replace(media=tuple(task_media(task, items)))


def _task_of(source: Path, target: str | TaskConfig) -> TaskConfig:
    """The task that reads a repository as it lies there; its columns have the names of this package."""
    if not isinstance(target, str):
        return repository_task(target, source)
    place = {"dataset_path": str(source.absolute()), "revision": None, "dataset_name": None, "test_split": "test"}
    return load_task(target).model_copy(update=place)


def _findings(
    schema: Schema, table: Table, drafts: Sequence[Draft], about: About, seconds: Mapping[int, float]
) -> Findings:
    """What the rules say of the rows that could be read."""
    file, label_like = shown_file(table), frozenset(about.label_like)
    rows_called = row_numbers(table)
    numbers = [rows_called[draft.position] for draft in drafts]
    rows = [_completed(draft, seconds) for draft in drafts]
    if not rows:
        return Findings((), 0)
    if schema == dataset_schema("musebench") or schema.dataset in ("hummusqa", "mub"):
        known = {
            str(row[schema.id_column]): seconds[draft.position]
            for row, draft in zip(rows, drafts, strict=True)
            if draft.position in seconds
        }
        return check_items(
            rows, schema.dataset, file=file, numbers=numbers, label_like=label_like, media=False, durations=known
        )
    questions = [musebench_question(row) for row in rows]
    return check_questions(questions, file=file, numbers=numbers, label_like=label_like, id_column=schema.id_column)


def _completed(draft: Draft, seconds: Mapping[int, float]) -> dict[str, Any]:
    """A row with what follows from its medium; where that is not here, with what no rule objects to."""
    source = draft.source.path if draft.source is not None else f"row {draft.position + 1}"
    start = draft.cells.get("start_s") or 0.0
    length = seconds.get(draft.position)
    end = length if length is not None else start + _STAND_IN_S
    follows = {"cluster_id": source, "start_s": start, "end_s": end, "duration_s": end}
    return {name: follows.get(name) if value is None else value for name, value in draft.cells.items()}


def _seconds(sources: Mapping[Name, MediaSource], *, is_film: bool) -> dict[Name, float]:
    """How long each medium is, by what names it; the check of media tells of those that cannot be opened."""
    known: dict[Name, float] = {}
    if not sources:
        return known
    cache, process = shared_cache(), DecodeProcess()
    fetcher = Fetcher(cache, process, DEFAULT_TIMEOUT_S)
    seconds: dict[str, float | None] = {}
    try:
        for name, source in sources.items():
            if source.content not in seconds:
                seconds[source.content] = _seconds_of(source, fetcher, is_film=is_film)
            found = seconds[source.content]
            if found is not None:
                known[name] = found
    finally:
        process.close()
    return known


def _seconds_of(source: MediaSource, fetcher: Fetcher, *, is_film: bool) -> float | None:
    try:
        found = fetcher.probe(media_file(source, fetcher.cache))["video_s" if is_film else "audio_s"]
    except MediaError:
        return None
    return float(found) if found is not None else None


def _fault_findings(faults: Faults, schema: Schema, target: str | TaskConfig, about: About) -> Iterator[Finding]:
    """What reading the sheet found, as findings."""
    file = shown_file(faults.table)
    if isinstance(target, str):
        names = about.columns.get(schema.id_column, schema.id_column)
        id_column, answers = names if isinstance(names, str) else names[0], ANSWER_COLUMNS
    else:
        id_column, answers = target.columns.id or schema.id_column, (target.columns.answer or "answer",)
    numbers = row_numbers(faults.table)
    for each in dict.fromkeys(faults.found):
        if each.position is None:
            yield from findings_of([Flaw("COLUMN_UNKNOWN", faults.called(each.column), each.text)], file, None, None)
            continue
        name = faults.table.rows[each.position].get(id_column)
        flaw = Flaw(tag_of(each.text, each.column, answers), faults.called(each.column), each.text)
        yield from findings_of([flaw], file, numbers[each.position], None if name is None else str(name))


def _media(schema: Schema, drafts: Sequence[Draft]) -> Iterator[Medium]:
    """The media of the rows, each once, with who uses it how."""
    takes = frozenset({Modality.VIDEO, Modality.AUDIO} if schema.media_column == "video" else {Modality.AUDIO})
    media: dict[tuple[str, int | None], Medium] = {}
    for draft in drafts:
        if draft.source is None:
            continue
        cells = draft.cells
        times = (cells.get("start_s"), cells.get("end_s"), cells.get("duration_s"))
        use = use_of(str(cells[schema.id_column]), times, takes, cells.get("alignment"))
        media.setdefault((draft.source.path, draft.source.row), Medium(draft.source, is_renamed=True)).uses.append(use)
    yield from media.values()
