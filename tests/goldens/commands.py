"""What commands print: their help, the list of tasks, tables of scores, and what is wrong with made-up data."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

from goldens.handles import Said, musebench

DEMOS = ("musebench_demo", "hummusqa_demo", "mub_demo")
NAMED = re.compile(r"^    (\w[\w-]*)(?:\s|$)", re.MULTILINE)
"""A command in the help of the command above it."""


def as_text(said: Said) -> str:
    """Exit code and both outputs."""
    return f"exit {said.code}\n{said.output}\n--- errors\n{said.errors}"


def help_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """`--help` of every command and subcommand."""
    yield from _helps((), folder)


def _helps(command: tuple[str, ...], folder: Path) -> Iterator[tuple[str, str]]:
    text = musebench(*command, "--help", cwd=folder).output
    yield " ".join(("musebench", *command)), text
    _, _, listed = text.partition("COMMAND\n" if not command else "\n  ACTION\n")
    if listed:
        for name in NAMED.findall(listed):
            yield from _helps((*command, name), folder)


def task_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Every task as it is understood, and the trees that harnesses are given."""
    listed = musebench("tasks", "list", cwd=folder)
    yield "tasks list", as_text(listed)
    yield "models list", as_text(musebench("models", "list", cwd=folder))
    for line in listed.output.splitlines():
        name = line.split()[0]
        yield f"tasks show {name}", as_text(musebench("tasks", "show", name, cwd=folder))
    for harness in ("lm_eval", "lmms_eval"):
        tree = Path(musebench("tasks", "path", harness, cwd=folder).output.strip())
        for path in sorted(tree.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield f"{harness}/{path.relative_to(tree).as_posix()}", path.read_text(encoding="utf-8")


def checked_data(folder: Path) -> Iterator[tuple[str, str]]:
    """What `data check` finds in the demos and in a sheet with a fault in nearly every row."""
    for demo in DEMOS:
        yield f"{demo} rows", as_text(musebench("data", "check", demo, "--items-only", cwd=folder))
        found = musebench("data", "check", demo, "--items-only", "--json", cwd=folder)
        yield f"{demo} rows as JSON", as_text(found)
    write_sheet(folder / "faulty")
    for more in ((), ("--all",), ("--json",)):
        arguments = ("data", "check", "faulty/questions.csv", "--as", "hummusqa", "--items-only", *more)
        yield " ".join(("faulty sheet", *more)), as_text(musebench(*arguments, cwd=folder))
    arguments = ("data", "check", "faulty/questions.csv", "--as", "hummusqa", "--items-only", "--sheet", "told.csv")
    musebench(*arguments, cwd=folder)
    yield "faulty sheet told", (folder / "told.csv").read_text(encoding="utf-8")


def write_sheet(folder: Path) -> None:
    """A sheet of HumMusQA's columns with faults of many kinds, and one sound row among them."""
    folder.mkdir()
    (folder / "about.yaml").write_text("pretty_name: Listening\nlicense: CC0-1.0\ncreators: [We]\n")
    sound = {
        "identifier": "q1",
        "question": "What carries the tune in the second half?",
        "answer": "A flute",
        "distractor_1": "A cello",
        "distractor_2": "A choir",
        "distractor_3": "A drum",
        "audio_path": "one.wav",
        "difficulty": "Low",
        "category": "Instrumentation",
    }
    changes: list[dict[str, str]] = [
        {},
        {"identifier": "q1"},
        {"identifier": "", "question": ""},
        {"answer": "A flute "},
        {"answer": "A cello"},
        {"distractor_1": "", "distractor_2": ""},
        {"answer": "All of the above"},
        {"question": "Which flute carries the tune: a flute?"},
        {"difficulty": "low"},
        {"difficulty": "Unknown"},
        {"audio_path": ""},
        {"audio_path": "nowhere.wav"},
        {"answer": "A very much longer answer than all of the others, with reasons why it must be right"},
        {"question": "What carries the tune in the second half?\x07"},
        {"distractor_3": "a drum", "distractor_2": "A  drum"},
        {"question": "Ｗhat carries the tune?", "answer": "A ﬂute"},
    ]
    rows = [sound | {"identifier": f"q{number}"} | change for number, change in enumerate(changes, 1)]
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(sound))
        writer.writeheader()
        writer.writerows(rows)


def scored_files(folder: Path) -> Iterator[tuple[str, str]]:
    """`score --estimates --references` on files of several formats, some missing, some illegal."""
    write_recordings(folder)
    arguments = ("score", "--estimates", "mine", "--references", "refs")
    yield "table", as_text(musebench(*arguments, cwd=folder))
    yield "json", as_text(musebench(*arguments, "--json", cwd=folder))
    for name in ("scores.json", "scores.csv"):
        musebench(*arguments, "--out", name, cwd=folder)
        yield name, (folder / name).read_text(encoding="utf-8")


def write_recordings(folder: Path) -> None:
    """Twelve references, and estimates that are right, near, an octave off, illegal or missing."""
    for side in ("refs", "mine"):
        (folder / side).mkdir()
    keys = ("C major", "A minor", "F# minor", "Bb major")
    for number in range(12):
        cut = 8 + number
        segments = [
            {"start_s": 0, "end_s": cut, "label": "verse"},
            {"start_s": cut, "end_s": 30, "label": "chorus"},
            {"start_s": 30, "end_s": 40.5, "label": "verse"},
        ]
        truth = {
            "tempo_bpm": 60 + 7 * number,
            "key": keys[number % 4],
            "time_signature": ("4/4", "3/4", "6/8")[number % 3],
        }
        truth |= {"duration_s": 40.5, "segments": segments}
        (folder / "refs" / f"r{number:02d}.json").write_text(json.dumps(truth))
        near = [{**each, "label": "ABC"[place]} for place, each in enumerate(segments)]
        near[0] = {**near[0], "end_s": cut + 0.3 * (number % 5)}
        near[1] = {**near[1], "start_s": cut + 0.3 * (number % 5)}
        guess = truth | {"tempo_bpm": truth["tempo_bpm"] * (1, 1.039, 2, 0.5, 1.05)[number % 5], "segments": near}
        guess |= {"key": keys[number % 3]}
        guess |= {8: {"key": "H moll"}, 9: {"tempo_bpm": 5}, 10: {"segments": [[9, 3, "x"]]}}.get(number, {})
        if number != 11:
            (folder / "mine" / f"r{number:02d}.json").write_text(json.dumps(guess))
