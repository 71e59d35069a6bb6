import os
from pathlib import Path

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Item, Kind, MediaSource
from musebench_tasks.pages import MediaFolder
from musebench_tasks.pages import media_folder as module

WAV = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(28)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)


@pytest.fixture
def item_of(tmp_path):
    def make(content, name="clip", **fields):
        path = tmp_path / name
        path.write_bytes(content)
        return Item(
            id="i", benchmark="b", kind=Kind.SINGLE, media=MediaSource(path=str(path)), cluster_id="c", **fields
        )

    return make


def test_a_medium_lies_beside_the_page_once(tmp_path, item_of):
    folder = MediaFolder(tmp_path / "page")
    first = folder.medium(item_of(WAV, start_s=3.0, end_s=18.125), is_film=False)
    second = folder.medium(item_of(WAV, "copy"), is_film=False)
    files = list((tmp_path / "page" / "media").iterdir())
    assert [file.suffix for file in files] == [".wav"]
    assert first.address == second.address == f"media/{files[0].name}"
    assert (first.element, first.window, first.label) == ("audio", "#t=3,18.125", "sound, 3 s to 18.1 s")
    assert second.window == ""
    assert files[0].stat().st_nlink == 2


def test_a_medium_that_lies_there_is_not_read_again(tmp_path, item_of, monkeypatch):
    item = item_of(WAV)
    placed = MediaFolder(tmp_path / "page").medium(item, is_film=False)
    digest = placed.address.removeprefix("media/").removesuffix(".wav")
    known = item.model_copy(update={"media": MediaSource(path="/nowhere", sha256=digest)})
    assert MediaFolder(tmp_path / "page").medium(known, is_film=False) == placed


def test_without_hard_links_media_are_copied(tmp_path, item_of, monkeypatch):
    def refuse(*_):
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    medium = MediaFolder(tmp_path / "page").medium(item_of(WAV), is_film=False)
    assert (tmp_path / "page" / medium.address).read_bytes() == WAV


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "no file lies at"), (b"", "0 bytes"), (b"<!doctype html>", "web page")]
)
def test_a_missing_medium_leaves_a_note_and_no_folder(content, reason, tmp_path, item_of):
    item = item_of(content or b"")
    if content is None:
        Path(item.media.path).unlink()
    folder = MediaFolder(tmp_path / "page")
    medium = folder.medium(item, is_film=True)
    assert reason in medium.missing
    assert medium.address is None
    assert folder.n_missing == 1
    assert not (tmp_path / "page").exists()


@pytest.mark.parametrize(("content", "is_film", "element"), [(WAV, True, "audio"), (PNG, True, "picture")])
def test_the_element_follows_from_what_the_file_is(content, is_film, element, tmp_path, item_of):
    assert MediaFolder(tmp_path / "page").medium(item_of(content), is_film=is_film).element == element


def test_embedded_media_are_data_urls_and_touch_no_disk(tmp_path, item_of):
    folder = MediaFolder(tmp_path / "page", embed=True)
    medium = folder.medium(item_of(WAV), is_film=False)
    folder.medium(item_of(WAV, "copy"), is_film=False)
    embedded = {digest: "".join(pieces) for digest, pieces in folder.embedded()}
    assert list(embedded) == [medium.embedded]
    assert embedded[medium.embedded].startswith("data:audio/wav;base64,UklGR")
    assert medium.address is None
    assert not (tmp_path / "page").exists()


def test_too_much_to_embed_says_what_to_do(tmp_path, item_of, monkeypatch):
    monkeypatch.setattr(module, "EMBED_LIMIT_BYTES", 10)
    folder = MediaFolder(tmp_path / "page", embed=True)
    folder.medium(item_of(WAV), is_film=False)
    with pytest.raises(InputError, match="Leave --embed away"):
        list(folder.embedded())


def test_media_of_an_earlier_page_are_removed_and_nothing_else(tmp_path, item_of):
    page = tmp_path / "page"
    MediaFolder(page).medium(item_of(WAV), is_film=False)
    earlier = next((page / "media").iterdir())
    notes = [page / "media" / name for name in ("notes.wav", f"{'a' * 64}.txt", f"{'b' * 63}.wav")]
    for each in notes:
        each.write_text("mine")
    now = MediaFolder(page)
    medium = now.medium(item_of(PNG), is_film=False)
    assert earlier.exists()
    now.remove_others()
    assert sorted((page / "media").iterdir()) == sorted([*notes, page / medium.address])


def test_a_page_that_holds_its_media_leaves_no_folder(tmp_path, item_of):
    page = tmp_path / "page"
    MediaFolder(page).medium(item_of(WAV), is_film=False)
    embedding = MediaFolder(page, embed=True)
    embedding.medium(item_of(WAV), is_film=False)
    embedding.remove_others()
    assert not (page / "media").exists()
