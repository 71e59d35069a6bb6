"""The builders of the music demos: truth and notes come from one sum, and a rebuild sounds the same."""

import os
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("music21", reason="the tunes are read from music21's corpus (pip install music21)")
pytest.importorskip("tinysoundfont", reason="tunes are rendered with it (pip install --no-deps tinysoundfont)")

from dataset_scripts.hummusqa.demo.build import QUESTIONS, check_facts, look_up
from dataset_scripts.hummusqa.demo.build import main as build_hummusqa
from dataset_scripts.mub.demo.arrange import arrange, section_spans
from dataset_scripts.mub.demo.build import beat_times
from dataset_scripts.mub.demo.build import main as build_mub
from dataset_scripts.mub.demo.plan import (
    RECORDINGS,
    Recording,
    Section,
    beat_unit,
    beats_per_bar,
    draw_tempi,
    masked_id,
)
from dataset_scripts.mub.demo.tunes import Note, Source, Tune, bar_quarters, find_source, load_tune
from musebench_tasks.values import PitchKey

SOUNDFONT = Path(os.environ.get("MUSEBENCH_SOUNDFONT", "/usr/share/sounds/sf2/FluidR3_GM.sf2"))


@pytest.fixture
def tune():
    """Four bars of 3/4 twice, with a pickup of one quarter."""
    notes = tuple(Note(Fraction(start), Fraction(1), (60 + start % 5,)) for start in range(-1, 11))
    return Tune(Source("oneills1850/x.abc", 1, "Air", PitchKey(0, "major"), "3/4"), (notes, notes), (4, 4))


def recording(*sections):
    return Recording("D major", "3/4", "double bass", "piano", "kit", sections)


@pytest.mark.parametrize(
    ("metre", "beats", "unit", "quarters"),
    [
        ("2/4", 2, "1/4", 2),
        ("3/4", 3, "1/4", 3),
        ("6/8", 2, "3/8", 3),
        ("9/8", 3, "3/8", Fraction(9, 2)),
        ("3/8", 3, "1/8", 1.5),
    ],
)
def test_beats_of_simple_and_compound_metres(metre, beats, unit, quarters):
    assert (beats_per_bar(metre), beat_unit(metre), bar_quarters(metre)) == (beats, unit, quarters)


def test_sections_follow_each_other_exactly(tune):
    spans = section_spans(recording(Section("A", "flute"), Section("B", "flute", speed=Fraction(2))), tune, "60.0")
    assert [(span.start_s, span.end_s) for span in spans] == [(1, 13), (13, 19)]  # one second of pickup first


def test_notes_start_on_the_grid_that_the_truth_states(tune):
    plan = recording(Section("A", "flute"), Section("B", "flute"))
    spans = section_spans(plan, tune, "90.0")
    grid = {time for span in spans for time in beat_times("3/4", span)}
    starts = {event.start_s for event in arrange(plan, tune, "90.0")}
    assert grid <= starts
    assert starts - grid == {Fraction(0)}  # the pickup


def test_every_recording_is_transposed_into_its_key(tune):
    events = arrange(recording(Section("A", "flute")), tune, "60.0")
    melody = [event.pitch % 12 for event in events if event.stem == "melody"]
    assert melody[1] == 2  # the tonic C of the tune is now D


def test_an_unaccompanied_section_is_melody_alone(tune):
    events = arrange(recording(Section("A", "flute", "none")), tune, "60.0")
    assert {event.stem for event in events} == {"melody"}


def test_tempi_are_drawn_by_seed_over_the_whole_range():
    tempi = [float(bpm) for bpm in draw_tempi()]
    assert draw_tempi() == draw_tempi()
    assert len(set(tempi)) == len(RECORDINGS) == 12
    assert min(tempi) < 55
    assert max(tempi) > 150


def test_ids_are_masked():
    assert masked_id(0) == "87917f94831a"
    assert len({masked_id(number) for number in range(12)}) == 12


def test_a_tune_of_the_corpus_falls_into_whole_sections():
    loaded = load_tune(find_source("oneills1850/0351-0400.abc", 400))
    assert loaded is not None
    assert loaded.bars == (8, 8)
    for section in loaded.sections:
        assert section[-1].start + section[-1].length <= 24
        assert section[0].start >= -3


def test_a_question_whose_reason_does_not_hold_is_refused():
    question = {"question": "How many beats?", "because": {"truth.time_signature": "3/4", "form.1": "A"}}
    check_facts(question, {"truth": {"time_signature": "3/4"}, "form": ["intro", "A"]})
    with pytest.raises(SystemExit, match=f"{QUESTIONS.name}.*truth.time_signature is '6/8', not '3/4'"):
        check_facts(question, {"truth": {"time_signature": "6/8"}, "form": ["intro", "A"]})
    assert look_up({"a": [{"b": 1}]}, "a.0.b") == 1


@pytest.mark.slow
@pytest.mark.skipif(not SOUNDFONT.is_file(), reason="needs FluidR3_GM.sf2; set MUSEBENCH_SOUNDFONT")
@pytest.mark.parametrize("build", [build_mub, build_hummusqa])
def test_a_rebuild_decodes_to_the_same_samples(build, capsys):
    assert build(["--soundfont", str(SOUNDFONT), "--check"]) == 0
    assert "alike" in capsys.readouterr().out
