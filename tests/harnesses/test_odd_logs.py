"""Whatever stands in a log in place of what its harness writes: a sentence or predictions, never a traceback."""

import json
import zipfile

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.harnesses.logs import match, read_log
from musebench_tasks.harnesses.questions import documents, questions, request_of

TASK = "musebench_demo"
ODD = (None, True, 1.5, float("nan"), ["x"], {"a": 1})


def one():
    return documents(TASK, "text_only")[0]


def inspect_log():
    sample = {
        "id": one()["item_id"],
        "epoch": 1,
        "choices": one()["options"][:1],
        "input": "q",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "attachment://1"}]}],
        "output": {"choices": [{"message": {"content": [{"type": "text", "text": "B"}]}, "stop_reason": "stop"}]},
        "metadata": {"condition": "text_only"},
        "attachments": {"1": "t"},
        "error": {"message": ""},
        "limit": {"type": "time"},
    }
    about = {"model": "m", "packages": {"inspect_ai": "1"}, "revision": {"commit": "x"}}
    settings = {"temperature": 1.0, "top_p": 1.0, "max_tokens": 3, "seed": 3}
    plan = {"steps": [{"solver": "multiple_choice", "params": {}}], "config": settings}
    return {"version": 2, "eval": about, "plan": plan, "samples": [sample]}


def lm_eval_log():
    chat = [json.dumps([{"role": "user", "content": request_of(one()).prompt}])]
    named = {name: one()[name] for name in ("item_id", "run", "condition", "option_order")}
    arguments = {"gen_args_0": {"arg_0": chat}}
    sample = {"doc_id": 0, "doc": named, "resps": [["B"]], "arguments": arguments, "filter": "none"}
    settings = {"generation_kwargs": {"do_sample": True, "temperature": 0.5, "top_p": 0.5, "max_gen_toks": 1}}
    config = {"model_args": {"pretrained": "x"}, "model_sha": "y"}
    results = {
        "model_name": "",
        "configs": {f"{TASK}_text_only": settings},
        "config": config,
        "lm_eval_version": "1",
        "git_hash": "x",
    }
    return {"sample": sample, "results": {**results, "transformers_version": "5"}}


def lmms_eval_log():
    sample = {"doc_id": 0, "filtered_resps": ["B"], "arguments": [["q", 0]], "kept": {"item_id": one()["item_id"]}}
    return {"args": {"model_args": "pretrained=x,y"}, "model_configs": {"generation_kwargs": {}}, "logs": [sample]}


def table():
    row = {"index": one()["item_id"], "question": one()["question"], "run": 0, "condition": "text_only"}
    return [row | {"option_order": one()["option_order"], "A": "x", "prediction": "B"}]


def write_json(folder, log):
    (folder / "x.json").write_text(json.dumps(log))
    return folder / "x.json"


def write_archive(folder, log):
    log = log if isinstance(log, dict) else {}
    with zipfile.ZipFile(folder / "x.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({**log, "samples": None}))
        for number, sample in enumerate(log.get("samples") if isinstance(log.get("samples"), list) else []):
            apart = {name: sample.get(name) for name in ("metadata", "attachments")} if isinstance(sample, dict) else {}
            archive.writestr(f"samples/{number}_epoch_1/sample.json", json.dumps(sample))
            archive.writestr(f"samples/{number}_epoch_1/metadata.json", json.dumps(apart.get("metadata")))
            archive.writestr(f"samples/{number}_epoch_1/attachments/0.json", json.dumps(apart.get("attachments")))
    return folder / "x.eval"


def write_lines(folder, log):
    log = log if isinstance(log, dict) else {}
    path = folder / f"samples_{TASK}_text_only_2024-01-01T00-00-00.jsonl"
    path.write_text(json.dumps(log.get("sample")) + "\n")
    (folder / "results_2024-01-01T00-00-00.json").write_text(json.dumps(log.get("results")))
    return path


def with_odd(value, odd):
    """The value with `odd` in the place of each of its parts, one at a time, and without each of its names."""
    yield odd
    if isinstance(value, dict):
        for name, inside in value.items():
            yield {other: each for other, each in value.items() if other != name}
            yield from ({**value, name: changed} for changed in with_odd(inside, odd))
    elif isinstance(value, list):
        for place, inside in enumerate(value):
            yield from ([*value[:place], changed, *value[place + 1 :]] for changed in with_odd(inside, odd))


@pytest.mark.parametrize(
    ("harness", "log", "write"),
    [
        ("inspect", inspect_log, write_json),
        ("inspect", inspect_log, write_archive),
        ("lm_eval", lm_eval_log, write_lines),
        ("lmms_eval", lmms_eval_log, write_json),
        ("vlmevalkit", table, write_json),
    ],
    ids=["inspect", "archive", "lm_eval", "lmms_eval", "vlmevalkit"],
)
def test_nothing_odd_in_a_log_ends_in_a_traceback(harness, log, write, tmp_path):
    config, items = questions(TASK)
    asked, told = [items[one()["item_id"]]], []
    for odd in ODD:
        for changed in with_odd(log(), odd):
            try:
                match(read_log(harness, [write(tmp_path, changed)], config), config, asked, "text_only")
                told.append("")
            except InputError as problem:
                told.append(str(problem))
    assert all(each.startswith(str(tmp_path)) for each in told if each)
    assert 10 < told.count("") < len(told) - 10
