"""Built repositories: which configuration is read, what an item holds, and the hashes that pin it."""

import hashlib

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind
from musebench_tasks.items import load_items, load_references, media_index
from musebench_tasks.tasks import load_task

from .conftest import card, clip, musebench_row, write_musebench, write_parquet

ROWS = [musebench_row(2, "multi", (1, 3)), musebench_row(1), musebench_row(3, category="Cinematic")]


def test_an_item_holds_its_row_and_no_gold(musebench):
    loaded = load_items(musebench(ROWS))
    item = loaded.items[0]
    assert [each.id for each in loaded.items] == ["mb-1", "mb-2", "mb-3"]
    assert (item.benchmark, item.kind, item.cluster_id, item.category) == ("musebench", Kind.SINGLE, "video-0", "Game")
    assert [option.text for option in item.options] == [f"option {letter}" for letter in "pqrst"]
    assert (item.media.row, item.media.column) == (1, "video")
    assert item.media.sha256 == hashlib.sha256(clip(1)["bytes"]).hexdigest()
    assert "secret" not in item.canonical_json()
    assert (loaded.version, loaded.source) == ("1.2", "musebench")


def test_references_hold_option_ids_in_stored_order(musebench):
    loaded = load_references(musebench(ROWS))
    options = ROWS[0]["options"]
    assert loaded.references["mb-2"].answer == (options[1]["id"], options[3]["id"])
    assert list(loaded.references) == ["mb-1", "mb-2", "mb-3"]


def test_the_hashes_do_not_depend_on_configuration_order_or_place(here):
    everything = load_task("musebench")
    write_musebench(here / "musebench", ROWS)
    first = load_items(everything), load_references(everything)
    write_musebench(here / "musebench", ROWS[::-1], ("default",))
    second = load_items(everything), load_references(everything)
    write_musebench(here / "elsewhere", ROWS)
    moved = load_items(everything.model_copy(update={"dataset_path": str(here / "elsewhere")}))
    assert first[0].data_sha256 == second[0].data_sha256 == moved.data_sha256
    assert first[1].references_sha256 == second[1].references_sha256


@pytest.mark.parametrize("change", [{"question": "Another?"}, {"video": {"bytes": b"another", "path": "1.mp4"}}])
def test_the_data_hash_covers_words_and_media(musebench, change):
    before = load_items(musebench(ROWS)).data_sha256
    assert load_items(musebench([ROWS[0], ROWS[1] | change, ROWS[2]])).data_sha256 != before


def test_gold_changes_only_the_references_hash(musebench):
    task = musebench(ROWS)
    items, gold = load_items(task), load_references(task)
    task = musebench([ROWS[0], musebench_row(1, answer=(2,)), ROWS[2]])
    assert load_items(task).data_sha256 == items.data_sha256
    assert load_references(task).references_sha256 != gold.references_sha256


def test_a_benchmark_with_private_gold_has_items_but_no_references(musebench):
    task = musebench(ROWS, ("blind",))
    assert len(load_items(task).items) == 3
    with pytest.raises(InputError, match=r"musebench: publishes no gold"):
        load_references(task)


def test_a_filter_keeps_items_and_their_references(here):
    write_musebench(here / "musebench", ROWS)
    task = load_task("musebench_cinematic")
    assert [item.id for item in load_items(task).items] == ["mb-3"]
    assert list(load_references(task).references) == ["mb-3"]
    with pytest.raises(
        InputError,
        match=r'^musebench: no row has the category "Stage Performing"\. Correct `filter` in the task musebench_stage',
    ):
        load_items(load_task("musebench_stage"))
    both = task.model_copy(update={"filter": {"category": "Cinematic", "id": "mb-1"}})
    with pytest.raises(InputError, match=r"no row passes the filter \{'category': 'Cinematic', 'id': 'mb-1'\}"):
        load_items(both)


def test_media_are_hashed_once(musebench, monkeypatch):
    task = musebench(ROWS)
    first = load_items(task)
    monkeypatch.setattr(media_index, "_cells", lambda *_: pytest.fail("hashed again"))
    assert load_items(task) == first


def test_a_changed_file_is_hashed_again(here):
    task = load_task("musebench")
    write_musebench(here / "musebench", ROWS)
    before = load_items(task).items[0].media.sha256
    write_musebench(here / "musebench", [row | {"video": clip(9)} for row in ROWS])
    assert load_items(task).items[0].media.sha256 != before


def test_a_damaged_index_is_made_again(musebench, tmp_path):
    task = musebench(ROWS)
    first = load_items(task)
    for path in (tmp_path / "cache" / "index").iterdir():
        path.write_text("{")
    assert load_items(task) == first


def test_one_wrong_digit_in_the_index_is_noticed(musebench, tmp_path):
    task = musebench(ROWS)
    first = load_items(task)
    for path in (tmp_path / "cache" / "index").iterdir():
        digits = first.items[0].media.sha256
        path.write_text(path.read_text().replace(digits, digits[::-1]))
    assert load_items(task) == first


def test_a_medium_that_is_not_there_leaves_the_hash_open(musebench):
    task = musebench([ROWS[0], ROWS[1] | {"video": {"bytes": None, "path": "gone.mp4"}}])
    assert [item.media.sha256 is None for item in load_items(task).items] == [True, False]


@pytest.mark.parametrize("cell", [None, {"bytes": None, "path": None}, {"bytes": None, "path": ""}])
def test_a_row_without_its_medium_is_told(musebench, cell):
    task = musebench([ROWS[0] | {"video": cell}, ROWS[1], ROWS[2] | {"question": ""}])
    with pytest.raises(InputError) as caught:
        load_items(task)
    assert str(caught.value).splitlines() == [
        'musebench/blind/test-00000-of-00001.parquet row 3, column "question": is empty. Fill it.',
        'musebench/blind/test-00000-of-00001.parquet row 1, column "video": is empty. Fill it.',
    ]


def test_data_are_found_in_the_data_folder(here, monkeypatch):
    write_musebench(here / "data" / "musebench", ROWS)
    monkeypatch.setenv("MUSEBENCH_DATA", str(here / "data"))
    assert len(load_items(load_task("musebench")).items) == 3


def test_a_task_without_data_says_how_to_place_them_and_never_takes_the_demo(here):
    for name in ("musebench", "mub"):
        with pytest.raises(
            InputError, match=rf"the data of {name} are not here.*\./{name}, or set MUSEBENCH_DATA"
        ) as caught:
            load_items(load_task(name))
        assert "\n" not in str(caught.value)


def test_a_dataset_path_that_is_nothing_is_an_error(here):
    task = load_task("musebench").model_copy(update={"dataset_path": "no/such/place"})
    with pytest.raises(InputError, match=r'dataset_path "no/such/place" is no folder here'):
        load_items(task)


def test_the_split_must_exist(musebench):
    task = musebench(ROWS).model_copy(update={"test_split": "tset"})
    with pytest.raises(InputError, match=r'configuration "blind" has no split "tset" \(nearest: test\)\. It has: test'):
        load_items(task)


def test_an_unknown_configuration_is_named(musebench):
    task = musebench(ROWS).model_copy(update={"dataset_name": "blnd"})
    with pytest.raises(InputError, match=r'no configuration "blnd" \(nearest: blind\)\. It has: default, blind, ref'):
        load_items(task)


def test_a_missing_shard_is_noticed(here):
    write_musebench(here / "musebench", ROWS)
    for name in ("blind", "default"):
        path = here / "musebench" / name / "test-00000-of-00001.parquet"
        path.rename(path.with_name("test-00000-of-00002.parquet"))
    with pytest.raises(InputError, match=r"blind/test-\*: 1 of 2 files are missing \(the first: number 00001\)"):
        load_items(load_task("musebench"))


def test_a_card_cannot_name_files_outside_its_folder(here):
    write_musebench(here / "musebench", ROWS)
    (here / "musebench/README.md").write_text(card(default="../*.parquet"))
    with pytest.raises(InputError, match=r'"\.\./\*\.parquet" leaves the dataset\'s folder'):
        load_items(load_task("musebench"))


def test_rows_in_several_files_are_one_table(here):
    for number, row in enumerate(ROWS):
        write_parquet(here / f"musebench/default/test-0000{number}-of-00003.parquet", [row], "video")
    (here / "musebench/README.md").write_text(card(default="default/test-*"))
    items = load_items(load_task("musebench")).items
    assert [item.media.row for item in items] == [0, 0, 0]
    assert len({item.media.path for item in items}) == 3
