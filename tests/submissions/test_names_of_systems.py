"""What the system of a run must be called to be handed in."""

import pytest
from fakes.submissions import edit_run

from musebench_tasks import api
from musebench_tasks.cli import main
from musebench_tasks.submissions.leaderboard import add_to_leaderboard


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--submitter", "a" * 101], 'submitter: should have at most 100 characters, found "aaa'),
        (["--submitter", "b\udcff"], "submitter: "),
        (["--submitter", "Ada", "--notes", "n" * 20_000], "notes: should have at most 4000 characters"),
        (["--submitter", "Ada", "--notes", "a\x1bb"], "notes: should be one line of signs"),
    ],
)
def test_what_cannot_stand_in_a_submission_is_one_line(colours, run_folder, more, said, capsys):
    assert main(["leaderboard", "add", str(run_folder), str(colours.folder / "to"), *more]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"musebench: {said}")
    assert len(told) < 300
    assert told.count("\n") == 1


def test_long_names_of_systems_have_folders_of_their_own(colours, run_folder):
    places = []
    for last in "ab":
        edit_run(run_folder, system={"name": "s" * 299 + last})
        api.score(run_folder)
        places += add_to_leaderboard(run_folder, colours.folder / "to", submitter="Ada")
    assert len({place.parent.name for place in places}) == 2
    assert "valid submission" in api.validate(colours.folder / "to", task=str(colours.task_file))
