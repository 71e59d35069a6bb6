"""What is installed from the wheel runs the demo from an empty folder, with everything it needs inside."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from musebench_tasks.base.resources import METRICS, demo_directory

ROOT = Path(__file__).resolve().parents[2]
DEMOS = ("musebench", "hummusqa", "mub")
OF_A_DATASET = ("README.md", "build.py", "eval.yaml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-q"]
    subprocess.run([*build, "-w", str(folder), str(ROOT)], check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_tasks_demos_and_templates_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "_bundled/yaml_configs/tasks/mub/mub_demo.yaml",
        "_bundled/yaml_configs/suites/demo.yaml",
        "_bundled/dataset_scripts/musebench/demo/musebench_demo/default/test-00000-of-00002.parquet",
        *(
            f"_bundled/dataset_scripts/{each}/{file}"
            for each in DEMOS
            for file in ("README.md", "build.py", "eval.yaml")
        ),
        "prompts/templates/video_choice.jinja",
        *(f"_bundled/metrics/{name}/{file}" for name in METRICS for file in ("README.md", "app.py", f"{name}.py")),
        "py.typed",
    ):
        assert f"musebench_tasks/{needed}" in names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/")) or "/make/" in name]
    assert {Path(name).name for name in names if "dataset_scripts" in name and name.endswith(".py")} == {"build.py"}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Where the wheel was unpacked to."""
    folder = tmp_path_factory.mktemp("installed")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q", "--target", str(folder)]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    return folder


@pytest.fixture
def python(installed, tmp_path):
    """Runs Python in an empty folder, with what the wheel holds before everything else."""
    empty = tmp_path / "empty"
    empty.mkdir()
    folders = {"PYTHONPATH": str(installed), "HF_HOME": str(tmp_path / "hf"), "HF_EVALUATE_OFFLINE": "1"}

    def run(*arguments):
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, cwd=empty, env={**os.environ, **folders}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.folder = empty
    return run


def test_the_demo_runs_from_the_wheel(python, installed):
    assert python("-c", "import musebench_tasks; print(musebench_tasks.__file__)").startswith(str(installed))
    python("-m", "musebench_tasks", "run")
    tree = Path(python("-m", "musebench_tasks", "tasks", "path", "lm_eval").strip())
    assert (tree / "musebench_demo" / "musebench_demo_no_audio.yaml").is_file()
    assert (python.folder / "runs" / "demo" / "report" / "index.html").is_file()


def test_a_demo_is_built_from_what_the_wheel_holds_and_says_where_its_makers_are(python, installed):
    told = python("-m", "musebench_tasks", "data", "build", "mub_demo", "--out", "again")
    assert "dataset_scripts/mub/make in the repository" in told
    there = demo_directory("mub")
    for path in (path.relative_to(there) for path in there.rglob("*.*")):
        assert (python.folder / "again" / path).read_bytes() == (there / path).read_bytes()


def test_the_demos_load_from_the_wheel_in_an_empty_folder(python):
    code = f"""
import musebench_tasks
from datasets import load_dataset
for name in {DEMOS}:
    print(len(load_dataset(f"{{name}}_demo", "references", split="test")))
"""
    assert python("-c", code).split() == ["80", "60", "48"]


@pytest.mark.slow
def test_metrics_load_from_the_wheel_in_an_empty_folder(python, installed):
    code = f"""
import musebench_tasks, evaluate
for name in {METRICS}:
    assert evaluate.load(name).name == name
print(musebench_tasks.base.resources.metric_file("caa"))
"""
    assert python("-c", code).startswith(str(installed))
