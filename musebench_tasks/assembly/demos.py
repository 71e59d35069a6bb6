"""The bundled demos as sources: a demo is written anew from its own rows and media."""

from __future__ import annotations

from pathlib import Path

from musebench_tasks.assembly.cards import default_card
from musebench_tasks.assembly.making import Built, described, refuse_replacing
from musebench_tasks.assembly.repository import write_repository
from musebench_tasks.assembly.schemas import SCHEMAS
from musebench_tasks.base.resources import demo_directory, resource
from musebench_tasks.items.files import data_files

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
