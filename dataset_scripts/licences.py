"""Whose the media of the demonstrations are: `python -m dataset_scripts.licences`, the second table of docs/demo.md."""

import sys
from collections.abc import Iterator

from musebench_tasks.base.records import Item
from musebench_tasks.items import load_items
from musebench_tasks.tasks import load_task

RENDERED = "old tunes, arranged and rendered by this project; the tune of each stands in DATA_LICENSES.md"
MUSIC = ("hummusqa_demo", "mub_demo")
RENDERED_LICENCE = "CC0-1.0"


def medium(item: Item) -> str:
    """The name of an item's medium: that of its file inside the Parquet, without the suffix."""
    return item.id.split("-")[0]


def owner(task_name: str, item: Item) -> tuple[str, str]:
    """Licence and owner of an item's medium."""
    if task_name in MUSIC:
        return item.license or RENDERED_LICENCE, RENDERED
    return item.license or "", item.attribution or ""


def table(task_names: tuple[str, ...] = ("musebench_demo", *MUSIC)) -> str:
    """A row for each licence and owner, with every medium of theirs."""
    return "\n".join(["| demonstration | licence | whose | media |", "|---|---|---|---|", *_rows(task_names)])


def _rows(task_names: tuple[str, ...]) -> Iterator[str]:
    for name in task_names:
        media: dict[tuple[str, str], dict[str, None]] = {}
        for item in load_items(load_task(name)).items:
            media.setdefault(owner(name, item), {})[medium(item)] = None
        for (licence, whose), names in sorted(media.items()):
            yield f"| {name} | {licence} | {whose} | {', '.join(f'`{each}`' for each in names)} |"


if __name__ == "__main__":
    print(table())
    sys.exit(0)
