"""The three demonstrations as they are committed: they load, agree with their manifests, and are what they say."""

import json
import os
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
import yaml

from musebench_tasks.assembly import check_rows, dataset_schema, pcm_sha256
from musebench_tasks.base.resources import demo_directory

MUSIC = ("hummusqa", "mub")
DEMOS = ("musebench", *MUSIC)
ROWS = {"musebench": 80, "hummusqa": 60, "mub": 48}
MAXIMUM_BYTES = {"musebench": 12_300_000, "hummusqa": 3_400_000, "mub": 9_200_000}
EXAMINED = 6
"""Recordings of a demonstration that are decoded here; all of them where they are made."""
CONFIGS = ("default", "blind", "references")
LOAD = """
import json, sys, datasets
for config in sys.argv[2:]:
    loaded = datasets.load_dataset(sys.argv[1], config, split="test")
    first = loaded[0]
    print(json.dumps({"rows": len(loaded), "columns": loaded.column_names, "torch": "torchcodec" in sys.modules}))
"""


@pytest.fixture(scope="module")
def rows():
    return {name: pq.read_table(demo_directory(name) / "default").to_pylist() for name in DEMOS}


@pytest.fixture(scope="module")
def manifests():
    folders = {name: demo_directory(name).parents[1] / "make" for name in MUSIC}
    return {
        name: json.loads((folder / "manifest.json").read_text(encoding="utf-8")) for name, folder in folders.items()
    }


@pytest.mark.parametrize("name", DEMOS)
def test_the_demo_loads_offline_from_a_fresh_cache(name, tmp_path):
    environment = os.environ | {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    command = [sys.executable, "-c", LOAD, str(demo_directory(name)), *CONFIGS]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "malformed" not in done.stderr
    for config, found in zip(CONFIGS, map(json.loads, done.stdout.splitlines()), strict=True):
        columns = [column.name for column in dataset_schema(name).config(config)]
        assert found == {"rows": ROWS[name], "columns": columns, "torch": False}


@pytest.mark.parametrize("name", DEMOS)
def test_no_script_makes_the_repo_unloadable(name):
    directory = demo_directory(name)
    assert not list(directory.rglob("*.py"))
    written = {"README.md", "eval.yaml", "croissant.json", "default", "blind", "references"}
    assert {path.name for path in directory.iterdir()} == written


@pytest.mark.parametrize("name", DEMOS)
def test_the_demo_is_small_and_its_row_groups_too(name):
    files = [path for path in demo_directory(name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MAXIMUM_BYTES[name]
    for metadata in (pq.ParquetFile(path).metadata for path in (demo_directory(name) / "default").iterdir()):
        for group in map(metadata.row_group, range(metadata.num_row_groups)):
            assert sum(group.column(each).total_compressed_size for each in range(group.num_columns)) < 1_600_000


@pytest.mark.parametrize("name", DEMOS)
@pytest.mark.parametrize("config", ["default", "blind"])
def test_the_first_file_is_one_row_group(name, config):  # so that streaming the first item takes no more
    first = min((demo_directory(name) / config).iterdir())
    assert pq.ParquetFile(first).metadata.num_row_groups == 1
    assert first.stat().st_size < 1_600_000


@pytest.mark.parametrize("name", DEMOS)
def test_the_rows_pass_their_own_checks(name, rows):
    assert check_rows(name, rows[name]) == []


@pytest.mark.parametrize("name", DEMOS)
def test_the_repo_says_that_it_is_a_demonstration(name):
    text = (demo_directory(name) / "README.md").read_text(encoding="utf-8")
    assert re.search("demonstration, not the (MuseBench )?benchmark", text)
    assert yaml.safe_load(text.split("---\n")[1])["pretty_name"].endswith("demo")


@pytest.mark.parametrize("name", DEMOS)
def test_eval_yaml_names_its_framework_and_tasks(name):
    settings = yaml.safe_load((demo_directory(name) / "eval.yaml").read_text(encoding="utf-8"))
    ids = [task["id"] for task in settings["tasks"]]
    assert settings["evaluation_framework"] == "musebench"
    assert len(ids) == len(set(ids)) > 0
    assert {task["config"] for task in settings["tasks"]} == {"default"}


@pytest.mark.parametrize("name", MUSIC)
def test_decoded_samples_are_those_of_the_manifest(name, rows, manifests):
    stored = {item["id"]: item["pcm_sha256"] for item in manifests[name]["items"]}
    media = {row["audio"]["path"].split(".")[0]: row["audio"]["bytes"] for row in rows[name]}
    assert media.keys() == stored.keys()
    for recording in sorted(media)[:: len(media) // EXAMINED]:
        assert pcm_sha256(media[recording]) == stored[recording]


@pytest.mark.parametrize("name", MUSIC)
def test_media_say_nothing_about_their_source(name, rows):
    for row in rows[name]:
        clip = row.get("id") or row["identifier"].split("-")[0]
        assert row["audio"]["path"] == f"{clip}.ogg"
        assert re.fullmatch(r"[0-9a-f]{10,12}", clip)
        assert row["audio"]["bytes"].startswith(b"OggS")
