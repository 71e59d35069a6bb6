"""What a dataset folder must be before it is pushed, rule by rule."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.hub.data_rules import check_directory, data_paths, files_of, fits, taken_name
from musebench_tasks.items.card import Config, read_configs

CARD = """\
---
license: cc0-1.0
configs:
- config_name: default
  data_files: [{split: test, path: default/*.parquet}]
---
"""
RIGHTS = {"id": ["a"], "license": ["cc0-1.0"], "attribution": ["Ada"]}


@pytest.fixture
def directory(tmp_path):
    folder = tmp_path / "set"
    (folder / "default").mkdir(parents=True)
    (folder / "README.md").write_text(CARD)
    write(folder, RIGHTS)
    return folder


def write(folder, columns, name="default/test.parquet"):
    features = {each: {"dtype": "string", "_type": "Value"} for each in columns}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    (folder / name).parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), folder / name)


def refused(directory, name="set"):
    with pytest.raises(InputError) as caught:
        check_directory(directory, name)
    return str(caught.value)


def test_files_in_hidden_folders_are_nobodys(directory):
    for name in (".git/config", ".cache/x/y.parquet", ".ipynb_checkpoints/a.md"):
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text("x")
    (directory / ".gitattributes").write_text("*.parquet filter=lfs\n")
    assert files_of(directory) == [".gitattributes", "README.md", "default/test.parquet"]
    assert set(check_directory(directory, "set")) == {"default"}


@pytest.mark.parametrize("folder", [".", "default", "__MACOSX/default"])
@pytest.mark.parametrize("name", [".DS_Store", "._test.parquet", "Thumbs.db", "desktop.ini", ".env", "Icon\r"])
def test_what_a_system_leaves_in_folders_is_never_sent_and_stops_nothing(directory, folder, name):
    (directory / folder).mkdir(parents=True, exist_ok=True)
    (directory / folder / name).write_bytes(b"\0\1Bud1")
    assert files_of(directory) == ["README.md", "default/test.parquet"]
    assert check_directory(directory, "set") == {"default": ("default/test.parquet",)}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("eval.yaml", "name: A\ntasks: [a\n", "eval.yaml line 3: is not YAML"),
        ("eval.yaml", "- name\n", "eval.yaml line 1: should hold keys with values"),
        ("eval.yaml", "name: A\nname: B\n", "eval.yaml line 2"),
        ("croissant.json", '{\n"a": 1,\n', "croissant.json line 3: is not JSON"),
        ("croissant.json", "{", "croissant.json line 1: is not JSON"),
        ("croissant.json", "[]", "croissant.json line 1: should hold an object"),
        ("croissant.json", "\ud800", "croissant.json: is not JSON"),
    ],
)
def test_a_description_that_nobody_can_read_is_refused_by_file_and_line(directory, name, text, told):
    (directory / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    assert told in refused(directory)


def test_media_are_left_out_only_where_rows_lead_to_them_elsewhere(directory):
    (directory / "media").mkdir()
    (directory / "media" / "a.wav").write_bytes(b"RIFF")
    assert "media/a.wav" in files_of(directory)
    write(directory, {**RIGHTS, "platform_id": ["x"]})
    assert "media/a.wav" not in files_of(directory)


@pytest.mark.parametrize(
    ("name", "is_told"), [("mub", True), ("HumMusQA", True), ("musebench", True), ("mub_mine", False), ("mubs", False)]
)
def test_a_name_is_taken_only_where_it_is_a_benchmarks(name, is_told):
    assert any(taken_name(f"ORG/{name}")) is is_told


def test_data_files_are_those_that_the_card_names(directory):
    write(directory, RIGHTS, "default/other.parquet")
    configs = read_configs(directory)
    assert data_paths(directory, configs) == {"default": ("default/other.parquet", "default/test.parquet")}
    assert fits("default/gone.parquet", configs)
    assert not fits("notes/default.txt", configs)
    assert not fits("default.parquet", {"default": Config("default", {"test": ("default/*.parquet",)})})


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("../a.wav", "is no plain file name"),
        ("b\\a.wav", "is no plain file name"),
        ("..", "is no plain file name"),
        (".", "is no plain file name"),
        ("a.wav", None),
        (None, None),
    ],
)
@pytest.mark.parametrize("column", ["audio", "video", "picture of it"])
def test_media_of_any_column_have_plain_names(directory, column, path, told):
    write(directory, {**RIGHTS, column: [{"bytes": b"x", "path": path}]})
    if told is None:
        assert check_directory(directory, "set")
    else:
        assert f'row 1, column "{column}"' in (said := refused(directory))
        assert told in said


@pytest.mark.parametrize("column", ["answer", "core_intent", "tempo_bpm", "segments", "distractor_2"])
def test_gold_of_any_benchmark_stays_out_of_blind(directory, column):
    write(directory, {**RIGHTS, column: ["x"]}, "blind/test.parquet")
    more = "- config_name: blind\n  data_files: [{split: test, path: blind/*.parquet}]\n---\n"
    (directory / "README.md").write_text(CARD.removesuffix("---\n") + more)
    assert f'holds the gold column "{column}"' in refused(directory)


def test_rights_may_stand_in_the_columns_of_hummusqa(directory):
    write(directory, {"id": ["a"], "song_license_url": ["https://creativecommons.org"], "artist_name": ["Ada"]})
    assert check_directory(directory, "set")
    write(directory, {"id": ["a"], "license": ["cc0-1.0"], "artist_name": ["Ada"]})
    assert 'has no columns "license" and "attribution"' in refused(directory)


def test_many_rows_without_rights_are_named_with_the_first_five(directory):
    write(directory, {"id": list("abcdefg"), "license": [""] * 7, "attribution": ["Ada"] * 7})
    assert 'row 1, 2, 3, 4, 5 and more, column "license": names nothing' in refused(directory)


def test_every_problem_of_a_folder_is_told_at_once(directory):
    (directory / "notes.txt").write_text("x")
    (directory / "set.py").write_text("x")
    told = refused(directory).splitlines()
    assert len(told) == 2
    assert any("notes.txt: is no part" in line for line in told)
    assert any("set.py: a script of that name" in line for line in told)


@pytest.mark.parametrize(
    ("errata", "told"),
    [
        ("retired: [b]\nrekeyed: [a]\n", None),
        ("retired: [a]\n", '"a" is retired, but still among the rows'),
        ("rekeyed: [aa]\n", '"aa" is re-keyed, but no row is called so (nearest: a)'),
    ],
)
@pytest.mark.parametrize("column", ["id", "identifier"])
def test_errata_are_about_the_rows_beside_them(directory, errata, told, column):
    write(directory, {column: ["a"], "license": ["cc0-1.0"], "attribution": ["Ada"]})
    (directory / "errata.yaml").write_text(f"from_data_sha256: {'e' * 64}\n{errata}")
    if told is None:
        assert check_directory(directory, "set")
    else:
        assert f"errata.yaml, from eeeeeeeeeeee: {told}" in refused(directory)
