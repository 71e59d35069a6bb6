"""A key is read clean or refused before anything is asked, and no spelling of it is told."""

import json
from urllib.parse import quote, quote_plus

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.cli import main
from musebench_tasks.models import load_model
from musebench_tasks.models.api_keys import ApiKey, read_api_key
from musebench_tasks.models.llm_judge import load_judge

AT = "m@http://127.0.0.1:9/v1"
UNUSABLE = [
    "sk-hush\nme",
    "sk-hush\r\nX-Injected: me",
    "sk-hush\tme",
    "sk-hush\x00me",
    "sk-hush\x7fme",
    "sk-hüsh",
    "sk-“hush”",
]


def ping(tmp_path):
    return main(["ping", "http://127.0.0.1:9/v1"])


def ping_of_a_card(tmp_path):
    card = tmp_path / "mine.yaml"
    card.write_text(f"spec: openai:{AT}\n")
    return main(["ping", str(card)])


def run(tmp_path):
    return main(
        ["run", "--tasks", "mub_demo", "--model", f"openai:{AT}", "--limit", "1", "--out", str(tmp_path / "run")]
    )


def run_with_a_judge(tmp_path):
    words = ["--tasks", "mub_demo", "--model", "random", "--limit", "1", "--judge", f"openai:{AT}"]
    return main(["run", *words, "--out", str(tmp_path / "run")])


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", " {}\t", "\n{}\n\n"])
def test_white_space_around_a_key_is_no_part_of_it(around, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", around.format("sk-hush"))
    assert read_api_key().headers() == {"Authorization": "Bearer sk-hush"}


def test_a_variable_of_white_space_holds_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", " \n")
    assert read_api_key().headers() == {}


@pytest.mark.parametrize("key", [key for key in UNUSABLE if "\x00" not in key])
@pytest.mark.parametrize("load", [lambda: load_model(f"openai:{AT}"), lambda: load_judge(f"openai:{AT}"), read_api_key])
def test_what_can_be_no_key_is_refused_by_the_name_of_its_variable(key, load, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(InputError, match="environment variable OPENAI_API_KEY holds a ") as caught:
        load()
    told = str(caught.value)
    assert told.isprintable()
    assert not any(part in told for part in ("hush", "hüsh", "sk-"))


@pytest.mark.parametrize("command", [ping, ping_of_a_card, run, run_with_a_judge])
def test_no_command_asks_or_writes_anything_with_it(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hush\nme")
    assert command(tmp_path) == 2
    printed, told = capsys.readouterr()
    assert (printed, told.count("\n")) == ("", 1)
    assert "OPENAI_API_KEY" in told
    assert "hush" not in told
    assert not (tmp_path / "run").exists()


def test_a_key_written_in_place_of_its_variable_is_not_repeated():
    with pytest.raises(InputError, match="api_key_variable: what is given is no name") as caught:
        load_model(f"openai:{AT}", api_key_variable="sk-hush")
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("secret", ["sk-hush", r"sk\hush", "sk'hush", 'sk"hush', "sk+hu/sh=", "sk hush%"])
@pytest.mark.parametrize(
    "spelt",
    [
        str,
        repr,
        json.dumps,
        quote,
        quote_plus,
        lambda key: quote(key, safe=""),
        lambda key: quote(key, safe="").lower(),
        lambda key: repr(f"Bearer {key}".encode()),
    ],
)
def test_every_spelling_of_a_key_is_masked(secret, spelt):
    key = ApiKey("MINE", secret)
    told = key.masked(f"Invalid header value {spelt(secret)}, told twice: {spelt(secret)}")
    assert "sh" not in told
    assert told.count("***") == 2
    assert "sh" not in repr(key) + str(key)
