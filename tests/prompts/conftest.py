import pytest

from musebench_tasks.base.records import (
    Item,
    Kind,
    MediaSource,
    MetricConfig,
    Protocol,
    TaskConfig,
    TaskMetadata,
    make_options,
)

SECRETS = {
    "id": "secret-id-0001",
    "benchmark": "secret-benchmark",
    "media": MediaSource(
        path="/secret-folder/secret-file.mp4", row=3, column="secret-col", sha256="5ec4e7" * 10 + "beef"
    ),
    "start_s": 8101.5,
    "end_s": 8131.5,
    "duration_s": 30.0,
    "alignment": "secret-alignment",
    "cluster_id": "secret-cluster",
    "category": "secret-category",
    "subdomain": "secret-subdomain",
    "difficulty": "secret-difficulty",
    "tags": ("secret-tag",),
    "license": "secret-license",
    "attribution": "secret-title by secret-artist",
}


@pytest.fixture
def make_task():
    def make(kind="choice", media=("video", "audio"), fields=(), **changes):
        return TaskConfig(
            task="some_task",
            dataset_path="some/data",
            kind=kind,
            protocol=Protocol(media=media, fields=fields),
            metric_list=(MetricConfig(metric="accuracy"),),
            metadata=TaskMetadata(headline="accuracy"),
            **changes,
        )

    return make


@pytest.fixture
def make_item():
    def make(kind=Kind.SINGLE, texts=("Violin", "Trumpet", "Oboe", "Harp"), question="Which instrument leads?", **more):
        values = {**SECRETS, "kind": kind, "question": question, **more}
        return Item(options=make_options(values["id"], texts), **values)

    return make
