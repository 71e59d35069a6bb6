"""What is said to a model, and what is not."""

import re

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Kind, make_options
from musebench_tasks.prompts import list_templates, render_prompt
from musebench_tasks.prompts.rendering import has_label_like_options

CHOICE_TEMPLATES = tuple(name for name in list_templates() if "choice" in name)
COUNT_WORDS = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|single(?!-)|both|several|couple|pair|few|many|at least)\b",
    re.IGNORECASE,
)


def text_of(task, item, condition=Condition.FULL, audio_route="native"):
    return render_prompt(task, item, item.options, condition=condition, audio_route=audio_route).text


def test_options_stand_in_the_order_shown(make_task, make_item):
    item = make_item()
    rendered = render_prompt(make_task(), item, item.options[::-1], condition=Condition.FULL, audio_route="native")
    assert "A. Harp\nB. Oboe\nC. Trumpet\nD. Violin" in rendered.text


@pytest.mark.parametrize("template", CHOICE_TEMPLATES)
@pytest.mark.parametrize("kind", [Kind.SINGLE, Kind.MULTI])
@pytest.mark.parametrize("texts", [("Violin", "Oboe", "Harp", "Lute"), ("C#", "D", "A minor", "AABA")])
def test_how_many_are_correct_is_never_told(make_task, make_item, template, kind, texts):  # MB-03
    item = make_item(kind, texts)
    said = text_of(make_task(doc_to_text=template), item)
    own_words = said.replace(item.question, "")
    for option in item.options:
        own_words = own_words.replace(f". {option.text}", "")
    assert not COUNT_WORDS.search(own_words)


@pytest.mark.parametrize("template", [name for name in CHOICE_TEMPLATES if name != "music_choice_plain.jinja"])
def test_single_and_multi_select_are_told_apart(make_task, make_item, template):  # MB-03
    task = make_task(doc_to_text=template)
    assert "single-select" in text_of(task, make_item(Kind.SINGLE))
    assert "multi-select" in text_of(task, make_item(Kind.MULTI))


def test_the_plain_template_adds_nothing_to_question_and_options(make_task, make_item):  # HQ-16
    said = text_of(make_task(media=("audio",), doc_to_text="music_choice_plain.jinja"), make_item(texts=("Yes", "No")))
    assert said == "Which instrument leads?\nA. Yes\nB. No"


@pytest.mark.parametrize("template", CHOICE_TEMPLATES)
@pytest.mark.parametrize(("kind", "demand"), [(Kind.SINGLE, "ANSWER: <letter>"), (Kind.MULTI, "ANSWER: <letters")])
def test_label_like_options_demand_the_answer_line(make_task, make_item, template, kind, demand):  # answers.md 3.5
    task = make_task(doc_to_text=template)
    assert demand in text_of(task, make_item(kind, ("G major", "D minor", "F#", "Eb")))
    assert "ANSWER:" not in text_of(task, make_item(kind))


@pytest.mark.parametrize("text", ["A", "c", "B minor", "A major", "C#", "D♭", "AABA", "A-flat", "B. Brecht", "D7"[:1]])
def test_texts_that_look_like_a_label(text):
    assert has_label_like_options(make_options("x", (text, "Violin", "Oboe", "Harp")))


@pytest.mark.parametrize("text", ["A drum", "Bass", "Dad", "bad", "D'Artagnan", "Eb major", "G major", "a harp", "4/4"])
def test_texts_that_do_not_look_like_a_label_of_four_options(text):
    assert not has_label_like_options(make_options("x", (text, "Violin", "Oboe", "Harp")))


@pytest.mark.parametrize(
    ("condition", "route", "told"),
    [
        (Condition.FULL, "native", "its pictures and its sound"),
        (Condition.FULL, "transcript", "the transcript below stands in"),
        (Condition.FULL, "none", "not its sound"),
        (CONDITIONS["no_audio"], "none", "not its sound"),
        (CONDITIONS["no_video"], "native", "its pictures are not"),
        (CONDITIONS["no_video"], "transcript", "only the transcript below"),
        (CONDITIONS["text_only"], "none", "a video clip that is not provided"),
    ],
)
def test_a_video_prompt_says_what_is_missing(make_task, make_item, condition, route, told):
    said = text_of(make_task(), make_item(transcript="Hello there."), condition, route)
    assert told in said
    assert ("Hello there." in said) == (route == "transcript")


@pytest.mark.parametrize("condition", [CONDITIONS["no_audio"], CONDITIONS["text_only"]])
def test_a_condition_without_audio_gets_no_transcript(make_task, make_item, condition):
    assert "Hello" not in text_of(make_task(), make_item(transcript="Hello there."), condition, "transcript")


@pytest.mark.parametrize("condition", ["noise", "silence", "frozen_frame", "shuffled_frames"])
def test_altered_media_are_asked_about_in_the_same_words(make_task, make_item, condition):
    assert text_of(make_task(), make_item(), CONDITIONS[condition]) == text_of(make_task(), make_item())


def test_a_silent_clip_has_an_empty_transcript_and_says_so(make_task, make_item):
    assert "no speech" in text_of(make_task(), make_item(transcript=""), audio_route="transcript")


def test_a_transcript_that_does_not_exist_is_an_error(make_task, make_item):
    with pytest.raises(InputError, match=r"secret-id-0001.*has none"):
        text_of(make_task(), make_item(), audio_route="transcript")


def test_music_json_asks_for_the_fields_of_the_task_only(make_task, make_item):
    item = make_item(Kind.MUSIC, texts=(), question=None)
    said = text_of(make_task("music", ("audio",), ("key", "tempo")), item)
    assert '"tempo"' in said
    assert '"key"' in said
    assert "segments" not in said
    assert "time_signature" not in said


def test_music_json_states_units_and_spelling(make_task, make_item):
    said = text_of(make_task("music", ("audio",)), make_item(Kind.MUSIC, texts=(), question=None))
    for words in ("beats per minute", "C, C#, D, Eb, E, F, F#, G, Ab, A, Bb, B", "numerator, slash", "seconds from"):
        assert words in said


@pytest.mark.parametrize("template", list_templates())
@pytest.mark.parametrize("route", ["native", "transcript", "none"])
@pytest.mark.parametrize("condition", CONDITIONS.values())
def test_every_template_renders_and_shows_nothing_beyond_the_allow_list(
    make_task, make_item, template, condition, route
):  # MU-04
    item = make_item(Kind.MUSIC if "json" in template else Kind.SINGLE, transcript="Spoken words.")
    task = make_task("music" if "json" in template else "choice", doc_to_text=template)
    said = text_of(task, item, condition, route)
    assert said == text_of(task, item, condition, route)
    assert said.strip() == said
    assert "\n\n\n" not in said
    assert not re.search("secret|5ec4e7|8101|8131|some_task|some/data", said)
    assert not any(option.id in said for option in item.options)


def test_text_that_looks_like_a_template_stays_text(make_task, make_item):
    said = text_of(make_task(), make_item(question="What does {{ question }} mean?", texts=("<b>", "{% if %}")))
    assert "What does {{ question }} mean?\nA. <b>\nB. {% if %}" in said


def test_an_option_of_several_lines_stays_on_its_line(make_task, make_item):
    assert "A. Slow then fast\nB." in text_of(make_task(), make_item(texts=("Slow\n then fast", "Fast")))


def test_the_system_text_is_the_tasks(make_task, make_item):
    item = make_item()
    rendered = render_prompt(
        make_task(system="Be brief."), item, item.options, condition=Condition.FULL, audio_route="native"
    )
    assert rendered.system == "Be brief."
