"""List the systems that can be asked."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench models` takes."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verbs.add_parser("list", help="model specs, what they are, what they need")


def main(options: argparse.Namespace) -> int:
    """Print the model specs."""
    from musebench_tasks.models import list_models

    entries = list_models()
    width = max(len(entry.spec) for entry in entries)
    for entry in entries:
        needs = f"  (needs {entry.needs})" if entry.needs else ""
        print(f"{entry.spec:<{width}}  {entry.description}{needs}")
    return 0
