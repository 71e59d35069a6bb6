"""What became of each track of an archive: it has one fate, so that the numbers of all add up to the archive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from musebench_tasks.assembly.mub.duplicates import Duplicate
from musebench_tasks.assembly.mub.tracks import FAULTY, INCOMPLETE, NOT_ANNOTATED, Refused

NOT_DRAWN, CHOSEN = "not drawn", "chosen"
WITHOUT_AUDIO, SAME_NAME, UNUSABLE, SAME_SOUND = (
    "without an audio file",
    "of the same title and artist",
    "with unusable audio",
    "that sound the very same as another",
)
LEFT_OUT = (FAULTY, INCOMPLETE, NOT_ANNOTATED, WITHOUT_AUDIO, SAME_NAME, UNUSABLE, SAME_SOUND)


class Fate(NamedTuple):
    """What became of a track."""

    kind: str
    """As a group of tracks is counted."""
    told: str
    """As one track is told of, with the track that is kept in its place."""


def fates(
    refused: Iterable[Refused],
    without_audio: Iterable[str],
    duplicates: Iterable[Duplicate],
    pool: Iterable[str],
    twins: Mapping[str, str],
    unreadable: Iterable[str],
    chosen: Iterable[str],
) -> dict[str, Fate]:
    """The fate of every track, in the order of their ids; of `pool` are all that follow it."""
    found = {each.id: Fate(each.kind, each.kind) for each in refused}
    found |= {track: Fate(WITHOUT_AUDIO, WITHOUT_AUDIO) for track in without_audio}
    found |= {each.track: Fate(SAME_NAME, f"same title and artist as {each.kept}") for each in duplicates}
    found |= {track: Fate(NOT_DRAWN, NOT_DRAWN) for track in pool}
    found |= {track: Fate(SAME_SOUND, f"sounds the same as {kept}") for track, kept in twins.items()}
    found |= {track: Fate(UNUSABLE, UNUSABLE) for track in unreadable}
    found |= {track: Fate(CHOSEN, CHOSEN) for track in chosen}
    return dict(sorted(found.items()))
