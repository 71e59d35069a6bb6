"""Where submissions lie, in which order they came, and what is said of what does not belong there."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from fakes.submissions import edit_predictions, edit_run, hand_in

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem
from musebench_tasks.cli import main
from musebench_tasks.submissions.board_folder import arrivals, gathered, seen_from

OPTIONS = ["red", "green", "blue"]


@pytest.fixture
def variants(colours):
    """Hands in the same system with so many right answers, on a day: the folder."""

    def hand(rights, date="2024-11-30"):
        def change(line):
            number = int(line["item_id"][5:])
            choice = (number + (number >= rights)) % 3
            return {**line, "raw": OPTIONS[choice], "parsed": [line["option_order"][choice]]}

        run = shutil.copytree(colours.folder / "ash" / "colours", colours.folder / f"gum{rights}" / "colours")
        edit_run(run, system={"name": "gum"})
        edit_predictions(run, change)
        api.score(run)
        return hand_in(run, colours.submissions, date=date)

    return hand


@pytest.fixture
def commit(colours):
    """Commits what lies on the board."""
    if shutil.which("git") is None:
        pytest.skip("git is missing")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")

    def git(*words):
        subprocess.run(["git", "-C", colours.folder, *who, *words], check=True, capture_output=True)

    git("init", "-q")

    def commit():
        git("add", "hub")
        git("commit", "-q", "-m", "More")

    return commit


@pytest.mark.parametrize("order", [(8, 5), pytest.param((5, 8), marks=pytest.mark.slow)])
def test_the_history_of_the_board_tells_the_last_whatever_the_days_say(board, variants, commit, order):
    commit()
    for rights, date in zip(order, ("2024-12-02", "2024-12-01"), strict=True):
        variants(rights, date)
        commit()
    built = board()
    assert float(built.of("gum")["value"]) == pytest.approx(order[1] / 12)
    assert "the history of the board tells which came last" in built.text


@pytest.mark.slow
def test_what_came_with_one_commit_is_told_apart_by_its_days(board, variants, commit):
    variants(8, "2024-12-01")
    variants(5, "2024-12-02")
    commit()
    assert float(board().of("gum")["value"]) == pytest.approx(5 / 12)


@pytest.mark.slow
def test_what_is_not_committed_yet_came_last(board, variants, commit):
    variants(5, "2024-12-02")
    commit()
    variants(8, "2024-12-01")
    assert float(board().of("gum")["value"]) == pytest.approx(8 / 12)


def test_without_history_nothing_is_told_of_the_order(colours, tmp_path):
    assert arrivals(colours.submissions) == {}
    assert arrivals(tmp_path / "nothing") == {}


@pytest.mark.slow
def test_a_history_that_is_cut_off_tells_nothing(colours, commit, tmp_path):
    commit()
    (colours.submissions / "README.md").write_text("A board.")
    commit()
    assert len(arrivals(colours.submissions)) == 3
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{colours.folder}", tmp_path / "cut"],
        check=True,
        capture_output=True,
    )
    assert arrivals(tmp_path / "cut" / "hub") == {}


def test_a_stray_file_accuses_no_submission(colours, submission):
    shutil.copy(submission / "run.yaml", colours.submissions / "submissions" / "run.yaml")
    shutil.copy(submission / "submission.yaml", submission.parent / "submission.yaml")
    outcome = colours.build()
    assert (outcome.n_submissions, outcome.n_left_out) == (3, 0)
    assert {line.partition(":")[0] for line in outcome.refused} == {
        "submissions/run.yaml",
        "submissions/data/ash/submission.yaml",
    }
    assert all("lies beside submissions, in none of them." in line for line in outcome.refused)


def test_links_are_followed_by_none(colours, submission, capsys):
    moved = colours.folder / "elsewhere"
    submission.rename(moved)
    submission.symlink_to(moved)
    told = f"{submission.relative_to(colours.submissions)}: is a link, and links are not followed."
    assert colours.build().refused[0].startswith(told)
    for verb in ("validate", "verify"):
        assert main([verb, str(colours.submissions), "--task", str(colours.task_file)]) == 2
        assert told in capsys.readouterr().err


@pytest.mark.parametrize("part", ["", "submissions", "submissions/data", "submissions/data/.."])
def test_every_part_of_a_board_is_found_by_all(colours, part):
    place = colours.submissions / part
    assert len(gathered(place).folders) == 3
    assert api.validate(place, task=str(colours.task_file)).count("valid submission of colours") == 3
    assert len(api.verify(place, task=str(colours.task_file))) == 3


def test_runs_beside_a_board_are_no_submissions(colours):
    assert len(gathered(colours.folder).folders) == 3
    assert gathered(colours.folder / "run").folders == ()


def test_a_project_of_that_name_holds_runs(colours):
    project = colours.folder.rename(colours.folder.with_name("submissions"))
    assert gathered(project / "run").folders == ()
    assert gathered(project / "ash").folders == ()
    (project / "link").symlink_to(project / "ash")
    assert gathered(project / "run").strays == ()


def test_a_submission_that_lacks_a_file_is_found_in_every_part(colours, submission):
    (submission / "submission.yaml").unlink()
    for place in (colours.submissions, submission.parent, submission.parent.parent):
        assert submission in gathered(place).folders
    assert any("submission.yaml is missing" in each for each in colours.build().refused)


def test_a_board_of_links_alone_is_told(colours, submission):
    for each in (colours.submissions / "submissions" / "data").iterdir():
        moved = each.rename(colours.folder / each.name / "moved")
        each.symlink_to(moved)
    with pytest.raises(InputError, match=r"no submission lies there(.|\n)*ash: is a link, and links are not followed"):
        colours.build()


def test_a_board_of_which_nothing_holds_has_a_page_that_says_so(colours, capsys):
    command = ["leaderboard", "build", str(colours.submissions), "--task", str(colours.task_file)]
    assert main(command) == 0
    page = colours.submissions / "leaderboard" / "index.html"
    assert "ash" in page.read_text()
    for file in colours.submissions.rglob("scores.json"):
        file.write_text("{}")
    capsys.readouterr()
    assert main(command) == 2
    told = capsys.readouterr()
    lines = told.err.splitlines()
    assert len(lines) == len(set(lines))
    assert all(line.startswith("musebench: left out: submissions/data/") for line in lines)
    assert told.out.endswith("(0 submissions, 3 left out)\n")
    assert "No submission holds, so there is no table." in page.read_text()
    assert page.with_name("leaderboard.csv").read_text().count("\n") == 1


def test_every_line_of_a_submission_names_it(tmp_path):
    place = tmp_path / "submissions" / "a" / "b" / "c"
    of_a_task = Problem('item "x" is unknown.', place="mine")
    assert seen_from(tmp_path, of_a_task, place).text == 'submissions/a/b/c: mine: item "x" is unknown.'
    of_a_file = Problem("is empty.", place=f"{place}/run.yaml")
    assert seen_from(tmp_path, of_a_file, place).place == "submissions/a/b/c/run.yaml"
    of_no_submission = Problem("lies", place=f"{tmp_path}/submissions/run.yaml")
    assert seen_from(tmp_path, of_no_submission).place == "submissions/run.yaml"


@pytest.mark.parametrize("board", ["s", ".", "board", "submissions", "a b"])
def test_only_the_path_of_a_board_is_left_out_of_lines(board):
    folder = Path(board)
    place = folder / "submissions" / "a" / "b" / "c"
    rest = '"../s/submissions" is a path (see docs/board/x)'
    for problem_place in (f"{place}/run.yaml", f"{place.absolute()}/run.yaml"):
        found = seen_from(folder, Problem(rest, place=problem_place), place)
        assert (found.place, found.found) == ("submissions/a/b/c/run.yaml", rest)


@pytest.mark.parametrize(
    ("name", "text"),
    [("index.html", "<h1>Mine</h1>"), pytest.param("leaderboard.csv", "a,b\n", marks=pytest.mark.slow)],
)
def test_no_page_of_others_is_written_over(colours, tmp_path, name, text):
    out = tmp_path / "site"
    out.mkdir()
    (out / name).write_text(text)
    with pytest.raises(InputError, match=rf"{name}: was not made by `musebench leaderboard build`.* add --force"):
        colours.build(out=out)
    assert (out / name).read_text() == text
    colours.build(out=out, force=True)
    colours.build(out=out)
    assert "ash" in (out / name).read_text()


def test_after_errata_a_board_is_valid_and_a_new_submission_on_old_data_is_not(colours, submission, run_folder, capsys):
    before = colours.sha256
    colours.write(without={0})
    colours.errata(f"from_data_sha256: {before}\nretired: [item-00]\n")
    task = ["--task", str(colours.task_file)]
    words = f"of the data {before[:12]}; errata.yaml leads from them to {colours.sha256[:12]}"
    for verb in ("validate", "verify"):
        assert main([verb, str(colours.submissions), *task]) == 0
        assert capsys.readouterr().out.count(words) == 3
    assert main(["validate", str(submission), *task]) == 2
    assert "another revision of the data" in capsys.readouterr().err
    assert main(["leaderboard", "add", str(run_folder), str(colours.folder / "to"), "--submitter", "Ada"]) == 2
    assert "another revision of the data" in capsys.readouterr().err


@pytest.mark.slow
def test_after_other_answers_a_board_is_valid_only_with_errata(colours, capsys):
    task = ["--task", str(colours.task_file)]
    colours.write(answers={1: 2})
    assert main(["validate", str(colours.submissions), *task]) == 2
    assert main(["verify", str(colours.submissions), *task]) == 1
    colours.errata(f"from_data_sha256: {colours.sha256}\nrekeyed: [item-01]\n")
    capsys.readouterr()
    for verb in ("validate", "verify"):
        assert main([verb, str(colours.submissions), *task]) == 0
        assert capsys.readouterr().out.count("errata.yaml leads from them to") == 3


def test_what_was_found_is_told_as_json_and_counted(colours, submission, capsys):
    (submission / "scores.json").unlink()
    command = ["validate", str(colours.submissions), "--task", str(colours.task_file)]
    assert main(command) == 2
    assert capsys.readouterr().out.splitlines()[-1] == f"{colours.submissions}: 3 submissions, 1 with faults"
    assert main([*command, "--json"]) == 2
    found = {each["path"]: each for each in json.loads(capsys.readouterr().out)}
    assert [each["valid"] for each in found.values()] == [False, True, True]
    assert "scores.json is missing" in found[str(submission)]["problems"][0]


def test_another_folder_hides_no_fault(colours, submission, run_folder):
    """A foreign item, and a folder of another name: both are told, and no scores that follow from them."""
    line = json.loads((run_folder / "predictions.jsonl").read_text().splitlines()[0])
    with (run_folder / "predictions.jsonl").open("a") as file:
        file.write(json.dumps({**line, "item_id": "item-99"}) + "\n")
    moved = hand_in(run_folder, colours.folder / "to")
    moved = moved.rename(moved.with_name("0123456789ab"))
    with pytest.raises(InputError) as caught:
        colours.check(moved)
    lines = str(caught.value).splitlines()
    assert ["belongs at" in lines[0], "item-99" in lines[1], len(lines)] == [True, True, 2]


def test_scores_that_follow_from_another_fault_are_not_told_beside_it(colours, run_folder):
    edit_predictions(run_folder, lambda line: None if line["item_id"] == "item-03" else line)
    with pytest.raises(InputError) as caught:
        colours.check(hand_in(run_folder, colours.folder / "to"))
    assert "item-03" in str(caught.value)
    assert "scores.json" not in str(caught.value)


@pytest.mark.parametrize("day", ["0001-01-01", "2023-12-31"])
def test_days_before_there_was_anything_to_ask_are_refused(colours, run_folder, day):
    with pytest.raises(InputError, match=f'field "date": {day} lies before any of these benchmarks'):
        colours.check(hand_in(run_folder, colours.folder / "to", date=day))
