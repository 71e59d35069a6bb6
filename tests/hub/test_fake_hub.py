"""The fake Hub answers huggingface_hub as the real one does; what it gets wrong would hide faults of ours."""

import hashlib
import pathlib

import pytest
from fakes.hub import READER, STRANGER, WRITER, FakeHub

CARD = b"---\nlicense: cc0-1.0\n---\n# A card\n"


@pytest.fixture
def api(hub):
    from huggingface_hub import HfApi

    return HfApi(endpoint=hub.url, token=WRITER)


def added(files):
    from huggingface_hub import CommitOperationAdd

    return [CommitOperationAdd(path, content) for path, content in files.items()]


def test_a_repository_is_made_filled_and_read_back(hub, api, tmp_path):
    assert api.whoami()["name"] == "writer"
    api.create_repo("ORG/name", repo_type="dataset", private=True)
    files = {"README.md": CARD, "default/a.parquet": b"PAR1" * 9, "empty.txt": b""}
    made = api.create_commit("ORG/name", added(files), commit_message="All of it", repo_type="dataset")
    assert hub.repository("datasets", "ORG/name").files == files
    assert api.dataset_info("ORG/name").sha == made.oid
    folder = api.snapshot_download("ORG/name", repo_type="dataset", cache_dir=tmp_path)
    assert {path: (tmp_path / folder / path).read_bytes() for path in files} == files
    info = {each.path: each for each in api.list_repo_tree("ORG/name", recursive=True, repo_type="dataset")}
    assert info["default/a.parquet"].lfs.sha256 == hashlib.sha256(files["default/a.parquet"]).hexdigest()
    assert [each.path for each in api.get_paths_info("ORG/name", ["empty.txt", "no"], repo_type="dataset")] == [
        "empty.txt"
    ]


def test_what_is_the_same_makes_no_commit(hub, api):
    hub.create("datasets", "ORG/name", {"README.md": CARD, "a.parquet": b"PAR1"})
    before = hub.repository("datasets", "ORG/name").head
    same = added({"README.md": CARD, "a.parquet": b"PAR1"})
    assert api.create_commit("ORG/name", same, commit_message="Again", repo_type="dataset").oid == before
    assert not hub.asked("commit")


def test_a_pull_request_leaves_main_alone_until_it_is_merged(hub):
    from huggingface_hub import HfApi

    hub.create("datasets", "ORG/name", {"README.md": CARD})
    api = HfApi(endpoint=hub.url, token=STRANGER)
    made = api.create_commit(
        "ORG/name", added({"a.txt": b"a"}), commit_message="Add a", repo_type="dataset", create_pr=True
    )
    repository = hub.repository("datasets", "ORG/name")
    assert made.pr_url == f"{hub.url}/datasets/ORG/name/discussions/1"
    assert made.pr_revision == "refs/pr/1"
    assert "a.txt" not in repository.files
    assert api.dataset_info("ORG/name", revision="refs/pr/1").sha == made.oid
    assert [each.title for each in api.get_repo_discussions("ORG/name", repo_type="dataset")] == ["Add a"]
    HfApi(endpoint=hub.url, token=WRITER).merge_pull_request("ORG/name", 1, repo_type="dataset")
    assert repository.files["a.txt"] == b"a"


def test_who_may_not_is_told_so(hub):
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

    hub.create("datasets", "ORG/open", {"README.md": CARD})
    hub.create("datasets", "ORG/closed", {"README.md": CARD}, private=True)
    hub.create("datasets", "ORG/gated", {"README.md": CARD}, gated=True)
    reader, stranger = (HfApi(endpoint=hub.url, token=token) for token in (READER, STRANGER))
    with pytest.raises(HfHubHTTPError, match="403"):
        reader.create_commit("ORG/open", added({"a.txt": b"a"}), commit_message="a", repo_type="dataset")
    with pytest.raises(RepositoryNotFoundError):
        stranger.dataset_info("ORG/closed")
    with pytest.raises(GatedRepoError):
        stranger.get_hf_file_metadata(url=f"{hub.url}/datasets/ORG/gated/resolve/main/README.md")
    with pytest.raises(HfHubHTTPError, match="403"):
        stranger.create_repo("ORG/mine", repo_type="dataset")
    with pytest.raises(HfHubHTTPError, match="401"):
        HfApi(endpoint=hub.url, token=False).create_repo("ORG/mine", repo_type="dataset")


@pytest.mark.parametrize(("kind", "there"), [("status", False), ("after", True)])
def test_a_server_fails_before_or_after_it_committed(hub, api, kind, there):
    from huggingface_hub.errors import HfHubHTTPError

    hub.create("datasets", "ORG/name", {"README.md": CARD})
    hub.faults.order("commit", kind, status=500)
    with pytest.raises(HfHubHTTPError, match="500"):
        api.create_commit("ORG/name", added({"a.txt": b"a"}), commit_message="a", repo_type="dataset")
    assert ("a.txt" in hub.repository("datasets", "ORG/name").files) == there


def test_a_commit_upon_an_old_parent_is_refused(hub, api):
    from huggingface_hub.errors import HfHubHTTPError

    old = hub.create("datasets", "ORG/name", {"README.md": CARD}).head
    hub.commit("datasets", "ORG/name", {"b.txt": b"b"})
    with pytest.raises(HfHubHTTPError, match="412"):
        api.create_commit(
            "ORG/name", added({"a.txt": b"a"}), commit_message="a", repo_type="dataset", parent_commit=old
        )


def test_large_files_come_from_a_second_port_and_in_ranges(online, tmp_path):
    from huggingface_hub import HfApi, HfFileSystem

    with FakeHub(redirects=True) as hub:
        online(hub)
        hub.create("datasets", "ORG/name", {"README.md": CARD, "a.parquet": bytes(range(200))})
        api = HfApi(endpoint=hub.url, token=WRITER)
        path = api.hf_hub_download("ORG/name", "a.parquet", repo_type="dataset", cache_dir=tmp_path)
        with pathlib.Path(path).open("rb") as file:
            assert file.read() == bytes(range(200))
        from_cdn = hub.asked("lfs_download")
        assert from_cdn
        assert f":{from_cdn[0].port}" in hub.cdn_url
        assert not any("authorization" in {name.lower() for name in each.headers} for each in from_cdn)
        with HfFileSystem(endpoint=hub.url, token=WRITER).open("datasets/ORG/name/a.parquet") as file:
            file.seek(150)
            assert file.read(5) == bytes(range(150, 155))


def test_a_body_that_is_cut_or_wrong_arrives_so(hub):
    import urllib.error
    import urllib.request

    hub.create("datasets", "ORG/name", {"a.bin": bytes(100)})
    url = f"{hub.url}/datasets/ORG/name/resolve/main/a.bin"
    hub.faults.order("resolve", "garble")
    with urllib.request.urlopen(url) as answer:
        assert answer.read() == bytes(50) + b"\x01" + bytes(49)
    hub.faults.order("resolve", "no_range")
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Range": "bytes=0-9"})) as answer:
        assert (answer.status, len(answer.read())) == (200, 100)
    hub.faults.order("resolve", "cut")
    with urllib.request.urlopen(url) as answer, pytest.raises(Exception, match="50"):
        answer.read()
    hub.faults.order("resolve", status=429, headers={"Retry-After": "7"})
    with pytest.raises(urllib.error.HTTPError) as told:
        urllib.request.urlopen(url)
    assert told.value.headers["Retry-After"] == "7"
