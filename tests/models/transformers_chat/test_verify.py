"""--verify-prefix: requests asked again plainly, what came of it in their responses and at the end of a run."""

from dataclasses import replace

import pytest
from fakes.clip_prompts import QUESTIONS, answers, asks, noise, prompts_of
from fakes.media_group import FakeGroup, make_request, sound

from musebench_tasks import api
from musebench_tasks.api.prefix_checks import Checks, begin, choose
from musebench_tasks.base.records import Limits, MediaPart, MediaSource, Modality, PrefixCheck, PrefixUse
from musebench_tasks.cli import main
from musebench_tasks.inference import Journal, TaskPlan, journal_path
from musebench_tasks.inference.asking import Asking
from musebench_tasks.models import answered
from musebench_tasks.models.transformers_chat import load

LETTERS = ((40,), (50,), (60,))


@pytest.fixture
def model(tiny_chat):
    return tiny_chat("qwen2_audio")


@pytest.fixture
def engine(model, torch):
    from musebench_tasks.models.transformers_chat.engine import Engine

    return Engine(model.weights)


@pytest.mark.parametrize("letters", [(), LETTERS])
def test_only_those_named_are_asked_again(engine, model, letters):
    found = answers(engine, prompts_of(model), asks(letters=letters), check=[1, 3])
    for place, outcome in found.items():
        assert (outcome.prefix.check is not None) == (place in (1, 3))
    assert found[1].prefix.check.is_exact
    assert not found[1].prefix.check.answer_changed
    assert found[1].prefix.check.logit_difference < 1e-5


@pytest.mark.parametrize("letters", [(), LETTERS])
def test_what_changed_is_found(engine, model, monkeypatch, letters):
    from musebench_tasks.models.transformers_chat import engine as module

    prompts, wanted = prompts_of(model), asks(letters=letters)
    answers(engine, prompts, wanted)  # the self-check is over
    original = module.continue_rows

    def otherwise(prefix, rows):
        original(prefix, rows)
        for row in rows:
            row.new = [1 for _ in row.new]
            row.first_logits = -row.first_logits

    monkeypatch.setattr(module, "continue_rows", otherwise)
    check = answers(engine, prompts, wanted, check=[2])[2].prefix.check
    assert (check.is_exact, check.answer_changed) == (False, True)
    assert check.logit_difference > 1


def test_the_processor_reads_the_media_again(engine, model):
    prompts = prompts_of(model)
    worked, processed = [], prompts._processed
    prompts._processed = lambda place: worked.append(place) or processed(place)
    answers(engine, prompts, asks(), check=[2])
    assert worked == [0, 2]


def test_a_model_checks_the_requests_whose_keys_it_is_given(tiny_model):
    requests = tuple(make_request(number, text) for number, text in enumerate(QUESTIONS))
    model = load(str(tiny_model("qwen2_audio")), device="cpu", verify_keys=(requests[1].key,))
    responses = model.answer(FakeGroup(requests, sound(noise(1), 16_000)))
    assert [each.prefix.check is not None for each in responses] == [False, True, False, False]


CLIP = (MediaPart(modality=Modality.AUDIO, source=MediaSource(path="clip.wav")),)


class Unit:
    def __init__(self, *requests, parts=CLIP):
        self.groups = (tuple(each.model_copy(update={"parts": parts}) for each in requests),)


def test_requests_to_check_are_spread_by_their_keys_over_what_is_open(tmp_path):
    requests = [make_request(number) for number in range(40)]
    units = tuple(Unit(*requests[at : at + 4]) for at in range(0, 40, 4))
    plan = TaskPlan(task="t", folder=tmp_path, units=units, limits=Limits())
    chosen, fewer = choose([plan], 6)
    assert (chosen, fewer) == (choose([plan], 6)[0], "")
    assert len({int(key, 16) // 4 for key in chosen}) > 3
    with Journal(journal_path(tmp_path, 0)) as journal:
        journal.append(answered(make_request(int(chosen[0], 16)), "A"))
    later, _ = choose([plan], 6)
    assert later[:5] == chosen[1:]
    keys, fewer = choose([plan], 100)
    assert (len(keys), fewer) == (39, "of 40 in all: 1 answered before")
    elsewhere = tmp_path / "elsewhere"
    with Journal(journal_path(elsewhere, 0)) as journal:
        journal.append(answered(make_request(int(chosen[1], 16)), "A"))
    keys, fewer = choose([replace(plan, reuse=(elsewhere,))], 100)
    assert (len(keys), fewer) == (38, "of 40 in all: 1 answered before, 1 answered in another run or task")


def test_requests_that_share_nothing_are_not_checked(tmp_path):
    one, two = make_request(1), make_request(2)
    units = (Unit(one), Unit(one, one.model_copy(update={"run": 1})), Unit(one, two, parts=()))
    plan = TaskPlan(task="t", folder=tmp_path, units=units, limits=Limits())
    assert choose([plan], 5) == ((), "of 2 in all: 2 sharing no medium with others")


def journal_with(folder, uses):
    """A MODEL/TASK folder; each worker has its own journal."""
    (folder / "responses").mkdir(parents=True)
    (folder / "run.yaml").touch()
    for number, use in enumerate(uses):
        response = answered(make_request(number), "A").model_copy(update={"prefix": use})
        with Journal(journal_path(folder, number)) as journal:
            journal.append(response)


def use_with(logit_difference, is_exact=True, answer_changed=False):
    check = PrefixCheck(logit_difference=logit_difference, is_exact=is_exact, answer_changed=answer_changed)
    return PrefixUse(mode="batched", tokens=9, check=check)


KEYS = tuple(make_request(number).key for number in range(4))


@pytest.mark.parametrize(
    ("uses", "checks", "said"),
    [
        (
            [use_with(2e-6), use_with(1e-6)],
            Checks("m", 2, KEYS[:2]),
            ["2 of 2 requests asked again plainly: logits differ by at most 2.0e-06, no answers changed"],
        ),
        (
            [use_with(0.5, False, True)],
            Checks("m", 1, KEYS[:1]),
            [
                "1 of 1 requests asked again plainly: logits differ by at most 5.0e-01, 1 answer changed. "
                "Ask with --prefix plain and another --out for answers that owe nothing to shared beginnings."
            ],
        ),
        (
            [use_with(2e-6), use_with(1e-6)],
            Checks("m", 5, KEYS[1:2], fewer="of 2 in all: 1 answered before", before=frozenset(KEYS[:1])),
            [
                "1 of 5 requests asked again plainly (of 2 in all: 1 answered before): "
                "logits differ by at most 1.0e-06, no answers changed",
                "1 asked again before, when this run was begun: logits differ by at most 2.0e-06, no answers changed",
            ],
        ),
        (
            [PrefixUse(mode="plain"), PrefixUse(mode="shared", tokens=9)],
            Checks("m", 3, KEYS[:3]),
            [
                "0 of 3 requests asked again plainly (1 read whole in the first place, "
                "1 not asked again, for lack of memory, 1 not asked yet)"
            ],
        ),
        ([use_with(2e-6)], Checks("m", 0), []),
    ],
)
def test_what_was_found_is_told_at_the_end(tmp_path, uses, checks, said):
    journal_with(tmp_path / "m" / "t", uses)
    assert list(api.prefix_lines(tmp_path, ["m"], [checks])) == [("m", line) for line in said]


def test_why_prompts_were_read_whole_is_told_unless_nothing_was_lost(tmp_path):
    reasons = ["self-check: off", "self-check: off", "the prompts share no media", None]
    journal_with(tmp_path / "m" / "t", [PrefixUse(mode="plain", reason=reason) for reason in reasons])
    assert list(api.prefix_lines(tmp_path, ["m"])) == [
        ("t · m", "2 prompts read whole, which takes longer: self-check: off")
    ]


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        (None, "--verify-prefix has no object: the model reads no prompts in this process"),
        ("plain", "--verify-prefix has no object: the model's card has every prompt read whole"),
        ("shared", "0 of 2 requests asked again plainly (of 1 in all: 1 sharing no medium with others)"),
    ],
)
def test_where_there_is_nothing_to_check_that_is_told(tmp_path, prefix, said):
    class Some:
        pass

    model = Some()
    if prefix:
        model.prefix = prefix
    folder = tmp_path / "m" / "t"
    journal_with(folder, [])
    plan = TaskPlan(task="t", folder=folder, units=(Unit(make_request()),), limits=Limits())
    checks = begin("m", model, [plan], 2)
    assert checks.load_options == {}
    assert list(api.prefix_lines(tmp_path, ["m"], [checks])) == [("m", said)]


def test_what_is_taken_over_was_not_checked_here():
    request = make_request()
    earlier = answered(request, "A").model_copy(update={"prefix": use_with(2e-6)})
    asking = Asking(None, Limits(), {request.key: earlier}, lambda: None)
    (response,) = asking.answers_to(Unit(request), lambda key: True)
    assert response.prefix == PrefixUse(mode="batched", tokens=9)


def test_checks_of_what_is_not_done_are_refused(tmp_path, capsys):
    command = ["run", "--model", "transformers:nowhere", "--tasks", "mub_demo", "--out", str(tmp_path / "run")]
    assert main([*command, "--prefix", "plain", "--verify-prefix", "2"]) == 2
    assert "--prefix plain and --verify-prefix contradict each other" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
