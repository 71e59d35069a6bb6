"""Find out what of pictures and sound really arrives at a chat-completions server."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.base.text import one_line
from musebench_tasks.cli.arguments import positive, seconds

if TYPE_CHECKING:
    from musebench_tasks.models.ping import Ping, Target
    from musebench_tasks.models.ping.ping import Listener

MOST_PICTURES = 256
LONGEST_S = 1800
EPILOG = (
    "Exit codes: 0 all arrives, 1 nobody answers, 2 wrong input, 3 warnings: scores would be others than the model "
    "deserves, or one of several addresses does not answer."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench ping` takes."""
    parser.epilog = EPILOG
    parser.add_argument("server", metavar="URL|MODEL", help="an address, openai:MODEL@URL[,URL…], or a model card")
    parser.add_argument(
        "model", nargs="?", metavar="NAME", help="the server's name of the model (default: its only one)"
    )
    parser.add_argument("--frames", type=positive, default=32, metavar="N", help="pictures sent at most (default: 32)")
    parser.add_argument(
        "--seconds", type=positive, default=60, metavar="N", help="seconds of sound sent at most (default: 60)"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=120.0, metavar="SECONDS", help="time for one answer (default: 120)"
    )
    parser.add_argument("--json", action="store_true", help="print all that was measured as JSON")


def main(options: argparse.Namespace) -> int:
    """Ping every address; 3 where anything would change scores."""
    from musebench_tasks.models.ping import read_target

    if options.frames > MOST_PICTURES or options.seconds > LONGEST_S:
        raise InputError(f"A probe holds at most {MOST_PICTURES} pictures and {LONGEST_S} s of sound.")
    target = read_target(options.server, options.model)
    try:
        found = {url: _ping_or_why_not(target, url, options) for url in target.urls}
    except KeyboardInterrupt:
        print("musebench: interrupted.", file=sys.stderr)
        return 1
    if options.json:
        _print_json(found)
    silent = [url for url, each in found.items() if isinstance(each, str)]
    if silent and len(found) > 1:
        print(f"musebench: {len(silent)} of {len(found)} addresses do not answer: {', '.join(silent)}", file=sys.stderr)
    if len(silent) == len(found):
        return 1
    return 0 if all(not isinstance(each, str) and each.is_fine for each in found.values()) else 3


def _ping_or_why_not(target: Target, url: str, options: argparse.Namespace) -> Ping | str:
    """What was found out about one address, or why nothing could be; it is told at once."""
    from musebench_tasks.cli.ping_report import print_ping

    try:
        found = _ping(target, url, options)
    except ModelUnusableError as problem:
        told = one_line(problem)
        print(f"musebench: {told}", file=sys.stderr)
        return told
    if not options.json:
        print_ping(found)
    return found


def _ping(target: Target, url: str, options: argparse.Namespace) -> Ping:
    from musebench_tasks.models.ping import ping

    with _listener(quiet=options.json) as listen:
        return ping(
            target,
            url,
            frames=options.frames,
            seconds=options.seconds,
            timeout_s=options.timeout,
            seed=secrets.randbelow(1 << 30),
            listen=listen,
        )


def _print_json(found: Mapping[str, Ping | str]) -> None:
    """One entry an address; of one that does not answer, why."""
    told = [
        {"is_fine": False, "address": url, "error": each}
        if isinstance(each, str)
        else {"is_fine": each.is_fine, **each.model_dump(mode="json")}
        for url, each in found.items()
    ]
    print(json.dumps(told, ensure_ascii=False, indent=2))


@contextmanager
def _listener(*, quiet: bool) -> Iterator[Listener]:
    """Shows what is being asked while somebody looks."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda asked: status.update(f"asking: {asked}")
