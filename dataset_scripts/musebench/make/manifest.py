"""The recipe of the demonstration: sources, encodings and clips, with the hashes of what every clip decodes to.

A clip is a window of the film, a picture with a move of the view over it, or a scene drawn by `scenes`. Clip ids follow
from the source and the window, move or scene: they are stable and say nothing.
"""

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from dataset_scripts.musebench.make.pictures import Layer, View
from musebench_tasks.assembly.video import ClipEncoding, ClipFacts
from musebench_tasks.base.records import DEFAULT_SEED
from musebench_tasks.base.records.base import Record

FOLDER = Path(__file__).resolve().parent
MANIFEST = FOLDER / "manifest.json"


class Credit(Record):
    """What the rows say of a source."""

    license: str
    """SPDX id."""
    attribution: str
    changes: str


class FilmSource(Credit):
    """Where the film lies: a file in a zip in a source distribution."""

    distribution: str
    distribution_sha256: str
    archive: str
    """The zip's path in the distribution, without the distribution's own folder."""
    member: str
    file_sha256: str
    frame_rate: int


class PictureSource(Credit):
    """Where a picture comes from: a file in a distribution, or a program of `pictures.paintings`."""

    name: str
    distribution: str | None = None
    """The distribution's file name; None for a picture drawn by own code."""
    member: str | None = None
    file_sha256: str
    """Of the file; of the drawn pixels where there is no file."""


class Built(Record):
    """A clip's name in the questions, and what building it gave."""

    name: str
    """Stays in this folder."""
    id: str | None = None
    bytes: int | None = None
    facts: ClipFacts | None = None


class FilmClip(Built):
    """A window of the film, in its frames (`end_frame` excluded)."""

    kind: Literal["film"] = "film"
    first_frame: int
    end_frame: int
    start_s: float | None = None
    end_s: float | None = None


class PictureClip(Built):
    """A picture, the views between which the frame moves, and the layers of its sound."""

    kind: Literal["picture"] = "picture"
    picture: str
    duration_s: float
    views: tuple[View, ...]
    layers: tuple[Layer, ...]


class SceneClip(Built):
    """A scene drawn by the program of the same name."""

    kind: Literal["scene"] = "scene"
    category: str
    duration_s: float
    frame_rate: int


Clip = Annotated[FilmClip | PictureClip | SceneClip, Field(discriminator="kind")]


class Encodings(Record):
    """How clips of each kind are encoded."""

    film: ClipEncoding
    picture: ClipEncoding
    scene: ClipEncoding


class Manifest(Record):
    """The whole recipe."""

    name: str
    version: str
    seed: int = DEFAULT_SEED
    film: FilmSource
    pictures: tuple[PictureSource, ...]
    scenes: Credit
    picture_frame_rate: int
    picture_sample_rate: int
    encodings: Encodings
    clips: tuple[Clip, ...]

    def picture(self, name: str) -> PictureSource:
        """The picture called `name`."""
        return next(each for each in self.pictures if each.name == name)

    def credit(self, clip: Clip) -> Credit:
        """Licence, attribution and changes of a clip."""
        if isinstance(clip, FilmClip):
            return self.film
        return self.picture(clip.picture) if isinstance(clip, PictureClip) else self.scenes

    def clip_id(self, clip: Clip) -> str:
        """Ten hex digits over the seed and what the clip is made from."""
        return hashlib.sha256(f"{self.seed}|{self._made_from(clip)}".encode()).hexdigest()[:10]

    def _made_from(self, clip: Clip) -> str:
        if isinstance(clip, FilmClip):
            return f"{self.film.file_sha256}|{clip.first_frame}|{clip.end_frame}"
        if isinstance(clip, PictureClip):
            return f"picture|{self.picture(clip.picture).file_sha256}|{clip.name}"
        return f"scene|{clip.name}"

    def window_s(self, clip: FilmClip) -> tuple[float, float]:
        """The clip's window in seconds of the film."""
        return clip.first_frame / self.film.frame_rate, clip.end_frame / self.film.frame_rate

    def described(self, clip: Clip, encoded: bytes, facts: ClipFacts) -> Clip:
        """The clip with everything that follows from its source and its encoding."""
        found: dict[str, Any] = {"id": self.clip_id(clip), "bytes": len(encoded), "facts": facts}
        if isinstance(clip, FilmClip):
            start_s, end_s = (round(each, 6) for each in self.window_s(clip))
            found |= {"start_s": start_s, "end_s": end_s}
        return clip.model_copy(update=found)


def read_manifest(path: Path = MANIFEST) -> Manifest:
    """The recipe as it is committed."""
    return Manifest.model_validate_json(path.read_text(encoding="utf-8"))


def write_manifest(manifest: Manifest, path: Path = MANIFEST) -> None:
    """Write the recipe, readable and in a fixed order."""
    data = manifest.model_dump(mode="json", exclude_none=True)
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
