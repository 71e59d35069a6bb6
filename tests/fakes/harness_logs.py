"""Logs of other harnesses as tests write and read them."""

import json
import zipfile

from musebench_tasks.harnesses.logs import match, read_log
from musebench_tasks.harnesses.questions import documents, questions, request_of


def asked(task, condition="text_only", count=4):
    return documents(task, condition)[:count]


def imported_lines(imported):
    return [json.loads(line) for line in (imported.folder / "predictions.jsonl").read_text().splitlines()]


def read_whole(source, path, task, condition=None):
    """The log, and what of it belongs to the task."""
    config, items = questions(task)
    log = read_log(source, [path], config)
    return log, match(log, config, list(items.values()), condition)


def read(source, path, task, condition=None):
    return read_whole(source, path, task, condition)[1]


def write_json(path, content, before=""):
    path.write_text(before + json.dumps(content))
    return path


def write_lines(path, rows, before=""):
    path.write_text(before + "".join(json.dumps(row) + "\n" for row in rows))
    return path


def said(content, reason="stop", **output):
    """The output of a model in a log of Inspect."""
    message = {"role": "assistant", "content": content}
    return {"model": "x", "choices": [{"message": message, "stop_reason": reason}], **output}


FOUR = (said("A"),) * 4


def inspect_log(task, condition="text_only", outputs=FOUR, **sample):
    """A log of Inspect with a sample for each output."""
    _, items = questions(task)
    rows = []
    for document, output in zip(documents(task, condition), outputs, strict=False):
        texts = {option.id: option.text for option in items[document["item_id"]].options}
        prompt = request_of(document).prompt
        rows.append(
            {
                "id": document["item_id"],
                "epoch": document["run"] + 1,
                "input": prompt,
                "choices": [texts[each] for each in document["option_order"] or ()] or None,
                "target": "gold",
                "messages": [{"role": "user", "content": prompt}],
                "output": output,
                "metadata": {"condition": condition},
                "scores": {"choice": {"value": "C"}},
                **sample,
            }
        )
    about = {"model": "openai/x", "packages": {"inspect_ai": "0.3.285"}, "revision": {"commit": "abc1234"}}
    return {"version": 2, "status": "success", "eval": about, "plan": {"steps": [], "config": {}}, "samples": rows}


def write_inspect(path, log, header="header.json"):
    """The log as one JSON file or as an archive of its samples, by the suffix of its name."""
    if path.suffix == ".json":
        return write_json(path, log)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(header, json.dumps({**log, "samples": None}))
        for row in log["samples"]:
            archive.writestr(f"samples/{row['id']}_epoch_{row['epoch']}.json", json.dumps(row))
    return path
