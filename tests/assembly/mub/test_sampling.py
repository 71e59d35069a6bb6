"""MU-03: edges of tempo bins, and draws that are the same everywhere."""

import pytest

from musebench_tasks.assembly.mub import Stratum, draw, tempo_bin
from musebench_tasks.assembly.mub.sampling import bin_name, fill, shuffled


@pytest.mark.parametrize(
    ("bpm", "number", "name"),
    [
        (47, 0, "below 70"),
        (69.999999, 0, "below 70"),
        (70, 1, "70 to 90"),
        (149.9, 4, "130 to 150"),
        (180, 5, "150 and above"),
    ],
)
def test_an_edge_is_in_the_faster_bin(bpm, number, name):
    edges = (70, 90, 110, 130, 150)
    assert tempo_bin(bpm, edges) == number
    assert bin_name(number, edges) == name


def pool(count):
    return {f"track{number:03d}": Stratum(number % 3, "CDEFG"[number % 7 % 5]) for number in range(count)}


def test_a_draw_takes_each_quota_once():
    strata = pool(200)
    drawn = draw(strata, 40, 42)
    assert len(set(drawn.tracks)) == 40
    counts = {name: sum(strata[track] == name for track in drawn.tracks) for name in drawn.quotas}
    assert counts == drawn.quotas
    assert list(drawn.sizes.values()) == sorted(drawn.sizes.values())


def test_the_order_of_tracks_does_not_matter_and_the_seed_does():
    strata = pool(200)
    backwards = dict(reversed(strata.items()))
    assert draw(backwards, 40, 42) == draw(strata, 40, 42)
    assert set(draw(strata, 40, 7).tracks) != set(draw(strata, 40, 42).tracks)


def test_the_order_is_the_same_on_every_machine():
    assert shuffled(["a", "b", "c", "d", "e"], 42, "stratum") == ["c", "b", "d", "e", "a"]


def test_the_fill_is_what_is_left():
    strata = pool(30)
    drawn = draw(strata, 10, 42)
    assert set(fill(strata, drawn.tracks, 42)) == set(strata) - set(drawn.tracks)
