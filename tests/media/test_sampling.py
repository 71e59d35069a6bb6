import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.errors import MediaError
from musebench_tasks.media.sampling import Window, choose_frames, grid_indices, resolve_window, spread

TWENTY_FIVE_FPS = np.arange(100) / 25


@given(st.integers(1, 5000), st.integers(1, 800))
def test_spread_is_unique_ascending_and_inside(available, used):
    indices = spread(available, used)
    assert len(indices) == min(available, used)
    assert (np.diff(indices) > 0).all()
    assert indices[0] >= 0
    assert indices[-1] < available


@given(st.integers(2, 5000), st.integers(2, 800))
def test_spread_holds_both_ends_and_even_steps(available, used):
    indices = spread(available, used)
    assert (indices[0], indices[-1]) == (0, available - 1)
    if used <= available:
        assert np.ptp(np.diff(indices)) <= 1


@pytest.mark.parametrize(
    ("available", "used", "expected"),
    [(1, 1, [0]), (2, 1, [0]), (9, 1, [4]), (9, 2, [0, 8]), (9, 3, [0, 4, 8]), (2, 3, [0, 1]), (3, 3, [0, 1, 2])],
)
def test_one_two_and_three_frames(available, used, expected):
    assert spread(available, used).tolist() == expected


@given(
    st.lists(st.integers(1, 500), min_size=1, max_size=200),
    st.floats(0.1, 60),
    st.one_of(st.none(), st.integers(1, 64)),
)
def test_chosen_frames_are_unique_and_exist(gaps_ms, fps, limit):
    times = np.cumsum([0, *gaps_ms]) / 1000
    window = Window(0.0, float(times[-1]) + 0.04, clamped=False)
    choice = choose_frames(times, window, fps, limit)
    assert (np.diff(choice.indices) > 0).all()
    assert choice.indices[0] >= 0
    assert choice.indices[-1] < len(times)
    assert len(choice.indices) == min(choice.available, limit or choice.available)


def test_one_frame_a_second_is_the_frame_on_display():
    assert TWENTY_FIVE_FPS[grid_indices(TWENTY_FIVE_FPS, Window(0, 4, False), 1.0)].tolist() == [0, 1, 2, 3]
    assert TWENTY_FIVE_FPS[grid_indices(TWENTY_FIVE_FPS, Window(1.25, 3.5, False), 1.0)].tolist() == [1.24, 2.24, 3.24]


def test_the_end_of_the_window_is_not_part_of_it():
    assert len(grid_indices(TWENTY_FIVE_FPS, Window(0, 3.0, False), 1.0)) == 3
    assert len(grid_indices(TWENTY_FIVE_FPS, Window(0, 3.01, False), 1.0)) == 4


def test_the_smaller_limit_binds_and_is_named():
    assert choose_frames(TWENTY_FIVE_FPS, Window(0, 4, False), 1.0, 32).policy == "1 fps"
    bound = choose_frames(TWENTY_FIVE_FPS, Window(0, 4, False), 1.0, 2)
    assert (TWENTY_FIVE_FPS[bound.indices].tolist(), bound.available, bound.policy) == ([0, 3], 4, "uniform")


def test_slow_films_give_each_frame_once():
    assert grid_indices(np.array([0.0, 5.0]), Window(0, 10, False), 1.0).tolist() == [0, 1]


@pytest.mark.parametrize(("start", "end"), [(4.0, 5.0), (9, None), (2.0, 2.0), (3.0, 1.0), (-1.0, 2.0)])
def test_an_empty_window_is_refused(start, end):
    with pytest.raises(MediaError, match="bad_window"):
        resolve_window(start, end, 4.0, "clip.mp4")


def test_a_window_beyond_the_end_is_clamped():
    assert resolve_window(1.0, 9.0, 4.0, "clip.mp4") == Window(1.0, 4.0, clamped=True)
    assert not resolve_window(1.0, 4.02, 4.0, "clip.mp4").clamped
