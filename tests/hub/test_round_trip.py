"""Built, pushed, loaded by its id, run, handed in, verified: in processes of their own that see only the fake Hub."""

import json
import os
import subprocess
import sys
import textwrap

import pyarrow.parquet as pq
import pytest
import yaml
from fakes.hub import FakeHub

from musebench_tasks.base.resources import METRICS, demo_directory, yaml_configs
from musebench_tasks.items import load_items
from musebench_tasks.tasks import load_task

N_ROWS = 4
pytestmark = pytest.mark.slow


def built(machine, directory, name, first=0, last=N_ROWS):
    """A small repository that is no demonstration, built of a table with some rows of the demonstration."""
    directory.mkdir(parents=True, exist_ok=True)
    table = pq.read_table(demo_directory(name) / "default")
    pq.write_table(table.slice(first, last - first), directory / f"{name}.parquet")
    source = directory / f"{name}.parquet"
    machine.musebench("data", "build", source, "--as", name, "--media", "keep", "--out", directory / name)
    return directory / name


class Machine:
    """A user's machine: an empty folder, fresh caches, and the fake Hub."""

    def __init__(self, hub, folder):
        self.hub, self.folder = hub, folder
        self.variables = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("HF_", "MUSEBENCH_"))},
            **hub.environment(folder),
            "MUSEBENCH_CACHE": str(folder / "cache"),
            "XDG_DATA_HOME": str(folder / "data"),
        }
        (folder / "work").mkdir(parents=True)

    def run(self, *command, code=0, **variables):
        done = subprocess.run(
            [sys.executable, *map(str, command)], cwd=self.folder / "work", env={**self.variables, **variables},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def musebench(self, *arguments, **settings):
        return self.run("-m", "musebench_tasks", *arguments, **settings)

    def python(self, text, **settings):
        return json.loads(self.run("-W", "ignore", "-c", textwrap.dedent(text), **settings).stdout)


@pytest.fixture
def hub():
    with FakeHub(redirects=True) as made:
        yield made


@pytest.fixture
def machine(hub, tmp_path):
    return Machine(hub, tmp_path / "machine")


@pytest.mark.parametrize("name", ["musebench", "mub", "hummusqa"])
def test_25_what_is_loaded_from_the_hub_is_what_was_built(hub, machine, tmp_path, name):
    repository = built(machine, tmp_path, name)
    machine.musebench("data", "push", repository, "--to", f"ORG/{name}")
    loaded = machine.python(f"""
        import json, datasets
        name = "ORG/{name}"
        rows = datasets.load_dataset(name, split="test")
        blind = datasets.load_dataset(name, "blind", split="test")
        gold = datasets.load_dataset(name, "references", split="test", num_proc=2)
        stream = next(iter(datasets.load_dataset(name, "references", split="test", streaming=True)))
        media = next(iter(datasets.load_dataset(name, "blind", split="test", streaming=True)))
        column = "video" if "video" in blind.column_names else "audio"
        plain = [{{key: cell for key, cell in row.items() if key != column}} for row in rows]
        print(json.dumps([plain, [len(blind), blind.column_names], list(gold), stream, len(media[column]["bytes"]),
                          sorted(datasets.get_dataset_config_names(name))]))
    """)
    plain, (n_blind, blind_columns), gold, stream, n_bytes, configs = loaded
    media = "video" if name == "musebench" else "audio"
    written = pq.read_table(repository / "default").drop_columns([media]).to_pylist()
    assert plain == written
    assert gold == pq.read_table(repository / "references").to_pylist()
    assert stream == gold[0]
    assert n_blind == N_ROWS
    assert blind_columns == pq.read_table(repository / "blind").column_names
    assert n_bytes == len(pq.read_table(repository / "blind").column(media)[0].as_py()["bytes"])
    assert configs == ["blind", "default", "references"]


def test_the_pinned_revision_is_loaded_offline_and_no_newer_one(hub, machine, tmp_path):
    first = built(machine, tmp_path / "first", "hummusqa", last=2)
    second = built(machine, tmp_path / "second", "hummusqa", last=3)
    machine.musebench("data", "push", first, "--to", "ORG/hummusqa")
    pinned = hub.repository("datasets", "ORG/hummusqa").head
    count = """
        import json, musebench_tasks, datasets
        from musebench_tasks.registration import load_dataset as registered
        registered.HUB_IDS = {{**registered.HUB_IDS, "hummusqa": "ORG/hummusqa"}}
        registered._pinned_revision = lambda name: {revision!r}
        print(json.dumps(len(datasets.load_dataset("hummusqa", "references", split="test"))))
    """
    assert machine.python(count.format(revision=pinned)) == 2
    machine.musebench("data", "push", second, "--to", "ORG/hummusqa")
    newer = hub.repository("datasets", "ORG/hummusqa").head
    assert machine.python(count.format(revision=newer)) == 3
    assert machine.python(count.format(revision=pinned), HF_HUB_OFFLINE="1") == 2


def test_a_metric_is_loaded_from_its_space(hub, machine):
    done = machine.musebench("metrics", "push", "--to", "ORG")
    assert {name for kind, name in hub.store.repositories if kind == "spaces"} == {f"ORG/{name}" for name in METRICS}
    assert done.stdout.endswith("10 Spaces of ORG are as they should be\n")
    found = machine.python("""
        import json, evaluate
        caa = evaluate.load("ORG/caa", module_type="metric")
        print(json.dumps(caa.compute(predictions=["A", "B"], references=["A", "A"], num_options=4)["accuracy"]))
    """)
    assert found == 0.5


def test_a_set_is_pushed_loaded_run_handed_in_and_verified(hub, machine, tmp_path):
    repository = built(machine, tmp_path, "mub")
    machine.musebench("data", "push", repository, "--to", "ORG/mub")
    hub.create("datasets", "ORG/submissions", {"README.md": b"# Submissions\n"})
    hub.create("models", "ORG/dsp", {"README.md": b"# A model\n"})
    task = machine.folder / "work" / "mub_on_the_hub.yaml"
    whole = yaml_configs() / "tasks" / "mub" / "mub.yaml"
    task.write_text(f"include: {whole}\ntask: mub\ndataset_path: ORG/mub\n")
    machine.musebench("run", "--tasks", task.name, "--model", "dsp", "--out", "run", "--no-report")
    shown = machine.musebench(
        "submit", "run", "--to", "ORG/submissions", "--model-repo", "ORG/dsp", "--dry-run", "--notes", "round trip"
    )
    assert "would be one pull request to datasets/ORG/submissions" in shown.stdout
    assert not hub.repository("datasets", "ORG/submissions").discussions
    for _ in range(2):
        machine.musebench(
            "submit", "run", "--to", "ORG/submissions", "--model-repo", "ORG/dsp", "--notes", "round trip"
        )
    board, model = hub.repository("datasets", "ORG/submissions"), hub.repository("models", "ORG/dsp")
    assert (len(board.discussions), len(model.discussions)) == (1, 1)
    (results,) = (data for path, data in model.files_at("refs/pr/1").items() if path.startswith(".eval_results/"))
    entries = yaml.safe_load(results)
    assert {each["dataset"]["task_id"] for each in entries} == {"key", "tempo", "time_signature", "segments"}
    assert {each["source"]["url"] for each in entries} == {f"{hub.url}/datasets/ORG/submissions/discussions/1"}
    board.merge(1)

    gathered = gathered_files(board, tmp_path / "gathered")
    (submission,) = (path.parent for path in gathered.rglob("submission.yaml"))
    other = Machine(hub, tmp_path / "another")
    here = {"MUSEBENCH_DATA": str(repository.parent)}
    other.musebench("verify", submission, **here)
    other.musebench("leaderboard", "build", gathered, "--out", "first", **here)
    assert "dsp" in (other.folder / "work" / "first" / "index.html").read_text()

    newer = retire_one(machine, repository, tmp_path / "newer")
    machine.musebench("data", "push", newer, "--to", "ORG/mub")
    assert "errata.yaml" in hub.repository("datasets", "ORG/mub").files
    moved = other.musebench("leaderboard", "build", gathered, "--out", "second", MUSEBENCH_DATA=str(newer.parent))
    assert "scored anew, the data changed since" in moved.stdout

    scores = submission / "scores.json"
    scores.write_text(scores.read_text().replace('"value":1.0', '"value":0.5', 1))
    refused = other.musebench("verify", submission, code=1, **here)
    assert "scores.json" in refused.stderr
    left_out = other.musebench("leaderboard", "build", gathered, "--out", "third", code=2, **here)
    assert "left out" in left_out.stderr


def gathered_files(repository, folder):
    """What a clone of a repository holds."""
    for path, data in repository.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def retire_one(machine, repository, directory):
    """The next version of a set: one item fewer, and an errata.yaml that says so."""
    newer = built(machine, directory, "mub", first=1)
    table = pq.read_table(repository / "references" / "test-00000-of-00001.parquet", columns=["id"])
    kept = pq.read_table(newer / "references" / "test-00000-of-00001.parquet", columns=["id"])
    (retired,) = set(table["id"].to_pylist()) - set(kept["id"].to_pylist())
    task = load_task("mub").model_copy(update={"dataset_path": str(repository)})
    entry = {"from_data_sha256": load_items(task).data_sha256, "retired": [retired], "reason": "a wrong tempo"}
    (newer / "errata.yaml").write_text(yaml.safe_dump(entry))
    return newer
