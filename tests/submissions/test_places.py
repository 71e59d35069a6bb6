"""Where a page and a folder of submissions may lie."""

import pytest

from musebench_tasks.api.leaderboard import add_to_leaderboard
from musebench_tasks.errors import InputError


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
