"""What stops a build stops a push: the rules on rows are asked again, with the words of `musebench data check`."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fakes.sheets import ABOUT, TASK, question, tone, write_csv, write_wav

from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.item_checks import check_repository
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.resources import demo_directory
from musebench_tasks.cli import main
from musebench_tasks.hub.dataset import read_folder

SLOW = pytest.mark.slow
WRONG = [
    ("mub", {"key": "H major"}),
    pytest.param("hummusqa", {"distractor_1": ""}, marks=SLOW),
    pytest.param("hummusqa", {"difficulty": "Hard"}, marks=SLOW),
    pytest.param("mub", {"tempo_bpm": -1.0}, marks=SLOW),
    pytest.param("musebench", {"answer": []}, marks=SLOW),
    pytest.param("musebench", {"category": "Films"}, marks=SLOW),
]


def change(directory, config, **cells):
    """Write one row of a configuration anew; what else lies in the file stays as it is."""
    file = sorted((directory / config).glob("*.parquet"))[0]
    table = pq.read_table(file)
    rows = table.to_pylist()
    rows[1] |= cells
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), file)


def of_check(directory, name, capsys):
    """The lines about rows that `data check` prints."""
    assert main(["data", "check", str(directory), "--as", name, "--items-only", "--json"]) == 2
    findings = json.loads(capsys.readouterr().out)["items"]["findings"]
    assert main(["data", "check", str(directory), "--as", name, "--items-only"]) == 2
    printed = capsys.readouterr().out.splitlines()
    return printed[: sum(each["effect"] == "stop" for each in findings)]


@pytest.mark.parametrize(("name", "cells"), WRONG)
def test_rows_that_stop_a_build_stop_a_push_with_the_same_lines(tmp_path, capsys, name, cells):
    directory = shutil.copytree(demo_directory(name), tmp_path / f"{name}_demo")
    change(directory, "default", **cells)
    with pytest.raises(InputError) as refused:
        read_folder(directory, f"ORG/{name}_demo")
    told = str(refused.value).splitlines()
    assert told == of_check(directory, name, capsys)
    assert any(next(iter(cells)) in line and "row 2" in line for line in told)


def test_configs_that_disagree_stop_a_push(tmp_path):
    directory = shutil.copytree(demo_directory("mub"), tmp_path / "mub_demo")
    change(directory, "references", key="C major", tempo_bpm=200.0)
    with pytest.raises(InputError, match="references"):
        read_folder(directory, "ORG/mub_demo")


def test_the_command_says_so_and_asks_nobody(tmp_path, capsys):
    directory = shutil.copytree(demo_directory("mub"), tmp_path / "mub_demo")
    change(directory, "default", time_signature="4")
    assert main(["data", "push", str(directory), "--to", "ORG/mub_demo"]) == 2
    assert "row 2 (" in (told := capsys.readouterr().err)
    assert 'column "time_signature"' in told


@SLOW
@pytest.mark.parametrize("name", ["mub", "musebench"])
def test_what_leads_to_media_elsewhere_is_no_fault(tmp_path, name):
    directory = shutil.copytree(demo_directory(name), tmp_path / f"{name}_demo")
    for file in (*(directory / "default").glob("*.parquet"), *(directory / "blind").glob("*.parquet")):
        table = pq.read_table(file)
        for column, cell in (("platform_id", "x"), ("expected_duration_s", 3.0), ("fingerprint", None)):
            table = table.append_column(column, pa.array([cell] * len(table)))
        pq.write_table(table, file)
    assert check_repository(directory).stopping == ()


@pytest.fixture
def own(tmp_path):
    """A set of the user's own columns, built."""
    source = tmp_path / "source"
    write_wav(source / "sounds" / "low.wav", tone(220))
    (source / "about.yaml").write_text(ABOUT)
    rows = [question("q1", "sounds/low.wav"), question("q2", "sounds/low.wav", asks="And now?")]
    write_csv(source / "questions.csv", rows)
    return build_dataset(source, tmp_path / "listening", TASK, BuildSettings()).directory


def test_questions_of_any_benchmark_are_checked_too(own):
    assert read_folder(own, "ORG/anything").rows
    change(own, "references", answer=[])
    with pytest.raises(InputError, match=r"CRITICAL  EMPTY_ANSWER_SET  .*row 2"):
        read_folder(own, "ORG/anything")


def test_many_wrong_rows_are_cut(own):
    (file,) = (own / "default").glob("*.parquet")
    table = pq.read_table(file)
    rows = [{**row, "id": f"q{number}", "question": ""} for number in range(60) for row in table.to_pylist()[:1]]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), file)
    for name in ("blind", "references"):
        shutil.rmtree(own / name)
    card = own / "README.md"
    card.write_text(cut_card(card.read_text()))
    with pytest.raises(InputError, match="and [0-9]+ more lines like these") as refused:
        read_folder(own, "ORG/anything")
    assert len(str(refused.value).splitlines()) == 51


def cut_card(text):
    """The card with the configuration `default` alone, and no counts."""
    import yaml

    head, body = text[3:].split("\n---", 1)
    told = yaml.safe_load(head)
    told["configs"] = [each for each in told["configs"] if each["config_name"] == "default"]
    told.pop("dataset_info", None)
    return f"---\n{yaml.safe_dump(told)}---{body}"
