"""Films: each row of faults_media.md that concerns containers, time and pictures in video."""

from fractions import Fraction

import av
import numpy as np
import pytest
from fakes.media_faults import make_fault

from musebench_tasks.base.errors import MediaError, MediaUnavailableError
from musebench_tasks.media import probe
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.counts import DecodeCounts
from musebench_tasks.media.probe import scan_file
from musebench_tasks.media.video import FrameSettings, decode_frames

MID = (60, 80)
"""A point of the test picture whose grey level tells the frame's number."""


def refused(code, call):
    with pytest.raises(MediaError) as caught:
        call()
    assert caught.value.code == code, str(caught.value)
    return str(caught.value)


def levels(batch):
    return [round((int(frame[MID][1]) - 20) / 2) for frame in batch.pixels]


@pytest.fixture(scope="module")
def fast(base, folder, make):
    return make.remuxed(base, folder / "fast.mp4", options={"movflags": "+faststart"})


def test_sound_film(base, frames_of):
    batch = frames_of(base)
    assert batch.pixels.shape == (4, 120, 160, 3)
    assert batch.times_s.tolist() == [0, 1, 2, 3]
    assert np.allclose(levels(batch), [0, 25, 50, 75], atol=1)
    assert (batch.available, batch.policy, batch.flags) == (4, "1 fps", ())


def test_m01_index_at_the_end_is_lost(base, folder, frames_of):
    cut = folder / "m01_truncated_no_moov.mp4"
    cut.write_bytes(base.read_bytes()[: base.stat().st_size * 6 // 10])
    assert "m01_truncated_no_moov.mp4" in refused("unreadable", lambda: frames_of(cut))


def test_m02_less_than_the_header_promises(fast, folder, frames_of, audio_of):
    cut = folder / "m02_truncated_faststart.mp4"
    cut.write_bytes(fast.read_bytes()[: fast.stat().st_size * 6 // 10])
    assert "of 100 frames" in refused("short_decode", lambda: frames_of(cut))
    refused("short_decode", lambda: audio_of(cut))


def test_m02_is_refused_for_a_window_that_is_whole(fast, folder, frames_of):
    cut = folder / "m02_truncated_faststart.mp4"
    cut.write_bytes(fast.read_bytes()[: fast.stat().st_size * 6 // 10])
    refused("short_decode", lambda: frames_of(cut, start_s=0.0, end_s=1.0))


def test_m03_damaged_bytes_inside(base, folder, frames_of):
    data = bytearray(base.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 6000] = np.random.default_rng(7).bytes(6000)
    damaged = folder / "m03_corrupt_middle.mp4"
    damaged.write_bytes(data)
    assert "of 100 frames" in refused("corrupt", lambda: frames_of(damaged))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m31_empty_file.mp4", b""),
        ("m32_html_as_mp4.mp4", b"<!DOCTYPE html><html><body>404</body></html>"),
        ("m33_lfs_pointer.mp4", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123456\n"),
    ],
)
def test_m31_to_m33_no_medium(name, content, tmp_path, frames_of):
    (tmp_path / name).write_bytes(content)
    assert name in refused("not_media", lambda: frames_of(tmp_path / name))


def test_a_missing_file_is_unavailable(tmp_path, frames_of):
    with pytest.raises(MediaUnavailableError, match="media_unavailable"):
        frames_of(tmp_path / "gone.mp4")


def test_noise_bytes_are_unreadable(tmp_path, frames_of):
    path = tmp_path / "noise.mp4"
    path.write_bytes(np.random.default_rng(0).bytes(5000))
    refused("unreadable", lambda: frames_of(path))


def test_m34_no_duration_no_cues(base, folder, make, frames_of):
    live = make.remuxed(base, folder / "m34_mkv_no_duration.mkv", format="matroska", options={"live": "1"})
    batch = frames_of(live, fps=25)
    assert batch.available == 100
    assert "counted" in batch.flags


def test_m35_packets_out_of_order_give_distinct_frames(folder, frames_of):
    path = make_fault("m35_avi_bframes.avi", folder)
    batch = frames_of(path, fps=25)
    assert len({frame.tobytes() for frame in batch.pixels}) == 100
    assert np.allclose(levels(batch), range(100), atol=2)


def test_packets_without_pts_fall_back_to_dts():
    """This PyAV's AVI demuxer gives times to all packets, so the arithmetic is tested on the scan itself."""
    rows = [(None, 0, 1, True, False), (None, 2, 1, False, False), (None, 1, 1, False, False)]

    class Stream:
        index, type, frames, duration, time_base = 0, "video", 3, 3, Fraction(1, 25)
        start_time, codec_context = 0, None

    scan = probe._stream_scan(Stream, rows, is_net=False)
    assert scan.from_dts
    assert scan.times_s.tolist() == [0.0, 0.04, 0.08]


def test_m04_variable_rate_is_sampled_by_time(folder, make, frames_of):
    times = [*range(0, 2000, 40), *range(2000, 4000, 200)]
    path = make.film(folder / "m04_vfr.mp4", frames=60, times=times, base=Fraction(1, 1000), sounds=[])
    batch = frames_of(path, fps=2.5)
    assert "vfr" in batch.flags
    assert np.allclose(batch.times_s, np.arange(10) * 0.4)
    assert np.allclose(levels(batch), [times.index(round(each * 1000)) for each in batch.times_s], atol=1)


def test_m27_times_count_from_the_first_frame(base, folder, make, frames_of):
    path = make.remuxed(base, folder / "m27_start_5s.ts", format="mpegts", shift_s=5.0)
    batch = frames_of(path)
    assert batch.times_s.tolist() == [0, 1, 2, 3]
    assert any(flag.startswith("first_pts_s: 6.4") or flag.startswith("first_pts_s: 5") for flag in batch.flags)


def test_m28_frames_behind_an_edit_list_are_not_shown(base, folder, make, frames_of):
    path = folder / "m28_copy_cut_editlist.mp4"
    make.remuxed(base, path, shift_s=-1.32, keep=lambda packet: packet.pts * packet.time_base < 3.3)
    batch = frames_of(path, fps=25)
    assert "edit_list" in batch.flags
    assert abs(batch.available - 50) <= 1
    assert abs(levels(batch)[0] - 33) <= 1


def test_m25_two_hours_keep_within_the_frame_budget(folder, frames_of):
    path = make_fault("m25_two_hours_1fps.mp4", folder)
    batch = frames_of(path, max_frames=32)
    assert (len(batch.pixels), batch.available, batch.policy) == (32, 7200, "uniform")
    assert (batch.times_s[0], batch.times_s[-1]) == (0, 7199)
    assert "effective_fps: 0.004444" in batch.flags


@pytest.mark.parametrize(("start", "end"), [(4.5, 9.0), (4.0, None), (2.0, 2.0), (3.0, 1.0)])
def test_a_window_outside_the_film(base, start, end, frames_of):
    refused("bad_window", lambda: frames_of(base, start_s=start, end_s=end))


def test_a_window_is_clamped_and_flagged(base, frames_of):
    batch = frames_of(base, start_s=2.0, end_s=60.0)
    assert batch.times_s.tolist() == [0, 1]
    assert np.allclose(levels(batch), [50, 75], atol=1)
    assert "clamped" in batch.flags


def test_times_are_relative_to_the_window(base, frames_of):
    batch = frames_of(base, start_s=1.2, end_s=3.2)
    assert np.allclose(batch.times_s, [0, 1])
    assert np.allclose(levels(batch), [30, 55], atol=1)


def test_m29_fewer_frames_than_asked(folder, make, group):
    path = make.film(folder / "m29_one_frame.mp4", frames=1, sounds=[])
    one = group(path, "video", max_frames=32)
    assert len(one.frames().pixels) == 1
    assert (one.received().frames_available, one.received().frames_used) == (1, 1)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("open.mp4", {"options": {"bf": "2", "x264-params": "open-gop=1:keyint=20"}}),
        ("keys.mkv", {"options": {"g": "20", "bf": "2"}}),
        ("keys.ts", {"options": {"g": "20", "bf": "2"}, "format": "mpegts"}),
        ("keys.webm", {"codec": "libvpx", "options": {"g": "20", "deadline": "realtime", "cpu-used": "16"}}),
        ("keys.avi", {"codec": "mpeg4", "options": {"g": "20", "bf": "2"}}),
    ],
)
def test_seeking_and_decoding_in_order_give_the_same_frames(name, settings, folder, make, frames_of):
    path = make.film(folder / name, frames=200, sounds=[], **settings)
    sparse = frames_of(path, max_frames=4)
    every = frames_of(path, fps=25)
    assert every.available == 200
    assert np.array_equal(sparse.pixels, every.pixels[[round(each * 25) for each in sparse.times_s]])


def test_seeking_saves_decoding(folder, make):
    path = str(make.film(folder / "long.mp4", frames=400, sounds=[], options={"g": "20", "bf": "2"}))
    media = OpenMedia(path, "long.mp4", DecodeCounts())
    list(decode_frames(media, scan_file(path, "long.mp4"), [FrameSettings(max_frames=4)], lambda: None))
    assert media.counts.opens == 1
    assert media.counts.frames_decoded < 200


@pytest.mark.skipif(
    not hasattr(av.video.stream.VideoStream, "set_display_rotation"), reason="this PyAV writes no matrix"
)
def test_m05_rotation_is_applied_once(folder, frames_of):
    path = make_fault("m05_rotate90.mp4", folder)
    batch = frames_of(path)
    assert batch.pixels.shape == (4, 160, 120, 3)
    assert "rotation: -90" in batch.flags
    top, left = batch.pixels[0][5, 60], batch.pixels[0][100, 5]
    assert top[0] > 150 > top[1], "clockwise: the bar on the left comes to the top"
    assert left[0] < 150


def test_m17_hdr_is_mapped_to_sdr(folder, frames_of):
    path = make_fault("m17_hevc10_pq.mp4", folder)
    batch = frames_of(path)
    assert "hdr" in batch.flags
    grey = batch.pixels[0][MID].astype(int)
    assert np.ptp(grey) <= 6
    assert 150 <= grey.mean() <= 215, "PQ code 0.58 is 203 cd/m², reference white"


def test_m18_full_range_looks_like_limited_range(folder, base, frames_of):
    path = make_fault("m18_full_range.mp4", folder)
    full, limited = frames_of(path), frames_of(base)
    assert "color_range: full" in full.flags
    assert np.abs(full.pixels[:, 30:, 30:].astype(int) - limited.pixels[:, 30:, 30:]).mean() < 3


def test_m19_odd_size(folder, frames_of):
    path = make_fault("m19_odd_size.mp4", folder)
    batch = frames_of(path)
    assert batch.pixels.shape == (1, 121, 161, 3)
    assert "odd_size: 161x121" in batch.flags


def test_max_pixels_keeps_the_aspect(base, frames_of):
    shape = frames_of(base, max_pixels=4800).pixels.shape
    assert shape == (4, 60, 80, 3)


def test_m20_extreme_aspect(folder, frames_of):
    path = make_fault("m20_extreme_aspect.mp4", folder)
    assert "3840 x 16" in refused("aspect_limit", lambda: frames_of(path))


def test_m21_wide_pixels_are_stretched(folder, frames_of):
    batch = frames_of(make_fault("m21_sar_2_1.mp4", folder))
    assert batch.pixels.shape == (4, 120, 320, 3)
    assert "sar: 2" in batch.flags


@pytest.mark.parametrize(("name", "codec"), [("m22_av1.mp4", "libsvtav1"), ("m23_vp9.webm", "libvpx-vp9")])
def test_m22_m23_other_codecs(name, codec, folder, frames_of):
    if codec not in av.codecs_available:
        pytest.skip(f"this PyAV cannot encode {codec}")
    batch = frames_of(make_fault(name, folder), fps=10)
    assert len(batch.pixels) == 10
    assert np.allclose(levels(batch), range(10), atol=3)
    assert ("codec: av1" in batch.flags) == name.startswith("m22")


def test_m24_transparency_is_laid_on_white(folder, frames_of):
    batch = frames_of(make_fault("m24_vp9_alpha.webm", folder))
    assert "alpha" in batch.flags
    assert np.abs(batch.pixels[0, 60, 80].astype(int) - (255, 127, 127)).max() < 12


def test_m30_true_black_is_a_picture(folder, frames_of):
    batch = frames_of(make_fault("m30_real_black.mp4", folder))
    assert "black" in batch.flags
    assert batch.pixels.max() < 8


def test_m07_no_video_stream(folder, frames_of, audio_of):
    path = make_fault("m07_audio_only.mp4", folder)
    refused("no_video", lambda: frames_of(path))
    assert "video: absent" in audio_of(path).flags


def test_m37_cover_art_is_no_film(folder, frames_of):
    path = make_fault("m37_cover_art.mp4", folder)
    batch = frames_of(path)
    assert batch.pixels.shape == (4, 120, 160, 3)
    assert "attached_pic" in batch.flags


def test_m26_any_file_name(base, folder, frames_of):
    odd = folder / "m26_ünïcode 曲 🎵 #1%20.mp4"
    odd.write_bytes(base.read_bytes())
    assert len(frames_of(odd).pixels) == 4


def test_a_film_of_an_unknown_kind_has_no_frames(folder, base, make, frames_of, audio_of):
    path = folder / "unknown_film.mkv"
    path.write_bytes(
        make.remuxed(base, folder / "film.mkv").read_bytes().replace(b"V_MPEG4/ISO/AVC", b"V_MPEG4/ISO/XYZ")
    )
    refused("no_frames", lambda: frames_of(path))
    assert audio_of(path).duration_s == pytest.approx(4, abs=0.05)


def test_a_stream_that_appears_late_harms_nothing(folder, make, frames_of):
    film = make.film(folder / "film.flv", frames=600, sounds=[], codec="libx264")
    body = bytes([0x2F]) + bytes(400)
    head = bytes([8]) + len(body).to_bytes(3, "big") + (23_500).to_bytes(3, "big") + bytes(4)
    path = folder / "late_sound.flv"
    path.write_bytes(film.read_bytes() + head + body + (len(body) + 11).to_bytes(4, "big"))
    assert len(frames_of(path).times_s) == 24
