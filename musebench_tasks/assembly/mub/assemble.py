"""From an archive of annotations to a collection: read, validate, leave out doubles, draw, mask, write (MU-01..06)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from musebench_tasks.assembly.mub.archive import opened, read_archive
from musebench_tasks.assembly.mub.assertions import Archive
from musebench_tasks.assembly.mub.audible import EncodedTracks, Encoder, OnProgress
from musebench_tasks.assembly.mub.config import MubConfig
from musebench_tasks.assembly.mub.duplicates import find_duplicates
from musebench_tasks.assembly.mub.leak_scan import evaluator_file, find_leaks
from musebench_tasks.assembly.mub.outcome import AssemblyOutcome, write_outcome
from musebench_tasks.assembly.mub.recordings import audio_files
from musebench_tasks.assembly.mub.rights import require_rights
from musebench_tasks.assembly.mub.sampling import Stratum, draw, tempo_bin
from musebench_tasks.assembly.mub.tracks import MubTrack, validate_tracks
from musebench_tasks.assembly.mub.writing import make_card, make_rows, write_collection
from musebench_tasks.assembly.repository import refuse_place
from musebench_tasks.base.errors import InputError, LeakError
from musebench_tasks.base.problems import Problem

ASSEMBLY_FOLDER = ".assembly"


def assemble(
    archive: Path,
    directory: Path,
    config: MubConfig,
    *,
    audio: Path | None = None,
    with_audio: bool = True,
    workers: int = 1,
    on_progress: OnProgress = lambda done, total: None,
) -> AssemblyOutcome:
    """Make the collection `directory` of an archive (a folder or zip file), and the evaluator's files beside it.

    `audio`: the folder of the recordings, where they do not lie in the archive. InputError where the archive, the
    rights or the audio do not suffice; LeakError where the finished collection tells what it must not. Until all is
    well nothing is written to `directory`; what an earlier assembly wrote there is replaced.
    """
    refuse_place(directory)
    if directory.resolve().is_relative_to(archive.resolve()):
        raise InputError(
            f"{directory}: lies in the archive {archive}, which would be read with it. Choose another place."
        )
    with opened(archive) as root, _room_beside(directory) as room:
        sounds = room / "sounds" if with_audio else None
        outcome = choose(root, config, audio, sounds, workers=workers, on_progress=on_progress)
        outcome = replace(outcome, rows=make_rows(outcome.chosen, outcome.sounds, config))
        _write(outcome, room / directory.name, config, is_silent=not with_audio)
        _put_in_place(room / directory.name, directory)
    return outcome


@contextmanager
def _room_beside(directory: Path) -> Iterator[Path]:
    """A folder for a while, on the disk that `directory` will be on: there is room for the collection, if anywhere."""
    parent = next(each for each in directory.absolute().parents if each.exists())
    with tempfile.TemporaryDirectory(dir=parent, prefix=f".{directory.name}.") as folder:
        yield Path(folder)


def evaluator_paths(directory: Path) -> tuple[Path, Path]:
    """What lies beside a collection for the evaluator alone: the file of secrets, and the folder of its history."""
    return evaluator_file(directory), directory.parent / f"{directory.name}{ASSEMBLY_FOLDER}"


def choose(
    root: Path, config: MubConfig, audio: Path | None, sounds: Path | None, *, workers: int, on_progress: OnProgress
) -> AssemblyOutcome:
    """Read an archive and draw the recordings of a collection, encoded in the folder `sounds` (None: no sound)."""
    with_audio = sounds is not None
    archive = read_archive(root)
    tracks, refused = validate_tracks(archive)
    tracks = [replace(each, facts={**config.stated_rights, **each.facts}) for each in tracks]
    files = audio_files(tracks, [*([audio] if audio else []), root]) if with_audio else {}
    silent = tuple(each.id for each in tracks if each.id not in files) if with_audio else ()
    usable = {each.id: each for each in tracks if not with_audio or each.id in files}
    names = {name: (each.facts.get("title", ""), each.facts.get("artist", "")) for name, each in usable.items()}
    duplicates = find_duplicates(names)
    doubled = {each.track for each in duplicates}
    pool = {name: each for name, each in usable.items() if name not in doubled}
    _require_pool(pool, archive, [problem for each in refused for problem in each.reasons], silent)
    strata = {name: Stratum(tempo_bin(each.tempo_bpm, config.tempo_edges), each.key) for name, each in pool.items()}
    drawn = draw(strata, config.size, config.seed)
    if not config.private:
        require_rights([pool[name] for name in drawn.tracks])
    encoded = EncodedTracks()
    if sounds is not None:
        encoder = Encoder(pool, files, config, sounds, workers, on_progress)
        encoded = encoder.encode(drawn)
    chosen = list(encoded.sounds) if with_audio else list(drawn.tracks)
    if not config.private:
        require_rights([pool[name] for name in chosen])
    taken = frozenset(drawn.tracks)
    return AssemblyOutcome(
        archive=archive,
        refused=tuple(refused),
        without_audio=silent,
        duplicates=tuple(duplicates),
        unnamed=sum(not (title and artist) for title, artist in names.values()),
        twins=encoded.twins,
        unreadable=encoded.unreadable,
        wanted=config.size,
        drawn=drawn,
        filled=tuple(name for name in chosen if name not in taken),
        strata=strata,
        chosen=tuple(pool[name] for name in chosen),
        sounds=encoded.sounds,
        rows={},
        tempo_edges=config.tempo_edges,
    )


def _require_pool(
    pool: Mapping[str, MubTrack], archive: Archive, reasons: Sequence[Problem], silent: Sequence[str]
) -> None:
    if pool:
        return
    if silent:
        raise InputError(
            f"{archive.path}: no track has an audio file, such as {silent[0]}.mp3. Give the folder with --audio, or "
            "give --without-audio."
        )
    first = list(dict.fromkeys(each.text for each in (*archive.problems, *reasons)))[:10]
    nothing = f"{archive.path}: no track can be used. Each needs tempo, key, metre and named segments."
    raise InputError(*first, nothing)


def _write(outcome: AssemblyOutcome, built: Path, config: MubConfig, *, is_silent: bool) -> None:
    """Write a collection and the evaluator's files of it, and look through them for leaks."""
    rows = list(outcome.rows.values())
    card = make_card(rows, outcome.chosen, len(outcome.drawn.sizes), config, is_silent=is_silent)
    write_collection(built, rows, card)
    write_outcome(outcome, *evaluator_paths(built))
    leaks = find_leaks(built)
    if leaks:
        raise LeakError(*leaks[:20])


def _put_in_place(built: Path, directory: Path) -> None:
    directory.parent.mkdir(parents=True, exist_ok=True)
    for made, kept in zip((built, *evaluator_paths(built)), (directory, *evaluator_paths(directory)), strict=True):
        shutil.rmtree(kept, ignore_errors=True)
        made.replace(kept)
