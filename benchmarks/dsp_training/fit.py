"""Fit the weights by which `dsp` chooses beat and metre, and say how well they do on what they were not fitted on.

    pip install music21==10.5.1 && pip install --no-deps tinysoundfont==0.3.7
    apt-get download musescore-general-soundfont-small && dpkg -x musescore-general-soundfont-small_*.deb sounds
    pip download --no-deps immich-memories-music==0.1.0 && unzip -q immich_memories_music-*.whl -d tracks
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m benchmarks.dsp_training.fit \
        --soundfont sounds/usr/share/sounds/sf3/MuseScore_General_Lite.sf3 --recordings tracks \
        --out musebench_tasks/models/dsp/weights.json

Without --recordings the 28 produced tracks are left out. Takes five to ten minutes on two cores and 2 GB of memory.
The material is described in `material`; nothing of a benchmark is in it. Everything is drawn from seeds, and on one
thread the same examples give the same weights to the last digit. The weights of dsp-3 were made before one fault was
mended: a stem's last notes could ring on into the drums that were rendered next. Two runs with it differed by 0.03 at
most, so weights made anew will not be those of dsp-3 to the last digit.

The model is a conditional logit: the probability of a beat and metre is the exponential of its weighted sum, as a share
of that of all beats and metres. The right one is any beat within 2.2 % of the true tempo with the true metre, or any
metre where none is known. A metre's weights are a common part plus those of its division and of its number of beats,
each held small by an L2 penalty.
"""

import argparse
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy.special import logsumexp

from benchmarks.dsp_training.features import Example, read_all
from benchmarks.dsp_training.material import COUNTS
from musebench_tasks.measures import balanced_accuracy
from musebench_tasks.measures.tempo import tempo_hit
from musebench_tasks.models.dsp import pulse
from musebench_tasks.models.dsp import pulse as metres
from musebench_tasks.models.dsp.pulse import BEATS_IN_BAR, RATIOS, Weights

NEAR = 0.022
"""Share of the true tempo within which a beat is right: one or two steps of the grid."""
PENALTY, PENALTY_OF_PARTS = 0.02 / 30, 0.05 / 30
"""Of the common part and of the others. A third of it tells metres a little better, but finds a beat in unrelated
onsets three times as often; three times as much is worse at everything."""
CROP_WEIGHT = 0.5
FAMILY_WEIGHTS = {"clicks": 0.7, "recordings": 3.0}
METRE_WEIGHTS = {"2/4": 1.2, "9/8": 1.2, "12/8": 1.3, "5/4": 1.3}
STEPS = 80
NAMES = list(BEATS_IN_BAR)
PARTS = np.array(
    [
        [
            1,
            *(division == (name[-1] == "8") for division in (False, True)),
            *(beats == own for beats in (2, 3, 4, 5, 7)),
        ]
        for name, own in BEATS_IN_BAR.items()
    ],
    dtype=float,
)
"""(metres, parts): of which parts a metre's weights are the sum."""

Matrix = NDArray[np.float64]


class Problem(NamedTuple):
    """Examples as the logit sees them."""

    features: NDArray[np.float32]
    """(examples, beats, features): repetition, then what the tempo adds."""
    right: NDArray[np.bool_]
    """(examples, beats, metres)."""
    weight: Matrix


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--soundfont", type=Path, required=True, help="General MIDI soundfont, SF2 or SF3")
    parser.add_argument("--recordings", type=Path, help="where immich-memories-music is unpacked")
    parser.add_argument("--out", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    current = pulse.weights()
    examples = read_all(chosen.soundfont, chosen.recordings, chosen.processes)
    print(f"{len(examples)} examples of {len({each.composition for each in examples})} compositions")
    print_comparison(examples, current)
    chosen.out.write_text(as_json(fit(examples)), encoding="utf-8")


def fit(examples: Sequence[Example]) -> Weights:
    """The weights likeliest to have made the examples' beats and metres."""
    problem = problem_of(examples)
    inputs = problem.features.shape[2]
    start = np.zeros(PARTS.shape[1] * inputs + len(NAMES))
    found = optimize.minimize(
        loss, start, args=(problem,), jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 20}
    )
    parts, bias = unpacked(found.x, inputs)
    weights = PARTS @ parts
    tempo = weights[:, -3:] + np.stack([0 * bias, 0 * bias, bias], axis=1)
    return Weights(features=weights[:, :-3], tempo=tempo)


def problem_of(examples: Sequence[Example]) -> Problem:
    """Features, right answers and weights of examples."""
    bpm, _ = pulse.candidates()
    tempo = pulse.tempo_features(bpm)
    features = np.zeros(
        (len(examples), len(bpm), len(examples[0].repetition) * len(RATIOS) + tempo.shape[1]), np.float32
    )
    right = np.zeros((len(examples), len(bpm), len(NAMES)), bool)
    for number, each in enumerate(examples):
        features[number] = np.hstack([pulse.beat_features(each.repetition).reshape(len(bpm), -1), tempo])
        near = np.abs(bpm / each.bpm - 1) < NEAR
        right[number] = near[:, None] & np.array([each.metre in (None, name) for name in NAMES])
    return Problem(features, right, np.array([weight_of(each) for each in examples]))


def weight_of(example: Example) -> float:
    """How much an example counts."""
    of_crop = CROP_WEIGHT if example.is_crop else 1.0
    return of_crop * FAMILY_WEIGHTS.get(example.family, 1.0) * METRE_WEIGHTS.get(example.metre or "", 1.0)


def unpacked(parameters: Matrix, inputs: int) -> tuple[Matrix, Matrix]:
    """(parts, features) weights and (metres,) constants."""
    return parameters[: -len(NAMES)].reshape(PARTS.shape[1], inputs), parameters[-len(NAMES) :]


def loss(parameters: Matrix, problem: Problem) -> tuple[float, Matrix]:
    """Mean negative log probability of the right answers with the penalty, and its gradient."""
    parts, bias = unpacked(parameters, problem.features.shape[2])
    scores = problem.features @ (PARTS @ parts).T.astype(np.float32) + bias
    every = logsumexp(scores, axis=(1, 2), keepdims=True)
    correct = logsumexp(np.where(problem.right, scores, -np.inf), axis=(1, 2), keepdims=True)
    share = (problem.weight / problem.weight.sum())[:, None, None]
    surplus = share * (np.exp(scores - every) - np.where(problem.right, np.exp(scores - correct), 0))
    penalty = np.array([PENALTY, *[PENALTY_OF_PARTS] * (PARTS.shape[1] - 1)])[:, None]
    slope = np.tensordot(surplus.astype(np.float32), problem.features, axes=((0, 1), (0, 1)))
    gradient = PARTS.T @ slope + 2 * penalty * parts
    value = float(np.sum(share * (every - correct)) + np.sum(penalty * parts**2))
    return value, np.concatenate([gradient.ravel(), surplus.sum(axis=(0, 1))]).astype(np.float64)


def as_json(weights: Weights) -> str:
    """Three decimals, a line a curve."""
    blocks = []
    for name, features, tempo in zip(NAMES, weights.features, weights.tempo, strict=True):
        rows = ",\n      ".join(_row(row) for row in features.reshape(-1, len(RATIOS)))
        blocks.append(f'  "{name}": {{\n    "tempo": {_row(tempo)},\n    "features": [\n      {rows}\n    ]\n  }}')
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _row(values: Matrix) -> str:
    return json.dumps([float(round(value, 3)) or 0 for value in values])


def print_comparison(examples: Sequence[Example], old: Weights) -> None:
    """Accuracy of weights fitted on one half of the compositions and tried on the other, beside `old` on the same."""
    half = np.array([zlib.crc32(each.composition.encode()) % 2 for each in examples])
    held_out: dict[str, Weights] = {}
    for number in (0, 1):
        fitted = fit([each for each, own in zip(examples, half, strict=True) if own != number])
        held_out |= {each.name: fitted for each, own in zip(examples, half, strict=True) if own == number}
    whole = [each for each in examples if not each.is_crop]
    groups = {family: [each for each in whole if each.family == family] for family in (*COUNTS, "recordings")}
    groups |= {"all": whole, "swung": [each for each in whole if each.swing]}
    groups |= {
        "below 65 BPM": [each for each in whole if each.bpm < 65],
        "above 150": [e for e in whole if e.bpm > 150],
    }
    groups |= {"crops": [each for each in examples if each.is_crop]}
    print(f"\n{'held out':14}{'n':>6}   acc1 new/old   acc2 new/old   balanced metre new/old   no tempo new/old")
    for name, group in groups.items():
        if group:
            new = accuracy(group, [held_out[each.name] for each in group])
            before = accuracy(group, [old] * len(group))
            pairs = zip(new, before, strict=True)
            print(f"{name:14}{len(group):6}" + "".join(f"   {one:.3f} / {two:.3f}" for one, two in pairs), flush=True)


def accuracy(examples: Sequence[Example], weights: Sequence[Weights]) -> tuple[float, float, float, float]:
    """Tempo acc1 and acc2 before refinement, balanced accuracy of the metre, share without a tempo."""
    found = [
        pulse.decide(pulse.beat_features(each.repetition), each.duration_s, own)
        for each, own in zip(examples, weights, strict=True)
    ]
    pairs = [(each, None if one is None else one.bpm) for each, one in zip(examples, found, strict=True)]
    first, second = (
        float(np.mean([tempo_hit(reference=each.bpm, prediction=bpm, version=version) for each, bpm in pairs]))
        for version in ("acc1/1", "acc2/1")
    )
    told = [
        (each.metre, None if one is None else metres.time_signature(one, each.duration_s))
        for each, one in zip(examples, found, strict=True)
        if each.metre
    ]
    balanced = balanced_accuracy([own for own, _ in told], [said for _, said in told]) if told else None
    nothing = float(np.mean([one is None for one in found]))
    return first, second, float("nan") if balanced is None else balanced, nothing


if __name__ == "__main__":
    main()
