"""What the goldens import of the package: whoever renames it corrects this file alone."""

import contextlib
import io
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.answers import (
    parse_choice,
    parse_key,
    parse_music,
    parse_segments,
    parse_tempo,
    parse_time_signature,
)
from musebench_tasks.base.records import Condition
from musebench_tasks.cli import main
from musebench_tasks.harnesses import lm_eval, lmms_eval
from musebench_tasks.harnesses.questions import documents
from musebench_tasks.inference import build_requests
from musebench_tasks.inference.requests import unsupported
from musebench_tasks.items import load_items
from musebench_tasks.models import load_model
from musebench_tasks.models.tiny import build_tiny
from musebench_tasks.tasks import conditions_of, load_task

HOOKS = {
    "lm_eval text": lm_eval.doc_to_text,
    "lm_eval images": lm_eval.doc_to_image,
    "lm_eval target": lm_eval.doc_to_target,
    "lmms_eval messages": lmms_eval.doc_to_messages,
    "lmms_eval media": lmms_eval.doc_to_visual,
}
"""What two harnesses call with a document of ours."""
CONDITIONS = ("full", "no_audio", "no_video", "text_only", "noise", "silence", "frozen_frame", "shuffled_frames")
READERS = {"tempo": parse_tempo, "key": parse_key, "time_signature": parse_time_signature}
FIELDS = ("tempo", "key", "time_signature", "segments")


class Said(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    output: str
    errors: str


def musebench(*words: object, cwd: Any) -> Said:
    """`musebench WORDS` in this process, from the folder `cwd`."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors), contextlib.chdir(cwd):
        try:
            code = main([str(each) for each in words])
        except SystemExit as end:
            code = int(end.code or 0)
    return Said(code, output.getvalue(), errors.getvalue())


def read_answer(case: dict[str, Any]) -> dict[str, Any]:
    """What is read in the response of a case of tests/cases, whatever file it stands in: by field, the whole result."""
    if "options" in case:
        answer = parse_choice(
            case["response"], case["options"], multi=case["kind"] == "multi", finish_reason=case.get("finish_reason")
        )
        return {"choice": [list(answer.labels), str(answer.status), answer.rule, list(answer.flags)]}
    field = case.get("field", "music")
    if field in READERS:
        answers = {field: READERS[field](case["response"])}
    elif field == "segments":
        answers = {field: parse_segments(case["response"], duration_s=case.get("duration", 60.0))}
    else:
        answers = parse_music(case["response"], FIELDS, case.get("duration", 60.0))
    return {name: [each.value, str(each.status), each.rule, list(each.flags)] for name, each in answers.items()}


def request_keys(task_name: str, model_specs: list[str], each_nth: int = 1) -> dict[tuple[str, str], str]:
    """By model and condition of the task: a line a planned request, `item run key`, or why the model is not asked.

    `each_nth`: 8 = of the items only the first, the ninth and so on.
    """
    task = load_task(task_name)
    items = load_items(task, offline=True).items[::each_nth]
    return {
        (spec, str(each)): _keys(task, items, load_model(spec), each)
        for spec in model_specs
        for each in conditions_of(task, ["all"])
    }


def build_tiny_omni(folder: Path) -> None:
    """A checkpoint of random weights, a few megabytes, that takes pictures, sound and words."""
    build_tiny("qwen2_5_omni_thinker", folder)


def asked_by_harnesses(task: str, condition: str) -> list[dict[str, Any]]:
    """The documents that a harness gets for a task."""
    return documents(task, condition)


def _keys(task: Any, items: Any, model: Any, condition: Condition) -> str:
    reason = unsupported(task, items, model, condition)
    if reason is not None:
        return f"not asked: {reason}\n"
    requests = build_requests(task, items, model, [condition])
    return "".join(f"{each.item_id} {each.run} {each.key}\n" for each in requests)
