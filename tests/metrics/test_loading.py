"""`evaluate.load("caa")` and its like: from anywhere, offline, one's own first, combined, in several processes."""

import os
import subprocess
import sys
import textwrap

import pytest
from fakes.metric_arguments import VALID

import musebench_tasks
from musebench_tasks.base.resources import METRICS, metric_file
from musebench_tasks.cli import main
from musebench_tasks.registration import load_metric, modules_cache
from musebench_tasks.registration.modules_cache import CacheState

ROOT = metric_file("caa").parents[2]
WITHOUT_TRANSFORMERS = "import sys; sys.modules['transformers'] = None\n"
"""`evaluate` would import it for nothing, which takes ten seconds."""


@pytest.fixture
def empty(tmp_path, monkeypatch):
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def cache(evaluate, tmp_path, monkeypatch):
    """A modules cache of its own, empty."""
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", tmp_path / "modules")
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path / "modules"


def python(code, folder, **variables):
    """What code prints in a process of its own."""
    environment = {**os.environ, "HF_EVALUATE_OFFLINE": "1", **variables}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TRANSFORMERS + textwrap.dedent(code)],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_name_is_a_metric_and_every_metric_a_name():
    folders = sorted(path.parent.name for path in metric_file("caa").parents[1].glob("*/README.md"))
    assert folders == sorted(METRICS) == sorted(VALID)


@pytest.mark.parametrize("name", METRICS)
def test_a_bare_name_loads_from_an_empty_folder(evaluate, empty, name):
    metric = evaluate.load(name)
    assert metric.name == name
    assert metric.compute(**VALID[name])["version"]


def test_a_path_loads_from_a_checkout(evaluate, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert evaluate.load("./metrics/caa").compute(**VALID["caa"])["n"] == 3


def test_a_module_of_that_name_in_the_folder_comes_first(evaluate, empty):
    (empty / "caa").mkdir()
    assert evaluate.load("caa").name == "caa"
    source = metric_file("caa").read_text().replace("class Caa(", "class Mine(")
    (empty / "caa" / "caa.py").write_text(source)
    assert evaluate.load("caa").name == "mine"


def test_what_is_not_ours_is_looked_for_as_ever(evaluate, empty):
    for name, named in (("caaa", {}), ("caa", {"module_type": "comparison"}), ("caa", {"revision": "v9"})):
        with pytest.raises(FileNotFoundError):
            evaluate.load(name, **named)


def test_wrapping_twice_is_once(evaluate):
    load_metric.wrap()
    musebench_tasks._install()
    factory = evaluate.loading.evaluation_module_factory
    assert factory.knows_musebench
    assert not hasattr(factory.__wrapped__, "knows_musebench")
    assert evaluate.inspect.evaluation_module_factory.knows_musebench


def test_metrics_combine(evaluate, empty):
    both = evaluate.combine(["caa", "position_bias"])
    given = {name: VALID["caa"][name] for name in ("predictions", "references")}
    scores = both.compute(**given, num_options=8)
    assert scores["caa"] == evaluate.load("caa").compute(**given, num_options=8)["caa"]
    assert scores["excess_first"] == pytest.approx(-0.5)
    assert (scores["caa_version"], scores["position_bias_version"]) == ("caa/1", "position_bias/1")
    both.add(prediction="A", reference="A")
    both.add_batch(predictions=["B"], references=["A"])
    assert both.compute(num_options=4)["accuracy"] == 0.5


def test_rows_may_be_added_one_by_one(make):
    for name, given in VALID.items():
        settings = {key: value for key, value in given.items() if key not in ("predictions", "references")}
        metric, batches = make(name), make(name, keep_in_memory=True)
        for row in range(3):
            one = {key: given[key + "s"][row] for key in ("prediction", "reference") if key + "s" in given}
            metric.add(**one)
            batches.add_batch(**{key + "s": [value] for key, value in one.items()})
        assert metric.compute(**settings) == batches.compute(**settings) == make(name).compute(**given)


@pytest.mark.parametrize("names", [("caa", "mub_segments", "mub"), pytest.param(METRICS, marks=pytest.mark.slow)])
def test_registered_metrics_load_without_the_import_and_two_processes_share_an_experiment(cache, empty, capsys, names):
    assert main(["metrics", "register"]) == 0
    printed = capsys.readouterr().out
    assert "caa                 registered\n" in printed
    assert f"in {cache}" in printed
    given = {name: VALID[name] for name in names}
    code = f"""
        import multiprocessing
        import evaluate
        del sys.modules["transformers"]
        VALID = {given!r}
        assert "musebench_tasks" not in sys.modules
        caa = evaluate.load("caa")
        assert "evaluate-metric--caa" in type(caa).__module__
        assert "musebench_tasks" in sys.modules      # The metric imported it, after evaluate.
        assert "evaluate-metric--caa" not in type(evaluate.load("caa")).__module__
        found = {{name: evaluate.load(name).compute(**given) for name, given in VALID.items()}}
        assert caa.compute(**VALID["caa"]) == found["caa"]

        def work(rank):
            for name, given in VALID.items():
                share = slice(0, 2) if rank == 0 else slice(2, None)
                rows = {{key: given[key][share] for key in ("predictions", "references") if key in given}}
                settings = {{key: value for key, value in given.items() if key not in rows}} if rank == 0 else {{}}
                metric = evaluate.load(name, num_process=2, process_id=rank, experiment_id="pair")
                shared = metric.compute(**rows, **settings)
                assert shared == (found[name] if rank == 0 else None), (name, shared)

        processes = [multiprocessing.get_context("fork").Process(target=work, args=(rank,)) for rank in (0, 1)]
        for each in processes:
            each.start()
        for each in processes:
            each.join()
        print([each.exitcode for each in processes])
    """
    assert python(code, empty, HF_MODULES_CACHE=str(cache), HF_METRICS_CACHE=str(cache)).strip() == "[0, 0]"


def test_registering_is_done_once_checked_and_undone(cache, capsys):
    assert main(["metrics", "register", "--check"]) == 1
    assert "10 of 10 are not registered as they are" in capsys.readouterr().err
    assert main(["metrics", "register"]) == 0
    files = sorted(cache.rglob("caa.py"))
    assert len(files) == 1
    assert main(["metrics", "register"]) == 0
    assert "caa                 registered before\n" in capsys.readouterr().out
    assert sorted(cache.rglob("caa.py")) == files
    assert main(["metrics", "register", "--check"]) == 0
    assert main(["metrics", "register", "--remove"]) == 0
    assert not list(cache.rglob("caa.py"))
    assert main(["metrics", "register", "--remove"]) == 0
    assert "nothing of musebench-tasks was registered" in capsys.readouterr().out


def test_an_older_a_damaged_and_a_foreign_copy_are_told_and_mended(cache):
    modules_cache.register()
    (copy,) = cache.rglob("caa.py")
    whole = copy.read_text()
    copy.write_text(whole[: len(whole) // 2])
    older = copy.parents[1] / ("0" * 64) / "caa.py"
    older.parent.mkdir()
    older.write_text(whole.replace("caa/1", "caa/0"))
    foreign = cache / "evaluate_modules" / "metrics" / "evaluate-metric--mub" / ("f" * 64) / "mub.py"
    foreign.parent.mkdir()
    foreign.write_text("import evaluate\n")
    os.utime(foreign, (9e9, 9e9))
    states = modules_cache.states()
    assert (states["caa"], states["mub"], states["set_f1"]) == (
        CacheState.OUTDATED,
        CacheState.FOREIGN,
        CacheState.REGISTERED,
    )
    os.utime(foreign, (1e9, 1e9))
    modules_cache.register()
    assert set(modules_cache.states().values()) == {CacheState.REGISTERED}
    assert copy.read_text() == whole
    modules_cache.remove()
    assert foreign.exists()
    assert modules_cache.states()["mub"] is CacheState.MISSING


def test_a_package_that_is_only_here_is_told(cache, monkeypatch, capsys):
    monkeypatch.setattr(modules_cache, "is_importable", lambda: False)
    assert main(["metrics", "register"]) == 1
    assert "Install it (pip install musebench-tasks" in capsys.readouterr().err
