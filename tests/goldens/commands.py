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


PLACE_IN_THE_PACKAGE = re.compile(r"musebench_tasks\.(?:\w+\.)*")
"""What stands before the name of a function in a harness's YAML file: the room may be called otherwise."""


def as_text(said: Said) -> str:
    """Exit code and output; not errors, whose sentences may be put better."""
    return f"exit {said.code}\n{said.output}"


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
                text = PLACE_IN_THE_PACKAGE.sub("", path.read_text(encoding="utf-8"))
                yield f"{harness}/{path.relative_to(tree).as_posix()}", text


def checked_data(folder: Path) -> Iterator[tuple[str, str]]:
    """What `data check` finds in the rows of the demos, and in sheets with a fault in nearly every row."""
    for demo in DEMOS:
        yield from _findings(demo, (demo,), folder)
    for benchmark, (sound, changes) in SHEETS.items():
        write_sheet(folder / benchmark, sound, changes)
        yield from _findings(f"{benchmark} sheet", (f"{benchmark}/questions.csv", "--as", benchmark), folder)


def _findings(name: str, arguments: tuple[str, ...], folder: Path) -> Iterator[tuple[str, str]]:
    """By tag, a line a finding: severity, effect, row, item and column; not its sentence, which may be put better."""
    said = musebench("data", "check", *arguments, "--items-only", "--json", cwd=folder)
    findings = json.loads(said.output)["items"]["findings"]
    yield f"{name} · all", f"exit {said.code}, {len(findings)} findings"
    for tag in sorted({each["tag"] for each in findings}):
        facts = ("severity", "effect", "row", "item", "field")
        found = [[str(each[fact]) for fact in facts] for each in findings if each["tag"] == tag]
        yield f"{name} · {tag}", "\n".join(sorted(map(" · ".join, found)))


HUMMUSQA = {
    "identifier": "q1",
    "audio_path": "one.wav",
    "question": "What carries the tune in the second half?",
    "answer": "Flute",
    "distractor_1": "Cello",
    "distractor_2": "Choir",
    "distractor_3": "Drum",
    "main_category": "Instrumentation",
    "secondary_categories": "Structure",
    "difficulty": "Low",
    "excerpt_start_time": "00:00",
    "excerpt_end_time": "00:30",
    "song_link": "",
    "jamendo_id": "j1",
    "song_name": "The Kilkenny Jig",
    "artist_name": "We",
    "album_name": "Music of Ireland",
    "song_license_url": "https://creativecommons.org/publicdomain/zero/1.0/",
}
MUSEBENCH = {
    "id": "m1",
    "video": "one.mp4",
    "start_s": "0",
    "end_s": "12.5",
    "cluster_id": "c1",
    "category": "Static Visual",
    "subdomain": "Fine Art",
    "kind": "single",
    "question": "During which move does the crescent come into the frame?",
    "options": '["In the drawing back", "In the glide", "In the turn", "In none"]',
    "answer": '["In the glide"]',
    "transcript": "",
    "alignment": "audiovisual",
    "core_intent": "In the glide.",
    "license": "CC0-1.0",
    "attribution": "We",
    "version": "2.0",
}
MUB = {
    "id": "t1",
    "audio": "one.ogg",
    "duration_s": "46.1",
    "cluster_id": "c1",
    "tempo_bpm": "95.7",
    "beat_unit": "1/4",
    "key": "G minor",
    "time_signature": "3/4",
    "segments": '[{"start_s": 0, "end_s": 20, "label": "A"}, {"start_s": 20, "end_s": 46.1, "label": "B"}]',
    "license": "CC0-1.0",
    "attribution": "We",
    "version": "2.0",
}
SHEETS: dict[str, tuple[dict[str, str], list[dict[str, str]]]] = {
    "hummusqa": (
        HUMMUSQA,
        [
            {"identifier": "q1"},
            {"identifier": "", "question": ""},
            {"answer": "Flute "},
            {"answer": "Cello"},
            {"distractor_1": "", "distractor_2": ""},
            {"answer": "All of the above"},
            {"answer": "A flute"},
            {"question": "Which flute carries the tune: a flute?"},
            {"difficulty": "low"},
            {"difficulty": "Unknown"},
            {"audio_path": ""},
            {"audio_path": "nowhere.wav"},
            {"answer": "Much longer an answer than all of the others are, with reasons why it must be the right one"},
            {"question": "What carries the tune in the second half?\x07"},
            {"distractor_3": "a drum", "distractor_2": "A  drum"},
            {"question": "\uff37hat carries the tune?", "answer": "A \ufb02ute"},
            {"excerpt_start_time": "00:40"},
            {"excerpt_end_time": "half past"},
            {"song_license_url": "https://creativecommons.org/licenses/by-nd/4.0/"},
            {"song_license_url": "mine"},
            {"main_category": "instrumentation"},
            {"secondary_categories": "Instrumentation; Nothing"},
            {"question": "=SUM(A1:A3)"},
            {"question": "<b>What</b> carries&nbsp;the tune?"},
            {"question": "what carries the tune in the second half ?"},
        ],
    ),
    "musebench": (
        MUSEBENCH,
        [
            {"id": "m1"},
            {"category": "Painting"},
            {"subdomain": "Cinematography"},
            {"kind": "multi"},
            {"kind": "several"},
            {"answer": '["In the flight"]'},
            {"answer": "[]"},
            {"answer": '["In the glide", "In the turn"]'},
            {"options": '["In the glide"]'},
            {"options": "In the glide; In the turn"},
            {"options": '["In the glide", "In the  Glide", "In the turn"]'},
            {"start_s": "13"},
            {"end_s": "soon"},
            {"license": "all mine"},
            {"cluster_id": ""},
            {"alignment": "none"},
            {"version": "two"},
            {"video": "../one.mp4"},
            {"transcript": "The answer is in the glide, as I said."},
        ],
    ),
    "mub": (
        MUB,
        [
            {"id": "t1"},
            {"tempo_bpm": "0"},
            {"tempo_bpm": "fast"},
            {"tempo_bpm": "1000"},
            {"key": "H moll"},
            {"key": "Gb  major"},
            {"time_signature": "3/5"},
            {"time_signature": "waltz"},
            {"segments": '[{"start_s": 0, "end_s": 20, "label": "A"}, {"start_s": 19, "end_s": 46.1, "label": "B"}]'},
            {"segments": '[{"start_s": 20, "end_s": 0, "label": "A"}]'},
            {"segments": "[]"},
            {"segments": '[{"start_s": 0, "end_s": 20, "label": ""}, {"start_s": 25, "end_s": 90, "label": "B"}]'},
            {"duration_s": "-3"},
            {"beat_unit": "1/3"},
            {"license": ""},
            {"audio": ""},
        ],
    ),
}
"""By benchmark: a sound row, and what the others have in place of it."""


def write_sheet(folder: Path, sound: dict[str, str], changes: list[dict[str, str]]) -> None:
    """A sheet with the sound row and, below it, one with each of the changes."""
    folder.mkdir()
    (folder / "about.yaml").write_text("pretty_name: Listening\nlicense: CC0-1.0\ncreators: [We]\n")
    name = next(iter(sound))
    rows = [sound, *(sound | {name: f"{sound[name][0]}{number}"} | change for number, change in enumerate(changes, 2))]
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
