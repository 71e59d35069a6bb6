"""Wrong input and bad luck: one clear line, the right exit code, and nothing answered is lost."""

import json
import os
import resource
from pathlib import Path

import av
import numpy as np
import pytest

TASK = """\
task: mine
dataset_path: data
kind: choice
columns: {id: id, media: media, question: question, options: options, answer: answer}
protocol: {media: [video]}
metric_list: [{metric: accuracy}]
metadata: {version: 1.0, headline: accuracy}
"""
WATCHER = """
def answer(question):
    return "A" if len(question["frames"]) else "B"

answer.kinds = {"single"}
answer.modalities = {"video"}
"""


def film(path, seconds=2, rate=10):
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        noise = np.random.default_rng(1)
        for _ in range(seconds * rate):
            picture = noise.integers(0, 255, (48, 64, 3), dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


def row(number, **more):
    return {
        "id": f"item-{number}",
        "media": f"clip-{number}.mp4",
        "question": "What is seen?",
        "options": ["noise", "a cat", "a dog"],
        "answer": "noise",
        **more,
    }


@pytest.fixture
def benchmark(musebench):
    """A benchmark of three films, a model that watches them, and a function that writes other rows."""
    data = musebench.folder / "data"
    data.mkdir()
    for number in range(3):
        film(data / f"clip-{number}.mp4", seconds=2 + number)
    (musebench.folder / "mine.yaml").write_text(TASK)
    (musebench.folder / "watcher.py").write_text(WATCHER)

    def write(*rows):
        (data / "test.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))

    write(*(row(number) for number in range(3)))
    return write


def run(musebench, *more, **keywords):
    arguments = ["run", "--tasks", "mine.yaml", "--model", "python:watcher.py:answer", "--out", "out", "--no-report"]
    return musebench(*arguments, *more, **keywords)


def one_line(done):
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]


def statuses(musebench):
    (path,) = Path(musebench.folder, "out").rglob("predictions.jsonl")
    return [json.loads(line)["status"] for line in path.read_text().splitlines()]


def test_a_benchmark_of_ones_own_runs(musebench, benchmark):
    done = run(musebench)
    assert done.returncode == 0, done.stderr
    assert statuses(musebench) == ["ok"] * 3


def test_a_terminal_without_unicode(musebench, benchmark):
    benchmark(row(0, question="Où joue-t-on ♪?", options=["bruit – noise", "ein Käfer", "猫"], answer="猫"))
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for again in range(2):
        done = run(musebench, env=plain)
        assert done.returncode == 0, f"run {again}: {done.stderr}"
    assert musebench("report", "out", env=plain).returncode == 0
    assert statuses(musebench) == ["ok"]


def test_a_bad_yaml(musebench, benchmark):
    (musebench.folder / "mine.yaml").write_text(TASK.replace("protocol: {media", "protocol: {meida"))
    done = run(musebench)
    assert done.returncode == 2
    line = one_line(done)
    assert "mine.yaml line 5" in line
    assert '"protocol.meida"' in line
    assert "media" in line


def test_a_missing_media_file_costs_its_request_alone(musebench, benchmark):
    (musebench.folder / "data" / "clip-1.mp4").unlink()
    done = run(musebench)
    assert done.returncode == 3
    assert "clip-1.mp4" in done.stderr
    assert statuses(musebench) == ["ok", "media_unavailable", "ok"]


def test_a_truncated_video_costs_its_request_alone(musebench, benchmark):
    path = musebench.folder / "data" / "clip-1.mp4"
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
    done = run(musebench)
    assert done.returncode == 3
    assert "short_decode" in done.stderr
    assert statuses(musebench) == ["ok", "media_error", "ok"]


def test_two_correct_options_in_a_single_select_item(musebench, benchmark):
    benchmark(row(0), row(1, answer=["noise", "a cat"]), row(2))
    done = run(musebench)
    assert done.returncode == 2
    line = one_line(done)
    assert "test.jsonl" in line
    assert 'column "answer"' in line


def test_a_duplicate_id(musebench, benchmark):
    benchmark(row(0), row(1), row(1, media="clip-2.mp4"))
    done = run(musebench)
    assert done.returncode == 2
    assert "item-1" in one_line(done)


def test_a_place_that_cannot_be_written(musebench, benchmark):
    (musebench.folder / "out").write_text("a file stands here")
    done = run(musebench)
    assert done.returncode == 2
    assert "cannot be written" in one_line(done)


def test_no_room_for_more_answers_keeps_what_is_there(musebench, benchmark):
    benchmark(*(row(number, media=f"clip-{number % 3}.mp4") for number in range(40)))
    assert run(musebench, "--out", "full").returncode == 0, "the media are cached now: only answers are written below"

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))

    done = run(musebench, "--out", "narrow", preexec_fn=small)
    assert done.returncode == 1
    assert "What was written so far is kept" in one_line(done)
    (journal,) = Path(musebench.folder, "narrow").rglob("worker-0.jsonl")
    kept = journal.read_text()
    assert kept.count("\n") > 5
    done = run(musebench, "--out", "narrow")
    assert done.returncode == 0, done.stderr
    assert journal.read_text().startswith(kept)
    for name in ("predictions.jsonl", "scores.json"):
        (narrow,) = Path(musebench.folder, "narrow").glob(f"*/*/{name}")
        (full,) = Path(musebench.folder, "full").glob(f"*/*/{name}")
        assert narrow.read_bytes() == full.read_bytes()


def test_asking_something_else_of_the_same_folder_names_the_difference(musebench, benchmark):
    assert run(musebench).returncode == 0
    (musebench.folder / "mine.yaml").write_text(TASK.replace("media: [video]", "media: [video], fps: 2"))
    done = run(musebench)
    assert done.returncode == 2
    assert "run.yaml differs from what you ask now in media.fps (1.0, now 2.0)" in one_line(done)


def test_a_condition_that_the_task_lacks_is_named(musebench, benchmark):
    done = run(musebench, "--conditions", "noise")
    assert done.returncode == 2
    assert "noise not asked: the task allows full" in done.stdout
    assert "Nothing could be asked" in one_line(done)


def test_an_unknown_model_and_task_are_answered_with_the_nearest(musebench):
    assert "(nearest: random)" in one_line(musebench("run", "--tasks", "mub_demo", "--model", "randon"))
    assert "mub_demo" in one_line(musebench("run", "--tasks", "mub_dmeo", "--model", "random"))


def test_real_benchmarks_say_how_to_place_their_data(musebench):
    done = musebench("run", "--tasks", "musebench", "--model", "random", "--offline")
    assert done.returncode == 2
    assert "MUSEBENCH_DATA" in one_line(done)


def test_predictions_for_items_nobody_asked_are_refused(musebench, benchmark):
    assert run(musebench).returncode == 0
    (path,) = Path(musebench.folder, "out").rglob("predictions.jsonl")
    lines = path.read_text()
    path.write_text(lines + lines.splitlines()[0] + "\n")
    done = musebench("validate", path)
    assert done.returncode == 2
    assert "line 4" in one_line(done)
    path.write_text(lines.replace("item-2", "item-9"))
    done = musebench("score", "out", "--task", "mine.yaml")
    assert done.returncode == 2
    assert '"item-9" is no item of the benchmark' in one_line(done)


def test_a_task_of_ones_own_is_scored_and_reported_again_from_its_folder(musebench, benchmark, results_of):
    assert run(musebench).returncode == 0
    before = results_of(musebench.folder / "out")
    (musebench.folder / "mine.yaml").unlink()
    assert musebench("score", "out").returncode == 0
    assert results_of(musebench.folder / "out") == before
    assert musebench("report", "out").returncode == 0
    assert "What is seen?" in (musebench.folder / "out" / "report" / "index.html").read_text()


def test_a_broken_suite_file_is_named(musebench, benchmark):
    assert run(musebench).returncode == 0
    (musebench.folder / "out" / "suite.yaml").write_text("tasks: [mine")
    done = run(musebench)
    assert done.returncode == 2
    assert "out/suite.yaml line 2: is not YAML" in one_line(done)
