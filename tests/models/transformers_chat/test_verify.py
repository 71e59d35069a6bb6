"""--verify-prefix: requests asked again plainly, what came of it in their responses and at the end of a run."""

import json

import pytest
from fakes.clip_prompts import QUESTIONS, answers, asks, noise, prompts_of
from fakes.media_group import FakeGroup, make_request, sound

from musebench_tasks import api
from musebench_tasks.inference import TaskPlan
from musebench_tasks.models.transformers_chat import load
from musebench_tasks.records import Limits, MediaPart, MediaSource, Modality, PrefixCheck, PrefixUse

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
    from musebench_tasks.api.prefix_checks import keys_to_check
    from musebench_tasks.inference import Journal, journal_path
    from musebench_tasks.models import answered

    requests = [make_request(number) for number in range(40)]
    units = tuple(Unit(*requests[at : at + 4]) for at in range(0, 40, 4))
    plan = TaskPlan(task="t", folder=tmp_path, units=units, limits=Limits())
    chosen = keys_to_check([plan], 6)
    assert chosen == keys_to_check([plan], 6)
    assert len({int(key, 16) // 4 for key in chosen}) > 3
    with Journal(journal_path(tmp_path, 0)) as journal:
        journal.append(answered(make_request(int(chosen[0], 16)), "A"))
    later = keys_to_check([plan], 6)
    assert later[:5] == chosen[1:]
    assert len(keys_to_check([plan], 100)) == 39


def test_requests_that_share_nothing_are_not_checked(tmp_path):
    from musebench_tasks.api.prefix_checks import keys_to_check

    one, two = make_request(1), make_request(2)
    units = (Unit(one), Unit(one, one.model_copy(update={"run": 1})), Unit(one, two, parts=()))
    assert keys_to_check([TaskPlan(task="t", folder=tmp_path, units=units, limits=Limits())], 5) == ()


def line_of(number, use, worker=0):
    return json.dumps({"key": f"{number:064x}", "item_id": "i", "prefix": use.model_dump(exclude_none=True)})


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        (
            [(2e-6, True, False), (1e-6, True, False)],
            "2 requests asked again plainly: logits differ by at most 2.0e-06, no answers changed",
        ),
        (
            [(0.5, False, True)],
            "1 request asked again plainly: logits differ by at most 5.0e-01, 1 answer changed. "
            "Ask with --prefix plain and another --out for answers that owe nothing to shared beginnings.",
        ),
    ],
)
def test_what_was_found_is_told_at_the_end(tmp_path, checks, said):
    folder = tmp_path / "m" / "t"
    (folder / "responses").mkdir(parents=True)
    (folder / "run.yaml").touch()
    uses = [
        PrefixUse(
            mode="batched",
            tokens=9,
            check=PrefixCheck(logit_difference=difference, is_exact=is_exact, answer_changed=changed),
        )
        for difference, is_exact, changed in checks
    ]
    for worker, use in enumerate(uses):  # each worker has its own journal
        text = line_of(worker, use).replace('": ', '":').replace(', "', ',"')
        (folder / "responses" / f"worker-{worker}.jsonl").write_text(f"{text}\n")
    assert list(api.prefix_lines(tmp_path, ["m"])) == [("t · m", said)]


def test_why_prompts_were_read_whole_is_told_unless_nothing_was_lost(tmp_path):
    folder = tmp_path / "m" / "t"
    (folder / "responses").mkdir(parents=True)
    (folder / "run.yaml").touch()
    reasons = ["self-check: off", "self-check: off", "the prompts share no media", None]
    lines = [line_of(number, PrefixUse(mode="plain", reason=reason)) for number, reason in enumerate(reasons)]
    text = "\n".join(lines).replace('": ', '":').replace(', "', ',"')
    (folder / "responses" / "worker-0.jsonl").write_text(f"{text}\n")
    assert list(api.prefix_lines(tmp_path, ["m"])) == [
        ("t · m", "2 prompts read whole, which takes longer: self-check: off")
    ]


@pytest.mark.parametrize(
    ("prefix", "count", "said"),
    [
        (None, 2, "reads no prompts in this process"),
        ("plain", 2, "reads every prompt whole"),
        ("shared", 2, "no open request shares its medium with another"),
        ("shared", 0, None),
    ],
)
def test_where_there_is_nothing_to_check_that_is_told(tmp_path, prefix, count, said):
    from musebench_tasks.api.prefix_checks import begin

    class Some:
        pass

    model, told = Some(), []
    if prefix:
        model.prefix = prefix
    plan = TaskPlan(task="t", folder=tmp_path, units=(Unit(make_request()),), limits=Limits())
    assert begin(model, [plan], count, told.append) == {}
    assert not hasattr(model, "verify_keys")
    assert (said is None and not told) or said in told[0]
