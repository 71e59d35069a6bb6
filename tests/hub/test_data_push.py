"""`musebench data push`: all of it or nothing, once, read back; faults_hub.md 13 to 25 on the fake Hub."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fakes.hub import READER, STRANGER, WRITER

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.hub import sending
from musebench_tasks.hub.connection import Hub, NotNowError
from musebench_tasks.hub.dataset import dry_run_lines, merged_card, push_folder, read_folder
from musebench_tasks.items.manifest import MANIFEST, Manifest

ROWS = {"id": ["a", "b"], "license": ["cc0-1.0"] * 2, "attribution": ["Ada", "Bo"]}
CARD = """\
---
license: cc0-1.0
tags:
- musebench-tasks
configs:
- config_name: default
  data_files:
  - split: test
    path: default/test-*.parquet
  default: true
dataset_info:
- config_name: default
  features:
  - {name: id, dtype: string}
  - {name: license, dtype: string}
  - {name: attribution, dtype: string}
  splits:
  - {name: test, num_examples: 2}
---
# A set
"""


def write_rows(path, rows):
    features = {name: {"dtype": "string", "_type": "Value"} for name in rows}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(rows).replace_schema_metadata(metadata), path)


@pytest.fixture
def directory(tmp_path):
    folder = tmp_path / "built" / "mub"
    write_rows(folder / "default" / "test-00000-of-00001.parquet", ROWS)
    (folder / "README.md").write_text(CARD)
    (folder / "eval.yaml").write_text("name: A set\n")
    return folder


@pytest.fixture
def waits(monkeypatch):
    waited = []
    monkeypatch.setattr(sending, "sleep", waited.append)
    return waited


def push(directory, to="ORG/mub", **settings):
    return push_folder(Hub(), read_folder(directory, to), private=False, **settings)


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_commit_holds_everything_and_its_manifest_comes_last(hub, directory):
    published = push(directory)
    repository = hub.repository("datasets", "ORG/mub")
    assert published.commit == repository.head
    sent = repository.files
    manifest = Manifest.model_validate_json(sent.pop(MANIFEST))
    assert sent == files_of(directory)
    assert set(manifest.files) == set(sent)
    assert manifest.files["default/test-00000-of-00001.parquet"].rows == 2
    (commit,) = hub.asked("commit")
    paths = [line["value"]["path"] for line in commit.lines if line["key"] != "header"]
    assert paths[-1] == MANIFEST


def test_the_same_again_makes_no_commit(hub, directory):
    first, second = push(directory), push(directory)
    assert (first.is_new, second.is_new) == (True, False)
    assert first.commit == second.commit
    assert len(hub.asked("commit")) == 1


def test_what_should_stay_private_goes_to_no_public_repository(hub, directory):
    push(directory)
    hub.requests.clear()
    (directory / "eval.yaml").write_text("name: Secret\n")
    folder = read_folder(directory, "ORG/mub")
    for send in (
        lambda: push_folder(Hub(), folder, private=True),
        lambda: list(dry_run_lines(Hub(), folder, private=True)),
    ):
        with pytest.raises(InputError, match="ORG/mub: is there and public, and --private counts only where"):
            send()
    assert {each.method for each in hub.requests} == {"GET"}
    hub.repository("datasets", "ORG/mub").private = True
    assert push_folder(Hub(), folder, private=True).is_new


def test_a_dry_run_tells_all_and_sends_nothing(hub, directory):
    told = "\n".join(dry_run_lines(Hub(), read_folder(directory, "ORG/mub"), private=True))
    assert {each.method for each in hub.requests} <= {"GET", "HEAD"}
    assert "message: Publish mub" in told
    assert "which would be made, private" in told
    folder = read_folder(directory, "ORG/mub")
    for each in folder.files:
        assert f"  {each.sha256[:12]}  new" in told
    assert CARD.strip() in told
    push(directory)
    told = "\n".join(dry_run_lines(Hub(), folder, private=False))
    assert "nothing would be sent" in told


@pytest.mark.parametrize("status", [412, pytest.param(409, marks=pytest.mark.slow)])
def test_13_who_comes_second_reads_again_and_keeps_what_the_first_did(hub, directory, waits, status):
    push(directory)
    (directory / "eval.yaml").write_text("name: Another\n")
    between = CARD.replace("license:", "contact: someone@example.org\nlicense:").encode()
    hub.faults.order("commit", status=status, do=lambda: hub.commit("datasets", "ORG/mub", {"README.md": between}))
    push(directory)
    files = hub.repository("datasets", "ORG/mub").files
    assert b"contact: someone@example.org" in files["README.md"]
    assert files["eval.yaml"] == b"name: Another\n"
    assert Manifest.model_validate_json(files[MANIFEST]).files["README.md"].size == len(files["README.md"])


def test_13_who_is_always_second_says_so_and_has_changed_nothing(hub, directory, waits, monkeypatch):
    monkeypatch.setattr(sending, "TRIES", 2)
    hub.create("datasets", "ORG/mub", {"README.md": b"old"})
    hub.faults.order("commit", status=412, times=None)
    with pytest.raises(MuseError, match="somebody else committed at the same time"):
        push(directory)
    assert hub.repository("datasets", "ORG/mub").files == {"README.md": b"old"}
    assert len(hub.asked("commit")) == 2


@pytest.mark.slow
def test_13_many_at_once_all_arrive_one_after_the_other(hub, directory, tmp_path):
    folders = []
    for number in range(4):
        folder = tmp_path / str(number) / "mub"
        shutil.copytree(directory, folder)
        (folder / "eval.yaml").write_text(f"name: Set {number}\n")
        folders.append(folder)
    push(directory)
    with ThreadPoolExecutor(4) as pool:
        published = list(pool.map(push, folders))
    repository = hub.repository("datasets", "ORG/mub")
    assert len({each.commit for each in published}) == 4
    assert len(repository.history("main")) == 6
    files = repository.files
    assert Manifest.model_validate_json(files[MANIFEST]).files["eval.yaml"].size == len(files["eval.yaml"])


def test_14_a_failure_after_the_commit_is_seen_and_not_repeated(hub, directory, waits):
    hub.faults.order("commit", "after", status=500)
    push(directory)
    assert len(hub.asked("commit")) == 1


def test_14_a_hub_that_ignores_the_parent_loses_nothing_of_the_other(hub, directory):
    push(directory)
    (directory / "eval.yaml").write_text("name: Another\n")
    (directory / "README.md").write_text(CARD.replace("# A set", "# The set"))
    theirs = CARD.replace("license:", "contact: me@example.org\nlicense:").encode()
    repository = hub.repository("datasets", "ORG/mub")

    def sneak_in():
        hub.commit("datasets", "ORG/mub", {"README.md": theirs})
        hub.ignores_parents = True

    hub.faults.order("commit", "none", do=sneak_in)
    push(directory)
    card = repository.files["README.md"]
    assert b"contact: me@example.org" in card
    assert b"# The set" in card
    assert repository.files["eval.yaml"] == b"name: Another\n"


def test_15_an_upload_that_was_cut_goes_on_from_the_new_head(hub, directory, waits):
    hub.create("datasets", "ORG/mub", {"README.md": b"old"})
    hub.faults.order("commit", "drop", do=lambda: hub.commit("datasets", "ORG/mub", {"more.txt": b"more"}))
    push(directory)
    assert len(hub.asked("lfs_upload")) == 1
    files = hub.repository("datasets", "ORG/mub").files
    assert files["more.txt"] == b"more"
    assert MANIFEST in files


def test_17_rows_and_hashes_are_compared_after_the_push_through_an_empty_cache(hub, directory):
    hub.faults.order("resolve", "garble", path="test-00000", times=None)
    with pytest.raises(MuseError, match="test-00000-of-00001.parquet is not the file that manifest.json names"):
        push(directory)


@pytest.mark.slow
def test_17_a_download_that_went_wrong_once_is_repeated(hub, directory):
    hub.faults.order("resolve", "garble", path="test-00000")
    push(directory)


@pytest.mark.slow
def test_18_a_split_that_is_gone_goes_from_the_repository_too(hub, directory):
    write_rows(directory / "default" / "test-00001-of-00002.parquet", {key: cells[:1] for key, cells in ROWS.items()})
    (directory / "README.md").write_text(CARD.replace("num_examples: 2", "num_examples: 3"))
    push(directory)
    (directory / "default" / "test-00001-of-00002.parquet").unlink()
    (directory / "README.md").write_text(CARD)
    hub.commit("datasets", "ORG/mub", {"notes.txt": b"theirs"})
    push(directory)
    files = hub.repository("datasets", "ORG/mub").files
    assert "default/test-00001-of-00002.parquet" not in files
    assert files["notes.txt"] == b"theirs"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("num_examples: 2", "num_examples: 3", "tells 3 rows .* hold 2"),
        ("{name: id, dtype: string}", "{name: identifier, dtype: string}", "columns .* are not those of"),
        ("split: test", "split: 'te/st'", "could not be read back"),
        ("  - split: test\n    path: default/test-*.parquet\n", "    default/test-*.parquet\n", "split None"),
        ("license: cc0-1.0\n", "", "names no `license`"),
        ("path: default/test-*", "path: default/train-*", "has no data file here"),
    ],
    ids=["19-counts", "20-columns", "22-split", "23-unnamed-split", "licence", "no-file"],
)
def test_a_card_that_does_not_fit_its_files_is_refused(directory, old, new, told):
    (directory / "README.md").write_text(CARD.replace(old, new))
    with pytest.raises(InputError, match=told):
        read_folder(directory, "ORG/mub")


def test_21_a_card_on_the_hub_keeps_what_only_it_says():
    theirs = CARD.replace("license: cc0-1.0", "license: mit\nextra_gated_prompt: Agree first")
    merged = merged_card(CARD, theirs)
    assert "extra_gated_prompt: Agree first" in merged
    assert "license: cc0-1.0" in merged
    assert merged.endswith("# A set\n")
    assert merged_card(merged, merged) == merged
    assert merged_card(CARD, "# no head\n") == CARD


@pytest.mark.parametrize("column", ["license", "attribution"])
def test_rows_without_rights_are_refused(directory, column):
    for nothing in (" ", "NOASSERTION"):
        write_rows(directory / "default" / "test-00000-of-00001.parquet", {**ROWS, column: ["x", nothing]})
        with pytest.raises(InputError, match=f'row 2, column "{column}": names nothing'):
            read_folder(directory, "ORG/mub")
    write_rows(directory / "default" / "test-00000-of-00001.parquet", {key: ROWS[key] for key in ROWS if key != column})
    with pytest.raises(InputError, match="columns"):
        read_folder(directory, "ORG/mub")


def test_what_is_no_part_of_a_repository_is_refused(directory):
    (directory / "provenance.jsonl").write_text("{}")
    with pytest.raises(InputError, match="provenance.jsonl: is no part of a dataset repository"):
        read_folder(directory, "ORG/mub")
    (directory / "provenance.jsonl").unlink()
    (directory / "mub.py").write_text("")
    with pytest.raises(InputError, match="makes the repository unloadable"):
        read_folder(directory, "ORG/mub")
    (directory / "mub.py").unlink()
    (directory / ".git").mkdir()
    (directory / ".git" / "config").write_text("")
    assert {each.path for each in read_folder(directory, "ORG/mub").files} == set(files_of(directory)) - {".git/config"}


def test_an_errata_file_must_be_one(directory):
    (directory / "errata.yaml").write_text("retired: [a]\n")
    with pytest.raises(InputError, match="errata.yaml.*from_data_sha256"):
        read_folder(directory, "ORG/mub")


def test_rows_that_are_no_parquet_are_refused(directory):
    (directory / "default" / "test-00000-of-00001.parquet").write_bytes(b"PAR1 cut")
    with pytest.raises(InputError, match=r"test-00000-of-00001.parquet: is no whole Parquet file"):
        read_folder(directory, "ORG/mub")
    (directory / "default" / "test-00000-of-00001.parquet").unlink()
    (directory / "default" / "test-a.csv").write_text("id\na\n")
    (directory / "README.md").write_text(CARD.replace("test-*.parquet", "test-*.csv"))
    with pytest.raises(InputError, match=r"test-a.csv: is no whole Parquet file"):
        read_folder(directory, "ORG/mub")


def test_media_that_were_fetched_by_their_links_are_never_sent(directory):
    (directory / "media").mkdir()
    (directory / "media" / "a.flac").write_bytes(b"fLaC")
    with pytest.raises(InputError, match=r"media/a.flac: is no part"):
        read_folder(directory, "ORG/mub")
    write_rows(directory / "default" / "test-00000-of-00001.parquet", {**ROWS, "platform_id": ["x", "y"]})
    card = CARD.replace("  splits:", "  - {name: platform_id, dtype: string}\n  splits:")
    (directory / "README.md").write_text(card)
    assert not [each for each in read_folder(directory, "ORG/mub").files if each.path.startswith("media/")]


def test_gold_in_blind_is_refused(directory):
    write_rows(directory / "blind" / "test-00000-of-00001.parquet", {**ROWS, "key": ["C major"] * 2})
    more = "- config_name: blind\n  data_files:\n  - {split: test, path: blind/test-*.parquet}\ndataset_info:"
    (directory / "README.md").write_text(CARD.replace("dataset_info:", more))
    with pytest.raises(InputError, match='holds the gold column "key"'):
        read_folder(directory, "ORG/mub")


@pytest.mark.parametrize("path", ["../../escape.wav", "a/b.wav", "a\\b.wav", "/etc/x.wav", ".."])
def test_a_medium_whose_name_leads_elsewhere_is_refused(directory, path):
    media = [{"bytes": b"x", "path": "a.wav"}, {"bytes": b"x", "path": path}]
    write_rows(directory / "default" / "test-00000-of-00001.parquet", {**ROWS, "audio": media})
    with pytest.raises(InputError, match=r'row 2, column "audio": ".*" is no plain file name'):
        read_folder(directory, "ORG/mub")


def test_a_token_in_a_file_is_never_sent(directory):
    (directory / "eval.yaml").write_text(f"key: {WRITER}\n")
    with pytest.raises(InputError, match="eval.yaml: holds what looks like a token") as told:
        read_folder(directory, "ORG/mub")
    assert WRITER not in str(told.value)


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (None, "token is missing or no longer valid"),
        ("hf_unknownunknownunknownunknown", "token is missing or no longer valid"),
        (READER, "your token may not write there"),
        (STRANGER, "your token may not write there"),
    ],
    ids=["nobody", "unknown", "reader", "stranger"],
)
def test_who_may_not_is_told_in_one_line_without_a_token(hub, online, directory, token, told):
    hub.create("datasets", "ORG/mub", {"README.md": b"old"})
    online(hub, token)
    with pytest.raises(InputError, match=told) as error:
        push(directory)
    assert "\n" not in str(error.value)
    assert not any(each in str(error.value) for each in (READER, STRANGER, "hf_unknown"))
    assert hub.repository("datasets", "ORG/mub").files == {"README.md": b"old"}


def test_a_hub_that_asks_to_wait_is_waited_for_within_reason(hub, directory, waits):
    hub.create("datasets", "ORG/mub", {"README.md": b"old"})
    hub.faults.order("commit", status=429, headers={"Retry-After": "7"})
    push(directory)
    assert waits == [7.0]
    (directory / "eval.yaml").write_text("name: Another\n")
    hub.faults.order("commit", status=429, headers={"RateLimit": '"api";r=0;t=900'})
    with pytest.raises(NotNowError, match="asks to wait for 900 s"):
        push(directory)
    assert waits == [7.0]


def test_a_hub_that_is_off_or_away_is_told_at_once(hub, directory, waits, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(NotNowError, match="switched off here"):
        push(directory)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(NotNowError, match="cannot be reached"):
        push(directory)
    assert not waits
    assert not hub.requests


def test_what_the_hub_says_of_a_card_is_told_in_one_line(hub, directory, monkeypatch):
    hub.create("datasets", "ORG/mub", {"README.md": b"old"})
    said = json.dumps({"errors": [{"message": '"license" is odd'}], "warnings": []}).encode()
    monkeypatch.setattr("fakes.hub.answers.validate_yaml", lambda _: (400, said, {"Content-Type": "application/json"}))
    with pytest.raises(InputError, match='the Hub refused to write .*"license" is odd') as told:
        push(directory)
    assert "\n" not in str(told.value)


def test_a_file_that_vanished_meanwhile_is_named(hub, directory):
    folder = read_folder(directory, "ORG/mub")
    (directory / "default" / "test-00000-of-00001.parquet").unlink()
    with pytest.raises((MuseError, FileNotFoundError), match=r"test-00000-of-00001\.parquet"):
        push_folder(Hub(), folder, private=False)


def test_who_is_not_signed_in_may_look_at_what_would_be_sent(hub, online, directory):
    online(hub, None)
    told = "\n".join(dry_run_lines(Hub(), read_folder(directory, "ORG/mub"), private=False))
    assert "which would be made, public" in told
