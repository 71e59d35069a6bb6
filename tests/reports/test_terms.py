"""What systems must share to stand side by side, and what is said of how each was asked (MU-08)."""

import shutil

import pytest
import yaml
from fakes.scorecards import card

from musebench_tasks import api
from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, Counts
from musebench_tasks.evaluation.files import read_scorecard
from musebench_tasks.reports import make_tables, write_report
from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.deltas import all_differences
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.ranking import all_ranks
from musebench_tasks.reports.runs import read_parts
from musebench_tasks.reports.tables import comparable, condition_label, report_tables


def counts(*conditions):
    return tuple(
        Counts(condition=each, planned=100, statuses={"ok": 100}, coverage=1.0, answered=1.0) for each in conditions
    )


def groups(*cards):
    return [([each.system for each in group], terms) for group, terms in comparable(cards)]


def test_parts_of_sound_leave_nothing_out_and_an_excerpt_does():
    whole, parts = card("whole", 0.5), card("parts", 0.5, truncation="chunks of 30 s")
    excerpt = card("excerpt", 0.5, truncation="audio after 30 s")
    both = card("both", 0.5, truncation="audio after 30 s; chunks of 10 s")
    assert groups(whole, parts, excerpt, both) == [
        (["whole", "parts"], "all of the sound"),
        (["excerpt", "both"], "no audio after 30 s"),
    ]


def test_only_what_differs_tells_tables_apart():
    plain, tools = card("plain", 0.5), card("tools", 0.5, track="tool_assisted", tools=("code",))
    assert groups(plain, tools) == [(["plain"], "no tools"), (["tools"], "tool assisted")]
    assert groups(plain) == [(["plain"], "")]


def test_what_a_reader_must_know_stands_below():
    (table,) = make_tables(
        [card("a", 0.6, truncation="chunks of 30 s", frames="scene_changes:0.5"), card("b", 0.5, frames="keyframes")]
    )
    assert table.notes == (
        "a gets sound that is longer in chunks of 30 s, one after the other.",
        "a: frames chosen by scene changes:0.5.",
        "b: frames chosen by keyframes.",
    )
    tables = make_tables([card("c", 0.6, truncation="audio after 30 s", tools=("web search", "code"))])
    assert tables[0].notes == (
        "c works with web search, code.",
        "c gets no audio after 30 s: of what is longer it hears the beginning.",
    )


def test_a_condition_is_named_by_who_gets_the_sound_itself():
    asked = counts(Condition.FULL, CONDITIONS["no_video"])
    reader = card("reader", 0.9, counts=asked, audio_route="transcript")
    hearer = card("hearer", 0.5, counts=asked, audio_route="native")
    names = {
        tuple(name for name, _ in table.row_groups)
        for cards in ([reader, hearer], [reader])
        for table in report_tables(cards)
        if table.name == "conditions"
    }
    assert names == {("A+T", "V+A+T"), ("T+transcript", "V+T+transcript")}


def test_what_was_not_asked_stands_with_nothing_in_its_cells():
    some, all_of_them = (
        card("some", 0.9, counts=counts(Condition.FULL)),
        card("all", 0.5, counts=counts(Condition.FULL, CONDITIONS["noise"])),
    )
    (table,) = [each for each in report_tables([some, all_of_them]) if each.name == "conditions"]
    noise = dict(table.row_groups)["noise"]
    assert {row.name: [cell.value for cell in row.cells][-2:] for row in noise} == {
        "some": [None, None],
        "all": [1.0, 1.0],
    }


@pytest.mark.parametrize(
    ("benchmark", "fields", "label"),
    [
        ("mub", {}, "native audio"),
        ("mub_demo", {"tools": ("code",), "track": "tool_assisted"}, "audio and tools"),
        ("hummusqa", {}, "true"),
        ("hummusqa", {"audio_route": "transcript"}, "transcript"),
        ("musebench", {}, "V+A+T"),
        ("musebench", {"audio_route": "transcript"}, "V+T+transcript"),
        ("mine", {}, "full"),
    ],
)
def test_the_full_medium_bears_the_papers_name(benchmark, fields, label):
    assert condition_label(Condition.FULL, card("a", 0.5, benchmark=benchmark, **fields)) == label


@pytest.fixture(scope="module")
def two_tracks(built, tmp_path_factory):
    """Two systems and, on the track of tools, two more with the same answers."""
    folder = tmp_path_factory.mktemp("tracks") / "run"
    for system in ("a", "b", "c", "d"):
        place = folder / system / "hummusqa_demo"
        shutil.copytree(built / "random" / "hummusqa_demo", place)
        config = yaml.safe_load((place / "run.yaml").read_text())
        config["system"]["name"] = system
        if system in "cd":
            config["protocol"] |= {"track": "tool_assisted", "tools": ["beat tracker"]}
        (place / "run.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
        api.score(place)
        assert read_scorecard(place / "scores.json").tools == (("beat tracker",) if system in "cd" else ())
    return folder


def test_no_table_of_differences_or_ranks_holds_two_tracks(two_tracks):
    parts, _ = read_parts([two_tracks])
    evidence = ItemEvidence(read_task("hummusqa_demo", parts))
    families = all_differences(evidence)
    assert all({row.system for row in family.rows} in ({"a", "b"}, {"c", "d"}, {"a"}, {"c"}) for family in families)
    assert len([family for family in families if family.name == "deltas"]) == 2
    assert {each.terms for each in all_ranks(evidence)} == {"no tools", "tool assisted"}


@pytest.mark.slow
def test_the_page_names_the_tracks_wherever_it_shows_one(two_tracks, page_of, tmp_path):
    text = page_of(write_report([two_tracks], out=tmp_path)).text
    for words in ("Ranks", "What a condition changes", "Against guessing", "System against system", "By condition"):
        assert f"{words} (no tools)" in text
        assert f"{words} (tool assisted)" in text
    assert "c works with beat tracker." in text
