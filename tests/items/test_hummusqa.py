"""HumMusQA: the published columns as they are, from a folder or from the Hub."""

import io
import wave

import huggingface_hub
import pytest
from huggingface_hub import errors

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.records import option_id, shuffled_order
from musebench_tasks.items import errata_file, load_items, load_references
from musebench_tasks.items.attach import fit_window
from musebench_tasks.tasks import load_task

from .conftest import card, write_parquet

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def silence(seconds):
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 1, 8000, 0, "NONE", ""))
        file.writeframes(b"\x80" * int(8000 * seconds))
    return {"bytes": buffer.getvalue(), "path": "a.wav"}


def published_row(number, audio_s=90, start="0:30", end="1:15"):
    return {
        "identifier": f"q{number}",
        "audio": silence(audio_s),
        "question": "Which instrument enters?",
        "answer": "Oboe",
        "distractor_1": "Horn",
        "distractor_2": "Harp",
        "distractor_3": "Viola",
        "main_category": "Instrumentation",
        "secondary_categories": "Melody",
        "difficulty": "Low",
        "excerpt_start_time": start,
        "excerpt_end_time": end,
        "song_link": "https://example.org",
        "jamendo_id": "77",
        "song_name": "secret song",
        "artist_name": "secret artist",
        "album_name": "secret album",
        "song_license_url": "https://example.org/licence",
    }


def write_published(directory, rows):
    write_parquet(directory / "data" / "test-00000-of-00001.parquet", rows, "audio")
    (directory / "README.md").write_text(card(default="data/test-*"))


def test_published_rows_become_items_without_titles_or_gold(here):
    write_published(here / "hummusqa", [published_row(1)])
    loaded = load_items(load_task("hummusqa"))
    item = loaded.items[0]
    assert (item.id, item.benchmark, item.cluster_id) == ("q1", "hummusqa", "77")
    assert (item.category, item.difficulty) == ("Instrumentation", "Low")
    assert "secret" not in item.canonical_json()
    ids = [option_id("q1", text) for text in ("Oboe", "Horn", "Harp", "Viola")]
    assert item.option_ids == shuffled_order("q1", 0, ids)
    assert load_references(load_task("hummusqa")).references["q1"].answer == (ids[0],)


def test_a_blind_configuration_gives_the_same_items(here):
    directory = here / "hummusqa"
    write_published(directory, [published_row(1), published_row(2)])
    task = load_task("hummusqa")
    published = load_items(task)
    gold = load_references(task)
    blind, references = [], []
    for number, item in enumerate(published.items, start=1):
        row = published_row(number)
        kept = {name: cell for name, cell in row.items() if name != "answer" and not name.startswith("distractor")}
        blind.append(kept | {"options": [option.model_dump() for option in item.options]})
        references.append({"identifier": row["identifier"], "answer": row["answer"]})
    write_parquet(directory / "blind" / "test-00000-of-00001.parquet", blind, "audio")
    write_parquet(directory / "references" / "test-00000-of-00001.parquet", references)
    (directory / "README.md").write_text(
        card(default="data/test-*", blind="blind/test-*", references="references/test-*")
    )
    assert load_items(task).data_sha256 == published.data_sha256
    assert load_references(task) == gold


def test_audio_is_whole_or_cut_as_its_duration_says(here):
    rows = [published_row(1, audio_s=90), published_row(2, audio_s=45), published_row(3, audio_s=60)]
    write_published(here / "hummusqa", rows)
    windows = [(item.start_s, item.end_s) for item in load_items(load_task("hummusqa")).items]
    assert windows == [(30, 75), (0, 45), (30, 75)]


@pytest.mark.parametrize(
    ("start", "end", "duration", "window"),
    [
        (0.0, 45.0, 45.0, (0.0, 45.0)),
        (30.0, 75.0, 75.0, (30.0, 75.0)),
        (30.0, 75.0, 74.97, (30.0, 75.0)),
        (30.0, 75.0, 45.8, (0.0, 45.0)),
        (30.0, 75.0, 44.3, (0.0, 44.3)),
        (30.0, 75.0, 47.0, (30.0, 75.0)),
        (30.0, 75.0, None, (30.0, 75.0)),
        (30.0, None, 45.0, (30.0, None)),
    ],
)
def test_the_window_inside_a_medium(start, end, duration, window):
    assert fit_window(start, end, duration) == window


@pytest.fixture
def hub(here, monkeypatch):
    """A Hub with one dataset; `calls` holds what was asked of it."""
    snapshot = here.parent / "hub" / "snapshots" / COMMIT
    write_published(snapshot, [published_row(1)])
    calls = []

    def snapshot_download(repo_id, **options):
        calls.append((repo_id, options))
        return str(snapshot)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    return calls


def test_without_a_folder_the_public_set_comes_from_the_hub(hub):
    loaded = load_items(load_task("hummusqa"))
    assert loaded.source == f"hf://datasets/mtg-upf/HumMusQA@{COMMIT}"
    assert loaded.version == COMMIT
    assert [each["allow_patterns"] for _, each in hub] == [["README.md"], ["README.md", "manifest.json", "data/test-*"]]
    # The files are those of the commit that the README was read at.
    assert [each["revision"] for _, each in hub] == ["main", COMMIT]
    assert {each["repo_type"] for _, each in hub} == {"dataset"}
    assert load_references(load_task("hummusqa")).references["q1"].answer


def test_a_folder_of_that_name_goes_before_the_hub(hub, here):
    write_published(here / "hummusqa", [published_row(5)])
    assert [item.id for item in load_items(load_task("hummusqa")).items] == ["q5"]
    assert hub == []


def test_offline_reads_the_cache_only(hub):
    load_items(load_task("hummusqa"), offline=True)
    assert all(each["local_files_only"] for _, each in hub)


def test_any_hub_id_may_be_a_dataset_path(hub):
    task = load_task("hummusqa").model_copy(update={"dataset_path": "someone/music-qa", "revision": None})
    loaded = load_items(task)
    assert (loaded.items[0].benchmark, hub[0][0]) == ("music-qa", "someone/music-qa")


def failing(error_class, *arguments):
    error = error_class.__new__(error_class)
    Exception.__init__(error, *arguments or ("the server said so",))
    return error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (failing(errors.GatedRepoError), "asks for its terms to be accepted. Open the page, accept"),
        (failing(errors.RepositoryNotFoundError), "is not there, or is private or gated"),
        (failing(errors.RevisionNotFoundError), 'has no revision "main"'),
        (failing(errors.LocalEntryNotFoundError), "is not in the cache, and the Hub is out of reach"),
        (failing(errors.OfflineModeIsEnabled), "is not in the cache, and the Hub is out of reach"),
        (OSError("no route"), "cannot be fetched now (no route)"),
    ],
)
def test_what_the_hub_refuses_is_explained_with_the_page(here, monkeypatch, error, message):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    with pytest.raises(MuseError) as caught:
        load_items(load_task("hummusqa"))
    assert str(caught.value).startswith(f"https://huggingface.co/datasets/mtg-upf/HumMusQA: {message}")


def test_offline_with_an_empty_cache_is_explained(here, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(here / "empty"))
    with pytest.raises(InputError, match="is not in the cache"):
        load_items(load_task("hummusqa"), offline=True)


def test_errata_are_fetched_at_the_commit_of_the_data_only_when_they_are_asked_for(hub, here):
    task = load_task("hummusqa")
    load_items(task)
    assert not any("errata.yaml" in each["allow_patterns"] for _, each in hub)
    assert errata_file(task) is None
    assert (hub[-1][1]["allow_patterns"], hub[-1][1]["revision"]) == (["errata.yaml"], COMMIT)
    assert all(each["allow_patterns"] for _, each in hub)
    file = here.parent / "hub" / "snapshots" / COMMIT / "errata.yaml"
    file.write_text("retired: []\n")
    assert errata_file(task) == file
