"""Small stand-ins for five public benchmarks: their columns and folders, rows and sounds made up here."""

import csv
import io
import json
import math
import struct
import wave
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

MEDIA = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
MUCHOMUSIC_COLUMNS = (
    *("question_id", "question", "correct_answer"),
    *("distractor_1_answer", "distractor_2_answer", "distractor_3_answer"),
    *("dataset", "dataset_identifier", "num_annotations", "correct", "distractor1", "distractor2", "distractor3"),
    *("odd_question", "genre", "music_knowledge", "music_reasoning"),
)


def sound(pitch: float, seconds: float = 0.2) -> bytes:
    """A tone as a WAV file."""
    samples = (math.sin(2 * math.pi * pitch * number / 8000) for number in range(round(8000 * seconds)))
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(b"".join(struct.pack("<h", round(12000 * each)) for each in samples))
    return buffer.getvalue()


def put_sound(path: Path, pitch: float) -> None:
    """A tone at `path`, folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(sound(pitch))


def muchomusic_row(number: int, **changes: object) -> dict[str, object]:
    """A question of MuChoMusic; odd numbers ask about MusicCaps, even ones about the Song Describer Dataset."""
    row: dict[str, object] = dict.fromkeys(MUCHOMUSIC_COLUMNS, "")
    row |= {
        "question_id": f"q{number}",
        "question": "What carries the tune?",
        "correct_answer": "A flute",
        "distractor_1_answer": "A cello",
        "distractor_2_answer": "A choir",
        "distractor_3_answer": "A drum",
        "dataset": "musiccaps" if number % 2 else "sdd",
        "dataset_identifier": f"ab-_{number}_30" if number % 2 else f"{1000 + number}",
        "num_annotations": 3,
        "genre": "Folk",
        "music_knowledge": "['instrumentation', 'melody']",
        "music_reasoning": "[]",
    }
    return row | changes


def muchomusic(folder: Path, rows: list[dict[str, object]]) -> None:
    """Questions as CSV, sound placed by hand under the names that the task gives it."""
    folder.mkdir(parents=True)
    with (folder / "muchomusic.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, MUCHOMUSIC_COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    for number, row in enumerate(rows):
        ending = "wav" if row["dataset"] == "musiccaps" else "2min.mp3"
        put_sound(folder / f"audio/{row['dataset']}/{row['dataset_identifier']}.{ending}", 200 + number)


def mmau_row(number: int, **changes: object) -> dict[str, object]:
    """A question of MMAU test-mini."""
    known = {"id": f"3fe6-{number}", "dataset": "made-up", "task": ("music", "sound", "speech")[number % 3]}
    known |= {"split": "test-mini", "category": ["Reasoning"], "sub-category": "Instrumentation", "difficulty": "hard"}
    row: dict[str, object] = {
        "context": {"bytes": sound(220 + number), "path": None},
        "instruction": "Who is heard?",
        "choices": ["(A) Man", "(B) Woman", "(C) Child", "(D) Robot"],
        "answer": "(B) Woman",
        "other_attributes": json.dumps(known),
    }
    return row | changes


def mmau(folder: Path, rows: list[dict[str, object]]) -> None:
    """One Parquet file with the sound inside."""
    folder.mkdir(parents=True)
    table = pa.Table.from_pylist([{name: cell for name, cell in row.items() if name != "context"} for row in rows])
    table = table.add_column(0, "context", pa.array([row["context"] for row in rows], MEDIA))
    pq.write_table(table, folder / "test_mini.parquet")


def mmau_pro_row(number: int, **changes: object) -> dict[str, object]:
    """A question of MMAU-Pro about music."""
    row: dict[str, object] = {
        "id": f"pro-{number}",
        "audio_path": [f"data/{number}.wav"],
        "question": "How many beats has a bar?",
        "answer": "3",
        "choices": ["2", "3", "4"],
        "length_type": "short",
        "perceptual_skills": ["Rhythm", "Metre"],
        "reasoning_skills": ["Counting"],
        "category": "music",
        "transcription": "",
        "task_classification": "mcq",
        "task_identifier": "",
        "kwargs": "",
        "sub-cat": "Rhythm",
    }
    return row | changes


def mmau_pro(folder: Path, rows: list[dict[str, object]]) -> None:
    """One Parquet file beside the unpacked sound."""
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "test.parquet")
    for number, row in enumerate(rows):
        for path in row["audio_path"]:  # type: ignore[attr-defined]
            put_sound(folder / path, 240 + number)


def mmar_row(number: int, **changes: object) -> dict[str, object]:
    """A question of MMAR."""
    row: dict[str, object] = {
        "id": f"KBn0_00-00-{number:02d}",
        "audio_path": f"./audio/KBn0_00-00-{number:02d}.wav",
        "question": "Which instrument enters last?",
        "choices": ["violin", "piano"],
        "answer": "violin",
        "modality": "music",
        "category": "Perception Layer",
        "sub-category": "Music Theory",
        "language": "en",
        "source": "youtube",
        "url": "https://example.org/",
        "timestamp": "00:00:00,00:00:10",
    }
    return row | changes


def mmar(folder: Path, rows: list[dict[str, object]]) -> None:
    """A JSON list beside the unpacked sound."""
    folder.mkdir(parents=True)
    (folder / "MMAR-meta.json").write_text(json.dumps(rows))
    for number, row in enumerate(rows):
        put_sound(folder / str(row["audio_path"]), 260 + number)


def video_mme_row(number: int, **changes: object) -> dict[str, object]:
    """A question of Video-MME; three ask about one video."""
    row: dict[str, object] = {
        "video_id": f"{number // 3 + 1:03d}",
        "duration": "short",
        "domain": "Artistic Performance",
        "sub_category": "Stage Play",
        "url": "https://example.org/",
        "videoID": f"fFjv93ACGo{number // 3}",
        "question_id": f"{number // 3 + 1:03d}-{number % 3 + 1}",
        "task_type": "Counting Problem",
        "question": "What is there most of?",
        "options": ["A. Apples.", "B. Candles.", "C. Berries.", "D. As many of each."],
        "answer": "C",
    }
    return row | changes


def video_mme(folder: Path, rows: list[dict[str, object]]) -> None:
    """A configuration of its own name, declared in the README, beside the unpacked videos (here: of sound alone)."""
    (folder / "videomme").mkdir(parents=True)
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: videomme\n  data_files:\n  - split: test\n    path: videomme/test-*\n---\n"
    )
    pq.write_table(pa.Table.from_pylist(rows), folder / "videomme/test-00000-of-00001.parquet")
    for number, row in enumerate(rows):
        put_sound(folder / f"data/{row['videoID']}.mp4", 280 + number // 3)


PLACES = {"mmau": "gamma-lab-umd/MMAU-test-mini"}
"""Where each lies in the folder of data, if not under its own name."""
MAKERS = {
    "muchomusic": (muchomusic, muchomusic_row),
    "mmau": (mmau, mmau_row),
    "mmau_pro": (mmau_pro, mmau_pro_row),
    "mmar": (mmar, mmar_row),
    "video_mme": (video_mme, video_mme_row),
}
