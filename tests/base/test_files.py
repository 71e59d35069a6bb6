"""Where a file cannot be written, the advice follows from why; and what files are called after names of others."""

import errno
import os
import shutil
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import musebench_tasks
from musebench_tasks.api.resolve import run_name
from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.files import LONGEST_NAME, folder_name, link_or_copy, not_read, write_text
from musebench_tasks.base.records import Suite, submission_path
from musebench_tasks.harnesses.exports.every_eval_ever import model_id
from musebench_tasks.hub.results import file_name
from musebench_tasks.inference.run_folder import task_folder
from musebench_tasks.models import model_slug
from musebench_tasks.pages.text import write_page
from musebench_tasks.reports.table_files import file_stem

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


@pytest.mark.parametrize(
    ("cause", "advice"),
    [
        (errno.ENOENT, "Correct the path."),
        (errno.EISDIR, "Give a file in it."),
        (errno.EACCES, "Let yourself read it, or give another."),
        (errno.EIO, "Let yourself read it, or give another."),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_do(cause, advice):
    told = str(not_read(Path("x"), OSError(cause, os.strerror(cause), "x")))
    assert told == f"x: cannot be read ({os.strerror(cause)}). {advice}"


def test_no_other_module_words_it_anew():
    """But for the standard output, which has no path."""
    package = Path(musebench_tasks.__file__).parent
    worded = (path for path in package.rglob("*.py") if "cannot be written ({" in path.read_text(encoding="utf-8"))
    assert {path.relative_to(package).as_posix() for path in worded} == {"base/files.py", "cli/__init__.py"}


ODD = ["", " ", ".", "..", "...", "../../evil", ".hidden", "a.", "nul", "CON.txt", "com1", "x" * 1000, "ü", "通义",
       "文心", "Гига", "Яндекс", "a\0b", "a\nb", "\ud800", "~", "/etc/passwd", "C:\\x", "\u202egnp"]  # fmt: skip
SIGNS = "./\\~aB:- _\x00\n\u202eüéЯя通文\U0001f3bb"
names = st.one_of(st.sampled_from(ODD), st.text(alphabet=SIGNS, max_size=12))
ascii_names = st.text(alphabet="./\\~aB:- _\x00\nnul1", max_size=6)


def is_safe(name):
    """Whether no system takes a name for anything but that of one file that everybody sees."""
    device = name.partition(".")[0].lower() in {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10))}
    signs = all(sign.isascii() and (sign.isalnum() or sign in "._-~") for sign in name)
    return 0 < len(name) <= LONGEST_NAME and signs and name[0] != "." and name[-1] != "." and not device


@pytest.mark.parametrize("name", ODD)
def test_no_name_is_more_than_a_visible_file(name):
    assert is_safe(folder_name(name))


@settings(max_examples=40)
@given(names, names)
def test_other_names_have_other_folders(one, other):
    assert is_safe(folder_name(one))
    if one != other and not (one + other).isascii():
        assert folder_name(one) != folder_name(other)


@given(ascii_names, ascii_names)
@example("..", ".")
@example("nul", "_nul")
@example("a\n", "a_")
@example("x" * 201, "x" * 202)
def test_ascii_shares_a_folder_only_where_signs_differ(one, other):
    if folder_name(one) == folder_name(other):
        assert [sign for sign in one if sign.isalnum()] == [sign for sign in other if sign.isalnum()]
        assert one == other or (one.isprintable() and other.isprintable())


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("random", "random"),
        ("dsp:paper", "dsp_paper"),
        ("python:cee.py:answer", "python_cee.py_answer"),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-08-06"),
        ("transformers:Qwen/Qwen2.5-Omni-7B", "transformers_Qwen_Qwen2.5-Omni-7B"),
        ("Model of a paper (large)", "Model_of_a_paper_large_"),
    ],
)
def test_ordinary_names_are_the_names_of_their_folders(name, folder):
    assert folder_name(name) == folder


def test_no_other_module_makes_names_of_files_of_its_own():
    package = Path(musebench_tasks.__file__).parent
    made = (path for path in package.rglob("*.py") if "[^A-Za-z0-9" in path.read_text(encoding="utf-8"))
    assert [path.relative_to(package).as_posix() for path in made] == ["base/files.py"]


PLACES = {
    "run": (1, lambda name: run_name(Suite(suite=name, tasks=(), models=()))),
    "model": (1, model_slug),
    "run's part": (2, lambda name: task_folder(PurePosixPath(), name, name)),
    "submission": (4, lambda name: submission_path(name, name, "0" * 64, "0" * 64)),
    "table": (1, lambda name: f"{file_stem(name, 'scores')}.csv"),
    "results on the Hub": (1, lambda name: file_name(name, CONDITIONS["noise"])),
    "record": (2, lambda name: model_id(SimpleNamespace(config=_system(name)))),
}
"""What makes a path of a name that a user, a log or a server told, and how many folders deep it leads."""


def _system(name):
    return SimpleNamespace(system=SimpleNamespace(name=name, provider=name))


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=30)
@given(name=names)
def test_whoever_makes_a_path_of_a_name_stays_inside(place, name):
    depth, make = PLACES[place]
    parts = Path(make(name)).parts
    assert len(parts) == depth
    assert all(not part.startswith(".") and part.isascii() and len(part) < 255 for part in parts)
