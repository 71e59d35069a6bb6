"""A judge as second reader: off by default, asked only about what the rules left unparsed, stored and marked."""

import json
import shutil
import textwrap

import pytest
from fakes.openai_server import FakeOpenAIServer

from musebench_tasks import api
from musebench_tasks.answers import PARSER_VERSION
from musebench_tasks.answers.llm_judge import JUDGE_PROMPT_SHA256
from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.cli import main

PARSER = {"method": "judge", "version": f"rules-{PARSER_VERSION}+judge:m+prompt.{JUDGE_PROMPT_SHA256[:8]}"}
MODEL = """
    TEXTS = ["B", "blue", "I cannot listen to audio.", "Z", "blue again"]

    def answer(question):
        return TEXTS[sum(map(ord, question["prompt"])) % len(TEXTS)]

    answer.kinds = {"single", "multi"}
    answer.revision = "1"
"""


def run(out, model, **more):
    return api.run(tasks="musebench_demo", model=model, conditions="text_only", limit=24, out=out, **more)


@pytest.fixture(scope="module")
def rules_only(tmp_path_factory):
    """A run whose answers the rules read, refuse, or leave unparsed; and its model."""
    folder = tmp_path_factory.mktemp("judge")
    file = folder / "vague.py"
    file.write_text(textwrap.dedent(MODEL))
    run(folder / "run", f"python:{file}:answer")
    return folder / "run", f"python:{file}:answer"


@pytest.fixture
def judged(rules_only, tmp_path):
    """(score with a judge, its server, the MODEL/TASK folder)."""
    out = shutil.copytree(rules_only[0], tmp_path / "run")
    (folder,) = {path.parent for path in out.rglob("run.yaml")}
    with FakeOpenAIServer() as server:
        server.reply = lambda body: '{"answer": "B"}'
        yield (lambda **more: api.score(out, judge=f"openai:m@{server.url}", **more)), server, folder


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def files(folder):
    return {name: (folder / name).read_bytes() for name in ("predictions.jsonl", "scores.json", "judge.jsonl")}


def test_only_what_the_rules_left_unparsed_is_asked_and_marked(judged):
    score, server, folder = judged
    before = lines(folder / "predictions.jsonl")
    left = [each for each in before if each["status"] == "unparsed"]
    assert {each["status"] for each in before} == {"ok", "unparsed", "refused", "out_of_range"}
    card = score()
    shown = [json.loads(each["body"]["messages"][1]["content"]) for each in server.requests]
    assert {each["response"] for each in shown} == {each["raw"] for each in left}
    assert all(set(each) == {"options", "response"} for each in shown)
    after = lines(folder / "predictions.jsonl")
    for old, new in zip(before, after, strict=True):
        if old["status"] != "unparsed":
            assert new == old
        else:
            assert (new["status"], new["rule"], new["parser"]) == ("ok", "judge", PARSER)
            assert new["parsed"] == [old["option_order"][1]]
            assert new["flags"] == [*old["flags"], f"rules_{old['rule']}"]
    (counts,) = card.judges
    assert (counts.parser, counts.asked, counts.read) == (PARSER["version"], len(left), len(left))
    assert any(f"the judge read {len(left)}" in note and PARSER["version"] in note for note in card.warnings)
    assert [(each["item_id"], each["raw"]) for each in lines(folder / "judge.jsonl")] == [
        (each["item_id"], '{"answer": "B"}') for each in left
    ]


def test_scoring_again_asks_nothing_and_gives_the_same_bytes(judged):
    score, server, folder = judged
    score()
    once, asked = files(folder), len(server.requests)
    api.score(folder)
    assert files(folder) == once
    server.fault = "500"
    score()
    assert files(folder) == once
    assert len(server.requests) == asked


def test_a_run_with_the_judge_gives_the_same_bytes_and_one_without_reads_by_the_rules_alone(judged, rules_only):
    score, server, folder = judged
    rules = (folder / "predictions.jsonl").read_bytes()
    score()
    once, out = files(folder), folder.parents[1]
    run(out, rules_only[1], settings=api.RunSettings(judge=f"openai:m@{server.url}"))
    assert files(folder) == once
    run(out, rules_only[1])
    assert (folder / "predictions.jsonl").read_bytes() == rules
    assert json.loads((folder / "scores.json").read_text())["judges"] == []


def test_another_judge_starts_from_what_the_rules_read(judged):
    score, server, folder = judged
    score()
    server.reply = lambda body: '{"answer": "C"}'
    api.score(folder, judge=f"openai:other@{server.url}")
    read = [each for each in lines(folder / "predictions.jsonl") if each["rule"] == "judge"]
    assert read
    assert all(
        each["parsed"] == [each["option_order"][2]] and "judge:other" in each["parser"]["version"] for each in read
    )
    assert {each["judge"] for each in lines(folder / "judge.jsonl")} == {"m", "other"}
    asked = len(server.requests)
    score()
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("reply", "flag"),
    [
        ('{"answer": "NONE"}', "judge_none"),
        ("It is B.", "judge_failed"),
        ('{"answer": "Q"}', "judge_failed"),
        ('{"answer": NaN}', "judge_failed"),
        ("[ERROR] HTTP 400", "judge_failed"),
    ],
)
def test_without_a_verdict_the_status_of_the_rules_stays(judged, reply, flag):
    score, server, folder = judged
    before = lines(folder / "predictions.jsonl")
    server.reply = lambda body: reply
    card = score()
    for old, new in zip(before, lines(folder / "predictions.jsonl"), strict=True):
        is_asked = old["status"] == "unparsed"
        assert (new["status"], new["rule"], new["parsed"]) == (old["status"], old["rule"], old["parsed"])
        assert new["flags"] == ([*old["flags"], flag] if is_asked else old["flags"])
    (counts,) = card.judges
    assert (counts.read, getattr(counts, flag.removeprefix("judge_"))) == (0, counts.asked)


@pytest.mark.parametrize("reply", ["[ERROR] HTTP 400", ""])
def test_an_error_is_never_kept_and_asked_again(judged, reply):
    score, server, folder = judged
    server.reply = lambda body: reply
    score()
    assert not (folder / "judge.jsonl").exists()
    server.reply = lambda body: '{"answer": "B"}'
    (counts,) = score().judges
    assert (counts.failed, counts.read) == (0, counts.asked)


def test_a_judge_out_of_reach_changes_nothing(judged):
    score, server, folder = judged
    before = (folder / "predictions.jsonl").read_bytes()
    server.fault = "404"
    with pytest.raises(ModelUnusableError):
        score()
    assert (folder / "predictions.jsonl").read_bytes() == before


def test_replies_kept_before_a_kill_are_not_asked_for_again(judged):
    score, server, folder = judged
    score()
    once, asked = files(folder), len(server.requests)
    kept = (folder / "judge.jsonl").read_bytes()
    (folder / "judge.jsonl").write_bytes(kept[: kept.index(b"\n") + 40])
    api.score(folder, judge=f"openai:m@{server.url}")
    assert files(folder) == once
    assert len(server.requests) < 2 * asked
    assert api.validate(folder / "judge.jsonl").endswith("valid replies of a judge")


def test_the_key_is_stored_nowhere(judged, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    score, server, folder = judged
    score()
    assert server.requests[0]["headers"]["Authorization"].endswith("sk-very-secret")
    written = [path for path in folder.parents[1].rglob("*") if path.is_file()]
    assert not [path for path in written if b"very-secret" in path.read_bytes()]


def test_from_the_command_line(judged, capsys):
    _, server, folder = judged
    assert main(["score", str(folder), "--judge", f"openai:m@{server.url}"]) == 0
    assert "the judge read" in " ".join(capsys.readouterr().out.split())


def test_a_judge_without_writing_is_refused(judged):
    with pytest.raises(InputError, match="write=False"):
        judged[0](write=False)
