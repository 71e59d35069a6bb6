"""What of an item's window reached the systems, as thin tracks below its player: frames as ticks, sound as a bar.

Predictions disclose how many frames a system got of how many, and the rule; the times follow from it
(`media.sampling`): a grid of `fps` a second from the window's start, all of it or spread evenly over it. Of frames that
are chosen by what they show the journal knows the times.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from musebench_tasks.base.records import Condition, Frames, Item
from musebench_tasks.base.text import few
from musebench_tasks.media.conditions import frame_order
from musebench_tasks.media.sampling import spread
from musebench_tasks.pages.answers import GivenAnswer
from musebench_tasks.pages.text import seconds_text, short_number

WIDTH = 1000
"""Units of a track's width: the item's window."""
FRAME_POLICY = re.compile(r"uniform|([\d.]+) fps")
"""The rules whose times are known."""
_UNHEARD_S = 0.5
"""Less of the window than this unheard is rounding."""
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Track:
    """What some systems received of one window. Times are seconds in the medium."""

    label: str
    """`32 of 60 frames`, with the systems where not all received the same."""
    description: str
    """The track in words."""
    marks: str
    """Path of the ticks, or of the bar, in units of `WIDTH`."""
    times: str = ""
    """Times of the frames, blank between them; empty for sound."""


def make_tracks(item: Item, given: Sequence[GivenAnswer]) -> tuple[Track, ...]:
    """The tracks of an item's window: one for each different set of frames, and one where sound was cut."""
    length = item.window_s
    if not length or length <= 0:
        return ()
    start = item.start_s or 0.0
    seen: dict[tuple[Frames, tuple[float, ...]], dict[str, None]] = {}
    heard: dict[float, dict[str, None]] = {}
    for each in given:
        prediction = each.prediction
        if prediction is None:
            continue
        if prediction.frames is not None:
            times = _recorded(each.frame_times_s, prediction.condition) or frame_times(
                prediction.frames, prediction.condition, length, each.fps
            )
            if times:
                seen.setdefault((prediction.frames, times), {})[each.system] = None
        if prediction.audio is not None and 0 < (prediction.audio.seconds or 0.0) < length - _UNHEARD_S:
            heard.setdefault(prediction.audio.seconds or 0.0, {})[each.system] = None
    names = {each.system for each in given}
    frames = [_frame_track(key[0], key[1], _whom(who, names, len(seen)), start, length) for key, who in seen.items()]
    return (*frames, *(_sound_track(seconds, _whom(who, names, len(heard)), length) for seconds, who in heard.items()))


def _recorded(times: tuple[float, ...] | None, condition: Condition) -> tuple[float, ...]:
    """The times in the journal; empty where it holds none."""
    if not times:
        return ()
    return tuple(times[position] for position in _shown(len(times), condition))


def frame_times(frames: Frames, condition: Condition, length_s: float, fps: float | None) -> tuple[float, ...]:
    """Seconds from the window's start at which the frames are on display; empty where no rule tells.

    `fps` None = the window holds `available` frames evenly.
    """
    rule = FRAME_POLICY.fullmatch(frames.policy)
    if rule is None or frames.used < 1 or frames.available < 1:
        return ()
    rate = float(rule[1]) if rule[1] else fps
    step = 1 / rate if rate else length_s / frames.available
    positions = spread(frames.available, frames.used)
    chosen = [int(positions[each]) * step for each in _shown(len(positions), condition)]
    return tuple(round(each, 3) for each in chosen if each < length_s)


def _shown(count: int, condition: Condition) -> list[int]:
    """Which of `count` frames are shown at all under a condition, in the order of time."""
    return sorted({int(position) for position in frame_order(count, condition, seed=0)})


def _frame_track(frames: Frames, times: tuple[float, ...], whom: str, start: float, length: float) -> Track:
    one = len(times) == 1
    count = f"{len(times)} of {frames.available} frame{'' if frames.available == 1 else 's'}"
    where = f"at {seconds_text(times[0])}" if one else f"{seconds_text(times[0])} to {seconds_text(times[-1])}"
    return Track(
        label=f"{count}{whom}",
        description=f"Times of the frames received{whom}: {count}, {where} of the window.",
        marks="".join(f"M{_place(each, length)} 0V8" for each in times),
        times=" ".join(short_number(start + each) for each in times),
    )


def _sound_track(seconds: float, whom: str, length: float) -> Track:
    text = f"sound up to {seconds_text(seconds)}{whom}"
    words = f"Sound received: {text} of the window."
    return Track(label=text, description=words, marks=f"M0 4H{_place(seconds, length)}")


def _whom(who: Mapping[str, None], everybody: set[str], n_kinds: int) -> str:
    """`: a, b`, or nothing where everybody received the same."""
    if n_kinds == 1 and set(who) == everybody:
        return ""
    return f": {few(list(who), _MOST_NAMED)}"


def _place(time: float, length: float) -> str:
    return short_number(round(WIDTH * time / length, 1))
