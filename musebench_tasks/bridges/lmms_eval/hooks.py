"""What lmms-eval calls: documents, words, media, scores.

A film is handed over as a path without its sound, and the sound beside it as a block of its own: wrappers that look
for a sound track in a film, and those that do not, hear it once. Most wrappers pass over sound without a word, so a
condition with sound is refused unless the wrapper is known to take it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.bridges.questions import Document, documents, media_of, request_of, streams_of, target_of
from musebench_tasks.bridges.scores import document_scores, with_clusters
from musebench_tasks.errors import InputError
from musebench_tasks.records import Modality

TAKES_SOUND = "takes_sound"
"""Key of what the YAML files say about a model."""
OVERRIDE = "MUSEBENCH_MODEL_TAKES_SOUND"
"""Set to 1, it says that the model takes sound, whatever is known about its wrapper."""
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"})


def process_docs(dataset: Any) -> Any:
    """The documents of a task: `dataset` holds one row that names the task and the condition."""
    from datasets import Dataset

    (seed,) = list(dataset)
    return Dataset.from_list(documents(seed["musebench_task"], seed["musebench_condition"]))


def doc_to_text(doc: Document, lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """The prompt. InputError where the condition has sound and the model's wrapper is not known to take it."""
    request = request_of(doc)
    takes_sound = (lmms_eval_specific_kwargs or {}).get(TAKES_SOUND, False) or os.environ.get(OVERRIDE) == "1"
    if Modality.AUDIO in streams_of(request) and not takes_sound:
        raise InputError(
            f"{doc['musebench_task']} under the condition {request.condition} has sound, and this wrapper of lmms-eval "
            "is not known to take it: it would be scored without having heard anything. Run a condition without sound "
            f"(…_no_audio, …_text_only); if the model does hear audio blocks, set {OVERRIDE}=1."
        )
    return request.prompt


def doc_to_visual(doc: Document) -> list[Any]:
    """The media that the condition gives: a picture, or the path of a film without sound; then the sound."""
    request = request_of(doc)
    streams = streams_of(request)
    media: list[Any] = []
    if Modality.VIDEO in streams:
        media.append(_seen(media_of(request, Modality.VIDEO).clip()))
    if Modality.AUDIO in streams:
        group = media_of(request, Modality.AUDIO)
        signal = group.audio()
        media.append(
            {
                "type": "audio",
                "url": str(group.clip()),
                "array": signal.samples,
                "sampling_rate": signal.sample_rate,
            }
        )
    return media


def doc_to_target(doc: Document) -> str:
    """What is right, as shown."""
    return target_of(doc)


def process_results(doc: Document, results: Sequence[Any]) -> dict[str, Any]:
    """The scores of one answer; the headline once more with the cluster that its error is reckoned by."""
    raw = results[0]
    return with_clusters(document_scores(doc, raw[0] if isinstance(raw, list) else raw), doc)


def _seen(path: Path) -> Any:
    """A picture, or the path of a film under a name by which every wrapper knows it for one."""
    if path.suffix in PICTURES:
        from PIL import Image

        with Image.open(path) as picture:
            return picture.convert("RGB")
    if path.suffix == ".mp4":
        return str(path)
    named = path.with_suffix(".mp4")
    try:
        os.link(path, named)
    except FileExistsError:
        pass
    except OSError:
        shutil.copyfile(path, named)
    return str(named)
