"""Where the submissions of a board lie, and in which order they came: one rule for `build`, `validate` and `verify`."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import SUBMISSION_FILE, SUBMISSION_FILES, SUBMISSIONS_FOLDER
from musebench_tasks.inference.run_folder import RUN_FILE

_GIT_TIMEOUT_S = 60
_CONTENT = re.compile(r"[0-9a-f]{12}")
"""What the folder of a submission is called (`submission_path`)."""


@dataclass(frozen=True)
class Gathered:
    """What lies below a folder."""

    folders: tuple[Path, ...] = ()
    """The submissions, sorted."""
    strays: tuple[Problem, ...] = ()
    """Each file or link that belongs to none of them."""


def gathered(folder: Path) -> Gathered:
    """The submissions below `folder`, a board or any part of one; none where it is a submission itself, or no board.

    A submission is a folder with a submission.yaml, or one with a run.yaml where submissions lie. Hidden folders
    (version control, what is being written) are passed over; links are not followed.
    """
    found: list[Path] = []
    links: list[Path] = []
    for name, inner, files in os.walk(folder):
        here = Path(name)
        inner[:] = sorted(each for each in inner if not each.startswith("."))
        if SUBMISSION_FILE in files or (RUN_FILE in files and _is_placed(here, folder)):
            found.append(here)
        links += [here / each for each in inner if (here / each).is_symlink() and _is_inside(here, folder)]
    apart = sorted(each for each in found if not any(other != each and other.is_relative_to(each) for other in found))
    if apart == [folder]:
        return Gathered()
    strays = [problem for each in found if each not in apart for problem in _stray(each)]
    is_link = Problem("is a link, and links are not followed.", "Put the folder itself there.")
    return Gathered(tuple(apart), (*strays, *(is_link.at(place=str(each)) for each in links)))


def _is_inside(here: Path, folder: Path) -> bool:
    """Whether `here` lies below the `submissions/` of a board that `folder` is, or is that itself."""
    return SUBMISSIONS_FOLDER in (folder.absolute().name, *here.relative_to(folder).parts)


def _is_placed(here: Path, folder: Path) -> bool:
    """Whether submissions lie there: somewhere in the board that `folder` is, or at their own place in a part of it."""
    is_own_place = here.absolute().parts[-4:-3] == (SUBMISSIONS_FOLDER,) and _CONTENT.fullmatch(here.name) is not None
    return is_own_place or _is_inside(here, folder)


def _stray(folder: Path) -> Iterator[Problem]:
    """Files of a submission beside the folders of others."""
    for name in SUBMISSION_FILES:
        if (folder / name).is_file():
            advice = "Remove it, or move it into the folder of its own."
            yield Problem("lies beside submissions, in none of them.", advice, place=str(folder / name))


def seen_from(folder: Path, problem: Problem, submission: Path | None = None) -> Problem:
    """A problem with its place from the board's folder on; one of no place in `submission` is told as of it."""
    place, inside = Path(problem.place).absolute(), (submission or folder).absolute()
    if problem.place and place.is_relative_to(inside):
        return replace(problem, place=place.relative_to(folder.absolute()).as_posix())
    return Problem(problem.text, place=inside.relative_to(folder.absolute()).as_posix()) if submission else problem


def arrivals(folder: Path) -> Mapping[str, int]:
    """When each submission came into the repository that holds the board: its folder below `folder`, and a number.

    Smaller numbers came earlier; what came with one commit has one number. Of the main line only: what a branch held
    came when it was merged. Empty where there is no git, no repository, or only the last of its commits.
    """
    if _git(folder, "rev-parse", "--is-shallow-repository") != "false\n":
        return {}
    words = ("log", "--reverse", "--first-parent", "--diff-merges=first-parent", "--diff-filter=A", "--no-renames")
    listed = _git(folder, *words, "--name-only", "--relative", "--format=%x01", "--", ".") or ""
    found: dict[str, int] = {}
    for number, commit in enumerate(listed.split("\x01")):
        for path in filter(None, commit.splitlines()):
            if path.endswith(f"/{SUBMISSION_FILE}"):
                found.setdefault(path.removesuffix(f"/{SUBMISSION_FILE}"), number)
    return found


def _git(folder: Path, *words: str) -> str | None:
    """What git says; None where it cannot."""
    command = ["git", "-C", str(folder), "-c", "core.quotePath=off", *words]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_GIT_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None
