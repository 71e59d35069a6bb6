"""mub_demo and hummusqa_demo as they are committed: they load, agree with their manifests, and are what they say."""

import itertools
import json
import os
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
import yaml

from musebench_tasks.assembly import check_rows, dataset_schema, decode_pcm, pcm_sha256
from musebench_tasks.resources import demo_directory

DEMOS = ("hummusqa", "mub")
MAXIMUM_BYTES = 6_000_000
LOAD = """
import json, sys, datasets
loaded = datasets.load_dataset(sys.argv[1], sys.argv[2], split="test")
first = loaded[0]
print(json.dumps({"rows": len(loaded), "columns": loaded.column_names, "torch": "torchcodec" in sys.modules}))
"""


def parquet(name, config):
    return demo_directory(name) / config / "test-00000-of-00001.parquet"


@pytest.fixture(scope="module")
def rows():
    return {name: pq.read_table(parquet(name, "default")).to_pylist() for name in DEMOS}


@pytest.fixture(scope="module")
def manifests():
    folders = {name: demo_directory(name).parent for name in DEMOS}
    return {
        name: json.loads((folder / "manifest.json").read_text(encoding="utf-8")) for name, folder in folders.items()
    }


@pytest.mark.parametrize("name", DEMOS)
@pytest.mark.parametrize("config", ["default", "blind", "references"])
def test_the_demo_loads_offline_from_a_fresh_cache(name, config, tmp_path):
    environment = os.environ | {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    command = [sys.executable, "-c", LOAD, str(demo_directory(name)), config]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "malformed" not in done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    expected = [column.name for column in dataset_schema(name).config(config)]
    assert found == {"rows": {"hummusqa": 16, "mub": 12}[name], "columns": expected, "torch": False}


@pytest.mark.parametrize("name", DEMOS)
def test_no_script_makes_the_repo_unloadable(name):  # hf_stack.md 2.1
    directory = demo_directory(name)
    assert not list(directory.rglob("*.py"))
    assert {path.name for path in directory.iterdir()} == {"README.md", "eval.yaml", "default", "blind", "references"}


@pytest.mark.parametrize("name", DEMOS)
def test_the_demo_is_small_and_its_row_groups_too(name):
    files = [path for path in demo_directory(name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MAXIMUM_BYTES
    metadata = pq.ParquetFile(parquet(name, "default")).metadata
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        assert sum(group.column(each).total_compressed_size for each in range(group.num_columns)) < 1_600_000


@pytest.mark.parametrize("name", DEMOS)
def test_the_rows_pass_their_own_checks(name, rows):
    assert check_rows(name, rows[name]) == []


@pytest.mark.parametrize("name", DEMOS)
def test_the_repo_says_that_it_is_a_demonstration(name):
    text = (demo_directory(name) / "README.md").read_text(encoding="utf-8")
    assert "A demonstration, not the benchmark" in text
    assert yaml.safe_load(text.split("---\n")[1])["pretty_name"].endswith("demo")


@pytest.mark.parametrize("name", DEMOS)
def test_eval_yaml_names_its_framework_and_tasks(name):  # hf_stack.md 5
    settings = yaml.safe_load((demo_directory(name) / "eval.yaml").read_text(encoding="utf-8"))
    ids = [task["id"] for task in settings["tasks"]]
    assert settings["evaluation_framework"] == "musebench"
    assert len(ids) == len(set(ids)) > 0
    assert {task["config"] for task in settings["tasks"]} == {"default"}


@pytest.mark.parametrize("name", DEMOS)
def test_decoded_samples_are_those_of_the_manifest(name, rows, manifests):
    key = dataset_schema(name).id_column
    stored = {item.get("id") or item["identifier"]: item["pcm_sha256"] for item in manifests[name]["items"]}
    media = {row["audio"]["bytes"] for row in rows[name]}
    hashes = {encoded: pcm_sha256(encoded) for encoded in media}
    assert {row[key]: hashes[row["audio"]["bytes"]] for row in rows[name]} == stored


@pytest.mark.parametrize("name", DEMOS)
def test_media_say_nothing_about_their_source(name, rows):
    for row in rows[name]:
        clip = row.get("id") or row["identifier"].split("-")[0]
        assert row["audio"]["path"] == f"{clip}.mp3"
        assert re.fullmatch(r"[0-9a-f]{10,12}", clip)
        assert not row["audio"]["bytes"].startswith(b"ID3")


def test_mub_truth_is_that_of_the_manifest(rows, manifests):
    items = {item["id"]: item for item in manifests["mub"]["items"]}
    for row in rows["mub"]:
        item = items[row["id"]]
        assert {name: row[name] for name in item["truth"]} == item["truth"]
        assert (row["cluster_id"], row["attribution"]) == (item["tune_id"], item["attribution"])


def test_mub_covers_keys_metres_and_tempi(rows):
    keys = [row["key"] for row in rows["mub"]]
    assert len({key.split()[0] for key in keys}) == 12
    assert {key.split()[1] for key in keys} == {"major", "minor"}
    assert {row["time_signature"] for row in rows["mub"]} == {"2/4", "3/4", "4/4", "6/8", "9/8"}
    assert all(47 <= row["tempo_bpm"] <= 180 for row in rows["mub"])
    assert max(row["tempo_bpm"] for row in rows["mub"]) > 3 * min(row["tempo_bpm"] for row in rows["mub"])
    assert {field for row in rows["mub"] for field in row["multi_valued"]} == {"tempo", "key"}
    assert len({row["cluster_id"] for row in rows["mub"]}) == 12


def test_mub_recordings_are_as_long_as_they_say_and_not_clipped(rows):
    for row in rows["mub"]:
        samples, rate = decode_pcm(row["audio"]["bytes"])
        assert row["duration_s"] == pytest.approx(len(samples) / rate, abs=1e-6)
        assert 40 <= row["duration_s"] <= 60
        assert 0.4 < abs(samples.astype(float)).max() / 32768 < 0.9


def test_mub_segments_cover_the_recording(rows):
    for row in rows["mub"]:
        segments = row["segments"]
        assert (segments[0]["start_s"], segments[-1]["end_s"]) == (0, row["duration_s"])
        assert all(one["end_s"] == two["start_s"] for one, two in itertools.pairwise(segments))
        inner = {segment["start_s"] for segment in segments[1:]}
        assert inner <= set(row["downbeats_s"]) <= set(row["beats_s"])


def test_mub_beats_are_heard_where_they_are_said_to_be(rows):
    """Onset strength on the beats against the same grid stretched by 4 %: the audio has the tempo stated."""
    for row in rows["mub"]:
        strength, rate = onset_strength(row["audio"]["bytes"])
        beats = row["beats_s"]
        stretched = [beats[0] + (time - beats[0]) * 1.04 for time in beats]
        on_beat = mean_strength(strength, rate, beats)
        assert on_beat > 0.5, row["id"]
        assert on_beat > 4 * abs(mean_strength(strength, rate, stretched)), row["id"]


def onset_strength(encoded):
    import numpy as np

    samples, rate = decode_pcm(encoded)
    size, hop = 1024, 120
    frames = np.lib.stride_tricks.sliding_window_view(samples[:, 0] / 32768, size)[::hop] * np.hanning(size)
    rise = np.maximum(np.diff(np.log1p(100 * np.abs(np.fft.rfft(frames, axis=1))), axis=0), 0).sum(axis=1)
    local = rise - np.convolve(rise, np.ones(401) / 401, "same")
    return local / local.std(), rate / hop


def mean_strength(strength, frame_rate, times):
    centres = [round(time * frame_rate - 1024 / 240) for time in times]
    return sum(
        strength[max(centre - 2, 0) : centre + 3].mean() for centre in centres if centre < len(strength) - 3
    ) / len(centres)


def test_hummusqa_covers_levels_and_categories(rows):
    assert {row["difficulty"] for row in rows["hummusqa"]} == {"Low", "Medium", "High"}
    assert len({row["main_category"] for row in rows["hummusqa"]}) >= 8


def test_hummusqa_options_give_no_hint_by_length(rows):
    longest = 0
    for row in rows["hummusqa"]:
        lengths = [len(row[name]) for name in ("answer", "distractor_1", "distractor_2", "distractor_3")]
        assert max(lengths) <= 2 * min(lengths) + 6
        longest += lengths[0] == max(lengths)
    assert longest <= len(rows["hummusqa"]) / 2


def test_hummusqa_questions_name_no_tune_and_no_collection(rows):
    for row in rows["hummusqa"]:
        texts = " ".join(row[name] for name in ("question", "answer", "distractor_1", "distractor_2", "distractor_3"))
        assert row["song_name"].casefold() not in texts.casefold()
        assert "O'Neill" not in texts
        assert "Aird" not in texts


def test_hummusqa_audio_is_the_excerpt(rows):
    for row in rows["hummusqa"]:
        samples, rate = decode_pcm(row["audio"]["bytes"])
        (start, end) = (
            60 * int(text[:2]) + int(text[3:]) for text in (row["excerpt_start_time"], row["excerpt_end_time"])
        )
        assert len(samples) == (end - start) * rate


def test_every_item_has_its_licence_entry(rows, root):
    text = (root / "DATA_LICENSES.md").read_text(encoding="utf-8")
    music = text.split("## Music")[1]
    for row in rows["mub"]:
        entry = music.split(f"### `{row['id']}`")[1].split("\n### ")[0]
        assert row["attribution"] in entry
        assert f"licence of the rendering: {row['license']}" in entry
    for row in rows["hummusqa"]:
        assert f"`{row['identifier']}`" in music
