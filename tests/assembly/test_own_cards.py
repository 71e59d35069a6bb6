"""The card and eval.yaml of somebody's own dataset: their name and words, nothing that holds of ours alone."""

import json

import pytest
import yaml
from fakes.sheets import tone, write_csv, write_wav

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.cards import card_text, default_card
from musebench_tasks.assembly.links import linked_schema
from musebench_tasks.assembly.schemas import dataset_schema
from musebench_tasks.base.resources import demo_directory

OURS_ALONE = ("Apache-2.0", "musebench-tasks authors", "no better than chance", "narrator",
              "name nobody", "encoded anew", "drawn by a program", "demonstration", "moving view")  # fmt: skip


@pytest.fixture
def one_row(hummusqa_row, mub_row):
    def row(dataset):
        if dataset != "musebench":
            return {"hummusqa": hummusqa_row, "mub": mub_row}[dataset]()
        import pyarrow.parquet as pq

        first = min((demo_directory("musebench") / "default").iterdir())
        return pq.read_table(first).slice(0, 1).to_pylist()[0] | {"attribution": "us", "license": "CC0-1.0"}

    return row


def text_of(dataset, row, schema=None, **said):
    schema = schema or dataset_schema(dataset)
    card = default_card(dataset, [row]).model_copy(update={"pretty_name": "Mine"})
    sizes = dict.fromkeys(("default", "blind", "references"), 1)
    return card_text(schema, card, [row], sizes, About(pretty_name="Mine", **said)).partition("\n---\n")[2]


@pytest.mark.parametrize("dataset", ["musebench", "hummusqa", "mub"])
def test_a_card_says_of_other_peoples_data_only_what_they_say(dataset, one_row):
    text = text_of(dataset, one_row(dataset), description="We asked\nour friends.")
    assert [claim for claim in OURS_ALONE if claim in text] == []
    assert "# Mine\n\nWe asked\nour friends.\n" in text
    assert "\n\n\n" not in text


@pytest.mark.parametrize("dataset", ["musebench", "hummusqa", "mub"])
def test_a_card_of_links_says_where_the_media_are(dataset, one_row):
    row = one_row(dataset) | {"platform_id": "x", "expected_duration_s": 3.0, "fingerprint": ""}
    text = text_of(dataset, row, linked_schema(dataset_schema(dataset)))
    assert "platform_id" in text
    assert "musebench data fetch" in text
    assert "bytes of" not in text
    assert "`bytes`" not in text


def test_a_dataset_is_called_what_its_owner_says_or_as_its_folder(tmp_path, mub_row):
    source = tmp_path / "source"
    write_wav(source / "tune.wav", tone(220))
    sheet = mub_row() | {"audio": "tune.wav", "segments": json.dumps(mub_row()["segments"]), "beats_s": ""}
    write_csv(source / "tunes.csv", [sheet])
    (tmp_path / "about.yaml").write_text("pretty_name: Our tunes\ndescription: We played.\n")
    told = {}
    for name, about in {"theirs": None, "said": tmp_path / "about.yaml"}.items():
        directory = build_dataset(source, tmp_path / name, "mub", BuildSettings(), about).directory
        told[name] = yaml.safe_load((directory / "eval.yaml").read_text())
        head = yaml.safe_load((directory / "README.md").read_text().split("---\n")[1])
        assert head["pretty_name"] == told[name]["name"]
    assert (told["theirs"]["name"], told["said"]["name"]) == ("theirs", "Our tunes")
    assert told["said"]["description"] == "We played."
