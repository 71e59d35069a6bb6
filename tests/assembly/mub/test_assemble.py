"""MU-01 to MU-06: a collection out of an archive is the same everywhere, obeys the strata, and leaks nothing."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.mub_archive import write_archive
from musebench_tasks.assembly import check_rows
from musebench_tasks.assembly.mub import assemble, find_leaks, load_config, report_text
from musebench_tasks.base.errors import InputError, LeakError
from musebench_tasks.cli import main
from musebench_tasks.hub.data_rules import check_directory
from musebench_tasks.items import load_references, quotas
from musebench_tasks.tasks import load_task


def rows_of(directory, config="default"):
    return pq.read_table(directory / config).to_pylist()


def digest(directory):
    """Over the values of all rows, however Parquet packs them."""
    text = json.dumps(rows_of(directory), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return write_archive(tmp_path_factory.mktemp("mub") / "archive", tracks=120)


@pytest.fixture(scope="module")
def made(archive):
    directory = archive.parent / "collection"
    return directory, assemble(archive, directory, load_config(size=30), with_audio=False)


def test_the_collection_is_the_same_on_every_machine(made):
    directory, outcome = made
    assert len(outcome.chosen) == 30
    assert digest(directory) == "5808330c825b478f"


def test_the_order_of_files_and_rows_does_not_matter(archive, made, tmp_path):
    other = tmp_path / "archive"
    for path in (path for path in archive.rglob("*") if path.is_file()):
        copy = other / ("z" + path.name if path.name == "segments.csv" else path.relative_to(archive))
        copy.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        turned = [lines[0], *reversed(lines[1:])] if path.suffix == ".csv" else lines
        copy.write_text("".join(turned), encoding="utf-8")
    assemble(other, tmp_path / "collection", load_config(size=30), with_audio=False)
    assert digest(tmp_path / "collection") == digest(made[0])


def test_another_seed_gives_another_collection_with_the_same_ids(archive, made, tmp_path):
    config = load_config(size=30).model_copy(update={"seed": 7})
    other = assemble(archive, tmp_path / "other", config, with_audio=False)
    ids = {track: row["id"] for track, row in made[1].rows.items()}
    assert other.rows.keys() != ids.keys()
    assert all(row["id"] == ids.get(track, row["id"]) for track, row in other.rows.items())


def test_strata_are_filled_from_the_smallest(made):
    directory, outcome = made
    sizes = Counter(outcome.strata.values())
    taken = Counter(outcome.strata[track.id] for track in outcome.chosen)
    assert {name: taken[name] for name in sizes} == quotas(sizes, 30)
    table = (directory.parent / "collection.assembly" / "strata.csv").read_text().splitlines()
    assert table[0] == "tempo_bpm,key,tracks,quota,chosen"
    assert sum(int(line.split(",")[-1]) for line in table[1:]) == 30


def test_one_of_a_title_and_artist_and_no_faulty_track(made):
    directory, outcome = made
    titles = [track.facts["title"] for track in outcome.chosen]
    assert len(set(titles)) == 30
    left = {each.track for each in outcome.duplicates} | {each.id for each in outcome.refused}
    assert left
    assert not left & {track.id for track in outcome.chosen}
    assert "left out    1 with faults" in report_text(outcome)
    told = (directory.parent / "collection.assembly" / "left_out.csv").read_text()
    assert 'platform-000006,"archive/segments.csv row 11, field ""tempo""' in told


def test_the_truth_is_the_last_submissions(made):
    directory, outcome = made
    records = {
        each["track_id"]: each for each in lines_of(directory.parent / "collection.assembly" / "provenance.jsonl")
    }
    assert len(records) == 120
    assert Counter(each["fate"] for each in records.values())["chosen"] == 30
    several = [track for track in outcome.chosen if len(records[track.id]["submissions"]) > 1]
    assert several
    for track in several:
        told = records[track.id]
        last = told["submissions"][-1]
        assert told["label_provenance"]["key"]["submission_id"] == last["submission_id"]
        assert [each.label for each in track.segments] == [row[2] for row in last["values"]["segments"]["stated"]]


def test_nothing_of_the_evaluators_is_in_the_folder(made):
    directory, _ = made
    assert find_leaks(directory) == []
    blind = rows_of(directory, "blind")
    assert set(blind[0]) == {"id", "duration_s", "cluster_id", "license", "attribution", "version"}
    assert {row["attribution"] for row in blind} == {"Credited in README.md."}
    text = "".join(
        path.read_text(encoding="utf-8", errors="replace") for path in directory.rglob("*") if path.is_file()
    )
    for row in lines_of(directory.parent / "collection.evaluator.jsonl"):
        assert not [row[name] for name in ("track_id", "source_url") if row[name] in text]
        assert not [each for each in row["submission_ids"] if each in text]


def test_the_references_load_as_those_of_the_task(made):
    directory, outcome = made
    task = load_task("mub").model_copy(update={"dataset_path": str(directory)})
    assert {Path(each).name for each in directory.iterdir()} >= {"README.md", "default", "blind", "references"}
    with pytest.raises(InputError, match='no column "audio" .* was built --without-audio gets its recordings by'):
        load_references(task)
    row = next(row for row in rows_of(directory, "references") if row["multi_valued"])
    assert set(row["multi_valued"]) <= {"tempo", "key", "time_signature"}
    assert len(outcome.rows) == 30


def test_a_name_that_shows_through_stops_everything(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("musebench_tasks.assembly.mub.masking.masked_name", lambda kind, name, key: name)
    with pytest.raises(LeakError, match='row 1, column "id": "platform-[0-9]+" tells "track_id". Mask it'):
        assemble(archive, tmp_path / "collection", load_config(size=3), with_audio=False)
    assert list(tmp_path.iterdir()) == []


def test_rights_are_required_unless_the_set_is_private(archive, tmp_path):
    table = (archive / "tracks.csv").read_text(encoding="utf-8")
    bare = tmp_path / "archive"
    bare.mkdir()
    (bare / "segments.csv").write_text((archive / "segments.csv").read_text())
    (bare / "tracks.csv").write_text(
        table.replace("CC0-1.0", "free to use").replace(",CC-BY-4.0,", ",,"), encoding="utf-8"
    )
    with pytest.raises(InputError) as told:
        assemble(bare, tmp_path / "collection", load_config(size=30), with_audio=False)
    assert 'column "license": empty. Fill it in.' in str(told.value)
    assert 'column "license": "free to use" is no SPDX id. Write it as in CC-BY-3.0.' in str(told.value)
    assert "archive/tracks.csv row " in str(told.value)
    assert not (tmp_path / "collection").exists()
    (bare / "tracks.csv").write_text(table.replace("CC0-1.0", "").replace(",CC-BY-4.0,", ",,"), encoding="utf-8")
    private = load_config(size=30).model_copy(update={"private": True})
    assemble(bare, tmp_path / "collection", private, with_audio=False)
    assert "NOASSERTION" in {row["license"] for row in rows_of(tmp_path / "collection")}
    assert "**Not for publication**" in (tmp_path / "collection" / "README.md").read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r'column "attribution": .*; without rights no row is published'):
        check_directory(tmp_path / "collection", "mub")


def test_rights_of_a_whole_archive_are_stated_once(archive, tmp_path):
    bare = tmp_path / "archive"
    bare.mkdir()
    (bare / "segments.csv").write_text((archive / "segments.csv").read_text())
    (tmp_path / "mub.yaml").write_text(
        "size: 3\nrights: {license: CC0-1.0, attribution: The archive, source: its page}\n"
    )
    outcome = assemble(bare, tmp_path / "collection", load_config(tmp_path / "mub.yaml"), with_audio=False)
    assert {row["license"] for row in outcome.rows.values()} == {"CC0-1.0"}
    assert "- The archive (CC0-1.0)" in (tmp_path / "collection" / "README.md").read_text(encoding="utf-8")


def test_credits_may_stand_in_each_row(archive, tmp_path):
    config = load_config(size=5).model_copy(update={"credits": "rows"})
    outcome = assemble(archive, tmp_path / "collection", config, with_audio=False)
    told = {track.id: track.facts["attribution"] for track in outcome.chosen}
    assert {name: row["attribution"] for name, row in outcome.rows.items()} == told


def test_no_row_may_hold_a_fingerprint(made):
    row = next(iter(made[1].rows.values()))
    (line,) = (line for line in check_rows("mub", [{**row, "audio_hash": "0" * 16}]) if "audio_hash" in line)
    assert "no column of mub" in line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sizes: 5\n", ' line 1, key "sizes": is no known key (nearest known key: "size").'),
        ("size: many\n", ' line 1, key "size": should be a whole number, found "many".'),
        ("seed: 1\ntempo_edges: [90, 70]\n", ' line 2, key "tempo_edges": the edges should rise, found [90, 70].'),
        ("audio: {bitrate: 5}\n", ' line 1, key "audio.bitrate": is no known key (nearest known key: "bit_rate").'),
        ("- 5\n", " line 1: should hold keys with values"),
        ("size: [\n", " line 2: is not YAML"),
    ],
)
def test_a_wrong_configuration_is_told(tmp_path, text, told):
    path = tmp_path / "mub.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as problem:
        load_config(path)
    assert str(problem.value).startswith(str(path))
    assert told in str(problem.value)


def test_a_configuration_of_one_key_leaves_the_others(tmp_path):
    (tmp_path / "mub.yaml").write_text("audio: {codec: opus}\n")
    config, default = load_config(tmp_path / "mub.yaml", size=7), load_config()
    assert (config.size, config.audio.codec, config.audio.bit_rate) == (7, "opus", default.audio.bit_rate)
    assert config.tempo_edges == default.tempo_edges


def build(*words):
    return main(["data", "build", *map(str, words)])


def test_the_command_says_what_became_of_the_archive(archive, tmp_path, capsys):
    asked = ("--mub", archive, "--size", 20, "--out", tmp_path / "mub", "--without-audio")
    assert build(*asked) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[0].startswith("archive     120 tracks, ")
    assert "collection  20 recordings; " in said.out
    assert f"evaluator   {tmp_path / 'mub.evaluator.jsonl'} and {tmp_path / 'mub.assembly'}, never" in said.out
    assert 'archive/segments.csv row 11, field "tempo"' in said.err
    assert build(*asked) == 2
    assert build(*asked, "--force") == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--without-audio", "--audio", "."), "exclude each other"),
        (("--audio", "nowhere"), "nowhere: there is no such folder"),
        ((), "no track has an audio file"),
    ],
)
def test_what_cannot_be_asked_is_told(archive, tmp_path, capsys, words, told):
    assert build("--mub", archive, "--out", tmp_path / "mub", *words) == 2
    assert told in capsys.readouterr().err


@pytest.mark.slow
def test_500_of_5000_tracks(tmp_path):
    archive = write_archive(tmp_path / "archive")
    outcome = assemble(archive, tmp_path / "collection", load_config(), with_audio=False)
    assert len(outcome.chosen) == 500
    assert len({row["key"] for row in outcome.rows.values()}) == 24
    taken = Counter(outcome.strata[track.id] for track in outcome.chosen)
    sizes = Counter(outcome.strata.values())
    assert {name: taken[name] for name in sizes} == quotas(sizes, 500)
    assert find_leaks(tmp_path / "collection") == []
    assert digest(tmp_path / "collection") == "c25a690394c700c4"
