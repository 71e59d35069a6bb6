"""Answers taken back in the same response: never read as what was taken back (answers.md P2, P4)."""

import pytest

from musebench_tasks.answers import parse_choice

OPTIONS = ["Violin", "Cello", "Trumpet", "Drums"]
CORRECTED = [
    ("I would choose A. No wait, B.", "B"),
    ("A — no, actually B.", "B"),
    ("The answer is A. Wait, no: C.", "C"),
    ("Answer: B. Correction: D", "D"),
    ("A. Hmm, on reflection it is B.", "B"),
    ("The answer is A. On second thought, B.", "B"),
    ("Answer: A. Actually, B.", "B"),
    ("Answer: A, or rather B.", "B"),
    ("Answer: A. Scratch that, C.", "C"),
    ("(A). Sorry, I meant (B).", "B"),
    ("A. Oops, C.", "C"),
    ("The answer is A because of the bow. No, wait, it's D.", "D"),
    ("Answer: A. I take that back. The answer is C", "C"),
    ("Answer: A\nWait, no.\nB", "B"),
    ("The answer is A. No, that's wrong. It is B.", "B"),
    ("Answer: A. That's wrong, it should be B.", "B"),
    ("Answer: A. Let me correct that: D.", "D"),
    ("Answer: A. I've changed my mind: B", "B"),
    ("Answer: A. Make that B.", "B"),
    ("Answer: A (no, B)", "B"),
    ("Answer: A. My mistake, B.", "B"),
    ("Answer: A. After listening again, B.", "B"),
    ("Answer: A. Reconsidering, I choose D.", "D"),
    ("The answer is A. Wait, B fits better.", "B"),
    ("Answer: violin. No wait, cello.", "B"),
    ("Answer: A. Wait, no: C. Hmm, no, D.", "D"),
    ('{"answer": "A"}\nWait, no: {"answer": "B"}', "B"),
    ("**A** – no wait, **B**", "B"),
    ("\\boxed{A} Wait, that's wrong. \\boxed{B}", "B"),
    ("Die Antwort ist A. Nein, Moment, B.", "B"),
    ("Antwort: A, besser gesagt B", "B"),
    ("La réponse est A. Non, attendez, B.", "B"),
    ("Réponse : A, ou plutôt B", "B"),
    ("La respuesta es A. No, espera, es la B.", "B"),
    ("Respuesta: A, mejor dicho B", "B"),
    ("A resposta é A. Não, espere, B.", "B"),
    ("La risposta è A. Anzi, B.", "B"),
    ("Ответ: A. Нет, стоп, B", "B"),
    ("Jawaban: A. Ralat: B", "B"),
    ("答案是A。不对,应该是B。", "B"),
    ("选A。等等,不对,选C。", "C"),
    ("答案:A,不,B", "B"),
    ("A。更正:C", "C"),
    ("答えはA。いや、B", "B"),
    ("정답은 A. 아니, B", "B"),
]
KEPT = [
    ("A. No other option fits.", "A"),
    ("B. No drums are heard.", "B"),
    ("Answer: B. No, A is wrong.", "B"),
    ("Answer: B, no doubt.", "B"),
    ("B, no question.", "B"),
    ("Answer: A, not B", "A"),
    ("A, instead of B", "A"),
    ("Answer: A, rather than B", "A"),
    ("答案是A,不是B", "A"),
    ("Answer: B. Wait times between the strokes are long.", "B"),
    ("Answer: B. Actually, the tone is low.", "B"),
    ("Answer: B. Wait, A has no bow.", "B"),
    ("Answer: B. Hmm, A is too high.", "B"),
    ("Answer: B. At first I hear drums, no wait, a trumpet.", "B"),
    ("The drums stop. No, wait, they go on. (B)", "B"),
    ("Pitch correction: on. Answer: B", "B"),
    ("Answer: B. Sorry for the delay.", "B"),
    ("Is it A? No. B.", "B"),
    ("Answer: A. Wait, let me listen again. Answer: A", "A"),
]


@pytest.mark.parametrize(("text", "letter"), CORRECTED)
def test_the_later_answer_counts(text, letter):
    assert parse_choice(text, OPTIONS).labels == (letter,)
    assert parse_choice(text, OPTIONS, multi=True).labels == (letter,)


@pytest.mark.parametrize(("text", "letter"), KEPT)
def test_nothing_is_taken_back(text, letter):
    assert parse_choice(text, OPTIONS).labels == (letter,)


@pytest.mark.parametrize(
    ("text", "status", "rule"),
    [
        ("The answer is A. Wait, no.", "unparsed", "no_answer"),
        ("Answer: A. Scratch that.", "unparsed", "no_answer"),
        ("Answer: A. No wait, I don't know.", "refused", "refusal"),
        ("Answer: A. No wait, B or C.", "unparsed", "ambiguous"),
        ("Answer: A. No wait, Z.", "out_of_range", "declared"),
    ],
)
def test_what_is_taken_back_without_another_answer_is_none(text, status, rule):
    assert parse_choice(text, OPTIONS)[:3] == ((), status, rule)


def test_a_set_is_replaced_not_joined():
    assert parse_choice("A, B. No wait, A and C.", OPTIONS, multi=True).labels == ("A", "C")
    assert parse_choice("A: no, B: yes, C: yes", OPTIONS, multi=True).labels == ("B", "C")
    assert parse_choice("A - no, B - yes, C - yes", OPTIONS, multi=True).labels == ("B", "C")


def test_words_of_an_option_take_nothing_back():
    options = ["Yes, it modulates", "No, it stays", "Wait, no: silence", "Drums"]
    assert parse_choice("A. No, it stays", options).flags == ("letter_text_conflict",)
    assert parse_choice("Answer: C. Wait, no: silence", options).labels == ("C",)
