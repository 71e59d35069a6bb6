"""A repo loads with `datasets`, holds no gold where it must not, and is the same bytes every time."""

import json

import datasets
import pyarrow.parquet as pq
import pytest
import yaml

from musebench_tasks.assembly import SCHEMAS, build_main, dataset_schema, repository, write_repository
from musebench_tasks.assembly.repository import FILE_NAME, ROW_GROUP_BYTES
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import option_id, shuffled_order


@pytest.fixture
def load(monkeypatch, tmp_path):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hub-cache")
    return lambda directory, config: datasets.load_dataset(
        str(directory), config, split="test", cache_dir=str(tmp_path / "hub-cache")
    )


@pytest.fixture
def musebench_repo(tmp_path, card, musebench_row):
    rows = [musebench_row(name) for name in ("b3", "b1", "b2")]
    return write_repository(tmp_path / "musebench_trial", "musebench", rows, card), rows


def test_rows_come_back_as_written(load, musebench_repo):
    directory, rows = musebench_repo
    loaded = load(directory, "default")
    assert [dict(row) for row in loaded] == sorted(rows, key=lambda row: row["id"])
    assert loaded.features["video"] == datasets.Video(decode=False)


@pytest.mark.parametrize("dataset", sorted(SCHEMAS))
def test_features_in_card_and_parquet_are_what_datasets_reads(load, tmp_path, card, request, dataset):
    row = request.getfixturevalue(f"{dataset}_row")()
    directory = write_repository(tmp_path / "trial", dataset, [row], card)
    for config in ("default", "blind", "references"):
        names = [column.name for column in dataset_schema(dataset).config(config)]
        loaded = load(directory, config)
        stored = datasets.Features.from_arrow_schema(pq.read_schema(directory / config / FILE_NAME))
        assert list(loaded.features) == names
        assert loaded.features == stored


def test_media_stay_undecoded_bytes(load, tmp_path, card, mub_row, tone):
    directory = write_repository(tmp_path / "trial", "mub", [mub_row()], card)
    loaded = load(directory, "blind")
    assert loaded[0]["audio"] == {"bytes": tone, "path": "m1.mp3"}
    assert loaded.features["audio"] == datasets.Audio(decode=False)


@pytest.mark.parametrize("dataset", sorted(SCHEMAS))
def test_blind_holds_no_gold_and_references_nothing_else(dataset):
    schema = dataset_schema(dataset)
    gold = {column.name for column in schema.columns if column.is_gold}
    assert not gold & {column.name for column in schema.config("blind")}
    assert {column.name for column in schema.config("references")} <= gold | {schema.id_column}


def test_hummusqa_blind_gives_options_in_the_order_of_run_0(load, tmp_path, card, hummusqa_row):
    directory = write_repository(tmp_path / "trial", "hummusqa", [hummusqa_row()], card)
    options = load(directory, "blind")[0]["options"]
    ids = {option_id("h1", text): text for text in ("Flute", "Oboe", "Clarinet", "Violin")}
    assert [(each["id"], each["text"]) for each in options] == [
        (each, ids[each]) for each in shuffled_order("h1", 0, tuple(ids))
    ]


def test_the_same_rows_in_any_order_give_the_same_bytes(tmp_path, card, mub_row):
    rows = [mub_row(name) for name in ("m1", "m2", "m3")]
    one = write_repository(tmp_path / "one", "mub", rows, card)
    two = write_repository(tmp_path / "two", "mub", rows[::-1], card)
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert len(files) == 6
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in files)


def test_row_groups_hold_what_fits_into_one_and_a_half_megabytes(tmp_path, card, mub_row):
    sizes = {"m1": 700_000, "m2": 700_000, "m3": 400_000, "m4": 2_000_000, "m5": 10}
    rows = [
        mub_row(name, audio={"bytes": name.encode() * (size // 2), "path": f"{name}.mp3"})
        for name, size in sizes.items()
    ]
    directory = write_repository(tmp_path / "trial", "mub", rows, card)
    files = [pq.ParquetFile(path).metadata for path in sorted((directory / "default").iterdir())]
    groups = [[file.row_group(number).num_rows for number in range(file.num_row_groups)] for file in files]
    assert groups == [[2], [1, 1, 1]]  # the first group is a file of its own
    assert pq.read_table(directory / "default").column("id").to_pylist() == sorted(sizes)


def test_a_medium_shared_by_rows_is_stored_once(tmp_path, card, hummusqa_row):
    shared = {"bytes": bytes(range(256)) * 4_000, "path": "clip.mp3"}
    rows = [hummusqa_row(f"h-{number}", audio=shared) for number in range(6)]
    directory = write_repository(tmp_path / "trial", "hummusqa", rows, card)
    path = directory / "default" / FILE_NAME
    assert len(shared["bytes"]) < path.stat().st_size < ROW_GROUP_BYTES
    assert pq.ParquetFile(path).metadata.num_row_groups == 1


def test_the_card_marks_default_and_states_the_counts(tmp_path, card, mub_row):
    directory = write_repository(tmp_path / "trial", "mub", [mub_row()], card)
    head, text = (directory / "README.md").read_text(encoding="utf-8").split("---\n")[1:]
    data = yaml.safe_load(head)
    assert [(each["config_name"], each.get("default", False)) for each in data["configs"]] == [
        ("default", True),
        ("blind", False),
        ("references", False),
    ]
    assert [each["splits"][0]["num_examples"] for each in data["dataset_info"]] == [1, 1, 1]
    assert "- the authors (CC0-1.0)" in text


def test_faulty_rows_write_nothing(tmp_path, card, mub_row):
    with pytest.raises(InputError, match="Am"):
        write_repository(tmp_path / "trial", "mub", [mub_row(key="Am")], card)
    assert not (tmp_path / "trial").exists()


def test_a_build_that_breaks_off_leaves_what_was_there(tmp_path, card, mub_row, monkeypatch):
    directory = write_repository(tmp_path / "trial", "mub", [mub_row()], card)
    before = {path: path.read_bytes() for path in directory.rglob("*.*")}

    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(repository, "croissant_text", broken)
    with pytest.raises(KeyboardInterrupt):
        write_repository(directory, "mub", [mub_row("m2")], card)
    assert {path: path.read_bytes() for path in directory.rglob("*.*")} == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_script_of_the_same_name_is_refused(tmp_path, card, mub_row):  # `datasets` would take it for a loading script
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / "trial.py").write_text("")
    with pytest.raises(InputError, match=r"trial\.py makes the repo unloadable"):
        write_repository(tmp_path / "trial", "mub", [mub_row()], card)


def test_the_script_of_a_dataset_builds_it(load, tmp_path, mub_row, tone, capsys):
    source = tmp_path / "source"
    source.mkdir()
    (source / "Some Title.MP3").write_bytes(tone)
    row = mub_row() | {"audio": "Some Title.MP3"}
    (source / "rows.jsonl").write_text("{not json}\n", encoding="utf-8")
    assert build_main("mub", [str(source), str(tmp_path / "out")]) == 2
    assert "rows.jsonl: cannot be read (line 1" in capsys.readouterr().err
    (source / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert build_main("mub", [str(source), str(tmp_path / "out")]) == 0
    assert load(tmp_path / "out", "default")[0]["audio"]["path"] == "m1.wav"
