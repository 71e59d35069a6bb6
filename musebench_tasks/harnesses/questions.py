"""A task of ours as documents of another harness: one a planned request, without media and without gold.

A document names its request (task, item, run, condition, option order); the hooks find media and gold by it here, so
that a harness holds and logs text alone. What was loaded stays loaded for the life of the process. Texts that a harness
hands on in place of an answer (an error of its own) are failures: no letter is read in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from musebench_tasks.answers.infrastructure import is_error_text
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import (
    LETTERS,
    Condition,
    Item,
    Kind,
    Limits,
    Modality,
    Prediction,
    Reference,
    Request,
    Response,
    Status,
    TaskConfig,
    canonical_json,
)

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup


_REQUEST_FAILED = "[LMMS_EVAL_REQUEST_FAILED"
"""How lmms-eval begins what stands for a request to a server that failed; the server's words follow."""
_MEDIUM_FAILED = re.compile(r"Video .{0,1000} (?:can not load|generate failed), check the source\.?", re.DOTALL)
"""What wrappers of lmms-eval (llava_vid, oryx) answer for a film that they cannot read."""


def failure_in(text: str) -> Status | None:
    """How the request ended that this text stands for; None where it is a model's answer."""
    text = text.strip()
    if _MEDIUM_FAILED.fullmatch(text):
        return Status.MEDIA_ERROR
    return Status.BACKEND_ERROR if text.startswith(_REQUEST_FAILED) or is_error_text(text) else None


Document = Mapping[str, Any]
Address = tuple[str, int, Condition]
"""Item, run and condition: what tells the planned requests of a task apart."""
EVERYTHING = frozenset(Modality)


class AnyModel:
    """A model of another harness, of which nothing is known: what it takes is said by the condition that is asked."""

    name = "harness"
    revision = ""
    kinds = frozenset(Kind)

    def __init__(self, max_frames: int | None = None) -> None:
        self.limits = Limits(modalities=EVERYTHING, max_frames=max_frames)

    def answer(self, group: MediaGroup) -> Iterator[Response]:
        """Never asked here: the harness asks its own model."""
        raise NotImplementedError(f"{group.requests[0].item_id} is asked by the harness")


def address_of(each: Request | Prediction) -> Address:
    """Which planned request this is, or is of."""
    return each.item_id, each.run, each.condition


class Questions(NamedTuple):
    """What is asked of a task."""

    task: TaskConfig
    items: Mapping[str, Item]


@lru_cache(maxsize=64)
def questions(task: str) -> Questions:
    """The task of that name, or in that file, with its items."""
    from musebench_tasks.items import load_items

    config = _known(task)
    return Questions(config, {item.id: item for item in load_items(config).items})


def _known(task: str) -> TaskConfig:
    from musebench_tasks.tasks import load_task
    from musebench_tasks.tasks.index import ENVIRONMENT, NO_TASK

    try:
        return load_task(task)
    except InputError as problem:
        if any(each.code != NO_TASK for each in problem.problems):
            raise
        advice = f"A harness finds a task of yours by {ENVIRONMENT}: set it to the YAML file that was exported."
        raise InputError(*(replace(each, advice=advice) for each in problem.problems)) from problem


@lru_cache(maxsize=64)
def references(task: str) -> Mapping[str, Reference]:
    """What is right, by item id."""
    from musebench_tasks.items import load_references

    return load_references(questions(task).task).references


@lru_cache(maxsize=256)
def requests(task: str, condition: str, max_frames: int | None) -> Mapping[tuple[str, int], Request]:
    """Every planned request of a condition, by item and run."""
    from musebench_tasks.inference.requests import build_requests
    from musebench_tasks.tasks import conditions_of

    config, items = questions(task)
    wanted = conditions_of(config, [condition])
    built = build_requests(config, list(items.values()), AnyModel(max_frames), wanted)
    return {(each.item_id, each.run): each for each in built}


def documents(task: str, condition: str, max_frames: int | None = None) -> list[dict[str, Any]]:
    """One document a planned request, the runs of an item side by side."""
    items = questions(task).items
    return [
        {
            "musebench_task": task,
            "item_id": item_id,
            "run": run,
            "condition": str(request.condition),
            "option_order": list(request.option_order) if request.option_order else None,
            "cluster_id": items[item_id].cluster_id,
            "kind": str(request.kind),
            "question": request.question,
            "options": [option.text for option in request.options],
            "max_frames": max_frames,
        }
        for (item_id, run), request in requests(task, condition, max_frames).items()
    ]


def request_of(document: Document) -> Request:
    """The planned request that a document stands for. InputError where its options now have another order."""
    planned = requests(document["musebench_task"], document["condition"], document["max_frames"])
    request = planned.get((document["item_id"], document["run"]))
    order = tuple(document["option_order"] or ())
    if request is None or order != (request.option_order or ()):
        raise InputError(
            f"{document['musebench_task']}: item {document['item_id']} run {document['run']} is asked otherwise by "
            "the data that lie here now. Build the documents anew (the harness may keep them in its cache)."
        )
    return request


def media_of(request: Request, *wanted: Modality) -> MediaGroup:
    """The media of a request, decoded when they are asked for; of `wanted` streams alone, where any are named."""
    from musebench_tasks.media import MediaGroup
    from musebench_tasks.models.frame_scorers import frame_scorer

    parts = tuple(part for part in request.parts if not wanted or part.modality in wanted)
    narrowed = request.model_copy(update={"parts": parts})
    limits = Limits(modalities=EVERYTHING)
    return MediaGroup((narrowed,), limits, file_parts=request.parts, find_scorer=frame_scorer)


def streams_of(request: Request) -> frozenset[Modality]:
    """The streams that the request gives a model."""
    return frozenset(part.modality for part in request.parts)


def target_of(document: Document) -> str:
    """What is right: letters as shown (`B`; `A, C`), or the known fields of a recording as JSON."""
    reference = references(document["musebench_task"])[document["item_id"]]
    if reference.answer is None:
        return canonical_json(reference.music.model_dump(mode="json", exclude_none=True) if reference.music else {})
    order = request_of(document).option_order or ()
    return ", ".join(LETTERS[place] for place, each in enumerate(order) if each in reference.answer)
