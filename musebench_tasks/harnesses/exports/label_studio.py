"""Label Studio: `tasks.json` with a task an item and a prediction an answer, `labels.xml`, the media beside them.

What is right is not in them: whoever looks at the answers there is to judge for themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.files import link_or_copy, write_text
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import FieldAnswer, Item, Modality, Prediction, Request, Status
from musebench_tasks.harnesses.exports.samples import Exported
from musebench_tasks.media import shared_cache
from musebench_tasks.media.sniff import HEAD_BYTES, suffix_of
from musebench_tasks.media.unpack import media_file

LOCAL = "/data/local-files/?d=media/"
"""Where Label Studio finds its own files, once LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT is the exported folder."""
MEDIA = "media"


def write_label_studio(exported: Exported, folder: Path, address: str = LOCAL) -> tuple[Path, list[str]]:
    """Write everything below `folder`; the path of tasks.json, and a line for each medium that could not be had.

    `address` stands before a medium's file name in the tasks.
    """
    answers: dict[str, list[tuple[Request, Prediction | None]]] = {}
    for request, prediction in exported.answers():
        answers.setdefault(request.item_id, []).append((request, prediction))
    problems: dict[str, str] = {}
    tasks = []
    for item_id, asked in answers.items():
        item = exported.items[item_id]
        name = _medium(item, folder / MEDIA, problems)
        given = [(request, each) for request, each in asked if each is not None and _result(request, each)]
        tasks.append(
            {
                "data": _data(exported, item, asked[0][0], address + name if name else None, given),
                "predictions": [
                    {
                        "model_version": f"{exported.config.system.name} · {request.condition} · run {request.run}",
                        "result": _result(request, prediction),
                    }
                    for request, prediction in given
                ],
            }
        )
    path = folder / "tasks.json"
    write_text(folder / "labels.xml", _labels(exported))
    write_text(path, json.dumps(tasks, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return path, list(problems.values())


def _data(
    exported: Exported,
    item: Item,
    request: Request,
    medium: str | None,
    given: Sequence[tuple[Request, Prediction]],
) -> dict[str, Any]:
    told: dict[str, Any] = {"item_id": item.id, "task": exported.config.task, "media": medium}
    if item.options:
        told["question"] = item.question
        told["options"] = [{"value": option.text} for option in item.options]
        told["option_ids"] = list(item.option_ids)
    else:
        told["question"] = request.prompt
        labels = {each["labels"][0] for asked, answer in given for each in _segments(answer)}
        told["labels"] = [{"value": label} for label in sorted(labels)]
    window = {"start_s": item.start_s, "end_s": item.end_s}
    return {**told, **{name: value for name, value in window.items() if value is not None}}


def _result(request: Request, prediction: Prediction) -> list[dict[str, Any]]:
    """The regions and choices of one answer, its text too where options are asked; nothing where there is none."""
    if not request.options:
        fields = prediction.parsed if isinstance(prediction.parsed, dict) else {}
        texts = [
            _entry(name, "textarea", {"text": [str(answer.value)]})
            for name, answer in fields.items()
            if name != "segments" and answer.status is Status.OK
        ]
        return [*texts, *(_entry("segments", "labels", each) for each in _segments(prediction))]
    chosen = [option.text for option in request.options if option.id in (prediction.parsed or ())]
    entries = [_entry("answer", "choices", {"choices": chosen})] if chosen else []
    return [*entries, _entry("raw", "textarea", {"text": [prediction.raw]})] if prediction.raw else entries


def _entry(name: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "media", "type": kind, "value": dict(value)}


def _segments(prediction: Prediction) -> list[dict[str, Any]]:
    """The stretches that an answer names, in seconds."""
    found = prediction.parsed.get("segments") if isinstance(prediction.parsed, dict) else None
    if not isinstance(found, FieldAnswer) or found.status is not Status.OK:
        return []
    return [
        {"start": each["start_s"], "end": each["end_s"], "channel": 0, "labels": [each["label"] or "segment"]}
        for each in found.value
    ]


def _labels(exported: Exported) -> str:
    """The labelling interface that the tasks are for."""
    element = "Video" if Modality.VIDEO in exported.task.modalities else "Audio"
    if exported.task.kind == "choice":
        fields = [
            '  <Choices name="answer" toName="media" choice="multiple" value="$options"/>',
            '  <TextArea name="raw" toName="media" editable="false"/>',
        ]
    else:
        named = [name for name in exported.task.fields if name != "segments"]
        fields = [f'  <TextArea name="{name}" toName="media" placeholder="{name}"/>' for name in named]
        if "segments" in exported.task.fields:
            fields.insert(0, '  <Labels name="segments" toName="media" value="$labels"/>')
    shown = [f'  <{element} name="media" value="$media"/>', '  <Header value="$question"/>']
    return "\n".join(["<View>", *shown, *fields, "</View>"]) + "\n"


def _medium(item: Item, folder: Path, problems: dict[str, str]) -> str | None:
    """The name of a medium that now lies in `folder`; None, with a line in `problems`, where it cannot be had."""
    if item.media is None:
        return None
    try:
        file = media_file(item.media, shared_cache())
        with file.path.open("rb") as opened:
            name = f"{file.sha256}{suffix_of(opened.read(HEAD_BYTES))}"
    except (MediaError, OSError) as problem:
        problems.setdefault(item.media.content, f"item {item.id}: its medium is not here ({reason(problem)}).")
        return None
    link_or_copy(file.path, folder / name)
    return name
