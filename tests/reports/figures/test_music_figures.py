import pytest
from fakes.figure_material import make_answers, parts_of
from fakes.scored_material import music_answer, music_task, recording, truth

from musebench_tasks.reports.figures import make_figures
from musebench_tasks.reports.figures.material import make_material
from musebench_tasks.reports.figures.music import (
    TEMPO_CLASSES,
    fifths_step,
    key_figure,
    key_relation,
    segment_figure,
    tempo_classes,
    tempo_figure,
)
from musebench_tasks.values import parse_key_name

TEMPI = [
    (100.0, "hit"),
    (104.0, "hit"),  # exactly 4 % is a hit, music_metrics.md 2
    (104.1, "other"),
    (200.0, "double"),
    (208.0, "double"),
    (50.0, "half"),
    (300.0, "triple"),
    (33.3, "third"),
    (77.0, "other"),
    (None, "no answer"),
]


def material_of(items, references, **systems):
    answers = make_answers(music_task(), items, references, systems)
    return make_material(answers, parts_of(answers))


@pytest.fixture
def ten():
    items = [recording(f"r{number}") for number in range(len(TEMPI))]
    return items, [truth(item, tempo=100.0) for item in items]


@pytest.fixture
def tempi(ten):
    items, references = ten
    answers = [music_answer(item, tempo=tempo, key="C major") for item, (tempo, _) in zip(items, TEMPI, strict=True)]
    return material_of(items, references, dsp=answers)


@pytest.mark.parametrize(("number", "expected"), list(enumerate(name for _, name in TEMPI)))
def test_a_tempo_falls_into_its_metrical_level(tempi, number, expected):
    case = tempi.cases(tempi.systems[0])[number]
    assert tempo_classes([case]) == {expected: 1}
    assert expected in TEMPO_CLASSES


def test_the_tempo_figure_counts_and_names_octaves(tempi):
    (figure,) = tempo_figure(tempi)
    assert figure.title == "dsp is an octave off in 3 of 10"
    assert "2 hit, 2 double, 1 half, 1 triple, 1 third, 2 other, 1 no answer" in figure.description
    assert "hits of the constant prior" in figure.svg
    assert ">octave<" not in figure.svg


def test_a_recording_without_a_tempo_is_in_no_class(ten):
    items, _ = ten
    material = material_of(
        items, [truth(item, tempo=None) for item in items], dsp=[music_answer(items[0], tempo=100.0)]
    )
    assert not list(tempo_figure(material))


@pytest.mark.parametrize(
    ("reference", "answer", "relation", "step"),
    [
        ("C major", "C major", "same", 0),
        ("C major", "G major", "fifth up", 1),
        ("C major", "F major", "fifth down", 11),
        ("C major", "D major", "other", 2),
        ("C major", "A minor", "relative", 0),
        ("C major", "C minor", "parallel", 9),
        ("C major", "E minor", "other", 1),
        ("A minor", "C major", "relative", 0),
        ("A minor", "A major", "parallel", 3),
        ("F# minor", "B minor", "fifth down", 11),
    ],
)
def test_a_key_stands_at_its_place_of_the_circle(reference, answer, relation, step):
    keys = parse_key_name(reference), parse_key_name(answer)
    assert key_relation(*keys) == relation
    assert fifths_step(*keys) == step


def test_no_key_is_no_answer():
    assert key_relation(parse_key_name("C major"), None) == "no answer"


def test_the_key_figure_counts_relations(ten):
    items, references = ten
    keys = ["C major"] * 4 + ["G major", "F major", "A minor", "C minor", "F# major", None]
    answers = [music_answer(item, key=key, tempo=100.0) for item, key in zip(items, keys, strict=True)]
    (figure,) = key_figure(material_of(items, references, dsp=answers))
    assert figure.title == "dsp names the right key in 4 of 10; 4 of its 5 wrong keys are close relations"
    for words in ("4 same", "1 fifth up", "1 fifth down", "1 relative", "1 parallel", "1 other", "1 no answer"):
        assert words in figure.description
    assert "fifth 2 · relative 1 · parallel 1" in figure.svg


def test_the_timelines_show_best_median_and_worst_of_the_first_that_answers(ten):
    items, references = ten
    whole = [{"start_s": 0, "end_s": 10, "label": "A"}, {"start_s": 10, "end_s": 20, "label": "B"}]
    last = [{"start_s": 20, "end_s": 30, "label": "A"}]
    given = [whole + last, whole, [], *([whole] * 7)]
    silent = [music_answer(item, tempo=100.0) for item in items]
    answers = [music_answer(item, segments=value) for item, value in zip(items, given, strict=True)]
    (figure,) = segment_figure(material_of(items, references, quiet=silent, dsp=answers))
    assert figure.title == "dsp finds segments with an F1 of 0.00 to 1.00, 0.80 in the median recording"
    assert [place in figure.svg for place in ("best: r0", "worst: r2")] == [True, True]
    assert "dsp (F1 1.00): A 0.0 to 10.0 s, B 10.0 to 20.0 s, A 20.0 to 30.0 s" in figure.description
    assert "quiet" not in figure.description


def test_what_no_system_answered_has_no_figure(ten):
    items, references = ten
    answers = make_answers(music_task(), items, references, {"dsp": []})
    assert [figure.name for figure in make_figures(answers, parts_of(answers))] == ["statuses"]
