"""Every tag is given to what it is for, and to nothing near it."""

import pytest

from musebench_tasks.assembly import choice_columns
from musebench_tasks.assembly.rules import AUDIT_TAGS, EVERY_ITEM, TAGS, check_items
from musebench_tasks.base.problems import Effect, Severity

FIVE_WRONG = [f"Wrong reading number {n} of the move" for n in ("one", "two", "three", "four", "five")]
LONG = " ".join(["word"] * 90)
TWO_RIGHT = ("Her slow push that isolates her", "Low light that hides her hands")


def wrong(*texts):
    return dict.fromkeys(texts, "scope error")


def foreign(make):
    return [make() | {"options": choice_columns("other", ("One",), wrong("Two", "Three", "Four"))["options"]}]


def same_question(make, count, **cells):
    return [make(f"q{n}", question="What does the light do?", **cells) for n in range(count)]


MUSEBENCH = {
    "LABEL_OUT_OF_RANGE": [
        lambda make: [make(answer=["00000000"])],
        lambda make: [make(correct=TWO_RIGHT) | {"answer": ["00000000", "11111111"]}],
    ],
    "STEM_OPTIONS_MISMATCH": [
        foreign,
        lambda make: [make(question="Select all that apply to this shot.")],
        lambda make: [make(question="Choose two of the following.")],
        lambda make: [make(question="Why is option F the better reading of the shot?")],
        lambda make: [make(correct_answer=["Something that no option says at all"])],
        lambda make: [make(correct_answer=["The frame stays where it was"])],
    ],
    "EMPTY_ANSWER_SET": [lambda make: [make(answer=[])]],
    "CLIP_RANGE_INVALID": [
        lambda make: [make(start_s=10.0)],
        lambda make: [make(start_s=-1.0)],
        lambda make: [make(start_s=12.0)],
    ],
    "DUPLICATE_OPTIONS": [
        lambda make: [make(wrong=wrong("Crane shot", "the crane  shot.", "Still"))],
        lambda make: [make(wrong=wrong("Rock & roll", "rock and roll", "Still"))],
        lambda make: [make(wrong=wrong("\uff23rane", "crane", "Still"))],
    ],
    "MULTI_DEGENERATE": [lambda make: [make(kind="multi")]],
    "NEAR_IDENTICAL_PREFIX": [
        lambda make: [make(wrong=wrong("It drifts slowly to the left", "It drifts slowly to the right", "No"))]
    ],
    "ANSWER_PARAPHRASE": [
        lambda make: [make(correct_answer=["Her slow push that isolates her."])],
        lambda make: [make(correct_answer=["Her slow push which isolates her"])],
    ],
    "NO_ROWS": [lambda make: []],
    "CELL_MISSING": [
        lambda make: [make(question="")],
        lambda make: [make(question=None)],
        lambda make: [make(question="  ")],
        lambda make: [{name: cell for name, cell in make().items() if name != "core_intent"}],
    ],
    "CELL_TYPE": [
        lambda make: [make(start_s="0")],
        lambda make: [make(end_s=float("nan"))],
        lambda make: [make(end_s=True)],
        lambda make: [make(answer=[1])],
        lambda make: [make(options=["One", "Two"])],
        lambda make: [make(options=[{"id": "1"}])],
    ],
    "ID_DUPLICATE": [lambda make: [make("q1"), make("q1")], lambda make: [make("q1"), make("Q1")]],
    "ANSWER_COUNT": [
        lambda make: [make(correct=TWO_RIGHT, kind="single")],
        lambda make: [make(correct=tuple(f"Right {n} of the list" for n in "vwxyz"))],
        lambda make: [make() | {"answer": make()["answer"] * 2}],
    ],
    "COLUMN_UNKNOWN": [lambda make: [make(duration="10")]],
    "ID_NOT_PLAIN": [lambda make: [make("my clip#1")], lambda make: [make("../q1")]],
    "VOCABULARY": [
        lambda make: [make(category="Cinema")],
        lambda make: [make(subdomain="Photography")],
        lambda make: [make(alignment="visuals")],
        lambda make: [make(kind="Single")],
    ],
    "OPTION_COUNT": [
        lambda make: [make(wrong=wrong("One", "Two"))],
        lambda make: [make(wrong=wrong(*FIVE_WRONG, "Six", "Seven", "Eight"))],
    ],
    "FEW_WRONG": [lambda make: [make(correct=("One", "Two", "Three"), wrong={"Four": "scope error"})]],
    "LABEL_LIKE_OPTION": [
        lambda make, text=text: [make(wrong=wrong(text, "Crane shot", "Still"))]
        for text in ("A wide shot", "C# minor", "AABA", "B")
    ],
    "STRATEGY": [
        lambda make: [make(distractor_strategies=[])],
        lambda make: [make(wrong=dict.fromkeys(("One", "Two", "Three"), "plain wrong"))],
    ],
    "FEW_STRATEGIES": [
        lambda make: [make(wrong=wrong("One", "Two", "Three"))],
        lambda make: [make(wrong=dict(zip(FIVE_WRONG, ["scope error"] * 4 + ["partial truth"], strict=True)))],
    ],
    "RIGHTS": [
        lambda make, text=text: [make(license=text)]
        for text in ("free to use!", "CC BY 4.0", "CC-BY", "cc-by-4.0", "Public-Domain")
    ],
    "TEXT_BROKEN": [
        lambda make, text=text: [make(question=f"Why is {text} so bright?")]
        for text in ("FlÃ¼gel", "itâ€™s", "a\x07bell", "R\ufffdsum\ufffd", "rock &amp; roll", "<b>so</b>", "\u202eso")
    ],
    "TEXT_UNTIDY": [
        lambda make: [make(question="Why is it  so bright?")],
        lambda make: [make(question="Why is it so bright? ")],
        lambda make: [make(question="Why is the cafe\u0301 so bright?")],
        lambda make: [make(question="Why is it\xa0so bright?")],
    ],
    "OPTIONS_IN_STEM": [
        lambda make: [make(question="What moves? A) the lamp B) the hand")],
        lambda make: [make(question="What moves, (A) the lamp or (B) the hand?")],
    ],
    "ANSWER_COUNT_TOLD": [
        lambda make: [make(correct=TWO_RIGHT, question="Which two devices isolate her?")],
        lambda make: [make(correct=TWO_RIGHT, question="Select the 2 readings that fit.")],
        lambda make: [make(correct=TWO_RIGHT, question="Two of these are correct: which?")],
    ],
    "PROPER_NOUN": [
        lambda make: [make(question="How does the camera treat Blanche Ingram here?")],
        lambda make: [make(wrong=wrong("It quotes a film by Tarkovsky", "Crane shot", "Still"))],
    ],
    "OPTIONS_ALIKE": [
        lambda make: [make(wrong=wrong("First red, then cold and blue", "First blue, then cold and red", "No"))]
    ],
    "ALIGNMENT_DOUBTFUL": [
        lambda make: [make(question="What does the melody of the flute recall?")],
        lambda make: [make(alignment="audio")],
        lambda make: [make(alignment="text")],
    ],
    "INTENT_APART": [lambda make: [make(core_intent="editing rhythm as suspense")]],
    "TEXT_LONG": [lambda make: [make(question=f"Why {LONG}?")], lambda make: [make(correct=(f"Since {LONG}",))]],
    "ITEM_DUPLICATE": [lambda make: same_question(make, 2, cluster_id="clip")],
    "NEAR_DUPLICATE": [
        lambda make: [
            make("q1", cluster_id="clip", question="How does the low light change the way that we see her hands?"),
            make("q2", cluster_id="clip", question="How does the low light change the way that we see her face?"),
        ]
    ],
    "QUESTION_REPEATED": [lambda make: same_question(make, 3)],
    "CLUSTER": [lambda make: [make(f"q{n}", cluster_id="clip", question=f"What is {n}?") for n in range(20)]],
    "POSITION_IMBALANCE": [lambda make: placed(make, lambda n: 0)],
    "CONSTANT_LETTER": [lambda make: placed(make, lambda n: 2)],
    "LONGEST_OPTION": [
        lambda make: [make(f"q{n}", correct=(f"The longest of all these options, number {n}",)) for n in range(40)]
    ],
}  # fmt: skip


def placed(make, place, count=40):
    """Rows whose right option stands at `place` of the row's number."""
    rows = []
    for number in range(count):
        wrong = ["One reading", "Two readings", "Three readings"]
        order = [*wrong[: place(number)], "Some reading", *wrong[place(number) :]]
        rows.append(make(f"q{number}", ("Some reading",), dict(zip(wrong, ["a", "b", "c"], strict=True)), order))
    return rows


HUMMUSQA = {
    "EXCERPT_LENGTH": [{"excerpt_end_time": "00:39"}, {"excerpt_end_time": "00:01:41"}],
    "CLIP_RANGE_INVALID": [{"excerpt_end_time": "00:10"}, {"excerpt_start_time": "soon"}],
    "CATEGORY_REPEATED": [{"secondary_categories": "Instrumentation"}, {"secondary_categories": "Melody, Melody"}],
    "VOCABULARY": [{"main_category": "Rhythm"}, {"difficulty": "Hard"}, {"secondary_categories": "Tunes"}],
    "DUPLICATE_OPTIONS": [{"distractor_2": "the flute"}],
    "RIGHTS": [{"song_license_url": "CC BY"}, {"song_license_url": "https://licence"}],
    "CELL_MISSING": [{"artist_name": ""}, {"answer": None}],
    "TITLE_TOLD": [{"question": "Who plays in Morning Air?"}, {"distractor_1": "somebody else"}],
    "TEXT_BROKEN": [{"distractor_3": "FlÃ¼gel"}],
}
MUB = {
    "DURATION": [{"duration_s": 0.0}, {"duration_s": 1e31}],
    "TEMPO": [{"tempo_bpm": 0.0}, {"tempo_bpm": -3.0}, {"tempo_bpm": 2000.0}],
    "KEY_SPELLING": [{"key": "Am"}, {"key": "Db major"}, {"key": "A dorian"}, {"key": "a minor"}],
    "METRE_SPELLING": [{"time_signature": "6"}, {"time_signature": "C"}, {"beat_unit": "dotted quarter"}],
    "MULTI_VALUED": [{"multi_valued": ["mode"]}, {"multi_valued": ["key", "key"]}],
    "SEGMENTS": [
        {"segments": segments}
        for segments in (
            [],
            [{"start_s": 0.0, "end_s": 5.0, "label": "A"}],
            [{"start_s": 0.0, "end_s": 2.0, "label": "A"}, {"start_s": 1.5, "end_s": 4.0, "label": "B"}],
            [{"start_s": 2.0, "end_s": 1.0, "label": "A"}],
            [{"start_s": 0.0, "end_s": 4.0, "label": " "}],
            [{"start_s": 2.0, "end_s": 4.0, "label": "B"}, {"start_s": 0.0, "end_s": 2.0, "label": "A"}],
        )
    ],
    "SEGMENTS_GAP": [{"segments": [{"start_s": 0.0, "end_s": 2.0, "label": "A"}]}],
    "BEATS": [{"beats_s": [0.5, 0.5]}, {"downbeats_s": [5.0]}, {"beats_s": [-0.1, 0.4]}],
    "BEATS_TEMPO": [{"tempo_bpm": 60.0}],
    "RIGHTS": [{"license": "free"}],
}
ELSEWHERE = {"ROW_UNREADABLE", "MEDIUM_UNUSABLE", "CONFIGS_DIFFER", "GOLD_IN_BLIND"}
"""Tested with reading (test_item_checks.py), media and configs (test_configs.py)."""


def tags(rows, dataset, **settings):
    return {each.code for each in check_items(rows, dataset, media=False, **settings)}


@pytest.mark.parametrize(("tag", "rows"), [(tag, rows) for tag, several in MUSEBENCH.items() for rows in several])
def test_what_bears_a_tag_in_musebench(make_rows, tag, rows):
    assert tag in tags(rows(make_rows["musebench"]), "musebench")


@pytest.mark.parametrize(("tag", "changes"), [(tag, each) for tag, several in HUMMUSQA.items() for each in several])
def test_what_bears_a_tag_in_hummusqa(make_rows, tag, changes):
    assert tags([make_rows["hummusqa"](**changes)], "hummusqa") == {tag}


@pytest.mark.parametrize(("tag", "changes"), [(tag, each) for tag, several in MUB.items() for each in several])
def test_what_bears_a_tag_in_mub(make_rows, tag, changes):
    assert tag in tags([make_rows["mub"](**changes)], "mub")


def test_every_tag_is_tested():
    assert set(TAGS) == {*MUSEBENCH, *HUMMUSQA, *MUB, *ELSEWHERE}


@pytest.mark.parametrize("dataset", ["musebench", "hummusqa", "mub"])
def test_sound_rows_bear_no_tag(make_rows, dataset):
    assert tags([make_rows[dataset](f"n{number}") for number in range(12)], dataset) <= {"CLUSTER"}


NEAR_MISSES = [
    ("hummusqa", {"excerpt_end_time": "0:40"}),
    ("hummusqa", {"excerpt_end_time": "1:40"}),
    ("hummusqa", {"question": "Which two instruments carry the tune?", "answer": "Flute and harp"}),
    ("hummusqa", {"distractor_1": "Pedal on C♯", "distractor_2": "Pedal on C"}),
    ("hummusqa", {"secondary_categories": None}),
    ("hummusqa", {"secondary_categories": "['Melody', 'Harmony']"}),
    ("hummusqa", {"secondary_categories": "Melody; Harmony"}),
    ("hummusqa", {"question": "Which instrument carries the air?"}),
    ("hummusqa", {"question": "Où est la flûte, d'après l'écoute ?"}),
    ("hummusqa", {"question": "Is 3 < 4 here, as in R&B?"}),
    ("musebench", {"license": "CC-BY-SA-4.0 OR MIT"}),
    ("musebench", {"question": "Why is option D the better reading of the shot?"}),
    ("musebench", {"question": "Why does the light (a lamp) fall: to hide (or show) her?"}),
    ("musebench", {"question": "In December, how does the camera treat her?"}),
    ("musebench", {"alignment": "audiovisual"}),
    ("musebench", {"question": "What does the camera do as the melody ends?"}),
    ("musebench", {"question": "What does the bell do to the talk?", "alignment": "audio"}),
    ("musebench", {"core_intent": "being isolated"}),
    ("mub", {"segments": [{"start_s": 0.0, "end_s": 3.7, "label": "A"}]}),
    ("mub", {"multi_valued": ["tempo"], "tempo_bpm": 60.0}),
    ("mub", {"beats_s": None}),
    ("mub", {"time_signature": "12/8", "beat_unit": "3/8"}),
]


@pytest.mark.parametrize(("dataset", "changes"), NEAR_MISSES)
def test_what_comes_near_bears_no_tag(make_rows, dataset, changes):
    assert tags([make_rows[dataset](**changes)], dataset) == set()


def test_multi_select_without_a_count_bears_no_tag(make_rows):
    row = make_rows["musebench"](correct=TWO_RIGHT, question="Which devices isolate her? Select all that apply.")
    assert tags([row], "musebench") == set()


def test_the_eight_of_the_audit_have_the_tiers_of_the_paper():  # MB-34
    assert {name: tag.severity.name for name, tag in AUDIT_TAGS.items()} == {
        "LABEL_OUT_OF_RANGE": "CRITICAL",
        "STEM_OPTIONS_MISMATCH": "CRITICAL",
        "EMPTY_ANSWER_SET": "CRITICAL",
        "CLIP_RANGE_INVALID": "HIGH",
        "DUPLICATE_OPTIONS": "MEDIUM",
        "MULTI_DEGENERATE": "MEDIUM",
        "NEAR_IDENTICAL_PREFIX": "LOW",
        "ANSWER_PARAPHRASE": "LOW",
    }


def test_critical_and_high_stop_and_what_no_task_could_load():
    others = {name for name, tag in TAGS.items() if tag.effect is Effect.STOP and tag.severity > Severity.HIGH}
    assert others == {"DUPLICATE_OPTIONS", "MULTI_DEGENERATE"}
    assert all(tag.effect is Effect.STOP for tag in TAGS.values() if tag.severity <= Severity.HIGH)


def test_label_like_options_may_be_declared(make_rows):
    row = make_rows["musebench"](wrong=wrong("C# minor", "Crane shot", "Still"))
    for label_like in (frozenset({"q1"}), EVERY_ITEM):
        assert "LABEL_LIKE_OPTION" not in tags([row], "musebench", label_like=label_like)


@pytest.mark.parametrize(("seconds", "expected"), [(10.0, set()), (9.95, set()), (9.5, {"CLIP_RANGE_INVALID"})])
def test_a_window_lies_inside_its_file(make_rows, seconds, expected):
    assert tags([make_rows["musebench"]()], "musebench", durations={"q1": seconds}) == expected


@pytest.mark.parametrize(("seconds", "expected"), [(180.0, set()), (40.0, set()), (25.0, {"CLIP_RANGE_INVALID"})])
def test_an_excerpt_is_cut_or_inside_its_piece(make_rows, seconds, expected):
    assert tags([make_rows["hummusqa"]()], "hummusqa", durations={"h1": seconds}) == expected


def test_a_duration_is_not_held_against_two_rows_of_one_id(make_rows):
    rows = [make_rows["musebench"](), make_rows["musebench"]()]
    assert "CLIP_RANGE_INVALID" not in tags(rows, "musebench", durations={"q1": 5.0})


def test_rows_of_one_medium_are_of_one_cluster(make_rows):
    rows = [make_rows["mub"](name, audio={"bytes": b"same", "path": f"{name}.mp3"}) for name in ("m1", "m2")]
    (found,) = check_items(rows, "mub")
    assert (found.code, found.row) == ("CLUSTER", 2)
    assert 'row 1 has the same medium and cluster "tune-m1"' in found.found


@pytest.mark.parametrize("medium", [None, {"bytes": b"", "path": "m1.mp3"}, {"bytes": b"x", "path": "a/b.mp3"}, "x"])
def test_media_must_be_there_under_a_plain_name(make_rows, medium):
    rows = [make_rows["mub"](audio=medium)]
    assert {each.code for each in check_items(rows, "mub")} <= {"MEDIUM_UNUSABLE", "CELL_MISSING"}
    assert check_items(rows, "mub").stopping


HIDDEN = {
    "turned": ("Why does\u202e it stop?", True),
    "no width": ("Why does\u200b it stop?", True),
    "a mark": ("Why does\u200e it stop?", True),
    "joined letters": ("Why do\u200des it stop?", True),
    "marks where text runs from the right": ("\u05dc\u05de\u05d4\u200f?", False),
    "joined letters of another script": ("\u0915\u094d\u200d\u0937 why?", False),
    "joined emoji": ("Who is \U0001f469\u200d\U0001f3a4 here?", False),
}


@pytest.mark.parametrize("column", ["question", "core_intent", "attribution", "transcript"])
@pytest.mark.parametrize(("text", "is_found"), HIDDEN.values(), ids=HIDDEN)
def test_characters_that_nobody_sees_are_found_in_every_text(make_rows, column, text, is_found):
    found = check_items([make_rows["musebench"](**{column: text})], "musebench", media=False)
    assert (("TEXT_BROKEN", column) in {(each.code, each.column) for each in found}) == is_found
