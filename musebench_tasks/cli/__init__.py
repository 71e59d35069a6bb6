"""The command `musebench`: one file a verb; each calls the api or one room and prints."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.text import lines_of, nearest
from musebench_tasks.version import __version__

VERBS = {
    "run": "run",
    "score": "score",
    "report": "report",
    "compare": "compare",
    "cards": "cards",
    "tasks": "tasks",
    "data": "data",
    "models": "models",
    "ping": "ping",
    "metrics": "metrics",
    "validate": "validate",
    "verify": "verify",
    "submit": "submit",
    "leaderboard": "leaderboard",
    "import": "import_logs",
    "export": "export",
}
"""Every verb and its module in this room."""

INTERRUPTED = {
    "run": "What was answered is kept; give the same command again to go on.",
    "": "Give the same command again.",
}
"""By verb, what became of the work; "" for those that begin anew."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code: 0 complete, 1 failed, 2 wrong input, 3 coverage too low."""
    print_any_character()
    words = sys.argv[1:] if arguments is None else arguments
    parser = make_parser(words[:1])
    options = parser.parse_args(words)
    if options.verb is None:
        parser.print_help()
        return 0
    try:
        return int(module_of(options.verb).main(options))
    except MuseError as problem:
        print(f"musebench{_which()}: {lines_of(problem)}", file=sys.stderr)
        return problem.exit_code
    except KeyboardInterrupt:
        if not _which():
            print(f"musebench: interrupted. {INTERRUPTED.get(options.verb, INTERRUPTED[''])}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        _print_no_more()
        return 1
    except OSError as problem:
        if problem.filename is not None:
            raise
        _print_no_more()
        print(f"musebench: the output cannot be written ({problem.strerror}).", file=sys.stderr)
        return 1


def _which() -> str:
    """Which of several processes that a launcher started speaks; "" for the first, which speaks for all."""
    from musebench_tasks.inference.ranks import own_rank

    return f" (rank {own_rank()})" if own_rank() else ""


def _print_no_more() -> None:
    """What is still to be flushed goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_any_character() -> None:
    """Let a terminal or pipe whose encoding lacks a character get a question mark instead of a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class CommandParser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse does it, but the command that does not know an argument says so itself, with the nearest flag."""
        flags = [flag for flag in self._option_string_actions if flag.startswith("--")]
        if self._subparsers is None:
            # Told before what is missing: a required flag may be misspelled.
            self._refuse([each for each in args or () if _is_flag_of_none(each, flags)], flags)
        found, unknown = super().parse_known_args(args, namespace)
        self._refuse(unknown, flags)
        return found, unknown

    def _refuse(self, unknown: Sequence[str], flags: Sequence[str]) -> None:
        hints = [nearest(each.partition("=")[0], flags) if each.startswith("-") else "" for each in unknown]
        if unknown:
            self.error(f"unknown: {', '.join(map(str.__add__, unknown, hints))}")

    def error(self, message: str) -> NoReturn:
        """Print the message and where help is, and exit with 2."""
        self.exit(InputError.exit_code, f"musebench: {lines_of(message)}. See `{self.prog} --help`.\n")


def _is_flag_of_none(argument: str, flags: Sequence[str]) -> bool:
    """Whether `argument` looks like a flag and is none of `flags`, nor the beginning of one."""
    name = argument.partition("=")[0]
    return re.fullmatch(r"--[A-Za-z][\w-]*", name) is not None and not any(flag.startswith(name) for flag in flags)


def module_of(verb: str) -> Any:
    """The module that declares a verb's arguments and does it."""
    return import_module(f"musebench_tasks.cli.{VERBS[verb]}")


def make_parser(first: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The whole command line; where its `first` word is a verb, that of this verb alone, which starts sooner."""
    parser = CommandParser(
        prog="musebench",
        description="Measure whether multimodal models understand film, painting, stage, games and music.",
        epilog="Exit codes: 0 complete, 1 failed, 2 wrong input, 3 finished with coverage below the threshold.",
    )
    parser.add_argument("--version", action="version", version=f"musebench {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", title="commands")
    for name in VERBS.keys() & first or VERBS:
        verb = module_of(name)
        help_text = str(verb.__doc__).splitlines()[0]
        verb.add_arguments(verbs.add_parser(name, help=help_text, description=help_text))
    return parser
