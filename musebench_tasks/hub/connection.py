"""The Hub as the user's own token sees it, with every refusal as one line that says what to do.

The token is read by huggingface_hub where it always is (`hf auth login`, $HF_TOKEN); it is never taken as an argument,
kept, printed or sent in a file.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.text import cut
from musebench_tasks.hub.parcel import EMPTY, Content, HubState, Parcel, RemoteFile, Repository

_TOKEN = re.compile(r"hf_[A-Za-z0-9]{8,}")
_SECRET = re.compile(rb"\bhf_[A-Za-z0-9]{30,}\b")
_PASSWORD = re.compile(rb"://[^/\s:@'\"]+:[^/\s@'\"]+@")
_NO_TEXT = (".parquet",)
_CLIENTS = ("httpx", "httpcore", "requests", "urllib3")
_LONGEST_WORDS = 200
SENDING_S, LOOKING_S = 120.0, 10.0
"""How long the Hub may be silent while something is sent, and where it is only asked what lies there."""
TOLD_AFTER_S = 4.0
"""A silence after which it is said what is being waited for."""


class NotNowError(MuseError):
    """The Hub cannot be had at this moment; the same may well succeed later."""

    def __init__(self, message: str, *, wait_s: float | None = None, is_passing: bool = False) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        """What the Hub asked for."""
        self.is_passing = is_passing
        """Whether to look again in a moment: a fault of the server, or a request of which nobody knows how it went."""


class ConflictError(MuseError):
    """Somebody else committed in between."""


class MissingRepositoryError(InputError):
    """There is no such repository, or this token may not see it."""


class Account(NamedTuple):
    """Who the token belongs to."""

    name: str
    organisations: tuple[str, ...]
    may_write: bool
    """False for a token that only reads."""


class Hub:
    """Calls of the Hub; every fault is a MuseError. `patience_s`: how long it may be silent."""

    def __init__(self, patience_s: float = SENDING_S) -> None:
        import huggingface_hub
        import huggingface_hub.utils

        tools: Any = huggingface_hub.utils
        tools.logging.set_verbosity_error()
        if not sys.stderr.isatty():
            tools.disable_progress_bars()
        self._patience_s = patience_s
        huggingface_hub.get_session().timeout = patience_s  # the client of huggingface_hub waits for ever
        self._api: Any = huggingface_hub.HfApi()
        self.address: str = self._api.endpoint

    def page(self, repository: Repository) -> str:
        """The address of a repository's page."""
        return f"{self.address}/{repository.page}"

    def account(self) -> Account:
        """Whose token this is; InputError where there is none, or it is no longer valid."""
        if is_offline():
            raise NotNowError(f"{self.address}: the Hub is switched off here (HF_HUB_OFFLINE is set).")
        if not is_signed_in():
            raise InputError(f"{self.address}: nobody is signed in here. Run `hf auth login`, then this again.")
        with _explained(self.address, "sign in"):
            told = self._api.whoami()
        role = ((told.get("auth") or {}).get("accessToken") or {}).get("role")
        names = tuple(str(each.get("name")) for each in told.get("orgs") or ())
        return Account(str(told.get("name")), names, role != "read")

    def writer(self) -> Account:
        """Whose token this is, if it may write at all; InputError before anything is uploaded where it may not."""
        account = self.account()
        if not account.may_write:
            raise InputError(
                f"{self.address}: the token of {account.name} only reads. Use one with write access (`hf auth login`)."
            )
        return account

    def state(self, repository: Repository, revision: str = "main") -> HubState:
        """What lies in a repository; MissingRepositoryError where there is none that this token may see."""
        with _explained(self.page(repository), "read"):
            info = self._api.repo_info(
                repository.id, repo_type=repository.type, revision=revision, timeout=self._patience_s
            )
            tree = self._api.list_repo_tree(repository.id, recursive=True, revision=info.sha, repo_type=repository.type)
            files = {each.path: _remote_file(each) for each in tree if hasattr(each, "blob_id")}
        return HubState(str(info.sha), files, bool(info.private))

    def state_or_empty(self, repository: Repository) -> HubState:
        """What lies in a repository, nothing where there is none."""
        try:
            return self.state(repository)
        except MissingRepositoryError:
            return EMPTY

    def parent_of(self, repository: Repository, commit: str) -> str | None:
        """The commit before `commit`; None for the first."""
        with _explained(self.page(repository), "read"):
            commits = self._api.list_repo_commits(repository.id, repo_type=repository.type, revision=commit)
        return str(commits[1].commit_id) if len(commits) > 1 else None

    def read(self, repository: Repository, path: str, revision: str, cache: Path) -> bytes:
        """The bytes of one file, through the cache folder `cache`."""
        with _explained(self.page(repository), "read"):
            found = self._api.hf_hub_download(
                repository.id, path, repo_type=repository.type, revision=revision, cache_dir=cache
            )
        return Path(found).read_bytes()

    def snapshot(self, repository: Repository, revision: str, cache: Path) -> Path:
        """All files at a commit, downloaded into the cache folder `cache`."""
        with _explained(self.page(repository), "read"):
            return Path(
                self._api.snapshot_download(
                    repository.id, repo_type=repository.type, revision=revision, cache_dir=cache
                )
            )

    def create(self, repository: Repository, *, private: bool) -> None:
        """Make a repository; nothing where it is there."""
        with _explained(self.page(repository), "make a repository"):
            self._api.create_repo(
                repository.id,
                repo_type=repository.type,
                private=private,
                exist_ok=True,
                **({"space_sdk": "gradio"} if repository.type == "space" else {}),
            )

    def commit(self, parcel: Parcel, parent: str | None) -> str:
        """One commit on `main` upon `parent`, which holds everything or is not made; returns its id."""
        return str(self._commit(parcel, parent_commit=parent).oid)

    def propose(self, parcel: Parcel) -> tuple[str, int]:
        """One pull request that holds everything; returns its page and number."""
        made = self._commit(parcel, create_pr=True)
        return str(made.pr_url), int(made.pr_num)

    def proposals(self, repository: Repository, title: str) -> Iterator[int]:
        """The open pull requests of that title, the oldest first."""
        with _explained(self.page(repository), "read"):
            found = list(
                self._api.get_repo_discussions(
                    repository.id,
                    repo_type=repository.type,
                    discussion_type="pull_request",
                    discussion_status="open",
                )
            )
        yield from sorted(int(each.num) for each in found if each.title == title and each.is_pull_request)

    def withdraw(self, repository: Repository, number: int, reason: str) -> None:
        """Close a pull request of one's own, saying why."""
        with _explained(self.page(repository), "close a pull request"):
            self._api.change_discussion_status(
                repository.id, number, "closed", comment=reason, repo_type=repository.type
            )

    def _commit(self, parcel: Parcel, **settings: Any) -> Any:
        import huggingface_hub

        operations: list[Any] = [huggingface_hub.CommitOperationAdd(each.path, each.data) for each in parcel.files]
        operations += [huggingface_hub.CommitOperationDelete(path, is_folder=False) for path in parcel.removed]
        with _explained(self.page(parcel.repository), "write", writes=True):
            return self._api.create_commit(
                parcel.repository.id,
                operations,
                commit_message=parcel.message,
                commit_description=parcel.description,
                repo_type=parcel.repository.type,
                **settings,
            )


def is_signed_in() -> bool:
    """Whether there is a token here, whatever it is worth."""
    from huggingface_hub import get_token

    return bool(get_token())


def is_offline() -> bool:
    """Whether the Hub is switched off here (HF_HUB_OFFLINE)."""
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)


def without_tokens(text: str) -> str:
    """`text` on one line, with everything that looks like a token of the Hub taken out."""
    from huggingface_hub import get_token

    own = get_token()
    plain = " ".join(text.split())
    if own:
        plain = plain.replace(own, "(token)")
    return _TOKEN.sub("(token)", plain)


def _quoted(error: BaseException) -> str:
    """What an error of the client says, shortened."""
    return cut(without_tokens(str(getattr(error, "server_message", None) or error)), _LONGEST_WORDS)


def refuse_tokens(contents: Iterable[Content]) -> None:
    """InputError naming the text file that holds what looks like a token of the Hub, or an address with a password."""
    for each in contents:
        text = b"" if each.path.endswith(_NO_TEXT) else each.read()
        if _SECRET.search(text):
            raise InputError(f"{each.path}: holds what looks like a token of the Hub. Take it out, and revoke it.")
        if each.path.endswith(".yaml") and _PASSWORD.search(text):
            raise InputError(f"{each.path}: holds an address with a user and a password. It is not sent.")


def _remote_file(told: Any) -> RemoteFile:
    return RemoteFile(int(told.size), str(told.blob_id), str(told.lfs.sha256) if told.lfs else None)


@contextmanager
def _explained(page: str, doing: str, *, writes: bool = False) -> Iterator[None]:
    """Turns what the client raises into a MuseError about `page`; tokens never come along.

    Where the Hub is silent for a while, a line on standard error says what is being waited for.
    """
    waiting = threading.Timer(TOLD_AFTER_S, _tell, [f"waiting for {page} (to {doing}) ..."])
    waiting.daemon = True
    waiting.start()
    try:
        yield
    except MuseError:
        raise
    except Exception as error:
        known = _known_fault(error)
        if isinstance(error, json.JSONDecodeError):
            raise NotNowError(f"{page}: what answers is no Hub (a proxy, a sign-in page?). Look at it.") from None
        if isinstance(error, ValueError) and not isinstance(error, OSError):
            raise InputError(f"{page}: the Hub refused to {doing} ({_quoted(error)}).") from None
        if known is not None:
            raise _fault(page, doing, known, writes=writes) from None
        if isinstance(error, OSError):
            raise MuseError(f"{error.filename}: cannot be read ({error.strerror}).") from None
        raise
    finally:
        waiting.cancel()


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _known_fault(error: BaseException) -> BaseException | None:
    """The fault of the Hub or the network among an error and its causes; what the Hub said goes before the rest."""
    from huggingface_hub import errors

    chain: list[BaseException] = []
    while error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__ or error
    said = [each for each in chain if isinstance(each, (errors.HfHubHTTPError, errors.OfflineModeIsEnabled))]
    return next(iter(said), None) or next(filter(_is_of_the_network, chain), None)


def _is_of_the_network(error: BaseException) -> bool:
    """Whether no answer came: errors of the HTTP clients, and of the system where they name no file of this machine."""
    module = type(error).__module__.partition(".")[0]
    return module.startswith(_CLIENTS) or (isinstance(error, OSError) and error.filename is None)


def _fault(page: str, doing: str, error: BaseException, *, writes: bool) -> MuseError:
    from huggingface_hub import errors

    if isinstance(error, errors.OfflineModeIsEnabled):
        return NotNowError(f"{page}: the Hub is switched off here (HF_HUB_OFFLINE is set).")
    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, errors.GatedRepoError):
        return InputError(
            f"{page}: asks for its terms to be accepted. Open the page, accept, run `hf auth login`, then this again."
        )
    if status in _REFUSALS:
        return _REFUSALS[status](page, doing, error)
    if status is not None and status < 500:
        return InputError(f"{page}: the Hub refused to {doing} ({status}: {_quoted(error)}).")
    if status is not None:
        return NotNowError(f"{page}: the Hub failed ({status}). Try again later.", is_passing=True)
    return NotNowError(
        f"{page}: the Hub cannot be reached ({type(error).__name__}: {_quoted(error) or 'no answer'}). "
        "Look at the connection, then try again.",
        is_passing=writes,
    )


def _unauthorised(page: str, doing: str, error: BaseException) -> MuseError:
    from huggingface_hub import errors

    if isinstance(error, errors.RepositoryNotFoundError) and doing == "read":
        return _missing(page, doing, error)
    return InputError(f"{page}: your token is missing or no longer valid. Run `hf auth login`, then this again.")


def _forbidden(page: str, doing: str, _: BaseException) -> MuseError:
    return InputError(
        f"{page}: your token may not {doing} there. Use a token with write access of a member of the organisation "
        "(`hf auth login`), or another place (--to)."
    )


def _missing(page: str, _: str, error: BaseException) -> MuseError:
    from huggingface_hub import errors

    if isinstance(error, errors.RevisionNotFoundError):
        return InputError(f"{page}: has no such revision.")
    return MissingRepositoryError(f"{page}: is not there, or your token may not see it. Correct the name, or sign in.")


def _conflict(page: str, _: str, __: BaseException) -> MuseError:
    return ConflictError(f"{page}: somebody else committed at the same time.")


def _limited(page: str, _: str, error: BaseException) -> MuseError:
    asked = _seconds(getattr(error, "response", None))
    told = f" for {asked:g} s" if asked else ""
    return NotNowError(f"{page}: the Hub asks to wait{told} (429: too many requests).", wait_s=asked)


_REFUSALS: dict[int, Callable[[str, str, BaseException], MuseError]] = {
    401: _unauthorised,
    403: _forbidden,
    404: _missing,
    409: _conflict,
    412: _conflict,
    429: _limited,
}


def _seconds(response: Any) -> float | None:
    """How long the Hub asks to wait: `Retry-After: 30`, or t of `RateLimit: "api";r=0;t=30`."""
    headers = getattr(response, "headers", {})
    limit = re.search(r"\bt=(\d+)", headers.get("RateLimit") or "")
    told = headers.get("Retry-After") or (limit[1] if limit else "")
    try:
        return max(0.0, float(told))
    except ValueError:
        return None
