"""Datasets on the Hugging Face Hub: fetches what one split of some configurations needs, at one commit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from musebench_tasks.errors import InputError, MuseError
from musebench_tasks.items.card import CARD, choose_config, read_configs, split_patterns

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
    if any(pattern.endswith(_NAMING_MEDIA) for pattern in patterns):
        patterns = []
    return _snapshot(hub_id, commit, [CARD, *patterns] if patterns else None, offline), commit


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
    if isinstance(error, (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled)):
        return InputError(_not_cached(hub_id))
    if isinstance(error, (errors.HfHubHTTPError, OSError)):
        return MuseError(f"{page}: cannot be fetched now ({' '.join(str(error).split())[:200]}). Try again later.")
    raise error


def _not_cached(hub_id: str) -> str:
    return f"{_page(hub_id)}: is not in the cache, and the Hub is out of reach or switched off. Run once online."


def _page(hub_id: str) -> str:
    return f"https://huggingface.co/datasets/{hub_id}"
