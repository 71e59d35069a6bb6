"""Tiny dataset repositories in the layout that `data build` writes."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from musebench_tasks.base.records import make_options
from musebench_tasks.tasks import load_task

MEDIA = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def write_parquet(path, rows, media=None):
    """`rows` as Parquet; the column `media` as datasets stores undecoded media."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist([{name: value for name, value in row.items() if name != media} for row in rows])
    if media:
        table = table.append_column(media, pa.array([row[media] for row in rows], MEDIA))
    pq.write_table(table, path, row_group_size=2)


def card(**patterns):
    """A README that declares configurations by name."""
    lines = ["---", "configs:"]
    for name, pattern in patterns.items():
        lines += [f"- config_name: {name}", "  data_files:", "  - split: test", f"    path: {pattern}"]
        lines += ["  default: true"] if name == "default" else []
    return "\n".join([*lines, "---", "# A dataset", ""])


def clip(number):
    return {"bytes": f"clip {number}".encode(), "path": f"{number}.mp4"}


def musebench_row(number, kind="single", answer=(0,), category="Game"):
    options = make_options(f"mb-{number}", [f"option {letter}" for letter in "pqrst"])
    return {
        "id": f"mb-{number}",
        "video": clip(number),
        "start_s": 0.0,
        "end_s": 10.0,
        "cluster_id": f"video-{number // 2}",
        "category": category,
        "subdomain": "CG",
        "kind": kind,
        "question": f"What is seen in {number}?",
        "options": [option.model_dump() for option in options],
        "transcript": None,
        "alignment": "visual",
        "license": "CC-BY-4.0",
        "attribution": "nobody",
        "version": "1.2",
        "answer": [options[position].id for position in answer],
        "correct_answer": [options[position].text for position in answer],
        "core_intent": "secret",
    }


GOLD = ("answer", "correct_answer", "core_intent")


def write_musebench(directory, rows, configs=("default", "blind", "references")):
    views = {
        "default": (rows, "video"),
        "blind": ([{name: value for name, value in row.items() if name not in GOLD} for row in rows], "video"),
        "references": ([{name: row[name] for name in ("id", *GOLD)} for row in rows], None),
    }
    for name in configs:
        write_parquet(directory / name / "test-00000-of-00001.parquet", *views[name])
    (directory / "README.md").write_text(card(**{name: f"{name}/test-*.parquet" for name in configs}))
    return directory


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty current folder and an index of its own."""
    monkeypatch.setenv("MUSEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MUSEBENCH_DATA", raising=False)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def musebench(here):
    """Writes ./musebench and gives its task."""

    def write(rows, configs=("default", "blind", "references")):
        write_musebench(here / "musebench", rows, configs)
        return load_task("musebench")

    return write


@pytest.fixture
def choice_task(here):
    """A task over the folder `set`, with `columns` as given."""

    def make(columns="{}", more=""):
        path = here / "mine.yaml"
        path.write_text(
            f"task: mine\ndataset_path: set\ncolumns: {columns}\n{more}\n"
            "metric_list: [{metric: accuracy}]\nmetadata: {headline: accuracy}\n"
        )
        (here / "set").mkdir(exist_ok=True)
        return load_task(path)

    return make
