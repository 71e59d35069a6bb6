import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.pages import write_page


def test_a_page_is_made_fit_and_replaces_the_old(tmp_path):
    path = tmp_path / "a" / "index.html"
    write_page(path, ["old"])
    write_page(path, ("x" * 1000 for _ in range(200)))
    assert path.read_text() == "x" * 200_000
    write_page(path, ["<p>\x00", "\ud83d", "é</p>"])
    assert path.read_text() == "<p>␀�é</p>"
    assert [each.name for each in path.parent.iterdir()] == ["index.html"]


def test_an_interrupted_page_leaves_the_old_one(tmp_path):
    def pieces():
        yield "new"
        raise InputError("no")

    write_page(tmp_path / "index.html", ["old"])
    with pytest.raises(InputError, match="no"):
        write_page(tmp_path / "index.html", pieces())
    assert (tmp_path / "index.html").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_page(tmp_path / "file" / "index.html", ["x"])
