"""`musebench data build` from the first sheet to the first run."""

import csv
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from fakes.media_makers import sound, tone

from musebench_tasks.cli import main, make_parser, module_of

TASK = """
task: listening
dataset_path: {folder}
{columns}
protocol: {{media: [audio], conditions: [full], runs: 1}}
metric_list: [{{metric: accuracy}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
COLUMNS = "columns: {id: nr, media: file, question: asks, answer: right, distractors: [bad, worse]}"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "listening"
    folder.mkdir()
    sound(folder / "tune.wav", tone(2, 8000), 8000)
    (folder / "about.yaml").write_text("license: CC0-1.0\ncreators: [We]\n", encoding="utf-8")
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["nr", "file", "asks", "right", "bad", "worse", "platform_id"]])
        writer.writerows([[f"q{n}", "tune.wav", f"What is {n}?", "a tone", "a beat", "a word", "p1"] for n in (1, 2)])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "rows.csv").write_text("nr,file,asks,right,bad,worse\n1,x,a,b,c,d\n", encoding="utf-8")
    (tmp_path / "sheet.yaml").write_text(TASK.format(folder="listening", columns=COLUMNS), encoding="utf-8")
    (tmp_path / "built.yaml").write_text(TASK.format(folder="repo", columns=""), encoding="utf-8")
    return tmp_path


def test_a_sheet_becomes_a_repo_that_a_run_reads(here, capsys):
    assert main(["data", "build", "listening", "--task", "sheet.yaml", "--out", "repo", "--offline"]) == 0
    told = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert told["rows"] == "2, 1 medium, version 1.0"
    assert len(told["data_sha256"]) == len(told["references_sha256"]) == 64
    assert main(["data", "check", "built.yaml"]) == 0
    assert main(["run", "--tasks", "built.yaml", "--model", "random", "--out", "runs/built"]) == 0
    run = yaml.safe_load((here / "runs/built/random/listening/run.yaml").read_text(encoding="utf-8"))
    assert told["data_sha256"] in str(run)


def test_what_came_out_is_told_when_the_live_display_is_gone(here, capsys, monkeypatch):
    """The display breaks lines at the width of the terminal: once a hash came in two."""

    @contextmanager
    def display():
        yield lambda what, done, total: None
        print("display gone")

    monkeypatch.setattr("musebench_tasks.cli.build._progress", display)
    assert (
        main(["data", "build", "listening", "--task", "sheet.yaml", "--out", "repo", "--media", "keep", "--cut"]) == 0
    )
    told = capsys.readouterr().out
    assert told.startswith(
        "display gone\nnote  --media keep keeps whole files: windows that --cut takes out are encoded"
    )


def test_a_task_beside_the_sheet_needs_no_flag(here, capsys):
    (here / "sheet.yaml").rename(here / "listening" / "listening.yaml")
    assert main(["data", "build", "listening", "--out", "repo"]) == 0
    (here / "listening" / "another.yaml").write_text("x: y", encoding="utf-8")
    assert main(["data", "build", "listening", "--out", "repo", "--force"]) == 2
    assert "(2 task files in listening)" in capsys.readouterr().err


def test_a_run_on_links_says_how_to_get_them(here, capsys):
    assert main(["data", "build", "listening", "--task", "sheet.yaml", "--out", "repo", "--links"]) == 0
    assert main(["run", "--tasks", "built.yaml", "--model", "random", "--out", "runs/links"]) == 0
    said = capsys.readouterr()
    assert f"`musebench data fetch {here / 'repo'} --with PROGRAM`" in " ".join((said.out + said.err).split())


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["listening"],
            "or --task TASK with its columns (no task files in listening)",
        ),
        ([], "Name a SOURCE"),
        (["nowhere"], "nowhere: no such file or folder"),
        (["nowhere", "--as", "mub"], "nowhere: no such file or folder"),
        (["listening", "--as", "mub", "--processes", "0"], "--processes is 0"),
        (["listening", "--as", "mub", "--audio-kbps", "1"], "--audio-kbps is 1: give 8 to 320"),
        (["listening", "--as", "hummusqa"], 'no column "audio" with the media'),
        (["listening", "--mub", "archive"], "leave out listening"),
        (["listening", "--as", "mub", "--audio-kbps", "99999"], "--audio-kbps is 99999: give 8 to 320"),
        (["listening", "--as", "mub", "--max-pixels", "999999999"], "--max-pixels is 999999999: give 256 to"),
        (["listening", "--task", "sheet.yaml", "--size", "3"], "--size goes with --mub"),
        (["mub_demo", "--without-audio"], "--without-audio goes with --mub"),
        (["mub_demo", "--cut"], "--cut goes with a sheet"),
        (["--mub", "archive", "--links"], "--links goes with a sheet"),
        (["--mub", "archive", "--audio-kbps", "32"], "--audio-kbps goes with a sheet"),
        (["listening", "--task", "sheet.yaml", "--cut", "--links"], "Leave one out"),
        (["other", "--task", "sheet.yaml", "--fetch-with", "x {platform_id} {out}"], 'no column "platform_id"'),
        (["--mub", "archive", "--version", "2"], "--version goes with a sheet"),
        (["listening", "--task", "sheet.yaml", "--out", "listening"], "holds something that is no dataset repo"),
    ],
)
def test_what_is_asked_wrongly_is_told(here, capsys, words, line):
    out = [] if "--out" in words else ["--out", "repo"]
    assert main(["data", "build", *words, *out]) == 2
    assert line in capsys.readouterr().err
    assert not (here / "repo").exists()


@pytest.mark.parametrize("place", ["/proc/nothing", "/proc/nothing/below", "sheet.yaml/below"])
def test_a_place_that_cannot_be_written_is_told_before_anything_is_made(here, capsys, place):
    for words in (["listening", "--task", "sheet.yaml"], ["mub_demo"]):
        assert main(["data", "build", *words, "--out", place]) == 2
        assert f"{place}: cannot be written (" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["x: " + "[" * 5000, "x: " + "{a: " * 2000, "x: 2026-13-40", "x: \xe9", "x: ["])
def test_a_broken_about_file_is_told(here, capsys, text):
    (here / "listening" / "about.yaml").write_text(text, encoding="latin-1")
    assert main(["data", "build", "listening", "--task", "sheet.yaml", "--out", "repo"]) == 2
    assert capsys.readouterr().err.startswith("musebench: listening/about.yaml")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("version: 1.10", 'key "version": is read as the number 1.1. Quote it, as in version: "1.10".'),
        ("version: 2", 'key "version": is read as the number 2. Quote it'),
        ("language: klingon", 'key "language": should be a list, found "klingon". Write [klingon].'),
        ("creators: Us\nlicens: x", "Write [Us]."),
        ("creators: Us\nlicens: x", "nearest known key"),
    ],
)
def test_what_yaml_reads_otherwise_is_told_with_what_to_write(here, capsys, text, advice):
    (here / "listening" / "about.yaml").write_text(text, encoding="utf-8")
    assert main(["data", "build", "listening", "--task", "sheet.yaml", "--out", "repo"]) == 2
    assert advice in capsys.readouterr().err


@pytest.mark.parametrize(
    ("folder", "program", "line"),
    [
        ("listening", "fetch {platform_id} {out}", "rows.csv: is no whole Parquet file. Give a repository that"),
        ("nowhere", "fetch {platform_id} {out}", "nowhere: no such folder"),
        ("repo", 'fetch "{platform_id} {out}', "is no command (No closing quotation). Close its quotes."),
    ],
)
def test_what_cannot_be_fetched_is_told(here, capsys, folder, program, line):
    if folder == "repo":
        assert main(["data", "build", "listening", "--task", "sheet.yaml", "--out", "repo", "--links"]) == 0
    assert main(["data", "fetch", folder, "--with", program]) == 2
    assert line in capsys.readouterr().err


@pytest.mark.parametrize(("words", "kept"), [(["data", "fetch", "x", "--with", "x"], False), (["run"], True)])
def test_who_interrupts_is_told_what_became_of_the_work(here, capsys, monkeypatch, words, kept):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module_of(words[0]), "main", interrupted)
    assert main(words) == 1
    told = capsys.readouterr().err
    assert told.startswith("musebench: interrupted. ")
    assert told.count("\n") == 1
    assert ("What was answered is kept" in told) == kept


def test_every_flag_is_explained():
    data = make_parser()._subparsers._group_actions[0].choices["data"]
    verbs = data._subparsers._group_actions[0].choices
    page = (Path(__file__).parents[2] / "docs" / "build_data.md").read_text(encoding="utf-8")
    flags = [flag for verb in ("build", "fetch") for action in verbs[verb]._actions for flag in action.option_strings]
    assert not [flag for flag in flags if flag not in page and flag not in ("-h", "--help")]
