"""Datasets on the Hugging Face Hub: fetches what one split of some configurations needs, at one commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.problems import reason
from musebench_tasks.items.card import CARD, choose_config, read_configs, split_patterns
from musebench_tasks.items.manifest import MANIFEST, needs_manifest, read_manifest, wrong_files

_NAMING_MEDIA = (".jsonl", ".json", ".csv")
"""Tables of text name their media by path, so the whole repository is needed."""


def fetch(
    hub_id: str, revision: str | None, configs: tuple[str, ...], split: str, *, offline: bool
) -> tuple[Path, str]:
    """The local snapshot of a dataset repository and its commit.

    The README comes first; it says which files belong to the configurations. Offline, or with HF_HUB_OFFLINE set,
    only the cache is read.
    """
    head = _snapshot(hub_id, revision, [CARD], offline)
    commit = head.name
    if not (head / CARD).is_file():
        raise InputError(_not_cached(hub_id) if offline else f"{_page(hub_id)}: has no {CARD}, so no declared data.")
    declared = read_configs(head)
    chosen = {choose_config(head, declared, None, each) for each in configs} if declared else set()
    patterns = sorted({pattern for name in chosen if name for pattern in split_patterns(head, declared[name], split)})
    names_media = any(pattern.endswith(_NAMING_MEDIA) for pattern in patterns)
    wanted = [CARD, MANIFEST, *patterns] if patterns and not names_media else None

    def again() -> Path:
        return _snapshot(hub_id, commit, wanted, offline)

    folder = again()
    for pattern in patterns:
        if not any(folder.glob(pattern)):
            raise MuseError(
                f"{_page(hub_id)}: {pattern} did not come. Either the repository has no such file, or the Hub is out "
                "of reach or asks to wait (429). Look at the page, and try again later."
            )
    _require_whole(hub_id, folder, patterns, again)
    return folder, commit


def _require_whole(hub_id: str, folder: Path, patterns: Sequence[str], again: Callable[[], Path]) -> None:
    """Compare what came with the manifest; what differs is taken out of the cache and fetched once more.

    A repository that this package did not make has none, or one of its own kind, and is taken as it is.
    """
    if not (folder / MANIFEST).is_file() and needs_manifest(folder):
        raise InputError(
            f"{_page(hub_id)}: has no {MANIFEST}, so nobody knows whether all of it is there. Its owner publishes it "
            "again with `musebench data push`."
        )
    if not needs_manifest(folder):
        return
    if wrong := list(_wrong(folder, patterns)):
        for path, _ in wrong:
            (folder / path).resolve().unlink(missing_ok=True)
            (folder / path).unlink(missing_ok=True)
        again()
        wrong = list(_wrong(folder, patterns))
    if wrong:
        path, what = wrong[0]
        raise InputError(f"{_page(hub_id)}: {path} {what}. Tell its owner; until then place the data by hand.")


def _wrong(folder: Path, patterns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What differs among the files that are read as data and those that the manifest names."""
    manifest = read_manifest(folder / MANIFEST)
    data = {file.relative_to(folder).as_posix() for pattern in patterns for file in folder.glob(pattern)}
    named = {path for path in manifest.files if (folder / path).exists()}
    return wrong_files(folder, manifest, sorted(data | named), remember=True)


def fetch_also(hub_id: str, commit: str, name: str, *, offline: bool) -> Path:
    """The local snapshot of a commit, with the file `name` where the repository has it."""
    return _snapshot(hub_id, commit, [name], offline)


def _snapshot(hub_id: str, revision: str | None, patterns: list[str] | None, offline: bool) -> Path:
    import huggingface_hub

    download: Callable[..., Any] = huggingface_hub.snapshot_download
    try:
        return Path(
            download(hub_id, repo_type="dataset", revision=revision, allow_patterns=patterns, local_files_only=offline)
        )
    except Exception as error:
        raise _explained(hub_id, revision, error) from error


def _explained(hub_id: str, revision: str | None, error: Exception) -> MuseError:
    from huggingface_hub import errors

    page = _page(hub_id)
    if isinstance(error, errors.GatedRepoError):
        return InputError(
            f"{page}: asks for its terms to be accepted. Open the page, accept, then run `hf auth login`."
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return InputError(f'{page}: has no revision "{revision}". Correct `revision` in the task.')
    if isinstance(error, errors.RepositoryNotFoundError):
        return InputError(
            f"{page}: is not there, or is private or gated. Correct the id; if the page opens for you, accept its "
            "terms and run `hf auth login`."
        )
    cause = error.__cause__
    if isinstance(error, errors.LocalEntryNotFoundError) and isinstance(cause, errors.HfHubHTTPError):
        # "Not in the cache" would hide what the Hub said: that it asks to wait (429), or fails.
        return _explained(hub_id, revision, cause)
    if isinstance(error, (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled)):
        return InputError(_not_cached(hub_id))
    if isinstance(error, errors.EntryNotFoundError):
        return InputError(
            f"{page}: lacks a file that it had before; perhaps the repository was made anew. Remove its folder from "
            "the cache of huggingface_hub (`hf cache`), and try again."
        )
    if isinstance(error, (errors.HfHubHTTPError, OSError)):
        return MuseError(f"{page}: cannot be fetched now ({reason(error)[:200]}). Try again later.")
    raise error


def _not_cached(hub_id: str) -> str:
    return f"{_page(hub_id)}: is not in the cache, and the Hub is out of reach or switched off. Run once online."


def _page(hub_id: str) -> str:
    return f"https://huggingface.co/datasets/{hub_id}"
