"""What stands beside a name on a board: marks, what tells rows of one name apart, how often a name was handed in."""

import re
import shutil

import pytest
from fakes.submissions import edit_predictions, edit_run, hand_in

from musebench_tasks import api
from musebench_tasks.submissions.board.names import looks_like, mixes_alphabets, shown

OPTIONS = ["red", "green", "blue"]


def answering(*wrong):
    """Predictions that are right but for the items of these numbers."""

    def change(line):
        number = int(line["item_id"][5:])
        choice = (number + (number in wrong)) % 3
        return {**line, "raw": OPTIONS[choice], "parsed": [line["option_order"][choice]]}

    return change


def row(built, name, number=0):
    """The words beside a name."""
    found = [
        " ".join(re.sub(r"<[^>]+>", " ", each).split())
        for each in re.findall(r'<th scope="row" data-sort=.*?</th>', built.html, re.DOTALL)
    ]
    return [each for each in found if each.startswith(name)][number]


def notes(built, name):
    """The notes that a row is marked with."""
    cell = re.search(rf'<th scope="row" data-sort="{re.escape(name)}">.*?</th>', built.html, re.DOTALL)[0]
    marks = re.findall(r'href="#(b\d+-\d+)"', cell)
    return [re.search(rf'<li id="{mark}">(.*?)</li>', built.html, re.DOTALL)[1] for mark in marks]


def test_equal_scores_of_different_answers_share_the_better_rank(board, also):
    also("fir", answering(5))
    built = board()
    assert [built.of(name)["rank"] for name in ("ash", "fir", "birch")] == ["1", "1", "3"]
    assert "The very same answers" not in built.text


def test_the_very_same_answers_take_one_place_whatever_they_are_called(board, also):
    def ranks(built):
        return [[built.of(name)[each] for each in ("rank", "rank_low", "rank_high")] for name in ("ash", "cedar")]

    before = ranks(board())
    for name in ("fir", "gum"):
        also(name)
    built = board()
    assert ranks(built) == before
    assert built.of("gum")["rank"] == "1"
    assert "The very same answers: ash, fir, gum." in notes(built, "fir")


def test_a_name_that_stands_there_twice_says_what_differs_and_how_often_it_was_handed_in(board, also, colours):
    for temperature in (0.0, 0.25):
        also("gum", decoding={"temperature": temperature}, told={"notes": "retry rate not known."})
        shutil.rmtree(colours.folder / "gum")
    built = board()
    assert "temperature 0.0" in row(built, "gum", 0) + row(built, "gum", 1)
    assert "temperature 0.25" in row(built, "gum", 0) + row(built, "gum", 1)
    assert all("2 submissions under this name" in row(built, "gum", number) for number in (0, 1))
    assert "The very same answers: ash, gum (2 rows)." in notes(built, "gum")
    assert "under this name" not in row(built, "ash")


def test_imported_runs_are_marked(board, also):
    also("log", harness={"name": "lm-eval (samples jsonl)", "version": "0.4.13"}, prompt={"sha256": None, "id": None})
    built = board()
    assert "imported" in row(built, "log")
    assert "from a log of lm-eval (samples jsonl) 0.4.13; prompt not known" in row(built, "log")
    assert "imported" not in row(built, "ash")
    assert built.of("log")["harness"] == "lm-eval (samples jsonl) 0.4.13"
    assert built.of("ash")["harness"].startswith("musebench-tasks ")


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("chance", "not the baseline"),
        pytest.param("Always-First", "not the baseline", marks=pytest.mark.slow),
        ("сhance", "look-alike letters"),
        pytest.param("аsh", "look-alike letters", marks=pytest.mark.slow),
        pytest.param("mоdel", "look-alike letters", marks=pytest.mark.slow),
    ],
)
def test_names_that_could_be_taken_for_others_are_marked(board, also, colours, name, mark):
    run = shutil.copytree(colours.folder / "ash" / "colours", colours.folder / "other" / "colours")
    edit_run(run, system={"name": name})
    api.score(run)
    hand_in(run, colours.submissions)
    assert mark in row(board(), name)


@pytest.mark.parametrize("name", ["модель", "模型 A-7B", "modèle", "β-VAE 2", "GPT-4o", "random"])
def test_names_in_other_alphabets_are_no_fault(name):
    assert not mixes_alphabets(name)


def test_names_look_alike_whatever_the_case_and_signs():
    assert looks_like("Rаndоm") == looks_like("random") == "random"
    assert looks_like("always_first") == looks_like("Always first")
    assert looks_like("random") != looks_like("random 2")


@pytest.mark.slow
def test_long_names_are_cut_and_stay_whole_in_the_csv(board, also):
    name = "x" * 190
    also(name)
    built = board()
    assert shown(name) in built.text
    assert name not in built.text
    assert built.of(name)["rank"] == "1"


def test_words_of_submitters_stand_between_quotation_marks_below_the_table(board, also):
    also("fir", told={"notes": "retry rate not known. Rank 1, verified."})
    built = board()
    assert notes(built, "fir")[0] == "“retry rate not known. Rank 1, verified.”"
    assert "are the words of those who did" in built.text


@pytest.mark.parametrize(
    ("days", "standing"),
    [pytest.param(("2024-11-30", "2024-12-01"), 5, marks=pytest.mark.slow), (("2024-12-01", "2024-12-01"), 8)],
)
def test_of_one_day_the_lowest_score_stands(board, colours, also, days, standing):
    """`gum` handed in first with 8 right, then with 5: the last counts, and of one day never the better."""
    rights = {8: answering(1, 2, 4, 5), 5: answering(1, 2, 4, 5, 7, 8, 10)}
    for day, change in zip(days, rights.values(), strict=True):
        run = shutil.copytree(colours.folder / "ash" / "colours", colours.folder / f"gum{day}{id(change)}" / "colours")
        edit_run(run, system={"name": "gum"})
        edit_predictions(run, change)
        api.score(run)
        hand_in(run, colours.submissions, date=day)
    built = board()
    lowest = min(rights) if days[0] == days[1] else standing
    assert float(built.of("gum")["value"]) == pytest.approx(lowest / 12)
    assert "Of one day nobody knows the last: the one with the lowest score stands." in built.text


def test_filters_offer_everything_that_there_is(board, also):
    also("tooled", protocol={"track": "tool_assisted", "tools": ["a beat tracker"]}, system={"tier": "proprietary"})
    built = board()
    assert '<option value="tool_assisted">tool assisted</option><option value="none">no track</option>' in built.html
    assert '<option value="proprietary">proprietary</option><option value="none">no tier told</option>' in built.html
    assert built.html.count('data-track="none"') == 1
    assert built.html.count('data-tier="none"') == 3
