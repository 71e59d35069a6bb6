"""The fitting of dsp's weights: material that no benchmark holds, a correct slope, weights that survive their file."""

import json

import numpy as np
import pytest

from benchmarks.dsp_training import fit, material
from benchmarks.dsp_training.features import Example, examples
from musebench_tasks.models.dsp import pulse


def example(number, metre, bpm):
    repetition = np.random.default_rng(number).random((7, 418)).astype(np.float32)
    return Example(f"{number}", "drums", f"{number}", bpm, metre, 0.0, number % 2 == 0, 10.0, repetition)


EXAMPLES = [example(1, "3/4", 90.0), example(2, None, 140.0), example(3, "6/8", 66.0), example(4, "5/4", 120.0)]


def test_the_slope_is_that_of_the_loss():
    problem = fit.problem_of(EXAMPLES)
    size = fit.PARTS.shape[1] * problem.features.shape[2] + len(fit.NAMES)
    point = np.random.default_rng(0).normal(0, 0.05, size)
    _, slope = fit.loss(point, problem)
    for place in (0, 133, 415, size - 4):
        step = np.zeros(size)
        step[place] = 1e-2
        ahead, behind = (fit.loss(point + sign * step, problem)[0] for sign in (1, -1))
        assert slope[place] == pytest.approx((ahead - behind) / 2e-2, abs=1e-4)


def test_weights_survive_their_file(tmp_path, monkeypatch):
    monkeypatch.setattr(fit, "STEPS", 5)
    fitted = fit.fit(EXAMPLES)
    path = tmp_path / "weights.json"
    path.write_text(fit.as_json(fitted))
    read = pulse.read_weights(path)
    np.testing.assert_allclose(read.features, fitted.features, atol=5.1e-4)
    np.testing.assert_allclose(read.tempo, fitted.tempo, atol=5.1e-4)


def test_the_committed_file_is_one_that_the_fit_writes():
    text = pulse.WEIGHTS_FILE.read_text(encoding="utf-8")
    assert fit.as_json(pulse.read_weights(pulse.WEIGHTS_FILE)) == text
    assert list(json.loads(text)) == fit.NAMES


@pytest.mark.parametrize("family", ["clicks", "loops", "songs"])
def test_a_piece_comes_again_from_its_number(family):
    first, second = (material.make_piece(family, 3, "") for _ in range(2))
    assert np.array_equal(first.samples, second.samples)
    assert (first.bpm, first.metre) == (second.bpm, second.metre)
    whole = next(iter(examples(first)))
    assert whole.repetition.shape == (7, 418)
    assert whole.duration_s == pytest.approx(len(first.samples) / first.rate, abs=0.1)


def test_no_tune_of_a_demo_is_fitted_on(monkeypatch):
    monkeypatch.setattr(material, "plan", lambda seed, count: ())
    material.used_tunes.cache_clear()
    try:
        ids, titles = material.used_tunes()
    finally:
        material.used_tunes.cache_clear()
    for dataset in ("mub", "hummusqa"):
        items = json.loads((material.DEMOS / dataset / "make" / "manifest.json").read_text())["items"]
        tunes = {(item["tune_id"], item["title"].casefold()) for item in items if item.get("tune_id")}
        assert tunes
        assert all(tune_id in ids and title in titles for tune_id, title in tunes)
