"""Media that may not be given away: links that their user's own program follows, and media that are known again."""

import csv
import shutil
import sys
import wave

import datasets
import numpy as np
import pyarrow.parquet as pq
import pytest

from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.links import Link, fetch_command, fetch_links, repo_links, run_program
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import TaskConfig
from musebench_tasks.cli import main
from musebench_tasks.items import load_items
from musebench_tasks.media import shared_cache
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, shared_process
from musebench_tasks.media.fetch import Fetcher

RATE = 8_000
TASK = TaskConfig.model_validate(
    {
        "task": "listening",
        "dataset_path": "nowhere",
        "columns": {
            "id": "nr", "media": "file", "question": "asks", "answer": "right", "distractors": ["wrong"],
            "start_s": "from", "end_s": "to",
        },
        "protocol": {"media": ["audio"]},
        "metric_list": [{"metric": "accuracy"}],
        "metadata": {"version": 1.0, "headline": "accuracy"},
    }
)  # fmt: skip
PLATFORM = {"up": (262, 330, 392), "down": (392, 330, 262), "short": (262,)}
"""What lies on the platform, by id."""


def write_wav(path, pitches):
    samples = np.concatenate([0.5 * np.sin(2 * np.pi * hertz * np.arange(RATE) / RATE) for hertz in pitches])
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((samples * 32767).astype("<i2").tobytes())


@pytest.fixture
def platform(tmp_path):
    folder = tmp_path / "platform"
    folder.mkdir()
    for name, pitches in PLATFORM.items():
        write_wav(folder / name, pitches)
    script = folder / "fetch.py"
    script.write_text(
        "import shutil, sys\n"
        "name, out = sys.argv[1:]\n"
        f"shutil.copyfile({str(folder)!r} + '/' + name, out) if name != 'gone' else sys.exit('video is private')\n",
        encoding="utf-8",
    )
    return f"{sys.executable} {script} {{platform_id}} {{out}}"


def row(number, platform_id, **changes):
    base = {"nr": number, "file": "", "asks": "Where does it go?", "right": "Up", "wrong": "Down", "from": "", "to": ""}
    return base | {"platform_id": platform_id, "expected_duration_s": "", "fingerprint": ""} | changes


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    write_wav(folder / "a.wav", PLATFORM["up"])
    write_wav(folder / "b.wav", PLATFORM["down"])
    (folder / "about.yaml").write_text("license: CC0-1.0\ncreators: [We]\n", encoding="utf-8")
    return folder


def write(source, *rows):
    with (source / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def linked(source, tmp_path, **settings):
    return build_dataset(source, tmp_path / "links", TASK, BuildSettings(links=True, **settings)).directory


@pytest.fixture
def repo(source, tmp_path):
    write(source, row("1", "up", file="a.wav"), row("2", "down", file="b.wav"),
          row("3", "up", file="a.wav", **{"from": "1", "to": "3"}))  # fmt: skip
    return linked(source, tmp_path)


@pytest.fixture
def fetcher():
    return Fetcher(shared_cache(), shared_process(), DEFAULT_TIMEOUT_S)


def opened(directory):
    return TASK.model_copy(update={"dataset_path": str(directory), "columns": type(TASK.columns)()})


def test_a_repo_of_links_holds_no_media_and_loads(repo, tmp_path):
    loaded = datasets.load_dataset(str(repo), "blind", split="test", cache_dir=str(tmp_path / "cache"))
    assert [each["audio"] for each in loaded] == [
        {"bytes": None, "path": f"media/{name}.wav"} for name in ("1", "2", "1")
    ]
    assert [(each["platform_id"], each["expected_duration_s"]) for each in loaded] == [
        ("up", 3.0), ("down", 3.0), ("up", 3.0)
    ]  # fmt: skip
    assert loaded[0]["fingerprint"] != loaded[2]["fingerprint"]
    assert "`musebench data fetch`" in (repo / "README.md").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in repo.rglob("*.parquet")) < 30_000


def test_what_nobody_fetched_is_unavailable(repo):
    assert [item.media.sha256 for item in load_items(opened(repo)).items] == [None] * 3


def test_the_hash_of_the_data_does_not_depend_on_who_fetched(repo, platform, fetcher):
    before = load_items(opened(repo)).data_sha256
    fetch_links(repo, platform, fetcher)
    assert load_items(opened(repo)).data_sha256 == before
    write_wav(repo / "media" / "1.wav", PLATFORM["down"])
    assert load_items(opened(repo)).data_sha256 == before  # `data fetch` says that it is another recording
    assert list(fetch_links(repo, platform, fetcher).failed) == ["media/1.wav"]


def test_links_are_followed_once_and_known_again(repo, platform, fetcher):
    outcome = fetch_links(repo, platform, fetcher)
    assert (outcome.fetched, outcome.there, outcome.failed) == (("media/1.wav", "media/2.wav"), (), {})
    assert all(item.media.sha256 for item in load_items(opened(repo)).items)
    assert fetch_links(repo, "no-such-program {platform_id} {out}", fetcher).there == ("media/1.wav", "media/2.wav")


def test_another_recording_a_shorter_one_and_none_are_refused(repo, platform, fetcher):
    links = repo_links(repo)
    assert [link.platform_id for link, _, _ in links["media/1.wav"]] == ["up", "up"]
    for path in (repo / "default", repo / "blind"):
        (file,) = path.iterdir()
        table = pq.read_table(file)
        names = table["platform_id"].to_pylist()
        swapped = [{"up": "down", "down": "short"}[name] for name in names]
        pq.write_table(table.set_column(table.schema.get_field_index("platform_id"), "platform_id", [swapped]), file)
    outcome = fetch_links(repo, platform, fetcher)
    assert outcome.failed["media/1.wav"].startswith("is another recording or cut: its fingerprint differs by")
    assert outcome.failed["media/2.wav"] == "lasts 1.0 s, 3.0 s are expected"
    assert not list((repo / "media").iterdir())


def test_a_program_that_fails_is_quoted(platform, tmp_path):
    assert run_program(platform, "gone", tmp_path / "x.wav") == (
        "the program ended with exit code 1 (video is private)"
    )
    assert "wrote nothing" in run_program(f"{sys.executable} -c pass {{platform_id}} {{out}}", "up", tmp_path / "x.wav")
    with pytest.raises(InputError, match="is not there"):
        run_program("no-such-program {platform_id} {out}", "up", tmp_path / "x.wav")


def test_an_id_is_one_word_of_the_command_whatever_it_holds(tmp_path):
    words = fetch_command("get --id={platform_id} -o {out}", "a b; rm -rf {out}", tmp_path / "x")
    assert words[0] == "get"
    assert len(words) == 4
    with pytest.raises(InputError, match=r"holds no \{out\}"):
        fetch_command("get {platform_id}", "a", tmp_path)


def test_media_that_are_not_here_are_fetched_for_a_build(source, platform, tmp_path):
    write(source, row("1", "up"), row("2", "down"), row("3", "up"))
    built = build_dataset(source, tmp_path / "whole", TASK, BuildSettings(fetch_with=platform))
    (file,) = (built.directory / "default").iterdir()
    assert [cell["path"] for cell in pq.read_table(file)["audio"].to_pylist()] == ["1.wav", "2.wav", "1.wav"]
    assert "platform_id" not in pq.read_schema(file).names


def test_a_program_that_was_not_needed_is_told(source, platform, tmp_path):
    write(source, row("1", "up", file="a.wav"))
    settings = BuildSettings(fetch_with=platform, force=True)
    told = "--fetch-with fetched nothing: every medium is here already"
    assert told in build_dataset(source, tmp_path / "whole", TASK, settings).notes
    write(source, row("1", "up", file="a.wav"), row("2", "down"))
    assert told not in build_dataset(source, tmp_path / "whole", TASK, settings).notes


def test_a_row_that_nothing_can_be_fetched_by_is_told(source, platform, tmp_path):
    write(source, row("1", "", file="none.wav"), row("2", "down", fingerprint="abc"))
    with pytest.raises(InputError) as caught:
        build_dataset(source, tmp_path / "whole", TASK, BuildSettings(fetch_with=platform))
    assert [line.partition(" row ")[2][:40] for line in str(caught.value).splitlines()][:-1] == [
        '1, column "file": names no file that is ',
        '2, column "platform_id": "abc" is no fin',
    ]


def test_what_the_sheet_says_of_a_fetched_medium_must_hold(source, platform, tmp_path):
    write(source, row("1", "up", expected_duration_s="3"), row("2", "short", expected_duration_s="3"))
    with pytest.raises(InputError, match=r'row 2, column "platform_id": "short" lasts 1.0 s, 3.0 s are expected'):
        build_dataset(source, tmp_path / "whole", TASK, BuildSettings(fetch_with=platform))
    write(source, row("1", "up"), row("2", "gone"))
    with pytest.raises(InputError, match=r'row 2, column "platform_id": "gone" cannot be fetched: .*video is private'):
        build_dataset(source, tmp_path / "whole", TASK, BuildSettings(fetch_with=platform))


def test_links_whose_medium_nobody_has_are_noted(source, tmp_path):
    write(source, row("1", "up", file="a.wav"), row("2", "gone", expected_duration_s="9", **{"from": "1", "to": "2"}))
    built = build_dataset(source, tmp_path / "links", TASK, BuildSettings(links=True))
    assert any("1 of 2 rows have no medium that could be looked at: 2" in note for note in built.notes)
    (known,) = repo_links(built.directory)["media/2.m4a"]
    assert known == (Link("gone", 9.0, None), 1.0, 2.0)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"platform_id": ""}, "is empty. Say where the medium is"),
        ({"fingerprint": "abc"}, '"abc" is no fingerprint'),
        ({"expected_duration_s": "soon"}, "should be a time"),
    ],
)
def test_a_wrong_link_is_told_by_row(source, tmp_path, changes, line):
    write(source, row("1", "up", file="a.wav") | changes)
    with pytest.raises(InputError, match=line):
        linked(source, tmp_path)


def test_the_command_tells_what_became_of_each(repo, platform, capsys, tmp_path):
    (tmp_path / "platform" / "down").unlink()
    assert main(["data", "fetch", str(repo), "--with", platform]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("media/2.wav: the program ended with exit code 1")
    assert lines[-1] == "1 fetched, 0 there already, 1 not to be had"
    shutil.copyfile(tmp_path / "source" / "b.wav", tmp_path / "platform" / "down")
    assert main(["data", "fetch", str(repo), "--with", platform]) == 0


def test_a_repo_with_media_inside_has_nothing_to_fetch(source, platform, tmp_path, fetcher):
    write(source, row("1", "up", file="a.wav"))
    built = build_dataset(source, tmp_path / "whole", TASK, BuildSettings())
    with pytest.raises(InputError, match="nothing to fetch"):
        fetch_links(built.directory, platform, fetcher)
    with pytest.raises(InputError, match="nowhere: no such folder. Give a repository that"):
        fetch_links(tmp_path / "nowhere", platform, fetcher)
