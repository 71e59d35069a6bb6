import pytest

from musebench_tasks.values.option_text import comparable


@pytest.mark.parametrize(
    ("one", "other"),
    [("The violin.", "violin"), ("Rock & roll", "rock and  roll"), ("Ｄ minor", "D minor"), ("“An oboe”", "an oboe")],
)
def test_what_does_not_tell_options_apart_is_left_out(one, other):
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A minor", "minor"),
        ("A major", "B major"),
        ("C#", "C"),
        ("C♭", "C"),
        ("3/4", "34"),
        ("?", "!"),
        ("AABA", "ABAA"),
    ],
)
def test_what_tells_options_apart_is_kept(one, other):
    assert comparable(one) != comparable(other)
