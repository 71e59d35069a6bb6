"""Tempo hits (music_metrics.md 2)."""

from decimal import Decimal

import mir_eval
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures import (
    TEMPO_VERSIONS,
    octave_factor,
    tempo_factor,
    tempo_hit,
    tempo_hits,
    within_tolerance,
)

ONE, TWO, THREE, HALF, THIRD = (1, 1), (2, 1), (3, 1), (1, 2), (1, 3)

# music_metrics.md 2: prediction, reference, acc1, factor
GOLDEN = [
    (104, 100, True, ONE),
    (96, 100, True, ONE),
    (104.01, 100, False, None),
    (95.99, 100, False, None),
    (200, 100, False, TWO),
    (208, 100, False, TWO),
    (208.1, 100, False, None),
    (50, 100, False, HALF),
    (48, 100, False, HALF),
    (33.3333, 100, False, THIRD),
    (32, 100, False, THIRD),
    (31.99, 100, False, None),
    (300, 100, False, THREE),
    (312, 100, False, THREE),
    (150, 100, False, None),
    (66.7, 100, False, None),
    (41.6, 40, True, ONE),
    (48.88, 47, True, ONE),
    (45.12, 47, True, ONE),
    (124.8, 120, True, ONE),
    (115.2, 120, True, ONE),
    (187.2, 180, True, ONE),
    (61.5, 120, False, HALF),
    (174, 87, False, TWO),
    (0, 100, False, None),
    (101, 97.115, False, None),
    (101, 97.116, True, ONE),
    (101, 105.208, True, ONE),
    (101, 105.209, False, None),
]


@pytest.mark.parametrize(("prediction", "reference", "hit", "factor"), GOLDEN)
def test_golden_pairs(prediction, reference, hit, factor):
    assert tempo_hit(reference=reference, prediction=prediction) is hit
    assert tempo_factor(reference=reference, prediction=prediction) == factor
    assert tempo_hit(reference=reference, prediction=prediction, version="acc2/1") is (factor is not None)


@pytest.mark.parametrize("reference", range(40, 241))
def test_exactly_four_percent_is_a_hit_for_every_integer_tempo(reference):
    # Both ends have at most two decimals: r * 104 / 100 and r * 96 / 100.
    for percent in (104, 96):
        edge = reference * percent / 100
        assert tempo_hit(reference=reference, prediction=edge)
        assert not tempo_hit(reference=reference, prediction=edge + (0.000001 if percent > 100 else -0.000001))


@settings(deadline=None)
@given(st.floats(10, 600), st.floats(10, 600))
def test_factors_exclude_one_another(prediction, reference):
    p, r = round(prediction * 10**6), round(reference * 10**6)
    factors = [f for f in (ONE, TWO, THREE, HALF, THIRD) if within_tolerance(p, r, *f)]
    assert len(factors) <= 1
    assert octave_factor(p, r) == (factors[0] if factors else None)


@settings(deadline=None)
@given(st.integers(40, 240), st.integers(20, 400))
def test_it_agrees_with_mir_eval_off_the_edge(reference, prediction):
    if 25 * abs(prediction - reference) == reference:
        return
    theirs = mir_eval.tempo.detection(np.array([0.0, reference]), 0.0, np.array([0.0, prediction]), tol=0.04)[0]
    assert tempo_hit(reference=reference, prediction=prediction) == bool(theirs)


@pytest.mark.parametrize("nothing", [None, 0, -120, float("nan"), float("inf"), 1e-9])
def test_no_tempo_is_a_miss(nothing):
    for version in ("acc1/1", "acc2/1"):
        assert tempo_hit(reference=120, prediction=nothing, version=version) is False
    assert tempo_factor(reference=120, prediction=nothing) is None


@pytest.mark.parametrize("reference", [0, -1, float("nan"), float("inf"), None])
def test_a_reference_must_be_a_tempo(reference):
    with pytest.raises(InputError, match="is no tempo"):
        tempo_hit(reference=reference, prediction=120)


def test_an_unknown_version_names_the_nearest():
    with pytest.raises(InputError, match="nearest: acc1/1"):
        tempo_hit(reference=120, prediction=120, version="acc1/2")


@pytest.mark.parametrize("version", ["acc1/1", "acc2/1"])
@pytest.mark.parametrize("form", [list, np.array, lambda tempi: [Decimal(str(tempo)) for tempo in tempi]])
def test_many_recordings_are_scored_as_each_one(version, form):
    references = [40.0, 47, 100, 120, 97.116, 1e9, 87, *range(40, 240)]
    predictions = [41.6, 48.88, 32, 61.5, 101, 1e9, -174, *(tempo * 1.04 for tempo in range(40, 240))]
    predictions = [round(tempo, 6) for tempo in predictions]
    one_by_one = [
        tempo_hit(reference=r, prediction=p, version=version) for r, p in zip(references, predictions, strict=True)
    ]
    assert (
        tempo_hits(references=form(references), predictions=form(predictions), version=version).tolist() == one_by_one
    )


@pytest.mark.parametrize("nothing", [None, 0, -120, float("nan"), float("inf"), 10**400, True, "none", 1e13])
def test_no_tempo_is_a_miss_among_many(nothing):
    assert tempo_hits(references=[100, 100], predictions=[104, nothing], version="acc2/1").tolist() == [True, False]


@pytest.mark.parametrize("reference", [0, -1.0, float("nan"), None])
def test_a_reference_must_be_a_tempo_among_many(reference):
    with pytest.raises(InputError, match="is no tempo"):
        tempo_hits(references=[100, reference], predictions=[100, 100])


def test_many_recordings():
    assert tempo_hits(references=[100, 100], predictions=[104, None]).tolist() == [True, False]
    with pytest.raises(InputError, match="give one each"):
        tempo_hits(references=[100], predictions=[])


@pytest.mark.parametrize("version", TEMPO_VERSIONS)
def test_a_version_may_stand_as_results_name_it(version):
    found = tempo_hits(references=[100, 100], predictions=[100, 50], version=f"mub.tempo.{version}")
    assert found.tolist() == tempo_hits(references=[100, 100], predictions=[100, 50], version=version).tolist()
    assert tempo_hit(reference=100, prediction=50, version=f"mub.tempo.{version}") is (version == "acc2/1")


@pytest.mark.parametrize("version", ["acc1", "mub.key.exact/1", None, 1])
def test_an_unknown_version_is_told(version):
    with pytest.raises(InputError, match="Unknown tempo version .*Known: acc1/1, acc2/1"):
        tempo_hit(reference=100, prediction=100, version=version)
