"""Rows that break no rule, for tests that spoil one cell."""

import pytest

from musebench_tasks.assembly import choice_columns

WRONG = {
    "One whip pan that hides a cut": "technical misread",
    "It merely follows the walker": "over-simplification",
    "The frame stays where it was": "factual error",
}


def make_musebench(name="q1", correct=("Her slow push that isolates her",), wrong=None, order=None, **changes):
    """A row of musebench; `order` names options in the order in which they are to be stored."""
    cells = {
        "id": name,
        "start_s": 0.0,
        "end_s": 10.0,
        "cluster_id": f"clip-{name}",
        "category": "Cinematic",
        "subdomain": "Cinematography",
        "kind": "single" if len(correct) == 1 else "multi",
        "question": f"How does the camera treat the figure by the window in moment {name}?",
        "transcript": None,
        "alignment": "visual",
        "core_intent": "her isolation by camera movement",
        "license": "CC-BY-3.0",
        "attribution": "the authors",
        "version": "1.0",
    }
    row = cells | choice_columns(name, tuple(correct), wrong or WRONG) | changes
    if order is not None:
        row["options"] = sorted(row["options"], key=lambda option: order.index(option["text"]))
    return row


def make_hummusqa(name="h1", **changes):
    """A row of hummusqa."""
    return {
        "identifier": name,
        "question": f"Which instrument carries the tune in passage {name}?",
        "answer": "Flute",
        "distractor_1": "Oboe",
        "distractor_2": "Horn",
        "distractor_3": "Lute",
        "main_category": "Instrumentation",
        "secondary_categories": "Melody, Performance",
        "difficulty": "Low",
        "excerpt_start_time": "00:10",
        "excerpt_end_time": "00:50",
        "song_link": "",
        "jamendo_id": f"track-{name}",
        "song_name": "Morning Air",
        "artist_name": "Somebody Else",
        "album_name": None,
        "song_license_url": "https://creativecommons.org/licenses/by/4.0/",
    } | changes


def make_mub(name="m1", **changes):
    """A row of mub."""
    return {
        "id": name,
        "duration_s": 4.0,
        "cluster_id": f"tune-{name}",
        "tempo_bpm": 120.0,
        "beat_unit": "1/4",
        "key": "A minor",
        "time_signature": "4/4",
        "segments": [{"start_s": 0.0, "end_s": 2.0, "label": "A"}, {"start_s": 2.0, "end_s": 4.0, "label": "B"}],
        "beats_s": [0.0, 0.5, 1.0, 1.5],
        "downbeats_s": None,
        "multi_valued": [],
        "license": "CC0-1.0",
        "attribution": "the authors",
        "version": "1.0",
    } | changes


@pytest.fixture
def make_rows():
    """The three makers, by dataset."""
    return {"musebench": make_musebench, "hummusqa": make_hummusqa, "mub": make_mub}
