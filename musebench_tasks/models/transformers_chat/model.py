"""The model spec `transformers:ID_OR_DIR`: a multimodal checkpoint, run in this process.

One prompt at a time through `generate`; the media of a group are decoded once. Weights are loaded with the first
question, so that asking for limits and revision stays cheap.
"""

import time
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from musebench_tasks.models.protocol import answered, failed
from musebench_tasks.models.revisions import with_settings
from musebench_tasks.models.transformers_chat import loading
from musebench_tasks.models.transformers_chat.families import audio_limit_s, family_of
from musebench_tasks.models.transformers_chat.inputs import (
    FRAME_PIXELS,
    Media,
    build_inputs,
    frame_rate,
    measured,
    weaves_audio,
)
from musebench_tasks.records import Generation, Kind, Limits, Modality, Request, Response, Status

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup

MAX_FRAMES = 32
USUAL_SETTINGS = {"max_pixels": FRAME_PIXELS, "dtype": None}
"""Of the settings that change answers and stand nowhere else in a request."""


class TransformersChat:
    """A checkpoint that answers chat messages with video and audio."""

    def __init__(
        self,
        source: str,
        *,
        revision: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        max_frames: int = MAX_FRAMES,
        max_pixels: int = FRAME_PIXELS,
        max_audio_s: float | None = None,
    ) -> None:
        loading.require_packages()
        self.name = f"transformers:{source}"
        self.source = source
        self.pinned = revision
        self.device = loading.choose_device(device)
        self.dtype = loading.choose_dtype(dtype, self.device)
        self.max_pixels = max_pixels
        self.config = loading.load_config(source, revision)
        self.processor = loading.load_processor(source, revision)
        self.family = family_of(self.config.model_type)
        settings = {"max_pixels": max_pixels, "dtype": dtype}
        self.revision = with_settings(loading.checkpoint_revision(source, self.config), settings, USUAL_SETTINGS)
        self.kinds = frozenset(Kind)
        self.limits = self._limits(max_frames, max_audio_s)
        loading.model_class(self.config)

    @cached_property
    def weights(self) -> Any:
        """The loaded model."""
        return loading.load_weights(
            self.source, self.config, device=self.device, dtype=self.dtype, revision=self.pinned
        )

    def answer(self, group: "MediaGroup") -> Iterator[Response]:
        """One response a request; one that fails, also for lack of memory, leaves the others unharmed."""
        model = self.weights
        media = self._media(group)
        for request in group.requests:
            try:
                response = self._respond(model, group, request, media)
            except Exception as error:
                response = failed(request, Status.BACKEND_ERROR, f"{type(error).__name__}: {error}")
                _free_memory(self.device)
            yield response

    def _limits(self, max_frames: int, max_audio_s: float | None) -> Limits:
        core = getattr(self.config, "thinker_config", self.config)
        extractor: Any = getattr(self.processor, "feature_extractor", None)
        modalities = set()
        if getattr(core, "vision_config", None) is not None and getattr(self.processor, "video_processor", None):
            modalities.add(Modality.VIDEO)
        if getattr(core, "audio_config", None) is not None and extractor is not None:
            modalities.add(Modality.AUDIO)
        hears = Modality.AUDIO in modalities
        seconds = [each for each in (max_audio_s, audio_limit_s(self.family, self.processor)) if each is not None]
        return Limits(
            modalities=frozenset(modalities),
            max_frames=max_frames if Modality.VIDEO in modalities else None,
            max_audio_s=min(seconds, default=None) if hears else None,
            sample_rate=extractor.sampling_rate if hears else None,
        )

    def _media(self, group: "MediaGroup") -> Media:
        """Everything that the group holds and the model takes, decoded."""
        streams: dict[str, Any] = {}
        if group.has(Modality.VIDEO) and Modality.VIDEO in self.limits.modalities:
            batch = group.frames()
            streams["frames"] = batch.pixels
            streams["fps"] = frame_rate(batch.times_s, group.requests[0].media_s)
        if group.has(Modality.AUDIO) and Modality.AUDIO in self.limits.modalities:
            signal = group.audio(self.limits.sample_rate)
            streams["audio"] = signal.samples
            streams["sample_rate"] = signal.sample_rate
        return Media(**streams)

    def _respond(self, model: Any, group: "MediaGroup", request: Request, media: Media) -> Response:
        started = time.monotonic()
        inputs = build_inputs(self.processor, self.family, request, media, self.max_pixels)
        received = measured(group.received(), inputs, media, self.processor, self.config)
        extras = {"use_audio_in_video": True} if weaves_audio(self.processor, self.family, media) else {}
        new = generate(model, inputs.to(self.device, dtype=self.dtype), request, **extras)
        return answered(
            request,
            self.processor.tokenizer.decode(new, skip_special_tokens=True),
            received=received,
            finish_reason=finish_reason(new, request.generation, model.generation_config.eos_token_id),
            prompt_tokens=int(inputs["input_ids"].shape[1]),
            completion_tokens=len(new),
            latency_s=round(time.monotonic() - started, 3),
        )


def load(
    argument: str,
    *,
    revision: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    max_frames: int = MAX_FRAMES,
    max_pixels: int = FRAME_PIXELS,
    max_audio_s: float | None = None,
) -> TransformersChat:
    """The model `transformers:ID_OR_DIR`.

    `revision` pins a Hub commit, `device` and `dtype` are torch's names, `max_pixels` bounds each frame;
    `max_audio_s` lowers what the checkpoint itself can take.
    """
    return TransformersChat(
        argument,
        revision=revision,
        device=device,
        dtype=dtype,
        max_frames=max_frames,
        max_pixels=max_pixels,
        max_audio_s=max_audio_s,
    )


def generate(model: Any, inputs: Any, request: Request, **extras: Any) -> list[int]:
    """Ids of the tokens that `model` adds to its prompt: greedy at temperature 0, else sampled.

    The chance follows from the request's key, which holds seed and run: two runs draw apart, the same run alike.
    """
    import torch

    settings = request.generation
    sampling: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
    if settings.temperature > 0:
        torch.manual_seed(int(request.key[:16], 16))
        sampling = {"do_sample": True, "temperature": settings.temperature, "top_p": settings.top_p or 1.0}
    with torch.inference_mode():
        ids = model.generate(**inputs, max_new_tokens=settings.max_tokens, **sampling, **extras)
    return [int(each) for each in ids[0, inputs["input_ids"].shape[1] :]]


def finish_reason(new: list[int], settings: Generation, end_tokens: int | list[int] | None) -> str:
    """`stop` where the model ended its answer itself, `length` where the limit did."""
    ends = end_tokens if isinstance(end_tokens, list) else [end_tokens]
    return "length" if len(new) >= settings.max_tokens and (not new or new[-1] not in ends) else "stop"


def _free_memory(device: str) -> None:
    if device.startswith("cuda"):
        import torch

        torch.cuda.empty_cache()
