"""From a media part to its decoded entry: looked up in the cache, else decoded there by the decode process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary

from musebench_tasks.base.errors import MediaError, MuseError
from musebench_tasks.base.records import Limits, MediaPart, Modality
from musebench_tasks.media.cache import CacheEntry, MediaCache, entry_key
from musebench_tasks.media.decode import DecodeProcess
from musebench_tasks.media.frame_policies import budget_of, decoded_frames
from musebench_tasks.media.signals import longest_s
from musebench_tasks.media.unpack import MediaFile, media_file

DEFAULT_FPS = 1.0
"""Frames a second where a part names none (MB-50)."""
MADE_AT_MOST = 5
"""Times that an entry is made again when it is gone before it is read."""
_REMEMBERED = 20_000


@dataclass(frozen=True)
class Wish:
    """What of a medium goes into one cache entry."""

    kind: Literal["frames", "audio"]
    settings: dict[str, Any]

    def key(self, sha256: str) -> str:
        """Names the entry for the medium with this hash."""
        return entry_key({"kind": self.kind, "sha256": sha256, "settings": self.settings})


def frames_wish(part: MediaPart, max_frames: int | None) -> Wish:
    """The frames of a part's window; all at its rate, where the choice among them needs to see them."""
    policy = part.frame_policy
    settings = {
        "start_s": part.start_s,
        "end_s": part.end_s,
        "fps": part.fps or DEFAULT_FPS,
        "max_frames": decoded_frames(policy, budget_of(part, max_frames)),
        "max_pixels": part.max_pixels,
        **({"keyframes": True} if policy is not None and policy.name == "keyframes" else {}),
    }
    return Wish("frames", settings)


def audio_wish(part: MediaPart, sample_rate: int | None, max_audio_s: float | None) -> Wish:
    """The sound of a part's window."""
    settings = {
        "start_s": part.start_s,
        "end_s": part.end_s,
        "sample_rate": sample_rate,
        "max_audio_s": longest_s(part, max_audio_s),
    }
    return Wish("audio", settings)


def wishes(
    parts: Iterable[MediaPart], kinds: Iterable[Modality], limits: Limits, sample_rate: int | None = None
) -> Iterator[Wish]:
    """What a model of these limits gets of `parts`, as far as they are of `kinds`; `sample_rate` goes before others.

    Where a task names another rate than the model's own, the model may ask for either.
    """
    wanted = frozenset(kinds)
    for part in parts:
        if part.modality not in wanted:
            continue
        if part.modality is Modality.VIDEO:
            yield frames_wish(part, limits.max_frames)
            continue
        rates = [rate for rate in (part.sample_rate, limits.sample_rate) if rate is not None]
        for rate in [sample_rate] if sample_rate is not None or not rates else dict.fromkeys(rates):
            yield audio_wish(part, rate, limits.max_audio_s)


class _KnownMedium:
    """What this process knows of entries of one cache: which failed and why, which were decoded ahead."""

    def __init__(self) -> None:
        self.failures: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self.ahead: OrderedDict[str, None] = OrderedDict()
        """Entries that were once decoded before they were asked for: if a full cache dropped them, not again."""
        self.alone: set[str] = set()
        """Media (by hash) on which the decoder hung or crashed: their windows are decoded one by one."""

    def note(self, key: str, outcome: dict[str, Any]) -> None:
        self.ahead[key] = None
        if outcome:
            self.failures[key] = outcome["code"], outcome["explanation"]
        for remembered in (self.ahead, self.failures):
            while len(remembered) > _REMEMBERED:
                remembered.popitem(last=False)


_known: WeakKeyDictionary[MediaCache, _KnownMedium] = WeakKeyDictionary()


@dataclass(frozen=True)
class Fetcher:
    """Where decoded media come from."""

    cache: MediaCache
    process: DecodeProcess
    timeout_s: float

    def file(self, part: MediaPart) -> MediaFile:
        """The part's medium as a verified file."""
        return media_file(part.source, self.cache)

    def frames(self, part: MediaPart, max_frames: int | None) -> CacheEntry:
        """The frames of a part's window."""
        return self.entry(self.file(part), frames_wish(part, max_frames))

    def audio(self, part: MediaPart, sample_rate: int | None, max_audio_s: float | None) -> CacheEntry:
        """The sound of a part's window."""
        return self.entry(self.file(part), audio_wish(part, sample_rate, max_audio_s))

    def probe(self, file: MediaFile) -> dict[str, Any]:
        """Streams, durations, tags and flags of a file (`decode_child.probe_job`)."""
        return self.process.run({"job": "probe", "path": str(file.path), "name": file.name}, self.timeout_s)

    def film(self, file: MediaFile, settings: dict[str, Any], out: Path) -> None:
        """Write a masked film of a window to `out`."""
        job = {"job": "film", "path": str(file.path), "name": file.name, "settings": settings, "out": str(out)}
        self.process.run(job, self.timeout_s)

    def entry(self, file: MediaFile, wish: Wish, others: Callable[[], Iterable[Wish]] = tuple) -> CacheEntry:
        """What is wished of a file; MediaError where it cannot be had.

        If it must be decoded, `others`, which the same file will be asked for, are decoded in the same pass.
        """
        key = wish.key(file.sha256)
        path = self.cache.path(wish.kind, key)
        known = _known.setdefault(self.cache, _KnownMedium())

        def decode() -> None:
            if key not in known.failures:
                self._decode(file, {key: wish, **self._ahead(file, others, known)}, known)
            if key in known.failures:
                raise MediaError(*known.failures[key])

        return read_or_make(lambda: self.cache.read(wish.kind, key), decode, path)

    def _ahead(self, file: MediaFile, others: Callable[[], Iterable[Wish]], known: _KnownMedium) -> dict[str, Wish]:
        """Of the others, those that nobody decoded yet, by key."""
        if file.sha256 in known.alone:
            return {}
        keyed = {each.key(file.sha256): each for each in others()}
        return {
            key: each
            for key, each in keyed.items()
            if key not in known.ahead and not self.cache.path(each.kind, key).exists()
        }

    def _decode(self, file: MediaFile, wanted: dict[str, Wish], known: _KnownMedium) -> None:
        """Have entries written by one job; where that hangs or crashes, the first of them alone."""
        paths = [self.cache.path(wish.kind, key) for key, wish in wanted.items()]
        entries = [
            {"kind": wish.kind, "settings": wish.settings, "out": str(path)}
            for wish, path in zip(wanted.values(), paths, strict=True)
        ]
        job = {"job": "entries", "path": str(file.path), "name": file.name, "entries": entries}
        try:
            outcomes = self.process.run(job, self.timeout_s)["outcomes"]
        except MediaError:
            if len(wanted) == 1:
                raise
            known.alone.add(file.sha256)
            self.cache.added(*paths)
            if not paths[0].exists():
                self._decode(file, dict([next(iter(wanted.items()))]), known)
            return
        for key, outcome in zip(wanted, outcomes, strict=True):
            known.note(key, outcome)
        self.cache.added(*paths)


def read_or_make(read: Callable[[], CacheEntry | None], make: Callable[[], None], path: Path) -> CacheEntry:
    """What `read` finds; where that is nothing, what it finds after `make`.

    Another process that shares a full cache may drop what was made before it is read: then it is made again.
    """
    entry = read()
    for _ in range(MADE_AT_MOST):
        if entry is not None:
            return entry
        make()
        entry = read()
    if entry is None:
        raise MuseError(
            f"{path}: what was just written there cannot be read back. Check the disk of MUSEBENCH_CACHE, and whether "
            "MUSEBENCH_CACHE_GB leaves room for what all processes work on."
        )
    return entry
