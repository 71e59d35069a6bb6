"""The goldens: what the package gave before its code was rearranged, held against what it gives now.

    python tests/goldens/make.py --check [GROUP ...]        what differs, by name
    python tests/goldens/make.py [GROUP ...]                write stored/GROUP.json anew
    python tests/goldens/make.py --keep DIR [GROUP ...]     write the contents themselves, for `diff -r` with those
                                                            of another checkout

`stored/GROUP.json` holds a hash for every request key, answer that is read, file of a run, medium, table, figure, page
and help text, by its name. Rearranging code changes none of them. The rule: **a golden changes only in a commit of its
own that names the finding and counts the difference** ("Read `ts014` as refused: 1 of 3,731 cases").

Groups that hang on libraries outside (figures on matplotlib, decoded media on PyAV) say in `stored/made_with.json` with
which versions they were made; with other versions they are not compared.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [path for path in (str(HERE.parents[1]), str(HERE.parent)) if path not in sys.path]

from goldens import answers, commands, media, requests, runs  # noqa: E402

STORED = HERE / "stored"
MADE_WITH = STORED / "made_with.json"
Named = Iterable[tuple[str, str | bytes]]


class Group(NamedTuple):
    """Goldens that are made together: `make` gives names and contents, with a folder to work in."""

    make: Callable[[Path], Named]
    libraries: tuple[str, ...] = ()
    """What else the contents hang on."""
    is_slow: bool = False


GROUPS = {
    "answers": Group(lambda _: answers.cases()),
    "requests": Group(requests.planned),
    "requests_public": Group(requests.planned_public),
    "help": Group(commands.help_texts, ("python",)),
    "tasks": Group(commands.task_texts),
    "data": Group(commands.checked_data),
    "estimates": Group(commands.scored_files),
    "demo": Group(
        lambda folder: runs.demo(folder, "--sample", "stratified:16"), ("av", "soxr", "numpy", "scipy", "matplotlib")
    ),
    "after_demo": Group(runs.after_demo, ("av", "soxr", "numpy", "scipy", "matplotlib")),
    "demo_whole": Group(runs.demo, ("av", "soxr", "numpy", "scipy", "matplotlib"), is_slow=True),
    "media": Group(media.arriving, ("av", "soxr", "numpy", "pillow")),
    "media_more": Group(media.arriving_by_more_routes, ("av", "soxr", "numpy", "pillow"), is_slow=True),
    "tiny_omni": Group(media.tiny_omni, ("av", "soxr", "numpy", "pillow", "torch", "transformers"), is_slow=True),
    "replay": Group(lambda folder: runs.replay(folder, 250), ("numpy", "scipy")),
    "replay_16064": Group(lambda folder: runs.replay(folder, 4016), ("numpy", "scipy"), is_slow=True),
}
BEFORE = {"after_demo": "demo"}
"""Which group must have been made in the same folder."""


def make(name: str, folder: Path) -> dict[str, bytes]:
    """Contents of a group by name. The group works in a folder of its own below `folder`, or in that of `BEFORE`."""
    place = folder / BEFORE.get(name, name)
    place.mkdir(parents=True, exist_ok=True)
    surroundings = {"MUSEBENCH_DATA": str(place / "data"), "MUSEBENCH_CACHE": str(folder / "cache")}
    surroundings |= {"COLUMNS": "80", "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "NO_COLOR": "1"}
    before = {each: os.environ.get(each) for each in surroundings}
    os.environ.update(surroundings)
    try:
        made = [(each, without_folder(content, place)) for each, content in GROUPS[name].make(place)]
    finally:
        for each, value in before.items():
            os.environ.pop(each) if value is None else os.environ.update({each: value})
    contents = dict(made)
    assert len(contents) == len(made), f"{name}: two goldens of one name"
    return contents


def without_folder(content: str | bytes, folder: Path) -> bytes:
    """The content, the folder of the moment called by one name."""
    return (content.encode() if isinstance(content, str) else content).replace(str(folder).encode(), b"FOLDER")


def hashes(contents: dict[str, bytes]) -> dict[str, str]:
    """What is stored: the first 64 bits of each SHA-256."""
    return {name: hashlib.sha256(content).hexdigest()[:16] for name, content in sorted(contents.items())}


def stored(name: str) -> dict[str, str]:
    """The goldens of a group."""
    return json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))


def differences(made: dict[str, str], golden: dict[str, str]) -> list[str]:
    """A line for every name that is new, gone, or has another content."""
    told = []
    for name in sorted(made.keys() | golden.keys()):
        if made.get(name) != golden.get(name):
            how = "is gone" if name not in made else "is new" if name not in golden else "differs"
            told.append(f"{name}: {how}")
    return told


def versions_of(name: str) -> dict[str, str]:
    """Versions of the libraries that a group hangs on."""
    return {each: _version(each) for each in GROUPS[name].libraries}


def _version(library: str) -> str:
    if library == "python":
        return f"{sys.version_info.major}.{sys.version_info.minor}"
    try:
        return version(library)
    except PackageNotFoundError:
        return "missing"


def other_versions(name: str) -> str:
    """Which libraries a group was made with in other versions than are here; "" if none."""
    made_with = json.loads(MADE_WITH.read_text(encoding="utf-8")).get(name, {})
    here = versions_of(name)
    return ", ".join(
        f"{each} {made_with[each]} (here {here[each]})" for each in made_with if made_with[each] != here[each]
    )


def store(name: str, made: dict[str, str]) -> None:
    """Write the goldens of a group, and with what they were made."""
    STORED.mkdir(exist_ok=True)
    (STORED / f"{name}.json").write_text(json.dumps(made, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    made_with = json.loads(MADE_WITH.read_text(encoding="utf-8")) if MADE_WITH.exists() else {}
    made_with[name] = versions_of(name)
    MADE_WITH.write_text(json.dumps(made_with, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main() -> int:
    """Make groups and store, check or keep them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)} (default: all)")
    parser.add_argument("--check", action="store_true", help="store nothing, print what differs")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="store nothing, write contents there")
    options = parser.parse_args()
    asked = options.groups or list(GROUPS)
    differing = 0
    with tempfile.TemporaryDirectory() as scratch:
        made_here: set[str] = set()
        for name in asked:
            if name in BEFORE and BEFORE[name] not in made_here:
                make(BEFORE[name], Path(scratch))
            contents = make(name, Path(scratch))
            made_here.add(name)
            if options.keep:
                keep(options.keep / name, contents)
            elif options.check:
                told = differences(hashes(contents), stored(name))
                differing += len(told)
                print(f"{name}: {len(told)} of {len(contents)} differ", *told, sep="\n  ")
            else:
                store(name, hashes(contents))
                print(f"{name}: {len(contents)} stored")
    return 1 if differing else 0


def keep(folder: Path, contents: dict[str, bytes]) -> None:
    """Write contents as files."""
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
