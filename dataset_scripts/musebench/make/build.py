"""Builds the demonstration: `python -m dataset_scripts.musebench.make.build DOWNLOADS [OPTION]`.

DOWNLOADS is a folder with the distributions that `sources` names. `--check` makes every clip again, compares what the
clips decode to with manifest.json, and writes nothing; `--only NAME …` does so for the named clips. `--questions` takes
the clips out of the built dataset and writes the rows anew.
"""

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from dataset_scripts.musebench.make.manifest import (
    Clip,
    FilmClip,
    Manifest,
    PictureClip,
    PictureSource,
    SceneClip,
    read_manifest,
    write_manifest,
)
from dataset_scripts.musebench.make.pictures import PAINTINGS, make_sound, moved_views, open_picture
from dataset_scripts.musebench.make.plan import make_rows, read_questions
from dataset_scripts.musebench.make.scenes import SCENES
from dataset_scripts.musebench.make.sources import check_sha256, find_film, read_picture
from musebench_tasks.assembly import default_card, write_repository
from musebench_tasks.assembly.video import clip_facts, cut_clip, encode_clip
from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.resources import demo_directory

DATASET = "musebench"


def make_clips(downloads: Path, manifest: Manifest, clips: Iterable[Clip]) -> Iterator[tuple[Clip, bytes]]:
    """Each of `clips` with its encoded bytes."""
    with tempfile.TemporaryDirectory() as folder:
        film: Path | None = None
        for clip in clips:
            if isinstance(clip, FilmClip):
                film = film or find_film(downloads, manifest.film, Path(folder))
                yield clip, cut_clip(film, *manifest.window_s(clip), manifest.encodings.film)
            elif isinstance(clip, PictureClip):
                yield clip, make_picture_clip(downloads, manifest, clip)
            else:
                yield clip, make_scene_clip(manifest, clip)


def make_picture_clip(downloads: Path, manifest: Manifest, clip: PictureClip) -> bytes:
    """The frames of the moving view and the sound of the layers, encoded."""
    encoding, rate = manifest.encodings.picture, manifest.picture_frame_rate
    picture = load_picture(downloads, manifest.picture(clip.picture))
    frames = moved_views(picture, clip.views, round(clip.duration_s * rate), rate, (encoding.width, encoding.height))
    sound = make_sound(clip.layers, clip.duration_s, manifest.picture_sample_rate, manifest.seed)
    return encode_clip(frames, rate, sound, manifest.picture_sample_rate, encoding)


def load_picture(downloads: Path, source: PictureSource) -> Any:
    """The picture's pixels (uint8, height x width x RGB), read or drawn."""
    if source.distribution is not None:
        return open_picture(read_picture(downloads, source))
    pixels = PAINTINGS[source.name]()
    check_sha256(f"picture {source.name}", hashlib.sha256(pixels.tobytes()), source.file_sha256)
    return pixels


def make_scene_clip(manifest: Manifest, clip: SceneClip) -> bytes:
    """A rendered scene, encoded."""
    scene = SCENES[clip.name].render()
    return encode_clip(scene.frames, scene.frame_rate, scene.samples, scene.sample_rate, manifest.encodings.scene)


def with_scenes(manifest: Manifest) -> Manifest:
    """The manifest with all scenes that there are, in their order, after the other clips."""
    others = tuple(clip for clip in manifest.clips if not isinstance(clip, SceneClip))
    scenes = tuple(
        SceneClip(name=name, category=each.category, duration_s=each.duration_s, frame_rate=each.frame_rate)
        for name, each in SCENES.items()
    )
    return manifest.model_copy(update={"clips": others + scenes})


def differences(before: Clip, after: Clip) -> list[str]:
    """The facts in which a rebuilt clip differs from the manifest; encoded size is no fact."""
    old, new = before.model_dump(exclude={"bytes"}), after.model_dump(exclude={"bytes"})
    old.update(old.pop("facts") or {})
    new.update(new.pop("facts") or {})
    return [
        f"{before.name}: {key} is {new[key]}, in the manifest {old.get(key)}" for key in new if new[key] != old.get(key)
    ]


def check(downloads: Path, only: Iterable[str]) -> list[str]:
    """In what a rebuild differs from the manifest; `only` these clips, or all."""
    manifest, names = read_manifest(), set(only)
    clips = [clip for clip in manifest.clips if not names or clip.name in names]
    made = make_clips(downloads, manifest, clips)
    return [
        line
        for clip, encoded in made
        for line in differences(clip, manifest.described(clip, encoded, clip_facts(encoded)))
    ]


def build(downloads: Path) -> None:
    """Make every clip, write the dataset repo and the manifest."""
    manifest = with_scenes(read_manifest())
    media = {clip.name: encoded for clip, encoded in make_clips(downloads, manifest, manifest.clips)}
    write(manifest, media)


def rebuild_questions() -> None:
    """Write the dataset repo anew from the questions and the clips that it holds."""
    manifest = read_manifest()
    cells = pq.read_table(demo_directory(DATASET) / "default", columns=["cluster_id", "video"]).to_pylist()
    built = {cell["cluster_id"]: cell["video"]["bytes"] for cell in cells}
    write(manifest, {clip.name: built[manifest.clip_id(clip)] for clip in manifest.clips})


def write(manifest: Manifest, media: Mapping[str, bytes]) -> None:
    """Write the dataset repo of the encoded clips, and the manifest with what they decode to."""
    clips = tuple(manifest.described(clip, media[clip.name], clip_facts(media[clip.name])) for clip in manifest.clips)
    described = manifest.model_copy(update={"clips": clips})
    rows = make_rows(described, read_questions(), media)
    card = default_card(DATASET, rows, demonstration=True)
    write_repository(demo_directory(DATASET), DATASET, rows, card)
    write_manifest(described)


def main() -> int:
    """Read the arguments, build or check, and say what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("downloads", type=Path, help="folder with the downloaded distributions")
    parser.add_argument("--check", action="store_true", help="compare a rebuild with the manifest, write nothing")
    parser.add_argument("--questions", action="store_true", help="keep the built clips, write the rows anew")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="with --check: only these clips")
    arguments = parser.parse_args()
    try:
        if arguments.check:
            lines = check(arguments.downloads, arguments.only)
            print("\n".join(lines) if lines else "as in the manifest")
            return 1 if lines else 0
        if arguments.questions:
            rebuild_questions()
        else:
            build(arguments.downloads)
    except MuseError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print("built")
    return 0


if __name__ == "__main__":
    sys.exit(main())
