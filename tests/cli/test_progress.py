import pytest

from musebench_tasks.base.records import Interval, ScoreRow
from musebench_tasks.cli.progress import TerminalListener, duration_text, headline_text, state_text


class State:
    def __init__(self, answered=0, planned=48, failed=0, left=None):
        self.answered, self.planned, self.failed, self.left = answered, planned, failed, left

    def time_left_s(self):
        return self.left


def row(value, low=None, high=None, n=48):
    interval = None if low is None else Interval(low=low, high=high, method="wilson")
    return ScoreRow(
        metric="mub.key.symmetric",
        version="2",
        condition="full",
        value=value,
        interval=interval,
        n=n,
        n_clusters=n,
    )


def test_a_state_says_how_far_how_it_stands_and_how_long():
    text = state_text(State(answered=24, left=62.0), row(0.83, 0.78, 0.88))
    assert text == "24/48   0 failed   key symmetric 0.83 ± 0.05   62 s left"


@pytest.mark.parametrize(
    ("found", "text"),
    [(None, ""), (row(None, n=0), ""), (row(0.5, n=4), "key symmetric 0.50 (n 4)")],
)
def test_a_headline_without_an_interval_says_its_n(found, text):
    assert headline_text(found) == text


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "1 s"), (89, "89 s"), (150, "2 min"), (9000, "2.5 h")])
def test_durations_read_as_people_say_them(seconds, text):
    assert duration_text(seconds) == text


def test_where_there_is_no_terminal_a_short_run_says_one_line_a_task(capsys):
    with TerminalListener(live=False) as listener:
        listener.skipped("dsp", "hummusqa_demo", "full", "answers no single items")
        for answered in range(49):
            listener.progressed("dsp", "mub_demo", State(answered), lambda: None)
        listener.ended("dsp", "mub_demo", State(48), row(0.83, 0.78, 0.88))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["hummusqa_demo", "mub_demo"]
    assert "48/48" in lines[1]
    assert "0.83 ± 0.05" in lines[1]
    assert "\x1b" not in "".join(lines)
