"""The file that was meant where one is not there, for one name as for thousands."""

import pytest

from musebench_tasks.items import nearest_file
from musebench_tasks.items.nearest_file import MOST_GUESSES, NearestFiles


@pytest.fixture
def folder(tmp_path):
    for name in ("clips/One.wav", "clips/two.flac", "Müller.wav"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Clips/one .wav", "clips/One.wav"),
        ("clips/twoo.flac", "clips/two.flac"),
        ("clips/two.wav", "clips/two.flac"),
        ("Muller.wav", "Müller.wav"),
        ("clips", None),
        ("clips/quite another", None),
        ("elsewhere/One.wav", None),
        ("../One.wav", None),
    ],
)
def test_slips_are_seen_through(folder, name, meant):
    assert NearestFiles(folder).hint(name) == (f' (nearest: "{meant}")' if meant else "")


def test_many_missing_files_are_not_each_compared_with_all(folder, monkeypatch):
    compared = []
    monkeypatch.setattr(nearest_file, "closest", lambda name, known: compared.append(name))
    files = NearestFiles(folder)
    assert {files.hint(f"clips/{number}.wav") for number in range(1000)} == {""}
    assert len(compared) == MOST_GUESSES
    assert files.hint("clips/ONE.wav") == ' (nearest: "clips/One.wav")', "case, blanks and accents cost nothing"


def test_a_folder_is_listed_once(folder, monkeypatch):
    files = NearestFiles(folder)
    files.hint("clips/one.wav")
    monkeypatch.setattr(type(folder), "iterdir", None)
    assert files.hint("clips/ONE.wav") == ' (nearest: "clips/One.wav")'
