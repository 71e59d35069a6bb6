"""HumMusQA's published columns and recordings of MUB become repos."""

import io
import json

import av
import datasets
import pyarrow.parquet as pq
import pytest
from fakes.sheets import RATE, tone, write_csv, write_wav

from musebench_tasks.assembly import encode_audio
from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.medium import MediaSettings
from musebench_tasks.base.errors import InputError


def hummusqa_cells(name, **changes):
    base = {
        "identifier": name, "question": "Which register leads in the excerpt?", "answer": "The low register",
        "distractor_1": "The high register", "distractor_2": "The middle register", "distractor_3": "All registers",
        "main_category": "Melody", "secondary_categories": "", "difficulty": "Low", "excerpt_start_time": "00:05",
        "excerpt_end_time": "00:36", "song_link": "", "jamendo_id": "17", "song_name": "Air", "artist_name": "Nobody",
        "album_name": "Airs", "song_license_url": "https://creativecommons.org/licenses/by/4.0/",
    }  # fmt: skip
    return base | changes


def test_the_published_columns_are_cut_where_the_audio_is_whole(tmp_path, monkeypatch):
    whole = encode_audio(tone(220, 40.0), RATE)
    cut = encode_audio(tone(330, 31.0), RATE)
    cells = [hummusqa_cells("h1"), hummusqa_cells("h2", jamendo_id="18")]
    audio = [{"bytes": data, "path": f"{name}.mp3"} for name, data in (("17", whole), ("18", cut))]
    table = datasets.Dataset.from_list([row | {"audio": each} for row, each in zip(cells, audio, strict=True)])
    (tmp_path / "source" / "data").mkdir(parents=True)
    table.to_parquet(tmp_path / "source" / "data" / "test-00000-of-00001.parquet")
    built = build_dataset(tmp_path / "source", tmp_path / "hummusqa_trial", "hummusqa", BuildSettings())
    rows = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    assert [row["audio"]["path"] for row in rows] == ["h1.mp3", "h2.mp3"]
    for row in rows:
        with av.open(io.BytesIO(row["audio"]["bytes"])) as container:
            assert abs(sum(frame.samples for frame in container.decode(audio=0)) / RATE - 31) < 0.2
    assert (rows[0]["excerpt_start_time"], rows[0]["excerpt_end_time"]) == ("00:05", "00:36")


def test_an_excerpt_from_the_beginning_is_told_from_a_whole_piece(tmp_path):
    write_wav(tmp_path / "source" / "cut.wav", tone(220, 36.4))
    write_wav(tmp_path / "source" / "whole.wav", tone(220, 45.0))
    times = {"excerpt_start_time": "0:00", "excerpt_end_time": "0:36"}
    names = ("cut", "whole")
    rows = [hummusqa_cells(name, jamendo_id=name, **times) | {"audio": f"{name}.wav"} for name in names]
    write_csv(tmp_path / "source" / "rows.csv", rows)
    kept = BuildSettings(media=MediaSettings(mode="keep"))
    built = build_dataset(tmp_path / "source", tmp_path / "hummusqa_trial", "hummusqa", kept)
    cells = pq.read_table(next((built.directory / "blind").iterdir()))["audio"].to_pylist()
    assert [cell["path"] for cell in cells] == ["cut.wav", "whole.mp3"]
    assert cells[0]["bytes"] == (tmp_path / "source" / "cut.wav").read_bytes()


def test_audio_that_is_neither_whole_nor_the_excerpt_is_refused(tmp_path):
    write_wav(tmp_path / "source" / "17.wav", tone(220, 20.0))
    write_csv(tmp_path / "source" / "rows.csv", [hummusqa_cells("h1") | {"audio": "17.wav"}])
    with pytest.raises(InputError, match=r"row 1, column \"audio\": lasts 20.0 s: neither the excerpt"):
        build_dataset(tmp_path / "source", tmp_path / "hummusqa_trial", "hummusqa", BuildSettings())


def test_recordings_of_mub_in_json_lines(tmp_path):
    write_wav(tmp_path / "source" / "take 3.wav", tone(220, 4.0))
    row = {
        "id": "m1", "audio": "take 3.wav", "tempo_bpm": 120, "beat_unit": "1/4", "key": "A minor",
        "time_signature": "4/4", "segments": [{"start_s": 0, "end_s": 4, "label": "verse"}], "license": "CC0-1.0",
        "attribution": "We",
    }  # fmt: skip
    (tmp_path / "source" / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    built = build_dataset(tmp_path / "source", tmp_path / "mub_trial", "mub", BuildSettings())
    (found,) = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    assert (found["audio"]["path"], found["duration_s"], found["cluster_id"]) == ("m1.wav", 4.0, "m1")
    assert found["multi_valued"] == []
