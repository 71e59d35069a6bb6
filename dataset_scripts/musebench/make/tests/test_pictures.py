"""Views move as given, sound keeps to its times, drawn pictures come out the same again."""

import hashlib
import io
import lzma
import tarfile

import numpy as np
import pytest

from dataset_scripts.musebench.make.manifest import PictureClip, read_manifest
from dataset_scripts.musebench.make.pictures import PAINTINGS, Layer, View, make_sound, moved_views
from dataset_scripts.musebench.make.pictures.moves import SURROUND, view_at
from dataset_scripts.musebench.make.sources import read_debian

RATE = 8000
GRADIENT = np.repeat(np.repeat(np.arange(0, 240, 2, dtype=np.uint8)[None, :, None], 60, axis=0), 3, axis=2)
VIEWS = (View(at_s=1, x=0.2, y=0.5, width=0.2), View(at_s=3, x=0.8, y=0.5, width=0.4))


def test_a_view_holds_glides_softly_and_holds():
    assert view_at(VIEWS, 0.0) == view_at(VIEWS, 1.0) == (0.2, 0.5, 0.2)
    assert view_at(VIEWS, 3.0) == view_at(VIEWS, 9.0) == (0.8, 0.5, 0.4)
    x, _, width = view_at(VIEWS, 2.0)
    assert x == pytest.approx(0.5)
    assert width == pytest.approx(0.2 * 2**0.5)
    assert view_at(VIEWS, 1.2)[0] - 0.2 < 0.1 * (0.8 - 0.2)


def test_frames_show_the_part_in_view_and_a_dark_wall_beyond_the_edges():
    first, *_, last = moved_views(GRADIENT, VIEWS, 40, 10, (64, 32))
    assert first[16, 32] == pytest.approx(0.2 * 240, abs=3)
    assert last[16, 32] == pytest.approx(0.8 * 240, abs=3)
    (wide,) = moved_views(GRADIENT, [View(at_s=0, x=0.5, y=0.5, width=1.6)], 1, 10, (64, 32))
    assert tuple(wide[16, 2]) == SURROUND


@pytest.mark.parametrize("sound", ["tone", "bell", "string", "noise", "click"])
def test_layers_sound_only_between_their_times(sound):
    layer = Layer(sound=sound, start_s=0.5, end_s=1.5, pitch_hz=440, level=((0, 0.5), (2, 0.5)))
    made = make_sound([layer], 2.0, RATE, 42)
    assert made.dtype == np.float32
    assert len(made) == 2 * RATE
    assert not made[: RATE // 2].any()
    assert not made[3 * RATE // 2 :].any()
    assert 0.01 < np.abs(made).max() < 1
    np.testing.assert_array_equal(made, make_sound([layer], 2.0, RATE, 42))


def test_levels_move_in_straight_lines():
    layer = Layer(sound="string", start_s=0, end_s=2, pitch_hz=440, level=((0, 0), (2, 0.4)))
    made = make_sound([layer], 2.0, RATE, 42)
    peaks = [np.abs(part).max() for part in np.split(made, 4)]
    np.testing.assert_allclose(peaks / peaks[-1], [0.25, 0.5, 0.75, 1.0], atol=0.03)


def test_bars_come_out_as_the_manifest_says():
    source = read_manifest().picture("bars")
    assert hashlib.sha256(PAINTINGS["bars"]().tobytes()).hexdigest() == source.file_sha256


def test_views_of_the_demonstration_stay_on_the_canvas():
    for clip in read_manifest().clips:
        if isinstance(clip, PictureClip):
            assert all(view.x - view.width / 2 >= -0.5 and view.x + view.width / 2 <= 1.5 for view in clip.views)
            assert [view.at_s for view in clip.views] == sorted(view.at_s for view in clip.views)


def test_a_file_is_found_in_a_debian_package(tmp_path):
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w") as files:
        info = tarfile.TarInfo("./usr/share/picture.jpg")
        info.size = 3
        files.addfile(info, io.BytesIO(b"abc"))
    members = {b"debian-binary": b"2.0\n", b"control.tar.xz": b"odd", b"data.tar.xz": lzma.compress(inner.getvalue())}
    package = b"!<arch>\n"
    for name, body in members.items():
        package += name.ljust(16) + b"0".ljust(12) + b"0".ljust(6) * 2 + b"100644".ljust(8)
        package += str(len(body)).encode().ljust(10) + b"`\n" + body + b"\n" * (len(body) % 2)
    path = tmp_path / "package.deb"
    path.write_bytes(package)
    assert read_debian(path, "./usr/share/picture.jpg") == b"abc"
