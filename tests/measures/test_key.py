"""Key scores (music_metrics.md 1)."""

import mir_eval
import numpy as np
import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.measures import KEY_VERSIONS, KEYS, key_score, key_scores, key_table, key_version
from musebench_tasks.values import key_name

VERSIONS = (
    "exact/1",
    "legacy_directional_a/1",
    "legacy_directional_b/1",
    "symmetric/2",
    "mirex_symmetric/1",
    "mirex_ascending/1",
)


@pytest.mark.parametrize(
    ("reference", "prediction", "credits"),
    # music_metrics.md 1.3, in the order of VERSIONS
    [
        ("C major", "C major", (1, 1, 1, 1, 1, 1)),
        ("C major", "Am", (0, 1, 1, 1, 0.3, 0.3)),
        ("Am", "C major", (0, 0, 0, 1, 0.3, 0.3)),
        ("Am", "F# major", (0, 0, 1, 0, 0, 0)),
        ("C major", "G major", (0, 0, 0, 0, 0.5, 0.5)),
        ("G major", "C major", (0, 0, 0, 0, 0.5, 0)),
        ("C major", "F major", (0, 0, 0, 0, 0.5, 0)),
        ("Am", "Em", (0, 0, 0, 0, 0.5, 0.5)),
        ("Em", "Am", (0, 0, 0, 0, 0.5, 0)),
        ("C major", "Cm", (0, 0, 0, 0, 0.2, 0.2)),
        ("C major", "Em", (0, 0, 0, 0, 0, 0)),
        ("Gb major", "F# major", (1, 1, 1, 1, 1, 1)),
        ("Eb major", "Cm", (0, 1, 1, 1, 0.3, 0.3)),
        ("Cm", "D# major", (0, 0, 0, 1, 0.3, 0.3)),
    ],
)
def test_worked_pairs(reference, prediction, credits):
    found = [key_score(reference=reference, prediction=prediction, version=version) for version in VERSIONS]
    assert found == list(credits)


@pytest.mark.parametrize(("reference", "prediction"), [("Ebm", "Gb major"), ("D#m", "F# major"), ("B# major", "Am")])
def test_relatives_whatever_the_spelling(reference, prediction):
    assert key_score(reference=reference, prediction=prediction) == 1
    assert key_score(reference=prediction, prediction=reference) == 1


@pytest.mark.parametrize("version", KEY_VERSIONS)
def test_a_version_may_stand_as_results_name_it(version):
    named = f"mub.key.{version}"
    pair = {"reference": "A minor", "prediction": "F# major"}
    assert key_version(named) == key_version(version) == version
    assert key_score(**pair, version=named) == key_score(**pair, version=version)
    assert key_table(named) is key_table(version)


@pytest.mark.parametrize("version", ["exact", "mub.key.exact", "mub.tempo.acc1/1", "", None, 1, ["exact/1"]])
def test_an_unknown_version_is_told(version):
    with pytest.raises(InputError, match="Unknown key version .*Known: exact/1, .* each also with mub.key. in front"):
        key_score(reference="C major", prediction="C major", version=version)


@pytest.mark.parametrize(
    ("version", "cells", "total"),
    # music_metrics.md 1.1
    [
        ("exact/1", 24, 24),
        ("symmetric/2", 48, 48),
        ("mirex_symmetric/1", None, 60),
        ("mirex_ascending/1", 96, 48),
        ("legacy_directional_a/1", 36, 36),
        ("legacy_directional_b/1", 48, 48),
    ],
)
def test_tables_hold_what_they_promise(version, cells, total):
    table = key_table(version)
    assert table.shape == (24, 24)
    assert table.sum() == pytest.approx(total)
    assert cells is None or np.count_nonzero(table) == cells


def test_uniform_chance():
    # music_metrics.md 1.1
    chance = {version: key_table(version).mean() for version in VERSIONS}
    assert chance["exact/1"] == pytest.approx(0.041667, abs=1e-6)
    assert chance["symmetric/2"] == pytest.approx(0.083333, abs=1e-6)
    assert chance["mirex_symmetric/1"] == pytest.approx(0.104167, abs=1e-6)
    assert chance["mirex_ascending/1"] == pytest.approx(0.083333, abs=1e-6)


def test_symmetry():
    assert (key_table("symmetric/2") == key_table("symmetric/2").T).all()
    assert (key_table("mirex_symmetric/1") == key_table("mirex_symmetric/1").T).all()
    ascending = key_table("mirex_ascending/1")
    assert np.count_nonzero(ascending != ascending.T) == 48
    assert [np.count_nonzero(ascending == credit) for credit in (1, 0.5, 0.3, 0.2)] == [24] * 4


def test_the_second_legacy_rule_is_wrong_for_minor_references():
    wrong = (key_table("legacy_directional_b/1") == 1) & (key_table("symmetric/2") == 0)
    assert wrong.sum() == 12
    assert key_score(reference="Eb minor", prediction="C major", version="legacy_directional_b/1") == 1


def test_ascending_equals_mir_eval_on_all_pairs():
    for row, reference in enumerate(KEYS):
        for column, prediction in enumerate(KEYS):
            theirs = mir_eval.key.weighted_score(key_name(reference), key_name(prediction))
            assert key_table("mirex_ascending/1")[row, column] == theirs


@pytest.mark.parametrize("nothing", [None, "", "C", "D dorian", "X", "13A"])
def test_no_key_is_a_miss(nothing):
    for version in KEY_VERSIONS:
        assert key_score(reference="C major", prediction=nothing, version=version) == 0


def test_a_reference_must_name_a_key():
    with pytest.raises(InputError, match="'C' names no key"):
        key_score(reference="C", prediction="C major")


def test_an_unknown_version_names_the_nearest():
    with pytest.raises(InputError, match=r"nearest: symmetric/2"):
        key_score(reference="C major", prediction="C major", version="symetric/2")


def test_arguments_are_named():
    with pytest.raises(TypeError):
        key_score("C major", "A minor")


def test_tables_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        key_table("exact/1")[0, 0] = 0


def test_many_keys_are_one_lookup():
    references, predictions = ["C major", "A minor"], [None, "C major"]
    assert key_scores(references=references, predictions=predictions).tolist() == [0, 1]
    assert key_scores(references=[], predictions=[]).size == 0
    with pytest.raises(InputError, match="give one each"):
        key_scores(references=["C major"], predictions=[])
