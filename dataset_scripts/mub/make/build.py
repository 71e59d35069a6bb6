"""Builds mub_demo: `python -m dataset_scripts.mub.make.build --soundfont FluidR3_GM.sf2 [--check]`.

Needs music21 (its corpus), tinysoundfont (`pip install --no-deps tinysoundfont`) and the soundfont of Debian's package
fluid-soundfont-gm (`apt-get download fluid-soundfont-gm && dpkg-deb -x *.deb DIRECTORY`). With --check nothing is
written: the recordings are rendered again and their decoded samples compared with the manifest. Other recordings by the
same rules: `--seed 7 --count 300 --out DIRECTORY` makes a dataset there, with its manifest in it.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from dataset_scripts.mub.make.arrange import arrange
from dataset_scripts.mub.make.plan import COUNT, SEED, TAIL_S, Planned, plan
from dataset_scripts.mub.make.render import RATE, file_sha256, render
from dataset_scripts.mub.make.score import Recording, section_spans
from dataset_scripts.mub.make.truth import BIT_RATE, LICENSE, SOUNDFONT, VERSION, Made, licence_line, made, manifest
from dataset_scripts.mub.make.tunes import Tune
from musebench_tasks.assembly import default_card, encode_opus, write_repository
from musebench_tasks.base.resources import demo_directory

__all__ = ["BIT_RATE", "LICENSE", "MANIFEST", "REPOSITORY", "SOUNDFONT", "VERSION", "Rendering", "main", "renderings"]
FOLDER = Path(__file__).parent
REPOSITORY = demo_directory("mub")
MANIFEST = FOLDER / "manifest.json"


class Rendering(NamedTuple):
    """A recording with all it follows from, and its samples."""

    id: str
    recording: Recording
    tune: Tune
    bpm: str
    samples: Any


def check_soundfont(path: Path) -> None:
    """Refuse a soundfont that is not the one of the manifest."""
    found = file_sha256(path) if path.is_file() else "no such file"
    if found != SOUNDFONT["sha256"]:
        raise SystemExit(f"{path}: sha256 {found}, expected {SOUNDFONT['sha256']}. Use {SOUNDFONT['package']}.")


def rendered(planned: Planned, soundfont: Path) -> Rendering:
    """A planned recording with its sound."""
    seconds = section_spans(planned.recording, planned.tune, planned.bpm)[-1].end_s + TAIL_S
    return Rendering(*planned, render(arrange(planned.recording, planned.tune, planned.bpm), seconds, soundfont))


def renderings(soundfont: Path, seed: int = SEED, count: int = COUNT) -> Iterator[Rendering]:
    """Render the recordings of a plan, one after the other."""
    check_soundfont(soundfont)
    for planned in plan(seed, count):
        yield rendered(planned, soundfont)


def build_one(planned: Planned, soundfont: Path) -> Made:
    """Row and manifest entry of a recording."""
    return made(planned, encode_opus(rendered(planned, soundfont).samples, RATE, BIT_RATE))


def build_all(recordings: Sequence[Planned], soundfont: Path, processes: int) -> Iterator[Made]:
    """Rows and manifest entries in the order of the plan, made by so many processes."""
    make = partial(build_one, soundfont=soundfont)
    if processes == 1:
        yield from map(make, recordings)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(make, recordings)


def manifest_text(content: dict[str, Any]) -> str:
    """A manifest as JSON with each list of numbers on one line."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    return re.sub(r"\[[\s\d.,]+\]", lambda found: "[" + " ".join(found[0][1:-1].split()) + "]", text) + "\n"


def compared(items: Sequence[dict[str, Any]], stored: Sequence[dict[str, Any]]) -> list[str]:
    """Ids whose sound or truth differs, or that only one of the two has."""
    here, there = ({item["id"]: json.loads(json.dumps(item)) for item in each} for each in (items, stored))
    return sorted(each for each in here.keys() | there.keys() if here.get(each) != there.get(each))


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the demo or further recordings, or check that the demo can be built again."""
    parser = argparse.ArgumentParser(description="Build mub_demo, or check that it can be built again.")
    parser.add_argument("--soundfont", type=Path, default=Path("/usr/share/sounds/sf2") / SOUNDFONT["name"])
    parser.add_argument(
        "--check", action="store_true", help="render again and compare with the manifest; write nothing"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="another seed deals other recordings (needs --out)")
    parser.add_argument("--count", type=int, default=COUNT, help="how many recordings (other than 48 needs --out)")
    parser.add_argument("--out", type=Path, help="directory of the dataset; its manifest is written into it")
    parser.add_argument("--licences", action="store_true", help="print the lines of DATA_LICENSES.md; write nothing")
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args(arguments)
    if chosen.out is None and (chosen.seed, chosen.count) != (SEED, COUNT):
        parser.error(f"mub_demo is seed {SEED} and {COUNT} recordings: name another directory with --out")
    if chosen.licences:
        print(*map(licence_line, json.loads(MANIFEST.read_text(encoding="utf-8"))["items"]), sep="\n")
        return 0
    check_soundfont(chosen.soundfont)
    built = []
    recordings = plan(chosen.seed, chosen.count)
    for each in build_all(recordings, chosen.soundfont, chosen.processes):
        built.append(each)
        if len(built) % 24 == 0:
            print(f"{len(built)} of {len(recordings)} recordings", flush=True)
    repository, manifest_path = (chosen.out, chosen.out / "manifest.json") if chosen.out else (REPOSITORY, MANIFEST)
    items = [each.item for each in built]
    if chosen.check:
        differing = compared(items, json.loads(manifest_path.read_text(encoding="utf-8"))["items"])
        print(f"{len(items) - len(differing)} of {len(items)} recordings alike", *differing)
        return 1 if differing else 0
    rows = [each.row for each in built]
    write_repository(repository, "mub", rows, default_card("mub", rows, demonstration=True))
    manifest_path.write_text(manifest_text(manifest(items, chosen.seed)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
