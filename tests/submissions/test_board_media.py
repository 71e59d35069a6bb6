"""What a board says of media: under each condition what arrived, as lines record it, never what is only said."""

from dataclasses import replace

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Audio, Condition, Frames
from musebench_tasks.submissions.board import Entry
from musebench_tasks.submissions.board.csv_file import board_csv
from musebench_tasks.submissions.board.entries import latest, settings_words
from musebench_tasks.submissions.board.standing import board_tables
from musebench_tasks.submissions.board.words import _notes
from musebench_tasks.tasks import load_task

NATIVE, NONE, WORDS = (Audio(route=route, seconds=None) for route in ("native", "none", "transcript"))
FRAMES = Frames(available=4, used=4, policy="uniform")


@pytest.fixture
def entry(colours, submission):
    """ash's submission, as if of a task with sound and pictures."""
    found = colours.check(submission)
    told = {name: getattr(found, name) for name in ("config", "submission", "stored", "card", "predictions")}
    data = {"task": found.data.task, "items": found.data.items, "references": found.data.references}
    made = Entry(place="ash", data_version="1.0", **told, **data)
    protocol = made.task.protocol.model_copy(update={"media": load_task("musebench_demo").protocol.media})
    return replace(taking(made, ("T", "A", "V")), task=made.task.model_copy(update={"protocol": protocol}))


def taking(entry, modalities):
    media = entry.config.media.model_copy(update={"modalities": modalities})
    return replace(entry, config=entry.config.model_copy(update={"media": media}))


def recording(entry, condition="full", **told):
    """The entry with its lines under a condition, and what each records."""
    lines = [each.model_copy(update={"condition": CONDITIONS[condition], **told}) for each in entry.predictions]
    return replace(entry, predictions=tuple(lines))


@pytest.mark.parametrize(
    ("condition", "told", "reached", "route"),
    [
        ("full", {}, "T+A+V", None),
        ("full", {"audio": NATIVE, "frames": FRAMES}, "T+A+V", "native"),
        ("full", {"audio": NATIVE}, "T+A+V", "native"),
        ("full", {"audio": NONE, "frames": FRAMES}, "T+V", "none"),
        ("full", {"audio": WORDS, "frames": FRAMES.model_copy(update={"used": 0})}, "T", "transcript"),
        ("no_audio", {"audio": NONE}, "T+V", "none"),
        ("no_video", {}, "T+A", None),
        ("text_only", {}, "T", None),
        ("text_only", {"audio": NONE}, "T", "none"),
    ],
)
def test_what_reached_a_system_follows_from_condition_and_lines(entry, condition, told, reached, route):
    found = recording(entry, condition, **told)
    assert (found.reached(CONDITIONS[condition]), found.audio_route(CONDITIONS[condition])) == (reached, route)


def test_what_nobody_tells_is_not_guessed(entry):
    unknown = taking(entry, None)
    assert unknown.reached(Condition.FULL) is None
    assert unknown.reached(CONDITIONS["text_only"]) == "T"
    assert recording(unknown, audio=NATIVE, frames=FRAMES).reached(Condition.FULL) == "T+A+V"
    assert taking(entry, ("T", "V")).reached(Condition.FULL) == "T+V"


def test_page_and_csv_say_it(entry):
    deaf = recording(entry, audio=NONE)
    assert settings_words(deaf).split(" · ")[0] == "T+V"
    header, line, *_ = board_csv(board_tables([deaf]), frozenset()).splitlines()
    told = dict(zip(header.split(","), line.split(","), strict=False))
    assert (told["modalities"], told["audio_route"]) == ("T+V", "none")


def test_sound_that_reached_it_in_a_part_of_the_requests_is_noted(entry):
    half = [
        each.model_copy(update={"audio": NATIVE if place % 2 else NONE}) for place, each in enumerate(entry.predictions)
    ]
    for predictions, said in ((half, True), (recording(entry, audio=NATIVE).predictions, False), ((), False)):
        (table,) = board_tables([replace(entry, predictions=tuple(predictions))])
        assert any("Sound reached it in 6 of 12 requests" in each for each in _notes(table, table.rows[0])) is said


def test_media_that_nobody_recorded_are_noted(entry, colours, board):
    (table,) = board_tables([entry])
    assert "What of the media reached it is not recorded." in _notes(table, table.rows[0])
    assert recording(entry, frames=FRAMES).is_recorded(Condition.FULL)
    assert "is not recorded" not in board().text


def test_the_first_of_all_items_are_all_items(colours, also, board):
    also("limited", benchmark={"selection": "limit:12"})
    also("half", lambda line: line if line["item_id"] < "item-06" else None, benchmark={"selection": "limit:6"})
    built = board()
    tables = {name: built.of(name)["table"] for name in ("ash", "limited", "half")}
    assert tables["ash"] == tables["limited"] != tables["half"]
    assert [built.of(name)["selection"] for name in tables] == ["", "", "limit:6"]


def test_the_same_items_in_other_words_are_asked_alike(entry):
    benchmark = entry.config.benchmark.model_copy(update={"selection": "limit:12"})
    again = replace(entry, place="again", config=entry.config.model_copy(update={"benchmark": benchmark}))
    standing, earlier = latest([entry, again])
    assert (len(standing), len(earlier)) == (1, 1)
