"""The request key: everything that can change an answer, and nothing else."""

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, Item, Kind, Limits, MediaSource, Modality, TaskConfig, make_options
from musebench_tasks.inference import build_requests, unsupported


class Model:
    name, revision = "m", "1"
    kinds = frozenset(Kind)
    limits = Limits(modalities=frozenset(Modality))


def task(**changes):
    content = {
        "task": "t",
        "dataset_path": "d",
        "protocol": {"media": ["video", "audio"], "conditions": ["full", "text_only", "silence", "no_audio"]},
        "metric_list": [{"metric": "accuracy"}],
        "metadata": {"headline": "accuracy"},
    }
    protocol = {**content["protocol"], **changes.pop("protocol", {})}
    return TaskConfig.model_validate({**content, **changes, "protocol": protocol})


def item(name="one", path="a.mp4", sha256="f" * 64, **changes):
    options = make_options(name, ["oboe", "horn", "harp"])
    content = {"id": name, "benchmark": "b", "kind": "single", "question": "Which?", "cluster_id": "c"}
    source = MediaSource(path=path, sha256=sha256, **changes.pop("source", {}))
    return Item.model_validate(
        {**content, "options": options, "media": source, "start_s": 0.0, "end_s": 9.0, **changes}
    )


def keys(asked=None, of=None, model=None, conditions=(Condition.FULL,)):
    return [request.key for request in build_requests(asked or task(), [of or item()], model or Model(), conditions)]


def limited(**limits):
    model = Model()
    model.limits = Limits(modalities=frozenset(Modality), **limits)
    return model


def named(**names):
    model = Model()
    for name, value in names.items():
        setattr(model, name, value)
    return model


@pytest.mark.parametrize(
    "changed",
    [
        {"of": item("two")},
        {"of": item(sha256="e" * 64)},
        {"of": item(question="What?")},
        {"of": item(start_s=1.0)},
        {"of": item(end_s=8.0)},
        {"of": item(kind="multi")},
        {"asked": task(protocol={"fps": 2})},
        {"asked": task(protocol={"max_frames": 4})},
        {"asked": task(protocol={"max_pixels": 4})},
        {"asked": task(protocol={"max_audio_s": 4})},
        {"asked": task(protocol={"sample_rate": 8000})},
        {"asked": task(protocol={"media": ["video"]})},
        {"asked": task(protocol={"option_order": "shuffled", "seed": 3})},
        {"asked": task(system="Be brief.")},
        {"asked": task(generation_kwargs={"max_gen_toks": 4})},
        {"asked": task(generation_kwargs={"do_sample": True, "temperature": 1.0})},
        {"model": named(name="n")},
        {"model": named(revision="2")},
        {"model": limited(max_frames=4)},
        {"model": limited(max_audio_s=4)},
        {"model": limited(sample_rate=8000)},
        {"conditions": (CONDITIONS["silence"],)},
        {"conditions": (CONDITIONS["no_audio"],)},
        {"conditions": (CONDITIONS["text_only"],)},
    ],
)
def test_what_can_change_the_answer_changes_the_key(changed):
    assert keys(**changed) != keys()


@pytest.mark.parametrize(
    "changed",
    [
        {"asked": task(task="another")},
        {"asked": task(metadata={"headline": "accuracy", "version": 9})},
        {"of": item(path="elsewhere.mp4")},
        {"of": item(path="test.parquet", source={"row": 7, "column": "video"})},
        {"of": item(category="Game", license="CC0-1.0", cluster_id="d", tags=("x",))},
        {"model": limited(max_frames=None)},
    ],
)
def test_what_cannot_leaves_it(changed):
    assert keys(**changed) == keys()


def test_runs_share_a_greedy_answer_to_the_same_words_and_draw_apart_when_sampled():
    greedy = build_requests(task(protocol={"runs": 3}), [item()], Model(), (Condition.FULL,))
    assert len({request.key for request in greedy}) == 1
    settings = {"do_sample": True, "temperature": 1.0, "seed": 5}
    sampled = build_requests(
        task(protocol={"runs": 3}, generation_kwargs=settings), [item()], Model(), (Condition.FULL,)
    )
    assert len({request.key for request in sampled}) == 3
    assert [request.generation.seed for request in sampled] == [5, 6, 7]


def test_a_condition_takes_its_streams_away():
    conditions = (Condition.FULL, CONDITIONS["no_audio"], CONDITIONS["text_only"])
    requests = {each.condition: each for each in build_requests(task(), [item()], Model(), conditions)}
    streams = {condition: {part.modality for part in request.parts} for condition, request in requests.items()}
    assert streams[Condition.FULL] == {Modality.VIDEO, Modality.AUDIO}
    assert streams[CONDITIONS["no_audio"]] == {Modality.VIDEO}
    assert streams[CONDITIONS["text_only"]] == set()


def test_a_model_without_ears_is_asked_only_where_every_item_has_a_transcript():
    deaf = Model()
    deaf.limits = Limits(modalities=frozenset({Modality.VIDEO}))
    assert "transcript" in unsupported(task(), [item()], deaf, Condition.FULL)
    assert unsupported(task(), [item()], deaf, CONDITIONS["no_audio"]) is None
    told = item(transcript="Hello.")
    assert unsupported(task(), [told], deaf, Condition.FULL) is None
    (request,) = build_requests(task(), [told], deaf, (Condition.FULL,))
    assert (request.audio_route, {part.modality for part in request.parts}) == ("transcript", {Modality.VIDEO})
    assert "Hello." in request.prompt
