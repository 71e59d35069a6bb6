"""Long sound in parts: together they are the whole, sample by sample (MU-08)."""

import numpy as np
import pytest

from musebench_tasks.base.records import Chunks, Limits
from musebench_tasks.media.signals import AudioSignal, in_chunks


def parts_of(samples, seconds, overlap_s=0.0, rate=10):
    signal = AudioSignal(np.arange(samples, dtype=np.float32), rate, ("flag",))
    return in_chunks(signal, Chunks(seconds=seconds, overlap_s=overlap_s))


def spans(parts):
    return [(int(part.samples[0]), int(part.samples[-1]) + 1) for part in parts]


def test_parts_follow_one_another_without_a_gap():
    parts = parts_of(70, 3.0)
    assert spans(parts) == [(0, 30), (30, 60), (60, 70)]
    assert all(part.flags == ("flag",) for part in parts)


def test_what_fits_comes_whole():
    assert spans(parts_of(30, 3.0)) == [(0, 30)]
    signal = AudioSignal(np.zeros(9, np.float32), 10)
    assert in_chunks(signal, None) == [signal]


def test_parts_may_share_their_edges():
    assert spans(parts_of(70, 3.0, 1.0)) == [(0, 30), (20, 50), (40, 70)]


def test_a_last_part_is_never_too_short_to_hear():
    assert spans(parts_of(61, 3.0)) == [(0, 30), (30, 60), (51, 61)]


@pytest.mark.parametrize("condition", ["full", "noise", "silence"])
def test_a_groups_parts_are_its_sound_and_no_limit_cuts_them(condition, base, group):
    limits = Limits(max_audio_s=1.5, sample_rate=8000)
    chunked = group(base, "audio", limits=limits, condition=condition, chunks=Chunks(seconds=1.5))
    parts, whole = chunked.audio_parts(), chunked.audio()
    assert [part.duration_s for part in parts] == [1.5, 1.5, 1.0]
    assert np.array_equal(np.concatenate([part.samples for part in parts]), whole.samples)
    assert (chunked.received().audio_parts, chunked.received().audio_s) == (3, 4.0)
    assert "audio_truncated" not in chunked.received().flags


def test_without_chunks_there_is_one_part_and_the_limit_cuts(base, group):
    cut = group(base, "audio", limits=Limits(max_audio_s=1.5, sample_rate=8000))
    (part,) = cut.audio_parts()
    assert (part.duration_s, cut.received().audio_parts) == (1.5, None)
    assert "audio_truncated" in cut.received().flags
