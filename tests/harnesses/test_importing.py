"""Logs of other harnesses become runs: joined by id, read by our rules, without gold and without guesses."""

import json
import zipfile
from pathlib import Path

import pytest
import yaml
from fakes.harness_logs import asked, imported_lines, inspect_log, read, said, write_inspect, write_json, write_lines

from musebench_tasks.api import import_log
from musebench_tasks.base.errors import InputError
from musebench_tasks.cli import main
from musebench_tasks.harnesses.logs import match, read_log
from musebench_tasks.harnesses.logs.rows import with_failures
from musebench_tasks.harnesses.questions import documents, questions, references, request_of
from musebench_tasks.harnesses.scores import document_scores

LOGS = Path(__file__).parent / "logs"
"""Written by the harnesses themselves (lm-eval 0.4.13, lmms-eval 0.7.3, inspect_ai 0.3.285), cut to a few samples."""
GOLD = ("target", "answer", "B, F, G, H")


def lm_eval_sample(document, text, **more):
    return {
        "doc_id": 0,
        "doc": {**document, "answer": "gold"},
        "target": "gold",
        "arguments": {"gen_args_0": {"arg_0": "<|im_start|>" + request_of(document).prompt, "arg_1": {"until": []}}},
        "resps": [[text]],
        "filtered_resps": [text],
        "filter": "none",
        "metrics": ["accuracy"],
        "accuracy": 1.0,
        **more,
    }


def lm_eval_log(folder, rows, name="samples_musebench_hummusqa_demo_text_only_2026-01-02T03-04-05.6.jsonl"):
    samples = [lm_eval_sample(document, text, doc_id=place) for place, (document, text) in enumerate(rows)]
    return write_lines(folder / name, samples)


def test_what_lm_eval_wrote_becomes_a_run(tmp_path):
    imported = import_log("lm_eval", LOGS / "lm_eval", task="hummusqa_demo", out=tmp_path / "run")
    lines = imported_lines(imported)
    assert [(line["item_id"], line["run"]) for line in lines[:4]] == [("12cba46123-1", run) for run in range(4)]
    assert {line["condition"] for line in lines} == {"text_only"}
    assert all(line["option_order"] and line["raw"] and line["parser"]["method"] == "rules" for line in lines)
    told = yaml.safe_load((imported.folder / "run.yaml").read_text())
    assert told["harness"] | {"packages": {}} == {
        "name": "lm_eval (samples jsonl)",
        "version": "0.4.13",
        "git": None,
        "packages": {},
        "decoding": None,
    }
    assert told["system"] | {} == {"name": "tiny-vl", "type": "model"} | dict.fromkeys(
        ("tier", "provider", "revision", "weights", "quantization", "size")
    )
    assert (told["decoding"]["temperature"], told["decoding"]["max_tokens"]) == (0.0, 16)
    assert told["prompt"]["id"]
    assert imported.left_null == ("system.revision", "media.max_frames")
    assert main(["validate", str(imported.folder / "predictions.jsonl"), str(imported.folder / "run.yaml")]) == 0
    assert main(["verify", str(tmp_path / "run")]) == 0


@pytest.mark.parametrize("source", ["lm_eval", "lmms_eval"])
def test_scores_are_those_that_the_harness_had(source):
    task = "hummusqa_demo" if source == "lm_eval" else "musebench_demo"
    config, items = questions(task)
    log = read_log(source, [LOGS / source], config)
    matched = match(log, config, list(items.values()))
    assert matched.words_are_ours
    rows = [json.loads(line) for file in (LOGS / source).glob("*samples_*.jsonl") for line in file.open()]
    there = {(row.get("doc", row)["item_id"], row.get("doc", row)["run"]): row["accuracy"] for row in rows}
    for each in matched.predictions:
        document = next(
            found
            for found in documents(task, each.condition)
            if (found["item_id"], found["run"]) == (each.item_id, each.run)
        )
        assert document_scores(document, each.raw)["accuracy"] == there[each.item_id, each.run]


@pytest.mark.parametrize(("source", "task"), [("lm_eval", "hummusqa_demo"), ("lmms_eval", "musebench_demo")])
def test_no_gold_is_written(source, task, tmp_path):
    imported = import_log(source, LOGS / source, task=task, out=tmp_path, model="x")
    for line in imported_lines(imported):
        assert not {"target", "answer", "accuracy", "doc"} & set(line)


def test_error_texts_are_failures_and_never_letters(tmp_path):
    texts = [
        "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Connection error. Answer: A",
        "Failed to obtain answer via API.",
        "A",
        "Video clips/A.mp4 can not load, check the source",
    ]
    log = lm_eval_log(tmp_path, zip(asked("hummusqa_demo"), texts, strict=True))
    imported = import_log("lm_eval", log, task="hummusqa_demo", out=tmp_path / "run", model="x")
    lines = imported_lines(imported)
    assert [line["status"] for line in lines] == ["backend_error", "backend_error", "ok", "media_error"]
    assert [line["raw"] for line in lines] == [None, None, "A", None]
    assert sorted(imported.errors) == sorted(text for text in texts if text != "A")
    assert with_failures("Failed to decide: B") == {"raw": "Failed to decide: B"}


def test_lines_of_several_filters_count_once(tmp_path):
    (document,) = asked("hummusqa_demo", count=1)
    rows = [lm_eval_sample(document, "A"), lm_eval_sample(document, "A", filter="first", filtered_resps=["?"])]
    found = read("lm_eval", write_lines(tmp_path / "log.jsonl", rows), "hummusqa_demo")
    assert [each.raw for each in found.predictions] == ["A"]


def test_all_unknown_and_repeated_items_are_listed(tmp_path):
    first, second = asked("hummusqa_demo", count=2)
    rows = [(first, "A"), (first, "B"), (second, "A")]
    rows += [({**first, "item_id": name}, "A") for name in ("nobody", "12cba46123-9")]
    samples = [
        {**lm_eval_sample(first, text), "doc_id": place, "doc": document} for place, (document, text) in enumerate(rows)
    ]
    path = write_lines(tmp_path / "log.jsonl", samples)
    with pytest.raises(InputError) as refused:
        read("lm_eval", path, "hummusqa_demo")
    told = str(refused.value).splitlines()
    assert len(told) == 3
    assert 'line 4: "nobody" is no item' in told[0]
    assert 'line 5: "12cba46123-9" is no item that hummusqa_demo asks (nearest: 12cba46123-' in told[1]
    assert "line 2: item 12cba46123-1, run 0, condition text_only stands in" in told[2]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"option_order": None}, "does not tell in which order the options"),
        ({"option_order": ["0", "1"]}, "are not the ids of the options"),
        ({"option_order": "reversed"}, "in another order than hummusqa_demo shows them in run 0"),
        ({"option_order": "A"}, "is no list of option ids"),
        ({"run": 7}, "run 7 of 12cba46123-1 was not planned (runs: 0 to 3)"),
        ({"run": "zero"}, '"zero" is no whole number'),
        ({"run": 1.5}, "is no whole number"),
        ({"condition": None}, "Give --condition, one of full, noise, silence, text_only"),
        ({"condition": "loud"}, 'has no condition "loud"'),
        ({"item_id": None, "identifier": None}, 'no "item_id" says which item was asked'),
        ({"musebench_task": "mub_demo"}, 'is of task "mub_demo", not hummusqa_demo'),
    ],
)
def test_what_a_log_does_not_tell_is_not_guessed(change, told, tmp_path):
    (document,) = asked("hummusqa_demo", count=1)
    if change.get("option_order") == "reversed":
        change = {"option_order": document["option_order"][::-1]}
    sample = lm_eval_sample(document, "A", arguments={})
    sample["doc"] |= change
    with pytest.raises(InputError, match=r"(?s).*") as refused:
        read("lm_eval", write_lines(tmp_path / "log.jsonl", [sample]), "hummusqa_demo")
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "is no JSON. The log may have been cut off"),
        ('"x"', "is no JSON object"),
        ('{"doc_id": 0}', 'has no "doc"'),
        ('{"doc": {"item_id": "x"}, "resps": [["A", "B"]]}', "holds 2 answers to one question"),
        ('{"doc": {"item_id": "x"}, "resps": [[-1.5, false]]}', "Likelihoods cannot be imported"),
    ],
)
def test_odd_lines_are_named(line, told, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError) as refused:
        read("lm_eval", path, "hummusqa_demo")
    assert told in str(refused.value)
    assert "line 1" in str(refused.value)


def test_a_folder_without_the_task_says_what_lies_there(tmp_path):
    with pytest.raises(InputError, match=r"no samples of mub_demo lie there \(of: musebench_hummusqa_demo_text_only\)"):
        import_log("lm_eval", LOGS / "lm_eval", task="mub_demo", out=tmp_path)
    with pytest.raises(InputError, match="there is no such file or folder"):
        import_log("lm_eval", tmp_path / "none", task="mub_demo", out=tmp_path)
    with pytest.raises(InputError, match="no log is named"):
        import_log("lm_eval", [], task="mub_demo", out=tmp_path)
    for path, told in ((tmp_path, "is a folder. Name the logs in it"), (tmp_path / "none", "is not there")):
        with pytest.raises(InputError, match=told):
            import_log("inspect", path, task="mub_demo", out=tmp_path)


def test_another_import_is_not_replaced(tmp_path):
    asked_now = asked("hummusqa_demo", count=2)
    first = lm_eval_log(tmp_path, [(each, "A") for each in asked_now])
    for _ in range(2):
        import_log("lm_eval", first, task="hummusqa_demo", out=tmp_path / "run", model="x")
    second = lm_eval_log(tmp_path, [(each, "B") for each in asked_now], "other.jsonl")
    with pytest.raises(InputError, match="other predictions lie there already"):
        import_log("lm_eval", second, task="hummusqa_demo", out=tmp_path / "run", model="x")


def test_epochs_of_inspect_are_runs_and_errors_are_failures(tmp_path):
    none = {"choices": [], "completion": ""}
    cut = said("ignored", "max_tokens", completion="attachment://1")
    log = inspect_log("hummusqa_demo", outputs=[said("A"), none, none, cut, said("A")])
    log["samples"][1] |= {"error": {"message": "RuntimeError('down')"}}
    log["samples"][2] |= {"limit": {"type": "time", "limit": 60}}
    log["samples"][3] |= {"attachments": {"1": "Let me think about"}}
    path = write_json(tmp_path / "log.json", log)
    imported = import_log("inspect", path, task="hummusqa_demo", out=tmp_path / "run")
    lines = imported_lines(imported)
    assert [line["run"] for line in lines] == [0, 1, 2, 3, 0]
    assert [line["status"] for line in lines] == ["ok", "backend_error", "timeout", "truncated", "ok"]
    assert lines[3]["raw"] == "Let me think about"
    told = yaml.safe_load((imported.folder / "run.yaml").read_text())
    assert told["system"]["name"] == "openai/x"
    assert told["harness"]["name"] == "inspect_ai (EvalLog version 2)"
    assert (told["harness"]["version"], told["harness"]["git"]) == ("0.3.285", "abc1234")
    assert told["media"]["modalities"] is None
    assert told["decoding"]["temperature"] is None


def test_a_log_for_each_condition_makes_one_run(tmp_path):
    paths = [tmp_path / f"{condition}.json" for condition in ("text_only", "silence")]
    for path in paths:
        write_json(path, inspect_log("hummusqa_demo", path.stem))
    imported = import_log("inspect", paths, task="hummusqa_demo", out=tmp_path / "run")
    assert [line["condition"] for line in imported_lines(imported)].count("silence") == 4
    told = yaml.safe_load((imported.folder / "run.yaml").read_text())
    assert told["protocol"]["conditions"] == ["text_only", "silence"]
    assert (told["system"]["name"], told["harness"]["version"]) == ("openai/x", "0.3.285")


def test_logs_that_differ_tell_less_and_those_of_two_models_are_refused(tmp_path):
    config, _ = questions("hummusqa_demo")
    paths = [tmp_path / f"{condition}.json" for condition in ("text_only", "silence")]
    for path in paths:
        write_json(path, inspect_log("hummusqa_demo", path.stem) | {"plan": {"config": {"seed": 7}}})
    assert read_log("inspect", paths, config).decoding.seed == 7
    later = inspect_log("hummusqa_demo", "silence") | {"plan": {"config": {"seed": 8}}}
    later["eval"]["packages"] = {"inspect_ai": "0.3.9"}
    write_json(paths[1], later)
    log = read_log("inspect", paths, config)
    assert (log.decoding.seed, log.harness.version, log.model) == (None, None, "openai/x")
    later["eval"]["model"] = "openai/other"
    write_json(paths[1], later)
    with pytest.raises(InputError, match=r'silence\.json: is of model "openai/other", .* Import one model at a time'):
        read_log("inspect", paths, config)


@pytest.mark.slow
def test_an_import_has_a_report(tmp_path):
    log = write_json(tmp_path / "log.json", inspect_log("hummusqa_demo"))
    import_log("inspect", log, task="hummusqa_demo", out=tmp_path / "run")
    assert main(["report", str(tmp_path / "run")]) == 0
    assert "not known" in (tmp_path / "run" / "report" / "index.html").read_text()


@pytest.mark.parametrize("header", ["header.json", "_journal/start.json"])
def test_an_archive_of_inspect_is_read_as_its_json_is(header, tmp_path):
    log = inspect_log("hummusqa_demo")
    paths = [write_inspect(tmp_path / name, log, header) for name in ("log.json", "log.eval")]
    found = [read("inspect", path, "hummusqa_demo").predictions for path in paths]
    assert found[0] == found[1]


def test_what_inspect_wrote_becomes_a_run(tmp_path):
    imported = import_log("inspect", LOGS / "inspect.eval", task="hummusqa_demo", out=tmp_path / "run")
    lines = imported_lines(imported)
    assert [line["status"] for line in lines] == ["ok", "ok", "truncated", "backend_error"]
    assert imported.errors == ("RuntimeError('the server went away')",)
    assert yaml.safe_load((imported.folder / "run.yaml").read_text())["harness"]["version"] == "0.3.285"


def test_a_damaged_archive_is_named(tmp_path):
    content = bytearray((LOGS / "inspect.eval").read_bytes())
    content[len(content) // 2] ^= 255
    (tmp_path / "x.eval").write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
        read("inspect", tmp_path / "x.eval", "hummusqa_demo")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{}", 'no "samples"'),
        ('{"samples": []}', 'no "eval"'),
        ('{"samples": [1], "eval": {"model": "x"}}', 'sample 1: has no "id"'),
    ],
)
def test_what_is_no_log_of_inspect_is_refused(content, told, tmp_path):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match=told):
        read("inspect", tmp_path / "x.json", "hummusqa_demo")


def test_an_archive_of_others_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("x", "")
    with pytest.raises(InputError, match=r"no header\.json"):
        read("inspect", tmp_path / "x.eval", "hummusqa_demo")


def test_music_is_imported_too(tmp_path):
    rows = [
        {"item_id": document["item_id"], "run": 0, "condition": "full", "filtered_resps": text, "target": "{}"}
        for document, text in zip(asked("mub_demo", "full", 2), ('{"tempo": 120, "key": "C minor"}', ""), strict=True)
    ]
    log = write_lines(tmp_path / "20260101_000000_samples_musebench_mub_demo.jsonl", rows)
    imported = import_log("lmms_eval", log, task="mub_demo", out=tmp_path / "run", model="x")
    first, second = imported_lines(imported)
    assert first["parsed"]["tempo"]["value"] == 120.0
    assert first["option_order"] is None
    assert second["status"] == "unparsed"
    assert set(references("mub_demo")) >= {first["item_id"], second["item_id"]}


def test_the_command_names_failures_and_what_is_not_known(tmp_path, capsys):
    log = lm_eval_log(tmp_path, zip(asked("hummusqa_demo", count=2), ("A", "CUDA out of memory"), strict=True))
    arguments = ["import", "lm_eval", str(log), "--task", "hummusqa_demo", "--out", str(tmp_path / "run")]
    assert main(arguments) == 2
    assert "does not tell which model answered. Give --model NAME." in capsys.readouterr().err
    assert main([*arguments, "--model", "org/x", "--limit", "1"]) == 3
    told = capsys.readouterr()
    assert "1 request failed there; the first: CUDA out of memory" in told.err
    assert "harness.version (null in run.yaml)" in told.out
    assert (tmp_path / "run" / "org_x" / "hummusqa_demo" / "scores.json").is_file()
    assert main([*arguments, "--model", "org/x", "--min-coverage", "0"]) == 2
    assert "differs from what you ask now in benchmark.selection" in capsys.readouterr().err


def test_a_whole_import_can_be_handed_in(tmp_path, capsys):
    log = lm_eval_log(tmp_path, [(each, "A") for each in asked("hummusqa_demo", count=8)])
    arguments = ["import", "lm_eval", str(log), "--task", "hummusqa_demo", "--out", str(tmp_path / "run")]
    assert main([*arguments, "--model", "org/x", "--limit", "2"]) == 0
    arguments = ["submit", str(tmp_path / "run"), "--to", "org/board", "--submitter", "me", "--dry-run", "--offline"]
    assert main(arguments) == 0
    assert "retry rate not known" in capsys.readouterr().out
