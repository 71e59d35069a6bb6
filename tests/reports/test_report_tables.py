"""The tables of a page: the papers' layouts, filled from scorecards with or without the items behind them."""

import pytest
from fakes.scorecards import CATEGORIES, card, row

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, Counts
from musebench_tasks.evaluation.recordings import Recording, score_recordings
from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.layouts import MUSIC, RECALL
from musebench_tasks.reports.meanings import table_meanings
from musebench_tasks.reports.runs import read_parts
from musebench_tasks.reports.tables import comparable, report_tables


@pytest.fixture(scope="session")
def tables_of(built):
    """The tables of a task of the built run, by name."""

    def find(task):
        parts, _ = read_parts([built])
        here = [part for part in parts if part.card.task == task]
        evidence = ItemEvidence(read_task(task, here))
        ((cards, terms),) = comparable(part.card for part in here)
        return {table.name: table for table in report_tables(cards, terms, evidence)}

    return find


class Known:
    """Evidence that tells every system from the next, or none."""

    def __init__(self, *, apart):
        self.apart = apart

    def is_distinct(self, first, second, row):
        return self.apart

    def rates(self, card, condition, dimension, value, field):
        return 0.5, 0.25, 8


def measures(table):
    return [(each.group, each.measure) for each in table.columns]


def test_the_first_table_is_the_papers_first():  # MuseBench Tab. 1
    table = report_tables([card("a", 0.6), card("b", 0.4)])[0]
    assert table.columns[0].measure == "accuracy"
    assert measures(table)[1:-2] == [(each, measure) for each in CATEGORIES for measure in ("CAA", "EM")]


def test_categories_have_a_table_of_all_measures():  # MuseBench Tab. 7
    (table,) = (each for each in report_tables([card("a", 0.6), card("b", 0.4)]) if each.name == "categories")
    assert [name for name, _ in table.row_groups] == ["all", *CATEGORIES]
    assert [row.name for row in table.row_groups[1][1]] == ["a", "b"]
    assert table.group_n(table.row_groups[1][1], 1) == 25


def test_systems_stand_by_their_headline():
    assert [row.name for row in report_tables([card("a", 0.4), card("b", 0.6)])[0].rows[:2]] == ["b", "a"]


def test_paired_differences_decide_where_items_are_at_hand():
    near, far = [card("a", 0.6), card("b", 0.59)], [card("a", 0.9), card("b", 0.1)]
    assert report_tables(near, evidence=Known(apart=True))[0].rows[0].cells[0].best
    assert not report_tables(far, evidence=Known(apart=False))[0].rows[0].cells[0].best


def test_people_and_baselines_are_never_marked():
    people = card("people", 0.9, system_type="human")
    table = report_tables([people, card("a", 0.6), card("b", 0.4)], evidence=Known(apart=True))[0]
    assert {row.name: row.cells[0].best for row in table.rows} == {
        "people": False,
        "a": True,
        "b": False,
        "chance": False,
    }


def test_a_slice_has_its_own_coverage_where_items_are_at_hand():
    tables = report_tables([card("a", 0.6)], evidence=Known(apart=True))
    table = next(each for each in tables if each.name == "categories")
    stage = next(rows for name, rows in table.row_groups if name == "Stage")[0]
    assert [cell.value for cell in stage.cells[-2:]] == [0.5, 0.25]
    assert (stage.cells[0].coverage, stage.cells[0].answered) == (0.5, 0.25)


def test_conditions_stand_in_the_papers_order_with_their_names():  # MuseBench Tab. 2
    conditions = [Condition.FULL, CONDITIONS["no_audio"], CONDITIONS["no_video"], CONDITIONS["text_only"]]
    counts = [Counts(condition=each, planned=9, statuses={"ok": 9}, coverage=1.0, answered=1.0) for each in conditions]
    scores = [row("accuracy", 0.5, condition=each) for each in conditions]
    tables = report_tables([card("a", 0.5, counts=tuple(counts), scores=tuple(scores))])
    table = next(each for each in tables if each.name == "conditions")
    assert [row.group for row in table.rows] == ["T", "A+T", "V+T", "V+A+T", ""]
    assert table.is_one_system


def test_tiers_keep_their_order_and_others_come_last():
    table = report_tables([card("a", 0.9, tier="open"), card("b", 0.8), card("c", 0.7, tier="proprietary")])[0]
    tiers = table.tiers(table.row_groups[0][1])
    assert [(tier, [row.name for row in rows]) for tier, rows in tiers] == [
        ("open", ["a"]),
        ("proprietary", ["c"]),
        ("other", ["b"]),
    ]


def test_recordings_have_each_field_with_its_definitions_and_its_answers(tables_of):
    table = tables_of("mub_demo")["scores"]
    assert table.measures_down
    assert [each for each in measures(table) if not each[1].endswith("found")] == [
        ("tempo", "acc1"), ("tempo", "acc2"), ("tempo", "answered"),
        ("key", "symmetric/2"), ("key", "exact"), ("key", "MIREX"), ("key", "answered"),
        ("time signature", "accuracy"), ("time signature", "balanced"), ("time signature", "macro F1"),
        ("time signature", "answered"), ("segments", "F1"), ("segments", "F1 with labels"),
        ("segments", "hit 0.5 s"), ("segments", "hit 3 s"), ("segments", "pairwise F"), ("segments", "V-measure"),
        ("segments", "answered"), ("requests", "coverage"), ("requests", "answered"),
    ]  # fmt: skip
    constant = next(each for each in table.rows if each.name == "prior:constant")
    shown = dict(zip(measures(table), (cell.value is not None for cell in constant.cells), strict=True))
    assert shown["tempo", "acc1"]
    assert not any(is_shown for (group, _), is_shown in shown.items() if group in ("segments", "requests"))


def test_each_time_signature_has_a_row_of_its_own(tables_of):
    table = tables_of("mub_demo")["scores"]
    found = [column for column in table.columns if column.measure.endswith("found")]
    assert len(found) > 1
    assert {column.group for column in found} == {"time signature"}
    assert "Share found of the recordings in 3/4." in " ".join(words for *_, words in table_meanings(table))


def test_music_questions_have_accuracy_and_consistency_by_difficulty(tables_of):  # HumMusQA Tab. 1 and 2
    tables = tables_of("hummusqa_demo")
    assert measures(tables["scores"])[:2] == [("", "accuracy"), ("", "consistency")]
    assert tables["scores"].rows[0].cells[0].spread is not None
    assert [name for name, _ in tables["conditions"].row_groups] == ["true", "silence"]
    assert "difficulty-silence" in tables


def test_the_headline_stands_first_over_all_items():
    scores = (row("caa", 0.5), *card("a", 0.6).scores)
    table = report_tables([card("a", 0.6, headline="caa/1", scores=scores)])[0]
    assert measures(table)[:2] == [("", "CAA"), ("", "accuracy")]


def test_many_systems_stand_down_the_side(tables_of, built):
    parts, _ = read_parts([built])
    (one,) = (part.card for part in parts if part.card.task == "mub_demo")
    many = [one.model_copy(update={"system": f"s{number}"}) for number in range(9)]
    assert not report_tables(many)[0].measures_down


def test_what_of_music_stands_in_no_table_is_what_the_page_on_trackers_names():
    bar = [{"start_s": 0, "end_s": 8, "label": "a"}, {"start_s": 8, "end_s": 20, "label": "b"}]
    truth = {"tempo_bpm": 100, "key": "C major", "time_signature": "4/4", "segments": bar, "duration_s": 20}
    measured = {row.metric for row in score_recordings([Recording("r", **truth)], []).rows}
    shown = {metric for _, _, metric, _ in MUSIC}
    missing = {metric for metric in measured - shown if not metric.startswith(RECALL)}
    assert missing == {
        "mub.key.mirex_ascending", "mub.segments.iou_precision", "mub.segments.iou_recall", "mub.segments.iou_f1_micro"
    }  # fmt: skip
