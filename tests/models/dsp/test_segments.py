"""Segments by novelty, on music whose sections are known."""

import itertools

import numpy as np
import pytest
from fakes.synthetic_music import RATE, song

from musebench_tasks.models.dsp.segments import find_segments, novelty
from musebench_tasks.models.dsp.spectrum import to_analysis_rate


def segments(*sections):
    return find_segments(to_analysis_rate(np.concatenate(sections), RATE))


def test_a_change_of_key_and_density_is_a_boundary():
    verse, bridge = song(0, "major", 120, "4/4", 24), song(6, "minor", 120, "3/4", 16)
    found = segments(verse, bridge, verse)
    assert [each["start"] for each in found] == pytest.approx([0, 24, 40], abs=1)
    assert [each["end"] for each in found] == pytest.approx([24, 40, 64], abs=1)


def test_segments_cover_the_recording_without_gaps():
    found = segments(song(0, "major", 100, "4/4", 20), song(7, "minor", 100, "4/4", 20))
    assert found[0]["start"] == 0
    assert found[-1]["end"] == pytest.approx(40, abs=0.01)
    assert all(first["end"] == second["start"] for first, second in itertools.pairwise(found))


def test_music_without_a_change_is_one_segment():
    assert len(segments(song(0, "major", 110, "4/4", 60))) == 1


def test_too_short_to_have_several_is_null():
    assert segments(song(0, "major", 120, "4/4", 12)) is None


def test_novelty_is_the_checkerboard_on_the_similarity_matrix():
    rows = np.random.default_rng(0).standard_normal((64, 5))
    offsets = np.arange(-16, 16) + 0.5
    taper = np.exp(-0.5 * (offsets / 8) ** 2) / np.exp(-0.5 * (offsets[16:] / 8) ** 2).sum()
    checkerboard = np.outer(np.sign(offsets) * taper, np.sign(offsets) * taper)
    similarity = rows @ rows.T
    expected = np.sum(checkerboard * similarity[14:46, 14:46])  # around row 30
    assert novelty(rows)[30] == pytest.approx(expected)
