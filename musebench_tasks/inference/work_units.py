"""Requests grouped for work: one unit a media file, in it one group a window and condition, longest first."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from musebench_tasks.base.records import Request

REQUEST_COST_S = 1.0
"""What a prompt costs beside its media, in media seconds: keeps units of many questions ahead of short ones."""


@dataclass(frozen=True)
class WorkUnit:
    """All requests on one media file; what one lease covers."""

    id: str
    """16 hex digits that follow from the file's content: a name for the lease file."""
    groups: tuple[tuple[Request, ...], ...]
    """Requests that share window, condition and decode settings."""
    cost_s: float
    """Estimated work in media seconds; a window counts once a group."""

    @property
    def requests(self) -> tuple[Request, ...]:
        """All requests of the unit."""
        return tuple(request for group in self.groups for request in group)


def plan_units(requests: Iterable[Request]) -> tuple[WorkUnit, ...]:
    """The units of `requests`, most work first; equal work in the order of ids. A key is asked once."""
    files: dict[str, dict[tuple[object, ...], dict[str, Request]]] = defaultdict(lambda: defaultdict(dict))
    for request in requests:
        files[_file_of(request)][_group_of(request)].setdefault(request.key, request)
    units = [_unit(name, [tuple(group.values()) for group in groups.values()]) for name, groups in files.items()]
    return tuple(sorted(units, key=lambda unit: (-unit.cost_s, unit.id)))


def _unit(name: str, groups: list[tuple[Request, ...]]) -> WorkUnit:
    cost = sum(group[0].media_s + REQUEST_COST_S * len(group) for group in groups)
    return WorkUnit(id=hashlib.sha256(name.encode()).hexdigest()[:16], groups=tuple(groups), cost_s=cost)


def _file_of(request: Request) -> str:
    """The media file by content; a request without media stands for itself."""
    if not request.parts:
        return f"item {request.item_id}"
    return request.parts[0].source.content


def _group_of(request: Request) -> tuple[str, ...]:
    return (str(request.condition), request.audio_route, *(part.identity for part in request.parts))
