"""Sends a parcel so that it arrives whole or not at all, once, whatever the Hub answers.

A commit is made upon the head that was read (`parent_commit`); where somebody was faster, or the Hub failed in a way
that leaves open whether it committed, the head is read again and compared before anything is sent a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import sleep
from typing import NamedTuple

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.hub.connection import ConflictError, Hub, NotNowError
from musebench_tasks.hub.parcel import EMPTY, HubState, Parcel, Repository, parcel_lines

TRIES = 5
SHORT_WAIT_S = 2.0
LONGEST_WAIT_S = 60.0
"""A Hub that asks for more is left alone: what was to be sent waits in the queue."""

AS_NEW = "Shown as for a repository that is not there yet."

Make = Callable[[HubState], Parcel]
"""From what lies there now to what should."""


class PushedFiles(NamedTuple):
    """What lies on the Hub now."""

    commit: str
    page: str
    """Of the repository, or of the pull request."""
    is_new: bool
    """False where all of it lay there before."""
    number: int | None = None
    """Of the pull request."""


def publish(hub: Hub, repository: Repository, make: Make, *, private: bool = False) -> PushedFiles:
    """Bring `main` of a repository to what `make` wants; the repository is made where there is none.

    Raises InputError where `private` is asked of one that anybody may see, NotNowError where the Hub cannot be had,
    ConflictError where others commit faster all the time.
    """
    sent = False
    for last in _tries():
        try:
            state = _existing(hub, repository, private)
            missing = make(state).changes(state)
            if missing.is_empty:
                return PushedFiles(str(state.commit), hub.page(repository), sent)
            sent = True
            made = hub.commit(missing, state.commit)
            made = _keep_what_came_between(hub, repository, make, made, state)
            now = hub.state(repository, made)
            if make(now).changes(now).is_empty:
                return PushedFiles(made, hub.page(repository), True)
        except (ConflictError, NotNowError) as fault:
            _wait_or_give_up(fault, last)
    raise MuseError(
        f"{hub.page(repository)}: what was sent is not what lies there after {TRIES} tries. Look at its commits, then "
        "give the same command again."
    )


def asked(hub: Hub | None, repository: Repository) -> tuple[HubState, str]:
    """What lies in a repository; where the Hub is not to be asked (None) or out of reach nothing, and why."""
    if hub is None:
        return EMPTY, f"The Hub was not asked. {AS_NEW}"
    try:
        return hub.state_or_empty(repository), ""
    except NotNowError as fault:
        return EMPTY, f"{fault.text} {AS_NEW}"


def preview_lines(
    hub: Hub | None, repository: Repository, found: tuple[HubState, str], make: Make, *, private: bool
) -> Iterator[str]:
    """What `publish` would send to what was `found` there (`asked`), without sending anything."""
    state, note = found
    where = hub.page(repository) if hub is not None else repository.page
    _require_private(where, state, private)
    parcel = make(state)
    made = "" if state.commit else f", which would be made, {'private' if private else 'public'}"
    yield f"would be sent to {where}{made}"
    if note:
        yield f"({note})"
    yield from parcel_lines(parcel, state)
    if parcel.changes(state).is_empty:
        yield "all of it lies there already: nothing would be sent"


def propose(hub: Hub, parcel: Parcel, content: Parcel | None = None) -> PushedFiles:
    """One pull request that holds the parcel; one that is open with the same content is found again, not repeated.

    Where two send the same at once, the pull request that was opened first stays and the other is closed again.
    `content`: the part of the parcel that decides what is the same (None = all of it).
    """
    repository, content = parcel.repository, content or parcel
    for last in _tries():
        try:
            state = hub.state(repository)
            if content.changes(state).is_empty:
                return PushedFiles(str(state.commit), hub.page(repository), False)
            found = _open_proposal(hub, content)
            if found is not None:
                return found
            page, number = hub.propose(parcel)
            proposed = hub.state(repository, f"refs/pr/{number}")
            if not parcel.changes(proposed).is_empty:
                raise MuseError(f"{page}: does not hold what was sent. Close it, and give the same command again.")
            first = _open_proposal(hub, content)
            if first is not None and first.number is not None and first.number < number:
                hub.withdraw(repository, number, f"The same as #{first.number}, which was opened at the same time.")
                return first
            return PushedFiles(str(proposed.commit), page, True, number)
        except (ConflictError, NotNowError) as fault:
            _wait_or_give_up(fault, last)
    raise AssertionError


def _existing(hub: Hub, repository: Repository, private: bool) -> HubState:
    state = hub.state_or_empty(repository)
    if state is EMPTY:
        hub.create(repository, private=private)
        state = hub.state(repository)
    _require_private(hub.page(repository), state, private)
    return state


def _require_private(page: str, state: HubState, private: bool) -> None:
    """InputError where something is to stay private and would be seen by all."""
    if private and not state.is_private:
        raise InputError(
            f"{page}: is there and public, and --private counts only where a repository is made. Make it private on "
            "its page first, or leave --private out."
        )


def _keep_what_came_between(hub: Hub, repository: Repository, make: Make, made: str, before: HubState) -> str:
    """The commit that holds everything: `made`, or one after it.

    A Hub may take a commit though its parent is no longer the head: what came between is merged in after all.
    """
    parent = hub.parent_of(repository, made)
    if parent is None or parent == before.commit:
        return made
    wanted = make(hub.state(repository, parent))
    now = hub.state(repository)
    missing = wanted.changes(now)
    return made if missing.is_empty else hub.commit(missing, now.commit)


def _open_proposal(hub: Hub, parcel: Parcel) -> PushedFiles | None:
    """The oldest open pull request that holds the parcel."""
    repository = parcel.repository
    for number in hub.proposals(repository, parcel.message):
        proposed = hub.state(repository, f"refs/pr/{number}")
        if parcel.changes(proposed).is_empty:
            page = f"{hub.page(repository)}/discussions/{number}"
            return PushedFiles(str(proposed.commit), page, False, number)
    return None


def _tries() -> Iterator[bool]:
    """TRIES times whether this is the last one."""
    yield from (number == TRIES - 1 for number in range(TRIES))


def _wait_or_give_up(fault: ConflictError | NotNowError, last: bool) -> None:
    """Wait as long as the Hub asks; raise where that is too long, or where it was the last try."""
    if last or _is_hopeless(fault):
        raise fault
    asked = fault.wait_s if isinstance(fault, NotNowError) else 0.0
    sleep(SHORT_WAIT_S if asked is None else asked)


def _is_hopeless(fault: ConflictError | NotNowError) -> bool:
    """A wait that is too long, or a Hub that is switched off or out of reach before anything was sent."""
    if isinstance(fault, ConflictError):
        return False
    return fault.wait_s > LONGEST_WAIT_S if fault.wait_s is not None else not fault.is_passing
