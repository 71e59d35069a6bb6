"""Sound: each row of faults_media.md that concerns audio, and what a window of sound is."""

import numpy as np
import pytest
from fakes.media_faults import make_fault

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.records import Limits
from musebench_tasks.media.audio import resampled
from musebench_tasks.media.probe import scan_file
from musebench_tasks.media.sound_reader import downmix_weights


def refused(code, call):
    with pytest.raises(MediaError) as caught:
        call()
    assert caught.value.code == code, str(caught.value)
    return str(caught.value)


def dominant_hz(signal):
    spectrum = np.abs(np.fft.rfft(signal.samples * np.hanning(len(signal.samples))))
    return np.argmax(spectrum) * signal.sample_rate / len(signal.samples)


def rms(samples):
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))


def test_sound_film(base, audio_of):
    signal = audio_of(base)
    assert signal.samples.dtype == np.float32
    assert (signal.sample_rate, signal.duration_s) == (44_100, 4.0)
    assert dominant_hz(signal) == pytest.approx(440, abs=1)


def test_m06_no_audio_stream(folder, make, frames_of, audio_of):
    path = make.film(folder / "m06_video_no_audio.mp4", sounds=[])
    assert "m06_video_no_audio.mp4" in refused("no_audio", lambda: audio_of(path))
    assert "audio: absent" in frames_of(path).flags


def test_m08_silence_is_legal_and_flagged(folder, audio_of):
    path = make_fault("m08_silent_audio.mp4", folder)
    assert "silent_audio" in audio_of(path).flags


def test_m09_zero_samples(folder, make, audio_of):
    refused("zero_audio", lambda: audio_of(make.silent_wav(folder / "m09_zero_samples.wav", 0)))


def test_m10_twenty_milliseconds(folder, audio_of):
    path = make_fault("m10_audio_20ms.mp4", folder)
    assert "46" in refused("short_audio", lambda: audio_of(path))


def test_m11_durations_are_per_stream(folder, frames_of, audio_of):
    path = make_fault("m11_audio_longer_than_video.mp4", folder)
    frames, signal = frames_of(path), audio_of(path)
    assert frames.times_s.tolist() == [0, 1, 2, 3]
    assert signal.duration_s == pytest.approx(7, abs=0.05)
    assert "video_s: 4.00" in frames.flags
    assert any(flag.startswith("audio_s: 7.0") for flag in signal.flags)


@pytest.mark.parametrize("rate", [16_000, 22_050, 48_000])
def test_m12_a_low_rate_is_resampled(rate, folder, make, audio_of):
    path = make.sound(folder / "m12_mono_8k.wav", make.tone(2, 8000), 8000)
    signal = audio_of(path, sample_rate=rate)
    assert len(signal.samples) == 2 * rate
    assert dominant_hz(signal) == pytest.approx(440, abs=1)
    assert "native_rate: 8000" in signal.flags


def test_m13_stereo_is_mixed_before_it_is_resampled(folder, make, audio_of):
    both = np.stack([make.tone(2, 48_000, 440), make.tone(2, 48_000, 660)])
    signal = audio_of(make.sound(folder / "m13_stereo_48k.wav", both, 48_000, layout="stereo"), sample_rate=16_000)
    assert len(signal.samples) == 32_000
    assert {"channels: 2", "native_rate: 48000"} <= set(signal.flags)
    assert rms(signal.samples) == pytest.approx(0.25, abs=0.01)


def test_m14_one_of_six_channels_keeps_its_level(folder, make, audio_of):
    left = np.zeros((6, 96_000), np.float32)
    left[0] = make.tone(2, 48_000, amplitude=1.0)
    signal = audio_of(make.sound(folder / "m14_51ch_left_only.wav", left, 48_000, layout="5.1"))
    assert np.abs(signal.samples).max() == pytest.approx(0.5, abs=0.01)
    assert "channels: 6" in signal.flags


def test_downmix_is_fixed():
    assert downmix_weights(("FC",)).tolist() == [1.0]
    assert downmix_weights(("FL", "FR")).tolist() == [0.5, 0.5]
    surround = downmix_weights(("FL", "FR", "FC", "LFE", "BL", "BR"))
    assert np.allclose(surround, [0.5, 0.5, 0.7071, 0, 0.3536, 0.3536], atol=1e-4)
    assert np.allclose(downmix_weights(("", "", "")), 1 / 3)


def test_m15_antiphase_is_flagged(folder, make, audio_of):
    left = make.tone(2)
    path = make.sound(folder / "m15_antiphase_stereo.wav", np.stack([left, -left]), layout="stereo")
    assert "antiphase" in audio_of(path).flags


def test_m16_float_above_one_is_kept_and_flagged(folder, make, audio_of):
    path = make.sound(folder / "m16_float_over_1.wav", make.tone(1, amplitude=2.0), codec="pcm_f32le")
    signal = audio_of(path)
    assert "over_range" in signal.flags
    assert np.abs(signal.samples).max() == pytest.approx(2.0, abs=0.01)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_one_sample_that_is_no_number(value, folder, make, audio_of):
    samples = make.tone(1)
    samples[777] = value
    path = make.sound(folder / f"{value}.wav", samples, codec="pcm_f32le")
    refused("non_finite", lambda: audio_of(path))


def test_m36_the_default_track_is_played(folder, audio_of):
    path = make_fault("m36_two_audio_tracks.mp4", folder)
    signal = audio_of(path)
    assert dominant_hz(signal) == pytest.approx(880, abs=2)
    assert "stream: 2" in signal.flags


@pytest.mark.parametrize(
    ("name", "options", "container_options"),
    [
        ("m38_cbr.mp3", {"b": "64k"}, {}),
        ("m39_vbr_no_xing.mp3", {"q": "4"}, {"write_xing": "0"}),
    ],
)
def test_m38_m39_mp3_is_decoded_to_its_end(name, options, container_options, folder, make, audio_of):
    path = make.sound(
        folder / name, make.tone(4), codec="libmp3lame", options=options, container_options=container_options
    )
    signal = audio_of(path)
    assert signal.duration_s == pytest.approx(4.03, abs=0.06)
    assert "encoder_delay" in signal.flags


@pytest.mark.parametrize(
    ("suffix", "rate", "seconds"), [(".mp3", 8_000, 0.1), (".mp3", 12_000, 3), (".mp3", 44_100, 2), (".mka", 8_000, 2)]
)
def test_the_silence_around_a_short_mp3_is_not_missed(suffix, rate, seconds, folder, make, audio_of):
    path = make.sound(folder / f"short{suffix}", make.tone(seconds, rate), rate, codec="libmp3lame")
    assert audio_of(path).duration_s == pytest.approx(seconds, abs=0.001)
    assert scan_file(str(path), path.name).audio.promised_s == pytest.approx(seconds, abs=0.05)


def test_a_cut_wav_is_short(folder, make, audio_of):
    whole = make.sound(folder / "whole.wav", make.tone(4))
    cut = folder / "cut.wav"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    refused("short_decode", lambda: audio_of(cut))


def test_a_cut_mp3_that_counts_its_frames_is_short(folder, make, audio_of):
    whole = make.sound(folder / "whole.mp3", make.tone(4), codec="libmp3lame")
    cut = folder / "cut.mp3"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    refused("short_decode", lambda: audio_of(cut))


def test_a_cut_or_damaged_ogg_is_short(folder, make, audio_of):
    noise = np.random.default_rng(2).uniform(-0.5, 0.5, (2, 4 * 48_000)).astype(np.float32)
    whole = make.sound(folder / "whole.opus", noise, 48_000, codec="libopus", layout="stereo")
    assert audio_of(whole).duration_s == pytest.approx(4, abs=0.05)
    cut = folder / "cut.opus"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 7 // 8])
    refused("short_decode", lambda: audio_of(cut))
    with pytest.raises(MediaError):
        audio_of(bytes_inside(whole, folder / "hurt.opus", 0.95, 200))


def test_an_opus_file_is_heard_without_its_pre_skip_and_end_padding(folder, make, audio_of):
    click = make.tone(4 + 137 / 48_000, 48_000, amplitude=0.01)
    click[96_000:96_048] = 0.9
    path = make.sound(folder / "click.ogg", click, 48_000, codec="libopus", options={"application": "audio"})
    signal = audio_of(path)
    assert signal.samples.shape == click.shape
    assert 96_000 <= int(np.argmax(np.abs(signal.samples))) < 96_060
    cut = audio_of(path, start_s=1.5, end_s=2.5)
    assert np.array_equal(cut.samples, signal.samples[72_000:120_000])


def test_a_window_is_cut_to_the_sample(folder, make, audio_of):
    ramp = np.linspace(-0.9, 0.9, 4 * 8000, dtype=np.float32)
    path = make.sound(folder / "ramp.wav", ramp, 8000, codec="pcm_f32le")
    signal = audio_of(path, start_s=1.25, end_s=2.5)
    assert np.array_equal(signal.samples, ramp[10_000:20_000])


@pytest.mark.parametrize("name", ["late.m4a", "late.mp3", "late.mka"])
def test_a_late_window_is_the_same_stretch(name, folder, make, audio_of):
    codec = {"late.mp3": "libmp3lame"}.get(name, "aac")
    path = make.sound(folder / name, make.tone(40) * np.linspace(0.1, 1, 1_764_000, dtype=np.float32), codec=codec)
    late, whole = audio_of(path, start_s=35.0, end_s=36.0), audio_of(path)
    assert np.abs(late.samples - whole.samples[35 * 44_100 : 36 * 44_100]).max() < 1e-3


def test_a_late_window_is_cut_to_the_sample(folder, make, audio_of):
    tone = make.tone(40, 8000) * np.linspace(0.1, 1, 320_000, dtype=np.float32)
    path = make.sound(folder / "late.mka", tone, 8000, codec="pcm_f32le")
    assert np.array_equal(audio_of(path, start_s=35.0, end_s=36.0).samples, tone[280_000:288_000])


def test_windows_outside_and_beyond(base, audio_of):
    refused("bad_window", lambda: audio_of(base, start_s=5.0, end_s=6.0))
    beyond = audio_of(base, start_s=3.0, end_s=9.0)
    assert beyond.duration_s == pytest.approx(1.0, abs=0.05)
    assert "clamped" in beyond.flags


def test_the_smaller_bound_of_seconds_holds(base, group):
    signal = group(base, "audio", max_audio_s=3.0, limits=Limits(max_audio_s=2.0)).audio()
    assert signal.duration_s == 2.0
    assert "audio_truncated" in signal.flags
    assert "audio_truncated" not in group(base, "audio", max_audio_s=10.0).audio().flags


def test_the_models_rate_is_used_where_the_request_names_none(base, group):
    limits = Limits(sample_rate=16_000)
    assert group(base, "audio", limits=limits).audio().sample_rate == 16_000
    assert group(base, "audio", limits=limits, sample_rate=8000).audio().sample_rate == 8000
    assert group(base, "audio", limits=limits).audio(22_050).sample_rate == 22_050


@pytest.mark.parametrize("count", [1, 2, 999, 44_100, 123_457])
def test_resampling_keeps_the_seconds(count):
    assert abs(len(resampled(np.zeros(count, np.float32), 44_100, 16_000)) - count * 16_000 / 44_100) <= 1


def bytes_inside(path, target, start_share, length):
    """A copy of a file with `length` bytes overwritten."""
    data = bytearray(path.read_bytes())
    start = int(len(data) * start_share)
    data[start : start + length] = np.random.default_rng(3).bytes(length)
    target.write_bytes(data)
    return target


@pytest.mark.parametrize(("name", "codec"), [("hurt.m4a", "aac"), ("hurt.mp3", "libmp3lame"), ("hurt.flac", "flac")])
def test_m03_damaged_sound_is_never_closed_up(name, codec, folder, make, audio_of):
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 4 * 44_100).astype(np.float32)
    path = make.sound(folder / f"whole-{name}", noise, codec=codec)
    hurt = bytes_inside(path, folder / name, 0.5, 900)
    assert hurt.name in refused("corrupt", lambda: audio_of(hurt))


@pytest.mark.parametrize("suffix", [".mkv", ".ts"])
def test_sound_that_misses_packets_is_corrupt(suffix, folder, base, make, audio_of):
    lost = range(60, 64)
    counted = iter(range(1000))

    def keep(packet):
        return packet.stream.type != "audio" or next(counted) not in lost

    path = make.remuxed(base, folder / f"hole{suffix}", keep=keep)
    assert "0.09 s are missing" in refused("corrupt", lambda: audio_of(path))
    assert len(audio_of(path, start_s=0.0, end_s=1.0).samples) == 44_100, "what lies before the hole is whole"


def test_a_window_of_ten_milliseconds_is_short(base, audio_of):
    refused("short_audio", lambda: audio_of(base, start_s=3.99, end_s=4.0))
    refused("short_audio", lambda: audio_of(base, start_s=1.0, end_s=1.02))
    assert len(audio_of(base, start_s=1.0, end_s=1.05).samples) == 2205


def test_sound_of_an_unknown_kind_is_unreadable(folder, base, make, frames_of, audio_of):
    film = make.remuxed(base, folder / "codecs.mkv").read_bytes()
    path = folder / "unknown_sound.mkv"
    path.write_bytes(film.replace(b"A_AAC", b"A_XYZ"))
    refused("unreadable", lambda: audio_of(path))
    assert len(frames_of(path).times_s) == 4
