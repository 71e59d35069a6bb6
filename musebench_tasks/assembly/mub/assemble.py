"""From an archive of annotations to a collection: read, judge, leave out doubles, draw, mask, write (MU-01..06)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path

from musebench_tasks.assembly.mub.archive import opened, read_archive
from musebench_tasks.assembly.mub.config import MubConfig
from musebench_tasks.assembly.mub.duplicates import find_duplicates
from musebench_tasks.assembly.mub.leak_scan import evaluator_file, find_leaks
from musebench_tasks.assembly.mub.outcome import Outcome, write_outcome
from musebench_tasks.assembly.mub.recordings import Sound, audio_files, fitting_segments, read_sound, twin_of
from musebench_tasks.assembly.mub.rights import require_rights
from musebench_tasks.assembly.mub.sampling import Drawn, Stratum, draw, fill, tempo_bin
from musebench_tasks.assembly.mub.statements import Archive
from musebench_tasks.assembly.mub.tracks import Track, judge
from musebench_tasks.assembly.mub.writing import make_card, make_rows, write_collection
from musebench_tasks.assembly.repository import refuse_place
from musebench_tasks.errors import InputError, LeakError, MediaError

ASSEMBLY_FOLDER = ".assembly"
Seen = Callable[[int, int], None]
"""Called with how many recordings are encoded, and how many there are."""


def assemble(
    archive: Path,
    directory: Path,
    config: MubConfig,
    *,
    audio: Path | None = None,
    with_audio: bool = True,
    workers: int = 1,
    seen: Seen = lambda done, total: None,
) -> Outcome:
    """Make the collection `directory` of an archive (a folder or zip file), and the evaluator's files beside it.

    `audio`: the folder of the recordings, where they do not lie in the archive. InputError where the archive, the
    rights or the audio do not suffice; LeakError where the finished collection tells what it must not. Until all is
    well nothing is written to `directory`; what an earlier assembly wrote there is replaced.
    """
    refuse_place(directory)
    with opened(archive) as root:
        outcome = choose(root, config, audio, with_audio=with_audio, workers=workers, seen=seen)
        outcome = replace(outcome, rows=make_rows(outcome.chosen, outcome.sounds, config))
        _write(outcome, directory, config, is_silent=not with_audio)
    return outcome


def evaluator_paths(directory: Path) -> tuple[Path, Path]:
    """What lies beside a collection for the evaluator alone: the file of secrets, and the folder of its history."""
    return evaluator_file(directory), directory.parent / f"{directory.name}{ASSEMBLY_FOLDER}"


def choose(
    root: Path, config: MubConfig, audio: Path | None = None, *, with_audio: bool, workers: int = 1, seen: Seen
) -> Outcome:
    """Read an archive and draw the recordings of a collection."""
    archive = read_archive(root)
    tracks, refused = judge(archive)
    tracks = [replace(each, facts={**config.stated_rights, **each.facts}) for each in tracks]
    files = audio_files(tracks, [*([audio] if audio else []), root]) if with_audio else {}
    silent = tuple(each.id for each in tracks if each.id not in files) if with_audio else ()
    usable = {each.id: each for each in tracks if not with_audio or each.id in files}
    names = {name: (each.facts.get("title", ""), each.facts.get("artist", "")) for name, each in usable.items()}
    duplicates = find_duplicates(names)
    doubled = {each.track for each in duplicates}
    pool = {name: each for name, each in usable.items() if name not in doubled}
    _require_pool(pool, archive, [reason for each in refused for reason in each.reasons], silent)
    strata = {name: Stratum(tempo_bin(each.tempo_bpm, config.tempo_edges), each.key) for name, each in pool.items()}
    drawn = draw(strata, config.size, config.seed)
    if not config.private:
        require_rights([pool[name] for name in drawn.tracks])
    listening = Listening(pool, files, config, workers, seen)
    chosen = listening.choose(drawn, with_audio=with_audio)
    if not config.private:
        require_rights([pool[name] for name in chosen])
    return Outcome(
        archive,
        tuple(refused),
        silent,
        tuple(duplicates),
        sum(not (title and artist) for title, artist in names.values()),
        listening.twins,
        listening.unreadable,
        len(pool),
        config.size,
        drawn,
        tuple(name for name in chosen if name not in set(drawn.tracks)),
        strata,
        tuple(pool[name] for name in chosen),
        listening.sounds,
        {},
        config.tempo_edges,
    )


class Listening:
    """Encodes the recordings that were drawn, and finds others for those whose sound cannot be used."""

    def __init__(
        self, pool: Mapping[str, Track], files: Mapping[str, Path], config: MubConfig, workers: int, seen: Seen
    ) -> None:
        self.pool, self.files, self.config, self.workers, self.seen = pool, files, config, workers, seen
        self.sounds: dict[str, Sound] = {}
        self.twins: dict[str, str] = {}
        self.unreadable: dict[str, str] = {}

    def choose(self, drawn: Drawn, *, with_audio: bool) -> list[str]:
        """The tracks of the collection: those drawn, and for each that had to go one from the rest of the pool."""
        if not with_audio:
            return list(drawn.tracks)
        rest = fill(self.pool, drawn.tracks, self.config.seed)
        waiting = list(drawn.tracks)
        while waiting:
            self._listen(waiting, len(drawn.tracks))
            waiting = list(islice(rest, len(drawn.tracks) - len(self.sounds)))
        return list(self.sounds)

    def _listen(self, names: Sequence[str], total: int) -> None:
        with ThreadPoolExecutor(self.workers) as workers:
            for name, result in zip(names, workers.map(self._read, names), strict=True):
                twin = twin_of(result, self.sounds) if isinstance(result, Sound) else None
                if isinstance(result, str):
                    self.unreadable[name] = result
                elif twin is not None:
                    self.twins[name] = twin
                else:
                    self.sounds[name] = result
                self.seen(len(self.sounds), total)

    def _read(self, name: str) -> Sound | str:
        """The sound of a track, or why it cannot be used."""
        try:
            sound = read_sound(self.files[name], self.config.audio)
            fitting_segments(self.pool[name], sound.duration_s)
        except MediaError as problem:
            return f'{self.files[name]}, track "{name}": {problem}'
        return sound


def _require_pool(pool: Mapping[str, Track], archive: Archive, reasons: Sequence[str], silent: Sequence[str]) -> None:
    if pool:
        return
    lines = [fault.line for fault in archive.faults] + list(reasons)
    if silent:
        raise InputError(
            f"{archive.path}: no track has an audio file, such as {silent[0]}.mp3. Give the folder with --audio, or "
            "assemble --without-audio."
        )
    first = "\n".join(list(dict.fromkeys(lines))[:10])
    raise InputError(f"{first}\n{archive.path}: no track can be used. Each needs tempo, key, metre and named segments.")


def _write(outcome: Outcome, directory: Path, config: MubConfig, *, is_silent: bool) -> None:
    """Write everything beside its place, look through it for leaks, and only then put it there."""
    rows = list(outcome.rows.values())
    card = make_card(rows, outcome.chosen, len(outcome.drawn.sizes), config, is_silent=is_silent)
    directory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=f".{directory.name}.") as folder:
        built = Path(folder) / directory.name
        write_collection(built, rows, card)
        write_outcome(outcome, *evaluator_paths(built))
        leaks = find_leaks(built)
        if leaks:
            raise LeakError("\n".join(leaks[:20]))
        shutil.rmtree(directory, ignore_errors=True)
        built.rename(directory)
        for made, kept in zip(evaluator_paths(built), evaluator_paths(directory), strict=True):
            shutil.rmtree(kept, ignore_errors=True)
            made.replace(kept)
