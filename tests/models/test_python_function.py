"""A function of the user's as a model."""

import json

import numpy as np
import pytest

from musebench_tasks.errors import InputError, MediaError
from musebench_tasks.models import load_model
from musebench_tasks.models.python_function import PythonModel, to_text
from musebench_tasks.records import Kind, Modality, Status


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
        ({"answer": "B"}, Kind.SINGLE, '{"answer": "B"}'),
        ({"tempo": np.float32(120), "key": "Eb major"}, Kind.MUSIC, '{"tempo": 120.0, "key": "Eb major"}'),
        ([[0, 10, "a"]], Kind.MUSIC, '[[0, 10, "a"]]'),
        ({"segments": np.array([[0.0, 1.5]])}, Kind.MUSIC, '{"segments": [[0.0, 1.5]]}'),
        (3, Kind.SINGLE, "3"),
    ],
)
def test_values_become_text(value, kind, text):
    assert to_text(value, kind) == text


def test_a_value_that_is_no_text_is_a_backend_error(make_group, make_request):
    (response,) = ask(lambda question: object(), make_group(make_request()))
    assert response.error == "object returned: object is neither text nor JSON"


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
