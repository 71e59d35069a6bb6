"""Builds the film demonstration: `python -m dataset_scripts.musebench.demo.build moviepy-2.2.1.tar.gz [--check]`.

The source distribution comes from `pip download --no-deps --no-binary moviepy moviepy==2.2.1`; the film's own file
(its SHA-256 is in manifest.json) does as well. `--check` cuts and encodes again, compares what the clips decode to
with the manifest, and writes nothing.
"""

import argparse
import hashlib
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from dataset_scripts.musebench.demo.plan import (
    FOLDER,
    Clip,
    Manifest,
    Source,
    make_rows,
    read_manifest,
    read_questions,
    write_manifest,
)
from musebench_tasks.assembly import default_card, write_repository
from musebench_tasks.assembly.video import clip_facts, cut_clip
from musebench_tasks.errors import InputError, MuseError
from musebench_tasks.resources import demo_directory

DATASET = "musebench"


def find_film(given: Path, source: Source, folder: Path) -> Path:
    """The film's file: `given` itself, or unpacked from the distribution into `folder`; checked by SHA-256."""
    film = given if given.suffix == ".mp4" else unpack_film(given, source, folder)
    found = file_sha256(film)
    if found != source.file_sha256:
        raise InputError(
            f"{given}: the film has SHA-256 {found}, not {source.file_sha256}. Take {source.distribution}."
        )
    return film


def unpack_film(distribution: Path, source: Source, folder: Path) -> Path:
    """The film out of the zip out of the source distribution."""
    with tarfile.open(distribution) as outer:
        name = next((each for each in outer.getnames() if each.endswith(source.archive)), None)
        packed = outer.extractfile(name) if name else None
        if packed is None:
            raise InputError(f"{distribution}: {source.archive} is not in it. Take {source.distribution}.")
        with zipfile.ZipFile(packed) as inner:
            return Path(inner.extract(source.member, folder))


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cut_clips(film: Path, manifest: Manifest) -> dict[str, bytes]:
    """Every clip's encoded bytes by its name."""
    return {clip.name: cut_clip(film, *manifest.window_s(clip), manifest.encoding) for clip in manifest.clips}


def describe(manifest: Manifest, media: dict[str, bytes]) -> Manifest:
    """The manifest with what its clips decode to."""
    clips = tuple(manifest.described(clip, media[clip.name], clip_facts(media[clip.name])) for clip in manifest.clips)
    return manifest.model_copy(update={"clips": clips})


def differences(before: Clip, after: Clip) -> list[str]:
    """The facts in which a rebuilt clip differs from the manifest; encoded size is no fact."""
    old, new = before.model_dump(exclude={"bytes"}), after.model_dump(exclude={"bytes"})
    old.update(old.pop("facts") or {})
    new.update(new.pop("facts") or {})
    return [
        f"{before.name}: {key} is {new[key]}, in the manifest {old.get(key)}" for key in new if new[key] != old.get(key)
    ]


def build(given: Path, *, check: bool) -> list[str]:
    """Build the demonstration, or only compare a rebuild with the manifest; returns what differs."""
    manifest = read_manifest()
    with tempfile.TemporaryDirectory() as folder:
        media = cut_clips(find_film(given, manifest.source, Path(folder)), manifest)
    described = describe(manifest, media)
    if check:
        pairs = zip(manifest.clips, described.clips, strict=True)
        return [line for before, after in pairs for line in differences(before, after)]
    rows = make_rows(described, read_questions(), media)
    card = default_card(DATASET, rows, demonstration=True)
    write_repository(demo_directory(DATASET), DATASET, rows, card, FOLDER.parent / "eval.yaml")
    write_manifest(described)
    return []


def main() -> int:
    """Read the arguments, build or check, and say what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="moviepy-2.2.1.tar.gz, or the film's .mp4")
    parser.add_argument("--check", action="store_true", help="compare a rebuild with the manifest, write nothing")
    arguments = parser.parse_args()
    try:
        lines = build(arguments.source, check=arguments.check)
    except MuseError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print("\n".join(lines) if lines else "as in the manifest" if arguments.check else "built")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
