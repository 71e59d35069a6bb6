"""Where a page and a folder of submissions may lie."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.submissions import leaderboard
from musebench_tasks.submissions.leaderboard import add_to_leaderboard


@pytest.mark.parametrize("inside", ["", "submissions", "submissions/data", "submissions/data/../.."])
def test_no_page_is_written_among_the_submissions(colours, inside):
    before = sorted(colours.submissions.rglob("*"))
    with pytest.raises(InputError, match="submissions lie there. Choose another folder for the page: --out "):
        colours.build(out=colours.submissions / inside)
    assert sorted(colours.submissions.rglob("*")) == before


@pytest.mark.parametrize("inside", ["", "board", "../colours"])
def test_no_submissions_are_put_into_the_run_they_are_made_of(run_folder, inside):
    before = sorted(run_folder.rglob("*"))
    with pytest.raises(InputError, match="lies in the run .* Choose a folder of submissions outside of it"):
        add_to_leaderboard(run_folder, run_folder / inside, submitter="Ada")
    assert sorted(run_folder.rglob("*")) == before


def test_a_submission_appears_whole_or_not_at_all(colours, run_folder, monkeypatch):
    """Killed before it is in its place, nothing is to be seen of it; what was left half is made whole."""
    board = colours.folder / "to"
    seen = []
    rename = Path.rename

    def killed(self, target):
        seen.append([each for each in board.rglob("*") if each.is_file()])
        raise KeyboardInterrupt

    monkeypatch.setattr(leaderboard.Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        add_to_leaderboard(run_folder, board, submitter="Ada")
    assert all(any(part.startswith(".") for part in file.relative_to(board).parts) for file in seen[0])
    assert not [each for each in board.rglob("*") if each.is_file()]
    monkeypatch.setattr(leaderboard.Path, "rename", rename)
    (place,) = add_to_leaderboard(run_folder, board, submitter="Ada")
    (place / "submission.yaml").unlink()
    assert add_to_leaderboard(run_folder, board, submitter="Bo") == [place]
    assert "submitter: Bo" in (place / "submission.yaml").read_text()
    assert stat.S_IMODE(place.stat().st_mode) & 0o055 == 0o055


def test_two_that_add_the_same_at_once_add_it_once(colours, run_folder):
    board = colours.folder / "to"
    with ThreadPoolExecutor(4) as pool:
        places = list(pool.map(lambda name: add_to_leaderboard(run_folder, board, submitter=name), "ABCD"))
    assert len({tuple(each) for each in places}) == 1
    assert sorted(each.name for each in places[0][0].iterdir()) == [
        "predictions.jsonl", "run.yaml", "scores.json", "submission.yaml"
    ]  # fmt: skip
    assert not list(places[0][0].parent.glob(".*"))


def test_what_is_hidden_is_no_submission(colours, submission):
    (colours.submissions / ".git" / "x").mkdir(parents=True)
    (colours.submissions / ".git" / "x" / "run.yaml").write_text("x")
    (submission.parent / ".half" / "x").mkdir(parents=True)
    (submission.parent / ".half" / "x" / "submission.yaml").write_text("x")
    assert colours.build().n_submissions == 3


def test_a_board_that_cannot_be_written_is_told(colours, run_folder):
    (colours.folder / "file").write_text("x")
    with pytest.raises(InputError, match=r"cannot be written \(.*\)\. Choose another place"):
        add_to_leaderboard(run_folder, colours.folder / "file", submitter="Ada")
