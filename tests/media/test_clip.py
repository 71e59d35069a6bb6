import wave
from fractions import Fraction

import av
import numpy as np
import pytest
from PIL import Image

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.records import Chunks, FramePolicy, Limits
from musebench_tasks.media import MediaCache


@pytest.fixture
def cache(tmp_path):
    return MediaCache(tmp_path / "cache")


def metadata(path):
    with av.open(str(path)) as container:
        tags = [container.metadata, *(each.metadata for each in container.streams)]
        return {key: value for each in tags for key, value in each.items()}


def wav(path):
    with wave.open(str(path)) as file:
        return file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767


def test_a_whole_film_without_tags_is_copied_under_a_hash(base, group):
    path = group(base).clip()
    assert path.read_bytes() == base.read_bytes()
    assert path.suffix == ".mp4"
    assert len(path.stem) == 64
    assert "base" not in path.name


def test_tags_do_not_travel(folder, make, group):
    path = make.film(folder / "The Birds (1963).mp4", metadata={"title": "The Birds", "artist": "Hitchcock"})
    clip = group(path).clip()
    assert b"The Birds" in path.read_bytes()
    assert b"The Birds" not in clip.read_bytes()
    assert "title" not in metadata(clip)


def test_a_window_of_a_film_is_encoded_anew(base, group, cache, frames_of):
    clip = group(base, start_s=1.2, end_s=3.2, cache=cache).clip()
    with av.open(str(clip)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert len(frames) == 50
    assert round((frames[0][60, 80, 1] - 20) / 2) == pytest.approx(30, abs=1)
    with av.open(str(clip)) as container:
        samples = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])
    assert len(samples) / 44_100 == pytest.approx(2.0, abs=0.05)


def test_a_film_without_its_sound(base, group):
    with av.open(str(group(base, "video").clip())) as container:
        assert not container.streams.audio
        assert sum(1 for _ in container.decode(video=0)) == 100


def test_the_sound_of_a_film(base, group):
    rate, samples = wav(group(base, "audio", sample_rate=16_000, start_s=1.0, end_s=3.0).clip())
    assert (rate, len(samples)) == (16_000, 32_000)


def test_noise_in_place_of_the_sound(base, group):
    one = group(base, "audio", condition="noise", sample_rate=16_000)
    _, samples = wav(one.clip())
    assert np.allclose(samples, one.audio().samples, atol=1e-4)


def test_noise_in_the_film(base, group):
    with av.open(str(group(base, condition="noise").clip())) as container:
        samples = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])
    assert np.sqrt(np.mean(samples[4000:-4000] ** 2)) == pytest.approx(0.1, rel=0.15)


def test_one_frame_in_the_film(base, group):
    with av.open(str(group(base, "video", condition="frozen_frame").clip())) as container:
        frames = [frame.to_ndarray(format="rgb24")[60, 80, 1] for frame in container.decode(video=0)]
    assert len(frames) == 4
    assert np.ptp(frames) <= 1


def test_over_range_sound_is_scaled_not_clipped(folder, make, group):
    path = make.sound(folder / "loud.wav", make.tone(1, amplitude=2.0), codec="pcm_f32le")
    _, samples = wav(group(path, "audio", end_s=0.5).clip())
    assert np.sqrt(np.mean(samples**2)) == pytest.approx(0.707, abs=0.01)


def test_a_picture(rgb, group):
    clip = group(rgb, "video").clip()
    assert clip.suffix == ".png"
    with Image.open(clip) as image:
        assert image.size == (64, 48)
        assert not image.info


def test_it_is_made_once_and_verified(base, group, cache):
    one = group(base, "audio", end_s=2.0, cache=cache)
    first = one.clip()
    content = first.read_bytes()
    assert one.clip() == first
    first.write_bytes(content[:100])
    assert group(base, "audio", end_s=2.0, cache=cache).clip().read_bytes() == content


def test_what_was_received_is_told(base, group):
    one = group(base)
    one.clip()
    assert (one.received().frame_policy, one.received().audio_s, one.received().audio_route) == ("file", 4.0, "native")


def test_a_damaged_film_is_refused_as_for_frames(base, folder, group):
    cut = folder / "cut for clip.mp4"
    cut.write_bytes(base.read_bytes()[:40_000])
    with pytest.raises(MediaError, match="unreadable"):
        group(cut).clip()


def shown(path):
    """(seconds, grey level) of each frame of a film, and its length in seconds."""
    with av.open(str(path)) as container:
        frames = [(frame.time, int(frame.to_ndarray(format="gray")[60, 80])) for frame in container.decode(video=0)]
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return frames, float(stream.duration * stream.time_base)


def test_the_frame_on_display_opens_the_window(folder, make, group):
    slides = make.film(folder / "slides.mp4", frames=6, rate=25, times=[0, 10, 20, 30, 40, 50], base=Fraction(1))
    frames, length_s = shown(group(slides, "video", start_s=12.0, end_s=35.0).clip())
    assert [time for time, _ in frames] == pytest.approx([0, 8, 18])
    assert [round((level - 20) / 2) for _, level in frames] == pytest.approx([1, 2, 3], abs=2)
    assert length_s == pytest.approx(23)
    frames, length_s = shown(group(slides, "video", start_s=12.0, end_s=13.0).clip())
    assert ([time for time, _ in frames], length_s) == ([0], pytest.approx(1))


@pytest.mark.parametrize("condition", ["frozen_frame", "shuffled_frames"])
def test_sampled_frames_last_as_long_as_the_window(condition, base, group):
    frames, length_s = shown(group(base, "video", condition=condition, start_s=1.0).clip())
    assert [time for time, _ in frames] == pytest.approx([0, 1, 2])
    assert length_s == pytest.approx(3)


def test_hidden_colours_and_edit_lists_do_not_travel(folder, base, make, group):
    hidden = np.zeros((48, 64, 4), np.uint8)
    hidden[..., 0] = 255
    Image.fromarray(hidden).save(folder / "hidden.png")
    with Image.open(group(folder / "hidden.png", "video").clip()) as image:
        assert image.mode == "RGB"
        assert image.getpixel((5, 5)) == (255, 255, 255)
    late = make.remuxed(base, folder / "late.ts", shift_s=5.0)
    clip = group(late).clip()
    assert clip.suffix == ".mp4"
    with av.open(str(clip)) as container:
        assert next(container.decode(video=0)).time == 0


def test_chosen_frames_in_the_film_stand_at_their_times(folder, make, group):
    path = make.film(folder / "keyed.mp4", options={"g": "30", "sc_threshold": "0"})
    chosen = group(path, "video", fps=5, max_frames=3, frame_policy=FramePolicy(name="keyframes"))
    with av.open(str(chosen.clip())) as container:
        times = [round(frame.time, 2) for frame in container.decode(video=0)]
    assert times == [0.0, 2.4, 3.6]
    received = chosen.received()
    assert (received.frame_policy, received.frames_used, received.frame_times_s) == ("keyframes", 3, (0.0, 2.4, 3.6))


def test_a_film_is_not_copied_where_its_sound_may_not_be_heard_to_the_end(base, group):  # MU-08
    with av.open(str(group(base, max_audio_s=2.0).clip())) as container:
        samples = sum(frame.samples for frame in container.decode(audio=0))
    assert samples / 44_100 == pytest.approx(2.0, abs=0.05)
    chunked = group(base, limits=Limits(max_audio_s=2.0), chunks=Chunks(seconds=2.0))
    assert chunked.clip().read_bytes() == base.read_bytes()
