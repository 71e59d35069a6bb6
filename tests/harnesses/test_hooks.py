"""What harnesses call: documents without media and gold, our words, our media, our scores."""

import json
import subprocess
import sys

import pytest

from musebench_tasks.base.errors import BackendError, InputError
from musebench_tasks.base.records import LETTERS, MetricConfig
from musebench_tasks.evaluation.cases import make_case
from musebench_tasks.evaluation.metrics.registry import measure
from musebench_tasks.harnesses import lm_eval, lmms_eval
from musebench_tasks.harnesses.lm_eval.model import _Answering
from musebench_tasks.harnesses.questions import documents, questions, references, request_of
from musebench_tasks.harnesses.scores import document_scores, named_metrics, with_clusters
from musebench_tasks.models import load_model
from musebench_tasks.tasks import shown_order

LEAST = frozenset({"musebench_task", "item_id", "run", "condition", "option_order", "cluster_id"})


def first(task, condition, kind="single"):
    """The document of that kind with the shortest medium."""
    items = questions(task).items
    found = [each for each in documents(task, condition) if each["kind"] == kind]
    return min(found, key=lambda each: (items[each["item_id"]].window_s, each["item_id"]))


def test_documents_name_each_planned_request_and_hold_no_media_and_no_gold():
    found = documents("hummusqa_demo", "full")
    task, items = questions("hummusqa_demo")
    assert len(found) == 4 * len(items)
    assert [each["run"] for each in found[:8]] == [0, 1, 2, 3] * 2
    for each in found[:8]:
        assert set(each) >= LEAST
        assert tuple(each["option_order"]) == shown_order(task, items[each["item_id"]], each["run"])
    assert len({tuple(each["option_order"]) for each in found[:4]}) > 1
    assert not {"answer", "target", "audio", "video", "media"} & set(found[0])
    assert len(json.dumps(found[0])) < 2000


def test_lm_eval_loads_them_whatever_else_it_passes():
    loaded = lm_eval.load(
        musebench_task="hummusqa_demo", musebench_condition="text_only", version=1.0, pretrained="x", config_source=""
    )
    assert list(loaded) == ["test"]
    assert loaded["test"][5] == documents("hummusqa_demo", "text_only")[5]


def test_lmms_eval_expands_the_row_that_names_the_task():
    made = lmms_eval.process_docs([{"musebench_task": "mub_demo", "musebench_condition": "noise"}])
    assert made.to_list() == documents("mub_demo", "noise")
    assert made[0]["option_order"] is None


def test_the_target_is_what_is_right_in_the_order_shown():
    for document in documents("hummusqa_demo", "text_only")[:4]:
        shown = document["option_order"][LETTERS.index(lm_eval.doc_to_target(document))]
        assert (shown,) == references("hummusqa_demo")[document["item_id"]].answer
    several = lm_eval.doc_to_target(first("musebench_demo", "text_only", "multi"))
    assert several.count(", ") == len(several) // 3
    assert "key" in json.loads(lmms_eval.doc_to_target(documents("mub_demo", "full")[0]))


def test_each_picture_of_a_film_has_its_place_before_the_words():
    document = {**first("musebench_demo", "no_audio"), "max_frames": 3}
    text, pictures = lm_eval.doc_to_text(document), lm_eval.doc_to_image(document)
    assert [picture.mode for picture in pictures] == ["RGB"] * 3
    assert text.startswith("<image>" * 3 + "\nThe question is about the video clip above. Only its pictures")
    assert text.count("<image>") == 3


def test_without_media_the_words_stand_alone():
    document = first("musebench_demo", "text_only")
    assert lm_eval.doc_to_text(document) == request_of(document).prompt == lmms_eval.doc_to_text(document)
    assert lm_eval.doc_to_image(document) == []


@pytest.mark.parametrize("use", [list, lambda images: images[0]], ids=["iterated", "indexed"])
def test_a_model_of_lm_eval_cannot_take_sound_for_pictures(use):
    images = lm_eval.doc_to_image(first("musebench_demo", "full"))
    with pytest.raises(InputError, match=r"has sound, which models of lm-eval do not take.*_no_audio, _text_only"):
        use(images)
    assert "with sound" in repr(images)


def test_what_stands_for_sound_can_be_logged_and_made_a_key_of():
    """lm-eval makes keys of arguments for its cache, where samples raise TypeError; content is what tells here."""
    document, other = documents("hummusqa_demo", "full")[0], documents("hummusqa_demo", "noise")[0]
    logged = json.loads(json.dumps({"visual": lm_eval.doc_to_image(document)}))["visual"]
    assert logged["musebench_request"] == request_of(document).key
    assert logged["item_id"] == document["item_id"]
    assert json.dumps(lm_eval.doc_to_image(document)) != json.dumps(lm_eval.doc_to_image(other))


def test_nor_is_text_taken_for_the_place_of_a_picture(monkeypatch):
    document = first("musebench_demo", "text_only")
    request = request_of(document).model_copy(update={"prompt": "What is an <image> tag?"})
    monkeypatch.setattr(lm_eval.hooks, "request_of", lambda _: request)
    with pytest.raises(InputError, match='holds the text "<image>"'):
        lm_eval.doc_to_text(document)


@pytest.mark.parametrize("told", [None, {"takes_sound": False}], ids=["unknown", "deaf"])
def test_a_wrapper_of_lmms_eval_that_takes_no_sound_is_refused(told, monkeypatch):
    document = first("musebench_demo", "full")
    with pytest.raises(SystemExit, match="musebench: .* is not known to take it"):
        lmms_eval.doc_to_text(document, told)
    assert lmms_eval.doc_to_text(document, {"takes_sound": True}) == request_of(document).prompt
    assert lmms_eval.doc_to_text(first("musebench_demo", "no_audio"), told)
    monkeypatch.setenv("MUSEBENCH_MODEL_TAKES_SOUND", "1")
    assert lmms_eval.doc_to_text(document, told)


def test_what_lmms_eval_would_bury_ends_the_run():
    """An exit is no `Exception`: it is neither tried again nor taken for an empty answer."""
    with pytest.raises(SystemExit, match='musebench: There is no task "musebenh"') as ended:
        lmms_eval.process_docs([{"musebench_task": "musebenh", "musebench_condition": "full"}])
    assert not isinstance(ended.value, Exception)


@pytest.mark.parametrize(
    "hook", ["doc_to_text", "doc_to_visual", "doc_to_messages", "doc_to_target", "process_results"]
)
def test_no_hook_of_lmms_eval_leaves_wrong_input_to_it(hook):
    document = {**first("musebench_demo", "full"), "musebench_task": "musebenh"}
    arguments = (["A"],) if hook == "process_results" else ()
    with pytest.raises(SystemExit, match='musebench: There is no task "musebenh"'):
        getattr(lmms_eval, hook)(document, *arguments)


def streams(path):
    import av

    with av.open(path) as container:
        return sorted(stream.type for stream in container.streams)


def test_a_films_sound_is_heard_once_in_a_block_of_its_own():
    document = first("musebench_demo", "full")
    film, sound = lmms_eval.doc_to_visual(document)
    assert film.endswith(".mp4")
    assert streams(film) == ["video"]
    assert sound["type"] == "audio"
    assert len(sound["array"]) / sound["sampling_rate"] > 1
    assert streams(sound["url"]) == ["audio"]
    (message,) = lmms_eval.doc_to_messages(document, {"takes_sound": True})
    assert [(each["type"], each.get("url")) for each in message["content"]] == [
        ("video", film),
        ("audio", sound["url"]),
        ("text", None),
    ]
    assert lmms_eval.doc_to_visual(first("musebench_demo", "no_audio")) == [film]


def test_a_film_that_some_wrappers_take_for_sound_has_another_name(tmp_path):
    path = tmp_path / "a.webm"
    path.write_bytes(b"film")
    named = lmms_eval.hooks._as_mp4(path)
    assert (named.suffix, named.read_bytes()) == (".mp4", b"film")
    assert lmms_eval.hooks._as_mp4(path) == named


ANSWERS = {"musebench_demo": "B", "hummusqa_demo": "The answer is C.", "mub_demo": '{"tempo": 120, "key": "G major"}'}


@pytest.mark.parametrize(("task", "answer"), ANSWERS.items(), ids=ANSWERS)
def test_the_means_over_documents_are_our_scores(task, answer):
    """As the harnesses reckon them: over the documents that have a value."""
    condition = "text_only" if task != "mub_demo" else "full"
    found = documents(task, condition)
    config, items = questions(task)
    scores = [document_scores(each, answer) for each in found]
    cases = []
    for document in found:
        from musebench_tasks.evaluation.read_answers import read_answer
        from musebench_tasks.models import answered

        request = request_of(document)
        prediction = read_answer(request, answered(request, answer))
        cases.append(make_case(items[request.item_id], references(task)[request.item_id], request.run, prediction))
    for name, metric in named_metrics(config).items():
        values = [each[name] for each in scores if name in each]
        if name in ("choice_consistency", "position_bias"):
            mean = getattr(lm_eval, name)(values)
        else:
            mean = sum(values) / len(values)
        assert mean == pytest.approx(measure(metric, cases)[0].value, abs=1e-12), name


def test_a_metric_that_is_not_defined_for_an_item_is_left_out():
    single, several = (first("musebench_demo", "text_only", kind) for kind in ("single", "multi"))
    assert set(lm_eval.process_results(single, ["A"])) == {"accuracy", "caa"}
    assert set(lm_eval.process_results(several, ["A, B"])) == {"accuracy", "exact_match", "set_f1"}


FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries]"


@pytest.mark.parametrize("text", ["", None, f"{FAILED} Connection error.", f"{FAILED} Answer: {{}}", "Error: 500 {}"])
def test_a_failed_request_is_wrong_and_never_a_letter(text):
    for document in documents("musebench_demo", "text_only"):
        told = text and text.format(lmms_eval.doc_to_target(document))
        assert lmms_eval.process_results(document, [told])["accuracy"] == 0.0


def test_lmms_eval_logs_what_an_answer_is_an_answer_to_and_its_cluster():
    document = documents("hummusqa_demo", "text_only")[1]
    found = lmms_eval.process_results(document, [["A"]])
    assert {name: found[name] for name in ("item_id", "run", "condition", "option_order")} == {
        name: document[name] for name in ("item_id", "run", "condition", "option_order")
    }
    assert found["accuracy_clustered"] == {"score": found["accuracy"], "cluster_id": document["cluster_id"]}
    assert lmms_eval.clustered_mean([{"score": 1.0}, {"score": 0.0}]) == 0.5
    assert with_clusters({}, document) == {}


def test_a_second_version_of_a_metric_has_a_name_of_its_own():
    task = questions("mub_demo").task
    metrics = (*task.metric_list, MetricConfig(metric="mub_key", version="exact/1"))
    assert list(named_metrics(task.model_copy(update={"metric_list": metrics})))[-1] == "mub_key_exact_1"


def test_documents_of_other_data_are_refused():
    document = documents("hummusqa_demo", "text_only")[0]
    changed = {**document, "option_order": document["option_order"][::-1]}
    with pytest.raises(InputError, match="is asked otherwise by the data that lie here now"):
        document_scores(changed, "A")


class Instance:
    """What lm-eval hands its models, as far as ours looks at it."""

    def __init__(self, doc):
        self.doc = doc


def test_one_of_our_models_answers_with_sound(capsys):
    asked = [Instance(each) for each in documents("musebench_demo", "full")]
    texts = _Answering(load_model("random")).generate_until(asked)
    assert len(texts) == len(asked)
    assert len(set(texts)) > 3
    assert not capsys.readouterr().err


def test_it_tells_what_failed_and_takes_only_what_it_knows(tmp_path, capsys):
    asked = [Instance(each) for each in documents("mub_demo", "full")[:2]]
    replay = tmp_path / "answers.jsonl"
    replay.write_text(json.dumps({"item_id": asked[0].doc["item_id"], "raw": "120 BPM"}) + "\n")
    model = _Answering(load_model(f"replay:{replay}"))
    assert model.generate_until(asked) == ["120 BPM", ""]
    assert "1 backend_error of 2 requests" in capsys.readouterr().err
    with pytest.raises(InputError, match="answers the tasks of `musebench tasks path lm_eval` only"):
        model.generate_until([Instance({"text": "2 + 2 ="})])
    with pytest.raises(InputError, match="ranks no given continuations"):
        model.loglikelihood(asked)
    with pytest.raises(InputError, match="would keep failed requests of musebench_lm as answers"):
        model.set_cache_hook(None)


@pytest.mark.parametrize("problem", [BackendError("the server went away"), RuntimeError("CUDA out of memory")])
def test_a_failure_of_the_model_ends_a_medium_and_not_the_run(problem, capsys, monkeypatch):
    asked = [Instance(each) for each in documents("mub_demo", "full")[:3]]
    model = load_model("random")
    answer = model.answer

    def fails_once(group):
        if group.requests[0].item_id == asked[1].doc["item_id"]:
            raise problem
        yield from answer(group)

    monkeypatch.setattr(model, "answer", fails_once)
    texts = _Answering(model).generate_until([*asked, asked[0]])
    assert [bool(text) for text in texts] == [True, False, True, True]
    assert texts[3] == texts[0]
    assert f"1 backend_error of 4 requests; the first, {asked[1].doc['item_id']}: " in capsys.readouterr().err


def test_a_model_that_does_not_take_the_sound_is_not_asked():
    model = load_model("random")
    model.limits = model.limits.model_copy(update={"modalities": frozenset({"video"})})
    with pytest.raises(InputError, match="takes no audio: it cannot be asked mub_demo under the condition full"):
        _Answering(model).generate_until([Instance(documents("mub_demo", "full")[0])])


def test_without_lm_eval_the_model_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "lm_eval", None)
    with pytest.raises(InputError, match="works inside lm-eval, which is not installed here"):
        lm_eval.musebench_lm("random")


HEAVY = ("torch", "transformers", "datasets", "evaluate", "pandas", "pyarrow", "scipy", "matplotlib", "av")


def test_the_hooks_are_light_to_import():
    code = "import sys, musebench_tasks.harnesses.lm_eval, musebench_tasks.harnesses.lmms_eval; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(done.stdout.split())
