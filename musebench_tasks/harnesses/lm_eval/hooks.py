"""What lm-eval calls: documents, words, pictures, scores.

lm-eval's own models take pictures and text. A condition with sound hands over something that no such model can go
through: the run ends with a sentence in place of a score without sound. `musebench_lm` does not look at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Modality, Request
from musebench_tasks.harnesses.questions import (
    Document,
    documents,
    media_of,
    questions,
    request_of,
    streams_of,
    target_of,
)
from musebench_tasks.harnesses.scores import document_scores

IMAGE = "<image>"
"""Where lm-eval puts a picture."""


class NeedsSound(dict[str, str]):
    """Stands where pictures would for a request with sound, and refuses to be taken for them.

    A mapping of what names the request, so that lm-eval can log it and make keys of it.
    """

    def __init__(self, request: Request, task: str, without_sound: Sequence[str]) -> None:
        super().__init__(
            musebench_request=request.key, item_id=request.item_id, run=str(request.run), condition=request.condition
        )
        self._what = f"{task}: item {request.item_id} under the condition {request.condition}"
        self._without_sound = without_sound

    def __iter__(self) -> Iterator[Any]:
        self._refuse()

    def __getitem__(self, place: Any) -> Any:
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self._what}: with sound>"

    def _refuse(self) -> NoReturn:
        others = ", ".join(f"_{each}" for each in self._without_sound)
        instead = f"Run the task that ends in {others}, or" if others else "No condition of this task is without sound:"
        raise InputError(
            f"{self._what} has sound, which models of lm-eval do not take: it would be scored without having been "
            f"heard. {instead} ask one of our models (musebench_tasks.harnesses.lm_eval.musebench_lm)."
        )


def load(
    *, musebench_task: str, musebench_condition: str, musebench_max_frames: int | None = None, **_: Any
) -> dict[str, Any]:
    """`custom_dataset`: the documents of a task under a condition, as the split `test`.

    lm-eval passes its model's arguments and the task's metadata too; they are left alone. Fewer pictures a film:
    `--metadata '{"musebench_max_frames": 8}'`.
    """
    from datasets import Dataset

    return {"test": Dataset.from_list(documents(musebench_task, musebench_condition, musebench_max_frames))}


def doc_to_text(doc: Document) -> str:
    """The prompt, after one `<image>` for each picture."""
    request = request_of(doc)
    if IMAGE in request.prompt:
        raise InputError(
            f'{doc["musebench_task"]}: item {doc["item_id"]} holds the text "{IMAGE}", which lm-eval takes for the '
            "place of a picture. It cannot be asked there."
        )
    if streams_of(request) != {Modality.VIDEO}:
        return request.prompt
    return IMAGE * len(media_of(request).frames().times_s) + f"\n{request.prompt}"


def doc_to_image(doc: Document) -> Any:
    """The pictures of a film, one a frame, or what no model can take for them where there is sound."""
    from PIL import Image

    request = request_of(doc)
    if Modality.AUDIO in streams_of(request):
        task = questions(doc["musebench_task"]).task
        silent = [each for each in task.protocol.conditions if Modality.AUDIO not in each.modalities(task.modalities)]
        return NeedsSound(request, doc["musebench_task"], silent)
    if not request.parts:
        return []
    return [Image.fromarray(pixels) for pixels in media_of(request).frames().pixels]


def doc_to_target(doc: Document) -> str:
    """What is right, as shown."""
    return target_of(doc)


def process_results(doc: Document, results: Sequence[str]) -> dict[str, Any]:
    """The scores of one answer."""
    return document_scores(doc, results[0])
