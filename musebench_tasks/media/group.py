"""The requests that share media, and the media: decoded when first asked for, once, through the cache.

Making a group opens nothing, so that models which never look at media cost no decoding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from musebench_tasks.base.cost_meter import UNMETERED, CostMeter
from musebench_tasks.base.records import Limits, MediaPart, Modality, Received, Request
from musebench_tasks.media.cache import CacheEntry, MediaCache, shared_cache
from musebench_tasks.media.chosen_frames import CHOSEN, FrameScorer, chosen_frames
from musebench_tasks.media.conditions import conditioned_audio, content_seed, frame_order
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, shared_process
from musebench_tasks.media.fetch import Fetcher, Wish, audio_wish, frames_wish, wishes
from musebench_tasks.media.jpeg import frames_in_order
from musebench_tasks.media.masked import masked_clip
from musebench_tasks.media.signals import AudioSignal, FrameBatch, in_chunks

if TYPE_CHECKING:
    from musebench_tasks.prompts.leak_guard import LeakGuard


class MediaGroup:
    """Requests over the same window of the same medium under the same condition, handed to a model as one."""

    def __init__(
        self,
        requests: tuple[Request, ...],
        limits: Limits,
        cache: MediaCache | None = None,
        decode_timeout_s: float = DEFAULT_TIMEOUT_S,
        *,
        planned: tuple[Request, ...] = (),
        file_parts: tuple[MediaPart, ...] = (),
        find_scorer: Callable[[str], FrameScorer] | None = None,
        guard: LeakGuard | None = None,
        cost_meter: CostMeter = UNMETERED,
    ) -> None:
        """`cache` None = the one in the user's cache folder; a decode without progress for `decode_timeout_s` ends.

        `planned`: all requests of the group, those already answered among them (none given = `requests`);
        `file_parts`: what all groups of the same media file will want; `find_scorer`: from the name of a scorer to
        what tells how well frames fit a text, for groups whose frames are chosen so; `guard` looks at what is about to
        be sent; `cost_meter` says whether one more request may be.
        """
        if not requests:
            raise ValueError("a media group needs at least one request")
        self.requests = requests
        self.planned = planned or requests
        """All requests of the group in the plan's order: what a batch is made of, so that a resumed run makes the
        same batches."""
        self.file_parts = file_parts or requests[0].parts
        """Parts of the same file that are decoded in one pass."""
        self.limits = limits
        self.decode_timeout_s = decode_timeout_s
        self._own_cache = cache
        self.guard = guard
        """What models hold against all that they send beside a request's own words; None = nothing is looked for."""
        self.cost_meter = cost_meter
        """What models that cost money ask before each request."""
        self._find_scorer = find_scorer
        route = requests[0].audio_route
        self._received = Received(audio_route="none" if route == "native" else route)

    @property
    def parts(self) -> tuple[MediaPart, ...]:
        """The media parts that all requests share."""
        return self.requests[0].parts

    def has(self, modality: Modality) -> bool:
        """Whether the requests give the model this kind of stream."""
        return any(part.modality is modality for part in self.parts)

    def frames(self) -> FrameBatch:
        """The frames of the window. MediaError where they are not all there."""
        batch = self._frames()
        self._note(
            batch.flags,
            frames_available=batch.available,
            frames_used=len(batch.times_s),
            frame_policy=batch.policy,
            frame_times_s=tuple(batch.times_s.round(3).tolist()) if batch.policy in CHOSEN else None,
        )
        return batch

    def audio(self, sample_rate: int | None = None) -> AudioSignal:
        """The sound of the window at `sample_rate` Hz; None = as the request or the model's limits say, else native."""
        signal = self._audio(sample_rate)
        self._note(signal.flags, audio_route="native", audio_s=signal.duration_s)
        return signal

    def audio_parts(self, sample_rate: int | None = None) -> list[AudioSignal]:
        """The sound of the window in the parts that the protocol declares, one after the other; one where it does not.

        Of models that take parts; `audio` is the whole.
        """
        signal = self._audio(sample_rate)
        parts = in_chunks(signal, self._part(Modality.AUDIO).chunks)
        count = len(parts) if len(parts) > 1 else None
        self._note(signal.flags, audio_route="native", audio_s=signal.duration_s, audio_parts=count)
        return parts

    def clip(self) -> Path:
        """A file of the window without name or tags: MP4, WAV or PNG, or a copy where the whole file tells nothing."""
        batch = self._frames(for_film=True) if self.has(Modality.VIDEO) else None
        signal = self._audio(None) if self.has(Modality.AUDIO) else None
        path = masked_clip(self._fetcher, self.parts, self.limits, batch, signal)
        if self.guard is not None:
            self.guard.check_file(self.requests[0], path)
        if batch is not None:
            is_chosen = batch.policy in CHOSEN
            policy = batch.policy if is_chosen else "file"
            self._note(batch.flags, frames_available=batch.available, frame_policy=policy)
            if is_chosen:
                self._note((), frames_used=len(batch.times_s), frame_times_s=tuple(batch.times_s.round(3).tolist()))
        if signal is not None:
            self._note(signal.flags, audio_route="native", audio_s=signal.duration_s)
        return path

    def received(self) -> Received:
        """What the model has taken so far."""
        return self._received

    def _note(self, flags: tuple[str, ...], **what: Any) -> None:
        merged = tuple(dict.fromkeys((*self._received.flags, *flags)))
        self._received = self._received.model_copy(update={**what, "flags": merged})

    def _frames(self, *, for_film: bool = False) -> FrameBatch:
        """The frames; without pixels where a film shows the stream's own in their place."""
        part = self._part(Modality.VIDEO)
        wish = frames_wish(part, self.limits.max_frames)
        entry = self._entry(part, wish)
        chosen, policy = chosen_frames(entry, part, self.limits.max_frames, self._find_scorer)
        order = chosen[frame_order(len(chosen), part.condition, self._seed(part))].tolist()
        sampled = Modality.VIDEO in part.condition.changes or part.frame_policy is not None
        own = for_film and not sampled and entry.details["policy"] != "picture"
        key = wish.key(self._fetcher.file(part).sha256)
        return FrameBatch(
            pixels=np.empty((0, 1, 1, 3), dtype=np.uint8) if own else frames_in_order(key, entry.parts, order),
            times_s=np.array(entry.details["times_s"], dtype=np.float64)[chosen],
            available=entry.details["available"],
            policy=policy,
            flags=tuple(entry.details["flags"]),
        )

    def _audio(self, sample_rate: int | None) -> AudioSignal:
        part = self._part(Modality.AUDIO)
        rate = sample_rate or part.sample_rate or self.limits.sample_rate
        entry = self._entry(part, audio_wish(part, rate, self.limits.max_audio_s), sample_rate)
        heard = np.frombuffer(entry.parts[0], dtype="<f4").astype(np.float32)
        return AudioSignal(
            samples=conditioned_audio(heard, part.condition, self._seed(part)),
            sample_rate=entry.details["sample_rate"],
            flags=tuple(entry.details["flags"]),
        )

    def _entry(self, part: MediaPart, wish: Wish, sample_rate: int | None = None) -> CacheEntry:
        """The entry of a part; if it must be decoded, all that this file will be asked for is, in the same pass.

        That is the same stream of all windows; the other stream too, where the requests hold it and the model takes it.
        """
        kinds = {part.modality, *(each.modality for each in self.parts if each.modality in self.limits.modalities)}
        parts = (*self.parts, *self.file_parts)
        return self._fetcher.entry(
            self._fetcher.file(part), wish, lambda: wishes(parts, kinds, self.limits, sample_rate)
        )

    @cached_property
    def _fetcher(self) -> Fetcher:
        return Fetcher(self._own_cache or shared_cache(), shared_process(), self.decode_timeout_s)

    def _part(self, modality: Modality) -> MediaPart:
        for part in self.parts:
            if part.modality is modality:
                return part
        raise ValueError(f"the requests of {self.requests[0].item_id} hold no {modality} part; ask has() first")

    def _seed(self, part: MediaPart) -> int:
        """The same chance for the same stretch of the same medium, whatever else is asked."""
        return content_seed(f"{self._fetcher.file(part).sha256}|{part.start_s}|{part.end_s}", part.seed)
