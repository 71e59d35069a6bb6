"""What a line records of media and letters agrees with its condition, its item, run.yaml and the other lines."""

import json

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import (
    Audio,
    BenchmarkBlock,
    Condition,
    Frames,
    Item,
    Prediction,
    RunConfig,
    Status,
    make_options,
)
from musebench_tasks.evaluation.read_answers import LETTER_PROBABILITIES, RULES
from musebench_tasks.inference.run_folder import make_run_config
from musebench_tasks.models import load_model
from musebench_tasks.submissions.check_lines import answering_problem, recorded_problems
from musebench_tasks.tasks import load_task

TASK = load_task("musebench_demo")
OPTIONS = make_options("x", ("a flute", "a harp", "a lute"))
FIRST, SECOND, THIRD = (option.id for option in OPTIONS)
ABOUT = {"benchmark": "x", "kind": "single", "cluster_id": "a", "options": OPTIONS, "start_s": 0.0, "end_s": 30.0}
ITEMS = {
    "spoken": Item(id="spoken", transcript="Welcome.", **ABOUT),
    "mute": Item(id="mute", **ABOUT),
    "endless": Item(id="endless", **{**ABOUT, "end_s": None}),
    "several": Item(id="several", **{**ABOUT, "kind": "multi"}),
}
NATIVE, NONE, WORDS = (Audio(route=route) for route in ("native", "none", "transcript"))


def frames(used=30, available=30, policy="uniform"):
    return Frames(used=used, available=available, policy=policy)


def config(*, kind="model", answering="text", **media):
    made = make_run_config(
        TASK,
        load_model("random"),
        (Condition.FULL,),
        benchmark=BenchmarkBlock(name="x", version="1", split="test", data_sha256="0" * 64),
    )
    told = made.model_dump(mode="json")
    told["system"]["type"], told["decoding"]["answering"] = kind, answering
    return RunConfig.model_validate({**told, "media": {**told["media"], **media}})


def line(condition="full", item="spoken", status=Status.OK, **told):
    return Prediction(item_id=item, run=0, condition=condition, status=status, **told)


def wrong(*lines, **about):
    return [(each.line, each.column) for each in recorded_problems(TASK, config(**about), ITEMS, lines)]


HONEST = [
    [line(each) for each in CONDITIONS.values()],
    [line(each, audio=NONE) for each in CONDITIONS.values()],
    [line(each, audio=NATIVE, frames=frames()) for each in ("full", "noise", "silence", "frozen_frame")],
    [line("no_audio", audio=NONE, frames=frames()), line("no_video", audio=NATIVE), line("text_only", audio=NONE)],
    [line("text_only", audio=NONE, frames=frames(0, 0))],
    [line(audio=NATIVE), line(audio=NONE, item="mute"), line(audio=NATIVE, item="endless", frames=frames(1, 1))],
    [line(audio=WORDS), line(audio=NONE, item="mute"), line("no_audio", audio=NONE)],
    [line(audio=NATIVE), line(status=Status.MEDIA_ERROR, item="mute"), line("text_only")],
    [line(audio=NATIVE.model_copy(update={"seconds": each})) for each in (0.0, 29.99, 30.0, 30.05, None)],
    [line(audio=NATIVE.model_copy(update={"seconds": 9e9}), item="endless")],
    [line(frames=frames(policy="keyframes", used=3, available=3)), line(), line(frames=frames(31, 31))],
]


@pytest.mark.parametrize("lines", HONEST, ids=range(len(HONEST)))
def test_what_systems_record_is_accepted(lines):
    assert wrong(*lines) == wrong(*lines, modalities=None) == []


def seconds(value, audio=NATIVE, **about):
    return line(audio=audio.model_copy(update={"seconds": value}), **about)


UNTRUE = {
    "audio.route": [
        *(line(each, audio=NATIVE) for each in ("text_only", "no_audio")),
        *(line(each, audio=WORDS) for each in ("text_only", "no_audio", "noise", "silence")),
        line(audio=WORDS, item="mute"),
    ],
    "audio.seconds": [
        *(seconds(each) for each in (-1.0, 99_999.0, 33.0)),
        *(seconds(30.0, audio) for audio in (NONE, WORDS)),
    ],
    "frames.used": [
        *(line(each, frames=frames()) for each in ("text_only", "no_video")),
        *(line(frames=frames(used, used)) for used in (60, 10_000)),
    ],
    "frames": [line(frames=frames(-1, 30)), line(frames=frames(1, -30))],
}


@pytest.mark.parametrize(("field", "told"), [(field, told) for field, lines in UNTRUE.items() for told in lines])
def test_what_contradicts_condition_or_medium_is_named(field, told):
    assert wrong(told) == wrong(told, modalities=None) == [(1, field)]


def test_a_condition_in_place_of_another_is_named():
    """Full and text_only exchanged in every line."""
    swapped = [line("text_only", audio=NATIVE), line("full", audio=NONE)]
    assert wrong(*swapped) == [(1, "audio.route")]


@pytest.mark.parametrize(
    ("told", "media", "field"),
    [
        (line(audio=NATIVE), {"modalities": ["T", "V"]}, "audio.route"),
        (line(frames=frames()), {"modalities": ["T", "A"]}, "frames.used"),
        (line(frames=frames(12, 30)), {"max_frames": 8}, "frames.used"),
        (seconds(20.0), {"truncation": "audio after 10 s"}, "audio.seconds"),
    ],
)
def test_what_contradicts_run_yaml_is_named(told, media, field):
    assert wrong(told, **media) == [(1, field)]


@pytest.mark.parametrize(
    ("first", "second", "field"),
    [(NATIVE, None, "audio"), (None, NONE, "audio"), (NATIVE, WORDS, "audio.route"), (WORDS, NATIVE, "audio.route")],
)
def test_lines_of_two_systems_are_told_apart(first, second, field):
    assert wrong(line(audio=first), line(audio=second), line(audio=first)) == [(2, field)]
    assert wrong(line(audio=first), line("no_video", audio=second)) == []
    assert wrong(line(audio=NONE), line(audio=first), line(audio=second))[-1] in ((2, "audio"), (3, field))


def shares(*values):
    return dict(zip((FIRST, SECOND, THIRD), values, strict=True))


def by_letter(chosen=FIRST, given=(0.5, 0.3, 0.2), **told):
    told = {"parsed": (chosen,), "parser": LETTER_PROBABILITIES, **told}
    return line(option_probabilities=shares(*given), **told)


def test_letters_are_the_most_probable_of_a_run_by_letters():
    tied = by_letter(given=(0.4, 0.4, 0.2), parsed=None, status=Status.UNPARSED)
    assert wrong(by_letter(), tied, line(raw="A", parsed=(FIRST,), parser=RULES), answering="letters") == []
    person = by_letter(SECOND, (0.4, 0.4, 0.2), parser=None)
    assert wrong(person, answering="letters", kind="human") == []


@pytest.mark.parametrize(
    ("told", "about", "field"),
    [
        (by_letter(), {}, "option_probabilities"),
        (by_letter(parser=RULES, raw="A"), {}, "option_probabilities"),
        (by_letter(status=Status.UNPARSED, parsed=None), {}, "option_probabilities"),
        (by_letter(), {"kind": "baseline"}, "option_probabilities"),
        (by_letter(parser=RULES, raw="A"), {"answering": "letters"}, "option_probabilities"),
        (by_letter(SECOND), {"answering": "letters"}, "parsed"),
        (by_letter(SECOND, parser=None), {"answering": "letters", "kind": "human"}, "parsed"),
    ],
)
def test_probabilities_that_nobody_gave_are_named(told, about, field):
    assert wrong(told, **about) == [(1, field)]


def test_a_run_by_letters_has_letters():
    text = line(raw="A", parsed=(FIRST,), parser=RULES)
    several = line(raw="A", parsed=(FIRST,), parser=RULES, item="several")
    letters = config(answering="letters")
    assert answering_problem(letters, ITEMS, [text, several]).column == "decoding.answering"
    assert answering_problem(letters, ITEMS, [text, by_letter()]) is None
    assert answering_problem(letters, ITEMS, [several, line(status=Status.TIMEOUT)]) is None
    assert answering_problem(config(answering="letters", kind="human"), ITEMS, [text]) is None
    assert answering_problem(config(), ITEMS, [text]) is None


@pytest.mark.parametrize(("raw", "given", "answering"), [("A", None, "text"), (None, (0.5, 0.3, 0.2), "letters")])
def test_what_is_repeated_was_answered_as_before(tmp_path, raw, given, answering):
    told = {"item_id": "spoken", "raw": raw, "option_probabilities": given and shares(*given)}
    (tmp_path / "answers.jsonl").write_text(json.dumps(told) + "\n")
    assert load_model(f"replay:{tmp_path / 'answers.jsonl'}").answering == answering
