"""The model spec `transformers:ID_OR_DIR`: a multimodal checkpoint, run in this process.

The media of a group are decoded and processed once, its prompts answered from what they share (`engine`). Weights are
loaded with the first question, so that asking for limits and revision stays cheap.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import described
from musebench_tasks.base.records import Kind, Limits, Modality, Request, Response, Status
from musebench_tasks.models.protocol import answered, failed, with_settings
from musebench_tasks.models.transformers_chat import loading
from musebench_tasks.models.transformers_chat.capabilities import Facts, find_facts, keep_facts, kept_facts, place_of
from musebench_tasks.models.transformers_chat.families import Thinking, family_of
from musebench_tasks.models.transformers_chat.inputs import FRAME_PIXELS, Media
from musebench_tasks.models.transformers_chat.letters import LetterTokens
from musebench_tasks.models.transformers_chat.prompts import GroupPrompts
from musebench_tasks.models.transformers_chat.reasoning import Budget, Reader
from musebench_tasks.models.transformers_chat.reference_path import Ask, Outcome
from musebench_tasks.prompts import has_label_like_options

if TYPE_CHECKING:
    from musebench_tasks.media import MediaGroup

MAX_FRAMES = 32
USUAL_SETTINGS = {"max_pixels": FRAME_PIXELS, "dtype": None, "answering": "text", "reasoning_tokens": 0}
"""Of the settings that change answers and stand nowhere else in a request."""
NO_REASONING = "off"
BEYOND_CONTEXT = "beyond_context"
"""Prompt and answer together are longer than what the checkpoint was made for."""
Prefix = Literal["shared", "sequential", "plain"]
"""How prompts about one medium are read: from the beginning they share, together or one by one, or each whole."""


@dataclass(frozen=True)
class Settings:
    """How a checkpoint is run and asked."""

    revision: str | None = None
    device: str | None = None
    dtype: str | None = None
    device_map: str | dict[str, int | str] | None = None
    max_memory: dict[int | str, int | str] | None = None
    offload_folder: str | None = None
    max_frames: int = MAX_FRAMES
    max_pixels: int = FRAME_PIXELS
    max_audio_s: float | None = None
    answering: Literal["text", "letters"] = "text"
    reasoning_tokens: int = 0
    prefix: Prefix = "shared"
    batch_memory_gb: float | None = None
    verify_keys: tuple[str, ...] = ()


class TransformersChat:
    """A checkpoint that answers chat messages with video and audio."""

    kinds = frozenset(Kind)

    def __init__(self, source: str, settings: Settings) -> None:
        loading.require_packages()
        self.name = f"transformers:{source}"
        self.source = source
        self.settings = settings
        self.answering = settings.answering
        self.prefix = settings.prefix
        self.verify_keys = frozenset(settings.verify_keys)
        """Keys of requests that are asked again with their prompts read whole."""
        self.placement = loading.Placement(
            settings.device, settings.dtype, settings.device_map, settings.max_memory, settings.offload_folder
        )
        self.facts = self._facts()
        self.family = family_of(self.facts.model_type)
        self.thinking = (self.family.thinking or Thinking()) if self.facts.marks_reasoning else None
        self.reasoning = self._reasoning()
        self.takes_audio_parts = not self.family.one_audio
        self.context_tokens: int | None = self.facts.context_tokens
        chosen = {name: getattr(settings, name) for name in USUAL_SETTINGS}
        self.revision = with_settings(self.facts.revision, chosen, USUAL_SETTINGS)
        self.limits = self._limits()

    @cached_property
    def config(self) -> Any:
        """The checkpoint's configuration."""
        return loading.load_config(self.source, self.settings.revision)

    @cached_property
    def processor(self) -> Any:
        """What makes input of text and media."""
        return loading.load_processor(self.source, self.settings.revision)

    @cached_property
    def weights(self) -> Any:
        """The loaded model: of the commit that answers are recorded under, should the Hub have a newer one by now."""
        revision = loading.commit_of(self.facts.revision) or self.settings.revision
        model = loading.load_weights(
            self.source, self.config, self.placement, revision=revision, loader=self.family.loader
        )
        return loading.complete_ends(model, self.processor.tokenizer)

    @cached_property
    def engine(self) -> Any:
        """What answers prompts with the weights."""
        from musebench_tasks.models.transformers_chat.engine import Engine

        return Engine(self.weights, sharing=self.settings.prefix, batch_memory_gb=self.settings.batch_memory_gb)

    def prepare(self) -> None:
        """Load the weights, and fetch them where they do not lie here. Raises ModelUnusableError."""
        self.weights  # noqa: B018

    def answer(self, group: "MediaGroup") -> Iterator[Response]:
        """One response a request; one that fails, also for lack of memory, leaves the others unharmed.

        What is asked twice, such as one order in two runs, is answered once.
        """
        engine = self.engine
        planned = tuple({request.key: request for request in group.planned}.values())
        prompts = self.prompts(group, planned, self.media(group))
        try:
            asks = [self._ask(prompts, place, request) for place, request in enumerate(planned)]
        except Exception as error:
            yield from (failed(request, Status.BACKEND_ERROR, _told(error)) for request in group.requests)
            return
        open_keys = {request.key for request in group.requests}
        wanted = [place for place, request in enumerate(planned) if request.key in open_keys]
        check = [place for place in wanted if planned[place].key in self.verify_keys]
        started = time.monotonic()
        for outcome in engine.answer(prompts, asks, wanted, check):
            latency_s = round(time.monotonic() - started, 3)
            yield self._respond(prompts, planned[outcome.place], outcome, latency_s)
            started = time.monotonic()

    def media(self, group: "MediaGroup") -> Media:
        """Everything that the group holds and the model takes, decoded."""
        streams: dict[str, Any] = {"window_s": group.planned[0].media_s}
        if group.has(Modality.VIDEO) and Modality.VIDEO in self.limits.modalities:
            batch = group.frames()
            streams |= {"frames": batch.pixels, "times_s": batch.times_s, "is_picture": batch.policy == "picture"}
        if group.has(Modality.AUDIO) and Modality.AUDIO in self.limits.modalities:
            rate = self.limits.sample_rate
            signals = [group.audio(rate)] if self.family.one_audio else group.audio_parts(rate)
            streams["audio"] = tuple(signal.samples for signal in signals)
            streams["sample_rate"] = signals[0].sample_rate
        return Media(**streams)

    def prompts(self, group: "MediaGroup", planned: Sequence[Request], media: Media) -> GroupPrompts:
        """What the requests `planned` about the media of `group` put before the model."""
        return GroupPrompts(
            self.processor,
            self.family,
            self.config,
            planned,
            media,
            group.received(),
            max_pixels=self.settings.max_pixels,
            template_extras=self._template_extras(),
            device=self.weights.device,
            dtype=self.weights.dtype,
        )

    @cached_property
    def _letters(self) -> LetterTokens:
        return LetterTokens(self.processor.tokenizer)

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.processor.tokenizer, self.thinking, self.weights.generation_config.eos_token_id)

    def _ask(self, prompts: GroupPrompts, place: int, request: Request) -> Ask:
        """What is wanted of a prompt; letters where the option's letter is the whole answer."""
        generation = request.generation
        by_letter = self.answering == "letters" and request.kind is Kind.SINGLE
        by_letter = by_letter and not has_label_like_options(request.options)
        return Ask(
            request.key,
            self._budget(request).tokens,
            generation.temperature,
            generation.top_p,
            letters=self._letters.of(prompts.text(place), request.labels) if by_letter else (),
        )

    def _budget(self, request: Request) -> Budget:
        return Budget(request.generation.max_tokens, self.settings.reasoning_tokens)

    def _respond(self, prompts: GroupPrompts, request: Request, outcome: Outcome, latency_s: float) -> Response:
        if outcome.error is not None:
            return failed(request, Status.BACKEND_ERROR, outcome.error)
        ids = prompts.prompt_ids(outcome.place)
        budget = self._budget(request)
        received = prompts.received
        if self.context_tokens is not None and len(ids) + budget.tokens > self.context_tokens:
            received = received.model_copy(update={"flags": (*received.flags, BEYOND_CONTEXT)})
        common: dict[str, Any] = {
            "received": received,
            "prompt_tokens": len(ids),
            "completion_tokens": len(outcome.tokens),
            "latency_s": latency_s,
            "prefix": outcome.prefix,
        }
        if outcome.shares:
            shares = dict(zip((option.id for option in request.options), outcome.shares, strict=True))
            return answered(request, None, option_probabilities=shares, **common)
        told = self._reader.read(ids, outcome.tokens, budget)
        return answered(
            request,
            told.answer,
            finish_reason=told.finish_reason,
            reasoning=told.reasoning,
            reasoning_tokens=told.reasoning_tokens,
            **common,
        )

    def _facts(self) -> Facts:
        """What the checkpoint tells of itself: kept from before, or found out."""
        place = place_of(self.source, self.settings.revision)
        facts = kept_facts(place)
        if facts is None:
            config, processor = self.config, self.processor
            revision = loading.checkpoint_revision(self.source, self.settings.revision)
            facts = find_facts(config, processor, revision)
            keep_facts(place, facts)
        return facts

    def _reasoning(self) -> str | None:
        """What run.yaml says of reasoning; None for checkpoints that are not known to reason."""
        budget = self.settings.reasoning_tokens
        if budget < 0:
            raise InputError(f'model "{self.name}": reasoning_tokens is {budget}; give 0 (off) or more.')
        if budget and self.answering == "letters":
            raise InputError(
                f'model "{self.name}": letters are read from the first token, before any reasoning; '
                "set answering: text, or reasoning_tokens: 0."
            )
        if budget and self.thinking is None:
            raise InputError(
                f'model "{self.name}": its tokenizer has no tokens that mark reasoning, so that it cannot be told '
                "from the answer; leave reasoning_tokens at 0."
            )
        if self.thinking is None:
            return None
        if not budget and self.facts.always_reasons:
            raise InputError(
                f'model "{self.name}": its chat template lets it reason before every answer; give it tokens for that, '
                "such as reasoning_tokens: 2048."
            )
        return f"up to {budget} tokens" if budget else NO_REASONING

    def _template_extras(self) -> dict[str, Any]:
        """The chat template's switch of reasoning, where it has one."""
        return (
            {self.thinking.switch: self.settings.reasoning_tokens > 0}
            if self.thinking and self.facts.has_switch
            else {}
        )

    def _limits(self) -> Limits:
        sees, hears = self.facts.sees, self.facts.hears
        known = (self.settings.max_audio_s, self.facts.audio_limit_s)
        return Limits(
            modalities=frozenset({Modality.VIDEO} if sees else ()) | frozenset({Modality.AUDIO} if hears else ()),
            max_frames=self.settings.max_frames if sees else None,
            max_audio_s=min((each for each in known if each is not None), default=None) if hears else None,
            sample_rate=self.facts.sample_rate,
        )


def _told(error: Exception) -> str:
    return described(error)


def load(
    argument: str,
    *,
    revision: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    device_map: str | dict[str, int | str] | None = None,
    max_memory: dict[int | str, int | str] | None = None,
    offload_folder: str | None = None,
    max_frames: int = MAX_FRAMES,
    max_pixels: int = FRAME_PIXELS,
    max_audio_s: float | None = None,
    answering: Literal["text", "letters"] = "text",
    reasoning_tokens: int = 0,
    prefix: Prefix = "shared",
    batch_memory_gb: float | None = None,
    verify_keys: tuple[str, ...] = (),
) -> TransformersChat:
    """The model `transformers:ID_OR_DIR`.

    `revision` pins a Hub commit; `device` and `dtype` are torch's names, `device_map`, `max_memory` and
    `offload_folder` accelerate's, for checkpoints larger than one device. `max_pixels` bounds each frame;
    `max_audio_s` lowers what the checkpoint itself can take. `answering: letters` takes single-select answers from the
    probabilities of the first token. `reasoning_tokens` lets a checkpoint that reasons do so, up to so many tokens
    beside those of the answer. `prefix` is how prompts about one medium are read, `batch_memory_gb` what those read
    together may take; requests of `verify_keys` are asked again with their prompts read whole.
    """
    return TransformersChat(
        argument,
        Settings(
            revision=revision,
            device=device,
            dtype=dtype,
            device_map=device_map,
            max_memory=max_memory,
            offload_folder=offload_folder,
            max_frames=max_frames,
            max_pixels=max_pixels,
            max_audio_s=max_audio_s,
            answering=answering,
            reasoning_tokens=reasoning_tokens,
            prefix=prefix,
            batch_memory_gb=batch_memory_gb,
            verify_keys=verify_keys,
        ),
    )
