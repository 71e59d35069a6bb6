"""MU-02: titles and artists are the same whatever release lists add to them."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from musebench_tasks.assembly.mub import find_duplicates, same_artist, same_title


@pytest.mark.parametrize(
    "title",
    [
        "Silver Moss",
        "SILVER MOSS",
        "Silver  Moss!",
        "Silver Moss (feat. Someone)",
        "Silver Moss [ft. A & B]",
        "Silver Moss feat. Someone Else",
        "Silver Moss (Remastered)",
        "Silver Moss (Remastered 2011)",
        "Silver Moss - 2011 Remaster",
        "Silver Moss (2011 Digital Remaster) [feat. X]",
        "Silver Moss - Remastered 2009",
        "Silver Moss (Mono Version)",
        "Silver Moss (Official Video)",
        "Silver-Moss",
        "Ｓｉｌｖｅｒ Moss",
        "“Silver” Moss…",
    ],
)
def test_additions_are_no_part_of_a_title(title):
    assert same_title(title) == "silver moss"


@pytest.mark.parametrize(
    "title",
    [
        "Silver Moss (Live)",
        "Silver Moss (Someone Remix)",
        "Silver Moss (Acoustic)",
        "Silver Moss, Part 2",
        "Featherweight",
    ],
)
def test_other_recordings_stay_apart(title):
    assert same_title(title) != "silver moss"


def test_names_of_marks_alone_stay():
    assert same_title("!!!") == "!!!"
    assert same_title("???") != same_title("!!!")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The Silver Band", "Silver Band, The"),
        ("A & B", "A and B"),
        ("Silver feat. Moss", "SILVER"),
        ("ßilver", "SSILVER"),
        ("Ångström", unicodedata.normalize("NFD", "ångström")),
    ],
)
def test_artists_are_the_same_in_other_spellings(one, two):
    assert same_artist(one) == same_artist(two)


def test_the_first_id_stays_and_all_others_go():
    names = {
        "b": ("Moss", "Silver"),
        "a": ("MOSS", "The Silver"),
        "c": ("Moss (Remastered 2011)", "Silver"),
        "d": ("Moss", "Copper"),
        "e": ("", "Silver"),
        "f": ("", "Silver"),
    }
    found = find_duplicates(names)
    assert [(each.track, each.kept) for each in found] == [("b", "a"), ("c", "a")]


texts = st.text(st.sampled_from("abcÅßé ()[]-!.,'&feat1"), min_size=1, max_size=14)


@settings(max_examples=30)
@given(texts)
@example("&ft&")
@example("song f!t moss")
def test_a_stripped_title_has_nothing_more_to_strip(text):
    once = same_title(text)
    assert same_title(once) == once or not any(map(str.isalnum, once))


names = st.text(st.sampled_from("abÅß &feat1"), min_size=1, max_size=6).filter(str.strip)


@settings(max_examples=30)
@given(st.dictionaries(names, st.tuples(names, names), max_size=8))
def test_one_of_each_pair_stays(tracks):
    found = find_duplicates(tracks)
    kept = tracks.keys() - {each.track for each in found}
    pairs = [(same_title(tracks[name][0]), same_artist(tracks[name][1])) for name in kept]
    assert len(pairs) == len(set(pairs))
    assert all(each.kept in kept and each.kept < each.track for each in found)
