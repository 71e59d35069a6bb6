"""Media below a folder: nothing that lies there is passed over without a word."""

import os
from pathlib import Path

import pytest

from musebench_tasks.assembly.media_checks import look_through
from musebench_tasks.assembly.media_findings import line_of
from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.records import MediaSource
from musebench_tasks.media import unpack
from musebench_tasks.media.sniff import refuse_what_is_no_medium

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
ANNEX = b"/annex/objects/SHA256E-s9--00.mp4\n"


def lay(place, files):
    for name, content in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(content)


def test_media_files_are_found_by_name_or_content(tmp_path):
    lay(
        tmp_path,
        {"a.mp4": b"", "deep/b.WAV": b"?", "c.bin": b"OggS", "notes.txt": b"text", ".hidden/d.mp4": b"", ".e.mp4": b""},
    )
    files, findings = look_through(tmp_path)
    assert ([each.name for each in files], findings) == (["a.mp4", "c.bin", "b.WAV"], [])


def test_pointers_are_looked_at_whatever_their_names(tmp_path):
    lay(tmp_path, {"rows.parquet": LFS, "film": ANNEX})
    files, _ = look_through(tmp_path)
    assert [each.name for each in files] == ["film", "rows.parquet"]
    for content, said in ((LFS, "Run `git lfs pull`."), (ANNEX, "Run `git annex get`.")):
        with pytest.raises(MediaError, match=said):
            refuse_what_is_no_medium(content, "film")


def test_links_to_nothing_stop_and_links_to_folders_are_followed_once(tmp_path):
    place = tmp_path / "media"
    lay(tmp_path, {"elsewhere/a.mp4": b""})
    place.mkdir()
    (place / "gone.mp4").symlink_to("/nowhere/gone.mp4")
    (place / "annexed").symlink_to("../.git/annex/objects/x1/SHA256E-s9--00.mp4")
    (place / "folder").symlink_to(tmp_path / "elsewhere")
    (place / "loop").symlink_to(place)
    (place / "self.mp4").symlink_to("self.mp4")
    files, findings = look_through(place)
    assert [each.relative_to(place) for each in files] == [Path("folder/a.mp4")]
    assert [line_of(each) for each in findings[:2]] == [
        "stop  annexed: media_unavailable: git-annex has not fetched it. "
        "Run `git annex get` on it, or take its items out.",
        'stop  gone.mp4: media_unavailable: a link to "/nowhere/gone.mp4", where nothing lies. '
        "Put the file there, or remove the link.",
    ]
    assert [each.place for each in findings[2:]] == ["self.mp4"]


def test_what_may_not_be_read_stops(tmp_path, monkeypatch):
    lay(tmp_path, {"a.mp4": b"", "b": b"", "c/d.mp4": b"", "e.wav": b"RIFF"})
    opened, listed = Path.open, os.scandir

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(
        Path, "open", lambda path, *rest: refuse(path) if path.name in ("a.mp4", "b") else opened(path, *rest)
    )
    monkeypatch.setattr(os, "scandir", lambda path: refuse(path) if str(path).endswith("c") else listed(path))
    files, findings = look_through(tmp_path)
    assert [each.name for each in files] == ["e.wav"]
    assert [(each.place, each.code, each.effect) for each in findings] == [
        ("a.mp4", "unreadable", "stop"),
        ("b", "unreadable", "stop"),
        ("c", "unreadable", "stop"),
    ]
    assert findings[2].found == "the folder cannot be read (Permission denied)."


def test_a_medium_of_a_task_that_may_not_be_read_is_unavailable(tmp_path, monkeypatch):
    lay(tmp_path, {"a.mp4": b"?"})
    source = MediaSource(path=str(tmp_path / "a.mp4"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(MediaError, match=r"a\.mp4: it may not be read"):
        unpack.media_sha256(source)
    monkeypatch.setattr(Path, "is_file", lambda path: (_ for _ in ()).throw(PermissionError()))
    with pytest.raises(MediaError, match=r"a\.mp4: no file lies at"):
        unpack.media_sha256(source)
