"""Reading logs of other harnesses in tests."""

import json

from musebench_tasks.harnesses.logs import match, read_log
from musebench_tasks.harnesses.questions import documents, questions


def asked(task, condition="text_only", count=4):
    return documents(task, condition)[:count]


def imported_lines(imported):
    return [json.loads(line) for line in (imported.folder / "predictions.jsonl").read_text().splitlines()]


def read(source, path, task, condition=None):
    config, items = questions(task)
    return match(read_log(source, [path], config), config, list(items.values()), condition)
