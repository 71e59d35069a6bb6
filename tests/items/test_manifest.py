"""The manifest of a published repository: which files are not the ones that were sent."""

import hashlib
import os

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.items.manifest import MANIFEST, FileEntry, Manifest, needs_manifest, read_manifest, wrong_files

TEXTS = {"README.md": b"# A set\n", "blind/test.parquet": b"rows", "empty": b""}


@pytest.fixture
def folder(tmp_path):
    for name, content in TEXTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.fixture
def manifest():
    entries = {name: FileEntry(sha256=hashlib.sha256(text).hexdigest(), size=len(text)) for name, text in TEXTS.items()}
    return Manifest(files=entries)


def wrong(folder, manifest, *, remember):
    return dict(wrong_files(folder, manifest, [*TEXTS, MANIFEST], remember=remember))


@pytest.mark.parametrize("remember", [False, True])
def test_files_as_they_were_sent_are_right_and_the_manifest_names_itself_nowhere(folder, manifest, remember):
    assert wrong(folder, manifest, remember=remember) == {}


@pytest.mark.parametrize("remember", [False, True])
@pytest.mark.parametrize("content", [b"r0ws", b"row", b"", None])
def test_a_file_that_is_another_is_told(folder, manifest, remember, content):
    path = folder / "blind" / "test.parquet"
    path.unlink() if content is None else path.write_bytes(content)
    (found,) = wrong(folder, manifest, remember=remember).items()
    assert found[0] == "blind/test.parquet"
    assert found[1].startswith(f"is not the file that {MANIFEST} names (SHA-256 ")


def test_a_file_that_nobody_sent_is_told(folder, manifest):
    fewer = manifest.model_copy(update={"files": {name: manifest.files[name] for name in ("README.md", "empty")}})
    assert wrong(folder, fewer, remember=False) == {"blind/test.parquet": f"is not in {MANIFEST}"}


def test_what_was_right_is_looked_at_again_once_it_was_written_to(folder, manifest):
    path = folder / "blind" / "test.parquet"
    assert wrong(folder, manifest, remember=True) == {}
    path.write_bytes(b"r0ws")
    os.utime(path, (1, 1))
    assert list(wrong(folder, manifest, remember=True)) == ["blind/test.parquet"]


def test_a_manifest_is_read_as_it_was_written(folder, manifest):
    (folder / MANIFEST).write_text(manifest.text(), encoding="utf-8")
    assert read_manifest(folder / MANIFEST) == manifest
    assert manifest.text().count("\n") > len(TEXTS)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"files": {"a": {"sha256": 5}}}', b"\xff", None])
def test_what_is_no_manifest_is_told(tmp_path, content):
    if content is not None:
        (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(InputError, match=f"{MANIFEST}: is no manifest of this version. Fetch or push"):
        read_manifest(tmp_path / MANIFEST)


@pytest.mark.parametrize(
    ("head", "is_ours"),
    [
        ("tags: [musebench-tasks, benchmark]", True),
        ("tags: [music]", False),
        ("tags: musebench-tasks", False),
        ("license: mit", False),
        ("tags: [", False),
        (None, False),
    ],
)
def test_who_says_that_this_package_made_it_needs_one(tmp_path, head, is_ours):
    if head is not None:
        (tmp_path / "README.md").write_text(f"---\n{head}\n---\n# A set\n", encoding="utf-8")
    assert needs_manifest(tmp_path) is is_ours
