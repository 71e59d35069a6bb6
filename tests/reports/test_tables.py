import io

import pytest
from fakes.scorecards import CATEGORIES, HASHES, card
from rich.console import Console

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import AvailableOnly, Counts, Interval
from musebench_tasks.reports import make_tables, print_tables
from musebench_tasks.reports.meanings import method_words, table_meanings
from musebench_tasks.reports.terminal import make_console


def printed(cards, width):
    out = io.StringIO()
    print_tables(cards, Console(file=out, width=width, highlight=False))
    return out.getvalue()


def best(table, column=0):
    return [each.name for each in table.rows if each.cells[column].best]


def test_the_best_is_marked_only_where_it_can_be_told_apart():
    assert best(make_tables([card("a", 0.6), card("b", 0.4)])[0]) == ["a"]
    assert best(make_tables([card("a", 0.6), card("b", 0.55)])[0]) == []
    assert best(make_tables([card("a", 0.6)])[0]) == []


def test_a_second_column_scores_what_was_available():
    without = card("a", 0.4)
    first = without.scores[0].model_copy(update={"available": AvailableOnly(value=0.5, n=80)})
    table = make_tables([without.model_copy(update={"scores": (first, *without.scores[1:])}), card("b", 0.3)])[0]
    assert table.columns[1].measure == "accuracy, available"
    cells = [each.cells[1] for each in table.rows]
    assert [(cell.value, cell.n) for cell in cells] == [(0.5, 80), (0.3, 100), (None, None)]


def test_conditions_bear_the_papers_names():
    condition = Counts(condition=CONDITIONS["no_video"], planned=1, statuses={"ok": 1}, coverage=1.0, answered=1.0)
    heard = card("a", 0.5, counts=(condition,))
    assert make_tables([heard])[0].title == "musebench · A+T"
    read = card("a", 0.5, counts=(condition,), audio_route="transcript")
    assert make_tables([read])[0].title == "musebench · T+transcript"


def test_neighbouring_columns_share_their_group():
    table = make_tables([card("a", 0.5)])[0]
    assert table.groups == [("", 1), *((each, 2) for each in CATEGORIES), ("", 2)]


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_nothing_is_cut_off_at_any_width(width):
    cards = [card("an_organisation/A-Very-Long-Model-Name-7B-Instruct", 0.6), card("b", -0.4)]
    text = printed(cards, width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    assert text.count("0.55 to 0.65") == 5
    assert text.count("−0.45 to −0.35") == 5
    for part in ("accuracy", "answered", "baseline", "chance", *CATEGORIES):
        assert part in text


def test_rates_stay_together_and_baselines_without_numbers_are_left_out():
    text = printed([card(f"a-long-name-{number}", 0.6) for number in range(4)], 80)
    last = text.strip().split("\n\n")[-1]
    assert "coverage  answered" in last
    assert "chance" not in last


def test_endings_are_told_below_the_table():
    text = printed([card("a", 0.6, statuses={"ok": 96, "unparsed": 3, "backend_error": 1})], 120)
    assert "a: 3 unparsed, 1 backend error of 100" in text


def test_a_warning_is_printed_once_below_the_last_table_it_is_about():
    text = printed([card("a", 0.6, warnings=("Few clusters.",)), card("b", 0.5, warnings=("Few clusters.",))], 120)
    assert text.count("Few clusters.") == 1


def test_meanings_name_version_method_and_few_items():
    meanings = {metric: text for _, metric, text in table_meanings(make_tables([card("a", 0.5)])[0])}
    assert "95\u00a0% interval: Wilson's score interval." in meanings["accuracy/1"]
    assert "No interval below 10 items." in meanings["exact_match/1"]


def test_draws_and_seed_belong_to_a_method():
    drawn = Interval(low=0, high=1, method="percentile_cluster_bootstrap", draws=10_000, seed=42)
    assert method_words(drawn) == "percentile cluster bootstrap, 10000 draws, seed 42"


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ({"selection": "limit:5"}, "limit:5"),
        ({"track": "tool_assisted"}, "tool assisted"),
        ({"truncation": "audio after 30 s"}, "no audio after 30 s"),
        ({"hashes": HASHES.model_copy(update={"data_sha256": "f" * 64})}, "data ffffffff"),
    ],
)
def test_systems_that_were_not_asked_the_same_never_share_a_table(asked, title):  # MU-08
    tables = make_tables([card("a", 0.6), card("b", 0.4, **asked)])
    assert [[row.name for row in table.rows if not row.is_baseline] for table in tables] == [["a"], ["b"]]
    assert title in tables[1].title
    assert len({table.title for table in tables}) == 2


def test_one_kind_of_question_has_a_plain_title():
    assert make_tables([card("a", 0.6), card("b", 0.4)])[0].title.count("(") == 0


@pytest.mark.parametrize(("columns", "width"), [("72", 72), ("", 160), ("0", 160), ("wide", 160)])
def test_what_is_piped_is_as_wide_as_columns_say(columns, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert make_console().width == width
