import pytest

from musebench_tasks.base.records import MediaPart, MediaSource


def part(**fields):
    return MediaPart(**{"modality": "audio", "source": MediaSource(path="/a.wav", sha256="1" * 64), **fields})


def test_a_part_ignores_paths_where_the_hash_is_known():
    elsewhere = part(source=MediaSource(path="/b/c.wav", row=3, column="audio", sha256="1" * 64))
    assert part().identity == elsewhere.identity


@pytest.mark.parametrize(
    "fields",
    [
        {"start_s": 1.0},
        {"condition": "noise"},
        {"sample_rate": 8000},
        {"max_audio_s": 3.0},
        {"seed": 1},
        {"source": MediaSource(path="/a.wav", sha256="2" * 64)},
    ],
)
def test_a_part_follows_from_content_window_condition_and_settings(fields):
    assert part().identity != part(**fields).identity
