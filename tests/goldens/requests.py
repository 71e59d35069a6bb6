"""The keys of every request that can be planned here: what a run resumes by, and what is asked again if it changes."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import yaml
from fakes.public_benchmarks import MAKERS, PLACES
from goldens.commands import DEMOS
from goldens.handles import CONDITIONS, musebench, request_keys

CARDS = {
    "server": {"spec": "openai:m@http://127.0.0.1:9/v1"},
    "frames_only": {
        "spec": "openai:m@http://127.0.0.1:9/v1",
        "limits": {"modalities": ["video"], "max_frames": 8},
        "options": {"server": "openai"},
    },
    "vllm": {
        "spec": "openai:m@http://127.0.0.1:9/v1",
        "limits": {"modalities": ["video", "audio"], "max_frames": 64, "max_audio_s": 12, "sample_rate": 16000},
        "options": {"server": "vllm", "processor_fps": True},
    },
}
VARIANTS = {
    "as it is": {},
    "shuffled": {"runs": 3, "option_order": "shuffled", "seed": 7},
    "keyframes": {"frames": "keyframes", "max_frames": 6, "max_pixels": 20000},
    "scene_changes": {"frames": "scene_changes", "max_frames": 6},
    "chunked": {"chunking": {"seconds": 5}, "sample_rate": 8000},
    "cut": {"max_audio_s": 9},
}


def planned(folder: Path) -> Iterator[tuple[str, str]]:
    """Of every task, model and condition: the keys of its requests."""
    models = ["random", "dsp", *(_card(folder, name) for name in CARDS)]
    for task in DEMOS:
        yield from _of_task(folder, task, task, models)
    for name in VARIANTS:
        for task in ("musebench_demo", "mub_demo") if name in ("chunked", "cut") else ("musebench_demo",):
            yield from _of_task(
                folder, f"{task} {name}", _variant(folder, task, name), ["random", *models[2:]], each_nth=8
            )


def planned_public(folder: Path) -> Iterator[tuple[str, str]]:
    """The same of public benchmarks, with made-up rows in their columns and folders below `folder`/data."""
    for name, (write, row) in MAKERS.items():
        write(folder / "data" / PLACES.get(name, name), [row(number) for number in range(6)])
    models = ["random", *(_card(folder, name) for name in CARDS)]
    for task in MAKERS:
        yield from _of_task(folder, task, task, models)


def _of_task(folder: Path, name: str, task: str, models: list[str], each_nth: int = 1) -> Iterator[tuple[str, str]]:
    with contextlib.chdir(folder):
        keys = request_keys(task, models, each_nth)
    yield from ((f"{name} · {Path(model).stem} · {condition}", lines) for (model, condition), lines in keys.items())


def _card(folder: Path, name: str) -> str:
    """The model card's path from `folder`: a model is named in its requests' keys as it is called."""
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(CARDS[name]))
    return f"{name}.yaml"


def _variant(folder: Path, task: str, name: str) -> str:
    tree = yaml.safe_load(musebench("tasks", "show", task, cwd=folder).output)
    tree["protocol"] |= VARIANTS[name]
    if task == "musebench_demo":
        tree["protocol"]["conditions"] = list(CONDITIONS)
    path = folder / f"{task}_{name}.yaml"
    path.write_text(yaml.safe_dump(tree, sort_keys=False))
    return str(path)
