"""`musebench ping`: exit codes, what is printed at 80 columns, JSON, and messages for what is wrong."""

import json
import shutil

import pytest
from fakes.openai_media import MediaModel
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks.cli import main
from musebench_tasks.models.ping import server_checks

SMALL = ["--frames", "4", "--seconds", "4"]
WIDTH = 80


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(server_checks, "FILM_SECONDS", 2)
    with FakeOpenAIServer() as running:
        running.media = MediaModel()
        yield running


@pytest.fixture
def ping(capsys, monkeypatch):
    """(exit code, what was printed, what was printed as an error)."""
    monkeypatch.setattr("musebench_tasks.reports.terminal.is_terminal", lambda stream: True)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: shutil.os.terminal_size((WIDTH, 24)))

    def ping(*words):
        code = main(["ping", *words])
        return code, *capsys.readouterr()

    return ping


def test_a_good_server_ends_with_0_and_fits_a_narrow_terminal(server, ping):
    code, told, _ = ping(server.url, *SMALL)
    lines = told.splitlines()
    assert code == 0
    assert max(map(len, lines)) <= WIDTH
    assert lines[:2] == [f"fake at {server.url}  vllm, 32,768 tokens", "a run sends media as pictures and sound"]
    assert "ok    pictures         all 4 pictures arrive: 192 tokens each, 4 of 4 read" in lines
    assert ["pictures", "32", "224", "416", "800"] in [line.split() for line in lines]
    assert lines[-1] == "All that a run sends arrives."


def test_warnings_end_with_3_and_say_what_to_do(server, ping):
    server.media = MediaModel(keeps_pictures=2, takes=frozenset({"image_url"}))
    code, told, _ = ping(server.url, *SMALL)
    text = " ".join(told.split())
    assert code == 3
    assert "warn pictures of 4 pictures about 2 arrive: tokens grow evenly up to 2, then less; the first 2 read" in text
    assert "Or give run --max-frames 2: what is left out is then known and told." in text
    assert "note MP4 film not taken: HTTP 400: Unknown part type: video_url" in text
    assert text.endswith("2 things would change scores: see the lines that begin with warn.")


def test_json_holds_all_that_was_measured_of_every_replica(server, ping):
    code, told, _ = ping(f"openai:fake@{server.url},{server.url}/", *SMALL, "--json")
    pings = json.loads(told)
    assert (code, len(pings)) == (0, 2)
    assert {each["is_fine"] for each in pings} == {True}
    assert pings[0]["ladders"][0]["points"][-1]["tokens"] == 800
    assert pings[0]["findings"][0]["topic"] == "pictures"


def test_a_card_names_the_server_and_how_a_run_asks(server, ping, tmp_path):
    card = tmp_path / "mine.yaml"
    card.write_text(f"spec: openai:fake@{server.url}\nlimits: {{modalities: [video]}}\noptions: {{server: vllm}}\n")
    server.media = MediaModel(takes=frozenset({"image_url", "video_url"}), takes_pictures_as_video=False)
    code, told, _ = ping(str(card), *SMALL)
    assert code == 3
    assert "warn  one video" in told
    assert "note  sound " in told


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["http://127.0.0.1:9/v1"], 1, "http://127.0.0.1:9/v1/models: no connection: Connection refused. Correct the"),
        (["dsp"], 2, '"dsp" is no server. Write its address'),
        (["http://127.0.0.1:9/v1", "--frames", "9999"], 2, "A probe holds at most 256 pictures and 1800 s of sound."),
        (["http://user:pass@127.0.0.1:9/v1"], 2, "holds a password or key"),
    ],
)
def test_what_is_wrong_is_one_line(ping, words, code, told):
    ended, printed, error = ping(*words)
    assert (ended, printed) == (code, "")
    assert error.startswith("musebench: ")
    assert error.count("\n") == 1
    assert told in error


def test_a_key_is_sent_and_never_printed(server, ping, monkeypatch):
    server.key = "sk-right"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    code, printed, error = ping(server.url, *SMALL)
    assert (code, printed) == (1, "")
    assert "HTTP 401: Unauthorized. Put a valid API key into OPENAI_API_KEY, then ping again." in error
    monkeypatch.setenv("OPENAI_API_KEY", "sk-right")
    for words in ([], ["--json"]):
        assert "sk-right" not in "".join(map(str, ping(server.url, *SMALL, *words)))


DEAD = "http://127.0.0.1:9/v1"
REFUSED = f"musebench: {DEAD}/models: no connection: Connection refused. Correct the address or start the server."


@pytest.mark.parametrize("order", ["{dead},{live}", "{live},{dead}"])
def test_where_one_address_does_not_answer_the_others_are_tested(server, ping, order):
    code, told, error = ping(order.format(dead=DEAD, live=server.url), *SMALL)
    assert code == 3
    assert f"fake at {server.url}" in told
    assert "All that a run sends arrives." in told
    assert error.splitlines() == [REFUSED, f"musebench: 1 of 2 addresses do not answer: {DEAD}"]


def test_json_has_an_entry_for_an_address_that_does_not_answer(server, ping):
    code, told, _ = ping(f"openai:fake@{DEAD},{server.url}", *SMALL, "--json")
    silent, live = json.loads(told)
    assert (code, live["is_fine"]) == (3, True)
    assert silent == {"is_fine": False, "address": DEAD, "error": REFUSED.removeprefix("musebench: ")}


def test_where_no_address_answers_each_is_told_and_the_code_is_1(server, ping):
    server.fault = "401"
    code, printed, error = ping(f"{DEAD},{server.url}", *SMALL)
    assert (code, printed) == (1, "")
    first, second, last = error.splitlines()
    assert first == REFUSED
    assert "HTTP 401" in second
    assert "Put a valid API key into OPENAI_API_KEY, then ping again." in second
    assert last.startswith("musebench: 2 of 2 addresses do not answer: ")


def test_what_a_server_says_does_not_reach_the_terminal_as_orders(server, ping):
    server.models = [{"id": "m\x1b[2J", "owned_by": "v\x1b[31m"}]
    assert "\x1b[2J" not in ping(server.url, *SMALL)[1]
    server.models = [{"id": "a\x1b[2J"}, {"id": "b"}]
    code, _, error = ping(server.url, *SMALL)
    assert (code, r"serves 2 models: a\x1b[2J, b." in error) == (2, True)


def test_an_interrupted_ping_ends_in_one_line(server, ping, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("musebench_tasks.models.ping.ping", interrupted)
    assert ping(server.url) == (1, "", "musebench: interrupted.\n")
