"""From material to what `dsp` sees of it: the room's own repetition curves, of whole pieces and of short crops."""

import zlib
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.dsp_training.material import COUNTS, Piece, make_piece, read_recording, recordings
from musebench_tasks.models.dsp import onsets, pitches, pulse
from musebench_tasks.models.dsp.spectrum import at_common_level, to_analysis_rate

LONGEST_S = 60.0
CROP_S = (5.0, 11.0)
CROPPED = 5
"""One piece in so many is fitted on a second time, as a crop of 5 to 11 s."""


class Example(NamedTuple):
    """What is known of a piece or crop, and its (curves, lags) repetition."""

    name: str
    family: str
    composition: str
    bpm: float
    metre: str | None
    swing: float
    is_crop: bool
    duration_s: float
    repetition: NDArray[np.float32]


def read_all(soundfont: Path, directory: Path | None, processes: int) -> list[Example]:
    """Every example, in a fixed order."""
    made = [(family, number) for family, count in COUNTS.items() for number in range(count)]
    found = recordings(directory) if directory else []
    with get_context("spawn").Pool(processes) as pool:
        batches = pool.imap(partial(_examples_of, str(soundfont)), [*made, *found], chunksize=8)
        return [example for batch in batches for example in batch]


def _examples_of(soundfont: str, source: tuple[str, int] | tuple[Path, float]) -> list[Example]:
    name, number = source
    piece = read_recording(name, number) if isinstance(name, Path) else make_piece(name, int(number), soundfont)
    return list(examples(piece))


def examples(piece: Piece) -> Iterator[Example]:
    """A piece, and for some also a crop of it."""
    mono = at_common_level(to_analysis_rate(piece.samples[: int(LONGEST_S * piece.rate)], piece.rate))
    curves, salience = onsets.onset_curves(mono), pitches.sounding_semitones(mono)
    whole = _example(piece, curves, salience)
    yield whole
    seed = zlib.crc32(piece.name.encode())
    draw = np.random.default_rng(seed)
    length = draw.uniform(*CROP_S)
    if seed % CROPPED == 0 and piece.family != "recordings" and whole.duration_s > length + 2:
        start = draw.uniform(0, whole.duration_s - length)
        yield _example(
            piece._replace(name=f"{piece.name}-crop"),
            curves[:, int(start * onsets.FRAME_RATE) : int((start + length) * onsets.FRAME_RATE)],
            salience[int(start * pitches.FRAME_RATE) : int((start + length) * pitches.FRAME_RATE)],
            is_crop=True,
        )


def _example(
    piece: Piece, curves: NDArray[np.float32], salience: NDArray[np.float32], *, is_crop: bool = False
) -> Example:
    return Example(
        name=piece.name,
        family=piece.family,
        composition=piece.composition or piece.name.removesuffix("-crop"),
        bpm=piece.bpm,
        metre=piece.metre,
        swing=piece.swing,
        is_crop=is_crop,
        duration_s=curves.shape[1] / onsets.FRAME_RATE,
        repetition=pulse.repetitions(curves, salience).astype(np.float32),
    )
