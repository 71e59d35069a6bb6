"""Rights: what must be recorded of every track before its recording goes into a set that may be pushed (MU-15)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from musebench_tasks.assembly.mub.tracks import MubTrack
from musebench_tasks.assembly.rules.cells import spdx
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, lines
from musebench_tasks.base.text import shown

REQUIRED = ("license", "attribution", "source")
UNKNOWN_LICENSE = "NOASSERTION"
"""What SPDX writes where nobody says anything about rights; such a row has no attribution, so no push takes it."""
IN_CARD = "Credited in README.md."
_NAMED = 20


class Rights(NamedTuple):
    """Who may do what with a recording, whom to credit, and where that is written."""

    license: str
    """SPDX id."""
    attribution: str
    source: str


def rights_of(track: MubTrack) -> Rights:
    """What is recorded of a track, its licence in canonical spelling; empty where nothing is."""
    written, attribution, source = (track.facts.get(name, "") for name in REQUIRED)
    return Rights((spdx(written) or "") if written else "", attribution, source)


def require_rights(tracks: Iterable[MubTrack]) -> None:
    """InputError that names every row without a licence, an attribution or a source."""
    problems = [problem for track in tracks for problem in _problems(track.id, track.facts, track.places)]
    if problems:
        advice = "Record the rights in the archive, or set `private: true` for a set that is never published."
        raise InputError(*lines(problems, _NAMED), f"{len(problems)} rights are missing. {advice}")


def _problems(track: str, facts: Mapping[str, str], places: Mapping[str, str]) -> Iterator[Problem]:
    place = next((places[name] for name in (*REQUIRED, "title", "artist") if name in places), "no row of facts")
    where = f"{place}, track {shown(track)}"
    for name in REQUIRED:
        if not facts.get(name):
            yield Problem("empty.", "Fill it in.", place=where, column=name)
    license_id = facts.get("license")
    if license_id and spdx(license_id) is None:
        yield Problem(f"{shown(license_id)} is no SPDX id.", "Write it as in CC-BY-3.0.", place=where, column="license")
