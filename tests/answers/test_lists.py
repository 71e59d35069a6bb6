"""Lists with a part that is no option: never read as the parts that are (answers.md P10)."""

import pytest

from musebench_tasks.answers import parse_choice

OPTIONS = ["Violin", "Cello", "Trumpet", "Drums"]
FORMS = ['{{"answer": {}}}', "{}", "```json\n{}\n```", "Answer: {}", "**Answer:** {}", '{{"answers": {}, "why": "A"}}']
LISTS = [
    ('["A", 3]', "unparsed", "wrong_type"),
    ('["A", null]', "unparsed", "wrong_type"),
    ('["A", true]', "unparsed", "wrong_type"),
    ('["A", 1.5, "B"]', "unparsed", "wrong_type"),
    ('["A", ["B", 2]]', "unparsed", "wrong_type"),
    ('["A", "a kazoo"]', "unparsed", "not_an_option"),
    ('["A", "A kazoo"]', "unparsed", "not_an_option"),
    ('["A", "B flat"]', "unparsed", "not_an_option"),
    ('["A", ""]', "unparsed", "not_an_option"),
    ('["Violin", "Kazoo"]', "unparsed", "not_an_option"),
    ('["A. Violin", "Kazoo"]', "unparsed", "not_an_option"),
    ("['A', 'a kazoo']", "unparsed", "not_an_option"),
]
BEYOND = ['["A", "Z"]', '["Z", "A"]', '["A", "E"]', '["A", "Z", 3]', '["A", "a kazoo", "F"]']


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize(("text", "status", "rule"), LISTS)
def test_a_part_that_is_no_option_voids_the_list(form, multi, text, status, rule):
    assert parse_choice(form.format(text), OPTIONS, multi)[:3] == ((), status, rule)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("text", BEYOND)
def test_a_letter_beyond_the_options_is_out_of_range(form, multi, text):
    answer = parse_choice(form.format(text), OPTIONS, multi)
    assert (answer.labels, str(answer.status)) == ((), "out_of_range")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "text", ['["A", "C"]', '["Violin", "Trumpet"]', '["A. Violin", "C. Trumpet"]', '[["A"], ["C"]]', "['A', 'C']"]
)
def test_a_list_of_options_is_read(form, text):
    assert parse_choice(form.format(text), OPTIONS, multi=True).labels == ("A", "C")
    assert parse_choice(form.format(text), OPTIONS).rule == "ambiguous"


def test_a_void_list_is_a_declaration():
    """The last declaration wins (P2): a void list takes its place, a later answer replaces it."""
    assert parse_choice('Answer: B\n{"answer": ["A", 3]}', OPTIONS).rule == "wrong_type"
    assert parse_choice('{"answer": ["A", 3]}\nAnswer: B', OPTIONS).labels == ("B",)


@pytest.mark.parametrize(
    "text",
    [
        "Answer: B. The chord tones [A, C#, E] are heard.",
        "[0:12, 0:15] has a bow. Answer: B",
        '{"answer": "B", "notes": ["A", 3]}',
        "Answer: [B]",
        "Answer: B [1, 2]",
    ],
)
def test_a_list_that_is_no_answer_voids_nothing(text):
    assert parse_choice(text, OPTIONS).labels == ("B",)


def test_numbers_that_are_options_are_read():
    assert parse_choice('{"answer": [2, 3]}', ["1", "2", "3", "4"], multi=True).labels == ("B", "C")
    assert parse_choice('{"answer": [2, 9]}', ["1", "2", "3", "4"], multi=True).rule == "wrong_type"
