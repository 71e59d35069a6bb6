"""Which frames of a film stand for it: by its own keyframes, by shots, by how well they fit the question (MB-59)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.records import FramePolicy, Limits
from musebench_tasks.media import MediaGroup
from musebench_tasks.media.cache import MediaCache
from musebench_tasks.media.frame_policies import (
    choose_by_scores,
    choose_by_shots,
    choose_keyframes,
    colour_shares,
    shot_starts,
)
from musebench_tasks.media.sampling import Window

TIMES = np.arange(100) / 10
"""Ten seconds at ten frames a second."""


def keyframes(times, window=(0.0, 10.0), fps=1.0, max_frames=None):
    choice = choose_keyframes(TIMES, np.array(times), Window(*window, clamped=False), fps, max_frames)
    return None if choice is None else TIMES[choice.indices].tolist()


def test_all_keyframes_of_the_window():
    assert keyframes([0.0, 2.5, 5.0, 7.5]) == [0.0, 2.5, 5.0, 7.5]
    assert keyframes([0.0, 2.5, 5.0, 7.5], window=(2.0, 7.5)) == [2.5, 5.0]


def test_many_keyframes_are_thinned_evenly_to_the_budget():
    assert keyframes(TIMES, max_frames=3) == [0.0, 5.0, 9.9]
    assert len(keyframes(TIMES)) == 10  # no more than the rate would give


def test_a_window_may_hold_no_keyframe():
    assert keyframes([0.0], window=(1.0, 4.0)) is None


def plain(colour, mark=None):
    pixels = np.full((32, 32, 3), colour, np.uint8)
    if mark is not None:
        pixels[mark : mark + 6, 4:10] = 255
    return pixels


def starts_of(pictures, threshold=0.3):
    return shot_starts([colour_shares(each) for each in pictures], threshold).tolist()


def test_a_shot_begins_where_colours_change():
    film = [plain((200, 20, 20), mark) for mark in range(4)] + [plain((20, 20, 200), mark) for mark in range(3)]
    assert starts_of(film) == [0, 4]


def test_what_moves_within_a_picture_begins_no_shot():
    assert starts_of([plain((20, 20, 20), mark) for mark in range(0, 24, 3)]) == [0]


def test_the_same_colours_elsewhere_in_the_picture_begin_one():
    left, right = plain((0, 0, 0)), plain((0, 0, 0))
    left[:, :16], right[:, 16:] = 255, 255
    assert starts_of([left, left, right]) == [0, 2]


def shots(starts, available, budget):
    return choose_by_shots(np.array(starts, dtype=np.int64), available, budget).tolist()


def test_one_frame_a_shot_then_more_of_the_longest():
    assert shots([0, 2, 4], 10, 3) == [1, 3, 7]
    assert shots([0, 2, 4], 10, 5) == [1, 3, 5, 7, 9]


def test_more_shots_than_frames_are_taken_evenly():
    assert shots(range(10), 10, 3) == [0, 5, 9]


@settings(max_examples=40)
@given(st.data())
def test_shots_give_exactly_the_budget_in_order(data):
    available = data.draw(st.integers(1, 60))
    starts = sorted({0, *data.draw(st.lists(st.integers(0, available - 1), max_size=20))})
    budget = data.draw(st.integers(1, 70))
    chosen = shots(starts, available, budget)
    assert len(chosen) == min(budget, available)
    assert chosen == sorted(set(chosen))
    assert 0 <= chosen[0] <= chosen[-1] < available


def scored(scores, budget):
    return choose_by_scores(np.array(scores, dtype=np.float64), budget).tolist()


def test_frames_that_stand_out_are_taken_together():
    assert scored([0, 0, 0, 9, 9, 9, 0, 0, 0, 0, 0, 0], 3) == [3, 4, 5]


def test_where_nothing_stands_out_every_part_gets_some():
    assert scored([5.0] * 12, 4) == [0, 3, 6, 9]


def test_two_events_both_get_frames():
    first, second = [0, 8, 0, 0, 0, 0], [0, 0, 0, 0, 7, 0]
    chosen = scored(first * 2 + second * 2, 4)
    assert {1, 7, 16, 22} == set(chosen)


@settings(max_examples=40)
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=64), st.integers(1, 70))
def test_scores_give_exactly_the_budget_in_order(scores, budget):
    chosen = scored(scores, budget)
    assert len(chosen) == min(budget, len(scores))
    assert chosen == sorted(set(chosen))
    assert scored([each / 2 for each in scores], budget) == chosen


class Scorer:
    revision = "1"

    def __init__(self, score):
        self.score, self.texts = score, []

    def scores(self, jpegs, text):
        self.texts.append(text)
        return self.score(len(jpegs))


@pytest.fixture
def chosen(base, group):
    """The times of the frames of a four second film at five a second, three at most; their policy and flags."""

    def choose(policy, path=base, scorer=None, **part):
        requests = group(path, "video", fps=5, max_frames=3, frame_policy=policy, **part).requests
        batch = MediaGroup(requests, Limits(), find_scorer=lambda name: scorer).frames()
        return [round(each, 3) for each in batch.times_s.tolist()], batch.policy, batch.flags

    return choose


QUERY = FramePolicy(name="query", scorer="python:x.py:fit", scorer_revision="1", text="Who sings?")


def test_the_films_own_keyframes(chosen, make, folder):
    film = make.film(folder / "keyframes.mp4", options={"g": "30", "sc_threshold": "0"})
    assert chosen(FramePolicy(name="keyframes"), film)[:2] == ([0.0, 2.4, 3.6], "keyframes")


def test_a_window_without_keyframe_falls_back_and_says_so(chosen, make, folder):
    film = make.film(folder / "one keyframe.mp4", options={"g": "1000", "sc_threshold": "0"})
    times, policy, flags = chosen(FramePolicy(name="keyframes"), film, start_s=1.0, end_s=2.0)
    assert (times, policy) == ([0.0, 0.4, 0.8], "uniform")
    assert "no_keyframes" in flags


def test_shots_of_a_film(chosen, make, folder):
    colours = [(200, 30, 30)] * 30 + [(30, 200, 30)] * 10 + [(30, 30, 200)] * 60

    def draw(number):
        return np.full((120, 160, 3), colours[number], np.uint8)

    times, policy, _ = chosen(
        FramePolicy(name="scene_changes", threshold=0.3), make.film(folder / "shots.mp4", make=draw)
    )
    assert policy == "scene_changes"
    assert len(times) == 3
    assert times[0] < 1.2 <= times[1] < 1.6 <= times[2]


def test_frames_that_fit_the_question(chosen):
    scorer = Scorer(lambda count: np.eye(count)[4] + np.eye(count)[11] + np.eye(count)[17])
    assert chosen(QUERY, scorer=scorer)[:2] == ([0.8, 2.2, 3.4], "query")
    assert scorer.texts == ["Who sings?"]


def test_times_that_nobody_can_reckon_are_recorded(base, group):
    policy = FramePolicy(name="scene_changes", threshold=0.3)
    chosen = group(base, "video", fps=5, max_frames=3, frame_policy=policy)
    batch = chosen.frames()
    assert chosen.received().frame_times_s == tuple(batch.times_s.round(3).tolist())
    even = group(base, "video", fps=5, max_frames=3)
    even.frames()
    assert even.received().frame_times_s is None


def test_questions_about_one_window_share_its_candidates(base, group, tmp_path):
    cache = MediaCache(tmp_path)
    for text in ("Who sings?", "Who plays?"):
        policy = QUERY.model_copy(update={"text": text})
        requests = group(base, "video", fps=5, max_frames=3, frame_policy=policy).requests
        MediaGroup(requests, Limits(), cache, find_scorer=lambda name: Scorer(np.arange)).frames()
    assert len([path for path in tmp_path.rglob("*") if path.is_file() and "frames" in str(path)]) == 1


def test_nothing_to_choose_asks_no_scorer(chosen):
    assert chosen(QUERY, scorer=None, start_s=0.0, end_s=0.6)[1] == "5 fps"


@pytest.mark.parametrize(
    ("score", "said"),
    [(lambda count: np.zeros(3), "3 scores for 20 frames"), (lambda count: np.full(20, np.nan), "finite")],
)
def test_a_scorer_that_gives_no_number_a_frame_stops_the_run(chosen, score, said):
    with pytest.raises(MuseError, match=said):
        chosen(QUERY, scorer=Scorer(score))


def test_a_scorer_that_changed_since_planning_stops_the_run(chosen):
    scorer = Scorer(np.zeros)
    scorer.revision = "2"
    with pytest.raises(MuseError, match="changed since this run began"):
        chosen(QUERY, scorer=scorer)


def test_conditions_apply_to_the_frames_chosen(base, group):
    policy = FramePolicy(name="scene_changes", threshold=0.3)
    asked = {"fps": 5, "max_frames": 4, "frame_policy": policy}
    full = group(base, "video", **asked).frames()
    frozen = group(base, "video", condition="frozen_frame", **asked).frames()
    assert np.array_equal(frozen.times_s, full.times_s)
    assert all(np.array_equal(each, full.pixels[2]) for each in frozen.pixels)


def test_the_models_limit_is_the_budget_too(base, group):
    policy = FramePolicy(name="scene_changes", threshold=0.3)
    batch = group(base, "video", limits=Limits(max_frames=2), fps=5, max_frames=3, frame_policy=policy).frames()
    assert len(batch.times_s) == 2
