import errno
import fcntl

import pytest

from musebench_tasks.base.errors import MuseError
from musebench_tasks.inference.locks import locked


def test_a_file_system_without_locks_is_told_with_what_helps(tmp_path, monkeypatch):
    def refuse(file, how):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(MuseError, match=r"\.lock: the file system has no locks.*-o flock"), locked(tmp_path / ".lock"):
        pass


def test_a_place_that_is_no_folder_is_told(tmp_path):
    (tmp_path / "run").write_text("a file")
    with pytest.raises(MuseError, match="cannot be written"), locked(tmp_path / "run" / ".lock"):
        pass
