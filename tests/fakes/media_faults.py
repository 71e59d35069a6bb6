"""The fifty files of faults_media.md, made with PyAV, numpy, Pillow and byte edits: one fault each, by file name."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import av
import numpy as np
from av.stream import Disposition
from fakes.media_makers import film, picture, png_header, remuxed, silent_wav, sound, tone
from PIL import Image

UNICODE_NAME = "m26_ünïcode 曲 🎵 #1%20.mp4"
REALTIME = {"deadline": "realtime", "cpu-used": "8"}


def base(folder):
    path = folder / "m00_base.mp4"
    return path if path.exists() else film(path)


def written(data, path):
    path.write_bytes(data)


def head(source, share, path):
    data = source.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


def truncated_faststart(path):
    fast = remuxed(base(path.parent), path.with_suffix(".tmp.mp4"), options={"movflags": "+faststart"})
    head(fast, 0.6, path)
    fast.unlink()


def corrupt_middle(path):
    data = bytearray(base(path.parent).read_bytes())
    data[len(data) // 3 : len(data) // 3 + 6000] = np.random.default_rng(7).bytes(6000)
    path.write_bytes(data)


def variable_rate(path):
    times = [*range(0, 2000, 40), *range(2000, 4000, 200)]
    film(path, frames=60, times=times, base=Fraction(1, 1000), sounds=[])


def tagged_pq(video, _):
    video.codec_context.color_primaries, video.codec_context.color_trc, video.codec_context.colorspace = 9, 16, 9


def hdr(path):
    params = "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"
    options = {"preset": "ultrafast", "x265-params": params}
    grey = np.full((120, 160, 3), 148, np.uint8)
    shown = {"codec": "libx265", "pix_fmt": "yuv420p10le", "frames": 10, "make": lambda number: grey}
    film(path, sounds=[], options=options, setup=tagged_pq, **shown)


def wide_pixels(video, _):
    video.codec_context.sample_aspect_ratio = Fraction(2, 1)


def transparent_film(path):
    pixels = np.zeros((120, 160, 4), np.uint8)
    pixels[...] = (255, 0, 0, 128)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libvpx-vp9", rate=10, options=REALTIME)
        stream.width, stream.height, stream.pix_fmt = 160, 120, "yuva420p"
        stream.metadata["alpha_mode"] = "1"
        for number in range(10):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgba").reformat(format="yuva420p")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def still(level):
    return lambda number: np.full((48, 64, 3), level, np.uint8)


def cover_art(path):
    with av.open(str(base(path.parent))) as old, av.open(str(path), "w") as new:
        cover = new.add_stream("mjpeg", rate=1)
        cover.width, cover.height, cover.pix_fmt = 64, 64, "yuvj420p"
        cover.disposition = Disposition.attached_pic
        streams = {each.index: new.add_stream_from_template(each) for each in old.streams}
        frame = av.VideoFrame.from_ndarray(np.full((64, 64, 3), (0, 0, 255), np.uint8), format="rgb24")
        frame.pts = 0
        new.mux(cover.encode(frame.reformat(format="yuvj420p")))
        new.mux(cover.encode(None))
        for packet in old.demux():
            if packet.size:
                packet.stream = streams[packet.stream_index]
                new.mux(packet)


def second_track_is_the_default(_, tracks):
    tracks[0].disposition = 0
    tracks[1].disposition = Disposition.default


def copy_cut(path):
    remuxed(base(path.parent), path, shift_s=-1.32, keep=lambda packet: packet.pts * packet.time_base < 3.3)


def left_of_six():
    channels = np.zeros((6, 96_000), np.float32)
    channels[0] = tone(2, 48_000, amplitude=1.0)
    return channels


def image(path, make, **options):
    made = make() if callable(make) else make
    (made if isinstance(made, Image.Image) else Image.fromarray(made)).save(path, **options)


def transparent_palette():
    made = Image.new("P", (64, 48), 1)
    made.putpalette([0, 0, 0, 255, 0, 0])
    return made


def transparent():
    pixels = np.zeros((48, 64, 4), np.uint8)
    pixels[..., 0] = 255
    return pixels


def turned():
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


def animated(path):
    pictures = [Image.fromarray(picture(number * 20, 64, 48)) for number in range(5)]
    pictures[0].save(path, save_all=True, append_images=pictures[1:])


def mp3(path, **options):
    sound(path, tone(4), codec="libmp3lame", **options)


FAULTS: dict[str, Callable[[Path], object]] = {
    "m00_base.mp4": lambda path: base(path.parent),
    "m01_truncated_no_moov.mp4": lambda path: head(base(path.parent), 0.6, path),
    "m02_truncated_faststart.mp4": truncated_faststart,
    "m03_corrupt_middle.mp4": corrupt_middle,
    "m04_vfr.mp4": variable_rate,
    "m05_rotate90.mp4": partial(film, setup=lambda video, _: video.set_display_rotation(-90)),
    "m06_video_no_audio.mp4": partial(film, sounds=[]),
    "m07_audio_only.mp4": lambda path: sound(path, tone(4), codec="aac"),
    "m08_silent_audio.mp4": lambda path: film(path, sounds=[np.zeros(4 * 44_100, np.float32)]),
    "m09_zero_samples.wav": lambda path: silent_wav(path, 0),
    "m10_audio_20ms.mp4": lambda path: film(path, sounds=[tone(0.02)]),
    "m11_audio_longer_than_video.mp4": lambda path: film(path, sounds=[tone(7)]),
    "m12_mono_8k.wav": lambda path: sound(path, tone(2, 8000), 8000),
    "m13_stereo_48k.wav": lambda path: sound(
        path, np.stack([tone(2, 48_000), tone(2, 48_000, 660)]), 48_000, layout="stereo"
    ),
    "m14_51ch_left_only.wav": lambda path: sound(path, left_of_six(), 48_000, layout="5.1"),
    "m15_antiphase_stereo.wav": lambda path: sound(path, np.stack([tone(2), -tone(2)]), layout="stereo"),
    "m16_float_over_1.wav": lambda path: sound(path, tone(1, amplitude=2.0), codec="pcm_f32le"),
    "m17_hevc10_pq.mp4": hdr,
    "m18_full_range.mp4": partial(film, pix_fmt="yuvj420p", sounds=[]),
    "m19_odd_size.mp4": partial(film, frames=25, size=(161, 121), pix_fmt="yuv444p", sounds=[]),
    "m20_extreme_aspect.mp4": partial(film, frames=5, rate=5, size=(3840, 16), sounds=[]),
    "m21_sar_2_1.mp4": partial(film, sounds=[], setup=wide_pixels),
    "m22_av1.mp4": partial(
        film, codec="libsvtav1", frames=10, rate=10, sounds=[], options={"preset": "12", "svtav1-params": "lp=1"}
    ),
    "m23_vp9.webm": partial(film, codec="libvpx-vp9", frames=10, rate=10, sounds=[], options=REALTIME),
    "m24_vp9_alpha.webm": transparent_film,
    "m25_two_hours_1fps.mp4": partial(
        film, frames=7200, rate=1, size=(64, 48), sounds=[], make=still(90), options={"g": "600", "tune": "zerolatency"}
    ),
    UNICODE_NAME: lambda path: written(base(path.parent).read_bytes(), path),
    "m27_start_5s.ts": lambda path: remuxed(base(path.parent), path, format="mpegts", shift_s=5.0),
    "m28_copy_cut_editlist.mp4": copy_cut,
    "m29_one_frame.mp4": partial(film, frames=1, sounds=[]),
    "m30_real_black.mp4": partial(film, frames=50, size=(64, 48), sounds=[], make=still(0)),
    "m31_empty_file.mp4": partial(written, b""),
    "m32_html_as_mp4.mp4": partial(written, b"<!DOCTYPE html><html><body>404</body></html>"),
    "m33_lfs_pointer.mp4": partial(written, b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 123\n"),
    "m34_mkv_no_duration.mkv": lambda path: remuxed(base(path.parent), path, format="matroska", options={"live": "1"}),
    "m35_avi_bframes.avi": partial(film, codec="mpeg4", options={"bf": "2", "b": "2M"}, sounds=[]),
    "m36_two_audio_tracks.mp4": lambda path: film(
        path, sounds=[tone(4), tone(4, frequency=880)], setup=second_track_is_the_default, format="matroska"
    ),
    "m37_cover_art.mp4": cover_art,
    "m38_cbr.mp3": partial(mp3, options={"b": "64k"}),
    "m39_vbr_no_xing.mp3": partial(mp3, options={"q": "4"}, container_options={"write_xing": "0"}),
    "i01_rgb.png": partial(image, make=lambda: picture(7, 64, 48)),
    "i02_fully_transparent.png": partial(image, make=transparent),
    "i03_palette.png": partial(image, make=lambda: Image.fromarray(picture(3, 64, 48)).quantize(16)),
    "i04_gray16.png": partial(image, make=lambda: np.full((48, 64), 65_277, np.uint16)),
    "i05_182Mpixel.png": lambda path: png_header(path, 14_000, 13_000),
    "i06_truncated.png": lambda path: (image(path, picture(7, 64, 48)), written(path.read_bytes()[:300], path)),
    "i07_animated.gif": animated,
    "i08_exif_orientation6.jpg": lambda path: image(path, picture(0, 64, 48), exif=turned(), quality=95),
    "i09_cmyk.jpg": lambda path: image(path, Image.new("CMYK", (64, 48), (0, 255, 255, 0)), quality=95),
    "i10_palette_trns.png": partial(image, make=transparent_palette, transparency=1),
}
"""File name -> what writes it; `m36` is Matroska under that name, for this writer's MP4 marks no default track."""


def make_fault(name: str, folder: Path) -> Path:
    """The file of that name in `folder`, made if it is not there."""
    path = folder / name
    if not path.exists():
        FAULTS[name](path)
    return path
