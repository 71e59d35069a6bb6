"""Hand a run in: one pull request to a repository of submissions, scores to the model's page if asked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.cli.push import send_or_list

if TYPE_CHECKING:
    from musebench_tasks.api.publishing import Handover
    from musebench_tasks.hub.pending import Waiting

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
    from musebench_tasks.api.publishing import prepare_submission
    from musebench_tasks.errors import InputError

    if options.pending:
        return _pending(options.dry_run)
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
    return _preview(handover, options.offline) if options.dry_run else _send(handover, options.offline)


def _send(handover: Handover, offline: bool) -> int:
    from musebench_tasks.api.publishing import send
    from musebench_tasks.hub.connection import Hub, NotNowError
    from musebench_tasks.hub.pending import or_keep

    def go() -> None:
        if offline:
            raise NotNowError("Nothing is sent with --offline.")
        for what, published in send(Hub(), handover):
            print(f"{what}: {_told(published.page, published.is_new)}")

    or_keep(go, "submission", handover.words, handover.details(), AGAIN)
    return 0


def _told(page: str, is_new: bool) -> str:
    return page if is_new else f"{page} holds it already"


def _preview(handover: Handover, offline: bool) -> int:
    from musebench_tasks.api.publishing import preview
    from musebench_tasks.hub.connection import Hub, NotNowError, is_offline

    try:
        lines = list(preview(None if offline or is_offline() else Hub(), handover))
    except NotNowError as fault:
        lines = [f"({fault} Shown as for a repository without it.)", *preview(None, handover)]
    print("\n".join(lines))
    return 0


def _pending(dry_run: bool) -> int:
    from musebench_tasks.api.publishing import from_details, send
    from musebench_tasks.hub.connection import Hub
    from musebench_tasks.hub.pending import understood

    def go(entry: Waiting) -> str:
        with understood(entry):
            handover = from_details(entry.details)
        sent = list(send(Hub(), handover))
        return ", ".join(_told(published.page, published.is_new) for _, published in sent)

    return send_or_list("submission", dry_run, go)
