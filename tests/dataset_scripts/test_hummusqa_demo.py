"""hummusqa_demo: rows and manifest agree, excerpts sound as they should, and no shortcut through the text works."""

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from dataset_scripts.shortcuts import SOLVERS, Asked, read_asked, results
from musebench_tasks.assembly import decode_pcm, stored_options
from musebench_tasks.base.resources import demo_directory

REPOSITORY = demo_directory("hummusqa")
MANIFEST = json.loads((REPOSITORY.parents[1] / "make" / "manifest.json").read_text(encoding="utf-8"))
ITEMS = {item["id"]: item for item in MANIFEST["items"]}
OPTION_COLUMNS = ("answer", "distractor_1", "distractor_2", "distractor_3")
CATEGORIES = 13
FEWEST_A_CATEGORY = 3
LEVEL_SHARES = {"Low": 0.444, "Medium": 0.384, "High": 0.172}  # HQ-06
PROPER_NAMES = {
    "irish",
    "scottish",
    "scotland",
    "ireland",
    "celtic",
    "gaelic",
    "bach",
    "vienna",
    "american",
    "mozart",
    "o'neill",
    "aird",
}


def table(config: str) -> list[dict]:
    return pq.read_table(REPOSITORY / config).to_pylist()


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return table("default")


@pytest.fixture(scope="module")
def sounds(rows) -> dict[str, np.ndarray]:
    """The decoded samples in -1..1 of each excerpt, 48,000 a second."""
    media = {clip_of(row): row["audio"]["bytes"] for row in rows}
    return {clip: decode_pcm(encoded)[0][:, 0] / 32768 for clip, encoded in media.items()}


def clip_of(row: dict) -> str:
    return row["identifier"].split("-")[0]


def options(row: dict) -> list[str]:
    """The texts in the stored order."""
    return [each["text"] for each in stored_options(row["identifier"], tuple(row[name] for name in OPTION_COLUMNS))]


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


def item_with(voice: str, role: str) -> dict:
    """The one excerpt whose first passage has a voice in a role."""
    found = [
        item
        for item in ITEMS.values()
        if any((each["instrument"], each["role"]) == (voice, role) for each in item["facts"]["passages"][0]["voices"])
    ]
    assert len(found) == 1
    return found[0]


def level_db(samples: np.ndarray, start_s: float, end_s: float) -> float:
    part = samples[int(start_s * 48_000) : int(end_s * 48_000)]
    return float(10 * np.log10((part**2).mean()))


def spectrum(samples: np.ndarray, start_s: float, end_s: float) -> tuple[np.ndarray, np.ndarray]:
    part = samples[int(start_s * 48_000) : int(end_s * 48_000)]
    return np.fft.rfftfreq(len(part), 1 / 48_000), np.abs(np.fft.rfft(part * np.hanning(len(part))))


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


def test_excerpts_are_of_different_tunes_and_last_thirty_seconds_or_more(rows, sounds):
    assert len({row["jamendo_id"] for row in rows}) == len(ITEMS)
    for clip, item in ITEMS.items():
        start, end = (int(text[:2]) * 60 + int(text[3:]) for text in item["excerpt"])
        assert 30 <= end - start <= 36
        assert len(sounds[clip]) == (end - start) * 48_000
        assert 0.2 < np.abs(sounds[clip]).max() < 0.99


def test_questions_are_those_of_the_manifest(rows):
    for row in rows:
        item = ITEMS[clip_of(row)]
        assert (row["jamendo_id"], row["song_name"]) == (item["tune_id"], item["title"])
        assert [row["excerpt_start_time"], row["excerpt_end_time"]] == item["excerpt"]
    listed = [question["identifier"] for item in MANIFEST["items"] for question in item["questions"]]
    assert sorted(listed) == sorted(row["identifier"] for row in rows)


def look_up(facts, path: str):
    for part in path.split("."):
        facts = facts[int(part)] if isinstance(facts, list) else facts[part]
    return facts


def test_every_answer_rests_on_facts_of_its_excerpt():
    for item in MANIFEST["items"]:
        for question in item["questions"]:
            assert question["because"]
            for path, expected in question["because"].items():
                assert look_up(item["facts"], path) == expected, (question["identifier"], path)


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


def test_a_quieter_strain_is_quieter(sounds):
    item = item_with("harpsichord", "chords")
    first, second, third = item["facts"]["passages"]
    levels = [
        level_db(sounds[item["id"]], each["start_s"] + 0.2, each["end_s"] - 0.2) for each in (first, second, third)
    ]
    assert levels[0] - levels[1] == pytest.approx(12, abs=1.5)
    assert abs(levels[0] - levels[2]) < 3


def test_what_grows_louder_and_faster_does_so(sounds):
    item = next(each for each in ITEMS.values() if each["facts"]["passages"][-1]["speed"][1] == 2.0)
    passages = item["facts"]["passages"]
    levels = [level_db(sounds[item["id"]], each["start_s"] + 0.2, each["end_s"] - 0.2) for each in passages]
    assert levels == sorted(levels)
    assert levels[-1] - levels[0] > 12
    lasting = [each["end_s"] - each["start_s"] for each in passages]
    assert lasting[0] > lasting[1] > lasting[2] > lasting[3]


def test_what_opens_from_dark_to_bright_does_so(sounds):
    item = item_with("synthesiser lead", "melody")

    def share_above_2_khz(start_s: float) -> float:
        frequencies, magnitude = spectrum(sounds[item["id"]], start_s, start_s + 2)
        return float((magnitude[frequencies > 2000] ** 2).sum() / (magnitude**2).sum())

    assert share_above_2_khz(1) < 1e-4
    assert share_above_2_khz(18) > 30 * share_above_2_khz(1)


def test_trembling_strings_tremble_nine_times_a_second(sounds):
    item = next(
        each for each in ITEMS.values() if any(voice["tremor_hz"] for voice in each["facts"]["passages"][0]["voices"])
    )
    samples = sounds[item["id"]][48_000 : 48_000 * 26]
    envelope = np.sqrt((samples.reshape(-1, 480) ** 2).mean(axis=1))
    strength = np.abs(np.fft.rfft((envelope - envelope.mean()) * np.hanning(len(envelope))))
    rates = np.fft.rfftfreq(len(envelope), 0.01)
    inside = (rates > 5) & (rates < 14)
    assert rates[inside][strength[inside].argmax()] == pytest.approx(9, abs=0.1)


def test_a_tune_moved_by_three_semitones_sounds_so(sounds):
    """The chroma of the second half is that of the first, three semitones on."""
    item = next(each for each in ITEMS.values() if each["facts"]["passages"][-1]["shift"] == 3)
    first, second = (chroma(sounds[item["id"]], each["start_s"], each["end_s"]) for each in item["facts"]["passages"])
    fits = [float(np.corrcoef(np.roll(first, shift), second)[0, 1]) for shift in range(12)]
    assert int(np.argmax(fits)) == 3


def test_a_tune_turned_to_minor_has_the_minor_third(sounds):
    item = next(each for each in ITEMS.values() if each["facts"]["passages"][-1]["mode"] == "minor"
                and each["facts"]["passages"][0]["mode"] == "major")  # fmt: skip
    tonic = 7  # G
    assert item["facts"]["key"] == "G major"
    first, second = (chroma(sounds[item["id"]], each["start_s"], each["end_s"]) for each in item["facts"]["passages"])
    assert first[(tonic + 4) % 12] > 3 * first[(tonic + 3) % 12]
    assert second[(tonic + 3) % 12] > 3 * second[(tonic + 4) % 12]


def chroma(samples: np.ndarray, start_s: float, end_s: float) -> np.ndarray:
    frequencies, magnitude = spectrum(samples, start_s, end_s)
    inside = (frequencies > 100) & (frequencies < 1500)
    pitch = 69 + 12 * np.log2(frequencies[inside] / 440)
    near = np.abs(pitch - np.round(pitch)) < 0.2
    classes = np.round(pitch[near]).astype(int) % 12
    return np.bincount(classes, magnitude[inside][near] ** 2, minlength=12)


def test_words_stand_out_from_the_music(sounds):
    spoken = [item for item in ITEMS.values() if item["facts"]["speech"]["lines"]]
    assert len(spoken) == 2
    for item in spoken:
        loud = np.sqrt((sounds[item["id"]][: 48_000 * 29].reshape(-1, 4_800) ** 2).mean(axis=1))
        assert 20 * np.log10(np.percentile(loud, 95) / np.percentile(loud, 30)) > 6


def test_every_excerpt_has_its_licence_entry():
    text = Path(REPOSITORY.parents[3] / "DATA_LICENSES.md").read_text(encoding="utf-8")
    section = text.split("### Excerpts of hummusqa_demo", 1)[1].split("\n### ", 1)[0]
    for item in MANIFEST["items"]:
        entry = next(line for line in section.splitlines() if f"`{item['id']}`" in line)
        assert item["corpus_path"] in entry
        assert item["title"] in entry
        assert item["corpus_sha256"] in section
    assert MANIFEST["packages"]["espeak-ng"] in section
