"""Position bias (statistics.md 2.4)."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics import clustered_standard_error, inclusion_ratio, jensen_shannon_bits, position_bias

GOLD = "AAAAABBBBBCCCCCDDDDD"
PREDICTED = "AAAAABBAAACCAADDDDAA"


def test_the_worked_example():
    result = position_bias(PREDICTED, GOLD, 4, fewest_gold=0)
    assert result.positions == ("A", "B", "C", "D")
    assert result.predicted_share == pytest.approx((0.6, 0.1, 0.1, 0.2))
    assert result.gold_share == result.expected_share == (0.25,) * 4
    assert result.excess_first == pytest.approx(0.35)
    assert result.rstd == pytest.approx(24.494897, abs=1e-6)
    assert result.jsd_bits == pytest.approx(0.103474, abs=1e-6)
    assert result.jsd_bits * np.log(2) == pytest.approx(0.071723, abs=1e-6)
    assert result.total_variation == pytest.approx(0.35)
    assert result.chi_square == pytest.approx(13.6)
    assert result.chi_square_p == pytest.approx(0.0035, abs=5e-5)


def test_scipy_gives_the_root():
    p, q = np.array([0.6, 0.1, 0.1, 0.2]), np.full(4, 0.25)
    assert jensenshannon(p, q, base=2) == pytest.approx(0.321673, abs=1e-6)
    assert jensen_shannon_bits(p, q) == pytest.approx(jensenshannon(p, q, base=2) ** 2)


def test_recalls_of_rare_positions_are_not_compared():
    assert position_bias(PREDICTED, GOLD, 4).rstd is None
    assert position_bias(PREDICTED * 4, GOLD * 4, 4).rstd == pytest.approx(24.494897, abs=1e-6)


def test_option_counts_are_kept_apart():
    predicted, gold = PREDICTED + "AABB" + "A", GOLD + "AABB" + "A"
    result = position_bias(predicted, gold, [4] * 20 + [2] * 4 + [2], fewest_gold=1)
    assert result.rstd == pytest.approx(24.494897 * 20 / 25, abs=1e-6)
    assert result.expected_share == pytest.approx((0.3, 0.3, 0.2, 0.2))


def test_unparsed_answers_are_misses_and_shown():
    result = position_bias(["A", "", None, "B"], "AABB", 2, fewest_gold=1)
    assert result.unparsed_share == 0.5
    assert result.predicted_share == (0.5, 0.5)
    assert result.rstd == 0
    nothing = position_bias(["", ""], "AB", 2)
    assert (nothing.unparsed_share, nothing.predicted_share, nothing.jsd_bits) == (1, None, None)
    assert position_bias([], [], 4).n == 0


def test_the_excess_has_a_clustered_error():
    clusters = np.arange(20) // 2
    result = position_bias(PREDICTED, GOLD, 4, clusters=clusters)
    first = [(p == "A") - (g == "A") for p, g in zip(PREDICTED, GOLD, strict=True)]
    assert result.excess_first_error == pytest.approx(clustered_standard_error(first, clusters))
    assert result.excess_first_interval.method == "t_clusters"


def test_a_position_that_is_never_right_has_no_chi_square():
    result = position_bias("ABCC", "ABAB", 3)
    assert (result.chi_square, result.chi_square_p) == (None, None)
    assert result.jsd_bits > 0


@pytest.mark.parametrize(("predicted", "gold"), [("AE", "AB"), ("AB", "AE"), ("ab", "AB")])
def test_letters_beyond_the_options_are_refused(predicted, gold):
    with pytest.raises(InputError, match="none of its 4 options"):
        position_bias(predicted, gold, 4)


def test_lengths_must_agree():
    with pytest.raises(InputError, match="need one each"):
        position_bias("A", "AB", 4)
    with pytest.raises(InputError, match="no right letter"):
        position_bias("AB", ["A", ""], 4)


def test_multi_select_compares_inclusion():
    assert inclusion_ratio(["AB", "A", "", "AC"], ["AB", "B", "A", "B"]) == {
        "A": (0.75, 0.5, 1.5),
        "B": (0.25, 0.75, pytest.approx(1 / 3)),
        "C": (0.25, 0.0, None),
    }
