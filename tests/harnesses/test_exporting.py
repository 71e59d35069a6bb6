"""Runs written for Every Eval Ever, held against its own schemas, and for Label Studio."""

import argparse
import json
import os
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import pytest

from musebench_tasks import api
from musebench_tasks.api.exporting import TARGETS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import SystemBlock
from musebench_tasks.cli import export as exporting
from musebench_tasks.cli import import_logs as importing
from musebench_tasks.cli import main
from musebench_tasks.evaluation.definitions import CHAPTERS
from musebench_tasks.harnesses.exports import RELATIONSHIPS, every_eval_ever
from musebench_tasks.harnesses.logs import SOURCES
from musebench_tasks.harnesses.questions import questions, references

SCHEMAS = Path(__file__).parent / "every_eval_ever"
"""Of Every Eval Ever 0.3.0 (MIT, LICENSE beside them)."""
PATH = re.compile(r"data/[^/]+/[^/]+/[^/]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json")
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}


def is_type(value, name):
    if name in ("number", "integer"):
        kinds = (int, float) if name == "number" else int
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(value, schema, root, place="$"):
    """What draft 7 finds wrong with `value`, for the words that these schemas use."""
    if "$ref" in schema:
        yield from problems(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, place)
        return
    names = schema.get("type", [])
    if names and not any(is_type(value, name) for name in ([names] if isinstance(names, str) else names)):
        yield f"{place}: {value!r} is no {names}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{place}: {value!r} is not {schema['const']!r}"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{place}: {value!r} does not fit"
    if is_type(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{place}: {value} is out of range"
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield f"{place}: too few"
        for number, each in enumerate(value):
            yield from problems(each, schema.get("items", {}), root, f"{place}[{number}]")
    if isinstance(value, dict):
        yield from of_object(value, schema, root, place)
    yield from of_parts(value, schema, root, place)


def of_object(value, schema, root, place):
    known = schema.get("properties", {})
    yield from (f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value)
    other = schema.get("additionalProperties", True)
    for name, each in value.items():
        if name in known:
            yield from problems(each, known[name], root, f"{place}.{name}")
        elif other is False:
            yield f"{place}: {name} is not known"
        elif isinstance(other, dict):
            yield from problems(each, other, root, f"{place}.{name}")


def of_parts(value, schema, root, place):
    for part in schema.get("allOf", []):
        yield from problems(value, part, root, place)
    if "oneOf" in schema and sum(not [*problems(value, part, root)] for part in schema["oneOf"]) != 1:
        yield f"{place}: fits not just one of {len(schema['oneOf'])}"
    if "not" in schema and not [*problems(value, schema["not"], root)]:
        yield f"{place}: is what it must not be"
    if "if" in schema:
        fits = not [*problems(value, schema["if"], root)]
        yield from problems(value, schema.get("then" if fits else "else", {}), root, place)


def schema(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


TEXTS = ("A", "I cannot hear the recording, so I can't help with that.", "B or C", "D")
"""Two of them can be read as answers."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    items = list(questions("hummusqa_demo").items)[:2]
    answers = folder / "answers.jsonl"
    rows = [{"item_id": items[0], "run": number, "raw": text} for number, text in enumerate(TEXTS)]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    api.run(tasks="hummusqa_demo", model=f"replay:{answers}", limit=2, out=folder / "run")
    api.run(tasks="mub_demo", model="random", limit=2, out=folder / "run")
    for file in (folder / "run").rglob("predictions.jsonl"):
        os.utime(file, (1_700_000_000, 1_700_000_000))
    return folder / "run"


@pytest.fixture(scope="module")
def exported(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    files = api.export_run(run, "every_eval_ever", out=folder, organization="A Lab", relationship="third_party").files
    return folder, {json.loads(file.read_text())["evaluation_results"][0]["evaluation_name"]: file for file in files}


def lines_of(file):
    return [json.loads(line) for line in file.with_name(f"{file.stem}_samples.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("task", ["hummusqa_demo", "mub_demo"])
def test_records_are_what_the_schemas_want(task, exported):
    folder, files = exported
    assert PATH.fullmatch(files[task].relative_to(folder).as_posix())
    record, lines = json.loads(files[task].read_text()), lines_of(files[task])
    assert [*problems(record, whole := schema("eval"), whole)] == []
    for line in lines:
        assert [*problems(line, each := schema("instance_level_eval"), each)] == []
    told = record["detailed_evaluation_results"]
    assert (folder / told["file_path"]).is_file()
    assert told["total_rows"] == len(lines)
    ids = {result["evaluation_result_id"] for result in record["evaluation_results"]}
    assert len(ids) == len(record["evaluation_results"])
    assert {line["evaluation_result_id"] for line in lines} <= ids


def test_the_check_itself_finds_what_is_wrong(exported):
    record = json.loads(exported[1]["mub_demo"].read_text())
    whole = schema("eval")
    record["model_info"]["additional_details"]["deployment_type"] = "rented"
    record["evaluation_results"][0]["score_details"]["details"]["coverage"] = 1.0
    record["detailed_evaluation_results"]["file_path"] = "samples.jsonl"
    record["more"] = 1
    found = "\n".join(problems(record, whole, whole))
    for place in ("deployment_type", "details.coverage", "file_path", "more is not known"):
        assert place in found


def test_rates_stand_as_text_beside_the_scores(exported):
    record = json.loads(exported[1]["hummusqa_demo"].read_text())
    result = record["evaluation_results"][0]
    assert result["evaluation_result_id"] == "accuracy/1:full"
    details = result["score_details"]["details"]
    wanted = {"planned": "8", "coverage": "0.5", "answered": "0.25", "refusal_rate": "0.125", "retry_rate": "0"}
    assert {name: details[name] for name in wanted} == wanted
    assert record["retrieved_timestamp"] == "1700000000"
    assert record["source_metadata"]["source_organization_name"] == "A Lab"


def test_samples_hold_every_planned_answer_and_gold_only_when_asked(run, exported, tmp_path):
    lines = lines_of(exported[1]["hummusqa_demo"])
    assert [(line["metadata"]["run"], line["error"]) for line in lines[:4]] == [
        ("0", None),
        ("1", "refused"),
        ("2", "unparsed"),
        ("3", None),
    ]
    assert {line["error"] for line in lines[4:]} == {"backend_error"}
    assert all(line["input"]["reference"] == [] for line in lines)
    first = lines[0]
    assert first["answer_attribution"][0]["extracted_value"] == first["input"]["choices"][0]
    assert api.export_run(run, "every_eval_ever", out=tmp_path, with_gold=True).files
    for file in tmp_path.rglob("*.json"):
        for line in lines_of(file):
            assert line["input"]["reference"]
    item_id = first["metadata"]["item_id"]
    (right,) = references("hummusqa_demo")[item_id].answer
    text = next(each.text for each in questions("hummusqa_demo").items[item_id].options if each.id == right)
    (file,) = tmp_path.glob("data/hummusqa_demo/*/*/*_samples.jsonl")
    assert json.loads(file.read_text().splitlines()[0])["input"]["reference"] == [text]


def system(name):
    return SimpleNamespace(config=SimpleNamespace(system=SystemBlock(name=name)))


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("dsp:paper", "musebench-tasks/dsp_paper"),
        ("transformers:Qwen/Qwen2.5-Omni-7B", "Qwen/Qwen2.5-Omni-7B"),
        ("openai:org/x@http://127.0.0.1:8000/v1,http://h/v1", "org/x"),
        ("/models/tiny", "undisclosed/tiny"),
        ("GPT-4 (vision)", "undisclosed/GPT-4_vision_"),
        ("../..", "undisclosed/undisclosed"),
    ],
)
def test_a_record_lies_under_developer_and_model(name, identity):
    assert every_eval_ever.model_id(system(name)) == identity


def test_models_of_other_names_have_other_records():
    names = ["Qwen/通义", "Qwen/文心", "ü", "é", "x" * 300, "x" * 299 + "y"]
    found = {every_eval_ever.model_id(system(name)) for name in names}
    assert len(found) == len(names)
    assert all(len(part) < 250 and part.isascii() for each in found for part in each.split("/"))


def test_where_the_data_came_from_is_told(run, tmp_path, monkeypatch):
    def source(folder):
        (file, *_) = api.export_run(run, "every_eval_ever", out=tmp_path / folder).files
        told = json.loads(file.read_text())["evaluation_results"][0]["source_data"]
        return {name: told.get(name) for name in ("source_type", "hf_repo", "hf_split")}

    assert source("here") == {"source_type": "other", "hf_repo": None, "hf_split": None}
    monkeypatch.setattr(every_eval_ever, "local_directory", lambda task: None)
    monkeypatch.setattr(every_eval_ever, "HUB_IDS", {"hummusqa_demo": "org/humming", "mub_demo": "org/humming"})
    assert source("hub") == {"source_type": "hf_dataset", "hf_repo": "org/humming", "hf_split": "test"}


def test_directions_are_those_of_metrics_that_there_are():
    known = {each.partition("/")[0] for group in CHAPTERS.values() for entry in group for each in entry.ids}
    assert all(any(name.startswith(start) for name in known) for start in every_eval_ever.LOWER_IS_BETTER)


def test_the_commands_offer_what_there_is():
    def choices(command, name):
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        return next(tuple(each.choices) for each in parser._actions if each.dest == name)

    assert choices(importing, "harness") == SOURCES
    assert choices(exporting, "to") == TARGETS
    assert choices(exporting, "relationship") == RELATIONSHIPS


def test_a_copy_that_keeps_the_time_gives_the_same_files_and_another_does_not(run, exported, tmp_path):
    copy = shutil.copytree(run, tmp_path / "copy")
    api.export_run(copy, "every_eval_ever", out=tmp_path, organization="A Lab", relationship="third_party")
    folder, _ = exported
    found = sorted(file.relative_to(folder) for file in folder.rglob("*.json*") if file.is_file())
    assert len(found) == 4
    for file in found:
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes()
    for file in copy.rglob("predictions.jsonl"):
        os.utime(file, (1_800_000_000, 1_800_000_000))
    later = api.export_run(
        copy, "every_eval_ever", out=tmp_path, organization="A Lab", relationship="third_party"
    ).files
    assert not {file.relative_to(tmp_path) for file in later} & set(found)


def test_label_studio_gets_tasks_media_and_an_interface(run, capsys):
    assert main(["export", str(run), "--to", "label_studio"]) == 0
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    tasks = {path.parent.name: json.loads(path.read_text()) for path in written}
    choice, music = tasks["hummusqa_demo"], tasks["mub_demo"]
    item = questions("hummusqa_demo").items[choice[0]["data"]["item_id"]]
    assert choice[0]["data"]["option_ids"] == list(item.option_ids)
    assert choice[0]["predictions"][0]["result"][0]["type"] == "choices"
    (chosen,) = choice[0]["predictions"][0]["result"][0]["value"]["choices"]
    assert chosen in {option.text for option in item.options}
    assert choice[1]["predictions"] == []
    results = [{each["from_name"]: each["value"] for each in found["result"]} for found in choice[0]["predictions"]]
    assert [each["raw"]["text"] for each in results] == [[text] for text in TEXTS]
    assert ["answer" in each for each in results] == [True, False, False, True]
    regions = [each for each in music[0]["predictions"][0]["result"] if each["type"] == "labels"]
    assert regions
    assert regions[0]["value"]["start"] < regions[0]["value"]["end"]
    for path in written:
        interface = ElementTree.parse(path.with_name("labels.xml")).getroot()
        names = {element.get("name") for element in interface if element.get("name")}
        for task in json.loads(path.read_text()):
            assert (path.parent / "media" / task["data"]["media"].rpartition("/")[2]).is_file()
            assert {each["from_name"] for found in task["predictions"] for each in found["result"]} <= names


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"to": "every_eval"}, r"nothing that runs are written for \(nearest: every_eval_ever\)"),
        ({"to": "every_eval_ever", "relationship": "firstparty"}, r'relationship "firstparty" is not known'),
    ],
)
def test_what_cannot_be_exported_is_said(arguments, told, run, tmp_path):
    with pytest.raises(InputError, match=told):
        api.export_run(run, **arguments)
    with pytest.raises(InputError, match="is no folder"):
        api.export_run(tmp_path / "none", "label_studio")
