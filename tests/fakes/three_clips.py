"""Twelve questions about three short clips with loud tones, and a task of all conditions over them."""

import json
from fractions import Fraction

import av
import numpy as np

TASK = """\
task: musebench_eight
dataset_path: {data}
kind: choice
columns: {{id: id, media: clip, question: question, options: options, answer: answer, cluster_id: clip,
          transcript: transcript}}
protocol:
  media: [video, audio]
  fps: 2
  sample_rate: 8000
  conditions: [{conditions}]
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
EIGHT = ("full", "no_audio", "no_video", "text_only", "noise", "silence", "frozen_frame", "shuffled_frames")
SECONDS, CLIPS, ITEMS = 3, 3, 12


def write_film(path, number):
    """Three seconds whose grey level tells the time, with a loud tone."""
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", rate=10, options={"preset": "ultrafast"})
        video.width, video.height, video.pix_fmt = 160, 120, "yuv420p"
        audio = container.add_stream("aac", rate=8000, layout="mono")
        for place in range(SECONDS * 10):
            frame = av.VideoFrame.from_ndarray(np.full((120, 160, 3), 40 + 6 * place, np.uint8), format="rgb24")
            frame.pts, frame.time_base = place, Fraction(1, 10)
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        tone = 0.5 * np.sin(2 * np.pi * (300 + 50 * number) * np.arange(SECONDS * 8000) / 8000)
        for start in range(0, len(tone), 1024):
            frame = av.AudioFrame.from_ndarray(tone[None, start : start + 1024].astype(np.float32), "fltp", "mono")
            frame.sample_rate, frame.pts = 8000, start
            container.mux(audio.encode(frame))
        container.mux(audio.encode(None))


def write_task(folder):
    """The path of the task's file, with clips and rows beside it: one silent clip, one without a transcript."""
    for number in range(CLIPS):
        write_film(folder / f"clip{number}.mp4", number)
    rows = [
        {
            "id": f"q{number:02d}",
            "clip": f"clip{number % CLIPS}.mp4",
            "question": f"What is heard in {number}?",
            "options": ["a tone", "a bell", "rain", "nothing"],
            "answer": "a tone",
            "transcript": {0: "", 2: None}.get(number, "Welcome to the show."),
        }
        for number in range(ITEMS)
    ]
    (folder / "musebench_rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = folder / "musebench_eight.yaml"
    path.write_text(TASK.format(data=folder / "musebench_rows.jsonl", conditions=", ".join(EIGHT)))
    return str(path)
