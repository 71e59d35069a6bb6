"""Recordings that are there twice, under two names or in two encodings (MU-02): a flag, for a person to judge.

Files of the same bytes are the same. Other sounds are where they last as long and the fingerprints of ten seconds, from
the fifth on, differ by at most 1 dB and 1 semitone. Of 74 renderings each differs from itself, encoded anew, by at most
0.4 dB and 0.3 semitones, and any two by more than 1 dB and 1.5 semitones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from musebench_tasks.assembly.fingerprint import BLOCKS, fingerprint, sound_features
from musebench_tasks.assembly.media_checks import Checked
from musebench_tasks.assembly.media_findings import MEANING, Medium, flag
from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.records import MediaPart, MediaSource, Modality
from musebench_tasks.media.fetch import Fetcher, audio_wish
from musebench_tasks.media.unpack import media_file

CODE = "same_sound"
FROM_S, FROM_SHARE, LISTENED_S = 5.0, 0.25, 10.0
"""Where the stretch that is listened to begins, in seconds or of the whole, whichever is less, and how long it is."""
RATE_HZ = 8_000
"""Enough for a fingerprint, which hears up to 4 kHz."""
MOST_APART = (1.0, 1.0)
"""Decibels and semitones."""
SLACK_S, SLACK_SHARE = 0.3, 0.01
"""How much longer the longer of two encodings may be, in seconds or of it, whichever is more."""


class _Sound(NamedTuple):
    """A sound among those that were checked."""

    place: int
    seconds: float
    sha256: str
    source: MediaSource


def with_same_sounds(media: Sequence[Medium], checked: Sequence[Checked], fetcher: Fetcher) -> list[Checked]:
    """What was checked, with a flag for each sound that an earlier one is the same as; `media` in the same order.

    Only sounds as long as another are decoded again, fifteen seconds of each.
    """
    told = list(checked)
    for one, other in _same(list(_sounds(media, checked)), fetcher):
        users = tuple(use.item for use in media[other].uses)
        found = flag(CODE, told[other].file, MEANING[CODE], told[one].file, users)
        told[other] = replace(told[other], findings=(*told[other].findings, found))
    return told


def _sounds(media: Sequence[Medium], checked: Sequence[Checked]) -> Iterator[_Sound]:
    """The media that are sound alone, and sound."""
    for place, (medium, each) in enumerate(zip(media, checked, strict=True)):
        survey = each.survey or {"video": None, "audio": None}
        seconds = (survey["audio"] or {}).get("seconds")
        if survey["video"] is None and seconds and each.sha256 is not None:
            yield _Sound(place, float(seconds), each.sha256, medium.source)


def _same(sounds: list[_Sound], fetcher: Fetcher) -> Iterator[tuple[int, int]]:
    """Places (earlier, later) of sounds that are the same; a sound is named with the first that it is like."""
    compared = _with_neighbours(sounds)
    features: dict[str, Any] = {}
    for each in compared:
        if each.sha256 not in features:
            features[each.sha256] = _heard(each, fetcher)
    hashes = np.array([each.sha256 for each in compared])
    seconds = np.array([each.seconds for each in compared])
    heard = np.array([features[each.sha256] for each in compared])
    means = heard.mean(axis=2) if len(compared) else heard
    for number in range(1, len(compared)):
        longest = np.maximum(seconds[:number], seconds[number])
        # Means lie no further apart than their parts do, and are compared in no time.
        is_alike = (np.abs(means[:number] - means[number]) <= MOST_APART).all(axis=1)
        is_alike &= np.abs(seconds[:number] - seconds[number]) <= np.maximum(SLACK_S, SLACK_SHARE * longest)
        apart = np.abs(heard[:number][is_alike] - heard[number]).mean(axis=2)
        is_alike[is_alike] = (apart <= MOST_APART).all(axis=1)
        is_alike |= hashes[:number] == hashes[number]
        if is_alike.any():
            yield compared[int(np.argmax(is_alike))].place, compared[number].place


def _with_neighbours(sounds: Sequence[_Sound]) -> list[_Sound]:
    """The sounds that are as long as another, in the order of their places."""
    by_length = sorted(sounds, key=lambda each: (each.seconds, each.place))
    kept = {each for pair in pairwise(by_length) if _is_near(*pair) for each in pair}
    return sorted(kept, key=lambda each: each.place)


def _is_near(one: _Sound, other: _Sound) -> bool:
    return abs(one.seconds - other.seconds) <= max(SLACK_S, SLACK_SHARE * max(one.seconds, other.seconds))


def _heard(sound: _Sound, fetcher: Fetcher) -> Any:
    """Levels and centres of the stretch that is listened to; not comparable where it is silent or does not decode."""
    start = min(FROM_S, FROM_SHARE * sound.seconds)
    end = min(start + LISTENED_S, sound.seconds)
    part = MediaPart(modality=Modality.AUDIO, source=sound.source, start_s=start, end_s=end)
    try:
        entry = fetcher.entry(media_file(sound.source, fetcher.cache), audio_wish(part, RATE_HZ, None))
    except MediaError:
        return np.full((2, BLOCKS), np.nan)
    samples = np.frombuffer(entry.parts[0], dtype="<f4")
    features = sound_features(fingerprint(None, samples, RATE_HZ))
    return features if features[1].any() else np.full(features.shape, np.nan)
