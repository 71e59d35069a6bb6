"""Media made on the spot: sound ones, and the faults of faults_media.md."""

from pathlib import Path

import pytest
from fakes.media_makers import Makers, film, picture
from PIL import Image

from musebench_tasks.base.records import Limits, MediaPart, MediaSource, Modality, Request
from musebench_tasks.media import MediaGroup


@pytest.fixture(scope="session")
def make():
    return Makers


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("media")


@pytest.fixture(scope="session")
def base(folder):
    """A sound film: 100 frames at 25 a second, four seconds of 440 Hz."""
    return film(folder / "m00_base.mp4")


@pytest.fixture(scope="session")
def rgb(folder):
    path = folder / "i01_rgb.png"
    Image.fromarray(picture(7, 64, 48)).save(path)
    return path


def request_for(path, *modalities, source=None, **part):
    source = source or MediaSource(path=str(path))
    parts = tuple(MediaPart(modality=each, source=source, **part) for each in modalities or ("video", "audio"))
    condition = part.get("condition", "full")
    return Request(
        item_id="item",
        run=0,
        condition=condition,
        kind="single",
        parts=parts,
        audio_route="native",
        prompt="?",
        key="k",
    )


@pytest.fixture(scope="session")
def group():
    """group(path, "video", start_s=…, limits=…) -> MediaGroup of one request."""

    def build(path, *modalities, limits=None, cache=None, timeout_s=60.0, **part):
        return MediaGroup((request_for(path, *modalities, **part),), limits or Limits(), cache, timeout_s)

    return build


@pytest.fixture(scope="session")
def frames_of(group):
    return lambda path, **part: group(path, Modality.VIDEO, **part).frames()


@pytest.fixture(scope="session")
def audio_of(group):
    return lambda path, **part: group(path, Modality.AUDIO, **part).audio()
