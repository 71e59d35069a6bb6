"""The sheet that a dataset is built from: its rows, and what the rules say of them before anything is built."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from musebench_tasks.assembly.about import About, about_of
from musebench_tasks.assembly.choice_rows import read_choice_drafts, repository_task, task_schema, task_table
from musebench_tasks.assembly.drafts import Draft, read_drafts
from musebench_tasks.assembly.item_checks import UNKNOWN, CheckedItems, KnownMedium, check_task, shown_file
from musebench_tasks.assembly.media_checks import Checked, task_media, usable_window, use_of
from musebench_tasks.assembly.media_findings import Medium, unusable
from musebench_tasks.assembly.media_rows import TimedRow
from musebench_tasks.assembly.rules import Findings, check_items, check_questions
from musebench_tasks.assembly.rules.cells import window_flaws
from musebench_tasks.assembly.rules.findings import findings_of, in_order, judged
from musebench_tasks.assembly.rules.questions import musebench_question
from musebench_tasks.assembly.schemas import SCHEMAS, Schema, dataset_schema
from musebench_tasks.assembly.sheet import Faults, read_sheet, row_numbers
from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.problems import Effect, Problem
from musebench_tasks.base.records import Item, MediaSource, Modality, TaskConfig
from musebench_tasks.base.text import nearest
from musebench_tasks.items import load_items
from musebench_tasks.items.files import configs_of
from musebench_tasks.items.load import BLIND
from musebench_tasks.items.tables import Table
from musebench_tasks.media import shared_cache
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, DecodeProcess
from musebench_tasks.media.fetch import Fetcher
from musebench_tasks.media.unpack import media_file
from musebench_tasks.tasks import load_task


def read_source(source: Path, target: str | TaskConfig) -> tuple[Schema, Table]:
    """The schema that a sheet is to become, and its rows.

    `target`: musebench, hummusqa or mub, whose columns the sheet has; or a choice task, which maps them.
    """
    table = read_sheet(source)
    if isinstance(target, str):
        return dataset_schema(target), table
    return task_schema(target), task_table(target, table)


def source_drafts(
    schema: Schema, target: str | TaskConfig, table: Table, about: About, faults: Faults, *, may_lack: bool
) -> list[Draft]:
    """The rows of a sheet; what is wrong with them is added to `faults`. With `may_lack`, a row may name no medium."""
    if isinstance(target, str):
        drafts = read_drafts(schema, table, about, faults, links=may_lack)
    else:
        drafts = read_choice_drafts(target, table, about, faults, links=may_lack)
    names = [str(draft.cells[schema.id_column]) for draft in drafts]
    for each in about.label_like if drafts else ():
        if each not in names:
            text = f'names "{each}", which is the id of no row{nearest(each, names)}. Correct it, or leave it out.'
            faults.add(None, "label_like", Problem(f"about.yaml {text}", code="LABEL_LIKE_OPTION"))
    return drafts


class AskedRow(NamedTuple):
    """A row as the rules look at it."""

    number: int
    """What messages call it."""
    cells: Mapping[str, Any]
    duration_s: float | None = None
    """Of its medium, where that is known."""
    faulty: frozenset[str] = frozenset()
    """Columns that could not be read, of which that is told already."""
    source: str | None = None
    """What names its medium, where that is known."""


def rule_findings(schema: Schema, rows: Sequence[AskedRow], file: str, label_like: frozenset[str]) -> Findings:
    """What the rules say of the rows of a sheet; `file` is what messages call it."""
    if not rows:
        return Findings((), 0)
    numbers, sources = [row.number for row in rows], [row.source for row in rows]
    if schema.dataset in SCHEMAS:
        names = [str(row.cells[schema.id_column]) for row in rows]
        known = {name: row.duration_s for name, row in zip(names, rows, strict=True) if row.duration_s is not None}
        return check_items(
            [row.cells for row in rows],
            schema.dataset,
            file=file,
            numbers=numbers,
            label_like=label_like,
            media=False,
            durations=known,
            faulty=[row.faulty for row in rows],
            sources=sources,
        )
    questions = [musebench_question(row.cells) for row in rows]
    found = list(
        check_questions(
            questions,
            file=file,
            numbers=numbers,
            label_like=label_like,
            id_column=schema.id_column,
            sources=sources,
        )
    )
    for row in rows:
        found += findings_of(_window_flaws(row), file, row.number, str(row.cells[schema.id_column]))
    return in_order(found, len(rows))


def _window_flaws(row: AskedRow) -> Iterable[Problem]:
    start, end = row.cells["start_s"], row.cells["end_s"]
    return window_flaws("end_s", start, end, row.duration_s) if start is not None and end is not None else ()


def add_row_faults(schema: Schema, rows: Sequence[TimedRow], about: About, faults: Faults) -> list[str]:
    """Add what stops a build to `faults`; one line each kind of what does not."""
    asked = [
        AskedRow(number, row.cells, row.duration_s, row.faulty, row.content) for number, row in enumerate(rows, start=1)
    ]
    flags: list[Problem] = []
    for each in rule_findings(schema, asked, schema.dataset, frozenset(about.label_like)):
        if each.effect is Effect.STOP:
            position = None if each.row is None else rows[each.row - 1].position
            faults.add(position, each.column, replace(each, place="", row=None, items=()))
        else:
            flags.append(each)
    return list(_told(flags))


def _told(flags: Sequence[Problem]) -> Iterable[str]:
    counts = Counter(each.code for each in flags)
    for tag, count in sorted(counts.items()):
        first = next(each for each in flags if each.code == tag)
        where = f" (first: {first.item})" if first.item else ""
        yield f"{tag}: {count}{where}: {first.text}"


def findings_in_rows(items: CheckedItems, media: Sequence[Medium], checked: Sequence[Checked]) -> list[Problem]:
    """The findings that stop media of `items`, one for each row concerned; `checked` is what was found in `media`."""
    own = set(map(id, items.media))
    return [
        finding
        for medium, each in zip(media, checked, strict=True)
        if id(medium) in own
        for finding in _of_medium(items, medium, each)
    ]


def _of_medium(items: CheckedItems, medium: Medium, checked: Checked) -> Iterator[Problem]:
    positions: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(items.names):
        positions[name].append(position)
    numbers, file = row_numbers(items.table), shown_file(items.table)
    for each in checked.findings:
        if each.effect is not Effect.STOP:
            continue
        problem = replace(judged(unusable(each)), column=items.media_column)
        for name in dict.fromkeys(each.items or [use.item for use in medium.uses]):
            for position in positions[name]:
                yield from findings_of([problem], file, numbers[position], name)


DEFAULT = "default"
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
    known = known_media(sources, is_film=schema.media_column == "video")
    numbers, file = row_numbers(table), shown_file(table)
    asked = [_asked(draft, numbers[draft.position], known.get(draft.position, UNKNOWN)) for draft in drafts]
    rules = rule_findings(schema, asked, file, frozenset(about.label_like))
    found = [replace(each, column=faults.called(each.column)) for each in rules]
    column = _id_column(schema, target, about)
    for position, each in faults.findings:
        if position is None:
            found.append(replace(each, place=file))
        else:
            name = table.rows[position].get(column)
            item = None if name is None else str(name)
            found.append(replace(each, place=file, row=numbers[position], items=() if item is None else (item,)))
    told = in_order(found, len(table.rows))
    own = tuple(_media(schema, drafts, known)) if media else ()
    names = [str(row.get(column) or f"row {position + 1}") for position, row in enumerate(table.rows)]
    return CheckedItems(told, table, own, tuple(names), faults.called(schema.media_column))


def _id_column(schema: Schema, target: str | TaskConfig, about: About) -> str:
    """The sheet's column of ids."""
    if not isinstance(target, str):
        return target.columns.id or schema.id_column
    named = about.columns.get(schema.id_column, schema.id_column)
    return named if isinstance(named, str) else named[0]


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
    known = known_media(sources, is_film=Modality.VIDEO in task.modalities)
    checked = check_task(task, offline=offline, dataset=dataset, known=known)
    if refusal is not None and not checked.findings.stopping:
        raise refusal
    return checked._replace(media=tuple(task_media(task, items)))


def _task_of(source: Path, target: str | TaskConfig) -> TaskConfig:
    """The task that reads a repository as it lies there; its columns have the names of this package."""
    if not isinstance(target, str):
        return repository_task(target, source)
    place = {"dataset_path": str(source.absolute()), "revision": None, "dataset_name": None, "test_split": "test"}
    return load_task(target).model_copy(update=place)


def _asked(draft: Draft, number: int, medium: KnownMedium) -> AskedRow:
    """A row with what follows from its medium; where that is not here, with what no rule objects to."""
    source = draft.source.path if draft.source is not None else f"row {draft.position + 1}"
    start = draft.cells.get("start_s") or 0.0
    seconds = medium.seconds
    end = seconds if seconds is not None else start + _STAND_IN_S
    follows = {"cluster_id": source, "start_s": start, "end_s": end, "duration_s": seconds}
    cells = {name: follows.get(name) if value is None else value for name, value in draft.cells.items()}
    unknown = {"duration_s"} if "duration_s" in cells and cells["duration_s"] is None else set()
    return AskedRow(number, cells, seconds, draft.faulty | unknown, medium.sha256)


def known_media(sources: Mapping[Name, MediaSource], *, is_film: bool) -> dict[Name, KnownMedium]:
    """How long each medium is, by what names it; the check of media tells of those that cannot be opened."""
    if not sources:
        return {}
    cache, process = shared_cache(), DecodeProcess()
    fetcher = Fetcher(cache, process, DEFAULT_TIMEOUT_S)
    found: dict[str, KnownMedium] = {}
    try:
        for source in sources.values():
            if source.content not in found:
                found[source.content] = _known_medium(source, fetcher, is_film=is_film)
    finally:
        process.close()
    return {name: found[source.content] for name, source in sources.items()}


def _known_medium(source: MediaSource, fetcher: Fetcher, *, is_film: bool) -> KnownMedium:
    try:
        file = media_file(source, fetcher.cache)
        seconds = fetcher.probe(file)["video_s" if is_film else "audio_s"]
    except MediaError:
        return UNKNOWN
    return KnownMedium(float(seconds) if seconds is not None else None, file.sha256)


def _media(schema: Schema, drafts: Sequence[Draft], known: Mapping[int, KnownMedium]) -> Iterator[Medium]:
    """The media of the rows, each once, with who uses it how."""
    takes = frozenset({Modality.VIDEO, Modality.AUDIO} if schema.media_column == "video" else {Modality.AUDIO})
    needs = frozenset({Modality.VIDEO if schema.media_column == "video" else Modality.AUDIO})
    media: dict[tuple[str, int | None], Medium] = {}
    for draft in drafts:
        if draft.source is None:
            continue
        cells = draft.cells
        window = usable_window(cells.get("start_s"), cells.get("end_s"), known.get(draft.position, UNKNOWN).seconds)
        name = cells[schema.id_column] or f"row {draft.position + 1}"
        use = use_of(str(name), (*window, cells.get("duration_s")), takes, cells.get("alignment"))
        media.setdefault(
            (draft.source.path, draft.source.row), Medium(draft.source, [], needs, is_renamed=True)
        ).uses.append(use)
    yield from media.values()
