"""List the systems that can be asked, and try checkpoints out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from musebench_tasks.models.smoke import Trial

SMOKE = "put a generated film with sound through tiny models, or a checkpoint: does it arrive, does it matter?"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench models` takes."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verbs.add_parser("list", help="model specs, what they are, what they need")
    smoke = verbs.add_parser("smoke", help=SMOKE, description=f"{SMOKE[0].upper()}{SMOKE[1:]}")
    smoke.epilog = "Exit codes: 0 all is well, 1 something is not, 2 wrong input."
    smoke.add_argument("families", nargs="*", metavar="FAMILY", help="tiny models to build and try (default: all)")
    smoke.add_argument(
        "--model", action="append", default=[], metavar="MODEL", help="a checkpoint to try: transformers:… or a card"
    )


def main(options: argparse.Namespace) -> int:
    """Print the model specs, or what came of trying."""
    return _list() if options.action == "list" else _smoke(options.families, options.model)


def _list() -> int:
    from musebench_tasks.models import list_models

    entries = list_models()
    width = max(len(entry.spec) for entry in entries)
    for entry in entries:
        needs = f"  (needs {entry.needs})" if entry.needs else ""
        print(f"{entry.spec:<{width}}  {entry.description}{needs}")
    return 0


def _smoke(families: list[str], specs: list[str]) -> int:
    from musebench_tasks.cli.smoke_report import print_trials
    from musebench_tasks.models.smoke import try_family, try_model
    from musebench_tasks.models.tiny import TINY_FAMILIES

    chosen = families or ([] if specs else list(TINY_FAMILIES))
    trials: list[Trial] = []
    with _telling() as tell:
        for names, attempt in ((chosen, try_family), (specs, try_model)):
            for name in names:
                tell(name)
                trials.append(attempt(name))
    print_trials(trials)
    return 0 if all(trial.is_fine for trial in trials) else 1


@contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """Shows what is being tried while somebody looks."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda name: status.update(f"trying {name}")
