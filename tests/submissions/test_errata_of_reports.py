"""Report and compare follow errata: scores from before one are said to be, and scoring again brings them up to date."""

import shutil

import pytest

from musebench_tasks import api
from musebench_tasks.cli import main
from musebench_tasks.reports import write_report

RETIRED = {"without": {0, 5}}
REKEYED = {"answers": {1: 2, 4: 2}}


@pytest.fixture
def run(colours):
    """Two systems in one run, scored."""
    place = colours.folder / "both"
    for name in ("ash", "birch"):
        shutil.copytree(colours.folder / name / "colours", place / name / "colours")
    api.score_run(place)
    return place


def change(colours, kind):
    before = colours.sha256
    colours.write(**kind)
    ids = "retired: [item-00, item-05]" if kind is RETIRED else "rekeyed: [item-01, item-04]"
    colours.errata(f"from_data_sha256: {before}\n{ids}\nreason: A mistake.\n")
    return "retired item-00, item-05" if kind is RETIRED else "re-keyed item-01, item-04"


@pytest.mark.parametrize("kind", [RETIRED, REKEYED], ids=["retired", "re-keyed"])
def test_a_report_says_that_an_erratum_came_after_the_scores(colours, run, kind):
    told = change(colours, kind)
    said = []
    page = write_report([run], tell=said.append).read_text()
    assert len(said) == 2
    for line, name in zip(said, ("ash", "birch"), strict=True):
        assert line.startswith(f"{run / name / 'colours'} was scored before an erratum of its data ({told}).")
        assert "The tables show the scores from before" in line
        assert line.endswith(f"Score it again: musebench score {run / name / 'colours'}")
        assert told in page
    assert "The items are not shown" in page


@pytest.mark.parametrize("kind", [RETIRED, REKEYED], ids=["retired", "re-keyed"])
def test_compare_refuses_scores_from_before_an_erratum(colours, run, kind, capsys):
    told = change(colours, kind)
    assert main(["compare", str(run / "ash"), str(run / "birch")]) == 2
    said = capsys.readouterr().err
    for name in ("ash", "birch"):
        folder = run / name / "colours"
        assert (
            f"{folder} was scored before an erratum of its data ({told}). "
            f"Score it again: musebench score {folder}\n" in said
        )
    assert "tables" not in said


@pytest.mark.parametrize("kind", [pytest.param(RETIRED, marks=pytest.mark.slow), REKEYED], ids=["retired", "re-keyed"])
def test_scoring_again_brings_report_and_comparison_up_to_date(colours, run, kind, capsys):
    change(colours, kind)
    assert main(["score", str(run)]) == 0
    said = []
    page = write_report([run], tell=said.append).read_text()
    assert said == []
    assert "The items are not shown" not in page
    assert ("Question 0?" in page) is (kind is REKEYED)
    assert main(["compare", str(run / "ash"), str(run / "birch")]) == 0
    assert ("10 items" if kind is RETIRED else "12 items") in capsys.readouterr().out


def test_who_answered_the_new_data_is_compared_with_who_was_scored_again_on_them(colours, run, capsys):
    change(colours, RETIRED)
    api.run(tasks=[str(colours.task_file)], model="random", out=colours.folder / "new")
    api.score(run / "ash")
    assert main(["compare", str(run / "ash"), str(colours.folder / "new")]) == 0
    assert "10 items" in capsys.readouterr().out


@pytest.mark.slow
def test_answers_that_changed_without_a_word_are_named(colours, run, capsys):
    colours.write(**REKEYED)
    assert "was scored with other answers" in write_report([run]).read_text()
    assert main(["compare", str(run / "ash"), str(run / "birch")]) == 2
    told = capsys.readouterr().err
    assert "was scored with other answers" in told
    assert "Score it again: musebench score" in told


def test_data_that_moved_without_a_word_are_named(colours, run):
    colours.write(**RETIRED)
    page = write_report([run]).read_text()
    assert "If an errata.yaml beside them leads from the one to the other, score it again" in page


@pytest.mark.slow
def test_an_erratum_of_other_data_and_an_unreadable_one_say_nothing(colours, run):
    for text in (f"from_data_sha256: {'a' * 64}\nretired: [item-00]\n", "nothing: here\n"):
        colours.errata(text)
        said = []
        write_report([run], tell=said.append)
        assert said == []
