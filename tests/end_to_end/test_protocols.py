"""Ways of putting a task that are declared, recorded and never mixed: sound in parts, chosen frames, tools."""

import pytest
from fakes.openai_server import FakeOpenAIServer
from fakes.three_clips import ITEMS, SECONDS, write_task

from musebench_tasks import api
from musebench_tasks.api.settings import Quiet
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition
from musebench_tasks.reports import make_tables, pairs
from musebench_tasks.reports.runs import attempts_of, predictions_of, read_parts

CARD = """\
spec: openai:m@{url}
limits: {{modalities: [audio, video], max_frames: 3, max_audio_s: 1, sample_rate: 8000}}
"""
MODELS = """
def hears(question):
    return "A" if len(question["audio"]) else "B"

def searches(question):
    return "A"

def sees(question):
    frames, times = question["frames"], question["frame_times_s"]
    assert len(frames) == 3 and sorted(times) == list(times)
    return "ABC"[min(2, int(times[0]))]

def bright(frames, text):
    return frames.mean(axis=(1, 2, 3)) * (-1 if text.endswith(" 1?") else 1)

searches.tools = ["web search"]
sees.max_frames = 3
for each in (hears, searches, sees):
    each.revision = "1"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("protocols")
    write_task(made)
    (made / "models.py").write_text(MODELS)
    return made


class Heard(Quiet):
    def __init__(self):
        self.lines = []

    def noticed(self, task, text):
        self.lines.append(text)


@pytest.fixture
def ask(folder, monkeypatch):
    """Run models on the task under a name: its parts by system, and what was said before asking."""
    monkeypatch.setenv("MUSEBENCH_CACHE", str(folder / "cache"))

    def run(name, *models, conditions=("full",), **settings):
        heard = Heard()
        task = str(folder / "musebench_eight.yaml")
        settings = api.RunSettings(**settings)
        out = folder / name
        api.run(tasks=[task], models=models, out=out, conditions=conditions, settings=settings, listener=heard)
        found, _ = read_parts([out])
        return {part.config.system.name.rpartition(":")[2].rpartition("/")[2]: part for part in found}, heard.lines

    return run


@pytest.fixture
def served(folder):
    with FakeOpenAIServer() as server:
        server.reply = lambda body: "A"
        (folder / "served.yaml").write_text(CARD.format(url=server.url))
        server.card = str(folder / "served.yaml")
        yield server


def sounds(server):
    return [
        sum(part["type"] == "input_audio" for part in request["body"]["messages"][-1]["content"])
        for request in server.requests
    ]


def test_a_limit_without_declared_parts_cuts_and_says_so_beforehand(folder, ask, served):
    parts, lines = ask("cut", served.card, f"python:{folder}/models.py:hears")
    assert set(sounds(served)) == {1}
    assert any("takes 1 s of sound; 12 of 12 items are longer" in line and "--chunk limit" in line for line in lines)
    assert parts["served.yaml"].config.media.truncation == "audio after 1 s"
    assert predictions_of(parts["served.yaml"])["q03", 0, Condition.FULL].audio.seconds == pytest.approx(1)
    tables = make_tables(part.card for part in parts.values())
    assert len(tables) == 2
    assert any("no audio after 1 s" in table.title for table in tables)
    with pytest.raises(InputError, match="unequal parts are never compared"):
        pairs(str(parts["served.yaml"].folder), str(parts["hears"].folder))


def test_declared_parts_give_all_of_the_sound_in_one_question(folder, ask, served):
    parts, lines = ask("parts", served.card, f"python:{folder}/models.py:hears", chunk="limit")
    assert set(sounds(served)) == {SECONDS}
    assert not lines
    first = served.requests[0]["body"]["messages"][-1]["content"][-1]["text"]
    assert "parts of 1 seconds that follow one another" in first
    part = parts["served.yaml"]
    assert (part.config.media.truncation, parts["hears"].config.media.truncation) == ("chunks of 1 s", None)
    assert predictions_of(part)["q03", 0, Condition.FULL].audio.seconds == pytest.approx(SECONDS)
    (table,) = make_tables(each.card for each in parts.values())
    assert any("chunks of 1 s, one after the other" in note for note in table.notes)
    assert pairs(str(part.folder), str(parts["hears"].folder))


def test_what_breaks_the_protocol_is_told(folder, ask, served):
    served.faults = ["tool_call"]
    parts, _ = ask("violation", served.card)
    flagged = [each for each in predictions_of(parts["served.yaml"]).values() if "protocol_violation" in each.flags]
    assert len(flagged) == 1
    (table,) = make_tables([parts["served.yaml"].card])
    assert any(f"1 of {ITEMS} answers broke the protocol" in note for note in table.notes)


def test_systems_with_tools_never_share_a_table(folder, ask):  # MU-08
    parts, _ = ask("tools", *(f"python:{folder}/models.py:{name}" for name in ("hears", "searches")))
    assert parts["searches"].config.protocol.track == "tool_assisted"
    tables = make_tables(part.card for part in parts.values())
    assert [len([row for row in table.rows if not row.is_baseline]) for table in tables] == [1, 1]
    assert any("tool assisted" in table.title for table in tables)
    assert any("works with web search" in note for table in tables for note in table.notes)
    with pytest.raises(InputError, match="on the track"):
        pairs(str(parts["searches"].folder), str(parts["hears"].folder))


def test_frames_chosen_by_the_question_reach_the_model(folder, ask):
    rule = f"query:python:{folder}/models.py:bright"
    parts, _ = ask("query", f"python:{folder}/models.py:sees", frames=rule)
    found = predictions_of(parts["sees"])
    assert {each.frames.policy for each in found.values()} == {"query"}
    assert {each.frames.used for each in found.values()} == {3}
    assert parts["sees"].config.media.frames == "query:python:models.py:bright"
    assert f"frames: {rule}" in (folder / "query" / "suite.yaml").read_text()
    attempts = attempts_of(parts["sees"], found)
    assert {len(each.frame_times_s) for each in attempts.values()} == {3}
    dark, bright = found["q01", 0, Condition.FULL].raw, found["q03", 0, Condition.FULL].raw
    assert dark < bright  # the clip grows brighter: dark frames come first


@pytest.mark.parametrize(("rule", "policy"), [("keyframes", "keyframes"), ("scene_changes", "scene_changes")])
def test_frames_chosen_by_the_film_are_recorded(folder, ask, rule, policy):
    parts, _ = ask(rule, f"python:{folder}/models.py:searches", frames=rule)
    assert parts["searches"].config.media.frames == policy
    (table,) = make_tables([parts["searches"].card])
    assert any(f"frames chosen by {rule.replace('_', ' ')}" in note for note in table.notes)


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_models_are_asked_in_the_same_four_orders(folder, monkeypatch, processes):  # HQ-09
    monkeypatch.setenv("MUSEBENCH_CACHE", str(folder / "cache"))
    (folder / "first.py").write_text("def option(question):\n    return 'A'\n")
    models = ["random", f"python:{folder}/first.py:option"]
    out = folder / f"orders{processes}"
    settings = api.RunSettings(processes=processes)
    api.run(tasks=["hummusqa_demo"], models=models, out=out, limit=4, settings=settings)
    found = [predictions_of(part) for part in read_parts([out])[0]]
    orders = [{key: each.option_order for key, each in predictions.items()} for predictions in found]
    assert orders[0] == orders[1]
    assert len({order for (item, _, _), order in orders[0].items() if item == min(key[0] for key in orders[0])}) > 1
    assert {len(predictions) for predictions in found} == {4 * 4}
    alone = folder / "orders1"
    for file in sorted(out.glob("*/*/predictions.jsonl")):
        assert file.read_bytes() == (alone / file.relative_to(out)).read_bytes()
