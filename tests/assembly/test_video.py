"""Clips are cut to the frame and the sample, start at 0, carry no notes, and decode to the same hashes again."""

from fractions import Fraction

import av
import numpy as np
import pytest

from musebench_tasks.assembly.video import ClipEncoding, clip_facts, cut_clip, encode_clip
from musebench_tasks.base.errors import MediaError

FPS, SECONDS, RATE = 10, 6, 44_100
SIZE = (64, 48)
CLICK_S = 3.5
ENCODING = ClipEncoding(width=32, height=32, crf=10, preset="veryfast")


def write_film(path, *, sound=True):
    """Frame i is grey of level 4 i; the left channel clicks at CLICK_S."""
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        container.metadata["title"] = "A telling title"
        video = container.add_stream("libx264", rate=FPS, options={"g": "25", "crf": "1"})
        video.width, video.height, video.pix_fmt = *SIZE, "yuv420p"
        audio = container.add_stream("aac", rate=RATE, layout="stereo") if sound else None
        for index in range(FPS * SECONDS):
            pixels = np.full((SIZE[1], SIZE[0], 3), 4 * index, np.uint8)
            container.mux(video.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(video.encode(None))
        if audio is not None:
            signal = np.zeros((2, RATE * SECONDS), np.float32)
            signal[0, round(CLICK_S * RATE) :][:400] = 0.8
            frame = av.AudioFrame.from_ndarray(signal, format="fltp", layout="stereo")
            frame.sample_rate, frame.time_base, frame.pts = RATE, Fraction(1, RATE), 0
            container.mux([*audio.encode(frame), *audio.encode(None)])
    return path


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    return write_film(tmp_path_factory.mktemp("film") / "film.mp4")


def decoded(encoded, folder):
    """Grey level and time of every frame, and the sound."""
    path = folder / "clip.mp4"
    path.write_bytes(encoded)
    with av.open(str(path)) as container:
        pictures = [(frame.time, frame.to_ndarray(format="gray").mean()) for frame in container.decode(video=0)]
    with av.open(str(path)) as container:
        sound = [frame.to_ndarray()[0] for frame in container.decode(audio=0)] if container.streams.audio else []
    return pictures, np.concatenate(sound) if sound else None


@pytest.mark.parametrize(("first", "end"), [(0, 10), (13, 41), (29, 60)])
def test_a_clip_holds_exactly_the_frames_of_its_window(film, tmp_path, first, end):
    pictures, _ = decoded(cut_clip(film, first / FPS, end / FPS, ENCODING), tmp_path)
    times, levels = zip(*pictures, strict=True)
    np.testing.assert_allclose(times, np.arange(end - first) / FPS, atol=1e-4)
    np.testing.assert_allclose(levels, 4 * np.arange(first, end), atol=3)


def test_sound_keeps_its_place_and_is_the_mean_of_the_channels(film, tmp_path):
    _, sound = decoded(cut_clip(film, 2.0, 5.0, ENCODING), tmp_path)
    loud = np.flatnonzero(np.abs(sound) > 0.2)
    assert abs(loud[0] / RATE - (CLICK_S - 2.0)) < 0.002
    assert 0.3 < np.abs(sound).max() < 0.6
    assert 0 <= len(sound) - 3 * RATE < 1024


def test_no_title_no_encoder_and_the_index_in_front(film):
    encoded = cut_clip(film, 1.0, 3.0, ENCODING)
    assert not any(word in encoded for word in (b"telling", b"x264", b"Lavf", b"Lavc"))
    assert encoded.index(b"moov") < encoded.index(b"mdat")


def test_facts_say_what_the_clip_decodes_to_and_come_out_the_same_again(film):
    facts = clip_facts(cut_clip(film, 2.5, 4.5, ENCODING))
    assert (facts.width, facts.height, facts.frames, facts.duration_s) == (32, 32, 20, 2.0)
    assert facts.sample_rate == RATE
    assert facts == clip_facts(cut_clip(film, 2.5, 4.5, ENCODING))
    other = clip_facts(cut_clip(film, 2.6, 4.6, ENCODING))
    assert other.frames_sha256 != facts.frames_sha256
    assert other.pcm_sha256 != facts.pcm_sha256


def test_a_film_without_sound_gives_a_clip_without_sound(tmp_path):
    facts = clip_facts(cut_clip(write_film(tmp_path / "mute.mp4", sound=False), 0.0, 1.0, ENCODING))
    assert facts.frames == 10
    assert facts.pcm_sha256 is None


@pytest.mark.parametrize(
    ("start", "end", "code"), [(2.0, 2.0, "bad_window"), (-1.0, 2.0, "bad_window"), (9.0, 10.0, "no_frames")]
)
def test_a_window_without_frames_is_refused(film, start, end, code):
    with pytest.raises(MediaError) as error:
        cut_clip(film, start, end, ENCODING)
    assert error.value.code == code


def drawn(count):
    """Frames of one colour each, from black through red to almost white."""
    for index in range(count):
        yield np.full((32, 32, 3), (8 * index, 4 * index, 0), np.uint8)


@pytest.mark.parametrize("length", [RATE, 2 * RATE, 3 * RATE])
def test_drawn_frames_keep_colour_and_order_and_bring_sound_of_their_length(tmp_path, length):
    tone = np.sin(np.arange(length) * 0.1).astype(np.float32) / 2
    encoded = encode_clip(drawn(20), 10, tone, RATE, ENCODING)
    path = tmp_path / "drawn.mp4"
    path.write_bytes(encoded)
    with av.open(str(path)) as container:
        colours = [frame.to_ndarray(format="rgb24").mean(axis=(0, 1)) for frame in container.decode(video=0)]
    np.testing.assert_allclose(colours, [(8 * index, 4 * index, 0) for index in range(20)], atol=5)
    facts = clip_facts(encoded)
    assert (facts.frames, facts.duration_s) == (20, 2.0)
    assert 0 <= facts.samples - 2 * RATE < 1024
    assert not any(word in encoded for word in (b"x264", b"Lavf", b"Lavc"))


def test_drawn_frames_are_scaled_and_come_out_the_same_again():
    frames = [np.kron(frame, np.ones((2, 2, 1), np.uint8)) for frame in drawn(5)]
    first, again = (clip_facts(encode_clip(frames, 10, np.zeros(RATE), RATE, ENCODING)) for _ in range(2))
    assert (first.width, first.height) == (32, 32)
    assert first == again


def test_no_drawn_frame_is_an_error():
    with pytest.raises(MediaError, match="no frame"):
        encode_clip([], 10, np.zeros(RATE), RATE, ENCODING)
