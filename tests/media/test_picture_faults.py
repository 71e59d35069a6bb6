"""Pictures: each row of faults_media.md that concerns images; a picture file is a film of one frame."""

import numpy as np
import pytest
from PIL import Image

from musebench_tasks.base.errors import MediaError


def refused(code, call):
    with pytest.raises(MediaError) as caught:
        call()
    assert caught.value.code == code, str(caught.value)


def saved(path, array, **options):
    image = array if isinstance(array, Image.Image) else Image.fromarray(array)
    image.save(path, **options)
    return path


def test_i01_one_frame(rgb, frames_of, make):
    batch = frames_of(rgb, fps=1.0, max_frames=32)
    assert batch.pixels.shape == (1, 48, 64, 3)
    assert (batch.times_s.tolist(), batch.available, batch.policy, batch.flags) == ([0], 1, "picture", ())
    assert np.abs(batch.pixels[0].astype(int) - make.picture(7, 64, 48)).mean() < 3


def test_a_picture_has_no_sound(rgb, audio_of):
    refused("no_audio", lambda: audio_of(rgb))


def test_i02_hidden_colours_are_not_exposed(tmp_path, frames_of):
    hidden = np.zeros((48, 64, 4), np.uint8)
    hidden[..., 0] = 255
    batch = frames_of(saved(tmp_path / "i02_fully_transparent.png", hidden))
    assert batch.pixels.min() == 255
    assert "alpha" in batch.flags


def test_i10_hidden_palette_colours_are_not_exposed(tmp_path, frames_of):
    image = Image.new("P", (64, 48), 1)
    image.putpalette([0, 0, 0, 255, 0, 0])
    batch = frames_of(saved(tmp_path / "i10_palette_trns.png", image, transparency=1))
    assert batch.pixels.min() == 255
    assert "alpha" in batch.flags


def test_i03_opaque_palette(tmp_path, make, frames_of):
    batch = frames_of(saved(tmp_path / "i03.png", Image.fromarray(make.picture(3, 64, 48)).quantize(16)))
    assert batch.flags == ()


def test_i04_sixteen_bits_are_scaled(tmp_path, frames_of):
    ramp = np.repeat(np.linspace(1, 65_277, 64).astype(np.uint16)[None], 48, axis=0)
    batch = frames_of(saved(tmp_path / "i04_gray16.png", ramp))
    assert "bit_depth: 16" in batch.flags
    assert np.abs(batch.pixels[0, 10, :, 0].astype(int) - np.rint(ramp[0] / 257)).max() <= 3


@pytest.mark.parametrize("size", [(14_000, 13_000), (10_000, 9_500)])
def test_i05_too_many_pixels(size, tmp_path, make, frames_of):
    refused("pixel_limit", lambda: frames_of(make.png_header(tmp_path / "i05_182Mpixel.png", *size)))


def test_i06_cut(rgb, tmp_path, frames_of):
    (tmp_path / "i06_truncated.png").write_bytes(rgb.read_bytes()[:300])
    refused("corrupt", lambda: frames_of(tmp_path / "i06_truncated.png"))


def test_i07_animated(tmp_path, make, frames_of):
    pictures = [Image.fromarray(make.picture(number * 20, 64, 48)) for number in range(5)]
    path = saved(tmp_path / "i07_animated.gif", pictures[0], save_all=True, append_images=pictures[1:])
    refused("animated", lambda: frames_of(path))


def test_i08_exif_orientation(tmp_path, make, frames_of):
    exif = Image.Exif()
    exif[0x0112] = 6
    path = saved(tmp_path / "i08_exif_orientation6.jpg", make.picture(0, 64, 48), exif=exif, quality=95)
    batch = frames_of(path)
    assert batch.pixels.shape == (1, 64, 48, 3)
    assert "rotation: exif 6" in batch.flags
    assert batch.pixels[0, 2, 20, 0] > 180, "the bar on the left comes to the top"


def test_i09_cmyk(tmp_path, frames_of):
    red = Image.new("CMYK", (64, 48), (0, 255, 255, 0))
    batch = frames_of(saved(tmp_path / "i09_cmyk.jpg", red, quality=95))
    assert "cmyk" in batch.flags
    assert np.abs(batch.pixels[0, 20, 20].astype(int) - (255, 0, 0)).max() <= 3


def test_pixels_are_bounded(rgb, frames_of):
    assert frames_of(rgb, max_pixels=768).pixels.shape == (1, 24, 32, 3)


def test_extreme_aspect(tmp_path, frames_of):
    refused("aspect_limit", lambda: frames_of(saved(tmp_path / "thin.png", np.zeros((2, 500, 3), np.uint8))))


def test_true_black(tmp_path, frames_of):
    assert "black" in frames_of(saved(tmp_path / "black.png", np.zeros((48, 64, 3), np.uint8))).flags
