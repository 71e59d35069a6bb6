"""All windows of a file are decoded in one pass: counted, and compared with windows decoded one by one."""

import shutil
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.records import Limits, MediaPart, MediaSource, Modality, Request
from musebench_tasks.media import (
    DecodeCounts,
    MediaCache,
    MediaGroup,
    audio,
    decode_counts,
    reset_decode_counts,
    sound_reader,
)
from musebench_tasks.media.audio import AudioSettings, DecodedAudio, decode_audio
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.fetch import Fetcher, Wish
from musebench_tasks.media.probe import scan_file
from musebench_tasks.media.unpack import MediaFile
from musebench_tasks.media.video import FrameSettings, decode_frames

WINDOWS = ((0.0, 4.0), (1.0, 5.0), (2.5, 6.5), (3.0, 7.0))
BOTH = Limits(modalities=frozenset({"video", "audio"}), max_frames=8, sample_rate=16_000)
DEAF = Limits(modalities=frozenset({"video"}), max_frames=8)
BLIND = Limits(modalities=frozenset({"audio"}), sample_rate=16_000)
CONDITIONS = (("full", "full"), ("shuffled_frames", "full"), ("full", "noise"))
"""Conditions of frames and of sound, as requests under `full`, `shuffled_frames` and `noise` have them."""


@pytest.fixture(scope="module")
def long(folder, make):
    """Eight seconds of film with a keyframe each 20 frames, and of sound."""
    return make.film(
        folder / "long.mp4", frames=200, size=(64, 48), options={"g": "20", "bf": "2"}, sounds=[make.tone(8)]
    )


def parts(path, window, modalities, frames="full", sound="full", fps=2.0):
    shared = {"source": MediaSource(path=str(path)), "start_s": window[0], "end_s": window[1]}
    made = {
        "video": lambda: MediaPart(modality="video", condition=frames, fps=fps, max_frames=8, **shared),
        "audio": lambda: MediaPart(modality="audio", condition=sound, sample_rate=16_000, **shared),
    }
    return tuple(made[each]() for each in ("video", "audio") if each in modalities)


def request(number, its_parts):
    return Request(
        item_id=f"i{number}", run=0, condition="full", kind="single", prompt="?", key=str(number), parts=its_parts
    )


def groups_of(path, limits, cache, windows=WINDOWS, conditions=CONDITIONS):
    """The groups of a file as work makes them: one a window and condition, all told what the file will be asked for."""
    each = [parts(path, window, limits.modalities, *kinds) for window in windows for kinds in conditions]
    every = tuple({part.identity: part for its_parts in each for part in its_parts}.values())
    return [
        MediaGroup((request(number, its_parts),), limits, cache, file_parts=every)
        for number, its_parts in enumerate(each)
    ]


def taken(group):
    """All that a model takes of a group."""
    frames = group.frames() if group.has(Modality.VIDEO) else None
    sound = group.audio() if group.has(Modality.AUDIO) else None
    return (
        None if frames is None else (frames.pixels.tobytes(), frames.times_s.tolist(), frames.flags),
        None if sound is None else (sound.samples.tobytes(), sound.flags),
    )


@pytest.fixture
def counts():
    reset_decode_counts()
    return lambda path: decode_counts().get(str(path), DecodeCounts())


@pytest.mark.parametrize("bound", [10**9, 0], ids=["cache", "no cache"])
def test_a_file_is_opened_once_for_all_windows_and_conditions(bound, long, tmp_path, counts):
    long = Path(shutil.copy(long, tmp_path))
    for group in groups_of(long, BOTH, MediaCache(tmp_path, max_bytes=bound)):
        taken(group)
    cost = counts(long)
    assert (cost.scans, cost.opens) == (1, 1)
    assert cost.frames_decoded <= 1.05 * 200
    assert cost.frames_converted <= 1.2 * cost.frames_used
    assert cost.frames_used == len({start + step / 2 for start, _ in WINDOWS for step in range(8)})
    assert cost.audio_s_decoded <= 1.05 * 7
    for group in groups_of(long, BOTH, MediaCache(tmp_path, max_bytes=10**9)) if bound else ():
        taken(group)
    assert counts(long) == cost, "a second run decodes nothing"


def test_windows_together_and_alone_are_the_same(long, tmp_path):
    together = [taken(group) for group in groups_of(long, BOTH, MediaCache(tmp_path / "a"))]
    alone = [
        taken(MediaGroup(group.requests, BOTH, MediaCache(tmp_path / "b" / str(number))))
        for number, group in enumerate(groups_of(long, BOTH, None))
    ]
    assert together == alone


@pytest.mark.parametrize(("limits", "heard", "seen"), [(DEAF, False, True), (BLIND, True, False)])
def test_nothing_is_decoded_that_the_model_does_not_take(limits, heard, seen, long, tmp_path, counts):
    """The other groups of the file would hand out both streams."""
    every = tuple(part for window in WINDOWS for part in parts(long, window, ("video", "audio")))
    own = parts(long, WINDOWS[0], limits.modalities)
    taken(MediaGroup((request(0, own),), limits, MediaCache(tmp_path), file_parts=every))
    assert (counts(long).audio_s_decoded > 0, counts(long).frames_decoded > 0) == (heard, seen)


def test_a_model_that_never_looks_costs_no_decoding(long, tmp_path, counts):
    for group in groups_of(long, BOTH, MediaCache(tmp_path)):
        group.received()
    assert counts(long) == DecodeCounts()


def test_either_rate_that_a_model_may_ask_for_is_there(long, tmp_path, counts):
    limits = Limits(modalities=BOTH.modalities, sample_rate=24_000)
    for group in groups_of(long, limits, MediaCache(tmp_path), conditions=[("full", "full")]):
        group.frames()
        assert (group.audio(24_000).sample_rate, group.audio().sample_rate) == (24_000, 16_000)
    assert counts(long).opens == 1


def test_only_missing_windows_are_decoded(long, tmp_path, counts):
    cache = MediaCache(tmp_path)
    first, *others = groups_of(long, BOTH, cache, conditions=[("full", "full")])
    taken(MediaGroup(first.requests, BOTH, cache))
    used = counts(long).frames_used
    for group in others:
        taken(group)
    assert counts(long).opens == 2
    assert counts(long).frames_used == used + len({start + step / 2 for start, _ in WINDOWS[1:] for step in range(8)})


@pytest.fixture(scope="module")
def containers(folder, make):
    """The same film and sound in several containers and codecs."""
    aac = {"sounds": [make.tone(6) * np.linspace(0.1, 1, 6 * make.rate, dtype=np.float32)], "size": (64, 48)}
    films = {
        "pass.mp4": {"options": {"g": "20", "bf": "2"}},
        "pass.mkv": {"options": {"g": "20", "bf": "2"}},
        "pass.mov": {"options": {"g": "20", "bf": "2"}},
        "pass.ts": {"options": {"g": "20", "bf": "2"}, "format": "mpegts"},
        "pass.avi": {"codec": "mpeg4", "options": {"g": "20", "bf": "2"}},
        "open.mp4": {"options": {"bf": "2", "x264-params": "open-gop=1:keyint=20"}},
    }
    return {name: make.film(folder / name, frames=150, **aac, **given) for name, given in films.items()}


def opened(path, counts=None):
    return OpenMedia(str(path), path.name, counts or DecodeCounts())


def plain(outcome):
    if isinstance(outcome, MediaError):
        return str(outcome)
    if isinstance(outcome, DecodedAudio):
        return outcome.samples.tobytes(), outcome.sample_rate, outcome.flags
    return outcome


def decoded(path, frames, sounds, media=None):
    """What the child makes of wishes, sound first."""
    scan = scan_file(str(path), path.name)
    with media or opened(path) as source:
        heard = dict(decode_audio(source, scan, sounds, lambda: None))
        seen = dict(decode_frames(source, scan, frames, lambda: None))
    return [plain(heard[at]) for at in range(len(sounds))], [plain(seen[at]) for at in range(len(frames))]


def one_by_one(path, frames, sounds):
    heard = [decoded(path, [], [each])[0][0] for each in sounds]
    return heard, [decoded(path, [each], [])[1][0] for each in frames]


TIMES = st.floats(0, 7).map(lambda value: round(value, 2))
SPANS = st.tuples(st.none() | TIMES, st.none() | TIMES)
FRAME_WISHES = st.builds(
    lambda span, fps, most, pixels: FrameSettings(*span, fps=fps, max_frames=most, max_pixels=pixels),
    SPANS,
    st.sampled_from([0.5, 1.0, 2.0, 5.0]),
    st.sampled_from([None, 1, 4]),
    st.sampled_from([None, None, 1200]),
)
SOUND_WISHES = st.builds(
    lambda span, rate, most: AudioSettings(*span, sample_rate=rate, max_audio_s=most),
    SPANS,
    st.sampled_from([None, 16_000]),
    st.sampled_from([None, 1.5]),
)


CONTAINERS = ["pass.mp4", "pass.mkv", "pass.mov", "pass.ts", "pass.avi", "open.mp4"]
ANY_WISHES = given(
    frames=st.lists(FRAME_WISHES, min_size=1, max_size=4), sounds=st.lists(SOUND_WISHES, min_size=1, max_size=4)
)
ON_SHARED_FILES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def short_stretches(monkeypatch):
    monkeypatch.setattr(sound_reader, "STRETCH_S", 2.0)
    monkeypatch.setattr(sound_reader, "SEEK_FROM_S", 3.0)


def same_together_and_alone(name, containers, frames, sounds):
    media = opened(containers[name])
    assert decoded(containers[name], frames, sounds, media) == one_by_one(containers[name], frames, sounds)
    if name != "pass.avi":  # whose index names keyframes that are none: decoding starts anew where one misleads
        assert media.counts.opens <= 1
        assert media.counts.frames_decoded <= 1.05 * 150


@pytest.mark.parametrize("name", ["pass.mp4", "pass.mkv", "pass.ts"])
@ANY_WISHES
@settings(ON_SHARED_FILES, max_examples=3)
def test_any_windows_together_are_what_they_are_alone(name, containers, short_stretches, frames, sounds):
    same_together_and_alone(name, containers, frames, sounds)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTAINERS)
@ANY_WISHES
@settings(ON_SHARED_FILES, max_examples=150)
def test_many_windows_together_are_what_they_are_alone(name, containers, short_stretches, frames, sounds):
    same_together_and_alone(name, containers, frames, sounds)


@pytest.mark.parametrize("name", CONTAINERS)
def test_sound_and_film_come_from_one_opening(name, containers):
    media = opened(containers[name], DecodeCounts())
    sounds = [AudioSettings(0, 2), AudioSettings(1, 3)]
    decoded(containers[name], [FrameSettings(0, 2), FrameSettings(1, 3)], sounds, media)
    assert media.counts.opens == 1


def test_stretches_are_the_whole(containers, monkeypatch):
    """Joined where a decoder was started anew, sound is what it is in one go, but for noise that decoders add."""
    path = containers["pass.mp4"]
    ((whole, _, flags),), _ = decoded(path, [], [AudioSettings()])
    monkeypatch.setattr(sound_reader, "STRETCH_S", 2.0)
    media = opened(path, DecodeCounts())
    ((joined, _, joined_flags),), _ = decoded(path, [], [AudioSettings()], media)
    assert media.counts.opens == 1
    assert joined_flags == flags
    assert np.abs(np.frombuffer(whole, "<f4") - np.frombuffer(joined, "<f4")).max() < 1e-3


def test_a_late_window_is_reached_without_all_before_it(folder, make, monkeypatch):
    monkeypatch.setattr(sound_reader, "STRETCH_S", 10.0)
    path = make.sound(folder / "minute.m4a", make.tone(60, 8000), 8000, codec="aac")
    media = opened(path, DecodeCounts())
    decoded(path, [], [AudioSettings(51, 53), AudioSettings(54, 55)], media)
    assert media.counts.audio_s_decoded < 8


def test_one_wrong_window_fails_alone(long, tmp_path, counts):
    windows = (*WINDOWS, (9.0, 12.0), (5.0, 5.0))
    ended = []
    for group in groups_of(long, BOTH, MediaCache(tmp_path), windows=windows, conditions=[("full", "full")]):
        try:
            ended.append(len(taken(group)))
        except MediaError as error:
            ended.append(error.code)
    assert ended == [2, 2, 2, 2, "bad_window", "bad_window"]
    assert counts(long).opens == 1


@pytest.fixture(scope="module")
def damaged(long, folder):
    """The long film with damage in its middle."""
    data = bytearray(long.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 900] = np.random.default_rng(5).bytes(900)
    path = folder / "damaged.mp4"
    path.write_bytes(data)
    return path


def test_damage_ends_the_windows_that_it_ends_alone(damaged):
    frames = [FrameSettings(start, start + 1, fps=5.0) for start in range(8)]
    sounds = [AudioSettings(start, start + 1) for start in range(8)]
    together = decoded(damaged, frames, sounds)
    assert together == one_by_one(damaged, frames, sounds)
    assert any(isinstance(each, str) and each.startswith("corrupt") for each in together[1])
    assert any(not isinstance(each, str) for each in together[1])


def test_windows_are_handed_on_and_forgotten(folder, make):
    """Of ten windows no more than two are held at once."""
    path = make.film(folder / "many.mp4", frames=250, sounds=[], size=(320, 240), options={"g": "25"})
    scan, media = scan_file(str(path), "many.mp4"), opened(path)
    sizes = []
    tracemalloc.start()
    try:
        for _, frames in decode_frames(media, scan, [FrameSettings(s, s + 1, fps=25) for s in range(10)], lambda: None):
            sizes.append(sum(map(len, frames.jpegs)))
            del frames
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        media.close()
    assert len(sizes) == 10
    assert peak < 3.5 * max(sizes)


class Process:
    """A decode process that hangs on more than one entry."""

    def __init__(self):
        self.jobs = []

    def run(self, job, timeout_s):
        self.jobs.append(len(job["entries"]))
        if len(job["entries"]) > 1:
            raise MediaError("decode_timeout", "no progress")
        return {"outcomes": [{"code": "corrupt", "explanation": "damaged"}]}


def test_after_a_hang_windows_are_decoded_one_by_one(tmp_path):
    process = Process()
    fetcher = Fetcher(MediaCache(tmp_path), process, 1.0)
    wishes = [Wish("frames", {"start_s": start}) for start in range(3)]
    for wish in wishes + wishes[:1]:
        with pytest.raises(MediaError, match="corrupt: damaged"):
            fetcher.entry(MediaFile(tmp_path / "x.mp4", "0" * 64, "x.mp4"), wish, lambda: wishes)
    assert process.jobs == [3, 1, 1, 1], "what failed is not decoded again"


def test_sound_beyond_what_is_held_at_once_waits_for_another_pass(containers, monkeypatch):
    monkeypatch.setattr(audio, "HELD_AT_ONCE_S", 5.0)
    path = containers["pass.mkv"]
    sounds = [AudioSettings(0, 6), AudioSettings(1, 5), AudioSettings(4, 6), AudioSettings(0, 6, sample_rate=16_000)]
    media = opened(path, DecodeCounts())
    together = decoded(path, [], sounds, media)
    assert media.counts.opens == 3
    assert together == one_by_one(path, [], sounds)
