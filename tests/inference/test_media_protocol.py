"""The terms on which a model is asked: track, tools, chosen frames, parts of sound; all in the key and in run.yaml."""

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import (
    BenchmarkBlock,
    Chunks,
    Condition,
    Item,
    Kind,
    Limits,
    MediaSource,
    Modality,
    TaskConfig,
    make_options,
)
from musebench_tasks.inference import build_requests, plan_units, unsupported
from musebench_tasks.inference.media_protocol import notices
from musebench_tasks.inference.run_folder import make_run_config

FULL = (Condition.FULL,)
BENCHMARK = BenchmarkBlock(name="b", version="1", split="test", data_sha256="0" * 64)


def model(**changes):
    fields = {"name": "m", "revision": "1", "kinds": frozenset(Kind), "takes_audio_parts": True}
    limits = changes.pop("limits", {"max_audio_s": 30.0, "sample_rate": 16_000})
    fields["limits"] = Limits(**{"modalities": frozenset(Modality), **limits})
    return type("Model", (), {**fields, **changes})()


def task(**protocol):
    content = {
        "task": "t",
        "dataset_path": "d",
        "protocol": {"media": ["video", "audio"], "conditions": ["full", "no_audio", "text_only"], **protocol},
        "metric_list": [{"metric": "accuracy"}],
        "metadata": {"headline": "accuracy"},
    }
    return TaskConfig.model_validate(content)


def item(name="one", end_s=100.0, **changes):
    content = {"id": name, "benchmark": "b", "kind": "single", "question": f"Who sings in {name}?", "cluster_id": "c"}
    source = MediaSource(path="a.mp4", sha256="f" * 64)
    options = make_options(name, ["oboe", "horn", "harp"])
    return Item.model_validate(
        {**content, "options": options, "media": source, "start_s": 0.0, "end_s": end_s, **changes}
    )


def sound_of(asked, of=None, to=None):
    (request,) = build_requests(asked, [of or item()], to or model(), FULL)
    return next(part for part in request.parts if part.modality is Modality.AUDIO), request


def config_of(asked, to, items=None):
    return make_run_config(asked, to, FULL, benchmark=BENCHMARK, items=items or [item()])


@pytest.mark.parametrize(
    ("chunking", "limit", "seconds"),
    [({"seconds": "limit"}, 30.0, 30.0), ({"seconds": 20}, 30.0, 20.0), ({"seconds": 60}, 30.0, 30.0),
     ({"seconds": 20}, None, 20.0), ({"seconds": "limit"}, None, None)],
)  # fmt: skip
def test_parts_are_as_long_as_declared_and_no_longer_than_the_model_takes(chunking, limit, seconds):
    to = model(limits={"max_audio_s": limit})
    part, request = sound_of(task(chunking=chunking), to=to)
    assert part.chunks == (None if seconds is None else Chunks(seconds=seconds))
    assert part.max_audio_s is None
    assert ("parts of" in request.prompt) == (seconds is not None)
    assert config_of(task(chunking=chunking), to).media.truncation == (f"chunks of {seconds:g} s" if seconds else None)


def test_what_fits_into_one_part_is_asked_as_ever():
    whole, request = sound_of(task(chunking={"seconds": "limit"}), of=item(end_s=30.0))
    assert whole.chunks is None
    assert request.key == sound_of(task(), of=item(end_s=30.0))[1].key


def test_parts_that_share_their_edges_say_so_to_the_model():
    chunking = {"seconds": 30, "overlap_s": 5}
    _, request = sound_of(task(chunking=chunking))
    assert "each beginning with the last 5 seconds of the part before it" in request.prompt
    assert config_of(task(chunking=chunking), model()).media.truncation == "chunks of 30 s, 5 s shared"


def test_a_model_that_takes_less_than_its_parts_share_is_not_asked():
    asked = task(chunking={"seconds": 60, "overlap_s": 30})
    assert "should share 30 s" in unsupported(asked, [item()], model(), Condition.FULL)


def test_a_model_that_takes_no_parts_is_cut_and_that_is_said():
    deaf_to_parts = model(takes_audio_parts=False)
    asked = task(chunking={"seconds": "limit"})
    part, _ = sound_of(asked, to=deaf_to_parts)
    assert (part.chunks, part.max_audio_s) == (None, 30.0)
    assert config_of(asked, deaf_to_parts).media.truncation == "audio after 30 s"


def test_a_cut_is_said_before_asking_with_what_to_do():
    items = [item(end_s=20.0), item("two"), item("three", end_s=None, start_s=None)]
    (line,) = notices(task(), items, model(), FULL)
    assert line.startswith("m takes 30 s of sound; 2 of 3 items are longer")
    assert "--chunk limit" in line
    assert not list(notices(task(chunking={"seconds": "limit"}), items, model(), FULL))
    assert not list(notices(task(), items[:1], model(), FULL))


def test_the_tasks_own_limit_is_recorded_and_needs_no_notice():
    asked = task(max_audio_s=10, chunking={"seconds": 4})
    assert config_of(asked, model()).media.truncation == "audio after 10 s; chunks of 4 s"
    assert not list(notices(task(max_audio_s=10), [item()], model(), FULL))


def test_sound_that_nothing_cuts_is_called_whole():
    assert config_of(task(max_audio_s=100), model(limits={"max_audio_s": 600})).media.truncation is None


@pytest.mark.parametrize(
    "protocol",
    [{"frames": "keyframes"}, {"frames": "scene_changes"}, {"frames": "scene_changes:0.5"},
     {"chunking": {"seconds": 20}}, {"chunking": {"seconds": "limit", "overlap_s": 2}}],
)  # fmt: skip
def test_frames_and_parts_belong_to_the_key(protocol):
    keys = {sound_of(task(**each))[1].key for each in ({}, {"frames": "uniform"}, protocol)}
    assert len(keys) == 2


@pytest.fixture
def scorer(tmp_path):
    path = tmp_path / "score.py"
    path.write_text("def fit(frames, text):\n    return [1.0] * len(frames)\n")
    return path


def test_frames_chosen_by_the_question_know_its_words_alone(scorer):
    asked = task(frames=f"query:python:{scorer}:fit", runs=2, option_order="shuffled")
    requests = build_requests(asked, [item(), item("two")], model(), FULL)
    policies = [part.frame_policy for each in requests for part in each.parts if part.modality is Modality.VIDEO]
    assert [each.text for each in policies] == ["Who sings in one?"] * 2 + ["Who sings in two?"] * 2
    assert not any("oboe" in each.canonical_json() for each in policies)
    (unit,) = plan_units(requests)
    assert [{each.item_id for each in group} for group in unit.groups] == [{"one"}, {"two"}]


def test_where_a_scorer_lies_is_not_in_the_key_and_what_it_does_is(scorer, tmp_path):
    def key(path):
        return sound_of(task(frames=f"query:python:{path}:fit"))[1].key

    elsewhere = tmp_path / "other.py"
    elsewhere.write_bytes(scorer.read_bytes())
    assert key(scorer) == key(elsewhere)
    changed = tmp_path / "changed.py"
    changed.write_text(scorer.read_text().replace("1.0", "2.0"))
    assert key(changed) != key(scorer)


def test_the_configuration_names_rule_and_scorer_without_their_place(scorer):
    media = config_of(task(frames=f"query:python:{scorer}:fit"), model()).media
    assert media.frames == "query:python:score.py:fit"
    assert media.frame_scorer.startswith("fit ")
    assert config_of(task(frames="keyframes"), model()).media.frames == "keyframes"
    assert config_of(task(), model()).media.frames is None


def test_an_item_without_a_question_cannot_choose_frames_by_it(scorer):
    asked = task(frames=f"query:python:{scorer}:fit")
    assert "not every item has one" in unsupported(asked, [item(question=None)], model(), Condition.FULL)
    hearing = model(limits={"modalities": ["audio"]})
    assert unsupported(asked, [item(question=None)], hearing, CONDITIONS["text_only"]) is None


def test_an_unknown_rule_names_the_task():
    with pytest.raises(InputError, match=r"t: \"every second\" is no way"):
        build_requests(task(frames="every second"), [item()], model(), FULL)


@pytest.mark.parametrize(
    ("declared", "tools", "track"),
    [((), {}, "native_audio"), (("web search",), {}, "tool_assisted"),
     ((), {"track": "tool_assisted", "tools": ["code"]}, "tool_assisted")],
)  # fmt: skip
def test_a_model_with_tools_is_on_a_track_apart(declared, tools, track):  # MU-08
    protocol = config_of(task(**{"track": "native_audio", **tools}), model(tools=declared)).protocol
    assert protocol.track == track
    assert protocol.tools == (*tools.get("tools", ()), *declared)


def test_a_card_declares_tools_and_context(tmp_path):
    from musebench_tasks.models import load_model

    path = tmp_path / "agent.yaml"
    path.write_text("spec: random\ntools: [beat tracker]\ncontext_tokens: 32768\n")
    config = config_of(task(track="native_audio"), load_model(str(path)))
    assert (config.protocol.track, config.protocol.tools) == ("tool_assisted", ("beat tracker",))
    assert config.decoding.context_tokens == 32_768


def test_orders_are_the_same_for_every_model(tmp_path):  # HQ-09
    asked = task(runs=4, option_order="shuffled")
    items = [item(f"q{number}") for number in range(20)]
    deaf = model(name="n", revision="9", limits={"modalities": ["video"], "max_frames": 2})
    orders = [
        [(each.item_id, each.run, each.option_order) for each in build_requests(asked, items, to, (condition,))]
        for to in (model(), deaf)
        for condition in (CONDITIONS["text_only"], CONDITIONS["no_audio"])
    ]
    assert orders[0] == orders[1] == orders[2] == orders[3]
    assert len({order for item_id, _, order in orders[0] if item_id == "q3"}) > 1
