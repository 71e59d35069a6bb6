"""What was answered before, again."""

import json
import time
import tracemalloc

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Received, Status
from musebench_tasks.models import load_model
from musebench_tasks.models.protocol import answered, failed


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / "answers.jsonl"
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return path

    return write


@pytest.fixture
def replay(write, make_group):
    def replay(request, *lines):
        group = make_group(request)
        (response,) = load_model(f"replay:{write(*lines)}").answer(group)
        assert group.decoded == []
        return response

    return replay


def test_a_response_of_another_model_is_repeated_with_all_it_tells(replay, make_request):
    request = make_request()
    received = Received(audio_route="native", audio_s=30.0, frames_used=4)
    told = answered(request, "B", received=received, finish_reason="stop").model_dump(mode="json")
    response = replay(request, {**told, "key": "of-another-model"})
    assert (response.raw, response.finish_reason, response.received) == ("B", "stop", received)
    assert response.key == request.key


def test_the_key_goes_before_the_place(replay, make_request):
    request = make_request()
    place = answered(request, "A").model_dump(mode="json")
    response = replay(request, {**place, "key": "other"}, {**place, "raw": "C", "item_id": "another-name"})
    assert response.raw == "C"


def test_a_prediction_is_repeated(replay, make_request):
    request = make_request(run=2, condition=CONDITIONS["no_video"])
    line = {
        "item_id": request.item_id,
        "run": 2,
        "condition": "no_video",
        "option_order": list(request.option_order),
        "raw": "D",
        "parsed": ["x"],
        "status": "ok",
        "frames": {"available": 60, "used": 32, "policy": "uniform"},
        "audio": {"route": "transcript", "seconds": None},
    }
    response = replay(request, line)
    assert response.raw == "D"
    assert (response.received.frames_used, response.received.audio_route) == (32, "transcript")


def test_a_line_by_hand_needs_item_and_text_only(replay, make_request):
    assert replay(make_request(), {"item_id": "item-1", "raw": "C"}).raw == "C"


def test_letter_probabilities_without_text_are_repeated(replay, make_request):
    request = make_request()
    shares = dict.fromkeys(request.option_order, 0.25)
    response = replay(request, {"item_id": "item-1", "raw": None, "option_probabilities": shares})
    assert response.option_probabilities == shares


def test_another_option_order_is_an_error_that_says_so(replay, make_request):
    request = make_request()
    line = answered(request, "A").model_dump(mode="json") | {"key": "x"}
    response = replay(request, {**line, "option_order": line["option_order"][::-1]})
    assert response.failure is Status.BACKEND_ERROR
    assert "answers.jsonl line 1: answered with the options in the order" in response.error
    assert response.raw is None


@pytest.mark.parametrize("changes", [{"item_id": "other"}, {"run": 1}, {"condition": "silence"}])
def test_a_request_without_a_line_is_an_error_that_says_so(replay, make_request, changes):
    response = replay(make_request(), {"item_id": "item-1", "raw": "C", **changes})
    assert (response.failure, response.error) == (Status.BACKEND_ERROR, "not in answers.jsonl")


def test_failures_are_repeated_unless_an_answer_follows(replay, make_request):
    request = make_request()
    failure = failed(request, Status.TIMEOUT, "no answer within 9 s").model_dump(mode="json")
    answer = answered(request, "B").model_dump(mode="json")
    assert (replay(request, failure).failure, replay(request, failure).error) == ("timeout", "no answer within 9 s")
    assert replay(request, failure, answer, {**answer, "raw": "C"}).raw == "B"


def test_a_failed_prediction_is_repeated(replay, make_request):
    response = replay(make_request(), {"item_id": "item-1", "raw": None, "status": "media_error"})
    assert (response.failure, response.error) == ("media_error", "media_error in answers.jsonl line 1")


def test_a_folder_of_worker_files_is_read(tmp_path, make_group, make_request):
    for number, item in enumerate(("item-0", "item-1")):
        (tmp_path / f"worker-{number}.jsonl").write_text(json.dumps({"item_id": item, "raw": "ABCD"[number]}))
    (response,) = load_model(f"replay:{tmp_path}").answer(make_group(make_request()))
    assert response.raw == "B"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (['{"item_id": "x", "raw'], r"answers\.jsonl line 1: not a response or prediction"),
        (["", "[1]"], r"answers\.jsonl line 2: not a response"),
        ([{"item_id": "x"}], r"line 1: 'raw' is missing"),
        ([{"raw": "A"}], r"line 1: 'item_id' is missing"),
        ([{"item_id": "x", "raw": 3}], r'line 1: .*"raw" is 3, not a text'),
        ([{"item_id": "x", "raw": "A"}, {"item_id": "x", "raw": "B"}], r"line 2: item x, .* stands in line 1 already"),
        ([{"item_id": "x", "raw": "A", "received": {"speed": 1}}], r'line 1: .*"received\.speed" is 1'),
        (
            [{"item_id": "x", "raw": "A"}, {"item_id": ["x"], "raw": "A"}],
            r'line 2: .*"item_id" is \["x"\]: should be text',
        ),
        ([{"item_id": 1.5, "raw": "A"}], r'line 1: .*"item_id" is 1\.5'),
        ([{"item_id": True, "raw": "A"}], r'line 1: .*"item_id" is true'),
        ([{"item_id": "x", "raw": "A", "run": "first"}], r'line 1: .*"run" is "first": should be a whole number'),
        ([{"item_id": "x", "raw": "A", "run": 0.5}], r'line 1: .*"run" is 0\.5'),
        ([{"item_id": "x", "raw": "A", "condition": "silense"}], r'"condition" is "silense" \(nearest: silence\): '),
        ([{"item_id": "x", "raw": "A", "option_order": "abc"}], r'"option_order" is "abc"'),
        ([{"item_id": "x", "raw": "A", "option_probabilities": [1]}], r'"option_probabilities" is \[1\]'),
        ([{"item_id": "x", "raw": "A", "key": 7}], r'"key" is 7'),
        ([{"item_id": "x", "raw": "A", "frames": [1]}], r'"frames" is \[1\], not an object'),
        ([{"item_id": "x", "raw": None, "status": "time_out"}], r'"status" is "time_out" \(nearest: timeout\)'),
        ([{"item_id": "x", "raw": "A", "status": {}}], r'"status" is {}'),
        ([[{"item_id": "x", "raw": "A"}]], r"line 1: .*a JSON list; write each answer as one object on a line"),
        (["[", ' {"item_id": "x", "raw": "A"}', "]"], r"line 1: .*a JSON list"),
        (["3"], r"line 1: .*every line is one JSON object"),
        (["[" * 100_000], r"line 1: .*a JSON list"),
        (['{"item_id":' * 100_000], r"line 1: not a response or prediction"),
    ],
)
def test_a_faulty_file_names_its_line(write, lines, told):
    with pytest.raises(InputError, match=told):
        load_model(f"replay:{write(*lines)}")


def test_a_faulty_file_of_a_folder_is_named_with_its_own_line(tmp_path):
    (tmp_path / "worker-0.jsonl").write_text('{"item_id": "x", "raw": "A"}\n')
    (tmp_path / "worker-1.jsonl").write_text('{"item_id": "y", "raw": "A"}\n{"item_id": "x", "raw": "B"}\n')
    told = r"worker-1\.jsonl line 2: item x, run 0, condition full stands in worker-0\.jsonl line 1 already"
    with pytest.raises(InputError, match=told):
        load_model(f"replay:{tmp_path}")


def test_numbers_as_item_ids_are_texts(replay, make_request):
    assert replay(make_request(item_id="17"), {"item_id": 17, "raw": "C", "run": "0"}).raw == "C"


def test_lines_that_belong_to_nothing_are_told_in_one(write, make_request):
    asked = (make_request(item_id="item-1"), make_request(item_id="item-2", run=1))
    keyed = answered(asked[1], "B").model_dump(mode="json") | {"item_id": "named-otherwise"}
    lines = [{"item_id": "item-1", "raw": "A"}, keyed]
    assert load_model(f"replay:{write(*lines)}").unmatched(asked) is None
    lines += [{"item_id": "itm-2", "raw": "A"}, {"item_id": "item-2", "raw": "A"}]
    assert load_model(f"replay:{write(*lines)}").unmatched(asked) == (
        "answers.jsonl: 2 of 4 answers belong to nothing that is asked, "
        "the first in answers.jsonl line 3: item itm-2 (nearest: item-2), run 0, condition full."
    )
    told = load_model(f"replay:{write(lines[0], lines[3])}").unmatched(asked)
    assert "1 of 2 answers" in told
    assert "item item-2 (asked under another run or condition), run 0" in told


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read \(No such file"):
        load_model(f"replay:{tmp_path / 'none.jsonl'}")


def test_the_revision_follows_the_content(write):
    first = load_model(f"replay:{write({'item_id': 'x', 'raw': 'A'})}").revision
    assert first != load_model(f"replay:{write({'item_id': 'x', 'raw': 'B'})}").revision


def test_sixteen_thousand_lines_take_a_second_and_little_memory(write, make_request, make_group):
    request = make_request()
    line = answered(request, "The answer is B, because " + "x" * 200).model_dump(mode="json")
    path = write(*({**line, "item_id": f"item-{number}", "key": f"{number:064x}"} for number in range(16_064)))
    tracemalloc.start()
    load_model(f"replay:{path}")
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    started = time.process_time()
    model = load_model(f"replay:{path}")
    assert len(list(model.answer(make_group(request)))) == 1
    assert time.process_time() - started < 2
