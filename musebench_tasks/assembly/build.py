"""From a sheet with media to a dataset repo: rows, rules, media, files, and the hashes of what came out."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.assembly.about import ABOUT_FILE, About, about_of, unsaid
from musebench_tasks.assembly.cards import Card, default_card, row_licenses
from musebench_tasks.assembly.choice_rows import repository_task
from musebench_tasks.assembly.links import linked_schema
from musebench_tasks.assembly.media_rows import MediaRows, Told
from musebench_tasks.assembly.medium import MediaSettings
from musebench_tasks.assembly.repository import refuse_place, write_repository
from musebench_tasks.assembly.schemas import SCHEMAS, Schema
from musebench_tasks.assembly.sheet import Faults
from musebench_tasks.assembly.source_checks import add_row_faults, read_source, source_drafts
from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.records import Record, TaskConfig
from musebench_tasks.base.resources import demo_directory, resource
from musebench_tasks.base.text import few
from musebench_tasks.items import load_items, load_references
from musebench_tasks.items.files import data_files
from musebench_tasks.tasks import load_task

CARD_TEMPLATE = Path(__file__).parent / "templates" / "card.md.jinja"
PLATFORM_ID = "platform_id"


class BuildSettings(Record):
    """How a dataset is built."""

    media: MediaSettings = MediaSettings()
    links: bool = False
    """Media stay links: the repo says where they are and how to know them again."""
    fetch_with: str | None = None
    """Program that fetches media which are not here, with {platform_id} and {out} in it."""
    force: bool = False
    """Whether a repo that is there already may be replaced."""
    processes: int = 1
    version: str | None = None


class Built(NamedTuple):
    """What came of a build."""

    directory: Path
    rows: int
    media: int
    data_sha256: str
    references_sha256: str
    version: str
    notes: tuple[str, ...]
    """What is worth knowing, one line each: legal, but seldom wanted."""


def build_dataset(
    source: Path,
    directory: Path,
    target: str | TaskConfig,
    settings: BuildSettings,
    about_file: Path | None = None,
    told: Told = lambda what, done, total: None,
) -> Built:
    """Build a dataset repo in `directory` from a folder or table.

    `target`: musebench, hummusqa or mub, whose columns the sheet has; or a choice task, which maps them. InputError
    lists what is wrong and writes the table again, with a column `problems`; nothing else is written then.
    """
    refuse_replacing(directory, force=settings.force)
    if source.is_dir() and source.resolve() in directory.resolve().parents:
        raise InputError(f"{directory}: lies in {source}, whose tables are read. Choose an --out beside it.")
    schema, table = read_source(source, target)
    if settings.fetch_with is not None and PLATFORM_ID not in table.columns:
        raise InputError(
            f'{source}: no column "{PLATFORM_ID}" says what --fetch-with is to fetch. Add it, or leave the flag out.'
        )
    about = _about(directory, source, about_file, settings.version)
    faults = Faults(table)
    may_lack = settings.links or settings.fetch_with is not None
    drafts = source_drafts(schema, target, table, about, faults, may_lack=may_lack)
    with tempfile.TemporaryDirectory(prefix="musebench-build-") as work:
        media = MediaRows(schema, faults, settings.media, Path(work), settings.processes, links=settings.links)
        try:
            timed = media.timed(media.fetched(drafts, settings.fetch_with))
            flags = add_row_faults(schema, timed, about, faults)
            faults.refuse(directory)
            rows = media.made(timed, told)
            schema = linked_schema(schema) if settings.links else schema
            write_repository(directory, schema, rows, _card(schema, about, rows), about=about)
        finally:
            media.close()
    if settings.media.mode == "keep" and settings.media.cut:
        faults.notes.append("--media keep keeps whole files: windows that --cut takes out are encoded anew")
    if settings.fetch_with is not None and not media.fetched_count:
        faults.notes.append("--fetch-with fetched nothing: every medium is here already")
    notes = (*faults.notes, *_notes(about, rows, media.missing), *flags)
    return described(directory, target, len(rows), media.count, notes)


def refuse_replacing(directory: Path, *, force: bool) -> None:
    """InputError where something lies in `directory` that must not be replaced."""
    refuse_place(directory)
    if directory.is_dir() and any(directory.iterdir()) and not force:
        raise InputError(f"{directory}: is there already. Add --force to replace it, or choose another --out.")


def described(directory: Path, target: str | TaskConfig, rows: int, media: int, notes: Sequence[str] = ()) -> Built:
    """A repo read back as a run reads it, with the hashes that pin it."""
    if isinstance(target, str):
        place = {"dataset_path": str(directory.absolute()), "revision": None}
        task = load_task(target).model_copy(update=place)
    else:
        task = repository_task(target, directory)
    items = load_items(task, offline=True)
    references = load_references(task, offline=True)
    return Built(
        directory, rows, media, items.data_sha256, references.references_sha256, items.version, tuple(notes)
    )  # fmt: skip


def _about(directory: Path, source: Path, file: Path | None, version: str | None) -> About:
    """What is said of a sheet; a dataset without a name is called as its folder, never as the benchmark it is like."""
    said = about_of(source, file)
    return said.model_copy(
        update={"pretty_name": said.pretty_name or directory.name, "version": version or said.version}
    )


def _card(schema: Schema, about: About, rows: Sequence[dict[str, Any]]) -> Card:
    if schema.dataset in SCHEMAS:
        card = default_card(schema.dataset, rows)
    else:
        card = Card(
            pretty_name=about.pretty_name or schema.dataset,
            licenses=row_licenses(rows),
            template=CARD_TEMPLATE,
            tags=("musebench-tasks", "benchmark"),
            task_categories=(f"{schema.media_column}-text-to-text",),
        )
    stated = {"language": about.language, "tags": (*card.tags, *about.keywords)}
    named = {"pretty_name": about.pretty_name} if about.pretty_name else {}
    licensed = {"licenses": (about.license,)} if about.license and len(card.licenses) > 1 else {}
    return card.model_copy(update={**stated, **named, **licensed})


def _notes(about: About, rows: Sequence[Any], missing: Sequence[str]) -> Iterator[str]:
    absent = unsaid(about)
    if absent:
        yield f"{ABOUT_FILE} says nothing of {', '.join(absent)} (under responsible_ai)"
    if missing:
        yield f"{len(missing)} of {len(rows)} rows have no medium that could be looked at: {few(missing)}"


SUFFIX = "_demo"


def is_demo(name: str) -> bool:
    """Whether a source is the name of a bundled demo."""
    return name.endswith(SUFFIX) and name.removesuffix(SUFFIX) in SCHEMAS and not Path(name).exists()


def build_demo(name: str, directory: Path, *, force: bool = False) -> Built:
    """Write the repo of `musebench_demo`, `hummusqa_demo` or `mub_demo` into `directory`."""
    import pyarrow.parquet as pq

    refuse_replacing(directory, force=force)
    dataset = name.removesuffix(SUFFIX)
    files = data_files(demo_directory(dataset), None, "default", "test")[1]
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    card = default_card(dataset, rows, demonstration=True)
    write_repository(directory, SCHEMAS[dataset], rows, card)
    media = {row[SCHEMAS[dataset].media_column]["bytes"] for row in rows}
    return described(directory, name, len(rows), len(media), makers_note(resource("dataset_scripts") / dataset))


def makers_note(folder: Path) -> tuple[str, ...]:
    """Where the program that makes a demo's media is, for those who have the wheel, which does not hold it."""
    if (folder / "make").is_dir():
        return ()
    made = "rows and media are those of the package; the program that makes them anew is"
    return (f"{made} dataset_scripts/{folder.name}/make in the repository of musebench-tasks",)


def build_main(dataset: str, arguments: Sequence[str] | None = None) -> int:
    """Build; returns the exit code. `musebench data build --as NAME` does the same with more choices."""
    parser = argparse.ArgumentParser(description=f"Build the dataset repo of {dataset}.")
    parser.add_argument("source", type=Path, help="folder with a table of the dataset's columns and its media")
    parser.add_argument("directory", type=Path, help="the repo to write")
    parser.add_argument("--force", action="store_true", help="replace the repo that is there")
    chosen = parser.parse_args(arguments)
    try:
        built = build_dataset(chosen.source, chosen.directory, dataset, BuildSettings(force=chosen.force))
    except MuseError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"{built.directory}  {built.rows} rows  data_sha256 {built.data_sha256}")
    return 0
