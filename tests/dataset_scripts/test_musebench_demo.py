"""The demonstration: its rows, its media against the manifest, and that no shortcut through the text works."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from dataset_scripts.musebench.make.manifest import FOLDER, FilmClip, PictureClip, SceneClip, read_manifest
from dataset_scripts.musebench.make.plan import CATEGORIES, item_id
from dataset_scripts.shortcuts import SOLVERS, Asked, results
from musebench_tasks.assembly.schemas import SUBDOMAINS
from musebench_tasks.assembly.video import clip_facts
from musebench_tasks.base.records import option_id, shuffled_order
from musebench_tasks.base.resources import demo_directory

REPOSITORY = demo_directory("musebench")
MANIFEST = read_manifest()
GOLD = {"answer", "correct_answer", "core_intent", "distractor_strategies"}
FORBIDDEN = {"big", "buck", "bunny", "bbb", "peach", "blender", "frank", "rinky", "gamera", "gimera"}
FORBIDDEN |= {"vincent", "gogh", "starry", "spacex", "falcon", "pikolo", "michetti", "varshney"}
CLIPS = pytest.mark.parametrize("clip", MANIFEST.clips, ids=lambda clip: clip.name)


def table(config: str) -> list[dict]:
    return pq.read_table(REPOSITORY / config).to_pylist()


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return table("default")


@pytest.fixture(scope="module")
def media(rows) -> dict[str, bytes]:
    return {row["cluster_id"]: row["video"]["bytes"] for row in rows}


def texts(row: dict) -> list[str]:
    return [option["text"] for option in row["options"]]


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


def test_enough_questions_and_clips_three_to_five_a_clip(rows):
    clips = Counter(row["cluster_id"] for row in rows)
    assert len(rows) >= 64
    assert len(clips) >= 20
    assert set(clips.values()) <= {3, 4, 5}  # MB-05, MB-19


def test_all_categories_and_subdomains_are_there(rows):
    counts = Counter(row["subdomain"] for row in rows)
    assert set(counts) == set(CATEGORIES)
    assert min(counts.values()) >= 3
    assert all(row["subdomain"] in SUBDOMAINS[row["category"]] for row in rows)  # MB-01


def test_about_thirty_percent_are_multi_select(rows):
    multi = [row for row in rows if row["kind"] == "multi"]
    assert 0.25 <= len(multi) / len(rows) <= 0.35  # MB-19
    assert all(2 <= len(row["answer"]) <= 4 and len(row["options"]) - len(row["answer"]) >= 2 for row in multi)


def test_four_to_eight_options_all_counts_occur(rows):
    assert {len(row["options"]) for row in rows} == {4, 5, 6, 7, 8}  # MB-02


def test_option_ids_and_stored_order_follow_from_content(rows):
    for row in rows:
        ids = [option["id"] for option in row["options"]]
        assert ids == [option_id(row["id"], text) for text in texts(row)]
        assert tuple(ids) == shuffled_order(row["id"], 0, sorted(ids))


def test_every_wrong_option_has_a_strategy_and_strategies_vary(rows):
    for row in rows:
        strategies = [each["strategy"] for each in row["distractor_strategies"]]
        wanted = 3 if len(strategies) >= 5 else 2  # MB-21
        assert len(set(strategies)) >= wanted, row["question"]


def test_blind_and_references_split_the_columns(rows):
    blind, references = table("blind"), table("references")
    assert not GOLD & set(blind[0])
    assert set(references[0]) == {"id", *GOLD}
    assert [row["id"] for row in blind] == [row["id"] for row in references] == [row["id"] for row in rows]


@pytest.mark.parametrize("kind", [FilmClip, PictureClip, SceneClip])
def test_a_clip_decodes_to_what_the_manifest_says(media, kind):
    """Of each kind the first; every clip beside the builder."""
    clip = next(each for each in MANIFEST.clips if isinstance(each, kind))
    assert clip_facts(media[clip.id]) == clip.facts


def test_windows_are_the_whole_clip(rows):
    durations = {clip.id: clip.facts.duration_s for clip in MANIFEST.clips}
    assert all((row["start_s"], row["end_s"]) == (0.0, durations[row["cluster_id"]]) for row in rows)


def test_ids_and_file_names_are_masked(rows):
    for clip in MANIFEST.clips:
        assert re.fullmatch(r"[0-9a-f]{10}", clip.id)
        assert clip.id == MANIFEST.clip_id(clip)
        own = sorted(row["id"] for row in rows if row["cluster_id"] == clip.id)
        assert own == sorted(item_id(clip.id, number) for number in range(1, len(own) + 1))
    assert all(row["video"]["path"] == f"{row['cluster_id']}.mp4" for row in rows)


def test_media_bytes_name_no_work_and_no_encoder(media):
    for encoded in media.values():
        assert not re.search(rb"(?i)bunny|blender|starry|lavf|x264", encoded)


def test_questions_and_options_name_nobody_and_no_work(rows):
    for row in rows:
        for text in (row["question"], row["core_intent"], *texts(row)):
            assert not words(text) & FORBIDDEN, text
            inside = re.sub(r"(?:^|[.?!:] )\w", "", text)
            assert not re.search(r"\b[A-Z]", inside), text


def test_stems_neither_count_the_answers_nor_list_options(rows):
    numbers = {"one", "two", "three", "four", "both", "several"}
    for question in (row["question"] for row in rows):
        assert not words(question) & numbers, question
        assert not re.search(r"\d|\([A-H]\)|\b[A-H]\)", question)
        assert words(question) & {"what", "how", "which", "why"}


def test_options_share_no_long_beginning(rows):
    for row in rows:
        beginnings = [tuple(text.split()[:5]) for text in texts(row)]
        assert len(set(beginnings)) == len(beginnings), row["question"]


def test_options_of_an_item_are_of_like_length(rows):
    for row in rows:
        lengths = [len(text) for text in texts(row)]
        assert max(lengths) - min(lengths) <= 10, row["question"]


def test_correct_options_are_not_longer_on_average(rows):
    right = [len(text) for row in rows for text in row["correct_answer"]]
    wrong = [len(text) for row in rows for text in texts(row) if text not in row["correct_answer"]]
    assert np.mean(right) <= np.mean(wrong)


def asked(row: dict) -> Asked:
    right = frozenset(place for place, text in enumerate(texts(row)) if text in row["correct_answer"])
    return Asked(row["question"], tuple(texts(row)), right)


@pytest.mark.parametrize("kinds", [("single", "multi"), ("single",), ("multi",)], ids=["all", "single", "multi"])
def test_shortcuts_through_the_text_stay_within_chance(rows, kinds):
    found = results([asked(row) for row in rows if row["kind"] in kinds])
    assert len(found) == 7
    assert [each for each in found if not each.is_within_chance] == []


@pytest.mark.parametrize("category", SUBDOMAINS)
def test_no_shortcut_works_in_a_category(rows, category):
    chosen = [asked(row) for row in rows if row["category"] == category]
    assert [each for each in results(chosen) if each.solver in SOLVERS and each.hits > each.high] == []


def test_the_card_says_that_this_is_a_demonstration_and_credits_every_source():
    card = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert "demonstration" in card
    assert all(MANIFEST.credit(clip).attribution in card for clip in MANIFEST.clips)


def section(title: str) -> str:
    text = Path(FOLDER.parents[2] / "DATA_LICENSES.md").read_text(encoding="utf-8")
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


@CLIPS
def test_every_clip_has_a_licence_entry(clip):
    title = {FilmClip: "Film", PictureClip: "Pictures", SceneClip: "Scenes"}[type(clip)]
    entry = next(line for line in section(title).splitlines() if clip.id in line)
    assert MANIFEST.credit(clip).license in (entry if isinstance(clip, FilmClip) else section(title))


def test_the_film_is_credited_with_its_windows_and_changes():
    assert MANIFEST.film.attribution in section("Film")
    assert MANIFEST.film.changes in section("Film")
    assert MANIFEST.film.file_sha256 in section("Film")
    for clip in MANIFEST.clips:
        if isinstance(clip, FilmClip):
            entry = next(line for line in section("Film").splitlines() if clip.id in line)
            assert f"{clip.start_s:.3f}" in entry


@pytest.mark.parametrize("picture", MANIFEST.pictures, ids=lambda picture: picture.name)
def test_every_picture_is_named_with_source_hash_and_proof(picture):
    entries = section("Pictures").split("\n### ")[1:]
    entry = next(each for each in entries if picture.file_sha256 in each)
    assert picture.license in entry
    assert picture.attribution in entry
    assert "proof:" in entry or picture.distribution is None
    assert picture.member is None or picture.member.removeprefix("./") in entry
