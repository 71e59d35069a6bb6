"""Samples of lm-eval and lmms-eval in the shapes of their versions, of our tasks and of their own."""

import json

import pytest
from fakes.harness_logs import asked, read, read_whole, write_json, write_lines
from fakes.public_benchmarks import MAKERS, PLACES

from musebench_tasks.api import import_log
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import LETTERS, Option
from musebench_tasks.harnesses.logs import LoggedAnswer, match, read_log
from musebench_tasks.harnesses.logs.matching import logged_order
from musebench_tasks.harnesses.questions import documents, questions, request_of

TASK = "musebench_demo"
ASKED = "musebench_demo_text_only"
"""What the exported task is called in a harness."""
DATE = "2024-07-05T10-11-12.345678"
SETTINGS = {"generation_kwargs": {"max_gen_toks": 16, "do_sample": False}}


def answers(found):
    return [(each.raw, each.status) for each in found.predictions]


def lm_sample(number, document, resps, filtered=None, **more):
    told = {"doc_id": number, "doc": document, "target": "A", "resps": resps, "filtered_resps": filtered or resps[0]}
    return told | more


# lm-eval 0.4.0 to 0.4.2: one indented list under a name that promises lines, arguments as lists, results.json beside.
def test_a_list_in_one_file_is_read(tmp_path):
    rows = [
        lm_sample(number, document, [["B"]], arguments=[[request_of(document).prompt, {"until": []}]])
        for number, document in enumerate(asked(TASK, count=2))
    ]
    path = tmp_path / f"pretrained__org__x,dtype__float_{TASK}.jsonl"
    path.write_text(json.dumps(rows, indent=2))
    config = {"model": "hf", "model_args": "pretrained=org/x,dtype=float"}
    write_json(tmp_path / "results.json", {"config": config, "configs": {TASK: SETTINGS}})
    log, found = read_whole("lm_eval", path, TASK)
    assert answers(found) == [("B", "ok"), ("B", "ok")]
    assert found.words_are_ours
    assert (log.model, log.harness.version) == ("org/x", None)
    assert (log.decoding.temperature, log.decoding.max_tokens) == (0.0, 16)


# lm-eval 0.4.3 to 0.4.5: lines of several filters do not say of which.
def test_lines_of_unnamed_filters_count_once_and_other_answers_do_not_vanish(tmp_path):
    (document,) = asked(TASK, count=1)
    rows = [lm_sample(0, document, [["I say B."]], [text]) for text in ("I say B.", "B", "[invalid]")]
    found = read("lm_eval", write_lines(tmp_path / "x.jsonl", rows), TASK)
    assert answers(found) == [("I say B.", "ok")]
    rows.append(lm_sample(0, document, [["A"]]))
    with pytest.raises(InputError, match=r"line 4: item .* stands in .* line 1 already"):
        read("lm_eval", write_lines(tmp_path / "x.jsonl", rows), TASK)


def test_equal_answers_to_several_questions_all_count(tmp_path):
    for lacking in ((), ("doc_id",)):
        rows = [lm_sample(number, document, [["A"]]) for number, document in enumerate(asked(TASK, count=3))]
        rows = [{name: value for name, value in row.items() if name not in lacking} for row in rows]
        found = read("lm_eval", write_lines(tmp_path / "x.jsonl", rows), TASK)
        assert answers(found) == [("A", "ok")] * 3


# lm-eval from 0.4.6: --output_path out/mine.json names the results after itself.
@pytest.mark.parametrize("name", [f"results_{DATE}.json", f"mine_{DATE}.json"])
def test_results_are_found_under_either_name(name, tmp_path):
    rows = [lm_sample(number, document, [["B"]]) for number, document in enumerate(asked(TASK, count=2))]
    path = write_lines(tmp_path / f"samples_{ASKED}_{DATE}.jsonl", rows)
    told = {"model_name": "org/y", "lm_eval_version": "0.4.9", "configs": {ASKED: SETTINGS}}
    write_json(tmp_path / name, told)
    write_json(tmp_path / "mine_2024-07-06T10-11-12.json", {"model_name": "org/other"})
    log, _ = read_whole("lm_eval", path, TASK)
    assert (log.model, log.harness.version, log.decoding.max_tokens) == ("org/y", "0.4.9", 16)


@pytest.mark.parametrize("content", ["[]", '{"model_name": "org/other"}'])
def test_results_of_others_are_left_alone_unless_the_date_says_whose_they_are(content, tmp_path):
    rows = [lm_sample(0, asked(TASK, count=1)[0], [["B"]])]
    (tmp_path / "results.json").write_text(content)
    assert read_whole("lm_eval", write_lines(tmp_path / "x.jsonl", rows), TASK)[0].model is None
    (tmp_path / f"results_{DATE}.json").write_text(content)
    with pytest.raises(InputError, match=rf"results_{DATE}\.json: is no results file of lm_eval"):
        read("lm_eval", write_lines(tmp_path / f"samples_{ASKED}_{DATE}.jsonl", rows), TASK)


# lm-eval with a model behind a chat API: the prompt is JSON, in a list.
@pytest.mark.parametrize("parts", [False, True])
def test_the_words_of_a_chat_are_known(parts, tmp_path):
    rows = []
    for number, document in enumerate(asked(TASK, count=2)):
        prompt = request_of(document).prompt
        content = [{"type": "text", "text": prompt}] if parts else prompt
        chat = json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": content}])
        rows.append(lm_sample(number, document, [["B"]], arguments={"gen_args_0": {"arg_0": [chat], "arg_1": {}}}))
    found = read("lm_eval", write_lines(tmp_path / "x.jsonl", rows), TASK)
    assert found.words_are_ours


@pytest.mark.parametrize("resps", [[["None"]], [[None]]])
@pytest.mark.parametrize("harness", ["lm_eval", "lmms_eval"])
def test_none_is_no_answer(harness, resps, tmp_path):
    (document,) = asked(TASK, count=1)
    row = lm_sample(0, document, resps)
    if harness == "lmms_eval":
        row = {
            "doc_id": 0,
            "filtered_resps": resps[0][0],
            **{name: document[name] for name in ("item_id", "condition")},
        }
    found = read(harness, write_lines(tmp_path / "x.jsonl", [row]), TASK)
    assert answers(found) == [(None, "backend_error")]


@pytest.mark.parametrize("resps", [[["-1.2", "False"]], [[["-1.2", "True"]], [["-inf", "False"]]], [["-1e-05", "nan"]]])
def test_likelihoods_made_texts_are_no_answers(resps, tmp_path):
    (document,) = asked(TASK, count=1)
    with pytest.raises(InputError, match="Likelihoods cannot be imported"):
        read("lm_eval", write_lines(tmp_path / "x.jsonl", [lm_sample(0, document, resps)]), TASK)


def own_sample(number, document, text, version):
    """A sample of one of lmms-eval's own tasks: it names the item where its metric keeps it, or below `doc`."""
    named, prompt = {"item_id": document["item_id"]}, request_of(document).prompt
    kept = {"perception_score": {**named, "pred_answer": "D", "answer": "C"}}
    nested = {"resps": [[text]], "filtered_resps": [text]}
    shapes = {
        "0.2": {"doc": named, "arguments": [[prompt, number]], **nested},
        "0.3": {"doc": {**named, "answer": "C"}, "arguments": {"0": "x"}, "input": prompt, **nested, **kept},
        "0.5": {"input": prompt, "filtered_resps": [text], **kept},
        "0.7": {"input": prompt, "filtered_resps": "C", "resps": [f"<think>C</think>{text}"], **kept},
    }
    return {"doc_id": number, "target": "C", **shapes[version]}


@pytest.mark.parametrize("version", ["0.2", "0.3", "0.5", "0.7"])
def test_own_tasks_of_lmms_eval_are_read(version, tmp_path):
    rows = [own_sample(number, document, "B", version) for number, document in enumerate(asked(TASK, count=2))]
    if version == "0.2":
        args = {"model": "llava", "model_args": "pretrained=org/z,conv_template=x"}
        around = {"args": args, "model_configs": SETTINGS, "logs": rows, "time": "0705_1011"}
        path = tmp_path / "own_task.json"
        path.write_text(json.dumps(around))
    else:
        path = write_lines(tmp_path / "20250102_030405_samples_own_task.jsonl", rows)
        told = {"model_name": "org/z", "configs": {"own_task": SETTINGS}}
        write_json(tmp_path / "20250102_030405_results.json", told)
    log, found = read_whole("lmms_eval", path, TASK, "text_only")
    assert [each.parsed for each in found.predictions] == [(each["option_order"][1],) for each in asked(TASK, count=2)]
    assert (log.model, log.decoding.max_tokens) == ("org/z", 16)


def own_log(name, row, number):
    """What lmms-eval 0.7.3 logs of its own tasks over public benchmarks: the metric keeps the id."""
    facts = json.loads(row["other_attributes"]) if name == "mmau" else row
    kept = {
        "video_mme": {
            "videomme_perception_score": {"question_id": facts.get("question_id"), "answer": "A", "score": 0.0}
        },
        "mmau": {
            "accuracy": {"overall": 0.0, "task": "music"},
            "submission": {"id": facts.get("id"), "audio": "[0. 0.]"},
        },
        "mmar": {"mmar_accuracy": {"id": facts.get("id"), "prediction": "A", "raw_response": "A", "score": 0.0}},
    }
    options = row["options"] if name == "video_mme" else row["choices"]
    listed = "\n".join(
        each if name == "video_mme" else f"{LETTERS[place]}. {each}" for place, each in enumerate(options)
    )
    question = row["instruction"] if name == "mmau" else row["question"]
    sample = {
        "doc_id": number,
        "target": "A",
        "filtered_resps": "B",
        "doc_hash": "x",
        "input": f"{question}\n{listed}\nAnswer",
    }
    return sample | kept[name]


@pytest.mark.parametrize("name", ["video_mme", "mmau", "mmar"])
def test_what_lmms_eval_logs_of_its_own_tasks_fits_ours(name, tmp_path, monkeypatch):
    monkeypatch.setenv("MUSEBENCH_DATA", str(tmp_path))
    write, row_of = MAKERS[name]
    rows = [row_of(number) for number in range(3)]
    write(tmp_path / PLACES.get(name, name), rows)
    samples = [own_log(name, row, number) for number, row in enumerate(rows)]
    path = write_lines(tmp_path / f"20250102_030405_samples_{name}.jsonl", samples)
    imported = import_log("lmms_eval", path, task=name, out=tmp_path / "run", model="org/x", condition="full")
    assert imported.warnings == ()
    predictions = [json.loads(line) for line in (imported.folder / "predictions.jsonl").read_text().splitlines()]
    assert [each["parsed"] for each in predictions] == [[each["option_order"][1]] for each in predictions]
    assert imported.card.counts[0].coverage == 1.0


def test_rows_without_their_media_are_enough_to_score_and_that_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("MUSEBENCH_DATA", str(tmp_path))
    write, row_of = MAKERS["mmar"]
    rows = [row_of(number) for number in range(2)]
    write(tmp_path / "mmar", rows)
    (tmp_path / "mmar" / rows[1]["audio_path"]).unlink()
    path = write_lines(tmp_path / "x.jsonl", [own_log("mmar", row, number) for number, row in enumerate(rows)])
    imported = import_log("lmms_eval", path, task="mmar", out=tmp_path / "run", model="org/x", condition="full")
    assert imported.card.counts[0].coverage == 1.0
    (line,) = imported.warnings
    assert line.startswith("mmar: 1 of 2 media files are not here, so run.yaml tells of other data")


def test_an_id_inside_a_cell_is_found(tmp_path):
    task = questions(TASK).task
    named = task.model_copy(update={"columns": task.columns.model_copy(update={"id": "facts.id"})})
    (document,) = asked(TASK, count=1)
    for held in ({"facts": json.dumps({"id": document["item_id"]})}, {"facts": {"id": document["item_id"]}}):
        path = write_lines(tmp_path / "x.jsonl", [lm_sample(0, held | {"condition": "text_only"}, [["B"]])])
        (answer,) = read_log("lm_eval", [path], named).answers
        assert answer.item_id == document["item_id"]


LISTED = {"in lines": "\n{}. {}", "in one line": " ({}) {}", "as a list": " {}='{}',"}


@pytest.mark.parametrize("listed", LISTED.values(), ids=LISTED)
def test_options_shown_in_another_order_are_seen_in_the_prompt(listed, tmp_path):
    (document,) = asked(TASK, count=1)
    _, items = questions(TASK)
    texts = [option.text for option in items[document["item_id"]].options]
    for order, fits in ((texts, True), (texts[::-1], False)):
        shown = "".join(listed.format(letter, text) for letter, text in zip(LETTERS, order, strict=False))
        row = own_sample(0, document, "B", "0.5") | {"input": f"{document['question']}{shown}\nAnswer:"}
        path = write_lines(tmp_path / "x.jsonl", [row])
        if fits:
            assert answers(read("lmms_eval", path, TASK, "text_only")) == [("B", "ok")]
            continue
        with pytest.raises(InputError, match="were shown in another order"):
            read("lmms_eval", path, TASK, "text_only")


def item_with(*texts):
    _, items = questions(TASK)
    options = tuple(Option(id=f"o{place}", text=text) for place, text in enumerate(texts))
    return next(iter(items.values())).model_copy(update={"options": options})


@pytest.mark.parametrize(
    ("prompt", "order"),
    [
        ("Is it in A or in A minor?\nA. A minor\nB. A", ("o1", "o0")),
        ("Which? (a) A, (b) A minor", None),
        ("Which? flute; harp", None),
        ("", None),
    ],
)
def test_an_order_is_known_only_where_each_option_has_one_place(prompt, order):
    assert logged_order(LoggedAnswer("x", "y", shown=prompt), item_with("A", "A minor")) == order


@pytest.mark.parametrize("update", [{"distractors": ["wrong_1", "wrong_2"]}, {}])
def test_an_order_that_is_made_here_is_not_taken_for_that_of_others(update, tmp_path):
    config, items = questions(TASK)
    task = config.model_copy(update={"columns": config.columns.model_copy(update=update)})
    (document,) = asked(TASK, count=1)
    bare = {"item_id": document["item_id"], "condition": "text_only"}
    log = read_log("lm_eval", [write_lines(tmp_path / "x.jsonl", [lm_sample(0, bare, [["B"]])])], task)
    if not update:
        assert answers(match(log, task, list(items.values()))) == [("B", "ok")]
        return
    with pytest.raises(InputError, match="gives them an order of its own"):
        match(log, task, list(items.values()))


def test_the_prompt_tells_the_run_that_shows_its_order(tmp_path):
    task = "hummusqa_demo"
    document = documents(task, "text_only")[2]
    bare = {name: document[name] for name in ("item_id", "condition")}
    row = lm_sample(0, bare, [["A"]], arguments={"gen_args_0": {"arg_0": request_of(document).prompt}})
    found = read("lm_eval", write_lines(tmp_path / "x.jsonl", [row]), task)
    (prediction,) = found.predictions
    assert (prediction.run, list(prediction.option_order)) == (document["run"], document["option_order"])


@pytest.mark.parametrize(
    ("content", "told"),
    [('{"samples": 3}', "holds no samples, neither one a line"), ('{"logs": [3]}', "sample 1: is no JSON object")],
)
def test_other_files_are_named(content, told, tmp_path):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match=told):
        read("lmms_eval", tmp_path / "x.json", TASK)
