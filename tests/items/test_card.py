"""A dataset's README: its YAML head as the Hub reads it, and the configurations that it declares."""

import pytest
from huggingface_hub import RepoCard

from musebench_tasks.base.errors import InputError
from musebench_tasks.items.card import (
    card_head,
    card_parts,
    choose_config,
    default_config,
    read_configs,
    split_patterns,
)

NO_HEADS = {
    "no head": "# A set\n",
    "a line of the text": "---\n\nA set about *music*: [unbalanced\n",
    "a list": "---\n- a\n---\n",
    "a number": "---\n5\n---\n",
    "broken": "---\na: [\n---\n",
    "no day": "---\nday: 2026-13-45\n---\n",
    "deep": "---\n" + "[" * 1500 + "\n---\n",
    "not closed": "---\na: 1\n",
    "closed by something else": "---\na: 1\n---- or so\n",
    "empty": "",
}


@pytest.mark.parametrize("text", NO_HEADS.values(), ids=NO_HEADS)
def test_a_card_without_a_head_that_can_be_read_has_none(text):
    assert card_head(text) == {}


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nb: 2\n", "b: 2\n"),
        ("---\na: 1\n---", ""),
        ("---\r\na: 1\r\n---\r\n# A set\r\n", "# A set\r\n"),
        ("\n---\na: 1\n---\n\n---\nb: 2\n---\n", "\n---\nb: 2\n---\n"),
        ("---\na: 1\n\n---  \nb", "b"),
    ],
)
def test_the_head_ends_where_it_is_closed(text, body):
    assert card_head(text) == RepoCard(text, ignore_metadata_errors=True).data.to_dict() == {"a": 1}
    assert card_parts(text)[1] == body


@pytest.fixture
def declare(tmp_path):
    def write(configs):
        (tmp_path / "README.md").write_text(f"---\nconfigs:\n{configs}\n---\n", encoding="utf-8")
        return tmp_path

    return write


FORMS = {
    "a list of splits": "data_files: [{split: test, path: a.csv}, {split: test, path: [b.csv, ./c.csv]}]",
    "splits as keys": "data_files: {test: [a.csv, b.csv, c.csv]}",
}


@pytest.mark.parametrize("files", FORMS.values(), ids=FORMS)
def test_files_are_named_by_split(declare, files):
    folder = declare(f"- config_name: one\n  {files}")
    (config,) = read_configs(folder).values()
    assert split_patterns(folder, config, "test") == ("a.csv", "b.csv", "c.csv")
    with pytest.raises(InputError, match=r'configuration "one" has no split "tset" \(nearest: test\)'):
        split_patterns(folder, config, "tset")


@pytest.mark.parametrize(
    ("files", "pattern"),
    [("data_files: rows.csv", "rows.csv"), ("data_dir: there", "there/**/*"), ("description: x", "one/**/*")],
)
def test_files_without_a_split_are_of_any(declare, files, pattern):
    folder = declare(f"- config_name: one\n  {files}")
    assert split_patterns(folder, read_configs(folder)["one"], "test") == (pattern,)


@pytest.mark.parametrize("pattern", ["../secret.csv", "/etc/passwd", "hf://datasets/a/b/c.csv", "a/../../b.csv"])
def test_files_outside_are_refused(declare, pattern):
    folder = declare(f"- config_name: one\n  data_files: {pattern}")
    with pytest.raises(InputError, match="leaves the dataset's folder"):
        split_patterns(folder, read_configs(folder)["one"], "test")


@pytest.mark.parametrize(
    ("configs", "line"),
    [
        ("- data_files: a.csv", "has no config_name. Add it"),
        ("- just a text", "has no config_name. Add it"),
        ("- {config_name: one, data_files: [{split: test}]}", "`data_files` should name paths"),
        ("- {config_name: one, data_files: {test: []}}", "`data_files` should name paths"),
        ("- {config_name: one, data_files: [a.csv, 5]}", "`data_files` should name paths"),
        ("- config_name: one\n- config_name: one", '`configs` names "one" twice'),
        ("- [", "its YAML head cannot be read"),
    ],
)
def test_a_declaration_that_is_none_is_told(declare, configs, line):
    with pytest.raises(InputError, match=line) as told:
        read_configs(declare(configs))
    assert "README.md: " in str(told.value)


@pytest.mark.parametrize("text", [None, "# A set\n", "---\nconfigs: 5\n---\n", "---\nlicense: mit\n---\n"])
def test_a_folder_that_declares_nothing_has_no_configuration(tmp_path, text):
    if text is not None:
        (tmp_path / "README.md").write_text(text, encoding="utf-8")
    assert read_configs(tmp_path) == {}
    assert choose_config(tmp_path, {}, None, "blind") is None
    assert choose_config(tmp_path, {}, "asked", "blind") == "asked"


@pytest.mark.parametrize(
    ("configs", "default"),
    [
        ("- config_name: one", "one"),
        ("- config_name: one\n- config_name: default", "default"),
        ("- config_name: default\n- {config_name: two, default: true}", "two"),
        ("- config_name: one\n- config_name: two", None),
        ("- config_name: one\n- {config_name: two, default: yes please}", None),
    ],
)
def test_which_one_load_dataset_gives(declare, configs, default):
    assert default_config(read_configs(declare(configs))) == default


def test_the_one_asked_for_goes_before_the_one_preferred_before_the_default(declare):
    folder = declare("- {config_name: one, default: true}\n- config_name: blind\n- config_name: two")
    configs = read_configs(folder)
    assert choose_config(folder, configs, "two", "blind") == "two"
    assert choose_config(folder, configs, None, "blind") == "blind"
    assert choose_config(folder, configs, None, "references") == "one"
    with pytest.raises(InputError, match=r'no configuration "blnd" \(nearest: blind\). It has: one, blind, two'):
        choose_config(folder, configs, "blnd", "blind")
    several = declare("- config_name: one\n- config_name: two")
    with pytest.raises(InputError, match=r"has several configurations \(one, two\). Name one as dataset_name"):
        choose_config(several, read_configs(several), None, "blind")


@pytest.mark.parametrize(
    ("configs", "asked"),
    [
        ("- {config_name: one}\n- {config_name: one}", None),
        ("- description: x", None),
        ("- {config_name: one, data_files: 7}", None),
        ("- {config_name: one}\n- {config_name: two}", None),
        ("- {config_name: one}", "two"),
        ("- config_name: one\n  data_files: {train: a.csv}", "one"),
        ("- {config_name: one, data_files: ../a.csv}", "one"),
    ],
)
def test_a_repository_of_the_hub_is_called_by_its_id(tmp_path, configs, asked):
    folder = tmp_path / "datasets--some--data" / "snapshots" / "0123"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(f"---\nconfigs:\n{configs}\n---\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^some/data(/README\.md)?: "):
        split_patterns(folder, read_configs(folder)[choose_config(folder, read_configs(folder), asked, "")], "test")
