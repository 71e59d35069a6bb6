"""Folders that are no data set of their owner's are never pushed."""

import shutil
from pathlib import Path

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.hub.dataset import read_folder

SLOW = pytest.mark.slow


@pytest.mark.parametrize("name", ["hummusqa", pytest.param("musebench", marks=SLOW), pytest.param("mub", marks=SLOW)])
def test_a_demonstration_never_takes_a_real_name(tmp_path, name):
    folder = demo_directory(name)
    with pytest.raises(InputError, match="is a demonstration"):
        read_folder(folder, f"ORG/{name}")
    hidden = tmp_path / name
    shutil.copytree(folder, hidden)
    card = hidden / "README.md"
    card.write_text(card.read_text().replace("- demonstration\n", ""))
    with pytest.raises(InputError, match="is a demonstration"):
        read_folder(hidden, f"ORG/{name}")
    assert read_folder(folder, f"ORG/{name}_demo").rows


def test_a_folder_that_is_no_repository_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"has no README.md"):
        read_folder(tmp_path, "ORG/mub")
    (tmp_path / "README.md").write_text("# nothing\n")
    with pytest.raises(InputError, match="declares no `configs`"):
        read_folder(Path(tmp_path), "ORG/mub")
