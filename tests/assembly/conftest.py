"""Rows that can be built, for tests that spoil one cell."""

import numpy as np
import pytest

from musebench_tasks.assembly import Card, choice_columns, encode_audio, media_cell

RATE = 24_000


@pytest.fixture(scope="session")
def tone():
    time = np.arange(3 * RATE) / RATE
    return encode_audio(0.4 * np.sin(2 * np.pi * 440 * time), RATE)


@pytest.fixture
def musebench_row(tone):
    def make(name="b1", correct=("Slow push-in",), wrong=("Whip pan", "Crane shot", "Still frame"), **changes):
        base = {
            "id": name,
            "video": media_cell(tone, f"{name}.mp4"),
            "start_s": 0.0,
            "end_s": 3.0,
            "cluster_id": "clip",
            "category": "Cinematic",
            "subdomain": "Cinematography",
            "kind": "single" if len(correct) == 1 else "multi",
            "question": "How does the camera move?",
            "transcript": None,
            "alignment": "visual",
            "core_intent": "camera movement",
            "license": "CC-BY-3.0",
            "attribution": "the authors",
            "version": "1.0",
        }
        return base | choice_columns(name, correct, dict.fromkeys(wrong, "factual error")) | changes

    return make


@pytest.fixture
def hummusqa_row(tone):
    def make(name="h1", **changes):
        base = {
            "identifier": name,
            "audio": media_cell(tone, f"{name}.mp3"),
            "question": "Which instrument plays?",
            "answer": "Flute",
            "distractor_1": "Oboe",
            "distractor_2": "Clarinet",
            "distractor_3": "Violin",
            "main_category": "Instrumentation",
            "secondary_categories": "",
            "difficulty": "Low",
            "excerpt_start_time": "00:10",
            "excerpt_end_time": "00:50",
            "song_link": "",
            "jamendo_id": "1",
            "song_name": "Air",
            "artist_name": "Nobody",
            "album_name": "Airs",
            "song_license_url": "https://creativecommons.org/licenses/by/4.0/",
        }
        return base | changes

    return make


@pytest.fixture
def mub_row(tone):
    def make(name="m1", **changes):
        base = {
            "id": name,
            "audio": media_cell(tone, f"{name}.mp3"),
            "duration_s": 3.0,
            "cluster_id": "tune",
            "tempo_bpm": 120.0,
            "beat_unit": "1/4",
            "key": "A minor",
            "time_signature": "4/4",
            "segments": [{"start_s": 0.0, "end_s": 2.0, "label": "A"}, {"start_s": 2.0, "end_s": 3.0, "label": "B"}],
            "beats_s": [0.0, 0.5, 1.0],
            "downbeats_s": None,
            "multi_valued": [],
            "license": "CC0-1.0",
            "attribution": "the authors",
            "version": "1.0",
        }
        return base | changes

    return make


@pytest.fixture
def card(tmp_path):
    template = tmp_path / "template.md"
    template.write_text("\n# {{ card.pretty_name }}\n{% for line in attributions %}\n- {{ line }}\n{% endfor %}\n")
    return Card(pretty_name="Trial", licenses=("CC0-1.0", "CC-BY-3.0"), template=template)
