import pytest

from musebench_tasks.base.records import FramePolicy
from musebench_tasks.values.frame_rule import SCENE_THRESHOLD, parse_frame_rule, scorer_place, with_scorer_place


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("uniform", None),
        ("keyframes", FramePolicy(name="keyframes")),
        ("scene_changes", FramePolicy(name="scene_changes", threshold=SCENE_THRESHOLD)),
        ("scene_changes:0.5", FramePolicy(name="scene_changes", threshold=0.5)),
        ("query:python:score.py:fit", FramePolicy(name="query", scorer="python:score.py:fit")),
        ("query:transformers:org/clip", FramePolicy(name="query", scorer="transformers:org/clip")),
    ],
)
def test_rules_that_there_are(text, rule):
    assert parse_frame_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no way of choosing"),
        ("every", "no way of choosing"),
        ("keyframes:2", "takes no parameter"),
        ("scene_changes:0", "share between 0 and 1"),
        ("scene_changes:nan", "share between 0 and 1"),
        ("scene_changes:some", "share between 0 and 1"),
        ("query", "need a scorer"),
        ("query:python:score.py", "need a scorer"),
        ("query:transformers:", "need a scorer"),
        ("query:clip:x", "need a scorer"),
    ],
)
def test_rules_that_there_are_not(text, said):
    with pytest.raises(ValueError, match=said):
        parse_frame_rule(text)


@pytest.mark.parametrize(
    ("rule", "place", "moved"),
    [
        ("query:python:a/score.py:fit", "a/score.py", "query:python:/b.py:fit"),
        ("query:transformers:org/clip", "org/clip", "query:transformers:/b.py"),
    ],
)
def test_where_a_scorer_lies_can_be_changed(rule, place, moved):
    assert scorer_place(rule) == place
    assert with_scorer_place(rule, "/b.py") == moved


@pytest.mark.parametrize("rule", ["uniform", "scene_changes:0.5", "query", ""])
def test_other_rules_have_no_scorer(rule):
    assert scorer_place(rule) is None
