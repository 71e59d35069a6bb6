"""Findings say where, what and what to do; together they make the table of failures."""

import pytest

from musebench_tasks.assembly.rules import TAGS, check_items
from musebench_tasks.base.problems import Severity


@pytest.fixture
def faulty(make_rows):
    make = make_rows["mub"]
    rows = [make("m1", key="Db major"), make("m2", tempo_bpm=0.0), make("m1"), make("m4", license="free")]
    return check_items(rows, "mub", file="sheet.csv", numbers=[2, 3, 5, 7], media=False)


def test_a_line_says_severity_tag_file_row_item_column_finding_and_remedy(faulty):
    assert faulty.lines == [
        'CRITICAL  ID_DUPLICATE  sheet.csv row 5 (m1), column "id": "m1" stands in row 2 already. '
        "Give each row its own id.",
        'HIGH  KEY_SPELLING  sheet.csv row 2 (m1), column "key": "Db major" is not spelled canonically. '
        'Write "C# major".',
        'HIGH  TEMPO  sheet.csv row 3 (m2), column "tempo_bpm": 0.0 is no tempo. '
        "Give beats per minute above 0, at most 1000.",
        'HIGH  RIGHTS  sheet.csv row 7 (m4), column "license": "free" is no SPDX id. '
        "Write it as in CC-BY-3.0 or CC0-1.0.",
    ]


def test_the_table_of_failures_is_sorted_by_severity(make_rows):  # MB-34
    make = make_rows["hummusqa"]
    rows = [make("h1", difficulty="Hard"), make("h1"), make("h3", question="Why  so?"), make("h4", difficulty="Easy")]
    table = check_items(rows, "hummusqa", media=False).table()
    assert [(row.tag, row.severity, row.findings) for row in table] == [
        ("ID_DUPLICATE", "CRITICAL", 1),
        ("VOCABULARY", "HIGH", 2),
        ("ITEM_DUPLICATE", "MEDIUM", 1),
        ("TEXT_UNTIDY", "LOW", 1),
    ]
    assert all((row.meaning, row.mitigation) == TAGS[row.tag].texts for row in table)


def test_what_stops_a_build_is_told_apart(faulty):
    assert len(faulty.stopping) == 4


def test_what_is_for_a_person_to_judge_stops_nothing(make_rows):
    row = make_rows["musebench"](question="How does the camera treat Blanche Ingram here?")
    found = check_items([row], "musebench", media=False)
    assert [each.severity for each in found] == [Severity.LOW]
    assert found.stopping == ()


def test_findings_of_two_tables_add_up(faulty):
    both = faulty + faulty
    assert (both.rows, len(both.findings), both.flagged_rows) == (8, 8, 4)


@pytest.mark.parametrize("tag", sorted(TAGS))
def test_tags_explain_themselves_in_a_sentence(tag):
    assert all(text.endswith(".") and "|" not in text and len(text) < 110 for text in TAGS[tag].texts)
