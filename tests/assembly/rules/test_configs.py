"""The three configs of a repository hold the same rows, and no gold where it must not be."""

import pytest

from musebench_tasks.assembly.repository import option_texts
from musebench_tasks.assembly.rules import check_configs
from musebench_tasks.assembly.schemas import dataset_schema, stored_options

MEDIA = {"musebench": {"video": None}, "hummusqa": {"audio": None}, "mub": {"audio": None}}
GOLD = {"musebench": "answer", "hummusqa": "answer", "mub": "key"}


def config_row(schema, config, row):
    cells = row | (
        {"options": stored_options(row["identifier"], tuple(option_texts(row)))} if schema.blind_extra else {}
    )
    return {column.name: cells[column.name] for column in schema.config(config)}


@pytest.fixture
def configs(make_rows):
    def make(dataset):
        schema = dataset_schema(dataset)
        default = [make_rows[dataset](name) | MEDIA[dataset] for name in ("r1", "r2")]
        return default, {name: [config_row(schema, name, row) for row in default] for name in ("blind", "references")}

    return make


def found(dataset, default, others):
    return [(each.code, each.place, each.row, each.column) for each in check_configs(dataset, default, others)]


@pytest.mark.parametrize("dataset", sorted(MEDIA))
def test_configs_that_were_written_together_agree(configs, dataset):
    assert found(dataset, *configs(dataset)) == []


@pytest.mark.parametrize("dataset", sorted(MEDIA))
def test_gold_in_blind_is_named(configs, dataset):
    default, others = configs(dataset)
    others["blind"][1][GOLD[dataset]] = default[1][GOLD[dataset]]
    assert found(dataset, default, others) == [("GOLD_IN_BLIND", "blind", None, GOLD[dataset])]


@pytest.mark.parametrize("dataset", sorted(MEDIA))
def test_other_gold_in_references_is_named(configs, dataset):
    default, others = configs(dataset)
    others["references"][1][GOLD[dataset]] = "C major"
    assert found(dataset, default, others) == [("CONFIGS_DIFFER", "references", 2, GOLD[dataset])]


@pytest.mark.parametrize("config", ["blind", "references"])
def test_rows_that_only_one_config_has_are_named(configs, config):
    default, others = configs("mub")
    removed = others[config].pop()
    assert found("mub", default, others) == [("CONFIGS_DIFFER", config, None, "id")]
    others[config] += [removed, removed | {"id": "r3"}]
    (difference,) = check_configs("mub", default, others)
    assert "holds rows that default does not have: r3" in difference.found


def test_a_missing_and_an_unknown_column_are_named(configs):
    default, others = configs("musebench")
    for row in others["blind"]:
        row["colour"] = row.pop("question")
    assert {each[3] for each in found("musebench", default, others)} == {"colour", "question"}
