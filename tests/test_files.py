"""Where a file cannot be written, the advice follows from why, in every room that writes."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from musebench_tasks.errors import InputError, MuseError
from musebench_tasks.files import link_or_copy, write_text
from musebench_tasks.pages.writing import write_page

WRITERS = {
    "text": lambda source, target: write_text(target, "x"),
    "page": lambda source, target: write_page(target, ["x"]),
    "medium": link_or_copy,
}
CAUSES = [
    (errno.ENOSPC, 1, "free some space"),
    (errno.EDQUOT, 1, "free some space"),
    (errno.EACCES, 2, "Choose another place"),
    (errno.EROFS, 2, "Choose another place"),
    (errno.ENAMETOOLONG, 2, "Choose another place"),
]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(("cause", "exit_code", "advice"), CAUSES)
def test_the_advice_follows_from_the_cause(tmp_path, monkeypatch, writer, cause, exit_code, advice):
    def fail(*_, **__):
        raise OSError(cause, os.strerror(cause))

    (tmp_path / "source").write_text("x")
    monkeypatch.setattr(os, "link", fail)
    monkeypatch.setattr(shutil, "copyfile", fail)
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(MuseError) as caught:
        WRITERS[writer](tmp_path / "source", tmp_path / "out" / "target")
    assert caught.value.exit_code == exit_code
    assert advice in str(caught.value)
    assert str(tmp_path / "out" / "target") in str(caught.value)
    assert [each.name for each in (tmp_path / "out").iterdir()] == []


def test_a_medium_that_cannot_be_read_is_blamed_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(errno.EXDEV, "other device")))
    with pytest.raises(InputError, match="gone.wav: cannot be read"):
        link_or_copy(tmp_path / "gone.wav", tmp_path / "out" / "gone.wav")
