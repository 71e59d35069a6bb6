"""What run.yaml says is held against the task, closed lists and ranges; what nobody can check is kept short."""

import pytest
from fakes.submissions import edit_predictions, edit_run, hand_in

from musebench_tasks import api
from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import BenchmarkBlock, Item, MediaSource, RunConfig
from musebench_tasks.inference.run_folder import make_run_config
from musebench_tasks.models import load_model
from musebench_tasks.submissions.check_run_config import RANGES, declared_problems
from musebench_tasks.tasks import load_task

MEDIUM = MediaSource(path="a.ogg", sha256="0" * 64)
MUSIC = Item(id="a", benchmark="x", kind="single", cluster_id="a", media=MEDIUM, start_s=0.0, end_s=30.0)
SPOKEN = MUSIC.model_copy(update={"id": "b", "transcript": ""})
BLOCK = BenchmarkBlock(name="x", version="1", split="test", data_sha256="0" * 64)


def asked(task, items=(MUSIC,), model="random", conditions=("full", "text_only"), **blocks):
    """run.yaml of a run of `model`, with some fields changed: `media={"fps": 1}`."""
    config = make_run_config(
        load_task(task), load_model(model), tuple(CONDITIONS[each] for each in conditions), benchmark=BLOCK, items=items
    )
    told = config.model_dump(mode="json")
    for name, fields in blocks.items():
        told[name] = {**told[name], **fields} if isinstance(fields, dict) else fields
    return RunConfig.model_validate(told)


def wrong(config, task="hummusqa_demo", items=(MUSIC,)):
    return {each.column: each.message for each in declared_problems(load_task(task), items, config)}


HONEST = {
    "hummusqa_demo": {},
    "musebench_demo": {"conditions": list(CONDITIONS.values())[:4]},
    "mub_demo": {"conditions": ["full"]},
}


@pytest.mark.parametrize("task", HONEST)
def test_what_runs_write_is_accepted(task):
    config = asked(task, **HONEST[task])
    assert wrong(config, task) == {}
    assert wrong(config.model_copy(update={"media": config.media.model_copy(update={"modalities": None})}), task) == {}


def test_models_with_tools_and_with_shorter_sound_are_accepted(tmp_path):
    (tmp_path / "some.py").write_text(
        "def short(q): return 'A'\ndef tooled(q): return 'A'\nshort.max_audio_s = 12.5\ntooled.tools = ['search']\n"
    )
    short = asked("hummusqa_demo", model=f"python:{tmp_path}/some.py:short")
    assert short.media.truncation == "audio after 12.5 s"
    tooled = asked("hummusqa_demo", model=f"python:{tmp_path}/some.py:tooled")
    assert (tooled.protocol.track, tooled.protocol.tools) == ("tool_assisted", ("search",))
    assert [wrong(each) for each in (short, tooled)] == [{}, {}]


@pytest.mark.parametrize(
    "told",
    [
        "audio after 12.5 s",
        "chunks of 20 s",
        "chunks of 20 s, 2.5 s shared",
        "audio after 29 s; chunks of 9 s, 2 s shared",
    ],
)
def test_what_runs_say_of_the_length_of_sound_is_accepted(told):
    assert wrong(asked("hummusqa_demo", media={"truncation": told})) == {}


TRANSCRIPT = {"modalities": ["T"], "audio_route": "transcript"}
UNTRUE = {
    "media.modalities": [
        ("hummusqa_demo", {"media": {"modalities": each}})
        for each in (["T"], ["V", "A", "T"], ["A"], ["T", "T", "A"], ["T", "A", "V"], [])
    ],
    "media.audio_route": [
        ("hummusqa_demo", {"media": {"audio_route": "transcript"}}),
        ("hummusqa_demo", {"media": {"audio_route": "by hand", "modalities": None}}),
        ("hummusqa_demo", {"media": TRANSCRIPT}),
    ],
    "media.truncation": [
        ("hummusqa_demo", {"media": {"truncation": each}})
        for each in (
            *("heard twice", "", "audio after 30 s; heard twice", "audio after 40 s", "audio after 30 s"),
            *("audio after 020 s", "audio after 0 s", "audio after 20.0 s", "audio after \u0662\u0660 s"),
            *(
                "; chunks of 20 s",
                "audio after 20 s; ",
                "chunks of 20 s; audio after 20 s",
                "chunks of 20 s; chunks of 9 s",
            ),
        )
    ],
    "media.frames": [("musebench_demo", {"media": {"frames": each}}) for each in ("the best ones", "x\x1b[2J" * 99)],
    "media.fps": [("hummusqa_demo", {"media": {"fps": 1.0}})],
    "media.narrator_removal": [("mub_demo", {"media": {"narrator_removal": {"method": "x", "version": "1"}}})],
    "protocol.track": [
        ("hummusqa_demo", {"protocol": {"track": "my own"}}),
        ("hummusqa_demo", {"protocol": {"track": "tool_assisted"}}),
        ("hummusqa_demo", {"protocol": {"tools": ["web search"]}}),
        ("mub_demo", {"protocol": {"tools": ["web search"]}}),
        ("mub_demo", {"protocol": {"track": None}}),
    ],
    "prompt.sha256": [
        ("hummusqa_demo", {"prompt": {"sha256": each}}) for each in ("0" * 64, "none", "", "G" * 64, "0" * 10_000)
    ]
    + [("hummusqa_demo", {"prompt": {"system": "You know the answers."}})],
    "schema_version": [("hummusqa_demo", {"schema_version": "99"})],
    "system.name": [("hummusqa_demo", {"system": {"name": "x" * 301}})],
    "system.tier": [("hummusqa_demo", {"system": {"tier": "x" * 201}})],
    "system.revision": [("hummusqa_demo", {"system": {"revision": "9" * 5000}})],
    "protocol.tools[0]": [("hummusqa_demo", {"protocol": {"tools": ["t" * 101], "track": "tool_assisted"}})],
    "protocol.tools": [("hummusqa_demo", {"protocol": {"tools": list("abcdefghijklmnopqrstu"), "track": None}})],
    "harness.packages.a": [("hummusqa_demo", {"harness": {"packages": {"a": "b" * 1000}}})],
    "harness.packages": [("hummusqa_demo", {"harness": {"packages": {"k" * 201: "1"}}})],
}


@pytest.mark.parametrize(
    ("field", "task", "blocks"), [(field, *case) for field, cases in UNTRUE.items() for case in cases]
)
def test_what_no_run_of_the_task_says_is_named_by_field(field, task, blocks):
    conditions = ["full"] if task == "mub_demo" else ["full", "text_only"]
    found = wrong(asked(task, conditions=conditions, **blocks), task)
    assert field in found
    assert all(len(f"{name}{told}") < 400 and "\x1b" not in told for name, told in found.items())


@pytest.mark.parametrize("field", RANGES)
def test_numbers_out_of_their_range_are_named(field):
    low, high = RANGES[field]
    block, name = field.split(".")
    whole = name not in ("temperature", "top_p", "fps")
    for value in (low - 1, high + 1, *([10**400] if whole else [1e300])):
        config = asked("musebench_demo", **{block: {name: value}})
        assert f"should be from {low} to {high}, found " in wrong(config, "musebench_demo")[field]


def test_transcripts_stand_in_for_sound_where_an_item_has_one():
    config = asked("hummusqa_demo", media=TRANSCRIPT)
    assert wrong(config, items=(MUSIC, SPOKEN)) == {}
    noise = asked("hummusqa_demo", conditions=["noise"], media={"modalities": ["T"]})
    assert "media.modalities" in wrong(noise, items=(MUSIC, SPOKEN))


def test_nothing_is_held_against_items_that_are_not_known():
    assert wrong(asked("hummusqa_demo", media={"truncation": "audio after 40 s"}), items=()) == {}


@pytest.mark.parametrize("harness", [{"version": "0.0.1"}, {"name": "lm-eval"}])
def test_a_prompt_of_another_program_need_not_be_known(harness):
    assert wrong(asked("hummusqa_demo", prompt={"sha256": "1" * 64}, harness=harness)) == {}


def test_a_template_of_ones_own_is_not_compared(colours):
    own = colours.folder / "own.jinja"
    own.write_text("{{ question }}")
    task = load_task("hummusqa_demo").model_copy(update={"doc_to_text": str(own)})
    config = asked("hummusqa_demo", prompt={"id": "own", "sha256": "1" * 64})
    assert not list(declared_problems(task, (MUSIC,), config))


@pytest.mark.parametrize("is_stored", [False, True])
def test_boards_and_checks_look_at_it_alike(colours, run_folder, is_stored):
    edit_run(run_folder, decoding={"temperature": -1.0}, media={"modalities": ["T", "V"]})
    api.score(run_folder)
    folder = hand_in(run_folder, colours.folder / "more")
    with pytest.raises(InputError) as caught:
        colours.check(folder, is_stored=is_stored)
    assert 'run.yaml, field "decoding.temperature": should be from 0 to 100, found -1.0.' in str(caught.value)
    assert 'run.yaml, field "media.modalities": should be of T, in this order' in str(caught.value)
    with pytest.raises(InputError) as alone:
        api.validate(folder / "run.yaml", task=str(colours.task_file))
    assert set(str(alone.value).splitlines()) <= set(str(caught.value).splitlines())


def test_a_version_that_the_data_never_had_is_named(colours, run_folder):
    edit_run(run_folder, benchmark={"version": "2.0"})
    api.score(run_folder)
    folder = hand_in(run_folder, colours.folder / "more")
    with pytest.raises(InputError, match=r'field "benchmark.version": "2.0", but the data .* are of version "1.0"'):
        colours.check(folder)
    colours.errata(f"from_data_sha256: {colours.sha256}\nrekeyed: [item-00]\n")
    assert colours.check(folder).config.benchmark.version == "2.0"


def test_runs_and_orders_of_a_new_submission_are_those_of_the_task(colours, run_folder):
    edit_run(run_folder, protocol={"seed": 7})
    api.score(run_folder)
    folder = hand_in(run_folder, colours.folder / "more")
    with pytest.raises(InputError, match='run.yaml, field "protocol.seed": 7, but colours asks with 42'):
        colours.check(folder)
    assert colours.check(folder, is_stored=True).config.protocol.seed == 7


BEGINNINGS = ["No retries.", "", "retry rate 0.0000", "retry rate 0.5 (6 of 12).", "retry rate 0.5000 (5 of 12)."]


@pytest.mark.parametrize("notes", [*BEGINNINGS, "retry rate 0.0000 (0 of 0).", "retry rate 1.5000 (3 of 2)."])
def test_notes_begin_with_a_retry_rate_that_its_numbers_make(colours, submission, notes):
    path = submission / "submission.yaml"
    path.write_text(path.read_text().replace("retry rate 0.0000 (0 of 12).", f"'{notes}'"))
    with pytest.raises(InputError, match=r'submission.yaml, field "notes": ') as caught:
        colours.check(submission)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("notes", ["retry rate not known.", "retry rate 0.0833 (1 of 12). 3 US dollars."])
def test_notes_as_submit_writes_them_are_accepted(colours, submission, notes):
    path = submission / "submission.yaml"
    path.write_text(path.read_text().replace("retry rate 0.0000 (0 of 12).", notes))
    assert colours.check(submission).submission.notes == notes


def test_a_submission_too_large_to_read_is_not_read(colours, submission, monkeypatch):
    monkeypatch.setattr("musebench_tasks.submissions.check.LARGEST_BYTES", 1000)
    with pytest.raises(InputError, match="its files have .* bytes, at most 1000 may be handed in"):
        colours.check(submission)


def test_missing_requests_are_named(colours, run_folder):
    edit_predictions(run_folder, lambda line: None if "item-03" <= line["item_id"] < "item-08" else line)
    api.score(run_folder)
    with pytest.raises(InputError) as caught:
        colours.check(hand_in(run_folder, colours.folder / "more"))
    assert (
        '5 of 12 planned requests are missing under full (item "item-03", run 0; item "item-04", run 0; item "item-05",'
        " run 0; and so on)"
    ) in str(caught.value)


def test_a_rule_of_frames_is_told_as_it_is_written():
    told = wrong(asked("musebench_demo", media={"frames": "best"}), "musebench_demo")["media.frames"]
    assert '"best"' in told
    assert "\\" not in told
