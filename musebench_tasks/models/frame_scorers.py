"""Scorers of frames: how well does a picture fit a text? They choose frames by the question (MB-59).

`python:FILE_OR_MODULE:FUNCTION` calls a function of the user's with frames (uint8, frames x height x width x 3) and the
text; `transformers:ID_OR_DIR` takes the similarity of a CLIP-like checkpoint's picture and text features.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from musebench_tasks.base.errors import InputError, MuseError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from musebench_tasks.media.cache import Part
    from musebench_tasks.media.chosen_frames import FrameScorer

AT_ONCE = 32
"""Frames that are held and scored together."""
WINDOWS_KEPT = 4
"""Windows whose picture features are kept for the next question about them."""


@lru_cache(maxsize=4)
def frame_scorer(name: str) -> FrameScorer:
    """The scorer called `name`; the same one for the same name. InputError where there is none."""
    kind, _, place = name.partition(":")
    return PythonScorer(place) if kind == "python" else SimilarityScorer(place)


class PythonScorer:
    """A function of the user's, called with some frames at a time: each score must follow from its frame and the text.

    Its file's hash tells versions apart; a `revision` of the function's own goes before it.
    """

    def __init__(self, place: str) -> None:
        from musebench_tasks.models.python_function import find_function, source_hash

        self._name = f"python:{place}"
        self._function: Callable[..., Any] = find_function(place)
        told = getattr(self._function, "revision", None) or source_hash(self._function)
        self.revision = f"{place.rpartition(':')[2]} {told}"

    def scores(self, jpegs: Sequence[Part], text: str) -> NDArray[np.float64]:
        """What the function returns; MuseError with its own words where it fails."""
        from musebench_tasks.models.python_function import describe

        found = []
        for frames in _batches(jpegs):
            try:
                found.append(np.atleast_1d(np.asarray(self._function(frames, text), dtype=np.float64)))
            except Exception as error:
                raise MuseError(f"frame scorer {self._name}: {describe(error)}") from error
        return np.concatenate(found)


class SimilarityScorer:
    """Cosine of picture and text features, by a checkpoint that Transformers' AutoModel loads (CLIP, SigLIP).

    The checkpoint is loaded when the first frames are scored. Features of a window's frames serve all its questions.
    """

    def __init__(self, source: str) -> None:
        from musebench_tasks.models.transformers_chat import loading

        loading.require_packages()
        self._source, self._pinned = _pinned(source)
        config = loading.load_config(self._source, self._pinned, "frame scorer")
        if not hasattr(config, "text_config") or not hasattr(config, "vision_config"):
            raise InputError(
                f'frame scorer "transformers:{source}": model type "{config.model_type}" has no picture and text '
                "features to compare. Name a checkpoint like CLIP or SigLIP."
            )
        self.revision = loading.checkpoint_revision(self._source, self._pinned)
        self._loaded: tuple[Any, Any] | None = None
        self._kept: OrderedDict[str, Any] = OrderedDict()

    def scores(self, jpegs: Sequence[Part], text: str) -> NDArray[np.float64]:
        """The cosine of each frame with the text; what of the text is longer than the checkpoint takes is left out."""
        import torch

        model, processor = self._load()
        words = processor.tokenizer(
            [text], padding="max_length", truncation=True, max_length=_longest_text(model), return_tensors="pt"
        )
        with torch.inference_mode():
            pictures = self._pictures(jpegs)
            asked = _normalised(model.get_text_features(**words.to(model.device)))
            return np.asarray((pictures @ asked[0]).double().cpu().numpy(), dtype=np.float64)

    def _pictures(self, jpegs: Sequence[Part]) -> Any:
        import torch

        digest = hashlib.sha256()
        for each in jpegs:
            digest.update(each)
        key = digest.hexdigest()
        if key not in self._kept:
            model, processor = self._load()
            features = []
            for frames in _batches(jpegs):
                pixels = processor.image_processor(list(frames), return_tensors="pt", input_data_format="channels_last")
                features.append(_normalised(model.get_image_features(**pixels.to(model.device))))
            self._kept[key] = torch.cat(features)
            while len(self._kept) > WINDOWS_KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            from transformers import AutoModel, AutoProcessor

            from musebench_tasks.models.transformers_chat.loading import NO_OWN_CODE, choose_device, told_of

            try:
                pinned = {"revision": self._pinned, **NO_OWN_CODE}
                model = AutoModel.from_pretrained(self._source, **pinned).to(choose_device()).float().eval()
                self._loaded = (model, AutoProcessor.from_pretrained(self._source, **pinned))
            except Exception as error:
                told = f"frame scorer transformers:{self._source}: it cannot be loaded: {told_of(error)}"
                raise MuseError(told) from error
        return self._loaded


def _pinned(source: str) -> tuple[str, str | None]:
    """A folder, or a Hub id and the revision that follows it after an @."""
    if Path(source).is_dir():
        return source, None
    name, _, revision = source.partition("@")
    return name, revision or None


def _normalised(features: Any) -> Any:
    """Features of length one, whether they come as they are or inside an output."""
    found = getattr(features, "pooler_output", features)
    return found / found.norm(dim=-1, keepdim=True)


def _longest_text(model: Any) -> int:
    return int(getattr(model.config.text_config, "max_position_embeddings", 64))


def _batches(jpegs: Sequence[Part]) -> Iterator[NDArray[np.uint8]]:
    """The frames decoded, some at a time: an hour of them would not fit into memory."""
    from musebench_tasks.media.jpeg import decode_jpeg

    for start in range(0, len(jpegs), AT_ONCE):
        yield np.stack([decode_jpeg(each) for each in jpegs[start : start + AT_ONCE]])
