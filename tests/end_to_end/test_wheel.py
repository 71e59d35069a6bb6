"""What is installed from the wheel runs the demo from an empty folder, with everything it needs inside."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from musebench_tasks.base.resources import METRICS

ROOT = Path(__file__).resolve().parents[2]


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
        "_bundled/yaml_configs/lm_eval/musebench_demo/musebench_demo_no_audio.yaml",
        "_bundled/yaml_configs/lmms_eval/musebench_demo/documents/musebench_demo.json",
        "_bundled/dataset_scripts/musebench/demo/musebench_demo/default/test-00000-of-00002.parquet",
        "prompts/templates/video_choice.jinja",
        *(f"_bundled/metrics/{name}/{file}" for name in METRICS for file in ("README.md", "app.py", f"{name}.py")),
        "py.typed",
    ):
        assert f"musebench_tasks/{needed}" in names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Where the wheel was unpacked to."""
    folder = tmp_path_factory.mktemp("installed")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q", "--target", str(folder)]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    return folder


def test_the_demo_runs_from_the_wheel(installed, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    where = subprocess.run(
        [sys.executable, "-c", "import musebench_tasks; print(musebench_tasks.__file__)"],
        cwd=empty,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(installed))
    done = subprocess.run(
        [sys.executable, "-m", "musebench_tasks", "run"], cwd=empty, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (empty / "runs" / "demo" / "report" / "index.html").is_file()


@pytest.mark.slow
def test_metrics_load_from_the_wheel_in_an_empty_folder(installed, tmp_path):
    code = f"""
import musebench_tasks, evaluate
for name in {METRICS}:
    assert evaluate.load(name).name == name
print(musebench_tasks.base.resources.metric_file("caa"))
"""
    variables = {"PYTHONPATH": str(installed), "HF_HOME": str(tmp_path / "hf"), "HF_EVALUATE_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, **variables}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(installed))
