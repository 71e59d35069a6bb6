"""Hand a run in: one pull request to a repository of submissions, scores to the model's page if asked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.cli.push import looking_hub, refuse_beside_pending, send_or_show

if TYPE_CHECKING:
    from musebench_tasks.hub.pending import Waiting
    from musebench_tasks.submissions.handover import Handover

AGAIN = "musebench submit --pending"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench submit` takes."""
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN", help="a run, or one MODEL/TASK folder of it")
    parser.add_argument("--to", metavar="ORG/REPO", help="the dataset repository that gathers submissions")
    parser.add_argument("--notes", default="", metavar="TEXT", help="what should be known of the run")
    parser.add_argument("--submitter", metavar="NAME", help="who hands it in (the name of your token's owner)")
    parser.add_argument("--model-repo", metavar="ORG/MODEL", help="also propose the scores for this model's page")
    parser.add_argument("--dataset", metavar="ORG/NAME", help="the dataset on the Hub that those scores are of")
    parser.add_argument("--dry-run", action="store_true", help="show exactly what would be sent, send nothing")
    parser.add_argument("--offline", action="store_true", help="score with the cache alone; keep it for later")
    parser.add_argument("--pending", action="store_true", help="send what could not be sent before")


def main(options: argparse.Namespace) -> int:
    """Validate, score and hand in; or send what waits."""
    from musebench_tasks.base.errors import InputError
    from musebench_tasks.submissions.handover import prepare_submission

    if options.pending:
        refuse_beside_pending(
            {
                "RUN": options.run,
                "--to": options.to,
                "--notes": options.notes,
                "--submitter": options.submitter,
                "--model-repo": options.model_repo,
                "--dataset": options.dataset,
                "--offline": options.offline,
            }
        )
        return send_or_show("submission", options.dry_run, _send_waiting, _show_waiting)
    if options.run is None or options.to is None:
        raise InputError("Name a run and where it goes: musebench submit RUN --to ORG/REPO.")
    if options.dataset and not options.model_repo:
        raise InputError("--dataset tells what the scores on a model's page are of: give --model-repo too.")
    handover = prepare_submission(
        options.run,
        options.to,
        notes=options.notes,
        submitter=options.submitter,
        model=options.model_repo,
        dataset=options.dataset,
        offline=options.offline,
    )
    if options.dry_run:
        print(_shown(handover, options.offline))
    elif options.offline:
        print(_kept(handover))
    else:
        _send(handover)
    return 0


def _send(handover: Handover) -> None:
    from musebench_tasks.hub.connection import Hub
    from musebench_tasks.hub.pending import or_keep
    from musebench_tasks.submissions.handover import send

    def go() -> None:
        for what, published in send(Hub(), handover):
            print(f"{what}: {_told(published.page, published.is_new)}")

    or_keep(go, "submission", handover.words, handover.details(), AGAIN)


def _kept(handover: Handover) -> str:
    """Put a submission into the queue: a sentence that says so."""
    from musebench_tasks.hub.pending import keep, waits

    keep("submission", handover.words, handover.details())
    return waits(handover.words, AGAIN)


def _told(page: str, is_new: bool) -> str:
    return page if is_new else f"{page} holds it already"


def _shown(handover: Handover, offline: bool) -> str:
    from musebench_tasks.hub.connection import NotNowError
    from musebench_tasks.submissions.handover import preview

    hub = None if offline else looking_hub()
    note = "The Hub was not asked." if hub is None else ""
    try:
        lines = list(preview(hub, handover))
    except NotNowError as fault:
        note, lines = fault.text, list(preview(None, handover))
    first, *rest = lines
    return "\n".join([first, *([f"({note} Shown as for a repository without it.)"] if note else []), *rest])


def _waiting(entry: Waiting) -> Handover:
    from musebench_tasks.hub.pending import understood
    from musebench_tasks.submissions.handover import from_details

    with understood(entry):
        return from_details(entry.details)


def _send_waiting(entry: Waiting) -> str:
    from musebench_tasks.hub.connection import Hub
    from musebench_tasks.submissions.handover import send

    sent = send(Hub(), _waiting(entry))
    return ", ".join([_told(published.page, published.is_new) for _, published in sent])


def _show_waiting(entry: Waiting) -> str:
    return _shown(_waiting(entry), offline=False)
