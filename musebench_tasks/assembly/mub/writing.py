"""Rows, card and repository of a collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.cards import Card, default_card
from musebench_tasks.assembly.mub.config import MubConfig
from musebench_tasks.assembly.mub.counts import as_markdown, count_rows
from musebench_tasks.assembly.mub.masking import masked_ids, masked_name
from musebench_tasks.assembly.mub.recordings import SUFFIX, Sound, fitting_segments
from musebench_tasks.assembly.mub.rights import IN_CARD, UNKNOWN_LICENSE, rights_of
from musebench_tasks.assembly.mub.tracks import MubTrack
from musebench_tasks.assembly.repository import StoredMedium, check_rows, media_cell, write_repository
from musebench_tasks.assembly.schemas import MEDIA_TYPES, MUB
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.resources import resource

SILENT_MUB = MUB._replace(columns=tuple(column for column in MUB.columns if column.type not in MEDIA_TYPES))
"""The columns of a collection that is made before its audio is there."""
LABELS_SHOWN = 12
DESCRIPTION = "Recordings with tempo, key, time signature and sections, drawn by tempo and key from an archive."
_SOME_AUDIO = media_cell(b"-", "none.mp3")
"""Stands in for the recordings while all else in the rows is checked."""


class CollectionCard(Card):
    """The card of a collection: what any card says, the statistics table, and the credits of all recordings."""

    statistics: str
    """Markdown (MU-06)."""
    credits: tuple[str, ...]
    strata: int
    tempo_edges: tuple[float, ...]
    seed: int
    is_silent: bool = False
    private: bool = False


def make_rows(tracks: Sequence[MubTrack], sounds: Mapping[str, Sound], config: MubConfig) -> dict[str, dict[str, Any]]:
    """The row of each track, by track id; without a sound the row has no audio."""
    ids = masked_ids([track.id for track in tracks], config.mask_key)
    return {track.id: _row(track, ids[track.id], sounds.get(track.id), config) for track in tracks}


def _row(track: MubTrack, name: str, sound: Sound | None, config: MubConfig) -> dict[str, Any]:
    rights = rights_of(track)
    composition = track.facts.get("composition")
    cluster = ("composition", composition) if composition else ("recording", track.id)
    is_clear = all(rights)
    credit = IN_CARD if config.credits == "card" else rights.attribution
    segments: list[dict[str, Any]] = [each.model_dump() for each in track.segments]
    if sound is not None:
        fitting = fitting_segments(track, sound.duration_s)
        segments = [{"start_s": e.start / 1e6, "end_s": e.end / 1e6, "label": e.label} for e in fitting]
    row = {
        "id": name,
        "duration_s": track.duration_s if sound is None else sound.duration_s,
        "cluster_id": masked_name(*cluster, config.mask_key),
        "tempo_bpm": track.tempo_bpm,
        "beat_unit": track.beat_unit,
        "key": track.key,
        "time_signature": track.time_signature,
        "segments": segments,
        "beats_s": None,
        "downbeats_s": None,
        "multi_valued": list(track.multi_valued),
        "license": rights.license if is_clear else UNKNOWN_LICENSE,
        "attribution": credit if is_clear else "",
        "version": config.version,
    }
    if sound is not None:
        row["audio"] = StoredMedium(sound.file, f"{name}{SUFFIX[config.audio.codec]}")
    return row


def credit_lines(tracks: Sequence[MubTrack]) -> tuple[str, ...]:
    """Whom the collection credits: distinct lines, alphabetical, so that none tells which recording it is about."""
    lines = {f"{rights.attribution} ({rights.license})" for rights in map(rights_of, tracks) if all(rights)}
    return tuple(sorted(lines))


def make_card(
    rows: Sequence[Mapping[str, Any]], tracks: Sequence[MubTrack], strata: int, config: MubConfig, *, is_silent: bool
) -> CollectionCard:
    """The card of a collection, from its rows."""
    return CollectionCard(
        **default_card("mub", rows).model_dump(exclude={"template"}),
        template=resource("dataset_scripts") / "mub" / "collection.md",
        statistics=as_markdown(count_rows(rows), LABELS_SHOWN),
        credits=credit_lines(tracks),
        strata=strata,
        tempo_edges=config.tempo_edges,
        seed=config.seed,
        is_silent=is_silent,
        private=config.private,
    )


def write_collection(directory: Path, rows: Sequence[Mapping[str, Any]], card: CollectionCard) -> None:
    """Write the repository of a collection, which is called as its folder.

    InputError with one line a fault where its rows are wrong.
    """
    problems = check_rows("mub", [{**row, "audio": _SOME_AUDIO, **_unrecorded(row)} for row in rows])
    if problems:
        raise InputError(*problems)
    named = card.model_copy(update={"pretty_name": directory.name})
    about = About(pretty_name=directory.name, description=DESCRIPTION)
    write_repository(directory, SILENT_MUB if card.is_silent else MUB, rows, named, about=about)


def _unrecorded(row: Mapping[str, Any]) -> dict[str, str]:
    """What stands in for rights that a private set lacks, so that the rest of its rows can be checked."""
    return {"license": "CC0-1.0", "attribution": "-"} if row["license"] == UNKNOWN_LICENSE else {}
