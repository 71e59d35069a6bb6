import pytest
from fakes.read_page import faults, read_page

from musebench_tasks.base.records import Audio, FieldAnswer, Frames, Kind, Option, Reference, Status, make_options
from musebench_tasks.pages import GivenAnswer, Medium, make_card
from musebench_tasks.pages.text import balanced

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    '" autofocus onfocus="alert(1)',
    "</pre></details></article><h1>owned</h1>",
    "</style><style>*{display:none}",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "--><!-- ]]>",
    "\u202ereversed\u2066",
]


def gold(item, *positions):
    return Reference(item_id=item.id, answer=tuple(item.options[each].id for each in positions))


def test_gold_is_marked_in_words_and_sign(choice_item, render):
    page = read_page(render(choice_item, gold(choice_item, 1), []))
    marked = [option.text for option in page.find_all("li") if "✓ correct" in option.text]
    assert len(marked) == 1
    assert "It stays" in marked[0]


def test_each_answer_says_how_it_turned_out(choice_item, answer, render):
    given = [
        answer(choice_item, [1], system="good"),
        answer(choice_item, [0], system="bad"),
        answer(choice_item, None, system="vague", status=Status.UNPARSED, raw="Hm."),
        GivenAnswer("absent", "run 2", None),
    ]
    page = read_page(render(choice_item, gold(choice_item, 1), given))
    said = [" ".join(node.text.split()) for node in page.find_all("summary")]
    assert said == [
        "good ✓ right B It stays",
        "bad ✗ wrong A It fades",
        "vague – unparsed",
        "absent run 2 – missing",
    ]


def test_sets_say_how_much_of_them_was_found(choice_item, answer):
    item = choice_item.model_copy(update={"kind": Kind.MULTI})
    given = [answer(item, [0, 2]), answer(item, [0, 1]), answer(item, [])]
    card = make_card(item, gold(item, 0, 2), given, Medium(), anchor="a")
    assert [(each.outcome, each.verdict, each.said) for each in card.answers] == [
        ("right", "right", "A, C"),
        ("wrong", "wrong, 1 of 2", "A, B"),
        ("wrong", "wrong, 0 of 2", "none"),
    ]


def test_options_say_who_chose_them(choice_item, answer):
    given = [
        answer(choice_item, [0], system="a"),
        answer(choice_item, [0], system="a"),
        answer(choice_item, [0], system="b"),
    ]
    card = make_card(choice_item, gold(choice_item, 1), given, Medium(), anchor="a")
    assert card.options[0].chosen_by == ("a 2 of 2", "b")
    assert card.options[1].chosen_by == ()


def test_what_was_received_stands_beside_the_text(choice_item, answer, render):
    shown = tuple(option.id for option in reversed(choice_item.options))
    given = answer(
        choice_item,
        None,
        status=Status.TIMEOUT,
        error="no answer within 60 s",
        attempts=3,
        option_order=shown,
        frames=Frames(available=60, used=32, policy="uniform"),
        audio=Audio(route="native", seconds=60.0),
    )
    text = read_page(render(choice_item, gold(choice_item, 1), [given])).text
    for part in (
        "received 32 of 60 frames (uniform); sound 1:00 (native)",
        "error no answer within 60 s",
        "options shown in the order C B A",
        "3 attempts",
        "No text came.",
    ):
        assert part in text


def test_long_texts_are_cut_and_say_so(choice_item, answer, render):
    page = read_page(render(choice_item, gold(choice_item, 1), [answer(choice_item, [1], raw="x" * 10_000)]))
    assert len(page.find("pre").text.strip()) == 8000
    assert "2000 more characters are in predictions.jsonl." in page.text


def test_text_keeps_its_first_line_break(choice_item, answer, render):
    html = render(choice_item, gold(choice_item, 1), [answer(choice_item, [1], raw="\nB")])
    assert ">\n\nB</pre>" in html


def test_without_a_reference_nothing_is_called_right(choice_item, render):
    assert "correct" not in render(choice_item, None, [])


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_stays_text(text, choice_item, answer, render):
    options = (Option(id="aaaaaaaa", text=text), Option(id="bbbbbbbb", text="B"))
    item = choice_item.model_copy(
        update={
            "id": text,
            "question": text,
            "options": options,
            "category": text,
            "license": text,
            "attribution": text,
        }
    )
    given = [
        answer(item, [0], raw=text, system=text, setting=text, rule=text, finish_reason=text, flags=(text,)),
        answer(item, None, status=Status.BACKEND_ERROR, error=text, audio=Audio(route=text)),
    ]
    medium = Medium(element="video", address="media/a.mp4", label=text)
    page = read_page(render(item, gold(item, 0), given, medium))
    assert not faults(page)
    assert {node.tag for node in page.walk()}.isdisjoint({"script", "style", "h1", "img", "svg"})
    assert page.text.count(text) >= 9
    assert page.find("pre").text.removeprefix("\n") == balanced(text)
    assert "49" not in page.text


def test_items_with_more_options_than_letters_are_numbered(choice_item):
    item = choice_item.model_copy(update={"options": make_options("film-1", [str(n) for n in range(30)])})
    card = make_card(item, None, [], Medium(), anchor="a")
    assert [option.letter for option in card.options][-1] == "30"


def music(card):
    return {value.field: (value.outcome, value.text, value.note) for value in card.music[1].values}


def test_music_is_compared_field_by_field(music_item, truth, answer):
    half = {"start_s": 0, "end_s": 20, "label": "A"}
    given = answer(music_item, {"tempo": 60.0, "key": "G minor", "time_signature": "4/4", "segments": [half]})
    card = make_card(music_item, truth, [given], Medium(), anchor="a")
    found = music(card)
    assert found["tempo"] == ("wrong", "60 BPM", "1/2 of the tempo")
    assert found["time_signature"][:2] == ("right", "4/4")
    assert found["segments"] == ("partly", "1", "F1 0.67, 1 of 2 found")
    assert card.music[0].is_reference
    assert card.answers[0].verdict == "1 of 4 fields"


def test_unread_music_fields_name_their_status(music_item, truth, answer):
    refused = FieldAnswer(status=Status.REFUSED)
    card = make_card(music_item, truth, [answer(music_item, {"tempo": 120, "key": refused})], Medium(), anchor="a")
    found = music(card)
    assert found["tempo"][0] == "right"
    assert found["key"][:2] == ("none", "refused")
    assert found["segments"][:2] == ("none", "unparsed")


def test_a_recording_nobody_answered_still_has_its_reference(music_item, truth, render):
    page = read_page(render(music_item, truth, [GivenAnswer("absent", "", None)]))
    assert "120 BPM" in page.text
    assert "missing" in page.text
    assert len(page.find_all("svg", role="img")) == 1


def test_hostile_music_stays_text(music_item, truth, answer, render):
    for text in HOSTILE:
        segments = [{"start_s": 0, "end_s": 10, "label": text}]
        page = read_page(render(music_item, truth, [answer(music_item, {"key": text, "segments": segments}, raw=text)]))
        assert not faults(page)
        assert not page.find_all("script")


def test_a_card_says_what_it_is_filtered_by(choice_item, answer):
    given = [
        answer(choice_item, [1], system="good"),
        answer(choice_item, [1], system="good", setting="run 2"),
        answer(choice_item, None, system="a\tb\nc", status=Status.REFUSED),
        GivenAnswer("absent", "noise", None, is_counted=False),
    ]
    card = make_card(choice_item, gold(choice_item, 1), given, Medium(), anchor="a")
    assert card.slices == (("category", "Cinematic"), ("kind", "single"))
    assert card.judged.split("\n") == ["good\tright\tok", "a b c\tnone\trefused", "absent\t\tmissing"]
    assert card.differs


@pytest.mark.parametrize(("chosen", "differs"), [([[1], [1]], False), ([[0], [2]], True), ([[0]], False)])
def test_systems_differ_where_they_chose_differently(chosen, differs, choice_item, answer):
    given = [answer(choice_item, each, system=f"s{number}") for number, each in enumerate(chosen)]
    assert make_card(choice_item, gold(choice_item, 1), given, Medium(), anchor="a").differs is differs


def test_texts_that_no_page_can_show_are_cut_and_say_so(choice_item, answer, render):
    item = choice_item.model_copy(update={"question": "q" * 1_000_000, "attribution": "a" * 5000})
    text = read_page(render(item, None, [answer(item, None, status=Status.BACKEND_ERROR, error="e" * 9000)])).text
    assert len(text) < 15_000
    assert "(996000 more characters)" in text
