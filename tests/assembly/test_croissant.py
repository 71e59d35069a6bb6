"""croissant.json describes what is there: files by hash, every column of every configuration, what owners say."""

import hashlib
import json

import pytest
import yaml

from musebench_tasks.assembly import SCHEMAS, write_repository
from musebench_tasks.assembly import repository as writer
from musebench_tasks.assembly.about import EXPECTED, About, ResponsibleAi, read_about, unsaid
from musebench_tasks.assembly.croissant import CONFORMS_TO, CROISSANT_FILE
from musebench_tasks.assembly.repository import demo_about
from musebench_tasks.assembly.schemas import dataset_schema
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.resources import demo_directory

SAID = About(
    pretty_name="Trial", description="Rows\nof a trial.", creators=("We",), url="https://example.org/trial",
    responsible_ai=ResponsibleAi(data_collection="By  hand.", data_biases=("One tune.", "One player.")),
)  # fmt: skip


def described(directory):
    return json.loads((directory / CROISSANT_FILE).read_text(encoding="utf-8"))


def validate(path):
    """The reference implementation's own check; it warns where it only recommends."""
    mlcroissant = pytest.importorskip("mlcroissant")
    return mlcroissant.Dataset(jsonld=str(path)).metadata


@pytest.fixture
def repo(tmp_path, card, mub_row):
    return write_repository(tmp_path / "trial", "mub", [mub_row("m2"), mub_row("m1")], card, about=SAID)


def test_every_file_is_listed_with_its_hash(repo):
    listed = {each["contentUrl"]: each for each in described(repo)["distribution"]}
    assert sorted(listed) == sorted(path.relative_to(repo).as_posix() for path in repo.rglob("*.parquet"))
    for path, entry in listed.items():
        content = (repo / path).read_bytes()
        assert entry["sha256"] == hashlib.sha256(content).hexdigest()
        assert entry["contentSize"] == f"{len(content)} B"


@pytest.mark.parametrize("dataset", sorted(SCHEMAS))
def test_every_column_is_a_field(tmp_path, card, request, dataset):
    row = request.getfixturevalue(f"{dataset}_row")()
    directory = write_repository(tmp_path / "trial", dataset, [row], card)
    sets = {each["@id"]: each for each in described(directory)["recordSet"]}
    for config in ("default", "blind", "references"):
        columns = [column.name for column in dataset_schema(dataset).config(config)]
        assert [field["name"] for field in sets[config]["field"]] == columns
        assert sets[config]["key"] == {"@id": f"{config}/{dataset_schema(dataset).id_column}"}
    assert validate(directory / CROISSANT_FILE)


def test_what_owners_say_stands_in_the_fields_of_the_vocabulary(repo):
    found = described(repo)
    assert found["conformsTo"] == list(CONFORMS_TO)
    assert (found["name"], found["description"], found["version"]) == ("Trial", "Rows of a trial.", "1.0.0")
    assert found["license"] == ["https://spdx.org/licenses/CC0-1.0.html"]
    assert found["rai:dataCollection"] == "By hand."
    assert found["rai:dataBiases"] == ["One tune.", "One player."]
    assert "rai:dataLimitations" not in found
    assert unsaid(SAID) == tuple(name for name in EXPECTED if name not in ("data_collection", "data_biases"))


def test_several_files_of_a_configuration_are_one_set(tmp_path, card, mub_row, monkeypatch):
    monkeypatch.setattr(writer, "SHARD_BYTES", 1_500_000)
    rows = [mub_row(f"m{n}", audio={"bytes": bytes([n]) * 1_000_000, "path": f"m{n}.mp3"}) for n in range(3)]
    directory = write_repository(tmp_path / "trial", "mub", rows, card)
    names = [path.name for path in sorted((directory / "default").iterdir())]
    assert names == [f"test-0000{number}-of-00003.parquet" for number in range(3)]
    assert "default-files" in {each["@id"] for each in described(directory)["distribution"]}
    assert yaml.safe_load((directory / "README.md").read_text().split("---\n")[1])["dataset_info"][0]["splits"] == [
        {"name": "test", "num_bytes": sum(path.stat().st_size for path in (directory / "default").iterdir()),
         "num_examples": 3}
    ]  # fmt: skip
    assert validate(directory / CROISSANT_FILE)


@pytest.mark.parametrize("dataset", sorted(SCHEMAS))
def test_the_demos_say_what_is_expected_of_them(dataset):
    assert not unsaid(demo_about(dataset))
    found = described(demo_directory(dataset))
    assert "demonstration" in found["description"]
    for entry in (each for each in found["distribution"] if each["@type"] == "cr:FileObject"):
        content = (demo_directory(dataset) / entry["contentUrl"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
    assert validate(demo_directory(dataset) / CROISSANT_FILE)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("- a list", "line 1: should hold keys with values"),
        ("name: [", "line 2: is not YAML"),
        ("url: x\nlicence: MIT", r'line 2, key "licence": is no known key \(nearest known key: "license"\)'),
        (
            "responsible_ai: {data_bias: x}",
            r'key "responsible_ai.data_bias": is no known key \(nearest .*"data_biases"\)',
        ),
        ("creators: Me", 'line 1, key "creators": should be a list, found "Me"'),
    ],
)
def test_a_wrong_about_file_is_told_by_key(tmp_path, written, line):
    path = tmp_path / "about.yaml"
    path.write_text(written, encoding="utf-8")
    with pytest.raises(InputError, match=line):
        read_about(path)
