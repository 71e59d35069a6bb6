"""Every condition from media to tables: what models get under it, what it is called, and what it changes."""

import json
from typing import ClassVar

import pytest
from fakes.three_clips import CLIPS, EIGHT, ITEMS, SECONDS, write_task

from musebench_tasks import api
from musebench_tasks.api.settings import Quiet
from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition
from musebench_tasks.inference.journal import read_responses
from musebench_tasks.inference.run_folder import read_run_config
from musebench_tasks.reports.answers import read_task
from musebench_tasks.reports.deltas import all_differences
from musebench_tasks.reports.item_scores import ItemEvidence
from musebench_tasks.reports.runs import predictions_of, read_parts
from musebench_tasks.reports.tables import comparable, make_tables, report_tables

MODELS = """
import hashlib, json
from pathlib import Path

SEEN = Path(__file__).with_name("seen.jsonl")

def told(question):
    frames, audio, prompt = question["frames"], question["audio"], question["prompt"]
    seen = {
        "frames": None if frames is None else [int(each[60:, 80:].mean()) for each in frames],
        "times": None if frames is None else question["frame_times_s"].tolist(),
        "audio": None if audio is None else [len(audio), float((audio ** 2).mean() ** 0.5)],
        "spoken": "Welcome" in prompt,
        "silent": "no speech" in prompt,
    }
    with SEEN.open("a") as file:
        file.write(json.dumps([question["question"], seen]) + "\\n")
    return seen

def all_senses(question):
    seen = told(question)
    return "A" if seen["audio"] and seen["audio"][1] > 0.2 and seen["frames"] else "B"

def deaf(question):
    seen = told(question)
    return "A" if seen["frames"] and (seen["spoken"] or seen["silent"]) else "C"

def blind(question):
    return "A" if told(question)["audio"] else "D"

deaf.modalities, blind.modalities = ["video"], ["audio"]
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A folder with a run of three models on twelve questions about three clips, under all conditions."""
    folder = tmp_path_factory.mktemp("eight")
    task = write_task(folder)
    (folder / "models.py").write_text(MODELS)
    models = [f"python:{folder}/models.py:{name}" for name in ("all_senses", "deaf", "blind")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(folder / "cache"))
        api.run(tasks=[task], models=models, out=folder / "run", conditions=["all"], listener=Heard())
    return folder


class Heard(Quiet):
    """Keeps what was said before asking."""

    lines: ClassVar[list[str]] = []

    def noticed(self, task, text):
        self.lines.append(text)


@pytest.fixture(scope="module")
def parts(asked):
    found, problems = read_parts([asked / "run"])
    assert not problems
    return {part.config.system.name.rpartition(":")[2]: part for part in found}


def got(part, condition):
    """What of the media the first question brought under a condition, by the journal."""
    responses = read_responses(part.folder).values()
    return next(each.received for each in responses if (each.item_id, each.condition) == ("q01", condition))


def test_models_get_what_the_condition_says(asked, parts):
    seen = [json.loads(line)[1] for line in (asked / "seen.jsonl").read_text().splitlines()]
    frames = {tuple(each["frames"]) for each in seen if each["frames"]}
    full = next(each for each in frames if list(each) == sorted(each) and len(set(each)) == 6)
    assert {len(each) for each in frames} == {6}
    assert any(set(each) == {full[3]} for each in frames)
    assert sum(sorted(each) == list(full) and each != full for each in frames) >= 1
    levels = {round(each["audio"][1], 1) for each in seen if each["audio"]}
    assert levels == {0.4, 0.1, 0.0} or levels == {0.3, 0.1, 0.0}
    assert {each["audio"][0] for each in seen if each["audio"]} == {SECONDS * 8000}


@pytest.mark.parametrize(
    ("condition", "frames", "route"),
    [
        ("full", 6, "native"), ("no_audio", 6, "none"), ("no_video", None, "native"), ("text_only", None, "none"),
        ("noise", 6, "native"), ("silence", 6, "native"), ("frozen_frame", 6, "native"),
        ("shuffled_frames", 6, "native"),
    ],
)  # fmt: skip
def test_what_was_received_is_disclosed(parts, condition, frames, route):
    received = got(parts["all_senses"], condition)
    assert (received.frames_used, received.audio_route) == (frames, route)
    prediction = predictions_of(parts["all_senses"])["q01", 0, CONDITIONS[condition]]
    assert prediction.audio.route == route
    assert (prediction.frames and prediction.frames.used) == frames


def test_what_was_received_agrees_with_conditions_and_media(asked):
    assert api.validate(asked / "run").count("valid predictions, all of them planned") == 3


def test_a_model_is_asked_nothing_that_it_cannot_take(parts):
    conditions = {name: {str(each) for each in part.config.protocol.conditions} for name, part in parts.items()}
    assert conditions["all_senses"] == set(EIGHT)
    assert conditions["deaf"] == set(EIGHT) - {"noise", "silence"}
    assert conditions["blind"] == {"no_video", "text_only"}


def test_words_that_stand_in_for_sound_are_disclosed_everywhere(parts):
    deaf = parts["deaf"]
    assert (deaf.config.media.audio_route, deaf.config.media.modalities) == ("transcript", ("T", "V"))
    assert parts["all_senses"].config.media.audio_route is None
    found = predictions_of(deaf)
    assert {found["q01", 0, each].audio.route for each in (Condition.FULL, CONDITIONS["no_video"])} == {"transcript"}
    assert {found["q01", 0, each].audio.route for each in (CONDITIONS["no_audio"], CONDITIONS["text_only"])} == {"none"}
    assert deaf.card.audio_route == "transcript"
    titles = [table.title for table in make_tables([deaf.card])]
    assert "musebench_eight · T+transcript" in titles


def test_where_nobody_speaks_that_is_said_and_where_no_transcript_is_known_there_is_none(parts):
    found = predictions_of(parts["deaf"])
    spoken, silent, unknown = (found[item, 0, Condition.FULL] for item in ("q01", "q00", "q02"))
    assert [each.raw for each in (spoken, silent, unknown)] == ["A", "A", "C"]
    assert [each.audio.route for each in (spoken, silent, unknown)] == ["transcript", "transcript", "none"]
    (line,) = [each for each in Heard.lines if "deaf" in each]
    assert "1 of 12 items have no transcript" in line
    assert any("1 of 12 items have no transcript" in each for each in parts["deaf"].card.warnings)


def test_every_condition_has_its_rows_and_what_was_not_asked_none(parts):
    ((cards, _),) = comparable(part.card for part in parts.values())
    table = next(each for each in report_tables(cards) if each.name == "conditions")
    assert [name for name, _ in table.row_groups] == [
        "T", "A+T", "V+T", "V+A+T", "noise", "silence", "frozen frame", "shuffled frames",
    ]  # fmt: skip
    for name, rows in table.row_groups:
        systems = {row.name.rpartition(":")[2]: row for row in rows if not row.is_baseline}
        assert set(systems) == {"all_senses", "deaf (audio as transcript)", "blind"}
        assert (systems["blind"].cells[0].value is None) == (name not in ("T", "A+T"))
        assert (systems["deaf (audio as transcript)"].cells[0].value is None) == (name in ("noise", "silence"))
        assert all(cell.value is None for cell in systems["blind"].cells) or name in ("T", "A+T")


def test_every_condition_is_held_against_full_item_by_item(asked, parts):
    answers = read_task("musebench_eight", list(parts.values()))
    deltas = next(each for each in all_differences(ItemEvidence(answers)) if each.name == "deltas")
    rows = {(row.system.rpartition(":")[2], row.asked): row for row in deltas.rows}
    assert {asked for system, asked in rows if system == "all_senses"} == set(EIGHT) - {"full"}
    assert not any(system == "blind" for system, _ in rows)
    assert {(row.n, row.n_clusters) for row in rows.values()} == {(ITEMS, CLIPS)}
    assert all(row.interval is not None for row in rows.values())
    for condition, change in (("no_audio", -1), ("noise", -1), ("frozen_frame", 0), ("text_only", -1)):
        assert rows["all_senses", CONDITIONS[condition]].value == change
    assert rows["deaf (audio as transcript)", CONDITIONS["no_video"]].against == "V+T+transcript"
    assert rows["deaf (audio as transcript)", CONDITIONS["no_video"]].condition == "T+transcript"


def test_the_configuration_says_how_media_were_decoded(parts):
    config = read_run_config(parts["all_senses"].folder / "run.yaml")
    assert "soxr" in config.harness.decoding
    assert (config.media.fps, config.media.audio_sr, config.media.truncation) == (2, 8000, None)
