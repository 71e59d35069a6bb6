"""Tracks of a draw whose sound can be used, and others in place of those whose sound cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from musebench_tasks.assembly.mub.config import MubConfig
from musebench_tasks.assembly.mub.recordings import Sound, fitting_segments, read_sound, twin_of
from musebench_tasks.assembly.mub.sampling import Drawn, fill
from musebench_tasks.assembly.mub.tracks import MubTrack
from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import shown

OnProgress = Callable[[int, int], None]
"""Called with how many recordings are encoded, and how many there are."""
_NAMED = 10


@dataclass(frozen=True)
class EncodedTracks:
    """What came of encoding tracks."""

    sounds: dict[str, Sound] = field(default_factory=dict)
    """By track, in the order of the collection."""
    twins: dict[str, str] = field(default_factory=dict)
    """Tracks that sound the very same as another, and that one."""
    unreadable: dict[str, Problem] = field(default_factory=dict)
    """Tracks whose audio cannot be used, and why."""


@dataclass(frozen=True)
class Encoder:
    """Encodes the recordings that were drawn, and finds others for those whose sound cannot be used."""

    pool: Mapping[str, MubTrack]
    files: Mapping[str, Path]
    config: MubConfig
    folder: Path
    """Where the encoded recordings go."""
    workers: int
    on_progress: OnProgress

    def encode(self, drawn: Drawn) -> EncodedTracks:
        """The tracks of the collection: those drawn, and for each that had to go one from the rest of the pool."""
        encoded = EncodedTracks()
        rest = fill(self.pool, drawn.tracks, self.config.seed)
        waiting = list(drawn.tracks)
        self.folder.mkdir()
        while waiting:
            self._encode(waiting, encoded, len(drawn.tracks))
            waiting = list(islice(rest, len(drawn.tracks) - len(encoded.sounds)))
        if not encoded.sounds:
            problems = list(encoded.unreadable.values())[:_NAMED]
            raise InputError(*problems, "No recording can be used. Correct the files, or give --without-audio.")
        return encoded

    def _encode(self, names: Sequence[str], encoded: EncodedTracks, total: int) -> None:
        with ThreadPoolExecutor(self.workers) as workers:
            for name, result in zip(names, workers.map(self._read, names), strict=True):
                twin = twin_of(result, encoded.sounds) if isinstance(result, Sound) else None
                if isinstance(result, Problem):
                    encoded.unreadable[name] = result
                elif twin is not None:
                    encoded.twins[name] = twin
                else:
                    encoded.sounds[name] = result
                self.on_progress(len(encoded.sounds), total)

    def _read(self, name: str) -> Sound | Problem:
        """The sound of a track, or why it cannot be used."""
        try:
            sound = read_sound(self.files[name], self.config.audio, self.folder)
            fitting_segments(self.pool[name], sound.duration_s)
        except MediaError as error:
            return Problem(error.explanation, code=error.code, place=f"{self.files[name].name}, track {shown(name)}")
        return sound
