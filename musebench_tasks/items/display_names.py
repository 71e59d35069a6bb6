"""What messages call a data set's folder."""

from __future__ import annotations

from pathlib import Path

from musebench_tasks.base.files import shown_path
from musebench_tasks.base.resources import resource


def folder_called(directory: Path) -> str:
    """A data set's folder as messages name it: a demonstration by its name, a repository of the Hub by its id, others
    by their path, from the current folder on where they lie in it.
    """
    if directory.is_relative_to(resource("dataset_scripts")) and directory.name.endswith("_demo"):
        return directory.name
    if directory.parent.name == "snapshots":
        return directory.parent.parent.name.removeprefix("datasets--").replace("--", "/")
    return shown_path(directory)


def place_called(called: str) -> str:
    """What `folder_called` gives, inside a sentence."""
    return "the current folder" if called == "." else called
