import tracemalloc

import numpy as np
import pytest

from musebench_tasks.base.records import Limits, MediaPart, MediaSource, Modality, Request
from musebench_tasks.media import MediaGroup, jpeg
from musebench_tasks.media.audio import AudioSettings, decode_audio
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.counts import DecodeCounts
from musebench_tasks.media.jpeg import decode_jpeg
from musebench_tasks.media.probe import scan_file


def part(**fields):
    return MediaPart(**{"modality": "audio", "source": MediaSource(path="/a.wav", sha256="1" * 64), **fields})


def request(number, *parts, **fields):
    return Request(
        item_id=f"i{number}", run=0, condition="full", kind="single", prompt="?", key=str(number), parts=parts, **fields
    )


def test_making_groups_opens_nothing():
    groups = [MediaGroup((request(n, part(source=MediaSource(path=f"/no/{n}.wav"))),), Limits()) for n in range(4000)]
    assert all(group.has(Modality.AUDIO) and not group.has(Modality.VIDEO) for group in groups)


def test_nothing_received_before_it_is_taken(base, group):
    lazy = group(base)
    received = lazy.received()
    assert (received.frames_used, received.audio_s, received.audio_route) == (None, None, "none")
    lazy.audio()
    assert (lazy.received().audio_route, lazy.received().audio_s) == ("native", 4.0)
    assert lazy.received().frames_used is None
    lazy.frames()
    assert (lazy.received().frames_available, lazy.received().frames_used) == (4, 4)
    assert lazy.received().frame_policy == "1 fps"


def test_a_transcript_is_received_with_the_prompt():
    assert MediaGroup((request(1, audio_route="transcript"),), Limits()).received().audio_route == "transcript"


def test_the_models_limit_of_frames_binds(base, group):
    batch = group(base, "video", limits=Limits(max_frames=2), max_frames=3).frames()
    assert (batch.times_s.tolist(), batch.available, batch.policy) == ([0, 3], 4, "uniform")


def test_asking_for_a_stream_that_is_no_part(base, group):
    with pytest.raises(ValueError, match="no video part"):
        group(base, "audio").frames()


def test_arrays_are_what_processors_take(base, group):
    both = group(base)
    frames, sound = both.frames(), both.audio(16_000)
    assert (frames.pixels.dtype, frames.times_s.dtype, sound.samples.dtype) == (np.uint8, np.float64, np.float32)
    assert frames.pixels.flags.writeable
    assert frames.pixels.flags.c_contiguous


def peak_bytes(call):
    """What `call` gives, and the most memory that was held at once while it ran."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_frames_are_held_once(base, frames_of):
    frames_of(base, fps=25)
    batch, peak = peak_bytes(lambda: frames_of(base, fps=25))
    assert len(batch.pixels) == 100
    assert peak < 1.5 * batch.pixels.nbytes


def test_sound_is_held_once_while_it_is_decoded(folder, make):
    path = str(make.sound(folder / "minute.wav", make.tone(60)))
    scan = scan_file(path, "minute.wav")
    media = OpenMedia(path, "minute.wav", DecodeCounts())
    ((_, heard),), peak = peak_bytes(lambda: list(decode_audio(media, scan, [AudioSettings()], lambda: None)))
    assert len(heard.samples) == 60 * 44_100
    assert peak < 1.2 * heard.samples.nbytes


def test_conditions_share_the_pixels_of_a_window(base, group, monkeypatch):
    decoded = []
    monkeypatch.setattr(jpeg, "decode_jpeg", lambda data: decoded.append(1) or decode_jpeg(data))
    whole = group(base, "video", max_pixels=3000).frames()
    cost = len(decoded)
    frozen = group(base, "video", max_pixels=3000, condition="frozen_frame").frames()
    again = group(base, "video", max_pixels=3000).frames()
    assert len(decoded) == cost
    assert np.array_equal(frozen.pixels, whole.pixels[[2, 2, 2, 2]])
    assert np.array_equal(again.pixels, whole.pixels)
    again.pixels[:] = 0
    assert not np.array_equal(group(base, "video", max_pixels=3000).frames().pixels, again.pixels)


def test_more_pixels_than_are_held_come_straight(base, group, monkeypatch):
    monkeypatch.setattr(jpeg, "HELD_BYTES", 1000)
    batch = group(base, "video", max_pixels=2500, condition="shuffled_frames").frames()
    assert sorted(batch.pixels[:, 30, 30, 1]) == sorted(
        group(base, "video", max_pixels=2500).frames().pixels[:, 30, 30, 1]
    )
    assert not any(each.shape[1:] == batch.pixels.shape[1:] for each in jpeg._held.values())
