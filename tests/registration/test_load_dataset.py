"""`load_dataset("musebench")` and its like, in processes of their own: an empty folder, a fresh cache, no network."""

import os
import subprocess
import sys
import textwrap

import pytest

NAMES = ("musebench", "hummusqa", "mub")


@pytest.fixture
def python(tmp_path):
    """Runs code in an empty folder and returns what it printed; `datasets` has a cache of its own."""

    def run(code, folder=None, **variables):
        environment = {**os.environ, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", **variables}
        environment.pop("HF_DATASETS_OFFLINE", None)
        here = folder or tmp_path / "empty"
        here.mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-W", "always::UserWarning", "-c", textwrap.dedent(code)],
            cwd=here, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def placed(tmp_path):
    """A folder that holds a `musebench/` repository of two rows."""
    root = tmp_path / "data"
    repository = root / "musebench"
    repository.mkdir(parents=True)
    (repository / "README.md").write_text(
        "---\nconfigs:\n- config_name: default\n  default: true\n"
        "  data_files:\n  - split: test\n    path: test.csv\n---\n"
    )
    (repository / "test.csv").write_text("id\na\nb\n")
    return root


def test_every_name_reaches_its_demo_from_an_empty_folder_and_says_so(python):
    done = python(f"""
        import musebench_tasks
        from datasets import load_dataset
        for name in {NAMES}:
            rows = load_dataset(name, split="test")
            print(name, len(rows) > 0, bool(rows[0]))
    """)
    assert done.stdout.split() == [word for name in NAMES for word in (name, "True", "True")]
    for name in NAMES:
        assert f'load_dataset("{name}"): this is {name}_demo, a small demonstration' in done.stderr


def test_configs_streaming_processes_and_names_work(python):
    done = python("""
        import musebench_tasks, datasets
        blind = datasets.load_dataset("mub", "blind", split="test")
        gold = datasets.load_dataset("mub", "references", split="test")
        assert "key" not in blind.column_names and "key" in gold.column_names
        row = next(iter(datasets.load_dataset("mub", "blind", split="test", streaming=True)))
        assert row["audio"]["bytes"] and row["id"] in blind["id"]
        parallel = datasets.load_dataset("mub", "references", split="test", num_proc=2)
        assert parallel.map(lambda row: {"length": len(row["segments"])}, num_proc=2)["length"]
        print(sorted(datasets.get_dataset_config_names("mub")), datasets.get_dataset_split_names("mub", "blind"))
    """)
    assert done.stdout.strip() == "['blind', 'default', 'references'] ['test']"


def test_the_order_of_imports_does_not_matter_and_twice_is_once(python):
    done = python("""
        import datasets.inspect, datasets
        import musebench_tasks
        from importlib import reload
        reload(musebench_tasks)
        factory = datasets.load.dataset_module_factory
        assert factory.knows_musebench and not hasattr(factory.__wrapped__, "knows_musebench")
        assert datasets.inspect.dataset_module_factory.knows_musebench
        print(len(datasets.load_dataset("mub", "references", split="test")) > 0)
    """)
    assert done.stdout.strip() == "True"


def test_a_demo_by_its_own_name_comes_without_a_warning(python):
    done = python("""
        import musebench_tasks
        from datasets import load_dataset
        print(len(load_dataset("mub_demo", "references", split="test")) > 0)
    """)
    assert done.stdout.strip() == "True"
    assert "demonstration" not in done.stderr


def test_a_folder_with_a_readme_here_comes_before_everything(python, placed):
    other = placed.parent / "other"
    done = python(
        """
        import musebench_tasks
        from datasets import load_dataset
        print(load_dataset("musebench", split="test")["id"][:])
        """,
        folder=placed,
        MUSEBENCH_DATA=str(other),
    )
    assert done.stdout.strip() == "['a', 'b']"
    assert "demonstration" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_built_folder_here_loads_without_importing_the_package(python, tmp_path, name):
    from musebench_tasks.base.resources import demo_directory

    (tmp_path / "work").mkdir()
    (tmp_path / "work" / name).symlink_to(demo_directory(name))
    done = python(
        f"""
        import sys
        from datasets import load_dataset, get_dataset_config_names
        whole = load_dataset("{name}")["test"]
        blind = load_dataset("{name}", "blind", split="test", num_proc=2)
        streamed = next(iter(load_dataset("{name}", "references", split="test", streaming=True)))
        media = next(column for column in ("video", "audio") if column in blind.column_names)
        assert blind[0][media]["bytes"] == whole[0][media]["bytes"]
        assert "musebench_tasks" not in sys.modules and streamed
        print(len(whole) == len(blind), sorted(get_dataset_config_names("{name}")))
        """,
        folder=tmp_path / "work",
    )
    assert done.stdout.strip() == "True ['blind', 'default', 'references']"


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [False, True])
def test_rows_read_with_and_without_torchcodec(python, is_there):
    """Media are stored undecoded, so what `datasets` thinks of torchcodec changes nothing; no decoder is made."""
    done = python(f"""
        import datasets
        datasets.config.TORCHCODEC_AVAILABLE = {is_there}
        import musebench_tasks
        for name, column in (("musebench", "video"), ("hummusqa", "audio"), ("mub", "audio")):
            for streaming in (False, True):
                rows = datasets.load_dataset(name, split="test", streaming=streaming)
                medium = next(iter(rows))[column]
                assert set(medium) == {{"bytes", "path"}} and medium["bytes"], (name, streaming)
        print("read")
    """)
    assert done.stdout.strip() == "read"


def test_the_data_folder_comes_before_the_demo(python, placed):
    code = """
        import musebench_tasks
        from datasets import load_dataset
        print(load_dataset("musebench", split="test")["id"][:])
    """
    done = python(code, MUSEBENCH_DATA=str(placed))
    assert done.stdout.strip() == "['a', 'b']"
    assert "demonstration" not in done.stderr


def test_a_folder_of_that_name_without_a_readme_is_no_dataset(python, tmp_path):
    (tmp_path / "work" / "mub").mkdir(parents=True)
    done = python(
        """
        import musebench_tasks
        from datasets import load_dataset
        print(len(load_dataset("mub", "references", split="test")) > 2)
        """,
        folder=tmp_path / "work",
    )
    assert done.stdout.strip() == "True"


def test_other_datasets_are_loaded_as_ever(python, placed):
    done = python(
        f"""
        import musebench_tasks
        from datasets import load_dataset
        print(load_dataset({str(placed / "musebench")!r}, split="test")["id"][:])
        print(load_dataset("csv", data_files={str(placed / "musebench" / "test.csv")!r}, split="train")["id"][:])
        """
    )
    assert done.stdout.split("\n")[:2] == ["['a', 'b']", "['a', 'b']"]


def test_the_public_set_is_taken_from_the_hub_at_the_pinned_revision_where_it_answers(monkeypatch):
    from musebench_tasks.registration import load_dataset
    from musebench_tasks.tasks import load_task

    asked = []
    monkeypatch.setattr(load_dataset, "_can_be_had", lambda *known: asked.append(known) or True)
    place = load_dataset.find("hummusqa", cache_directory="somewhere")
    revision = load_task("hummusqa").revision
    assert place == ("mtg-upf/HumMusQA", revision)
    assert asked == [("mtg-upf/HumMusQA", revision, "somewhere")]


def test_a_revision_of_ones_own_is_not_replaced(monkeypatch):
    from musebench_tasks.registration import load_dataset

    monkeypatch.setattr(load_dataset, "find", lambda name, **_: load_dataset.Place("ORG/NAME", "pinned"))
    factory = load_dataset._knowing(lambda path, *args, **named: (path, args, named.get("revision")))
    assert factory("hummusqa") == ("ORG/NAME", (), "pinned")
    assert factory("hummusqa", revision="mine") == ("ORG/NAME", (), "mine")
    assert factory("hummusqa", "mine") == ("ORG/NAME", ("mine",), None)
    assert factory("another", revision=None) == ("another", (), None)


def test_what_was_prepared_before_is_found_offline(tmp_path, monkeypatch):
    from musebench_tasks.registration import load_dataset

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert not load_dataset._can_be_had("ORG/NAME", None, str(tmp_path))
    (tmp_path / "ORG___name" / "default" / "0.0.0" / "abc").mkdir(parents=True)
    assert load_dataset._can_be_had("ORG/NAME", None, str(tmp_path))


def test_offline_only_the_revision_that_was_asked_for_counts(tmp_path, monkeypatch):
    from musebench_tasks.registration import load_dataset

    pinned, other = "a" * 40, "b" * 40
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "ORG___name" / "default" / "0.0.0" / other).mkdir(parents=True)
    assert not load_dataset._can_be_had("ORG/NAME", pinned, str(tmp_path))
    (tmp_path / "ORG___name" / "default" / "0.0.0" / pinned).mkdir(parents=True)
    assert load_dataset._can_be_had("ORG/NAME", pinned, str(tmp_path))

    from datasets.load import DatasetModule

    cached = DatasetModule(load_dataset.CACHE_MODULE, "auto", {"repo_id": "ORG/NAME", "version": "auto"})
    taken = load_dataset._at_revision(cached, pinned)
    assert (taken.hash, taken.builder_kwargs["version"]) == (pinned, "0.0.0")
    assert load_dataset._at_revision(cached, None) is cached
    fresh = DatasetModule("datasets.packaged_modules.parquet.parquet", other, {})
    assert load_dataset._at_revision(fresh, pinned) is fresh


def test_the_warning_points_at_the_code_that_asked(python, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "mine.py").write_text(
        "import musebench_tasks\nfrom datasets import load_dataset\nload_dataset('mub', 'references', split='test')\n"
    )
    done = python(
        "import mine", folder=tmp_path / "work", PYTHONPATH=os.pathsep.join([str(tmp_path / "work"), *sys.path])
    )
    assert "mine.py:3: UserWarning" in done.stderr


def test_a_data_variable_that_names_no_folder_is_refused(monkeypatch, tmp_path):
    from musebench_tasks.base.errors import InputError
    from musebench_tasks.registration import load_dataset

    monkeypatch.setenv("MUSEBENCH_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="MUSEBENCH_DATA names no folder here"):
        load_dataset.find("mub")
    assert load_dataset.find("mub_demo").path.endswith("mub_demo")
