"""Templates of the user's own, their faults, and what identifies a prompt."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition
from musebench_tasks.prompts import list_templates, prompt_identity, render_prompt


@pytest.fixture
def say(make_task, make_item, tmp_path):
    def say(text):
        path = tmp_path / "own.jinja"
        path.write_text(text)
        item = make_item()
        task = make_task(doc_to_text=str(path))
        return render_prompt(task, item, item.options, condition=Condition.FULL, audio_route="native").text

    return say


def test_an_own_template_is_used(say):
    assert say("{{ question }}\n{{ answer_str }}\n").startswith("Which instrument leads?\nA. Violin\nB.")


def test_an_own_template_may_include_the_packages_parts(say):
    assert say('{% include "_options.jinja" %}').endswith("D. Harp")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hello\n{{ qestion }}", r'own\.jinja line 2: nothing is known as "qestion" \(nearest: question\)'),
        ("\n\n{{ options[0].label }}", r'own\.jinja line 3: nothing is known as "label"'),
        ("{{ gold }}", r'own\.jinja line 1: nothing is known as "gold"'),
        ("a\n{% if %}", r"own\.jinja line 2: "),
        ("{{ question | random }}", r"own\.jinja line 1: .*random"),
        ("{{ question + 1 }}", r"own\.jinja line 1: "),
        ("\n{% include '_optins.jinja' %}", r'no template "_optins\.jinja" to include \(nearest: _options\.jinja\)'),
        ("{{ ''.__class__.__mro__ }}", r"own\.jinja line 1: "),
    ],
)
def test_a_fault_names_file_and_line(say, text, told):
    with pytest.raises(InputError, match=told) as caught:
        say(text)
    assert "\n" not in str(caught.value)


def test_an_unknown_template_names_the_nearest(make_task):
    with pytest.raises(InputError, match=r'"music_chioce\.jinja": no such template \(nearest: music_choice\.jinja\)'):
        prompt_identity(make_task(doc_to_text="music_chioce.jinja"))


@pytest.mark.parametrize(
    ("kind", "media", "expected"),
    [
        ("choice", ("video", "audio"), "video_choice"),
        ("choice", ("audio",), "music_choice"),
        ("music", ("audio",), "music_json"),
    ],
)
def test_a_task_without_a_template_gets_its_kinds(make_task, kind, media, expected):
    assert prompt_identity(make_task(kind, media)).id == expected


def test_templates_and_system_texts_have_identities_of_their_own(make_task):
    tasks = [make_task(doc_to_text=name, system=system) for name in list_templates() for system in (None, "Be brief.")]
    assert len({prompt_identity(task).sha256 for task in tasks}) == len(tasks)


def test_identity_covers_included_parts_and_no_folder(make_task, tmp_path):
    identities = []
    for folder, part in (("one", "x"), ("two", "x"), ("three", "y")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "part.jinja").write_text(part)
        own = tmp_path / folder / "own.jinja"
        own.write_text('{% include "part.jinja" %}')
        identities.append(prompt_identity(make_task(doc_to_text=str(own))))
    assert identities[0] == identities[1] != identities[2]
    assert identities[0].id == "own"


def test_six_templates_ask_a_music_question():  # HQ-16
    assert len([name for name in list_templates() if name.startswith("music_choice")]) == 6
