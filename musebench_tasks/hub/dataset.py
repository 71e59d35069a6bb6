"""`musebench data push`: a dataset folder becomes a repository of the Hub, in one commit, and is read back."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.text import counted
from musebench_tasks.hub.connection import Hub, refuse_tokens
from musebench_tasks.hub.data_rules import check_directory, files_of, fits
from musebench_tasks.hub.parcel import Content, HubState, Parcel, Repository, sorted_contents
from musebench_tasks.hub.sending import PushedFiles, asked, preview_lines, publish
from musebench_tasks.items.card import CARD, card_head, card_parts, read_configs
from musebench_tasks.items.manifest import MANIFEST, FileEntry, Manifest, read_manifest, wrong_files

Told = Callable[[str], None]


class DataFolder(NamedTuple):
    """A dataset folder that may be pushed."""

    directory: Path
    repository: Repository
    files: tuple[Content, ...]
    rows: Mapping[str, int]
    """By path, of Parquet files."""
    title: str
    counts: str
    """How many rows each configuration has, in words."""


def read_folder(directory: Path, to: str) -> DataFolder:
    """A dataset folder as it is to be pushed to ORG/NAME; InputError with every reason why it must not be."""
    repository = Repository("dataset", to)
    paths = check_directory(directory, repository.name)
    known = {path for each in paths.values() for path in each}
    files = sorted_contents(Content(path, directory / path) for path in files_of(directory) if path != MANIFEST)
    refuse_tokens(files)
    rows = {path: _rows(directory / path) for path in sorted(known) if path.endswith(".parquet")}
    held = {name: sum(rows.get(path, 0) for path in each) for name, each in paths.items() if each}
    counts = ", ".join(f"{name} {counted(number, 'row')}" for name, number in held.items())
    head = card_head((directory / CARD).read_text(encoding="utf-8-sig"))
    return DataFolder(directory, repository, files, rows, str(head.get("pretty_name") or repository.name), counts)


def fingerprint(folder: DataFolder) -> str:
    """One hash over names and hashes of all files: whether a folder is still the same."""
    lines = "".join(f"{each.path}\t{each.sha256}\n" for each in folder.files)
    return hashlib.sha256(lines.encode()).hexdigest()


def push_folder(hub: Hub, folder: DataFolder, *, private: bool, told: Told = lambda _: None) -> PushedFiles:
    """Push, then read everything back through a cache of its own and compare hashes and rows."""
    published = publish(hub, folder.repository, _maker(hub, folder), private=private)
    told("reading it back")
    _read_back(hub, folder, published)
    return published


def dry_run_lines(hub: Hub | None, folder: DataFolder, *, private: bool) -> Iterator[str]:
    """What a push would send, without sending anything, and the card; `hub` None = it is not asked."""
    made: list[Parcel] = []

    def make(state: HubState) -> Parcel:
        made.append(_maker(hub, folder)(state))
        return made[0]

    yield from preview_lines(hub, folder.repository, asked(hub, folder.repository), make, private=private)
    yield f"\n{CARD}:"
    yield next(each for each in made[0].files if each.path == CARD).read().decode("utf-8-sig")


def merged_card(ours: str, theirs: str) -> str:
    """Our card, and in its YAML head what only the one on the Hub says: terms of access, a contact."""
    own, there = card_head(ours), card_head(theirs)
    kept = {key: value for key, value in there.items() if key not in own}
    if not kept or not own:
        return ours
    head = yaml.safe_dump({**own, **kept}, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{head}---\n{card_parts(ours)[1]}"


def _maker(hub: Hub | None, folder: DataFolder) -> Callable[[HubState], Parcel]:
    """From what lies in the repository to what should: the card merged, the manifest last, old data files gone."""
    configs = read_configs(folder.directory)

    def make(state: HubState) -> Parcel:
        files = tuple(_with_card(hub, folder, state, each) if each.path == CARD else each for each in folder.files)
        manifest = Manifest(
            files={
                each.path: FileEntry(sha256=each.sha256, size=each.size, rows=folder.rows.get(each.path))
                for each in files
            }
        )
        others = sorted(set(state.files) - {each.path for each in files})
        old = _listed(hub, folder, state) if others != [MANIFEST] else frozenset()
        gone = [path for path in others if path in old or fits(path, configs)]
        files = (*files, Content(MANIFEST, manifest.text().encode()))
        gone = [path for path in gone if path != MANIFEST]
        return Parcel(
            folder.repository,
            f"Publish {folder.title}",
            files,
            tuple(gone),
            f"{folder.counts}. Made by musebench-tasks.",
        )

    return make


def _with_card(hub: Hub | None, folder: DataFolder, state: HubState, card: Content) -> Content:
    known = state.files.get(CARD)
    there = "" if known is not None and card.is_same_as(known) else _remote_text(hub, folder, state, CARD)
    if not there:
        return card
    merged = merged_card(card.read().decode("utf-8-sig"), there)
    return Content(CARD, merged.encode())


def _listed(hub: Hub | None, folder: DataFolder, state: HubState) -> frozenset[str]:
    """The files of the push before."""
    text = _remote_text(hub, folder, state, MANIFEST)
    try:
        return frozenset(Manifest.model_validate_json(text).files) if text else frozenset()
    except ValueError:
        return frozenset()


def _remote_text(hub: Hub | None, folder: DataFolder, state: HubState, path: str) -> str:
    if hub is None or state.commit is None or path not in state.files:
        return ""
    with tempfile.TemporaryDirectory() as cache:
        return hub.read(folder.repository, path, state.commit, Path(cache)).decode("utf-8-sig", errors="replace")


def _read_back(hub: Hub, folder: DataFolder, published: PushedFiles) -> None:
    """MuseError where what comes back from the Hub is not what was sent; a broken download is tried once more."""
    wrong: list[tuple[str, str]] = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as cache:
            there = hub.snapshot(folder.repository, published.commit, Path(cache))
            manifest = read_manifest(there / MANIFEST)
            wrong = list(wrong_files(there, manifest, manifest.files)) or list(_wrong_rows(folder, there))
        if not wrong:
            return
    path, what = wrong[0]
    raise MuseError(f"{published.page}: was sent, but what comes back is wrong: {path} {what}. Push it again.")


def _wrong_rows(folder: DataFolder, there: Path) -> Iterator[tuple[str, str]]:
    for path, rows in folder.rows.items():
        found = _rows(there / path)
        if found != rows:
            yield path, f"has {counted(found, 'row')}, {rows} sent"


def _rows(file: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.ParquetFile(file).metadata.num_rows)
