import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.pages.figures import clean
from musebench_tasks.pages.figures.look import look_of, short, spread, tell_apart
from musebench_tasks.pages.figures.sheet import steps


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.01, 0.3))
def test_names_keep_apart_within_the_limits(wanted, gap):
    placed = spread(wanted, gap, 0.0, 1.0)
    least = min(gap, 1 / max(1, len(wanted) - 1))
    ordered = sorted(placed)
    assert all(-1e-9 <= each <= 1 + 1e-9 for each in placed)
    assert all(later - earlier >= least - 1e-9 for earlier, later in pairwise(ordered))
    assert [placed[index] for index in sorted(range(len(wanted)), key=lambda index: wanted[index])] == ordered


def test_names_with_room_stay_where_they_are():
    assert spread([0.9, 0.1, 0.5], 0.1, 0.0, 1.0) == [0.9, 0.1, 0.5]


def test_a_long_name_keeps_both_ends():
    assert short("transformers:Qwen/Qwen2.5-Omni-7B", 20) == "transform….5-Omni-7B"
    assert short("系统" * 30, 9) == "系统…系统"
    assert short("dsp", 20) == "dsp"


def test_a_name_is_one_line_that_any_file_can_hold():
    assert clean("a\nb\x00\tc") == "a b␀ c"
    assert clean("left \u202eright") == "left \ufffdright"


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (0, 0.3, [0, 0.1, 0.2, 0.3]), (-0.1, 0.1, [-0.1, -0.05, 0, 0.05, 0.1])],
)
def test_steps_are_round_and_hold_the_ends(low, high, found):
    assert steps(low, high) == pytest.approx(found)


def test_twelve_systems_differ_without_colour():
    looks = [look_of(number) for number in range(12)]
    assert len({each.marker for each in looks}) == 12
    assert len({each.colour for each in looks[:6]}) == 6


def test_matplotlib_waits_until_something_is_drawn():
    code = "import sys, musebench_tasks.pages.figures as f; assert 'matplotlib' not in sys.modules, f"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["dsp", "random"], ["dsp", "random"]),
        (
            ["python:my_tracker_version_1.py:answer", "python:my_tracker_version_2.py:answer"],
            ["my_tracker_version_1.py", "my_tracker_version_2.py"],
        ),
        (["a:" + "x" * 30 + "1" + "y" * 30, "a:" + "x" * 30 + "2" + "y" * 30], None),
    ],
)
def test_long_names_keep_what_tells_them_apart(names, found):
    named = tell_apart(names)
    assert found is None or named == found
    assert len({short(name, 16) for name in named}) == len(names)
