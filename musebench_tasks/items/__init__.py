"""Items and references: what is asked and what is right, read from folders and from the Hub."""

from musebench_tasks.items.check import DataCheck, check_data
from musebench_tasks.items.load import (
    LoadedItems,
    LoadedReferences,
    data_sha256,
    errata_file,
    load_items,
    load_references,
    references_sha256,
)
from musebench_tasks.items.notes import Notes, load_notes
from musebench_tasks.items.select import quotas, select, select_without

__all__ = [
    "DataCheck",
    "LoadedItems",
    "LoadedReferences",
    "Notes",
    "check_data",
    "data_sha256",
    "errata_file",
    "load_items",
    "load_notes",
    "load_references",
    "quotas",
    "references_sha256",
    "select",
    "select_without",
]
