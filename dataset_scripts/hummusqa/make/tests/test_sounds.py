"""hummusqa_demo as it sounds: excerpts have the lengths, levels, colours and notes that their facts state."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from dataset_scripts.hummusqa.make.build import MANIFEST, REPOSITORY
from dataset_scripts.hummusqa.make.facts import look_up
from musebench_tasks.assembly import decode_pcm

ITEMS = {item["id"]: item for item in json.loads(MANIFEST.read_text(encoding="utf-8"))["items"]}


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return pq.read_table(REPOSITORY / "default", columns=["audio", "jamendo_id"]).to_pylist()


@pytest.fixture(scope="module")
def sounds(rows) -> dict[str, np.ndarray]:
    """The decoded samples in -1..1 of each excerpt, 48,000 a second."""
    media = {row["audio"]["path"].removesuffix(".ogg"): row["audio"]["bytes"] for row in rows}
    return {clip: decode_pcm(encoded)[0][:, 0] / 32768 for clip, encoded in media.items()}


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


def test_excerpts_are_of_different_tunes_and_last_thirty_seconds_or_more(rows, sounds):
    assert len({row["jamendo_id"] for row in rows}) == len(ITEMS)
    for clip, item in ITEMS.items():
        start, end = (int(text[:2]) * 60 + int(text[3:]) for text in item["excerpt"])
        assert 30 <= end - start <= 36
        assert len(sounds[clip]) == (end - start) * 48_000
        assert 0.2 < np.abs(sounds[clip]).max() < 0.99


def test_every_answer_rests_on_facts_of_its_excerpt():
    for item in ITEMS.values():
        for question in item["questions"]:
            assert question["because"]
            for path, expected in question["because"].items():
                assert look_up(item["facts"], path) == expected, (question["identifier"], path)


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
