import shutil

import pytest
from fakes.read_page import read_page

from musebench_tasks import api


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A run of `random` on a few items of every demonstration, under two conditions where there are two."""
    folder = tmp_path_factory.mktemp("runs") / "friday"
    tasks = ["musebench_demo", "hummusqa_demo", "mub_demo"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "musebench-cache"))
        api.run(tasks=tasks, model="random", out=folder, limit=12, conditions=["full", "no_audio", "silence"])
    return folder


@pytest.fixture
def run(built, tmp_path):
    """A copy of that run, to be changed."""
    folder = tmp_path / "friday"
    shutil.copytree(built, folder)
    return folder


@pytest.fixture
def page_of():
    """The tree of a written page."""
    return lambda path: read_page(path.read_text())
