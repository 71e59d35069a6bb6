"""The builder of mub_demo: notes and truth come from one sum, a seed deals the same plan, a rebuild sounds alike."""

import json
import os
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("music21", reason="the tunes are read from music21's corpus (pip install music21)")
pytest.importorskip("tinysoundfont", reason="tunes are rendered with it (pip install --no-deps tinysoundfont)")

from dataset_scripts.mub.make.arrange import arrange, first_bars, octaves
from dataset_scripts.mub.make.build import MANIFEST, REPOSITORY, compared, main, manifest_text
from dataset_scripts.mub.make.plan import (
    MODES,
    TAIL_S,
    TONICS,
    Planned,
    compose,
    deal,
    deal_tempi,
    form_of,
    least_used,
    masked_id,
    plan,
)
from dataset_scripts.mub.make.score import Recording, Section, outro, section_spans
from dataset_scripts.mub.make.styles import (
    GROOVES,
    STYLES,
    beat_unit,
    beats_per_bar,
    percussion_strokes,
    strokes,
    swung,
)
from dataset_scripts.mub.make.truth import beat_times, truth
from dataset_scripts.mub.make.tunes import (
    Note,
    Source,
    Tune,
    bar_quarters,
    count_strains,
    find_source,
    load_tune,
    transcriber,
)
from musebench_tasks.assembly import pcm_sha256
from musebench_tasks.values import PitchKey

SOUNDFONT = Path(os.environ.get("MUSEBENCH_SOUNDFONT", "/usr/share/sounds/sf2/FluidR3_GM.sf2"))


def air(bars=4):
    """As many bars of 3/4 twice, with a pickup of one quarter."""
    notes = tuple(Note(Fraction(start), Fraction(1), (60 + start % 5,)) for start in range(-1, 3 * bars - 1))
    return Tune(Source("oneills1850/x.abc", 1, "Air", PitchKey(0, "major"), "3/4"), (notes, notes), (bars, bars))


@pytest.fixture
def tune():
    return air()


def recording(*sections, **changes):
    return Recording("D major", "3/4", "double bass", "piano", "kit", sections)._replace(**changes)


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
    plan_of_two = recording(Section("A", "flute"), Section("B", "flute"))
    spans = section_spans(plan_of_two, tune, "90.0")
    grid = {time for span in spans for time in beat_times("3/4", span)}
    starts = {event.start_s for event in arrange(plan_of_two, tune, "90.0")}
    assert grid <= starts
    assert starts - grid == {Fraction(0)}  # the pickup


def test_downbeats_are_the_bar_lines(tune):
    planned = Planned("x", recording(Section("A", "flute"), outro("flute")), tune, "60.0")
    gold = truth(planned, 17.0)
    assert gold["downbeats_s"] == [1, 4, 7, 10, 13]
    assert gold["segments"] == [
        {"start_s": 0, "end_s": 13, "label": "A"},
        {"start_s": 13, "end_s": 17, "label": "outro"},
    ]


def test_swing_moves_what_lies_between_the_beats_only(tune):
    assert [swung(Fraction(each, 2), "4/4", Fraction(3, 5)) for each in range(-1, 3)] == [
        Fraction(-2, 5),
        0,
        Fraction(3, 5),
        1,
    ]
    straight, swinging = (
        arrange(recording(Section("A", "flute", "walking"), swing=swing), tune, "60.0")
        for swing in (Fraction(1, 2), Fraction(3, 5))
    )
    on_beats = {event.start_s for event in straight if event.start_s.denominator == 1}
    assert on_beats <= {event.start_s for event in swinging}


def test_a_strain_is_cut_before_the_next_pickup():
    cut = first_bars(air(8).sections[0], 4, "3/4")
    assert cut == air(4).sections[0]


def test_every_recording_is_transposed_into_its_key(tune):
    events = arrange(recording(Section("A", "flute")), tune, "60.0")
    melody = [event.pitch % 12 for event in events if event.stem == "melody"]
    assert melody[1] == 2  # the tonic C of the tune is now D


def test_an_unaccompanied_section_is_melody_alone(tune):
    events = arrange(recording(Section("A", "flute", "none")), tune, "60.0")
    assert {event.stem for event in events} == {"melody"}


def test_an_instrument_that_cannot_play_the_tune_is_refused():
    wide = Tune(
        air().source, ((Note(Fraction(0), Fraction(1), (30,)), Note(Fraction(1), Fraction(1), (90,))),) * 2, (4, 4)
    )
    with pytest.raises(ValueError, match="not lie within the range of the flute"):
        octaves(recording(Section("A", "flute")), wide, "flute")


@pytest.mark.parametrize("style", STYLES)
def test_every_style_strikes_the_bar_line_and_stays_in_the_bar(style):
    for metre, grids in STYLES[style].items():
        for grid in grids:
            assert all(stroke.end <= bar_quarters(metre) for stroke in strokes(grid, metre))
        assert next(strokes(grids[0], metre)).start == 0


@pytest.mark.parametrize("groove", GROOVES)
def test_every_groove_is_strongest_on_the_bar_line_and_no_shorter_than_the_bar(groove):
    for metre in GROOVES[groove]:
        drums = [stroke for _, stroke in percussion_strokes("kit", groove, metre)]
        assert max(drums, key=lambda stroke: stroke.velocity).start == 0
        half = bar_quarters(metre) / 2
        first, second = ({s.start % half for s in drums if (s.start < half) == is_first} for is_first in (True, False))
        levels = [sorted(s.velocity for s in drums if (s.start < half) == is_first) for is_first in (True, False)]
        assert (first, levels[0]) != (second, levels[1])


def test_cards_are_dealt_evenly():
    keys = list(deal([f"{tonic} {mode}" for tonic in TONICS for mode in MODES], 60, "s"))
    assert set(Counter(keys).values()) == {2, 3}
    assert keys == list(deal([f"{tonic} {mode}" for tonic in TONICS for mode in MODES], 60, "s"))
    assert least_used(["x", "y"], Counter(x=1), random.Random(0)) == "y"


def test_tempi_are_dealt_by_seed_over_the_whole_range_to_metres_that_bear_them():
    metres = ["9/8", "6/8", "2/4", "3/4", "4/4"] * 10
    tempi = [float(bpm) for bpm in deal_tempi(metres, 3)]
    assert deal_tempi(metres, 3) == deal_tempi(metres, 3) != deal_tempi(metres, 4)
    assert min(tempi) < 49
    assert max(tempi) > 174
    assert max(bpm for bpm, metre in zip(tempi, metres, strict=True) if metre == "9/8") <= 112


@pytest.mark.parametrize(("twist", "changes"), [("modulation", "shift"), ("tempo", "speed"), ("", "")])
def test_a_recording_is_composed_to_length_and_mostly_true_to_its_values(twist, changes):
    composed = compose("D major", "3/4", "108.0", air(8), twist, random.Random(1), Counter())
    assert composed is not None
    spans = section_spans(composed, air(8), "108.0")
    assert 40 <= spans[-1].end_s + TAIL_S <= Fraction("46.5")
    assert len({section.shift for section in composed.sections}) == 1 + (changes == "shift")
    assert len({section.speed for section in composed.sections}) == 1 + (changes == "speed")
    assert set(form_of(composed)) == {"A", "B"}


def test_a_plan_follows_from_its_seed():
    one, two = plan(5, 2), plan(5, 2)
    assert one == two
    assert [planned.id for planned in one] == [masked_id(number, 5) for number in range(2)]
    assert len({masked_id(number, seed) for number in range(48) for seed in (7, 42)}) == 96


def test_a_tune_of_the_corpus_falls_into_whole_strains():
    loaded = load_tune(find_source("oneills1850/0351-0400.abc", 400))
    assert loaded is not None
    assert (loaded.bars, loaded.source.transcriber) == ((8, 8), "Chris Falt")
    for strain in loaded.sections:
        assert strain[-1].start + strain[-1].length <= 24
        assert strain[0].start >= -3


def test_credits_and_strains_are_read_from_abc():
    assert transcriber('"Transcribed by Bob Safranek, rjs@example.org"') == "Bob Safranek"
    assert transcriber("abc 1.6") == ""
    assert count_strains("\nK:D\n|:abc|def:|\n|:gab|c2d:|\n% a remark\ne4|]\n") == 3


def test_a_comparison_names_what_differs_or_is_missing():
    assert compared([{"id": "a", "x": (1,)}, {"id": "b"}], [{"id": "a", "x": [1]}, {"id": "c"}]) == ["b", "c"]
    assert json.loads(manifest_text({"beats": [1, 2.5], "items": [{"a": []}]})) == {
        "beats": [1, 2.5],
        "items": [{"a": []}],
    }
    assert '"beats": [1, 2.5]' in manifest_text({"beats": [1, 2.5]})


def test_another_seed_needs_another_directory(capsys):
    with pytest.raises(SystemExit):
        main(["--seed", "7"])
    assert "--out" in capsys.readouterr().err


def test_a_missing_soundfont_is_told(tmp_path):
    with pytest.raises(SystemExit, match=r"none\.sf2: sha256 no such file, expected"):
        main(["--soundfont", str(tmp_path / "none.sf2")])


def test_every_stored_recording_decodes_to_the_samples_of_the_manifest():
    stored = {item["id"]: item["pcm_sha256"] for item in json.loads(MANIFEST.read_text(encoding="utf-8"))["items"]}
    rows = pq.read_table(REPOSITORY / "default", columns=["id", "audio"]).to_pylist()
    assert {row["id"]: pcm_sha256(row["audio"]["bytes"]) for row in rows} == stored


@pytest.mark.slow
@pytest.mark.skipif(not SOUNDFONT.is_file(), reason="needs FluidR3_GM.sf2; set MUSEBENCH_SOUNDFONT")
def test_further_recordings_are_a_dataset_and_sound_alike_again(tmp_path, capsys):
    arguments = ["--soundfont", str(SOUNDFONT), "--seed", "5", "--count", "1", "--out", str(tmp_path / "more")]
    assert main(arguments) == 0
    assert (tmp_path / "more" / "blind" / "test-00000-of-00001.parquet").is_file()
    assert main([*arguments, "--check"]) == 0
    assert "1 of 1 recordings alike" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(not SOUNDFONT.is_file(), reason="needs FluidR3_GM.sf2; set MUSEBENCH_SOUNDFONT")
def test_a_rebuild_decodes_to_the_same_samples(capsys):
    assert main(["--soundfont", str(SOUNDFONT), "--check", "--processes", "2"]) == 0
    assert "48 of 48 recordings alike" in capsys.readouterr().out
