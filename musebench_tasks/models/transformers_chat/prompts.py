"""The prompts of one media group: the processor's work on the media once, the text of the others expanded only.

The first planned request goes through the whole processor. Of the others only what follows the media is read by the
tokenizer, and put behind the first one's media. That this is the processor's own result is checked on the first
request of every medium: its text after the media, read alone, must be the end of its ids. Where it is not, or where
prompts differ before their media, every prompt goes through the whole processor, and the reason is told.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from musebench_tasks.base.records import Received, Request
from musebench_tasks.models.transformers_chat.families import Family
from musebench_tasks.models.transformers_chat.inputs import (
    Media,
    build_inputs,
    measured,
    media_token_ids,
    rendered,
    require_media,
    weaves_audio,
)
from musebench_tasks.models.transformers_chat.reference_path import NotShareableError


class GroupPrompts:
    """What the planned requests of a media group put before a model (`asking.Prompts`)."""

    def __init__(
        self,
        processor: Any,
        family: Family,
        config: Any,
        requests: Sequence[Request],
        media: Media,
        taken: Received | None = None,
        *,
        max_pixels: int,
        template_extras: Mapping[str, Any] | None = None,
        device: Any = "cpu",
        dtype: Any = None,
    ) -> None:
        self._processor, self._family, self._requests, self._media = processor, family, requests, media
        self._max_pixels = max_pixels
        self._taken = taken or Received()
        self._template_extras = template_extras or {}
        self._device, self._dtype = device, dtype
        self._tokens = media_token_ids(config, processor)
        self._read: dict[int, list[int]] = {}
        """Ids of the prompts that the whole processor made."""
        self.media_tokens: frozenset[int] = frozenset().union(*self._tokens.values())
        self.extras: Mapping[str, Any] = {"use_audio_in_video": True} if weaves_audio(processor, family, media) else {}

    def __len__(self) -> int:
        return len(self._requests)

    def ids(self) -> Sequence[Sequence[int]]:
        """Token ids of every prompt. Raises NotShareableError where they are not to be had without the media's work."""
        if self._whole_reason is not None:
            raise NotShareableError(self._whole_reason)
        return self._expanded

    def whole(self, place: int) -> Mapping[str, Any]:
        """The processor's output for one prompt, on the device."""
        if self._whole_reason is not None:
            return self.anew(place)
        if place == 0:
            return self._first
        return {**self._first, **self._text_tensors(place)}

    def anew(self, place: int) -> Mapping[str, Any]:
        """The same, with nothing taken from other prompts."""
        return self._first if place == 0 else self._moved(self._processed(place))

    def prompt_ids(self, place: int) -> Sequence[int]:
        """Token ids of one prompt."""
        if self._whole_reason is None:
            return self._expanded[place]
        if place not in self._read:
            self.whole(place)
        return self._read[place]

    def text(self, place: int) -> str:
        """A prompt as the chat template writes it, each medium as one placeholder."""
        return self._texts[place]

    @cached_property
    def received(self) -> Received:
        """What was taken of the media, corrected by what the processor's output holds of them."""
        return measured(self._taken, self._first, self._media, self._processor, self._family, self.media_tokens)

    @cached_property
    def _first(self) -> dict[str, Any]:
        return self._moved(self._processed(0))

    def _processed(self, place: int) -> Any:
        """The whole processor's work on one prompt; MediaMissingError where the media are not in it."""
        inputs = build_inputs(
            self._processor,
            self._family,
            self._requests[place],
            self._media,
            self._max_pixels,
            self._template_extras,
        )
        self._read[place] = inputs["input_ids"][0].tolist()
        require_media(self._read[place], self._media, self._tokens)
        return inputs

    def _moved(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Tensors on the device, pictures and sound in the model's type; times stay exact."""
        moved = {}
        for name, each in inputs.items():
            is_tensor = hasattr(each, "to")
            kept = not is_tensor or not each.is_floating_point() or each.ndim < 2
            moved[name] = each.to(self._device, dtype=None if kept else self._dtype) if is_tensor else each
        return moved

    @cached_property
    def _texts(self) -> list[str]:
        return [
            rendered(self._processor, self._family, request, self._media, self._template_extras)
            for request in self._requests
        ]

    @cached_property
    def _whole_reason(self) -> str | None:
        """Why text alone is not expanded; None = it is."""
        starts = {text[: self._media_end(text)] for text in self._texts}
        if len(starts) > 1:
            return "the prompts differ before their media"
        first = self._first["input_ids"][0].tolist()
        tail = self._tail_ids(self._texts[0])
        if starts == {""}:
            return None if tail == first else "the processor reads text otherwise than its tokenizer"
        if not tail or first[-len(tail) :] != tail or not self._is_seam_safe(first[-len(tail) - 1]):
            return "the text after the media is not read on its own as it is behind them"
        if any(not _ends_alike(each, len(tail)) for each in self._columns.values()):
            return "the processor tells more of the text after the media than its tokens"
        return None

    def _is_seam_safe(self, last: int) -> bool:
        """Whether no text can melt into the token before it: it is a special one, or all texts begin as the first."""
        tokenizer = self._processor.tokenizer
        if last in self.media_tokens or last in tokenizer.all_special_ids or last in tokenizer.added_tokens_decoder:
            return True
        return len({text[self._media_end(text) :][:1] for text in self._texts}) == 1

    @cached_property
    def _expanded(self) -> list[list[int]]:
        first = self._first["input_ids"][0].tolist()
        media = first[: len(first) - len(self._tail_ids(self._texts[0]))]
        return [first, *(media + self._tail_ids(text) for text in self._texts[1:])]

    @cached_property
    def _columns(self) -> dict[str, Any]:
        """Tensors of the first prompt with a column a token, beside its ids."""
        shape = self._first["input_ids"].shape
        whole = {name: each for name, each in self._first.items() if name != "input_ids" and hasattr(each, "shape")}
        return {name: each for name, each in whole.items() if each.shape == shape and not each.is_floating_point()}

    def _text_tensors(self, place: int) -> dict[str, Any]:
        """Ids and what goes with them, a column a token."""
        first = self._first["input_ids"]
        ids = first.new_tensor([self._expanded[place]])
        shared = min(ids.shape[1], first.shape[1])
        grown = {"input_ids": ids}
        for name, each in self._columns.items():
            row = each.new_full(ids.shape, int(each[0, -1]))
            row[:, :shared] = each[:, :shared]
            grown[name] = row
        return grown

    def _tail_ids(self, text: str) -> list[int]:
        tail = text[self._media_end(text) :]
        return list(self._processor.tokenizer(tail, add_special_tokens=False)["input_ids"])

    def _media_end(self, text: str) -> int:
        """Where the last placeholder of a medium ends; 0 where there is none."""
        return max((text.rfind(token) + len(token) for token in self._placeholders if token in text), default=0)

    @cached_property
    def _placeholders(self) -> list[str]:
        names: Iterable[str] = ("image_token", "video_token", "audio_token")
        return [token for name in names if (token := getattr(self._processor, name, None))]


def _ends_alike(column: Any, length: int) -> bool:
    """Whether the last `length` entries, those of the text after the media, are one and the same."""
    end = column[0, -length:]
    return bool((end == end[-1]).all())
