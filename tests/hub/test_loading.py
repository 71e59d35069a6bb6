"""What comes from a Hub is what was published, or it is refused: faults_hub.md 1 to 12, on the fake Hub."""

import json
from pathlib import Path

import pytest
from fakes.hub import STRANGER, WRITER

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.hub.connection import Hub
from musebench_tasks.hub.dataset import push_folder, read_folder
from musebench_tasks.items import load_items, load_references
from musebench_tasks.items.hub import fetch
from musebench_tasks.items.manifest import MANIFEST

ORDER = ("blind", "references")


PUSHED = {}


@pytest.fixture
def published(hub):
    """The repository of a demonstration, as a push leaves it."""
    if not PUSHED:
        push_folder(Hub(), read_folder(demo_directory("hummusqa"), "ORG/set_demo"), private=False)
        PUSHED.update(hub.store.repositories.pop(("datasets", "ORG/set_demo")).files)
    hub.requests.clear()
    return hub.create("datasets", "ORG/set_demo", PUSHED)


def load(revision=None, configs=("references",), offline=False):
    return fetch("ORG/set_demo", revision, configs, "test", offline=offline)


def blob_of(folder, path="references/test-00000-of-00001.parquet"):
    return (folder / path).resolve()


def spoil(path):
    Path(path).chmod(0o644)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_published_set_is_loaded_by_its_id_and_read_offline_later(published):
    task = TaskConfig.model_validate(
        {
            "task": "mine",
            "dataset_path": "ORG/set_demo",
            "kind": "choice",
            "columns": {
                "id": "identifier", "media": "audio", "question": "question", "options": "options",
                "answer": "answer", "cluster_id": "jamendo_id",
            },
            "protocol": {"media": ["audio"]},
            "metric_list": [{"metric": "accuracy"}],
            "metadata": {"version": 1.0, "headline": "accuracy"},
        }
    )  # fmt: skip
    first = load_items(task)
    assert first.source == f"hf://datasets/ORG/set_demo@{published.head}"
    gold = load_references(task)
    assert gold.references.keys() == {item.id for item in first.items}
    assert (load_items(task, offline=True), load_references(task, offline=True)) == (first, gold)


def test_1_what_is_published_needs_no_script(published):
    assert not [path for path in published.files if path.endswith(".py")]


def test_2_a_revision_that_is_not_there_is_never_another_one(published):
    load()
    absent = "f" * 40
    with pytest.raises(InputError, match="has no revision"):
        load(absent)
    with pytest.raises(InputError, match="is not in the cache"):
        load(absent, offline=True)


def test_3_every_configuration_is_asked_for_by_name_offline_too(published):
    for config in ORDER:
        load(configs=(config,))
    for config in ORDER:
        folder, commit = load(configs=(config,), offline=True)
        assert (folder / config).is_dir()
        assert commit == published.head


def test_4_local_files_are_read_by_path_whatever_the_commit(published, tmp_path, monkeypatch):
    folder, _ = load(configs=ORDER)
    from musebench_tasks.items.locate import locate

    task = TaskConfig.model_construct(task="mine", dataset_path=str(folder), dataset_name=None, test_split="test")
    assert locate(task, ORDER).directory == folder


def test_5_a_gated_set_says_which_page_to_open(hub, online, published):
    published.gated = True
    online(hub, STRANGER)
    with pytest.raises(InputError, match="datasets/ORG/set_demo: asks for its terms to be accepted"):
        load()
    published.private = True
    with pytest.raises(InputError, match="is not there, or is private or gated"):
        load()


def test_9_few_large_files_are_asked_for_and_a_429_is_named(hub, published):
    load(configs=ORDER)
    fetched = {each.path.rpartition("/")[2] for each in hub.asked("resolve") if each.method == "GET"}
    data = {path.rpartition("/")[2] for path in PUSHED if path.endswith(".parquet")}
    assert fetched == {"README.md", MANIFEST, *data}
    assert len(data) <= 3
    before = len(hub.requests)
    load(configs=ORDER, offline=True)
    assert len(hub.requests) == before
    hub.create("datasets", "ORG/other_demo", PUSHED)
    hub.faults.order("revision", status=429, times=None)
    with pytest.raises(MuseError, match="429"):
        fetch("ORG/other_demo", None, ORDER, "test", offline=False)


@pytest.mark.parametrize("kind", ["garble", "cut"])
def test_10_a_download_that_went_wrong_is_fetched_again(hub, published, kind):
    hub.faults.order("resolve", kind, path="references/test-00000", skip=1)
    folder, _ = load()
    assert blob_of(folder).read_bytes() == published.files["references/test-00000-of-00001.parquet"]


def test_10_a_file_that_stays_wrong_is_refused(hub, published):
    hub.faults.order("resolve", "garble", path="references/test-00000", times=None)
    with pytest.raises(InputError, match=r"references/test-00000-of-00001.parquet is not the file that manifest.json"):
        load()


def test_11_what_was_spoilt_in_a_shared_cache_is_fetched_anew(published):
    folder, _ = load()
    good = blob_of(folder).read_bytes()
    spoil(blob_of(folder))
    load()
    assert blob_of(folder).read_bytes() == good
    spoil(blob_of(folder))
    with pytest.raises(MuseError):
        load(offline=True)


def test_12_a_repository_that_was_made_anew_is_read_as_it_is_now(hub, published):
    old, _ = load()
    del hub.store.repositories["datasets", "ORG/set_demo"]
    files = {path: data for path, data in published.files.items() if not path.startswith("blind/")}
    hub.create("datasets", "ORG/set_demo", files)
    with pytest.raises(InputError, match="the repository was made anew"):
        load(configs=("blind",))
    hub.commit("datasets", "ORG/set_demo", {"README.md": files["README.md"]})
    with pytest.raises(MuseError, match=r"blind/test-\*.parquet did not come"):
        load(configs=("blind",))
    assert load()[0] != old


def test_16_a_set_without_its_manifest_is_not_whole(hub, published):
    hub.commit("datasets", "ORG/set_demo", {}, removed=[MANIFEST])
    with pytest.raises(InputError, match="has no manifest.json, so nobody knows whether all of it is there"):
        load()


def test_16_a_set_with_a_file_that_its_manifest_does_not_know_is_refused(hub, published):
    more = published.files["references/test-00000-of-00001.parquet"]
    hub.commit("datasets", "ORG/set_demo", {"references/test-00001-of-00001.parquet": more})
    with pytest.raises(InputError, match="is not in manifest.json"):
        load()


def test_a_manifest_that_is_none_is_named(hub, published):
    hub.commit("datasets", "ORG/set_demo", {MANIFEST: json.dumps({"files": 3}).encode()})
    with pytest.raises(InputError, match="is no manifest of this version"):
        load()


def test_sets_of_others_need_no_manifest(hub):
    folder = demo_directory("hummusqa")
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    files["README.md"] = files["README.md"].replace(b"- musebench-tasks\n", b"")
    hub.create("datasets", "ORG/set_demo", files | {MANIFEST: b"something of their own"})
    assert Path(load()[0]).is_dir()


def test_what_others_put_beside_the_data_does_not_matter(hub, published):
    hub.commit("datasets", "ORG/set_demo", {".gitattributes": b"*.parquet filter=lfs", "notes.txt": b"theirs"})
    assert Path(load()[0]).is_dir()


def test_8_caches_lie_where_the_user_says(hub, published, tmp_path):
    folder, _ = load()
    assert folder.is_relative_to(tmp_path)
    assert WRITER not in str(folder)
