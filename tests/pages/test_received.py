from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Audio, Condition, Frames
from musebench_tasks.media.sampling import Window, choose_frames
from musebench_tasks.pages.received import frame_times, make_tracks

FULL = Condition.FULL


@pytest.mark.parametrize(
    ("frames", "fps", "length", "times"),
    [
        ((4, 4, "1 fps"), None, 4.0, (0, 1, 2, 3)),
        ((8, 8, "2 fps"), 1.0, 4.0, (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5)),
        ((60, 3, "uniform"), 1.0, 60.0, (0, 30, 59)),
        ((60, 1, "uniform"), 1.0, 60.0, (29,)),
        ((4, 2, "uniform"), None, 6.0, (0, 4.5)),
        ((4, 4, "1 fps"), 1.0, 3.2, (0, 1, 2, 3)),
        ((4, 2, "key frames"), 1.0, 4.0, ()),
        ((4, 0, "uniform"), 1.0, 4.0, ()),
    ],
)
def test_times_follow_from_the_rule_that_chose_the_frames(frames, fps, length, times):
    available, used, policy = frames
    assert frame_times(Frames(available=available, used=used, policy=policy), FULL, length, fps) == times


STREAM_FPS = 25


@given(st.floats(0.1, 60), st.floats(0, 30), st.sampled_from([0.5, 1.0, 2.0, 4.0]), st.none() | st.integers(1, 80))
def test_times_are_those_at_which_the_frames_chosen_are_on_display(length, start, fps, most):
    presented = np.arange(0, 100, 1 / STREAM_FPS)
    choice = choose_frames(presented, Window(start, start + length, clamped=False), fps, most)
    frames = Frames(available=choice.available, used=len(choice.indices), policy=choice.policy)
    found = np.array(frame_times(frames, FULL, length, fps)) + start
    shown = presented[choice.indices]
    assert len(found) == len(shown)
    assert np.all((found >= shown - 2e-3) & (found < shown + 1 / STREAM_FPS + 2e-3))


def test_a_frozen_window_is_its_middle_frame():
    frames = Frames(available=5, used=5, policy="1 fps")
    assert frame_times(frames, CONDITIONS["frozen_frame"], 5.0, None) == (2,)


@pytest.fixture
def item(choice_item):
    return choice_item.model_copy(update={"start_s": 10.0, "end_s": 14.0})


def test_times_of_frames_that_were_chosen_come_from_the_journal(item, answer):
    frames = Frames(available=8, used=2, policy="query")
    given = replace(answer(item, [0], frames=frames), frame_times_s=(0.5, 3.0))
    (track,) = make_tracks(item, [given])
    assert (track.times, track.label) == ("10.5 13", "2 of 8 frames")
    assert make_tracks(item, [answer(item, [0], frames=frames)]) == ()


def test_a_track_gives_times_in_the_medium(item, answer):
    (track,) = make_tracks(item, [answer(item, [0], frames=Frames(available=4, used=2, policy="1 fps"))])
    assert track.times == "10 13"
    assert track.marks == "M0 0V8M750 0V8"
    assert track.label == "2 of 4 frames"
    assert track.description == "Times of the frames received: 2 of 4 frames, 0 s to 3 s of the window."


def test_systems_that_received_the_same_share_a_track_and_others_are_named(item, answer):
    many, few = Frames(available=4, used=4, policy="1 fps"), Frames(available=4, used=2, policy="uniform")
    given = [answer(item, [0], system=name, frames=frames) for name, frames in (("a", many), ("b", few), ("c", many))]
    assert [track.label for track in make_tracks(item, given)] == ["4 of 4 frames: a, c", "2 of 4 frames: b"]


def test_sound_has_a_track_only_where_some_of_it_was_cut(item, answer):
    def labels(seconds):
        given = [answer(item, [0], audio=Audio(route="native", seconds=seconds))]
        return [track.label for track in make_tracks(item, given)]

    assert labels(4.0) == labels(3.8) == labels(None) == []
    assert labels(2.0) == ["sound up to 2 s"]


def test_without_a_window_or_an_answer_there_is_no_track(choice_item, answer):
    assert (
        make_tracks(choice_item, [answer(choice_item, [0], frames=Frames(available=4, used=4, policy="1 fps"))]) == ()
    )
