"""The trees in the harnesses themselves, each in an environment of its own: they run, and score as `musebench` does.

MUSEBENCH_LM_EVAL_PYTHON and MUSEBENCH_LMMS_EVAL_PYTHON name the interpreters of environments with lm-eval 0.4.13 and
lmms-eval 0.7.3, torch, and what this package needs.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from musebench_tasks import run
from musebench_tasks.api import import_log
from musebench_tasks.cli import main
from musebench_tasks.harnesses import export
from musebench_tasks.harnesses.export import KEYS, tree_folder
from musebench_tasks.items import load_references
from musebench_tasks.tasks import load_task

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = {"lm_eval": export.LM_EVAL_VERSION, "lmms_eval": export.LMMS_EVAL_VERSION}
OUR_NAMES = {
    "position_bias": "position_bias.excess_first",
    "mub_key": "mub.key.symmetric",
    "mub_tempo": "mub.tempo.acc1",
}
OUR_NAMES |= {"mub_time_signature": "mub.time_signature.accuracy", "mub_segments": "mub.segments.iou_f1"}


class Harness:
    """One of the harnesses as its users call it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.python = os.environ.get(f"MUSEBENCH_{name.upper()}_PYTHON")
        if not self.python:
            pytest.skip(f"MUSEBENCH_{name.upper()}_PYTHON names no interpreter with {name} {VERSIONS[name]}")
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HOME": str(folder / "hf")}

    def __call__(self, *arguments, **variables):
        """Run its command with our tree; what it printed, and its exit code."""
        verb = ["eval"] if self.name == "lmms_eval" else []
        command = [self.python, "-m", self.name, *verb, "--include_path", str(tree_folder(self.name)), "--log_samples"]
        return self.start([*command, "--output_path", str(self.folder / "out"), *map(str, arguments)], **variables)

    def start(self, command, **variables):
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=1200,
        )

    def results(self):
        """Metrics by task, from the results file; there must be one."""
        (path,) = (self.folder / "out").rglob("*results*.json")
        found = json.loads(path.read_text())["results"]
        return {
            task: {key.removesuffix(",none"): value for key, value in metrics.items() if key.endswith(",none")}
            for task, metrics in found.items()
        }

    def samples(self, task):
        """What was logged of each document: our identity of it, the text, the metrics."""
        paths = [path for path in (self.folder / "out").rglob("*samples_*.jsonl") if f"samples_{task}" in path.name]
        (path,) = [path for path in paths if path.stem.partition("samples_")[2].split("_20")[0] == task]
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return [self._sample(line) for line in lines]

    def _sample(self, line):
        identity, text = line.get("doc", line), line["filtered_resps"]
        return {**line, **identity, "raw": text if isinstance(text, str) else text[0]}


@pytest.fixture
def lm_eval(tmp_path):
    return Harness("lm_eval", tmp_path)


@pytest.fixture
def lmms_eval(tmp_path):
    return Harness("lmms_eval", tmp_path)


def our_scores(task, samples, folder):
    """The scorecard that `musebench run` makes of the same answers, and its predictions by item and run."""
    answers = folder / "answers.jsonl"
    kept = ("item_id", "run", "condition", "option_order", "raw")
    answers.write_text("".join(json.dumps({name: each[name] for name in kept}) + "\n" for each in samples))
    (condition,) = {each["condition"] for each in samples}
    outcome = run(model=f"replay:{answers}", tasks=[task], out=folder / "ours", conditions=[condition])
    (card,) = outcome.scorecards
    (path,) = (folder / "ours").rglob("predictions.jsonl")
    predictions = {(each["item_id"], each["run"]): each for each in map(json.loads, path.read_text().splitlines())}
    return card, predictions, condition


def agree(task, metrics, samples, folder, n):
    """Item by item; and on the whole where every planned request was asked."""
    assert len(samples) == n
    card, predictions, condition = our_scores(task, samples, folder)
    config = load_task(task)
    gold = load_references(config).references
    assert len({(each["item_id"], each["run"]) for each in samples}) == n
    for sample in samples:
        ours = predictions[sample["item_id"], sample["run"]]
        assert ours["raw"] == sample["raw"]
        if config.kind == "choice":
            right = set(ours["parsed"] or ()) == set(gold[sample["item_id"]].answer)
            assert sample["accuracy"] == float(right), sample["item_id"]
    if n == sum(count.planned for count in card.counts):
        for metric, value in metrics.items():
            name = OUR_NAMES.get(metric, metric)
            if isinstance(value, float) and (row := card.row(name, condition=condition)) is not None:
                assert value == pytest.approx(row.value, abs=1e-9), metric
        assert set(metrics) >= {each.metric for each in config.metric_list}


KEYS_OF = {
    "lm_eval": "from lm_eval.config.task import TaskConfig",
    "lmms_eval": "from lmms_eval.api.task import TaskConfig",
}


@pytest.mark.parametrize("name", VERSIONS)
def test_the_vendored_keys_are_those_of_the_harness(name, tmp_path):
    harness = Harness(name, tmp_path)
    code = f"{KEYS_OF[name]}\nimport dataclasses, importlib.metadata as m, json\n"
    code += f"print(json.dumps([m.version('{name}'), [f.name for f in dataclasses.fields(TaskConfig)]]))"
    done = harness.start([harness.python, "-c", code])
    version, keys = json.loads(done.stdout.splitlines()[-1])
    assert version == VERSIONS[name]
    assert set(keys) == set(KEYS[name])


OWN = """task: mine
dataset_path: hummusqa_demo
protocol: {media: [audio], conditions: [full, text_only], runs: 2, option_order: shuffled}
columns: {id: identifier, media: audio, question: question, answer: answer, distractors: [distractor_1, distractor_2]}
metric_list: [{metric: accuracy}]
metadata: {version: 1.0, headline: accuracy}
"""
DUMMIES = {"lm_eval": "dummy", "lmms_eval": "dummy_video_reader"}


@pytest.mark.parametrize("name", DUMMIES)
def test_a_task_of_ones_own_goes_there_and_its_log_comes_back(name, tmp_path, monkeypatch):
    harness = Harness(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(OWN)
    assert main(["tasks", "export", "mine.yaml", "--to", "trees"]) == 0
    arguments = ["--model", DUMMIES[name], "--tasks", "musebench_mine_text_only", "--limit", 8]
    options = ["--include_path", tmp_path / "trees" / name]  # the later one of two holds
    done = harness(*arguments, *options)
    assert "set it to the YAML file that was exported" in done.stdout
    done = harness(*arguments, *options, MUSEBENCH_TASKS="mine.yaml")
    assert done.returncode == 0, done.stdout
    assert not [path for path in Path("out").rglob("*samples*") if str(tmp_path) in path.read_text()]
    imported = import_log(name, "out", task="mine.yaml", model="dummy", limit=4, out="run")
    assert (imported.card.counts[0].planned, imported.card.counts[0].coverage) == (8, 1.0)


def test_lm_eval_shows_films_to_its_own_model(lm_eval, tiny_model, tmp_path):
    model = f"pretrained={tiny_model('qwen2_5_vl')},dtype=float32"
    settings = ["--device", "cpu", "--apply_chat_template", "--metadata", '{"musebench_max_frames": 3}', "--limit", 6]
    done = lm_eval("--model", "hf-multimodal", "--model_args", model, "--tasks", "musebench_demo_no_audio", *settings)
    assert done.returncode == 0, done.stdout
    samples = lm_eval.samples("musebench_demo_no_audio")
    assert all(each["arguments"]["gen_args_0"]["arg_0"].count("<|image_pad|>") == 3 for each in samples)
    agree("musebench_demo", lm_eval.results()["musebench_demo_no_audio"], samples, tmp_path, 6)


def test_lm_eval_asks_without_media_on_the_same_command(lm_eval, tiny_model, tmp_path):
    model = f"pretrained={tiny_model('qwen2_5_vl')},dtype=float32"
    names = "musebench_demo_text_only,musebench_hummusqa_demo_text_only"
    done = lm_eval(
        *("--model", "hf-multimodal", "--model_args", model, "--tasks", names),
        *("--device", "cpu", "--apply_chat_template", "--limit", 8),
    )
    assert done.returncode == 0, done.stdout
    results = lm_eval.results()
    for task in ("musebench_demo", "hummusqa_demo"):
        name = f"musebench_{task.removeprefix('musebench_')}_text_only"
        (tmp_path / task).mkdir()
        agree(task, results[name], lm_eval.samples(name), tmp_path / task, 8)


@pytest.mark.parametrize("task", ["musebench_demo", "musebench_hummusqa_demo_silence"])
def test_lm_eval_refuses_to_score_without_sound(lm_eval, tiny_model, task):
    model = f"pretrained={tiny_model('qwen2_5_vl')},dtype=float32"
    done = lm_eval("--model", "hf-multimodal", "--model_args", model, "--tasks", task, "--device", "cpu", "--limit", 2)
    assert done.returncode != 0
    assert "has sound, which models of lm-eval do not take" in done.stdout
    assert not (lm_eval.folder / "out").exists()


ROUTE = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager
from musebench_tasks.harnesses.export import tree_folder
from musebench_tasks.harnesses.lm_eval import musebench_lm

spec, task, limit = sys.argv[1:]
manager = TaskManager(include_path=[str(tree_folder("lm_eval"))], include_defaults=False)
found = simple_evaluate(musebench_lm(spec), tasks=[task], task_manager=manager, limit=int(limit) or None)
metrics = {key.removesuffix(",none"): value for key, value in found["results"][task].items() if key.endswith(",none")}
print(json.dumps([metrics, found["samples"][task]], default=str))
"""


@pytest.mark.parametrize(
    ("spec", "name", "task", "n"),
    [
        ("random", "musebench_demo", "musebench_demo", 80),
        ("random", "musebench_hummusqa_demo", "hummusqa_demo", 240),
        ("random", "musebench_demo_no_video", "musebench_demo", 80),
        ("dsp", "musebench_mub_demo", "mub_demo", 0),
        ("tiny", "musebench_demo", "musebench_demo", 3),
        ("tiny", "musebench_hummusqa_demo_noise", "hummusqa_demo", 2),
    ],
)
def test_our_models_answer_in_lm_eval_with_sound(lm_eval, tiny_omni, tmp_path, spec, name, task, n):
    model = f"transformers:{tiny_omni}" if spec == "tiny" else spec
    limit = n if spec == "tiny" else 0
    done = lm_eval.start([lm_eval.python, "-c", ROUTE, model, name, str(limit)])
    assert done.returncode == 0, done.stdout
    metrics, samples = json.loads(done.stdout.splitlines()[-1])
    samples = [lm_eval._sample(each) for each in samples]
    agree(task, metrics, samples, tmp_path, n or len(load_references(load_task(task)).references))


DUMMY = [
    ("musebench_demo_no_audio", "musebench_demo", "B", 80),
    ("musebench_demo_text_only", "musebench_demo", "The answer is A and C.", 80),
    ("musebench_hummusqa_demo_text_only", "hummusqa_demo", "Answer: C", 240),
]


@pytest.mark.parametrize(("name", "task", "answer", "n"), DUMMY)
def test_lmms_eval_scores_as_we_do(lmms_eval, tmp_path, name, task, answer, n):
    done = lmms_eval("--model", "dummy", "--model_args", f"response={answer}", "--tasks", name)
    metrics = lmms_eval.results()[name]
    agree(task, metrics, lmms_eval.samples(name), tmp_path, n)
    assert metrics["accuracy_clustered"] == metrics["accuracy"]
    assert metrics["accuracy_clustered_stderr_clustered"] != "N/A", done.stdout


def test_lmms_eval_shows_films_to_its_own_model(lmms_eval, tiny_model, tmp_path):
    model = f"pretrained={tiny_model('qwen2_5_vl')},device=cpu,device_map=cpu,max_num_frames=4,max_pixels=50176"
    done = lmms_eval(
        *("--model", "qwen2_5_vl", "--model_args", f"{model},min_pixels=3136"),
        *("--tasks", "musebench_demo_no_audio", "--limit", 4),
    )
    assert "Error during evaluation" not in done.stdout, done.stdout
    name = "musebench_demo_no_audio"
    agree("musebench_demo", lmms_eval.results()[name], lmms_eval.samples(name), tmp_path, 4)


def test_lmms_eval_refuses_a_wrapper_that_would_hear_nothing(lmms_eval, tiny_model):
    model = f"pretrained={tiny_model('qwen2_5_vl')},device=cpu,device_map=cpu"
    done = lmms_eval("--model", "qwen2_5_vl", "--model_args", model, "--tasks", "musebench_demo", "--limit", 2)
    assert "is not known to take it: it would be scored without having heard anything" in done.stdout.splitlines()[-1]
    assert done.returncode == 1
    assert not list(lmms_eval.folder.rglob("*results*.json"))


def test_lmms_eval_is_handed_films_with_their_sound(lmms_eval, tmp_path):
    """The wrapper opens what is handed to it; its answers are scored as ours, music among them."""
    answer = '{"tempo": 120}'
    names = {"musebench_demo": ("musebench_demo", 80), "musebench_mub_demo": ("mub_demo", None)}
    done = lmms_eval(
        *("--model", "dummy", "--model_args", f"response={answer},read_bytes=1024", "--tasks", ",".join(names)),
        MUSEBENCH_MODEL_TAKES_SOUND="1",
    )
    results = lmms_eval.results()
    for name, (task, n) in names.items():
        (tmp_path / task).mkdir()
        wanted = n or len(load_references(load_task(task)).references)
        agree(task, results[name], lmms_eval.samples(name), tmp_path / task, wanted)
    assert "Dummy visual path does not exist" not in done.stdout


def test_a_wheel_is_all_that_a_harness_needs(lm_eval, tmp_path):
    """Another folder, nothing of a checkout on the path: the tree names what is installed."""
    installed = tmp_path / "installed"
    build = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--no-index", "-q"]
    subprocess.run([*build, "--target", str(installed), str(ROOT)], check=True, capture_output=True)
    done = lm_eval.start(
        [lm_eval.python, "-m", "musebench_tasks", "tasks", "path", "lm_eval"], PYTHONPATH=str(installed)
    )
    assert (Path(done.stdout.strip()) / "musebench_demo" / "musebench_demo.yaml").is_file()
    done = lm_eval.start([lm_eval.python, "-c", ROUTE, "random", "musebench_demo", "4"], PYTHONPATH=str(installed))
    assert done.returncode == 0, done.stdout
