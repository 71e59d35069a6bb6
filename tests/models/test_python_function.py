"""A function of the user's as a model."""

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from musebench_tasks.answers import parse_choice
from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.records import Kind, Modality, Status
from musebench_tasks.models import load_model
from musebench_tasks.models.python_function import PythonModel, to_text


@pytest.fixture
def own(tmp_path):
    def own(text, name="answer", **options):
        path = tmp_path / "own_model.py"
        path.write_text(text)
        return load_model(f"python:{path}:{name}", **options)

    return own


def ask(function, group):
    return list(PythonModel("python:test", function, {}).answer(group))


def test_the_function_gets_question_options_and_media(make_group, make_request):
    seen = {}
    group = make_group(make_request())
    (response,) = ask(lambda question: seen.update(question) or "B", group)
    assert response.raw == "B"
    assert seen["question"] == "Which instrument leads?"
    assert seen["options"] == ["Violin", "Trumpet", "Oboe", "Harp"]
    assert (seen["audio"].dtype, seen["audio"].shape, seen["sample_rate"]) == (np.float32, (8000,), 16_000)
    assert (seen["frames"].shape, list(seen["frame_times_s"])) == ((2, 8, 12, 3), [0.0, 1.0])
    assert (seen["kind"], seen["fields"], seen["media_s"]) == ("single", [], 30.0)
    assert response.received.frames_used == 2


def test_ids_file_names_and_windows_are_not_shown(make_group, make_request):
    told = []
    ask(lambda question: told.append(repr(dict(question))) or "B", make_group(make_request()))
    assert "item-1" not in told[0]
    assert "secret" not in told[0]


def test_only_what_is_looked_at_is_decoded(make_group, make_request):
    group = make_group(make_request(), make_request(item_id="item-2"))
    ask(lambda question: question["question"], group)
    assert group.decoded == []
    ask(lambda question: str(question["sample_rate"] + len(question["audio"])), group)
    assert group.decoded == ["audio"]


def test_media_that_a_condition_leaves_out_are_none(make_group, make_request):
    seen = {}
    ask(lambda question: seen.update(question) or "A", make_group(make_request(), modalities=frozenset()))
    assert [seen[name] for name in ("audio", "sample_rate", "frames", "frame_times_s")] == [None] * 4


def test_media_cannot_be_changed_for_the_next_question(make_group, make_request):
    def spoil(question):
        question["audio"][:] = 0

    (response,) = ask(spoil, make_group(make_request()))
    assert "read-only" in response.error


def test_what_the_function_raises_is_a_backend_error_with_the_last_line(own, make_group, make_request):
    model = own("def answer(question):\n    steps = {}\n    return steps['first']\n")
    first, second = model.answer(make_group(make_request(), make_request(item_id="item-2")))
    assert first.failure is second.failure is Status.BACKEND_ERROR
    assert first.error == "KeyError: 'first' (own_model.py line 3)"


def test_an_error_of_several_lines_is_told_on_one(own, make_group, make_request):
    (response,) = own("def answer(question): raise ValueError('one\\ntwo')\n").answer(make_group(make_request()))
    assert response.error == "ValueError: one two (own_model.py line 1)"


def test_a_function_that_exits_does_not_end_the_run(own, make_group, make_request):
    (response,) = own("import sys\ndef answer(question):\n    sys.exit('enough')\n").answer(make_group(make_request()))
    assert response.error.startswith("SystemExit: enough")


def test_errors_of_the_medium_pass_through(make_group, make_request):
    group = make_group(make_request(), error=MediaError("E1", "cannot be decoded"))
    with pytest.raises(MediaError):
        ask(lambda question: question["audio"], group)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("B", Kind.SINGLE, "B"),
        (None, Kind.SINGLE, ""),
        ({"C", "A"}, Kind.MULTI, "A, C"),
        (["A", "C"], Kind.MULTI, "A, C"),
        ([], Kind.MULTI, "none"),
        ([], Kind.SINGLE, ""),
        (["Violin, solo", "Harp"], Kind.MULTI, '{"answer": ["Violin, solo", "Harp"]}'),
        (["A", 3], Kind.MULTI, '{"answer": ["A", 3]}'),
        (["A", "?"], Kind.MULTI, '{"answer": ["A", "?"]}'),
        ({"A", 3}, Kind.MULTI, '{"answer": [3, "A"]}'),
        (np.array(["A", "C"]), Kind.MULTI, "A, C"),
        ({"answer": "B"}, Kind.SINGLE, '{"answer": "B"}'),
        ({"result": [{"Final answer": "B"}]}, Kind.SINGLE, '{"result": [{"Final answer": "B"}]}'),
        ({"B": 0.1, "A": 0.9}, Kind.SINGLE, '{"answer": {"B": 0.1, "A": 0.9}}'),
        (np.int64(3), Kind.SINGLE, "3"),
        ({"tempo": np.float32(120), "key": "Eb major"}, Kind.MUSIC, '{"tempo": 120.0, "key": "Eb major"}'),
        ([[0, 10, "a"]], Kind.MUSIC, '[[0, 10, "a"]]'),
        ({"segments": np.array([[0.0, 1.5]])}, Kind.MUSIC, '{"segments": [[0.0, 1.5]]}'),
        (3, Kind.SINGLE, "3"),
    ],
)
def test_values_become_text(value, kind, text):
    assert to_text(value, kind) == text


OPTIONS = ("Violin", "Trumpet", "Oboe", "Harp")


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("odd", [3, None, "?", "Banjo", 1.5, True, {"x": 1}, "Z"])
def test_a_list_is_read_as_a_whole_or_not_at_all(odd, multi):
    text = to_text(["A", odd], Kind.MULTI if multi else Kind.SINGLE)
    assert parse_choice(text, OPTIONS, multi=multi).status in (Status.UNPARSED, Status.OUT_OF_RANGE)


@pytest.mark.parametrize(
    "value", [{"A": 0.9, "B": 0.1}, {"Violin": 0.9, "Harp": 0.1}, {"letter_of": "A", "sure": 1}, 3]
)
@pytest.mark.parametrize("multi", [False, True])
def test_what_names_no_answer_is_not_read(value, multi):
    text = to_text(value, Kind.MULTI if multi else Kind.SINGLE)
    assert parse_choice(text, OPTIONS, multi=multi).status is Status.UNPARSED


def test_a_table_of_all_labels_is_read():
    text = to_text({"A": True, "B": np.bool_(False), "C": True, "D": False}, Kind.MULTI)
    assert parse_choice(text, OPTIONS, multi=True).labels == ("A", "C")


def test_a_value_that_is_no_text_is_a_backend_error(make_group, make_request):
    (response,) = ask(lambda question: object(), make_group(make_request()))
    assert response.error == "object returned: object is neither text nor JSON"


def test_a_value_nested_in_itself_is_a_backend_error(make_group, make_request):
    endless = []
    endless.append(endless)
    (response,) = ask(lambda question: endless, make_group(make_request()))
    assert response.failure is Status.BACKEND_ERROR


@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(20)",
        "while True: pass",
        "try: time.sleep(20)\n    except BaseException: time.sleep(0.1)\n    return 'A'",
        "try: time.sleep(20)\n    except BaseException: raise ValueError",
    ],
)
def test_a_function_that_takes_too_long_is_a_timeout_and_the_next_is_asked(own, make_group, make_request, body):
    model = own(f"import time\ndef answer(question):\n    {body}\n", timeout_s=0.2)
    before = signal.getsignal(signal.SIGALRM)
    started = time.monotonic()
    responses = list(model.answer(make_group(make_request(), make_request(item_id="item-2"))))
    assert [(each.failure, each.error) for each in responses] == [(Status.TIMEOUT, "no answer within 0.2 s")] * 2
    assert time.monotonic() - started < 5
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_function_that_swallows_the_alarm_is_told_again(own, make_group, make_request):
    text = "import time\ndef answer(question):\n    try: time.sleep(20)\n    except: pass\n    time.sleep(20)\n"
    started = time.monotonic()
    (response,) = own(text, timeout_s=0.1).answer(make_group(make_request()))
    assert response.failure is Status.TIMEOUT
    assert time.monotonic() - started < 5


def test_decoding_takes_none_of_the_time(make_group, make_request):
    group = make_group(make_request())
    audio = group.audio
    group.audio = lambda: time.sleep(0.5) or audio()
    slow = []

    def answer(question):
        slow.append(len(question["audio"]))
        if len(slow) > 1:
            time.sleep(20)
        return "B"

    model = PythonModel("python:test", answer, {}, timeout_s=0.3)
    assert next(model.answer(group)).raw == "B"
    assert next(model.answer(group)).failure is Status.TIMEOUT


def test_an_alarm_that_was_set_before_is_set_after(make_group, make_request):
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        list(PythonModel("python:test", lambda question: "B", {}, 5).answer(make_group(make_request())))
        time.sleep(0.4)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rung == [1]


def test_outside_the_main_thread_there_is_no_limit(make_group, make_request):
    model = PythonModel("python:test", lambda question: time.sleep(0.3) or "B", {}, timeout_s=0.05)
    with ThreadPoolExecutor(1) as pool:
        (response,) = pool.submit(lambda: list(model.answer(make_group(make_request())))).result()
    assert response.raw == "B"


def test_a_limit_of_nothing_is_refused(own):
    with pytest.raises(InputError, match='"timeout_s" is 0; give seconds above 0'):
        own("def answer(question): return 'A'\n", timeout_s=0)


def test_the_length_of_the_media_is_none_where_it_is_not_known(make_group, make_request):
    seen = []
    for more in ({}, {"media_s": 0.0}, {"media_s": 0.0, "parts": ()}):
        ask(lambda question: seen.append(question["media_s"]) or "A", make_group(make_request(**more)))
    assert seen == [30.0, None, 0.0]


def test_a_function_says_what_it_takes(own):
    model = own(
        "def answer(question): return 'A'\nanswer.kinds = ('single',)\nanswer.modalities = ['audio']\n"
        "answer.sample_rate = 22050\nanswer.max_audio_s = 90\nanswer.revision = 'r7'\n",
        max_audio_s=30,
    )
    assert model.kinds == {Kind.SINGLE}
    assert model.limits.modalities == {Modality.AUDIO}
    assert (model.limits.sample_rate, model.limits.max_audio_s, model.revision) == (22050, 30, "r7")


def test_a_card_may_name_the_revision(own):
    assert own("def answer(question): return 'A'\nanswer.revision = 'r7'\n", revision="r8").revision == "r8"


def test_a_function_that_says_nothing_takes_all(own):
    model = own("def answer(question): return 'A'\n")
    assert (model.kinds, model.limits.modalities) == (frozenset(Kind), frozenset(Modality))
    assert len(model.revision) == 12


def test_an_object_may_stand_for_a_function(own, make_group, make_request):
    model = own(
        "class Listener:\n    def __call__(self, question):\n        return 'D'\nlistener = Listener()\n", "listener"
    )
    assert next(model.answer(make_group(make_request()))).raw == "D"


def test_a_file_may_import_its_neighbours(tmp_path, own):
    (tmp_path / "neighbour_of_own.py").write_text("LETTER = 'C'\n")
    model = own("from neighbour_of_own import LETTER\ndef answer(question): return LETTER\n")
    assert model.function(None) == "C"


def test_a_module_by_name_is_found_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "module_by_name.py").write_text("def answer(question): return 'A'\n")
    monkeypatch.chdir(tmp_path)
    assert load_model("python:module_by_name:answer").function(None) == "A"


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        ("def answer(q): pass\n", "anwser", r'no function "anwser" \(nearest: answer\)'),
        ("answer = 3\n", "answer", r'no function "answer"'),
        ("x = 1\nimport no_such_thing\n", "answer", r"cannot be imported: ModuleNotFoundError: .*own_model\.py line 2"),
        ("async def answer(q): return 'A'\n", "answer", "answer is an async function, .* Write `def` in place of"),
        (
            "class Own:\n    async def __call__(self, q): return 'A'\nown = Own()\n",
            "own",
            "own is an async function",
        ),
        ("def answer(:\n", "answer", r"cannot be imported: SyntaxError: invalid syntax \(own_model\.py line 1\)$"),
        ("def answer(q): pass\nanswer.kinds = ['singel']\n", "answer", r'kinds holds "singel" \(nearest: single\)'),
    ],
)
def test_a_faulty_file_is_a_clear_error(own, text, name, told):
    with pytest.raises(InputError, match=told) as caught:
        own(text, name)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named():
    with pytest.raises(InputError, match=r"nowhere\.py: no such file"):
        load_model("python:nowhere.py:answer")


def test_music_values_are_json(make_group, make_request):
    (response,) = ask(
        lambda question: {"tempo": 98, "fields": question["fields"]}, make_group(make_request(kind=Kind.MUSIC))
    )
    assert json.loads(response.raw)["fields"] == ["tempo", "key", "time_signature", "segments"]
