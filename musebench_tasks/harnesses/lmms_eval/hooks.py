"""What lmms-eval calls: documents, words, media, scores.

A film is handed over as a path without its sound, and the sound beside it as a block of its own: wrappers that look
for a sound track in a film, and those that do not, hear it once. Most wrappers pass over sound without a word, so a
condition with sound is refused unless the wrapper is known to take it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import link_or_copy
from musebench_tasks.base.records import Modality, Request
from musebench_tasks.harnesses.questions import Document, documents, media_of, request_of, streams_of, target_of
from musebench_tasks.harnesses.scores import document_scores, with_clusters

TAKES_SOUND = "takes_sound"
"""Key of what the YAML files say about a model."""
OVERRIDE = "MUSEBENCH_MODEL_TAKES_SOUND"
"""Set to 1, it says that the model takes sound, whatever is known about its wrapper."""
IDENTITY = ("item_id", "run", "condition", "option_order")
"""What of a document its sample keeps."""
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"})


@contextmanager
def wrong_input_ends_the_run() -> Iterator[None]:
    """lmms-eval tries again after an exception, buries it, and exits with 0; wrappers take it for an empty answer.

    None of them catches an exit: the sentence is the last thing printed, and the exit code is 1.
    """
    try:
        yield
    except InputError as error:
        raise SystemExit(f"musebench: {error.text}") from error


@wrong_input_ends_the_run()
def process_docs(dataset: Any) -> Any:
    """The documents of a task: `dataset` holds one row that names the task and the condition."""
    from datasets import Dataset

    (seed,) = list(dataset)
    return Dataset.from_list(documents(seed["musebench_task"], seed["musebench_condition"]))


@wrong_input_ends_the_run()
def doc_to_text(doc: Document, lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """The prompt; ends the run where the condition has sound and the model's wrapper is not known to take it."""
    request = request_of(doc)
    takes_sound = (lmms_eval_specific_kwargs or {}).get(TAKES_SOUND, False) or os.environ.get(OVERRIDE) == "1"
    if Modality.AUDIO in streams_of(request) and not takes_sound:
        raise InputError(
            f"{doc['musebench_task']} under the condition {request.condition} has sound, and this wrapper of lmms-eval "
            "is not known to take it: it would be scored without having heard anything. Run a condition without sound "
            f"(…_no_audio, …_text_only); if the model does hear audio blocks, set {OVERRIDE}=1."
        )
    return request.prompt


@wrong_input_ends_the_run()
def doc_to_visual(doc: Document) -> list[Any]:
    """The media for wrappers that take them as values: a picture, or the path of a film without sound; then samples."""
    request, media = request_of(doc), []
    film, sound = _paths(request)
    if film is not None:
        media.append(_opened(film) if _is_picture(film) else str(film))
    if sound is not None:
        signal = media_of(request, Modality.AUDIO).audio()
        media.append({"array": signal.samples, "sampling_rate": signal.sample_rate, "type": "audio", "url": str(sound)})
    return media


@wrong_input_ends_the_run()
def doc_to_messages(doc: Document, lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """The message for wrappers that talk in messages: a picture or a film without sound, then the sound, then words."""
    film, sound = _paths(request_of(doc))
    content = [{"type": "image" if _is_picture(film) else "video", "url": str(film)}] if film is not None else []
    content += [{"type": "audio", "url": str(sound)}] if sound is not None else []
    content.append({"type": "text", "text": doc_to_text(doc, lmms_eval_specific_kwargs)})
    return [{"role": "user", "content": content}]


@wrong_input_ends_the_run()
def doc_to_target(doc: Document) -> str:
    """What is right, as shown."""
    return target_of(doc)


@wrong_input_ends_the_run()
def process_results(doc: Document, results: Sequence[Any]) -> dict[str, Any]:
    """The scores of one answer; the headline once more with the cluster that its error is reckoned by.

    With them what the answer is an answer to: lmms-eval leaves documents out of its sample log, not what stands here.
    """
    raw = results[0]
    scores = with_clusters(document_scores(doc, raw[0] if isinstance(raw, list) else raw), doc)
    return {**scores, **{name: doc[name] for name in IDENTITY}}


def _paths(request: Request) -> tuple[Path | None, Path | None]:
    """The file of what is seen, without sound, and the file of what is heard; None where the condition gives none."""
    streams = streams_of(request)
    film = _as_mp4(media_of(request, Modality.VIDEO).clip()) if Modality.VIDEO in streams else None
    sound = media_of(request, Modality.AUDIO).clip() if Modality.AUDIO in streams else None
    return film, sound


def _is_picture(path: Path) -> bool:
    return path.suffix in PICTURES


def _opened(path: Path) -> Any:
    from PIL import Image

    with Image.open(path) as picture:
        return picture.convert("RGB")


def _as_mp4(path: Path) -> Path:
    """A film under a name by which every wrapper knows it for one: some take `.webm` for sound. Pictures stay."""
    if _is_picture(path) or path.suffix == ".mp4":
        return path
    named = path.with_suffix(".mp4")
    link_or_copy(path, named)
    return named
