"""What dsp is made of: level, pitches without overtones, repetition on an axis of ratios, refinement, section names."""

import numpy as np
import pytest
from fakes.synthetic_music import RATE, add, clicks, tone

from musebench_tasks.models.dsp import onsets, periodicity, pitches, pulse, segments, spectrum


def levelled(samples, rate=RATE):
    return spectrum.at_common_level(spectrum.to_analysis_rate(np.asarray(samples, np.float32), rate))


def test_every_recording_is_heard_at_one_level():
    samples = clicks(120, 4)
    assert levelled(samples) == pytest.approx(levelled(0.01 * samples), abs=1e-5)
    silence = np.zeros(100, np.float32)
    assert (spectrum.at_common_level(silence) == silence).all()


def test_resampling_keeps_what_is_heard_and_drops_the_rest():
    time = np.arange(4 * 44_100) / 44_100
    kept, dropped = (
        spectrum.to_analysis_rate(np.sin(2 * np.pi * hertz * time).astype(np.float32), 44_100)[500:-500]
        for hertz in (1000, 8000)
    )
    assert np.std(kept) == pytest.approx(0.707, abs=0.01)
    assert np.std(dropped) < 0.01


@pytest.mark.parametrize("midi", [48, 55, 60.3, 67])
def test_overtones_are_no_notes(midi):
    salience = pitches.sounding_semitones(levelled(np.concatenate([tone(midi, 1.0, RATE, 0.2)] * 3)))
    heard = pitches.pitch_classes(salience).sum(axis=0)
    cleaned = pitches.pitch_classes(pitches.without_overtones(salience)).sum(axis=0)
    own, fifth = round(midi) % 12, (round(midi) + 7) % 12
    assert np.argmax(cleaned) == own
    assert cleaned[fifth] / cleaned[own] < heard[fifth] / heard[own]


def test_multiples_are_steps():
    steps = np.log2(np.array([2, 3, 4, 5])) * periodicity.STEPS_PER_OCTAVE
    assert steps == pytest.approx([53, 84, 106, 123], abs=0.07)


def test_repetition_is_high_at_the_period_and_its_multiples_only():
    curve = np.zeros(2000)
    curve[::50] = 1
    found = periodicity.repetition(curve, 100.0)
    at = {lag: found[np.argmin(np.abs(periodicity.LAGS_S - lag))] for lag in (0.25, 0.5, 0.75, 1.0, 2.0)}
    assert min(at[0.5], at[1.0], at[2.0]) > 0.85
    assert max(at[0.25], at[0.75]) < 0.1


def test_nothing_repeats_in_a_constant_curve():
    assert not periodicity.repetition(np.ones(500), 100.0).any()
    assert periodicity.autocorrelation(np.ones(500), 100.0) is None


@pytest.mark.parametrize("seconds", [4, 8, 30, 120])
def test_refinement_takes_away_a_percent_of_error(seconds):
    curves = onsets.onset_curves(levelled(clicks(123.4, seconds)))
    assert pulse.refine(curves, 123.4 * 1.01) == pytest.approx(123.4, rel=0.001 if seconds < 8 else 0.0002)


def test_weights_are_as_many_as_features():
    assert pulse.weights().features.shape == (
        len(pulse.BEATS_IN_BAR),
        (onsets.CURVES + 2) * len(pulse.RATIOS),
    )
    assert pulse.weights().tempo.shape == (len(pulse.BEATS_IN_BAR), 3)


def test_low_notes_that_enter_are_noticed():
    samples = np.zeros(4 * RATE)
    add(samples, 2.0, tone(45, 1.5, RATE, 0.3), RATE)
    add(samples, 0.5, tone(84, 1.0, RATE, 0.3), RATE)
    entries = pulse.low_entries(pitches.sounding_semitones(levelled(samples)))
    assert np.argmax(entries) / pitches.FRAME_RATE == pytest.approx(2.0, abs=0.4)


def test_sections_that_sound_alike_share_a_letter():
    random = np.random.default_rng(0)
    verse, chorus = (segments._unit(random.standard_normal((40, 60))) for _ in range(2))
    again = segments._unit(verse + 0.05 * random.standard_normal(verse.shape))
    assert segments.section_names([verse, chorus, again, chorus]) == ["A", "B", "A", "B"]


def test_a_short_unlike_end_is_an_intro_or_outro():
    random = np.random.default_rng(0)
    first, verse, last = (segments._unit(random.standard_normal((length, 60))) for length in (16, 40, 18))
    assert segments.section_names([first, verse, verse, last]) == ["intro", "A", "A", "outro"]


def test_letters_do_not_run_out():
    random = np.random.default_rng(0)
    names = segments.section_names([segments._unit(random.standard_normal((20, 60))) for _ in range(60)])
    assert len(set(names)) == 60
    assert names[24:28] == ["Y", "Z", "A1", "B1"]
