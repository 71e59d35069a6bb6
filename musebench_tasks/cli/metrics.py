"""Register the metrics with `evaluate`, for code that does not import musebench_tasks, or publish them as Spaces."""

from __future__ import annotations

import argparse

from musebench_tasks.cli.push import add_metrics_push, push_metrics


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `musebench metrics` takes."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    register = verbs.add_parser(
        "register", help='let evaluate.load("caa") find the metrics without importing musebench_tasks'
    )
    instead = register.add_mutually_exclusive_group()
    instead.add_argument("--check", action="store_true", help="change nothing; say how each metric stands")
    instead.add_argument("--remove", action="store_true", help="take the metrics out again")
    add_metrics_push(verbs)


def main(options: argparse.Namespace) -> int:
    """Register, check, remove or push; say what was done."""
    if options.action == "push":
        return push_metrics(options)
    if options.check:
        return _check()
    return _remove() if options.remove else _register()


def _register() -> int:
    from musebench_tasks.base.errors import MuseError
    from musebench_tasks.registration import modules_cache

    before = modules_cache.register()
    width = max(map(len, before))
    for name, state in before.items():
        was_there = state is modules_cache.CacheState.REGISTERED
        print(f"{name:<{width}}  {'registered before' if was_there else 'registered'}")
    print(f"in {modules_cache.cache_folder()}")
    if not modules_cache.is_importable():
        raise MuseError(
            "The metrics are registered, but Python finds musebench_tasks only from this folder. "
            "Install it (pip install musebench-tasks, or pip install -e . here), so that they can compute."
        )
    return 0


def _check() -> int:
    from musebench_tasks.base.errors import MuseError
    from musebench_tasks.registration import modules_cache

    states = modules_cache.states()
    width = max(map(len, states))
    for name, state in states.items():
        print(f"{name:<{width}}  {state}")
    print(f"in {modules_cache.cache_folder()}")
    wanting = [name for name, state in states.items() if state is not modules_cache.CacheState.REGISTERED]
    if wanting:
        raise MuseError(
            f"{len(wanting)} of {len(states)} are not registered as they are now. Run `musebench metrics register`."
        )
    return 0


def _remove() -> int:
    from musebench_tasks.registration import modules_cache

    removed = modules_cache.remove()
    print(f"removed {', '.join(removed)}" if removed else "nothing of musebench-tasks was registered")
    print(f"in {modules_cache.cache_folder()}")
    return 0
