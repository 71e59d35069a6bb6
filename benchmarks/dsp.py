"""The reference system dsp against librosa, the priors and its paper variant: accuracy, paired intervals, speed.

    pip install librosa==0.11.0
    python benchmarks/dsp.py [--data DIRECTORY ...] [--processes 2] [--seconds 180] [--repeats 5]

Without --data the recordings of mub_demo are heard. A directory is a dataset as the demo's builder makes it:

    python -m dataset_scripts.mub.make.build --seed 7 --count 300 --out DIRECTORY --processes 2

librosa: `feature.tempo` of its onset strength; key by the same Krumhansl-Kessler correlation of its `chroma_stft` (and
of `chroma_cqt`, for information), at its own 22,050 Hz. Intervals are 95 %, paired, clustered by tune; that of balanced
accuracy is a bootstrap of tunes. Must: no interval of dsp - librosa wholly below 0; dsp beyond prior:constant on tempo
and key, and above it in balanced accuracy. CPU seconds are medians of one file on one thread, loading included, imports
and compilation excluded on both sides. Must: at most half of librosa's for tempo and key; target a third.
"""

import argparse
import io
import os
import statistics
import sys
import tempfile
import time
import wave
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import av
import librosa
import numpy as np
import pyarrow.parquet as pq
import soundfile

from musebench_tasks.measures import match_intervals
from musebench_tasks.measures.key import key_score
from musebench_tasks.measures.tempo import tempo_hit
from musebench_tasks.measures.time_signature import balanced_accuracy, time_signature_hit
from musebench_tasks.models.dsp.key import estimate_key, key_of_weights
from musebench_tasks.models.dsp.model import analyse, analyse_as_the_paper, tempo_and_metre
from musebench_tasks.models.dsp.pitches import sounding_semitones
from musebench_tasks.models.dsp.spectrum import at_common_level, to_analysis_rate
from musebench_tasks.statistics import paired_comparison
from musebench_tasks.values.key import key_name

DEMO = Path(__file__).parents[1] / "dataset_scripts" / "mub" / "demo" / "mub_demo"
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR")}
LIBROSA_RATE = 22_050
PRIOR = {"tempo": 101.0, "key": "C major", "time_signature": "4/4"}
DSP, LIBROSA, LIBROSA_CQT, PAPER, CONSTANT, EQUAL = (
    "dsp",
    "librosa",
    "librosa (cqt)",
    "dsp:paper",
    "prior:constant",
    "equal lengths",
)
METRICS = ("tempo acc1", "tempo acc2", "key symmetric", "key exact", "metre", "segments F1")
FIELDS = ("tempo", "tempo", "key", "key", "time_signature", "segments", "time_signature")
"""What each column is a score of; the last is the balanced accuracy of the metre."""
DRAWS, SEED = 10_000, 42


class Heard(NamedTuple):
    """A recording's truth and what each system says of it."""

    cluster: str
    truth: dict[str, Any]
    duration_s: float
    answers: dict[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="*", default=[DEMO], help="dataset directories (mub_demo)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=180, help="length of the file whose CPU seconds are counted")
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    for directory in chosen.data:
        print_accuracy(directory.name, hear_all(directory, chosen.processes))
    print_speed(chosen.seconds, chosen.repeats)


def hear_all(directory: Path, processes: int) -> list[Heard]:
    """Every recording of a dataset, heard by every system."""
    truths = {row["id"]: row for row in pq.read_table(directory / "references").to_pylist()}
    rows = pq.read_table(directory / "blind").to_pylist()
    with get_context("spawn").Pool(processes) as pool:
        heard = pool.starmap(hear, [(row, truths[row["id"]]) for row in rows], chunksize=4)
    return with_equal_lengths(heard)


def hear(row: dict[str, Any], truth: dict[str, Any]) -> Heard:
    """One recording, decoded once."""
    samples, rate = decode(row["audio"]["bytes"])
    mono = to_analysis_rate(samples, rate)
    resampled = librosa.resample(samples, orig_sr=rate, target_sr=LIBROSA_RATE)
    answers = {
        DSP: analyse(mono),
        LIBROSA: by_librosa(resampled, librosa.feature.chroma_stft),
        LIBROSA_CQT: by_librosa(resampled, librosa.feature.chroma_cqt),
        PAPER: analyse_as_the_paper(mono),
        CONSTANT: PRIOR,
    }
    return Heard(row["cluster_id"], truth, len(samples) / rate, answers)


def decode(data: bytes) -> tuple[np.ndarray, int]:
    """Mono float samples at the file's own rate."""
    with av.open(io.BytesIO(data)) as container:
        stream = container.streams.audio[0]
        resampler = av.AudioResampler("fltp", "mono", stream.rate)
        frames = [made for frame in container.decode(stream) for made in resampler.resample(frame)]
        frames += resampler.resample(None)
    return np.concatenate([frame.to_ndarray()[0] for frame in frames]), stream.rate


def by_librosa(samples: np.ndarray, chroma: Callable[..., np.ndarray]) -> dict[str, Any]:
    """Tempo and key as a user of librosa would take them."""
    strength = librosa.onset.onset_strength(y=samples, sr=LIBROSA_RATE)
    tempo = float(librosa.feature.tempo(onset_envelope=strength, sr=LIBROSA_RATE)[0])
    key = key_of_weights(chroma(y=samples, sr=LIBROSA_RATE).mean(axis=1).astype(np.float64))
    return {"tempo": tempo, "key": None if key is None else key_name(key)}


def with_equal_lengths(heard: list[Heard]) -> list[Heard]:
    """The same with the baseline of segments: as many equal ones as the other recordings have on average."""
    counts = [len(each.truth["segments"]) for each in heard]
    full = []
    for each, own in zip(heard, counts, strict=True):
        number = max(1, round((sum(counts) - own) / max(1, len(counts) - 1)))
        edges = np.linspace(0, each.duration_s, number + 1)
        rows = [{"start": start, "end": end, "label": "chorus"} for start, end in pairwise(edges)]
        full.append(each._replace(answers={**each.answers, EQUAL: {"segments": rows}}))
    return full


def score(each: Heard, system: str) -> dict[str, float]:
    """Every metric of a system's answer to one recording; 0 where it has none."""
    answer, truth = each.answers[system], each.truth
    tempo = partial(tempo_hit, reference=truth["tempo_bpm"], prediction=answer.get("tempo"))
    key = partial(key_score, reference=truth["key"], prediction=answer.get("key"))
    metre = time_signature_hit(reference=truth["time_signature"], prediction=answer.get("time_signature"))
    values = (tempo(version="acc1/1"), tempo(version="acc2/1"), key(version="symmetric/2"), key(version="exact/1"))
    return dict(zip(METRICS, map(float, (*values, metre, segments_f1(each, answer.get("segments")))), strict=True))


def segments_f1(each: Heard, rows: Sequence[dict[str, Any]] | None) -> float:
    """F1 of segments matched at an intersection over union of one half."""
    reference = [(row["start_s"], row["end_s"], row["label"]) for row in each.truth["segments"]]
    prediction = [(row["start"], row["end"], row["label"]) for row in rows or ()]
    return float(match_intervals(reference=reference, prediction=prediction, duration_s=each.duration_s).f1)


def print_accuracy(name: str, heard: list[Heard]) -> None:
    """The table of systems, then the paired differences."""
    scores = {system: [score(each, system) for each in heard] for system in (*heard[0].answers,)}
    tunes = [each.cluster for each in heard]
    print(f"\n{name}: {len(heard)} recordings of {len(set(tunes))} tunes")
    print(f"  {'':16}" + "".join(f"{metric:>15}" for metric in (*METRICS, "metre balanced")))
    for system, rows in scores.items():
        means = [float(np.mean([row[metric] for row in rows])) for metric in METRICS]
        asked = [field in heard[0].answers[system] for field in FIELDS]
        values = zip((*means, balanced(heard, system)), asked, strict=True)
        print(f"  {system:16}" + "".join(f"{value:15.3f}" if given else f"{'–':>15}" for value, given in values))
    print("  differences: mean, 95 % interval, p")
    for other, metrics in (
        (LIBROSA, METRICS[:3]),
        (LIBROSA_CQT, METRICS[2:3]),
        (CONSTANT, METRICS[:3]),
        (PAPER, METRICS[:5]),
        (EQUAL, METRICS[5:]),
    ):
        for metric in metrics:
            first, second = ([row[metric] for row in scores[system]] for system in (DSP, other))
            found = paired_comparison(first, second, tunes)
            bounds = found.interval
            span = "n < 10" if bounds is None else f"{bounds.low:+.3f} to {bounds.high:+.3f}"
            print(f"  {metric:15} dsp - {other:16} {found.difference:+.3f}   {span}   {found.p_value:.4f}")
    low, middle, high = balanced_difference(heard)
    print(f"  {'metre balanced':15} dsp - {CONSTANT:16} {middle:+.3f}   {low:+.3f} to {high:+.3f}", flush=True)


def balanced(heard: Sequence[Heard], system: str) -> float:
    """Recall of the metre, averaged over the metres of the references."""
    references = [each.truth["time_signature"] for each in heard]
    predictions = [each.answers[system].get("time_signature") for each in heard]
    return balanced_accuracy(references, predictions) or 0.0


def balanced_difference(heard: list[Heard]) -> tuple[float, float, float]:
    """dsp - prior:constant in balanced accuracy: low, value, high of a percentile bootstrap of tunes."""
    classes, of_class = np.unique([each.truth["time_signature"] for each in heard], return_inverse=True)
    tunes, of_tune = np.unique([each.cluster for each in heard], return_inverse=True)
    gains = [score(each, DSP)["metre"] - score(each, CONSTANT)["metre"] for each in heard]
    table = np.zeros((2, len(tunes), len(classes)))
    np.add.at(table, (0, of_tune, of_class), gains)
    np.add.at(table, (1, of_tune, of_class), 1)
    draws = np.random.default_rng(SEED).multinomial(len(tunes), np.full(len(tunes), 1 / len(tunes)), size=DRAWS)
    sums, counts = draws @ table[0], draws @ table[1]
    recalls = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    low, high = np.nanpercentile(np.nanmean(recalls, axis=1), [2.5, 97.5])
    return float(low), float((table[0].sum(axis=0) / table[1].sum(axis=0)).mean()), float(high)


def print_speed(seconds: int, repeats: int) -> None:
    """CPU seconds of tempo and key from one WAV file, each system in turn."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "music.wav"
        write_music(path, seconds)
        systems = {
            DSP: lambda: dsp_tempo_and_key(path),
            LIBROSA: lambda: by_librosa(librosa.load(path)[0], librosa.feature.chroma_stft),
            LIBROSA_CQT: lambda: by_librosa(librosa.load(path)[0], librosa.feature.chroma_cqt),
            "dsp, all fields": lambda: analyse(to_analysis_rate(*read(path))),
        }
        for system in systems.values():
            system()  # imports and compilation
        taken = {name: [cpu_seconds(system) for _ in range(repeats)] for name, system in systems.items()}
    medians = {name: statistics.median(values) for name, values in taken.items()}
    print(f"\nCPU seconds, one thread, {seconds} s of 44.1 kHz WAV, tempo + key, median of {repeats}")
    for name, value in medians.items():
        print(f"  {name:16} {value:6.3f}   {value / medians[LIBROSA]:5.2f} of librosa's")


def dsp_tempo_and_key(path: Path) -> tuple[Any, Any]:
    """The two fields that librosa is asked for; the metre comes with the tempo."""
    mono = at_common_level(to_analysis_rate(*read(path)))
    salience = sounding_semitones(mono)
    return tempo_and_metre(mono, salience), estimate_key(salience)


def read(path: Path) -> tuple[np.ndarray, int]:
    samples, rate = soundfile.read(path, dtype="float32")
    return samples, rate


def write_music(path: Path, seconds: int, rate: int = 44_100) -> None:
    """Chords, one each half second, over a beat of noise."""
    draw = np.random.default_rng(SEED)
    samples = np.zeros(seconds * rate)
    grid = np.arange(rate // 2) / rate
    for beat in range(2 * seconds):
        root = 220 * 2 ** ((0, 5, 7, 0)[beat // 4 % 4] / 12)
        chord = sum(np.sin(2 * np.pi * root * ratio * grid) for ratio in (1, 1.25, 1.5, 2)) * np.exp(-3 * grid)
        hit = draw.standard_normal(len(grid)) * np.exp(-40 * grid)
        samples[beat * len(grid) : (beat + 1) * len(grid)] = 0.1 * chord + 0.1 * hit
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((samples * 32_000).astype("<i2").tobytes())


def cpu_seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
