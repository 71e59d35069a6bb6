"""Leaderboards: who stands beside whom, how rows are marked, and what the files hold."""

import re
import shutil
from dataclasses import replace

import pytest
from fakes.submissions import edit_run, hand_in

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.cli import main
from musebench_tasks.submissions.board import BOARD_COLUMNS, Board, Entry, write_board
from musebench_tasks.submissions.board.standing import board_tables
from musebench_tasks.submissions.leaderboard import build_leaderboard

BLIND = {"conditions": ["text_only"]}
CHOOSING_ALL = "Choosing every option is no answer to a question with one right option: it scores 0."


def wrong(*numbers):
    return lambda line: (
        {**line, "raw": "A", "parsed": [line["option_order"][0]]} if int(line["item_id"][5:]) in numbers else line
    )


def entry_of(found):
    """What a board makes of a checked submission."""
    told = {name: getattr(found, name) for name in ("config", "submission", "stored", "card", "predictions")}
    data = {"task": found.data.task, "items": found.data.items, "references": found.data.references}
    return Entry(place="whole", data_version="1.0", **told, **data)


def test_a_board_ranks_with_intervals(board):
    built = board()
    ranks = [(each["system"], each["rank"], each["rank_low"], each["rank_high"]) for each in built.headlines]
    assert [each[:2] for each in ranks] == [("ash", "1"), ("birch", "2"), ("cedar", "3")]
    assert all(int(low) <= int(rank) <= int(high) for _, rank, low, high in ranks)
    assert float(built.of("ash")["value"]) == pytest.approx(11 / 12)
    assert built.outcome.refused == built.outcome.moved == ()


def test_every_line_says_what_a_reader_needs(board, colours):
    built = board()
    assert tuple(built.lines[0]) == tuple(BOARD_COLUMNS)
    for line in built.lines:
        assert line["data_sha256"] == colours.sha256
        assert line["scorer_version"]
        assert (line["split"], line["data_version"], line["labels"]) == ("test", "1.0", "public")
    for line in built.headlines:
        assert (line["n"], line["coverage"], line["answered"]) == ("12", "1.0", "1.0")
        assert (line["date"], line["submitter"]) == ("2024-11-30", "Ada")
        assert line["notes"] == "retry rate 0.0000 (0 of 12)."
        assert (line["option_order"], line["seed"], line["modalities"]) == ("stored", "42", "T")
        assert (len(line["prompt_sha256"]), line["mean_frames"], line["runs"]) == (64, "", "1")
        assert line["low"]
        assert line["interval_method"]
        assert line["submission"].startswith(f"submissions/data/{line['system']}/")


def test_every_row_of_the_page_names_data_and_scorer(board, colours):
    html = board().html
    body = html.partition("<tbody data-systems>")[2].partition("</tbody>")[0]
    rows = body.split("<tr ")[1:]
    assert len(rows) == 3
    assert all(colours.sha256[:8] in row and "parser 2" in row and "2024-11-30" in row for row in rows)


def test_constant_letters_and_choosing_everything_stand_in_every_table(board):
    built = board()
    names = {line["system"] for line in built.lines if line["kind"] == "baseline"}
    assert {"chance", "always_first", "majority_letter", "longest_option"} <= names
    assert "select_all" not in names
    assert CHOOSING_ALL not in built.text


def test_what_choosing_everything_is_worth_stands_beside_its_baseline(colours, submission):
    found = colours.check(submission)
    first = next(each for each in found.card.baselines if each.system == "always_first")
    chooses_all = first.model_copy(update={"system": "select_all"})
    card = found.card.model_copy(update={"baselines": (*found.card.baselines, chooses_all)})
    page = write_board(colours.folder / "site", Board("Title", (replace(entry_of(found), card=card),)))
    assert CHOOSING_ALL in page.read_text()


def test_equal_scores_share_a_rank_and_equal_answers_one_place(board, also):
    also("fir")
    built = board()
    assert [built.of(name)["rank"] for name in ("ash", "fir", "birch")] == ["1", "1", "2"]
    assert "The very same answers: ash, fir." in built.text


def test_people_are_marked_and_not_ranked(board, also):
    also("students", system={"type": "human"})
    built = board()
    assert (built.of("students")["kind"], built.of("students")["rank"]) == ("human", "")
    assert built.of("ash")["rank"] == "1"
    assert '<span class="badge">human</span>' in built.html


def test_systems_on_another_track_stand_apart(board, also):
    also("tooled", protocol={"track": "tool_assisted", "tools": ["a beat tracker"]})
    built = board()
    assert len({built.of(name)["table"] for name in ("ash", "tooled")}) == 2
    assert {built.of(name)["rank"] for name in ("ash", "tooled")} == {"1"}
    assert "Tools: a beat tracker." in built.text
    assert built.html.count("<table class=") == 2


def test_systems_with_less_of_the_sound_stand_apart(colours, submission):
    found = colours.check(submission)
    whole = entry_of(found)
    short = replace(whole, card=found.card.model_copy(update={"system": "short", "truncation": "audio after 30 s"}))
    assert len(board_tables([whole, replace(whole, place="again")])) == 1
    assert len(board_tables([whole, short])) == 2


@pytest.mark.slow
def test_a_later_submission_stands_for_an_earlier_one_even_if_it_is_worse(board, also, colours):
    also("gum")
    shutil.rmtree(colours.folder / "gum")
    also("gum", wrong(1, 2, 5), told={"date": "2024-12-01"})
    built = board()
    assert [float(each["value"]) for each in built.headlines if each["system"] == "gum"] == [pytest.approx(8 / 12)]
    assert "Earlier submissions" in built.text
    assert "2024-11-30 0.917" in built.text


def test_a_folder_called_otherwise_makes_no_other_benchmark(board, also, colours):
    also("gum", benchmark={"name": "owners_copy"})
    shutil.rmtree(colours.folder / "gum")
    also("gum", wrong(1, 2, 5), told={"date": "2024-12-01"})
    built = board()
    assert [float(each["value"]) for each in built.headlines if each["system"] == "gum"] == [pytest.approx(8 / 12)]
    assert {(each["table"], each["benchmark"]) for each in built.headlines} == {("1", "data")}


@pytest.mark.slow
def test_the_same_system_asked_otherwise_is_another_row(board, also, colours):
    also("gum")
    shutil.rmtree(colours.folder / "gum")
    also("gum", decoding={"reasoning": "high"})
    built = board()
    assert len([each for each in built.headlines if each["system"] == "gum"]) == 2
    assert "reasoning high" in built.text


def test_published_numbers_are_labelled_and_never_ranked(board, colours):
    (colours.submissions / "published.yaml").write_text(
        "published: [{task: colours, system: Paper, source: 'Tab. 1', scores: {accuracy: 0.99}}]\n"
    )
    built = board()
    paper = next(line for line in built.lines if line["system"] == "Paper")
    assert (paper["kind"], paper["rank"], paper["value"], paper["source"]) == ("published", "", "0.99", "Tab. 1")
    assert built.of("ash")["rank"] == "1"
    assert "published, not checked here and not ranked" in built.text


@pytest.mark.slow
def test_published_numbers_stand_in_tables_of_their_track_only(board, colours, also):
    also("tooled", protocol={"track": "tool_assisted", "tools": ["a beat tracker"]})
    (colours.submissions / "published.yaml").write_text(
        "published: [{task: colours, system: Paper, track: tool_assisted, source: 'T', scores: {accuracy: 0.9}}]\n"
    )
    built = board()
    papers = [line for line in built.lines if line["system"] == "Paper"]
    assert [line["table"] for line in papers] == [built.of("tooled")["table"]]


def test_published_numbers_have_known_metrics(board, colours):
    (colours.submissions / "published.yaml").write_text(
        "published: [{task: colours, system: Paper, source: 'Tab. 1', scores: {accurracy: 0.99}}]\n"
    )
    with pytest.raises(InputError, match=r'line 1, key ".*accurracy": is no metric \(nearest: accuracy\)'):
        board()


def test_splits_whose_answers_are_public_are_marked(board):
    assert '<span class="badge">answers public</span>' in board().html
    hidden = board(hidden=["colours"])
    assert '<span class="badge">answers public</span>' not in hidden.html
    assert {line["labels"] for line in hidden.lines} == {"hidden"}


def test_what_does_not_hold_is_left_out_by_name(board, submission, capsys, colours):
    text = (submission / "scores.json").read_text()
    (submission / "scores.json").write_text(text.replace('"planned":12', '"planned":10'))
    built = board()
    assert [each["system"] for each in built.headlines] == ["birch", "cedar"]
    assert "Left out, because something in them does not hold" in built.text
    assert f"submissions/data/ash/{submission.name}/scores.json" in built.outcome.refused[0]
    assert main(["leaderboard", "build", str(colours.submissions), "--task", str(colours.task_file)]) == 1
    told = capsys.readouterr()
    assert "left out: submissions/data/ash/" in told.err
    assert "(2 submissions, 1 left out)" in told.out


@pytest.mark.slow
def test_the_same_files_twice_count_once(board, submission, colours):
    shutil.copytree(submission, colours.submissions / "copy")
    built = board()
    assert len(built.headlines) == 3
    assert "the same files lie in" in built.outcome.refused[0]


def test_a_folder_without_submissions_is_told(tmp_path):
    with pytest.raises(InputError, match="no submission lies there. Expected: submissions/BENCHMARK"):
        build_leaderboard(tmp_path)
    with pytest.raises(InputError, match="there is no such folder"):
        build_leaderboard(tmp_path / "nothing")


@pytest.mark.slow
def test_the_same_submissions_give_the_same_bytes(board):
    first, second = board(), board()
    assert (first.html, first.lines) == (second.html, second.lines)


def test_names_from_outside_stay_text(board, also):
    also("=cmd()<script>alert(1)</script>", told={"notes": "<img src=x onerror=alert(1)>", "submitter": "<b>Eve</b>"})
    built = board()
    assert "<script>alert" not in built.html
    assert "<img" not in built.html
    assert any(line["system"].startswith("'=cmd()") for line in built.lines)


def test_other_conditions_stand_in_columns(board, also, colours):
    run = shutil.copytree(colours.folder / "ash" / "colours", colours.folder / "oak" / "colours")
    edit_run(run, system={"name": "oak"}, protocol={"conditions": ["full", "text_only"]})
    path = run / "predictions.jsonl"
    lines = [
        line.replace('"full"', f'"{each}"') for line in path.read_text().splitlines() for each in ("full", "text_only")
    ]
    path.write_text("".join(f"{line}\n" for line in lines))
    api.score(run)
    hand_in(run, colours.submissions)
    built = board()
    assert "headline under" in built.text
    assert {line["condition"] for line in built.lines if line["system"] == "oak"} == {"full", "text_only"}
    assert [line["rank"] for line in built.headlines if line["condition"] == "text_only"] == [""]


def test_a_run_is_added_as_submit_would_hand_it_in(colours, capsys):
    words = ["--submitter", "Grace", "--notes", "12 US dollars."]
    for _ in range(2):
        assert main(["leaderboard", "add", str(colours.folder / "run"), str(colours.submissions), *words]) == 0
    (place,) = colours.submissions.glob("submissions/data/random/*")
    assert capsys.readouterr().out.splitlines() == [f"submission  {place}"] * 2
    told = colours.check(place).submission
    assert (told.submitter, told.notes) == ("Grace", "retry rate 0.0000 (0 of 12). 12 US dollars.")


def test_all_submissions_of_a_folder_are_validated_and_verified(colours, submission, capsys):
    task = ["--task", str(colours.task_file)]
    assert main(["validate", str(colours.submissions), *task]) == 0
    assert capsys.readouterr().out.count("valid submission of colours") == 3
    assert main(["verify", str(colours.submissions), *task]) == 0
    assert capsys.readouterr().out.count("byte for byte") == 3
    (submission / "scores.json").unlink()
    assert main(["validate", str(colours.submissions), *task]) == 2
    assert "scores.json is missing" in capsys.readouterr().err
    assert main(["verify", str(colours.submissions), *task]) == 1
    assert "scores.json: is missing" in capsys.readouterr().err


def test_every_column_is_explained(request):
    page = (request.config.rootpath / "docs" / "leaderboard.md").read_text()
    assert not [column for column in BOARD_COLUMNS if f"`{column}`" not in page]


def test_nobody_is_ranked_where_nobody_was_asked_under_all_media(board, also, colours):
    shutil.rmtree(colours.submissions)
    for name, numbers in {"blind": (1,), "deaf": (1, 2)}.items():
        also(name, lambda line, numbers=numbers: {**wrong(*numbers)(line), "condition": "text_only"}, protocol=BLIND)
    built = board()
    found = {(each["system"], each["condition"], each["rank"]) for each in built.headlines}
    assert found == {("blind", "text_only", ""), ("deaf", "text_only", "")}
    assert "Nobody is ranked, for no model was asked under all media." in built.text
    assert "Ranked by" not in built.text


def test_the_scores_that_errata_changed_stand_also_where_nobody_is_ranked(board, also, colours):
    shutil.rmtree(colours.submissions)
    also("blind", lambda line: {**line, "condition": "text_only"}, protocol=BLIND)
    before = colours.sha256
    colours.write(without={0})
    colours.errata(f"from_data_sha256: {before}\nretired: [item-00]\n")
    assert "blind 0.917 1.000 – –" in board().text


@pytest.mark.slow
def test_who_was_asked_under_other_conditions_only_stands_unranked(board, also):
    also("blind", lambda line: {**line, "condition": "text_only"}, protocol={"conditions": ["text_only"]})
    built = board()
    (line,) = [each for each in built.headlines if each["system"] == "blind"]
    assert (line["condition"], line["rank"]) == ("text_only", "")
    assert built.of("ash")["rank"] == "1"


def test_published_rows_of_tasks_that_nobody_handed_in_are_named(colours, capsys):
    file = colours.submissions / "published.yaml"
    file.write_text("published: [{task: hummusqa_demo, system: Paper, source: 'T', scores: {accuracy: 0.99}}]\n")
    assert main(["leaderboard", "build", str(colours.submissions), "--task", str(colours.task_file)]) == 0
    told = capsys.readouterr().err
    assert f'{file}, row 1 (Paper): there is no submission of the task "hummusqa_demo".' in told


def test_published_rows_are_validated_as_the_board_reads_them(colours, capsys):
    file = colours.submissions / "published.yaml"
    file.write_text("published: [{task: colours, system: Paper, source: 'Tab. 1', scores: {accuracy: 0.99}}]\n")
    assert main(["validate", str(file), "--task", str(colours.task_file)]) == 0
    assert "1 valid published row\n" in capsys.readouterr().out
    file.write_text("published: [{task: colours, system: Paper, scores: {acuracy: high}}]\n")
    assert main(["validate", str(file)]) == 2
    told = capsys.readouterr().err
    assert 'key "published[0].source": is missing' in told
    assert 'key "published[0].scores.acuracy": should be a number' in told


def test_hidden_tasks_that_nobody_handed_in_are_named(colours, capsys):
    command = ["leaderboard", "build", str(colours.submissions), "--task", str(colours.task_file)]
    assert main([*command, "--hidden", "mub_demo", "colours"]) == 0
    told = capsys.readouterr().err
    assert told == 'musebench: left out: hidden: there is no submission of the task "mub_demo".\n'


def test_hidden_tasks_that_are_none_are_refused(colours, capsys):
    command = ["leaderboard", "build", str(colours.submissions), "--task", str(colours.task_file)]
    assert main([*command, "--hidden", "colors", "colours"]) == 2
    assert 'there is no task "colors" (nearest: colours). Correct the name.' in capsys.readouterr().err


def test_what_was_handed_in_before_is_said_to_be(colours, run_folder, capsys):
    add = ["leaderboard", "add", str(run_folder), str(colours.folder / "to"), "--submitter"]
    assert main([*add, "Ada"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*add, "Bo", "--notes", "mine"]) == 0
    assert re.search(r"lies there already, handed in by Ada on \d{4}-\d\d-\d\d\. It stays", capsys.readouterr().err)
