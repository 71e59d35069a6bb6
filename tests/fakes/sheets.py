"""Sheets and sounds of a benchmark owner."""

import csv
import wave

import numpy as np

from musebench_tasks.base.records import TaskConfig

RATE = 8_000


def tone(hertz, seconds=3.0, rate=RATE):
    return (0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def write_wav(path, samples, rate=RATE):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((samples * 32767).astype("<i2").tobytes())


def write_csv(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)


def question(number, file, **changes):
    wrong = {"wrong a": "It falls", "wrong b": "It stays"}
    row = {"nr": number, "file": file, "asks": "Where does it go?", "right": "It rises", **wrong, "from": "", "to": ""}
    return row | changes


TASK = TaskConfig.model_validate(
    {
        "task": "listening",
        "dataset_path": "nowhere",
        "columns": {
            "id": "nr", "media": "file", "question": "asks", "answer": "right",
            "distractors": ["wrong a", "wrong b"], "start_s": "from", "end_s": "to",
        },
        "protocol": {"media": ["audio"]},
        "metric_list": [{"metric": "accuracy"}],
        "metadata": {"version": 1.0, "headline": "accuracy"},
    }
)  # fmt: skip
ABOUT = "pretty_name: Listening\nlicense: CC0-1.0\ncreators: [We]\n"
