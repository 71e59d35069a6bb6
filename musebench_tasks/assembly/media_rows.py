"""The media of a sheet's rows: fetched where they are not here, timed, checked, made, named after ids, linked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.assembly.drafts import Draft
from musebench_tasks.assembly.links import (
    Link,
    link_cell,
    link_faults,
    read_link,
    row_window,
    run_program,
    window_fingerprint,
)
from musebench_tasks.assembly.media_checks import Checked, check_media, check_medium, usable_window, use_of
from musebench_tasks.assembly.media_findings import Medium, failed_finding, unusable
from musebench_tasks.assembly.medium import MediaSettings, MediumMaker, SurveyedWindow, is_plain_film, require_streams
from musebench_tasks.assembly.repository import StoredMedium
from musebench_tasks.assembly.schemas import SCHEMAS, Schema
from musebench_tasks.assembly.sheet import Faults
from musebench_tasks.base.errors import InputError, MediaError
from musebench_tasks.base.problems import Effect, Problem
from musebench_tasks.base.records import MediaSource, Modality
from musebench_tasks.base.text import shown
from musebench_tasks.items.windows import CUT_TOLERANCE_S, fit_window
from musebench_tasks.media import shared_cache
from musebench_tasks.media.decode import DecodeProcess, shared_process
from musebench_tasks.media.unpack import media_file

FILM, SOUND = ".mp4", ".m4a"
Told = Callable[[str, int, int], None]
"""Called with what is done, how many of it are done, and how many there are."""


class TimedRow(NamedTuple):
    """A row with all its cells but the medium's, and what of its source is taken."""

    position: int
    cells: dict[str, Any]
    source: MediaSource | None
    taken: SurveyedWindow
    duration_s: float | None
    """Of the medium as it goes into the dataset; None where nobody has it."""
    link: Link | None
    faulty: frozenset[str] = frozenset()
    """Columns that could not be read, of which that is told already."""

    content: str | None = None
    """Hash of the medium as it was given; None where nobody has it."""

    def name(self, id_column: str) -> str:
        """What messages about media call the row: its id, or its place where that could not be read."""
        return str(self.cells[id_column] or f"row {self.position + 1}")


class MediaRows:
    """Does what has to do with media, in the order of the methods."""

    def __init__(
        self, schema: Schema, faults: Faults, settings: MediaSettings, work: Path, processes: int, *, links: bool
    ) -> None:
        self.schema, self.faults, self.settings, self.work, self.links = schema, faults, settings, work, links
        self.processes = processes
        self.is_film = schema.media_column == "video"
        self.cache = shared_cache()
        self.own = MediumMaker(work, settings, self.cache, shared_process())
        self._others: list[DecodeProcess] = []
        self._odd: set[str] = set()
        """Films, by hash, that readers show differently."""
        self.count = self.fetched_count = 0
        self.missing: tuple[str, ...] = ()

    def close(self) -> None:
        """End the decode processes that were started for this."""
        for process in self._others:
            process.close()

    def _another(self) -> MediumMaker:
        """A maker for a thread of its own."""
        process = DecodeProcess()
        self._others.append(process)
        return MediumMaker(self.work, self.settings, self.cache, process)

    def fetched(self, drafts: Sequence[Draft], program: str | None) -> list[tuple[Draft, Link | None]]:
        """Every draft with its link; media that are not here are fetched, each once, and compared with what is said."""
        known: dict[str, MediaSource | None] = {}
        result = []
        for draft in drafts:
            link = self._link(draft)
            if draft.source is None and link is not None and program is not None:
                if link.platform_id not in known:
                    known[link.platform_id] = self._fetch(draft, link, program, len(known))
                draft = draft._replace(source=known[link.platform_id])
            elif draft.source is None and program is not None and not self.links and not self._names_link(draft):
                text = "names no file that is here, and the row no platform_id to fetch it by. Give one of them."
                self.faults.add(draft.position, self.schema.media_column, text)
            if draft.source is not None and link is not None:
                self._compare(draft, link)
            result.append((draft, link))
        self.fetched_count = len(known)
        return result

    def _names_link(self, draft: Draft) -> bool:
        return bool(self.faults.table.rows[draft.position].get("platform_id"))

    def _link(self, draft: Draft) -> Link | None:
        row = self.faults.table.rows[draft.position]
        try:
            link = read_link(row)
        except InputError as error:
            self.faults.add(draft.position, "platform_id", *error.problems)
            return None
        if link is None and self.links:
            self.faults.add(
                draft.position, "platform_id", "is empty. Say where the medium is, or build without --links."
            )
        return link

    def _fetch(self, draft: Draft, link: Link, program: str, number: int) -> MediaSource | None:
        out = self.work / "fetched" / f"{number}{FILM if self.is_film else SOUND}"
        fault = run_program(program, link.platform_id, out)
        if fault is not None:
            if not self.links:
                self.faults.add(draft.position, "platform_id", f"{shown(link.platform_id)} cannot be fetched: {fault}.")
            return None
        return MediaSource(path=str(out))

    def _compare(self, draft: Draft, link: Link) -> None:
        if draft.source is None or (link.expected_duration_s is None and link.fingerprint is None):
            return
        start, end = draft.cells.get("start_s"), draft.cells.get("end_s")
        try:
            for fault in link_faults(self.own.fetcher, draft.source, [(link, start, end)]):
                self.faults.add(draft.position, "platform_id", f"{shown(link.platform_id)} {fault}.")
        except MediaError:
            return  # `timed` decodes every medium and says what is wrong with it.

    def timed(self, drafts: Sequence[tuple[Draft, Link | None]]) -> list[TimedRow]:
        """Rows with their times, and faults for media that cannot be used: each is decoded to its end."""
        clusters: dict[str, str] = {}
        rows = [self._timed(draft, link, clusters) for draft, link in drafts]
        self._check(rows)
        return rows

    def _timed(self, draft: Draft, link: Link | None, clusters: dict[str, str]) -> TimedRow:
        cells = dict(draft.cells)
        name = str(cells[self.schema.id_column])
        if draft.source is None:
            return self._without_medium(draft, cells, name, link)
        try:
            file = media_file(draft.source, self.cache)
            probe = self.own.fetcher.probe(file)
            require_streams(probe, self.is_film, file.name)
        except MediaError as error:
            finding = failed_finding(Medium(draft.source), error)
            self.faults.add(draft.position, self.schema.media_column, unusable(finding))
            return self._without_medium(draft, cells, name, link)
        found = probe["video_s"] if self.is_film else probe["audio_s"]
        seconds = float(found) if found is not None else None  # A picture has no length.
        cluster = clusters.setdefault(file.sha256, name)
        taken = self._window(draft, cells, seconds) if seconds is not None else SurveyedWindow()
        cells = _defaults(cells, cluster, seconds)
        if self.settings.cut and not self.links and seconds is not None and "start_s" in cells:
            taken = SurveyedWindow(cells["start_s"], min(cells["end_s"], seconds))
            cells |= {"start_s": 0.0, "end_s": round((taken.end_s or 0.0) - (taken.start_s or 0.0), 6)}
        length = seconds if taken == SurveyedWindow() else (taken.end_s or 0.0) - (taken.start_s or 0.0)
        if "duration_s" in cells and length is not None:
            cells["duration_s"] = round(length, 6)
        faulty = draft.faulty
        is_endless = seconds is None and cells.get("end_s", 0.0) is None
        if is_endless and self.schema.dataset in SCHEMAS:
            text = "is empty, and a picture has no length. Write how long it is shown, in seconds."
            self.faults.add(draft.position, "end_s", Problem(text, code="CELL_MISSING"))
            faulty = faulty | {"end_s"}
        return TimedRow(draft.position, cells, draft.source, taken, length, link, faulty, file.sha256)

    def _without_medium(self, draft: Draft, cells: dict[str, Any], name: str, link: Link | None) -> TimedRow:
        """A row whose medium nobody has; unless it is a link, that is a fault, and the times are not known."""
        known = _defaults(cells, name, None)
        unknown = {each for each in ("end_s", "duration_s") if each in known and known[each] is None}
        faulty = draft.faulty if self.links else draft.faulty | unknown
        return TimedRow(draft.position, known, None, SurveyedWindow(), None, link, faulty)

    def _window(self, draft: Draft, cells: dict[str, Any], seconds: float) -> SurveyedWindow:
        """What of a medium of hummusqa is its excerpt: all of it where it is cut already."""
        if self.schema.dataset != "hummusqa" or self.links:
            return SurveyedWindow()
        try:
            start, end = row_window(cells)
        except InputError:
            return SurveyedWindow()  # The rules say what is wrong with the time.
        inside = fit_window(start, end, seconds)
        is_all = not start and end is not None and abs(seconds - end) <= CUT_TOLERANCE_S
        if is_all or (start and inside != (start, end)):
            return SurveyedWindow()
        if end is not None and seconds < end - CUT_TOLERANCE_S:
            text = f"lasts {seconds:.1f} s: neither the excerpt ({start:g} to {end:g} s) nor the whole piece."
            self.faults.add(draft.position, self.schema.media_column, f"{text} Give one of them.")
            return SurveyedWindow()
        return SurveyedWindow(start, min(end, seconds)) if end is not None else SurveyedWindow()

    def _check(self, rows: Sequence[TimedRow]) -> None:
        """Decode every medium to its end; what would stop a run is a fault of each row that uses it."""
        takes = frozenset({Modality.VIDEO, Modality.AUDIO}) if self.is_film else frozenset({Modality.AUDIO})
        media: dict[str, Medium] = {}
        users: dict[str, list[TimedRow]] = {}
        for row in rows:
            if row.source is None:
                continue
            key = media_file(row.source, self.cache).sha256
            start, end = (
                row.taken if row.taken != SurveyedWindow() else (row.cells.get("start_s"), row.cells.get("end_s"))
            )
            window = usable_window(start, end, row.duration_s) if row.taken == SurveyedWindow() else (start, end)
            name, alignment = row.name(self.schema.id_column), row.cells.get("alignment")
            use = use_of(name, (*window, None), takes, alignment)
            media.setdefault(key, Medium(row.source, is_renamed=True)).uses.append(use)
            users.setdefault(key, []).append(row)
        for key, checked in zip(media, self._checked(list(media.values())), strict=True):
            if checked.survey is not None and not is_plain_film(checked.survey):
                self._odd.add(key)
            self._note_decoded(users[key], checked)
            for finding in checked.findings:
                if finding.effect is Effect.STOP:
                    self._blame(users[key], finding)

    def _note_decoded(self, rows: Sequence[TimedRow], checked: Checked) -> None:
        """Write what decodes as `duration_s`: packets tell more where an encoder put samples before the first."""
        seconds = ((checked.survey or {}).get("audio") or {}).get("seconds")
        for row in rows:
            if seconds is not None and "duration_s" in row.cells and row.taken == SurveyedWindow():
                row.cells["duration_s"] = round(float(seconds), 6)

    def _checked(self, media: Sequence[Medium]) -> Iterable[Checked]:
        if self.processes > 1:
            return check_media(media, self.processes)
        return [check_medium(medium, self.own.fetcher.process, self.cache) for medium in media]

    def _blame(self, rows: Sequence[TimedRow], finding: Problem) -> None:
        for row in rows:
            if not finding.items or row.name(self.schema.id_column) in finding.items:
                self.faults.add(row.position, self.schema.media_column, unusable(finding))

    def made(self, rows: Sequence[TimedRow], told: Told) -> list[dict[str, Any]]:
        """The rows of the dataset with their media, or links."""
        ordered = sorted(rows, key=lambda row: str(row.cells[self.schema.id_column]))
        self.missing = tuple(str(row.cells[self.schema.id_column]) for row in ordered if row.source is None)
        return self._linked(ordered, told) if self.links else self._encoded(ordered, told)

    def _encoded(self, rows: Sequence[TimedRow], told: Told) -> list[dict[str, Any]]:
        """Each source and window encoded once, under the name of the first row that uses it."""
        first: dict[tuple[str, SurveyedWindow], TimedRow] = {}
        for row in rows:
            first.setdefault(self._key(row), row)
        stored: dict[tuple[str, SurveyedWindow], StoredMedium] = {}
        for done, (key, file) in enumerate(zip(first, self._files(list(first.values())), strict=True), start=1):
            stored[key] = StoredMedium(file, f"{first[key].cells[self.schema.id_column]}{file.suffix}")
            told("media", done, len(first))
        self.count = len(stored)
        return [{**row.cells, self.schema.media_column: stored[self._key(row)]} for row in rows]

    def _files(self, rows: Sequence[TimedRow]) -> Iterator[Path]:
        """The encoded medium of each row, in order; several at the same time where that is asked."""
        local = threading.local()

        def make(row: TimedRow) -> Path:
            if not hasattr(local, "maker"):
                local.maker = self._another()
            assert row.source is not None
            is_plain = self._key(row)[0] not in self._odd
            return Path(local.maker.make(row.source, row.taken, self.is_film, is_plain=is_plain))

        if self.processes == 1:
            local.maker = self.own
            yield from map(make, rows)
            return
        with ThreadPoolExecutor(self.processes) as pool:
            yield from pool.map(make, rows)

    def _key(self, row: TimedRow) -> tuple[str, SurveyedWindow]:
        assert row.source is not None
        return media_file(row.source, self.cache).sha256, row.taken

    def _linked(self, rows: Sequence[TimedRow], told: Told) -> list[dict[str, Any]]:
        names: dict[str, str] = {}
        made = []
        for done, row in enumerate(rows, start=1):
            link = row.link or Link("")
            suffix = Path(row.source.path).suffix.lower() if row.source is not None else ""
            name = names.setdefault(
                link.platform_id, f"{row.cells[self.schema.id_column]}{suffix or (FILM if self.is_film else SOUND)}"
            )
            made.append({**row.cells, self.schema.media_column: link_cell(name), **self._known(row, link)})
            told("links", done, len(rows))
        self.count = len(names)
        return made

    def _known(self, row: TimedRow, link: Link) -> dict[str, Any]:
        """The link columns, computed from the medium where it is here."""
        if row.source is None:
            return link._asdict()
        start, end = row_window(row.cells)
        computed = window_fingerprint(self.own.fetcher, row.source, start, end, row.duration_s or 0.0)
        seconds = round(row.duration_s, 3) if row.duration_s is not None else None
        return Link(link.platform_id, seconds, computed)._asdict()


def _defaults(cells: dict[str, Any], cluster: str, seconds: float | None) -> dict[str, Any]:
    """Cells that a sheet may leave open: the whole medium, and one cluster a medium."""
    found: dict[str, Any] = {"cluster_id": cluster, "start_s": 0.0, "end_s": seconds, "duration_s": seconds}
    return {name: found[name] if name in found and value is None else value for name, value in cells.items()}
