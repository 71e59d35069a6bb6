"""A choice benchmark whose every column that no model may see holds words that stand nowhere else."""

import json
from fractions import Fraction

import av
import numpy as np

from musebench_tasks.base.records import make_options

EVALUATOR_COLUMNS = (
    "title", "artist_name", "album_name", "youtube_id", "song_link", "audio_hash", "caption", "core_intent",
    "correct_answer", "annotator_id", "uploader_notes", "attribution", "tags", "cluster_id", "distractor_strategies",
)  # fmt: skip
TEXTS = ("The pan reveals a rival", "The cut hides a threat", "The light frames a door", "The score falls silent")
TASK = """\
task: {name}
dataset_path: {data}
kind: choice
columns: {{media: video}}
protocol: {{media: [video, audio], fps: 2, conditions: [full, no_audio, text_only], max_frames: 4}}
{more}metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""


def canary(column, number):
    """Words that tell column and row, in the form such a column has; each holds a word that is found anywhere."""
    word = f"{column.replace('_', '')}canary{number}"
    if column in ("youtube_id", "cluster_id", "annotator_id"):
        return f"{word}X9"
    if column == "song_link":
        return f"https://www.example.com/watch?v={word}X9"
    if column == "audio_hash":
        return f"{word}0f3a"
    if column in ("caption", "core_intent", "uploader_notes"):
        return f"A {word} stands where the slow light of the evening falls over the harbour {word}"
    return f"The {word} of evenings"


def secret_row(number):
    name = f"item{number}canary"
    options = make_options(name, TEXTS)
    row = {column: canary(column, number) for column in EVALUATOR_COLUMNS}
    return {
        **row,
        "id": name,
        "video": f"{canary('filename', number)}.mp4",
        "kind": "single",
        "category": "Game",
        "question": "What does the shot do for the scene?",
        "options": [option.model_dump() for option in options],
        "transcript": f"Good evening, said transcriptcanary{number}, and closed the heavy door behind the guests.",
        "answer": [options[number % 4].id],
        "tags": [canary("tags", number)],
        "correct_answer": [TEXTS[number % 4]],
        "distractor_strategies": [
            {"id": option.id, "strategy": f"strategycanary{number}place{place}"} for place, option in enumerate(options)
        ],
    }


def write_film(path, title):
    """Two seconds of film with a title tag."""
    with av.open(str(path), "w") as container:
        container.metadata["title"] = container.metadata["comment"] = title
        video = container.add_stream("libx264", rate=10, options={"preset": "ultrafast"})
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        sound = container.add_stream("aac", rate=16_000, layout="mono")
        for number in range(20):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 10 * number, np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        for start in range(0, 32_000, 1024):
            heard = np.sin(np.arange(start, start + 1024) / 9)[None].astype(np.float32) / 2
            frame = av.AudioFrame.from_ndarray(heard, format="fltp", layout="mono")
            frame.sample_rate, frame.pts = 16_000, start
            container.mux(sound.encode(frame))
        container.mux(sound.encode(None))


def write_secret_dataset(folder, rows=2, *, films=True, more="", change=None):
    """The data at folder/data and folder/task.yaml, whose path is returned. `more`: further lines of the task."""
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    with (data / "test.jsonl").open("w") as lines:
        for number in range(rows):
            row = secret_row(number)
            if films:
                write_film(data / row["video"], canary("tagged", number))
            else:
                (data / row["video"]).write_bytes(b"film %d" % number)
            lines.write(json.dumps({**row, **(change or {}).get(number, {})}) + "\n")
    task = folder / "secretive.yaml"
    task.write_text(TASK.format(name="secretive", data=data, more=more))
    return task
