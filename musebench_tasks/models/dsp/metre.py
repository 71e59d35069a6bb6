"""Metre: the one that `pulse` finds, where there is enough to tell it from."""

from musebench_tasks.models.dsp.pulse import BEATS_IN_BAR, Pulse

FEWEST_BARS = 2
WEAKEST_PROBABILITY = 0.25
"""Among eight metres; below it nothing speaks for this one."""
LEAST_UNEVENNESS = 0.1
"""A metronome repeats as well after 3 beats as after 4; music differs by 0.2 and more."""


def time_signature(pulse: Pulse, duration_s: float) -> str | None:
    """The metre, or None where not two bars of it are heard or nothing tells it from others."""
    bar_s = BEATS_IN_BAR[pulse.metre] * 60 / pulse.bpm
    told = pulse.metre_probability >= WEAKEST_PROBABILITY and pulse.unevenness >= LEAST_UNEVENNESS
    return pulse.metre if told and duration_s >= FEWEST_BARS * bar_s else None
