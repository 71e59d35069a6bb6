"""The film demonstration: its rows, its media against the manifest, and that no shortcut through the text works."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from dataset_scripts.musebench.demo.build import differences
from dataset_scripts.musebench.demo.plan import FOLDER, item_id, make_rows, read_manifest, read_questions
from musebench_tasks.assembly import check_rows
from musebench_tasks.assembly.video import clip_facts
from musebench_tasks.records import option_id, shuffled_order
from musebench_tasks.resources import demo_directory

REPOSITORY = demo_directory("musebench")
MANIFEST = read_manifest()
QUESTIONS = read_questions()
GOLD = {"answer", "correct_answer", "core_intent", "distractor_strategies"}
FORBIDDEN = {"big", "buck", "bunny", "bbb", "peach", "blender", "frank", "rinky", "gamera", "gimera"}
MAXIMUM_BYTES = 9_000_000


def table(config: str) -> list[dict]:
    return pq.read_table(REPOSITORY / config / "test-00000-of-00001.parquet").to_pylist()


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


def test_rows_pass_the_checks_of_the_dataset(rows):
    assert check_rows("musebench", rows) == []


def test_three_questions_a_clip_and_all_subdomains_evenly(rows):
    assert len(rows) == 24
    assert set(Counter(row["cluster_id"] for row in rows).values()) == {3}
    assert set(Counter(row["subdomain"] for row in rows).values()) == {6}
    assert {row["category"] for row in rows} == {"Cinematic"}
    assert {row["transcript"] for row in rows} == {None}


def test_about_a_third_are_multi_select_one_a_clip(rows):
    multi = [row for row in rows if row["kind"] == "multi"]
    assert len({row["cluster_id"] for row in multi}) == len(multi) == 8
    assert all(2 <= len(row["answer"]) <= 4 and len(row["options"]) - len(row["answer"]) >= 2 for row in multi)


def test_four_to_eight_options_all_counts_occur(rows):
    assert {len(row["options"]) for row in rows} == {4, 5, 6, 7, 8}


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


def test_the_built_rows_are_those_of_the_questions_and_the_manifest(rows, media):
    by_name = {clip.name: media[MANIFEST.clip_id(clip)] for clip in MANIFEST.clips}
    made = {row["id"]: row for row in make_rows(MANIFEST, QUESTIONS, by_name)}
    assert made == {row["id"]: row for row in rows}
    assert {question.clip for question in QUESTIONS} == set(by_name)


def test_decoded_pictures_and_sound_agree_with_the_manifest(media):
    for clip in MANIFEST.clips:
        encoded = media[clip.id]
        assert differences(clip, MANIFEST.described(clip, encoded, clip_facts(encoded))) == []


def test_clips_have_every_frame_of_their_window_and_sound_of_the_same_length():
    for clip in MANIFEST.clips:
        facts = clip.facts
        assert facts.frames == clip.end_frame - clip.first_frame
        assert 10 <= facts.duration_s <= 20
        assert 0 <= facts.samples / facts.sample_rate - facts.duration_s < 1024 / facts.sample_rate
    assert all(before.end_frame <= after.first_frame for before, after in pairwise(MANIFEST.clips))


def test_windows_are_the_whole_clip(rows):
    durations = {clip.id: clip.facts.duration_s for clip in MANIFEST.clips}
    assert all((row["start_s"], row["end_s"]) == (0.0, durations[row["cluster_id"]]) for row in rows)


def test_ids_and_file_names_are_masked(rows):
    for clip in MANIFEST.clips:
        assert re.fullmatch(r"[0-9a-f]{10}", clip.id)
        assert clip.id == MANIFEST.clip_id(clip)
        own = sorted(row["id"] for row in rows if row["cluster_id"] == clip.id)
        assert own == sorted(item_id(clip.id, number) for number in (1, 2, 3))
    assert all(row["video"]["path"] == f"{row['cluster_id']}.mp4" for row in rows)


def test_media_bytes_name_no_work_and_no_encoder(media):
    for encoded in media.values():
        assert not re.search(rb"(?i)bunny|blender|lavf|x264", encoded)


def test_questions_and_options_name_nobody_and_no_work():
    for question in QUESTIONS:
        for text in (question.question, question.core_intent, *question.correct, *question.distractors):
            assert not words(text) & FORBIDDEN, text
            inside = re.sub(r"(?:^|[.?!:] )\w", "", text)
            assert not re.search(r"\b[A-Z]", inside), text


def test_stems_neither_count_the_answers_nor_list_options():
    numbers = {"one", "two", "three", "four", "both", "several"}
    for question in QUESTIONS:
        assert not words(question.question) & numbers, question.question
        assert not re.search(r"\d|\([A-H]\)|\b[A-H]\)", question.question)
        assert words(question.question) & {"what", "how", "which"}


def test_options_share_no_long_beginning():
    for question in QUESTIONS:
        beginnings = [tuple(text.split()[:5]) for text in (*question.correct, *question.distractors)]
        assert len(set(beginnings)) == len(beginnings), question.question


def test_options_of_an_item_are_of_like_length(rows):
    for row in rows:
        lengths = [len(text) for text in texts(row)]
        assert max(lengths) - min(lengths) <= 10, row["question"]


def test_correct_options_are_not_longer_on_average(rows):
    right = [len(text) for row in rows for text in row["correct_answer"]]
    wrong = [len(text) for row in rows for text in texts(row) if text not in row["correct_answer"]]
    assert np.mean(right) <= np.mean(wrong)


def chance_interval(probabilities: list[float]) -> tuple[int, int]:
    """The central 95 % of the number of hits when item i is hit by chance with probability i (exact)."""
    distribution = np.ones(1)
    for probability in probabilities:
        distribution = np.convolve(distribution, [1 - probability, probability])
    cumulated = np.cumsum(distribution)
    return int(np.searchsorted(cumulated, 0.025)), int(np.searchsorted(cumulated, 0.975))


SHORTCUTS = {
    "longest option": lambda row: max(texts(row), key=len),
    "shortest option": lambda row: min(texts(row), key=len),
    "first option": lambda row: texts(row)[0],
    "last option": lambda row: texts(row)[-1],
    "most words of the question": lambda row: max(
        texts(row), key=lambda text: len(words(text) & words(row["question"]))
    ),
    "most like the other options": lambda row: max(
        texts(row), key=lambda text: sum(len(words(text) & words(other)) for other in texts(row))
    ),
}


@pytest.mark.parametrize("shortcut", SHORTCUTS)
@pytest.mark.parametrize("kinds", [("single",), ("multi",), ("single", "multi")])
def test_shortcuts_through_the_text_stay_within_chance(rows, shortcut, kinds):
    asked = [row for row in rows if row["kind"] in kinds]
    hits = sum(SHORTCUTS[shortcut](row) in row["correct_answer"] for row in asked)
    low, high = chance_interval([len(row["answer"]) / len(row["options"]) for row in asked])
    assert low <= hits <= high


def test_the_repository_stays_small_and_loadable():
    files = [path for path in REPOSITORY.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MAXIMUM_BYTES
    assert not (REPOSITORY / f"{REPOSITORY.name}.py").exists()
    assert (REPOSITORY / "eval.yaml").read_bytes() == (FOLDER.parent / "eval.yaml").read_bytes()


def test_the_card_says_that_this_is_a_demonstration_and_credits_the_film():
    card = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert "demonstration" in card
    assert MANIFEST.source.attribution in card


def test_every_clip_has_a_licence_entry_with_credit_and_changes():
    section = Path(FOLDER.parents[2] / "DATA_LICENSES.md").read_text(encoding="utf-8").split("## Film", 1)[1]
    section = section.split("\n## ", 1)[0]
    for clip in MANIFEST.clips:
        entry = next(line for line in section.splitlines() if clip.id in line)
        assert MANIFEST.source.license in entry
        assert f"{clip.start_s:.3f}" in entry
    assert MANIFEST.source.attribution in section
    assert MANIFEST.source.changes in section
    assert MANIFEST.source.file_sha256 in section
