"""What a harness costs where the model costs nothing: the same 1,000 requests with an instant model, start-up included.

Text alone, four options, answers as text, scored and written down; each command runs as a user would give it, from an
empty cache. The model of lm-eval and lmms-eval is their own `dummy`, ours a function that returns "A". Beside it what
each needs for one request.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from engine_parts.lines import Line, children_cpu_s, environment, seconds

REQUESTS = 1000
REPEATS = 3
WORDS = ("slow", "pan", "hides", "threat", "reveals", "rival", "lights", "edge", "cut", "score", "drum", "silence")
OURS = """\
task: instant
dataset_path: {data}
kind: choice
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
THEIRS = """\
task: instant
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: {text}
doc_to_target: {target}
{more}generation_kwargs: {{max_new_tokens: 16, do_sample: false}}
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
metadata: [{{version: 1.0}}]
"""
PROMPT = (
    "{{question}}\\nA. {{options[0]}}\\nB. {{options[1]}}\\nC. {{options[2]}}\\nD. {{options[3]}}\\n"
    "Reply with the letter of the chosen option."
)
VISUAL = (
    "import random\n\n\ndef no_visual(doc):\n    return []\n\n\ndef prompt(doc, lmms_eval_specific_kwargs=None):\n"
    + (
        "    options = '\\n'.join(f'{letter}. {text}' for letter, text in zip('ABCD', doc['options']))\n"
        "    return f\"{doc['question']}\\n{options}\\nReply with the letter of the chosen option.\"\n"
    )
)


def measure(lm_eval: str | None, lmms_eval: str | None) -> list[Line]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for count in (1, REQUESTS):
            write_benchmark(folder / str(count), count)
        ours, ours_one = (cpu(folder / str(count), our_command(folder / str(count))) for count in (REQUESTS, 1))
        start = f"{seconds(ours_one)} for one"
        lines = [Line(f"{REQUESTS} instant requests: musebench", seconds(ours), start, "", ours, "note")]
        for name, python in (("lm-eval", lm_eval), ("lmms-eval", lmms_eval)):
            if python is None:
                print(f"  {name} is not measured: give its interpreter as --{name} PYTHON")
                continue
            theirs, theirs_one = (
                cpu(folder / str(count), peer_command(name, python, folder / str(count))) for count in (REQUESTS, 1)
            )
            version = installed(python, "lm_eval" if name == "lm-eval" else "lmms_eval")
            peer = f"{name} {version}, {seconds(theirs_one)} for one"
            lines.append(
                Line(f"{REQUESTS} instant requests", seconds(ours), peer, seconds(theirs), theirs / ours, "times", 20)
            )
    return lines


def write_benchmark(folder: Path, count: int) -> None:
    """The same questions as a task of ours and of theirs."""
    folder.mkdir()
    draw = random.Random(42)
    with (folder / "rows.jsonl").open("w") as rows, (folder / "peers.jsonl").open("w") as peers:
        for number in range(count):
            options = [f"{' '.join(draw.sample(WORDS, 6))} {place}" for place in range(4)]
            row = {"id": f"q{number}", "question": " ".join(draw.choices(WORDS, k=20)) + "?", "options": options}
            right = draw.randrange(4)
            rows.write(json.dumps({**row, "answer": options[right]}) + "\n")
            peers.write(json.dumps({**row, "letter": "ABCD"[right]}) + "\n")
    (folder / "instant.yaml").write_text(OURS.format(data=folder / "rows.jsonl"))
    (folder / "instant.py").write_text('def answer(question):\n    return "A"\n')
    for name in ("lm-eval", "lmms-eval"):
        tasks = folder / name
        tasks.mkdir()
        own = name == "lm-eval"
        text = json.dumps(PROMPT.replace("\\n", "\n")) if own else "!function visual.prompt"
        more = "" if own else "doc_to_visual: !function visual.no_visual\n"
        target = json.dumps("{{letter}}") if own else "letter"
        (tasks / "instant.yaml").write_text(
            THEIRS.format(data=folder / "peers.jsonl", text=text, target=target, more=more)
        )
        (tasks / "visual.py").write_text(VISUAL)


def our_command(folder: Path) -> list[str]:
    model = f"python:{folder / 'instant.py'}:answer"
    arguments = ["run", "--tasks", str(folder / "instant.yaml"), "--model", model, "--no-report"]
    return [sys.executable, "-m", "musebench_tasks", *arguments]


def peer_command(name: str, python: str, folder: Path) -> list[str]:
    module = ["lm_eval", "run"] if name == "lm-eval" else ["lmms_eval"]
    arguments = ["--model", "dummy", "--tasks", "instant", "--include_path", str(folder / name), "--batch_size", "1"]
    return [python, "-m", *module, *arguments, "--log_samples", "--output_path", str(folder / f"out-{name}")]


def cpu(folder: Path, command: list[str]) -> float:
    """CPU seconds of a command and all it starts, the median of a few runs, each with empty caches."""
    found = []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            before = children_cpu_s()
            caches = environment(HF_HOME=f"{place}/hf", MUSEBENCH_CACHE=f"{place}/cache", XDG_CACHE_HOME=f"{place}/xdg")
            done = subprocess.run(command, cwd=place, env=caches, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(command[:4])} …: exit {done.returncode}\n{done.stderr[-2000:]}")
            found.append(children_cpu_s() - before)
    return statistics.median(found)


def installed(python: str, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, env=os.environ)
    return done.stdout.strip() or "?"
