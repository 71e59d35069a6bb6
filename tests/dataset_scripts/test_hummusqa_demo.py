"""hummusqa_demo: rows and manifest agree, and no shortcut through the text works."""

import json
import re
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dataset_scripts.shortcuts import SOLVERS, Asked, read_asked, results
from musebench_tasks.assembly import stored_options
from musebench_tasks.base.resources import demo_directory

REPOSITORY = demo_directory("hummusqa")
MANIFEST = json.loads((REPOSITORY.parents[1] / "make" / "manifest.json").read_text(encoding="utf-8"))
ITEMS = {item["id"]: item for item in MANIFEST["items"]}
OPTION_COLUMNS = ("answer", "distractor_1", "distractor_2", "distractor_3")
CATEGORIES = 13
FEWEST_A_CATEGORY = 3
LEVEL_SHARES = {"Low": 0.444, "Medium": 0.384, "High": 0.172}  # HQ-06


def table(config: str) -> list[dict]:
    return pq.read_table(REPOSITORY / config).to_pylist()


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return table("default")


def clip_of(row: dict) -> str:
    return row["identifier"].split("-")[0]


def options(row: dict) -> list[str]:
    """The texts in the stored order."""
    return [each["text"] for each in stored_options(row["identifier"], tuple(row[name] for name in OPTION_COLUMNS))]


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


PROPER_NAMES = words("Irish Scottish Scotland Ireland Celtic Gaelic Bach Vienna American Mozart O'Neill Aird")


def test_size_categories_levels_and_excerpts(rows):
    assert len(rows) >= 52
    assert len({clip_of(row) for row in rows}) == len(ITEMS) >= 24
    categories = Counter(row["main_category"] for row in rows)
    assert len(categories) == CATEGORIES
    assert min(categories.values()) >= FEWEST_A_CATEGORY
    levels = Counter(row["difficulty"] for row in rows)
    for level, share in LEVEL_SHARES.items():
        assert abs(levels[level] / len(rows) - share) < 0.02
    assert sum(bool(row["secondary_categories"]) for row in rows) > len(rows) / 2


def test_questions_are_those_of_the_manifest(rows):
    for row in rows:
        item = ITEMS[clip_of(row)]
        assert (row["jamendo_id"], row["song_name"]) == (item["tune_id"], item["title"])
        assert [row["excerpt_start_time"], row["excerpt_end_time"]] == item["excerpt"]
    listed = [question["identifier"] for item in MANIFEST["items"] for question in item["questions"]]
    assert sorted(listed) == sorted(row["identifier"] for row in rows)


def test_ids_and_file_names_are_masked(rows):
    for row in rows:
        assert re.fullmatch(r"[0-9a-f]{10}-\d", row["identifier"])
        assert row["audio"]["path"] == f"{clip_of(row)}.ogg"
        assert row["audio"]["bytes"].startswith(b"OggS")
        assert row["song_name"].encode() not in row["audio"]["bytes"]


def test_options_are_four_of_like_length_without_proper_names(rows):
    for row in rows:
        texts = options(row)
        assert len(set(texts)) == 4
        assert max(map(len, texts)) - min(map(len, texts)) <= 10, row["question"]
        for text in (row["question"], *texts):
            assert not words(text) & PROPER_NAMES
            assert row["song_name"].casefold() not in text.casefold()


def test_no_answer_stands_twice(rows):
    assert len({row["answer"] for row in rows}) == len(rows)


def likeness(asked: Asked, place: int) -> int:
    return sum(len(words(asked.options[place]) & words(other)) for other in asked.options)


def option_with(key, choose=max):
    """The solver that takes the option with the most, or least, of something."""
    return lambda asked: choose(range(len(asked.options)), key=lambda place: key(asked, place))


MORE_SOLVERS = {
    "least like the other options": option_with(likeness, min),
    "most words": option_with(lambda asked, place: len(asked.options[place].split())),
    "most commas": option_with(lambda asked, place: asked.options[place].count(",")),
    "first in the alphabet": option_with(lambda asked, place: asked.options[place], min),
}


def test_shortcuts_through_the_text_stay_within_chance():
    found = results(read_asked("hummusqa_demo"), {**SOLVERS, **MORE_SOLVERS})
    assert len(found) == 11
    assert [each for each in found if not each.is_within_chance] == []


def test_every_excerpt_has_its_licence_entry():
    text = Path(REPOSITORY.parents[3] / "DATA_LICENSES.md").read_text(encoding="utf-8")
    section = text.split("### Excerpts of hummusqa_demo", 1)[1].split("\n### ", 1)[0]
    for item in MANIFEST["items"]:
        entry = next(line for line in section.splitlines() if f"`{item['id']}`" in line)
        assert item["corpus_path"] in entry
        assert item["title"] in entry
        assert item["corpus_sha256"] in section
    assert MANIFEST["packages"]["espeak-ng"] in section
