"""Ranks over shared bootstrap draws (statistics.md 3.4)."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from musebench_tasks.base.errors import InputError
from musebench_tasks.statistics import rank_systems
from musebench_tasks.statistics.ranks import _mean_tau


def simulated(shares, n=4016):
    difficulty = np.random.default_rng(0).random((n, 1))
    noise = np.random.default_rng(1).normal(scale=0.2, size=(n, len(shares)))
    level = difficulty + noise
    return (level < np.quantile(level, shares, axis=0).diagonal()).astype(float)


def test_distinct_systems_keep_their_ranks_and_close_ones_do_not():
    result = rank_systems(simulated([0.55, 0.472, 0.470, 0.468, 0.40]), range(4016), draws=2000)
    assert result.ranks == (1, 2, 3, 4, 5)
    assert list(zip(result.low, result.high, strict=True)) == [(1, 1), (2, 4), (2, 4), (2, 4), (5, 5)]
    assert result.p_best == (1, 0, 0, 0, 0)
    assert 0.6 < result.mean_kendall_tau < 1


def test_ties_share_the_better_rank():
    scores = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 0, 0]] * 5, dtype=float)
    result = rank_systems(scores, range(20), draws=500)
    assert result.ranks == (1, 1, 3)
    assert result.p_best[:2] == (1, 1)
    assert rank_systems(np.ones((12, 2)), range(12), draws=50).mean_kendall_tau is None


def test_tau_is_kendalls_b():
    generator = np.random.default_rng(4)
    full, drawn = generator.integers(4, size=6).astype(float), generator.integers(4, size=6).astype(float)
    assert _mean_tau(drawn[None], full[None]) == pytest.approx(kendalltau(full, drawn).statistic)


def test_the_order_of_systems_is_only_an_order():
    scores = simulated([0.5, 0.48, 0.4], n=500)
    there, back = rank_systems(scores, range(500), draws=300), rank_systems(scores[:, ::-1], range(500), draws=300)
    assert there.ranks == back.ranks[::-1]


@pytest.mark.parametrize("scores", [[1.0, 0.0], np.empty((0, 2)), [[1.0, np.nan]]])
def test_a_ranking_needs_a_table(scores):
    with pytest.raises(InputError, match="items x systems"):
        rank_systems(scores, range(len(scores)))
