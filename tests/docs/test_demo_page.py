"""docs/demo.md: its tables are those that the commands it names print."""

import re

import pytest

from dataset_scripts import licences, shortcuts
from musebench_tasks.items import load_items
from musebench_tasks.tasks import load_task


@pytest.mark.parametrize("made", [shortcuts.table, licences.table], ids=["shortcuts", "licences"])
def test_a_table_is_what_its_command_prints(root, made):
    assert made() in (root / "docs/demo.md").read_text(encoding="utf-8")


def test_every_medium_is_named_with_its_licence_once(root):
    text = (root / "docs/demo.md").read_text(encoding="utf-8")
    for name in ("musebench_demo", "hummusqa_demo", "mub_demo"):
        for item in load_items(load_task(name)).items:
            (row,) = (line for line in text.splitlines() if f"`{licences.medium(item)}`" in line)
            assert f"| {licences.owner(name, item)[0]} |" in row


def test_media_are_named_by_the_files_inside_the_parquet():
    for name in ("musebench_demo", "mub_demo"):
        for item in load_items(load_task(name)).items:
            assert re.fullmatch(r"[0-9a-f]{10,12}", licences.medium(item))
